//! Random programs with random formulas: both searches, with and without fairness, against a naive twin, and a
//! sample against SPIN's verifier without reduction.

mod formula;
mod oracle;
mod program;
mod speed;
mod truth;
mod twin;

pub(crate) use truth::run as claims_truth;

use crate::agree::Disk;
use crate::{fuzz, parallel, spin};
use clap::Args;
use rand::rngs::SmallRng;
use rand::{Rng as _, SeedableRng as _};
use spinor_exec::{Packed, Packing, Shapes, Simplify};
use spinor_explore::live::{Claim, CycleSearch, Judgement, Manner, Reduce, confirm_claim, judge};
use spinor_explore::reduce::sound::{Parts, Wanted};
use spinor_explore::reduce::{Method, resolve_claim};
use spinor_explore::{Plan, Quiet, StopReason, StoreKind, Verdict, ViolationKind};
use spinor_jit::Native;
use spinor_model::Model;
use spinor_syntax::diagnostic::has_errors;
use std::path::Path;
use std::sync::Arc;

/// What `live` is asked to do.
#[derive(Args)]
pub(crate) struct Options {
    /// How many programs to write, each with some formulas.
    #[arg(long, value_name = "N", default_value_t = 1_000)]
    models: u64,
    /// Where the random numbers start.
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// Only the program with this number, and print it.
    #[arg(long, value_name = "I")]
    index: Option<u64>,
    /// Formulas for each program.
    #[arg(long, value_name = "N", default_value_t = 4)]
    formulas: u64,
    /// States that a program may have.
    #[arg(long, value_name = "N", default_value_t = 1_500)]
    states: usize,
    /// Ask SPIN about each K-th program; 0 is none.
    #[arg(long, value_name = "K", default_value_t = 0)]
    spin: u64,
    /// Programs at the same time.
    #[arg(long, default_value_t = 2)]
    jobs: usize,
    /// Measure claims beside SPIN's verifier instead: the least of N runs.
    #[arg(long, value_name = "N")]
    speed: Option<usize>,
}

/// What was compared.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    verdicts: u64,
    violated: u64,
    fair_differs: u64,
    /// Verdicts of reduced searches, and those that visited fewer pairs.
    reduced: u64,
    smaller: u64,
    /// Verdicts of several threads.
    together: u64,
    /// Undecided, because of a fault of the model.
    cut: u64,
    spin: u64,
    replayed: u64,
    /// Programs with a formula that SPIN does not translate in time.
    untranslated: u64,
    skipped: u64,
    different: u64,
}

impl Tally {
    fn add(&mut self, other: Tally) {
        self.verdicts += other.verdicts;
        self.violated += other.violated;
        self.fair_differs += other.fair_differs;
        self.reduced += other.reduced;
        self.smaller += other.smaller;
        self.together += other.together;
        self.cut += other.cut;
        self.spin += other.spin;
        self.replayed += other.replayed;
        self.untranslated += other.untranslated;
        self.skipped += other.skipped;
        self.different += other.different;
    }
}

/// Compares all; false if anything differs.
pub(crate) fn run(root: &Path, options: &Options) -> Result<bool, String> {
    if (options.spin > 0 || options.speed.is_some()) && !spin::is_installed() {
        return Err("SPIN or a C compiler is missing".to_owned());
    }
    if let Some(runs) = options.speed {
        return speed::run(root, runs);
    }
    let (first, count) = options.index.map_or((0, options.models), |index| (index, 1));
    let mut tally = Tally::default();
    parallel::for_each(
        usize::try_from(count).map_err(|error| error.to_string())?,
        options.jobs,
        |offset| examine(options, first + offset as u64),
        |one| tally.add(one),
    );
    let Tally { verdicts, violated, fair_differs, reduced, smaller, together, cut, .. } = tally;
    let Tally { spin, replayed, untranslated, skipped, different, .. } = tally;
    println!(
        "{verdicts} verdicts ({violated} violated, {fair_differs} of other formulas with fairness; {reduced} of reduced \
         searches, {smaller} of these visited less; {together} of several threads, {cut} undecided by a \
         fault), {spin} by SPIN, {replayed} replayed by SPIN, \
         {untranslated} formulas that SPIN does not translate in time, {skipped} programs of no use, {different} DIFFERENT"
    );
    Ok(different == 0)
}

