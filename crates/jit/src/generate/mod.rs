//! Code for one location of one process of a shape.
//!
//! A function tries the edges of the location in order. For each, the words of the state are taken
//! over, the statement is executed on them, and the result is written to the list of successors.
//! Words are kept in variables, so that Cranelift sees a few loads, shifts and masks, and stores.

mod channel;
mod d_step;
mod expression;
mod process;
mod rendezvous;
mod statement;
mod variable;

use crate::code::{Numbering, Size};
use crate::context::{ATOMIC, Context, DEFER, GOES_ON, HOLDER_SHIFT, MOVED};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{
    AbiParam, Block, BlockArg, Function, InstBuilder, MemFlagsData, Signature, Type, Value, types,
};
use cranelift_codegen::isa::TargetFrontendConfig;
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext, Variable};
use cranelift_module::Module;
use spinor_exec::{Shape, Shapes};
use spinor_model::model::{Action, Edge};
use spinor_model::{LocationId, Proctype, ProctypeId};
use std::mem::offset_of;
use std::sync::Arc;

/// Something that is left to the interpreter.
pub(crate) struct Unsupported;

pub(crate) type Result<T = ()> = std::result::Result<T, Unsupported>;

/// For what code is made.
pub(crate) struct Site<'a> {
    pub(crate) shapes: &'a Shapes<'a>,
    pub(crate) shape: &'a Arc<Shape>,
    pub(crate) numbering: &'a Numbering,
    pub(crate) pid: usize,
    pub(crate) location: LocationId,
}

/// Makes one function.
pub(crate) struct Generator<'a, 'f> {
    site: &'a Site<'a>,
    builder: FunctionBuilder<'f>,
    /// The shape of the state that is being made.
    shape: Arc<Shape>,
    /// The process in whose name expressions are evaluated.
    pid: usize,
    proctype: ProctypeId,
    /// The context and the state.
    context: Value,
    state: Value,
    base: Value,
    executed: Value,
    /// The words of the state that is being made.
    words: Vec<Variable>,
    at: Variable,
    list: Variable,
    /// [`MOVED`] and the like.
    status: Variable,
    /// The escape that the last executed edge belongs to, plus one.
    escape: Variable,
    /// Gives the state up.
    defer: Block,
    /// `timeout` is false: a message is being handed over.
    no_timeout: bool,
    size: Size,
}

impl<'a, 'f> Generator<'a, 'f> {
    pub(crate) fn signature(module: &impl Module) -> Signature {
        let pointer = module.target_config().pointer_type();
        let mut signature = module.make_signature();
        signature.params.extend([AbiParam::new(pointer), AbiParam::new(pointer)]);
        signature.returns.push(AbiParam::new(types::I32));
        signature
    }

    /// Fills in a function with the right signature.
    pub(crate) fn generate(
        function: &'f mut Function,
        builder_context: &'f mut FunctionBuilderContext,
        config: TargetFrontendConfig,
        site: &'a Site<'a>,
    ) -> Result<Size> {
        let mut builder = FunctionBuilder::new(function, builder_context);
        let entry = builder.create_block();
        builder.append_block_params_for_function_params(entry);
        builder.switch_to_block(entry);
        let (context, state) = (builder.block_params(entry)[0], builder.block_params(entry)[1]);
        let words = (0..site.shape.words()).map(|_| builder.declare_var(types::I64)).collect();
        let defer = builder.create_block();
        let fixed = MemFlagsData::trusted().with_readonly();
        let base = builder.ins().load(types::I64, fixed, context, offset_of!(Context, words) as i32);
        let executed = builder.ins().load(types::I64, fixed, context, offset_of!(Context, executed) as i32);
        let (at, list) = (builder.declare_var(types::I64), builder.declare_var(types::I64));
        let (status, escape) = (builder.declare_var(types::I32), builder.declare_var(types::I32));
        let proctype = site.shape.processes[site.pid].proctype;
        let mut generator = Generator {
            site,
            shape: site.shape.clone(),
            builder,
            pid: site.pid,
            proctype,
            context,
            state,
            base,
            executed,
            words,
            at,
            list,
            status,
            escape,
            defer,
            no_timeout: false,
            size: Size::default(),
        };
        generator.body()?;
        let size = generator.size;
        generator.builder.seal_all_blocks();
        generator.builder.finalize(config);
        Ok(size)
    }

