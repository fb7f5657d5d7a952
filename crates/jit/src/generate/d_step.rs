//! A deterministic sequence as one step.

use super::{Generator, Result, Unsupported};
use crate::context::{Context, ROUNDS};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{AbiParam, Block, InstBuilder, MemFlagsData, Signature, Value, types};
use cranelift_frontend::Variable;
use spinor_model::model::DStep;
use std::collections::BTreeSet;
use std::mem::offset_of;

/// Sequences with more control states are left to the interpreter.
const MOST_NODES: usize = 2_000;

impl Generator<'_, '_> {
    /// Executes a `d_step` on the words, or goes to `blocked` if its guard is not executable.
    pub(super) fn d_step(&mut self, d_step: &DStep, blocked: Block) -> Result {
        if d_step.nodes.len() > MOST_NODES {
            return Err(Unsupported);
        }
        if d_step.is_else {
            let moved = self.builder.use_var(self.moved);
            self.branch_away(moved, blocked);
        }
        let rounds = self.builder.declare_var(types::I32);
        let first = self.int(ROUNDS as i32);
        self.builder.def_var(rounds, first);
        let done = self.builder.create_block();
        let nodes: Vec<Block> = d_step.nodes.iter().map(|_| self.builder.create_block()).collect();
        // The first statement may be blocked; once begun, the sequence must go on.
        self.node(d_step, 0, blocked, &nodes, done, rounds)?;
        let targets = d_step.nodes.iter().flat_map(|node| &node.edges).filter_map(|&(_, target)| target);
        let targets: BTreeSet<usize> = targets.map(|target| target as usize).collect();
        for node in targets {
            // A loop may come back to it.
            self.builder.switch_to_block(nodes[node]);
            self.node(d_step, node, self.defer, &nodes, done, rounds)?;
        }
        nodes.into_iter().for_each(|node| self.builder.seal_block(node));
        self.continue_in(done);
        Ok(())
    }

    fn node(
        &mut self,
        d_step: &DStep,
        node: usize,
        blocked: Block,
        nodes: &[Block],
        done: Block,
        rounds: Variable,
    ) -> Result {
        let definition = self.definition();
        for &(id, target) in &d_step.nodes[node].edges {
            let next = self.builder.create_block();
            let statement = definition.statement(id);
            if statement.runs {
                return Err(Unsupported);
            }
            // Here `else` is the choice that is left when no statement before it was executable.
            if !statement.action.is_else() {
                self.action(&statement.action, next)?;
            }
            match target {
                None => {
                    self.builder.ins().jump(done, &[]);
                }
                Some(target) => {
                    if target as usize <= node {
                        self.count_round(rounds, target);
                    }
                    self.builder.ins().jump(nodes[target as usize], &[]);
                }
            }
            self.continue_in(next);
        }
        self.builder.ins().jump(blocked, &[]);
        Ok(())
    }

    /// Counts down to the next look.
    fn count_round(&mut self, rounds: Variable, node: u32) {
        let left = self.builder.use_var(rounds);
        let left = self.builder.ins().iadd_imm_s(left, -1);
        self.builder.def_var(rounds, left);
        let is_due = self.builder.ins().icmp_imm_s(IntCC::Equal, left, 0);
        let (due, on) = (self.builder.create_block(), self.builder.create_block());
        self.builder.ins().brif(is_due, due, &[], on, &[]);
        self.continue_in(due);
        self.builder.set_cold_block(due);
        let next = self.look(node);
        self.builder.def_var(rounds, next);
        self.builder.ins().jump(on, &[]);
        self.continue_in(on);
    }

    /// Shows the words of the state: gives up if that is the answer, else the rounds to the next look.
    fn look(&mut self, node: u32) -> Value {
        let memory = MemFlagsData::trusted();
        let load =
            |this: &mut Self, offset: usize| this.builder.ins().load(types::I64, memory, this.context, offset as i32);
        let place = load(self, offset_of!(Context, looked_at));
        for word in 0..self.words.len() {
            let value = self.builder.use_var(self.words[word]);
            self.builder.ins().store(memory, value, place, word as i32 * 8);
        }
        let (watch, look) = (load(self, offset_of!(Context, watch)), load(self, offset_of!(Context, look)));
        let mut signature = Signature::new(self.builder.func.signature.call_conv);
        signature.params.extend([types::I64, types::I32, types::I32].map(AbiParam::new));
        signature.returns.push(AbiParam::new(types::I32));
        let signature = self.builder.import_signature(signature);
        let (node, words) = (self.int(node as i32), self.int(self.words.len() as i32));
        let call = self.builder.ins().call_indirect(signature, look, &[watch, node, words]);
        let next = self.builder.inst_results(call)[0];
        self.branch_unless(next, self.defer);
        next
    }
}