/// A program with its formulas and claims.
fn examine(options: &Options, index: u64) -> Tally {
    let mut tally = Tally::default();
    let mut rng = SmallRng::seed_from_u64(options.seed.wrapping_mul(1_000_003) ^ index);
    let is_any = index.is_multiple_of(2);
    let text = if is_any { fuzz::program(options.seed, index) } else { program::random(&mut rng) };
    let Some(model) = compiled(&text).filter(|model| !model.uses.reads_hidden) else {
        return Tally { skipped: 1, ..tally };
    };
    for _ in 0..options.formulas {
        let propositions = formula::propositions(&model, &mut rng);
        let (asked, property) = match rng.random_range(0..10) {
            0 => (Asked::Progress, String::new()),
            1 => (Asked::Labels, String::new()),
            2 | 3 => (Asked::Claim, program::claim(&propositions, &mut rng)),
            _ => (Asked::Claim, format!("ltl p {{ {} }}\n", formula::random(&model, &propositions, &mut rng))),
        };
        let text = format!("{text}\n{property}");
        if options.index.is_some() {
            println!("{text}");
        }
        let asks_spin = options.spin > 0 && index % options.spin < 2;
        let result = match compiled(&text) {
            Some(model) => compare((&model, asked), &mut rng, options.states, asks_spin.then_some(&text)),
            None => Err("it is refused".into()),
        };
        match result {
            Ok(Some(one)) => tally.add(one),
            Ok(None) => tally.skipped += 1,
            Err(message) => {
                println!("program {index} (seed {}): {message}: {asked:?} {property}", options.seed);
                tally.different += 1;
            }
        }
    }
    tally
}

fn compiled(text: &str) -> Option<Model> {
    let (model, diagnostics) = spinor_model::compile("random.pml", text, &[], &Disk);
    (!has_errors(&diagnostics)).then_some(model)
}

/// What is asked of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Asked {
    /// Its formula, or its never claim.
    Claim,
    /// That it goes round `progress` labels.
    Progress,
    /// That it does not go round `accept` labels.
    Labels,
}

/// The claim of a model for a search.
fn claim(model: &Model, asked: Asked, search: CycleSearch) -> Result<Claim, String> {
    match (asked, model.ltl.first()) {
        (Asked::Progress, _) => Ok(Claim::of_progress(search.wanted())),
        (Asked::Labels, _) => Ok(Claim::of_labels()),
        (Asked::Claim, Some(block)) => Claim::of_formula(block, search.wanted()),
        (Asked::Claim, None) => Claim::of_never(model, model.claims().next().ok_or("there is no claim")?),
    }
}

/// All searches for one property; nothing if the program is of no use.
fn compare(
    (model, asked): (&Model, Asked),
    rng: &mut SmallRng,
    states: usize,
    text: Option<&str>,
) -> Result<Option<Tally>, String> {
    let mut tally = Tally::default();
    let Some(graph) = twin::Graph::new(model, states) else { return Ok(None) };
    // SPIN does not read formulas with X.
    let asked_of_spin = text.filter(|text| !text.contains("(X "));
    let text = asked_of_spin.filter(|text| oracle::is_translated(text));
    tally.untranslated += u64::from(text.is_none() && asked_of_spin.is_some());
    let machine = match model.ltl.first() {
        Some(block) => twin::Machine::of_formula(block)?,
        None => twin::Machine::of_claim(&claim(model, asked, CycleSearch::Nested)?),
    };
    let mut answers = Vec::new();
    for fair in [false, true] {
        let truth = graph.truth(model, &machine, fair);
        let expected = truth.verdict();
        answers.push(expected);
        for search in [CycleSearch::Components, CycleSearch::Nested] {
            let claim = claim(model, asked, search)?;
            let manners = manners(model, &claim, (search, fair), rng);
            let mut whole = None;
            for manner in manners {
                let found = judged(model, &claim, manner, rng)?;
                let verdict = found.verdict();
                let agrees = agrees(&found, expected);
                let is_violated = verdict == Verdict::Violated;
                if let (Some(violation), Some(text)) = (&found.violation, text) {
                    oracle::replay(text, model, violation)?;
                    tally.replayed += 1;
                }
                if !agrees {
                    let threads = found.threads;
                    return Err(format!("{manner:?}, {threads} threads: {verdict:?}, but {expected:?} by definition"));
                }
                tally.cut += u64::from(verdict == Verdict::Undecided);
                if rng.random_ratio(1, 4) {
                    hurry(model, &claim, (manner, expected), rng)?;
                }
                tally.verdicts += 1;
                tally.violated += u64::from(is_violated);
                let stored = found.statistics.stored;
                tally.together += u64::from(found.threads > 1);
                tally.reduced += u64::from(manner.reduce.is_some());
                tally.smaller += u64::from(!is_violated && whole.is_some_and(|whole| stored < whole));
                whole.get_or_insert(stored);
            }
        }
        // With fairness SPIN sees no cycle where the system has stopped, though nobody starves there.
        if let Some(text) =
            text.filter(|_| !(truth.is_cut || graph.asks_in_vain(model, &machine) || fair && graph.can_stop()))
            && let Some(found) = oracle::violates(text, asked, fair)
        {
            if found != truth.is_violated {
                return Err(format!("SPIN, fair {fair}: {found}, but {expected:?} by definition"));
            }
            tally.spin += 1;
        }
    }
    tally.fair_differs += u64::from(answers[0] != answers[1]);
    Ok(Some(tally))
}