    fn body(&mut self) -> Result {
        let memory = MemFlagsData::trusted();
        let at = self.builder.ins().load(types::I64, memory, self.context, offset_of!(Context, at) as i32);
        let list = self.builder.ins().load(types::I64, memory, self.context, offset_of!(Context, list) as i32);
        self.builder.def_var(self.at, at);
        self.builder.def_var(self.list, list);
        let zero = self.int(0);
        self.builder.def_var(self.status, zero);
        self.builder.def_var(self.escape, zero);
        let definition = self.definition();
        let end = self.builder.create_block();
        let edges = &definition.location(self.site.location).edges;
        for (index, edge) in edges.iter().enumerate() {
            self.stop_after_escape(&edges[..index], edge, end);
            self.edge(edge)?;
        }
        self.builder.ins().jump(end, &[]);
        self.builder.switch_to_block(end);
        let (at, list) = (self.builder.use_var(self.at), self.builder.use_var(self.list));
        self.builder.ins().store(memory, at, self.context, offset_of!(Context, at) as i32);
        self.builder.ins().store(memory, list, self.context, offset_of!(Context, list) as i32);
        let status = self.builder.use_var(self.status);
        self.builder.ins().return_(&[status]);
        self.builder.switch_to_block(self.defer);
        self.builder.set_cold_block(self.defer);
        let give_up = self.int(DEFER as i32);
        self.builder.ins().return_(&[give_up]);
        Ok(())
    }

