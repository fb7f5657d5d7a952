//! From what the user typed to what is done. What makes no sense is refused, with the reason.

use crate::args::{CheckArgs, EncodeArg, EngineArg, LayoutArg, PreserveArg, ProvisoArg, SearchArg, StoreArg};
use spinor_explore::reduce::sound::{self, Parts, Property, Setting, Sound, Wanted};
use spinor_explore::symmetry::{Strategy, SymmetryReport};
use spinor_explore::{CacheConfig, Encoding, Order, Plan, Proviso, Replacement, Report, StoreKind};
use spinor_jit::Native;
use spinor_model::Model;
use spinor_report::Reduction;

impl EngineArg {
    pub(crate) fn name(self) -> &'static str {
        match self {
            EngineArg::Interpret => "interpret",
            EngineArg::Native => "native",
        }
    }
}

impl LayoutArg {
    pub(crate) fn name(self) -> &'static str {
        match self {
            LayoutArg::Bytes => "bytes",
            LayoutArg::Bits => "bits",
            LayoutArg::Cells => "cells",
        }
    }
}

/// All that is decided.
#[derive(Clone, Debug)]
pub(crate) struct Resolved {
    pub(crate) engine: EngineArg,
    pub(crate) layout: LayoutArg,
    pub(crate) reduction: Sound,
    /// How representatives are found, if states may stand for their orbits.
    pub(crate) symmetry: Option<Strategy>,
    pub(crate) plan: Plan,
}

impl Resolved {
    /// How the search is reduced, for reports.
    pub(crate) fn reduced(&self, report: &Report) -> Option<Reduction> {
        let Sound { parts, proviso, because, .. } = &self.reduction;
        let symmetry = report.symmetry.as_ref().is_some_and(SymmetryReport::is_used);
        let parts = Parts { symmetry, ..*parts };
        let theorems = [because.as_str(), if symmetry { sound::SYMMETRY_BECAUSE } else { "" }];
        let because = theorems.into_iter().filter(|it| !it.is_empty()).collect::<Vec<_>>().join("; ");
        (!parts.is_none()).then(|| Reduction {
            parts: parts.to_string(),
            preserve: match self.reduction.kept() {
                Property::Deadlock => "deadlocks",
                Property::Assertions => "deadlocks, assertions and faults",
                Property::Statements => "deadlocks, assertions, faults and executed statements",
                Property::Invariants => {
                    "deadlocks, assertions, faults, executed statements and joint values of globals"
                }
                Property::Ltl => "deadlocks, assertions, faults, executed statements and linear time over globals",
            },
            proviso: parts.selector.map(|_| match proviso {
                Proviso::None => "no",
                Proviso::Weak => "weak",
                Proviso::Strong => "strong",
            }),
            because,
        })
    }
}

/// What to do for a model, or why not.
pub(crate) fn resolve(args: &CheckArgs, model: &Model) -> Result<Resolved, String> {
    let mut plan = plan(args);
    refuse_idle_options(args, plan.store)?;
    if plan.store == StoreKind::Cache {
        refuse_cache(args, &plan)?;
    }
    if model.uses.reads_hidden {
        refuse_hidden(&plan)?;
        if args.layout == LayoutArg::Cells {
            return Err("the model reads hidden variables, which --layout cells cannot do: use --layout bits".into());
        }
    }
    if let (StoreKind::Bitstate, Some(limit)) = (plan.store, plan.max_memory)
        && plan.bitstate_bytes > limit
    {
        return Err("--bitstate-memory is more than --max-memory allows".into());
    }
    let reduction = reduction(args, model, &plan)?;
    plan.proviso = reduction.proviso;
    // With sleep sets little is met again, and what costs least to repeat is best forgotten: with room for 1,000
    // states DTP takes 2.3 times the transitions of a full search so, and is not done after 4.9 times by chance.
    if reduction.parts.sleep.is_some() && matches!(args.store, StoreArg::Cache { replacement: None, .. }) {
        plan.cache.replacement = Replacement::SmallestSubtree;
    }
    let only_deadlocks = reduction.kept() == Property::Deadlock;
    plan.assertions &= !only_deadlocks;
    if only_deadlocks && !plan.end_states {
        return Err("--preserve deadlock with --no-end-states leaves nothing to check".into());
    }
    let symmetry = reduction.tries_symmetry.then(|| args.symmetry.unwrap_or_default());
    if args.symmetry.is_some() && symmetry.is_none() {
        return Err("--symmetry has no meaning without `symmetry` among the reductions".into());
    }
    Ok(Resolved { engine: engine(args, model)?, layout: args.layout, reduction, symmetry, plan })
}