/// How the claim is checked: as a whole first, then with each selector that is sound for it.
fn manners(model: &Model, claim: &Claim, (search, fair): (CycleSearch, bool), rng: &mut SmallRng) -> Vec<Manner> {
    let about = claim.about(&Shapes::new(model, Packing::default(), Simplify::default()), fair);
    let sound = |selector: &Method| {
        let wanted = Wanted::Parts(Parts { selector: Some(*selector), ..Parts::default() });
        resolve_claim(wanted, model, about).selector.is_some()
    };
    let reduced = Method::ALL.into_iter().filter(sound).map(|selector| {
        let is_thrifty = rng.random_ratio(1, 8);
        Manner { search, fair, reduce: Some(Reduce { selector, is_thrifty }) }
    });
    [Manner { search, fair, reduce: None }].into_iter().chain(reduced).collect()
}

/// Whether an answer is right. A beginning that nothing can mend is a violation, which was replayed, also of an execution
/// that ends with a fault: by definition only infinite ones violate.
fn agrees(found: &Judgement, expected: Verdict) -> bool {
    let has_end = found.violation.as_ref().is_some_and(|it| it.kind == ViolationKind::ClaimEnd);
    found.verdict() == expected || has_end && expected == Verdict::Undecided
}

/// A search with a limit on depth comes to an end, and answers right or not at all.
fn hurry(
    model: &Model,
    claim: &Claim,
    (manner, expected): (Manner, Verdict),
    rng: &mut SmallRng,
) -> Result<(), String> {
    let threads = rng.random_range(1..5);
    let plan = Plan { threads, max_depth: Some(rng.random_range(0..20)), ..Plan::default() };
    let found = searched(model, claim, manner, &plan, rng)?;
    if agrees(&found, expected) || found.verdict() == Verdict::Undecided {
        return Ok(());
    }
    let found = found.verdict();
    Err(format!("{manner:?}, {plan:?}: {found:?}, but {expected:?} by definition"))
}

/// What a search finds, confirmed.
fn judged(model: &Model, claim: &Claim, manner: Manner, rng: &mut SmallRng) -> Result<Judgement, String> {
    let stores = [StoreKind::Exact, StoreKind::Tree, StoreKind::Collapse];
    let (store, threads) = (stores[rng.random_range(0..3)], rng.random_range(1..5));
    let plan = Plan { store, threads, keep_going: rng.random(), ..Plan::default() };
    let judgement = searched(model, claim, manner, &plan, rng)?;
    match (judgement.verdict(), judgement.stopped) {
        (Verdict::Undecided, Some(StopReason::Fault)) | (Verdict::Violated | Verdict::Holds, _) => Ok(judgement),
        (Verdict::Undecided, stopped) => Err(format!("{manner:?}, {threads} threads: undecided: {stopped:?}")),
    }
}

fn searched(
    model: &Model,
    claim: &Claim,
    manner: Manner,
    plan: &Plan,
    rng: &mut SmallRng,
) -> Result<Judgement, String> {
    let engine = Packed::with(Arc::new(claim.shapes(model, Packing::default())));
    let shapes = engine.shapes().clone();
    let judgement = if rng.random() && Native::supports(model) {
        judge((Native::with_patience(engine, 0), shapes), claim, manner, plan, &mut Quiet)?
    } else {
        judge((engine, shapes), claim, manner, plan, &mut Quiet)?
    };
    if let Some(violation) = &judgement.violation {
        confirm_claim(model, claim, violation, manner.fair)
            .map_err(|error| format!("{manner:?}, {} threads: {error}", plan.threads))?;
    }
    Ok(judgement)
}

#[cfg(test)]
mod tests {
    use super::{Options, run};
    use std::path::Path;

    #[test]
    fn a_sample_of_programs_and_formulas() {
        let options =
            Options { models: 60, seed: 7, index: None, formulas: 3, states: 400, spin: 0, jobs: 1, speed: None };
        assert_eq!(run(Path::new("."), &options), Ok(true));
    }
}
