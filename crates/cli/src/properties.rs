//! The properties beside safety: which are asked for, and what comes of them.

use crate::args::{CheckArgs, EngineArg, LayoutArg, PreserveArg, ProvisoArg, SearchArg};
use crate::load::{is_added, is_automaton};
use crate::plan::Resolved;
use crate::symmetry;
use spinor_exec::{Packed, Packing, Semantics, Shapes};
use spinor_explore::live::{
    Claim, CycleSearch, Judgement, Manner, Reduce, confirm_claim, has_accept_labels, judge, never_claims,
};
use spinor_explore::reduce::{ClaimReduction, may_use_symmetry, resolve_claim};
use spinor_explore::symmetry::{Quotient, Symmetries};
use spinor_explore::{Observer, Plan, Statistics, StopReason, Verdict};
use spinor_jit::Native;
use spinor_model::{Model, ProctypeId};
use spinor_report::explain;
use spinor_report::outcome::stop_text;
use spinor_report::{Checked, ClaimReduced, Property};
use std::sync::Arc;
use std::time::Instant;

/// A property to be checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    Ltl(usize),
    Never(ProctypeId),
    Progress,
    Acceptance,
}

/// What is asked for.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    /// Assertions, end states and faults.
    pub(crate) safety: bool,
    pub(crate) claims: Vec<Source>,
}

impl Asked {
    /// Whether anything is asked about infinite executions.
    pub(crate) fn has_claims(&self) -> bool {
        !self.claims.is_empty()
    }

    /// Each property that must be answered.
    pub(crate) fn rows(&self, model: &Model) -> Vec<Property> {
        let safety = self.safety.then(Property::safety);
        safety.into_iter().chain(self.unchecked(model)).collect()
    }

    /// The claims, as something that was not checked.
    pub(crate) fn unchecked(&self, model: &Model) -> impl Iterator<Item = Property> {
        self.claims.iter().map(|it| it.row(model))
    }
}

impl Source {
    fn row(self, model: &Model) -> Property {
        Property { name: self.name(model), kind: self.kind() }
    }

    /// Whether an option adds it to what the model asks for.
    fn is_added(self, args: &CheckArgs, model: &Model) -> bool {
        match self {
            Source::Ltl(index) => is_added(model, model.ltl[index].place),
            Source::Never(id) => is_added(model, model.proctype(id).place),
            Source::Progress => args.progress,
            Source::Acceptance => false,
        }
    }

    fn name(self, model: &Model) -> String {
        match self {
            Source::Ltl(index) => model.ltl[index].name.to_string(),
            Source::Never(id) => model.proctype(id).name.to_string(),
            Source::Progress => "progress".into(),
            Source::Acceptance => "acceptance".into(),
        }
    }

    fn kind(self) -> &'static str {
        match self {
            Source::Ltl(_) => "ltl",
            Source::Never(_) => "never claim",
            Source::Progress => "progress",
            Source::Acceptance => "acceptance",
        }
    }

    fn claim(self, model: &Model, search: CycleSearch) -> Result<Claim, String> {
        match self {
            Source::Ltl(index) => Claim::of_formula(&model.ltl[index], search.wanted()),
            Source::Never(id) => {
                let claim = Claim::of_never(model, model.proctype(id))?;
                let labels = claim.labels && !is_automaton(model, model.proctype(id).place);
                Ok(Claim { labels, ..claim })
            }
            Source::Progress => Ok(Claim::of_progress(search.wanted())),
            Source::Acceptance => Ok(Claim::of_labels()),
        }
    }
}

/// What the user asks for, or why that makes no sense.
pub(crate) fn asked(args: &CheckArgs, model: &Model) -> Result<Asked, String> {
    let mut claims = Vec::new();
    if !args.no_claim {
        claims.extend((0..model.ltl.len()).map(Source::Ltl));
        let never = never_claims(model);
        // A claim of the model sees the labels of processes itself. One that is added leaves the model what it asks.
        let is_own = |id: &ProctypeId| !is_added(model, model.proctype(*id).place);
        if !never.iter().any(is_own) && has_accept_labels(model) {
            claims.push(Source::Acceptance);
        }
        claims.extend(never.into_iter().map(Source::Never));
    }
    if args.progress || args.property.as_deref() == Some("progress") {
        claims.push(Source::Progress);
    }
    let mut safety = true;
    if let Some(wanted) = &args.property {
        refuse_taken_names(wanted, &claims, model)?;
        safety = wanted == "safety";
        let is_wanted = |it: &Source| it.name(model) == *wanted;
        if !safety && !claims.iter().any(is_wanted) {
            let names = claims.iter().map(|it| it.name(model)).filter(|it| it != "progress");
            let known = ["safety".to_string()].into_iter().chain(names).collect::<Vec<_>>().join(", ");
            return Err(format!("the model has no property '{wanted}': there are {known}, progress"));
        }
        claims.retain(|it| is_wanted(it) || it.is_added(args, model));
    }
    let asked = Asked { safety, claims };
    refuse_idle_options(args, &asked)?;
    Ok(asked)
}