fn reduction(args: &CheckArgs, model: &Model, plan: &Plan) -> Result<Sound, String> {
    let proviso = match args.proviso {
        ProvisoArg::Auto => None,
        ProvisoArg::Weak => Some(Proviso::Weak),
        ProvisoArg::Strong => Some(Proviso::Strong),
    };
    let property = match args.preserve {
        PreserveArg::Auto => None,
        PreserveArg::Deadlock => Some(Property::Deadlock),
        PreserveArg::Assertions => Some(Property::Assertions),
        PreserveArg::Statements => Some(Property::Statements),
        PreserveArg::Invariants => Some(Property::Invariants),
        PreserveArg::Ltl => Some(Property::Ltl),
    };
    let is_cells = args.layout == LayoutArg::Cells;
    let wanted = if is_cells && args.reduce == Wanted::Auto { Wanted::Parts(Parts::default()) } else { args.reduce };
    let setting = Setting { order: plan.order, threads: plan.threads, store: plan.store };
    let sound = sound::resolve(wanted, property, proviso, (model, setting))?;
    if is_cells && sound.parts.asks_for_dependence() {
        return Err("partial order reduction looks into states, which --layout cells does not let it: use bits".into());
    }
    Ok(sound)
}

/// Native code where there is any.
fn engine(args: &CheckArgs, model: &Model) -> Result<EngineArg, String> {
    match args.engine {
        Some(EngineArg::Native) if !Native::supports(model) => Err("there is no native code for priorities, provided \
             clauses and hidden variables that are read: use --engine interpret"
            .into()),
        Some(engine) => Ok(engine),
        None if Native::supports(model) => Ok(EngineArg::Native),
        None => Ok(EngineArg::Interpret),
    }
}

fn plan(args: &CheckArgs) -> Plan {
    let default = Plan::default();
    // What waits to be visited needs room besides the bits.
    let most = args.max_memory.map(|limit| limit / 4 * 3);
    Plan {
        order: match args.search {
            SearchArg::Dfs => Order::DepthFirst,
            SearchArg::Bfs | SearchArg::Scc | SearchArg::Ndfs => Order::BreadthFirst,
        },
        store: match args.store {
            StoreArg::Exact => StoreKind::Exact,
            StoreArg::Tree => StoreKind::Tree,
            StoreArg::Collapse => StoreKind::Collapse,
            StoreArg::HashCompact => StoreKind::HashCompact,
            StoreArg::Bitstate => StoreKind::Bitstate,
            StoreArg::Cache { .. } => StoreKind::Cache,
        },
        cache: match args.store {
            StoreArg::Cache { states, replacement } => {
                let replacement = replacement.unwrap_or(default.cache.replacement);
                CacheConfig { states, replacement, ..default.cache }
            }
            _ => default.cache,
        },
        encode: args.encode.map(|code| match code {
            EncodeArg::Huffman => Encoding::Huffman,
            EncodeArg::Rle => Encoding::RunLength,
        }),
        threads: usize::from(args.threads),
        seed: args.seed.unwrap_or(default.seed),
        bitstate_bytes: args.bitstate_memory.or(most).unwrap_or(default.bitstate_bytes),
        hashes: args.hashes.unwrap_or(default.hashes),
        swarm: args.swarm.unwrap_or(default.swarm),
        keep_going: args.keep_going,
        max_depth: args.max_depth,
        max_memory: args.max_memory,
        max_time: args.max_time,
        end_states: !args.no_end_states,
        assertions: !args.no_assertions,
        ..default
    }
}

/// Options that would do nothing are mistakes.
fn refuse_idle_options(args: &CheckArgs, store: StoreKind) -> Result<(), String> {
    let bitstate = store == StoreKind::Bitstate;
    let options = [
        ("--encode", args.encode.is_some(), store == StoreKind::Exact, "exact"),
        ("--bitstate-memory", args.bitstate_memory.is_some(), bitstate, "bitstate"),
        ("--hashes", args.hashes.is_some(), bitstate, "bitstate"),
        ("--swarm", args.swarm.is_some(), store.is_lossy(), "bitstate or hash-compact"),
        ("--seed", args.seed.is_some(), store.is_lossy(), "bitstate or hash-compact"),
    ];
    match options.into_iter().find(|&(_, given, useful, _)| given && !useful) {
        Some((option, _, _, wanted)) => {
            Err(format!("{option} has no meaning with --store {}: it belongs to --store {wanted}", store.name()))
        }
        None => Ok(()),
    }
}

/// A cache knows which states it may forget from the stack of one depth-first search.
fn refuse_cache(args: &CheckArgs, plan: &Plan) -> Result<(), String> {
    if plan.order != Order::DepthFirst || plan.threads > 1 {
        return Err("--store cache forgets states that are not on the stack of the search, which must be one stack: \
                    use --search dfs --threads 1"
            .into());
    }
    if plan.cache.replacement == Replacement::Typed && args.layout == LayoutArg::Cells {
        return Err("--store cache with types looks into states, which --layout cells does not let it: use bits".into());
    }
    Ok(())
}

/// Of states that differ only in what is hidden the first stays. Other stores know no such
/// difference, and with several threads chance decides which is the first.
fn refuse_hidden(plan: &Plan) -> Result<(), String> {
    let option = if plan.store != StoreKind::Exact {
        format!("--store {}", plan.store.name())
    } else if plan.threads > 1 {
        format!("--threads {}", plan.threads)
    } else if let Some(encoding) = plan.encode {
        return Err(format!("the model reads hidden variables, which --encode {} cannot do", encoding.name()));
    } else {
        return Ok(());
    };
    Err(format!("the model reads hidden variables, which {option} cannot do: use --store exact --threads 1"))
}