    fn definition(&self) -> &'a Proctype {
        self.site.shapes.model().proctype(self.proctype)
    }

    /// Once an edge of an escape was executed, edges that belong elsewhere are not tried.
    fn stop_after_escape(&mut self, before: &[Edge], edge: &Edge, end: Block) {
        if before.iter().all(|earlier| earlier.escape.is_none() || earlier.escape == edge.escape) {
            return;
        }
        let taken = self.builder.use_var(self.escape);
        let own = edge.escape.map_or(0, |group| group as i64 + 1);
        let is_other = self.builder.ins().icmp_imm_s(IntCC::NotEqual, taken, own);
        let is_some = self.builder.ins().icmp_imm_s(IntCC::NotEqual, taken, 0);
        let stop = self.builder.ins().band(is_other, is_some);
        self.branch_away(stop, end);
    }

    fn edge(&mut self, edge: &Edge) -> Result {
        let definition = self.definition();
        let statement = definition.statement(edge.statement);
        let next = self.builder.create_block();
        match &statement.action {
            Action::End if self.pid + 1 < self.shape.processes.len() => {}
            Action::End => {
                self.size.does_something = true;
                self.end_process(edge)?;
            }
            _ if statement.runs => {
                self.size.does_something = true;
                self.take_words();
                self.run_statement(edge, &statement.action)?;
            }
            Action::Send(send) => {
                self.size.does_something = true;
                self.take_words();
                self.send_edge(edge, send, next)?;
            }
            Action::Receive(receive) if self.is_surely_rendezvous(&receive.channel)? && !receive.keep => {}
            Action::DStep(d_step) => {
                self.size.does_something = true;
                self.take_words();
                self.d_step(d_step, next)?;
                self.finish_edge(edge);
            }
            action => {
                self.size.does_something = true;
                self.take_words();
                self.action(action, next)?;
                self.finish_edge(edge);
            }
        }
        self.builder.ins().jump(next, &[]);
        self.builder.switch_to_block(next);
        Ok(())
    }

    /// The words of the state that is expanded become those of the state that is made.
    fn take_words(&mut self) {
        for word in 0..self.words.len() {
            let value = self.parent_word(word);
            self.builder.def_var(self.words[word], value);
        }
    }

    fn parent_word(&mut self, word: usize) -> Value {
        let fixed = MemFlagsData::trusted().with_readonly();
        self.builder.ins().load(types::I64, fixed, self.state, word as i32 * 8)
    }

    /// A statement was executed: its process moves on, and the state is written.
    fn finish_edge(&mut self, edge: &Edge) {
        self.check_choice(edge);
        self.move_on(self.pid, edge);
        self.set_last(self.pid);
        self.mark_executed(self.proctype, edge);
        self.emit(1, edge.atomic.then_some(self.pid));
        self.mark_moved(edge);
    }

    /// A choice in a `D_proctype` is a fault.
    fn check_choice(&mut self, edge: &Edge) {
        if self.definition().deterministic && !self.is_else(edge) {
            let status = self.builder.use_var(self.status);
            let moved = self.builder.ins().band_imm_s(status, i64::from(MOVED));
            self.branch_away(moved, self.defer);
        }
    }

    fn is_else(&self, edge: &Edge) -> bool {
        matches!(self.definition().statement(edge.statement).action, Action::Else)
    }

    fn move_on(&mut self, pid: usize, edge: &Edge) {
        if let Some(target) = edge.target {
            let bits = self.shape.processes[pid].location;
            let value = self.long(u64::from(target.0));
            self.put(bits, value);
        }
    }

    fn set_last(&mut self, pid: usize) {
        if let Some(bits) = self.shape.last {
            let value = self.long(pid as u64);
            self.put(bits, value);
        }
    }

    fn mark_executed(&mut self, proctype: ProctypeId, edge: &Edge) {
        let number = self.site.numbering.of(proctype, edge.statement);
        let one = self.builder.ins().iconst(types::I8, 1);
        self.builder.ins().store(MemFlagsData::trusted(), one, self.executed, number as i32);
    }

    fn mark_moved(&mut self, edge: &Edge) {
        self.add_status(MOVED);
        let escape = self.int(edge.escape.map_or(0, |group| group as i32 + 1));
        self.builder.def_var(self.escape, escape);
    }

    fn add_status(&mut self, flags: u32) {
        let status = self.builder.use_var(self.status);
        let status = self.builder.ins().bor_imm_s(status, i64::from(flags));
        self.builder.def_var(self.status, status);
    }

    /// Writes the words as a successor. `goes_on` is a process inside an atomic sequence.
    fn emit(&mut self, distance: u32, goes_on: Option<usize>) {
        let (words, bytes, key) = (self.shape.words(), self.shape.bytes, self.shape.key);
        let memory = MemFlagsData::trusted();
        let at = self.builder.use_var(self.at);
        let offset = self.builder.ins().ishl_imm_s(at, 3);
        let place = self.builder.ins().iadd(self.base, offset);
        for word in 0..words {
            let value = self.builder.use_var(self.words[word]);
            self.builder.ins().store(memory, value, place, word as i32 * 8);
        }
        let after = self.builder.ins().iadd_imm_s(at, words as i64);
        self.builder.def_var(self.at, after);
        let mut distance = distance;
        if let Some(pid) = goes_on {
            distance |= GOES_ON | (pid as u32) << HOLDER_SHIFT;
            self.add_status(ATOMIC);
        }
        let list = self.builder.use_var(self.list);
        let high = self.long(u64::from(bytes) << 32);
        let first = self.builder.ins().bor(at, high);
        let second = self.long(u64::from(key) | u64::from(distance) << 32);
        self.builder.ins().store(memory, first, list, 0);
        self.builder.ins().store(memory, second, list, 8);
        let list = self.builder.ins().iadd_imm_s(list, 16);
        self.builder.def_var(self.list, list);
        self.size.successors += 1;
        self.size.words = self.size.words.max(words);
    }

    /// A number of 32 bits.
    fn int(&mut self, value: i32) -> Value {
        self.builder.ins().iconst(types::I32, i64::from(value as u32))
    }

    /// A word.
    fn long(&mut self, value: u64) -> Value {
        self.builder.ins().iconst(types::I64, value as i64)
    }

    /// Goes elsewhere if a condition holds, and on here if not.
    fn branch_away(&mut self, condition: Value, elsewhere: Block) {
        let here = self.builder.create_block();
        self.builder.ins().brif(condition, elsewhere, &[], here, &[]);
        self.builder.switch_to_block(here);
    }

    /// Goes elsewhere unless a condition holds.
    fn branch_unless(&mut self, condition: Value, elsewhere: Block) {
        let here = self.builder.create_block();
        self.builder.ins().brif(condition, here, &[], elsewhere, &[]);
        self.builder.switch_to_block(here);
    }

    /// A block that is reached with a value.
    fn merge_block(&mut self, ty: Type) -> (Block, Value) {
        let block = self.builder.create_block();
        let value = self.builder.append_block_param(block, ty);
        (block, value)
    }

    fn jump_with(&mut self, block: Block, value: Value) {
        self.builder.ins().jump(block, &[BlockArg::from(value)]);
    }
}