/// `--property` has names of its own, which a claim of the model may have, too.
fn refuse_taken_names(wanted: &str, claims: &[Source], model: &Model) -> Result<(), String> {
    let meant = match wanted {
        "safety" => "assertions, end states and faults",
        "progress" => "executions without progress",
        "acceptance" => "accept labels",
        _ => return Ok(()),
    };
    let is_taken = |it: &&Source| it.name(model) == wanted && it.kind() != wanted;
    match claims.iter().find(is_taken) {
        Some(claim) => Err(format!(
            "--property {wanted} means {meant}, and there is also the {} called {wanted}: give it another name",
            claim.kind()
        )),
        None => Ok(()),
    }
}

/// Options that would do nothing are mistakes.
fn refuse_idle_options(args: &CheckArgs, asked: &Asked) -> Result<(), String> {
    if !asked.has_claims() {
        let option = match args.search {
            _ if args.fair => "--fair",
            SearchArg::Scc => "--search scc",
            SearchArg::Ndfs => "--search ndfs",
            SearchArg::Bfs | SearchArg::Dfs => return Ok(()),
        };
        return Err(format!("{option} is about infinite executions, and no claim, formula or progress is asked for"));
    }
    if asked.safety {
        return Ok(());
    }
    let options = [
        ("--checkpoint", args.checkpoint.is_some()),
        ("--resume", args.resume.is_some()),
        ("--encode", args.encode.is_some()),
        ("--proviso", args.proviso != ProvisoArg::Auto),
        ("--preserve", args.preserve != PreserveArg::Auto),
        ("--layout cells", args.layout == LayoutArg::Cells),
    ];
    match options.into_iter().find(|(_, is_given)| *is_given) {
        Some((option, _)) => Err(format!("{option} belongs to the search for safety, which --property leaves out")),
        None => Ok(()),
    }
}

/// Which search looks for cycles: by components, if there is one thread.
pub(crate) fn cycle_search(args: &CheckArgs) -> CycleSearch {
    match args.search {
        SearchArg::Ndfs => CycleSearch::Nested,
        SearchArg::Bfs | SearchArg::Dfs if args.threads > 1 => CycleSearch::Nested,
        SearchArg::Bfs | SearchArg::Dfs | SearchArg::Scc => CycleSearch::Components,
    }
}

/// Checks all properties that are asked for besides safety, in the time that is left since the check was begun.
pub(crate) fn check(
    args: &CheckArgs,
    asked: &Asked,
    (model, resolved): (&Model, &Resolved),
    begun: Instant,
    observer: &mut dyn Observer,
) -> Vec<Checked> {
    let one = |&source: &Source| {
        let max_time = resolved.plan.max_time.map(|limit| limit.saturating_sub(begun.elapsed()));
        let resolved = &Resolved { plan: Plan { max_time, ..resolved.plan.clone() }, ..resolved.clone() };
        let search = cycle_search(args);
        let mut reduction = None;
        let result = source.claim(model, search).and_then(|claim| {
            let (judgement, how) = judgement(args, &claim, model, resolved, observer)?;
            reduction = Some(how);
            let defect = judgement.violation.as_ref().and_then(|it| confirm_claim(model, &claim, it, args.fair).err());
            match defect {
                Some(error) => Err(format!("internal error: {error}")),
                None => Ok((claim, judgement)),
            }
        });
        let blank = Checked {
            name: source.name(model),
            kind: source.kind(),
            verdict: Verdict::Undecided,
            reason: String::new(),
            violation: None,
            statistics: Statistics::default(),
            search: search.name(),
            reduction: reduction.unwrap_or_default(),
            threads: 1,
            strength: None,
            fair: args.fair,
            interrupted: false,
            is_complete: false,
        };
        match result {
            Ok((claim, judgement)) => checked(blank, model, &claim, judgement),
            Err(reason) => Checked { reason, ..blank },
        }
    };
    asked.claims.iter().map(one).collect()
}

fn checked(blank: Checked, model: &Model, claim: &Claim, judgement: Judgement) -> Checked {
    let mut verdict = judgement.verdict();
    let mut reason = match (&judgement.violation, judgement.stopped) {
        (Some(violation), _) => explain::violation(model, violation).sentence,
        (None, Some(stopped)) => stop_text(stopped).into(),
        (None, None) if blank.fair => "no weakly fair execution violates it".into(),
        (None, None) => "no execution violates it".into(),
    };
    if verdict == Verdict::Holds && model.uses.reads_hidden {
        verdict = Verdict::Undecided;
        reason = "hidden variables are read, so states that differ were taken for the same".into();
    }
    Checked {
        verdict,
        reason,
        violation: judgement.violation,
        statistics: judgement.statistics,
        strength: Some(claim.strength.text()),
        threads: judgement.threads,
        interrupted: judgement.stopped == Some(StopReason::Interrupted),
        is_complete: judgement.stopped.is_none(),
        ..blank
    }
}

/// Searches with the engine that was chosen, reduced as far as that is sound for the claim.
fn judgement(
    args: &CheckArgs,
    claim: &Claim,
    model: &Model,
    resolved: &Resolved,
    observer: &mut dyn Observer,
) -> Result<(Judgement, ClaimReduced), String> {
    let packing = if resolved.layout == LayoutArg::Bytes { Packing::Bytes } else { Packing::Bits };
    match resolved.engine {
        EngineArg::Interpret => {
            let engine = Packed::with(Arc::new(claim.shapes(model, packing)));
            let shapes = engine.shapes().clone();
            search((engine, shapes), args, claim, resolved, observer)
        }
        EngineArg::Native => {
            let engine =
                Native::beside(Packed::with(Arc::new(claim.shapes(model, packing))), resolved.plan.leaves_core());
            let shapes = engine.interpreter().shapes().clone();
            search((engine, shapes), args, claim, resolved, observer)
        }
    }
}

/// The symmetries of a model that a claim does not see, or why there are none, where there are for safety or that was
/// asked for.
fn symmetries<'m>(
    shapes: &Arc<Shapes<'m>>,
    claim: &Claim,
    (resolved, fair): (&Resolved, bool),
    (plan, observer): (&mut Plan, &mut dyn Observer),
) -> (Option<Arc<Symmetries<'m>>>, ClaimReduced) {
    let mut reduced = ClaimReduced::default();
    let Some(strategy) = resolved.symmetry else { return (None, reduced) };
    let is_asked = resolved.reduction.parts.symmetry;
    let model = shapes.model();
    let how = (strategy, is_asked);
    if !symmetry::found(shapes, how, &[], (plan, observer)).1.is_used() {
        reduced.asymmetry = is_asked.then(|| "no processes can change places".into());
        return (None, reduced);
    }
    if let Err(why) = may_use_symmetry(model, fair) {
        reduced.asymmetry = Some(why.into());
        return (None, reduced);
    }
    if claim.passes_labels(model) {
        reduced.asymmetry = Some("labels are passed inside of steps".into());
        return (None, reduced);
    }
    let block = model.ltl.iter().find(|it| *it.name == *claim.name).map(|it| it.place);
    let place = block.or(model.claims().next().map(|it| it.place)).unwrap_or(model.proctypes[0].place);
    let observers: Vec<_> = claim.atoms.iter().map(|expr| symmetry::Observer { expr, place }).collect();
    let (symmetries, report) = symmetry::found(shapes, how, &observers, (plan, observer));
    match symmetries {
        Some(_) => reduced.symmetry = Some(report.order),
        None => {
            let why = report.idle.or(report.refused.first().cloned());
            reduced.asymmetry = Some(why.unwrap_or_else(|| "the claim names processes".into()));
        }
    }
    (symmetries, reduced)
}

fn search<S: Semantics>(
    (engine, shapes): (S, Arc<Shapes<'_>>),
    args: &CheckArgs,
    claim: &Claim,
    resolved: &Resolved,
    observer: &mut dyn Observer,
) -> Result<(Judgement, ClaimReduced), String> {
    let about = claim.about(&shapes, args.fair);
    let ClaimReduction { selector, is_thrifty, because } = resolve_claim(args.reduce, shapes.model(), about);
    let reduce = selector.map(|selector| Reduce { selector, is_thrifty });
    let manner = Manner { search: cycle_search(args), fair: args.fair, reduce };
    let begun = Instant::now();
    let mut plan = resolved.plan.clone();
    let (symmetries, reduced) = symmetries(&shapes, claim, (resolved, args.fair), (&mut plan, observer));
    let tried = begun.elapsed();
    let engine = Quotient::new(engine, symmetries);
    let mut judgement = judge((engine, shapes), claim, manner, &plan, observer)?;
    judgement.statistics.time += tried;
    let proviso = judgement.proviso;
    Ok((judgement, ClaimReduced { selector: selector.map(|it| it.to_string()), proviso, because, ..reduced }))
}
