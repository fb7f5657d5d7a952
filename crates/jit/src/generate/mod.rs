//! Code for a shape.
//!
//! A function goes through the processes. For each, it jumps to the code of the location where the
//! process stands, which tries the edges of the location in order. For each edge, the words of the
//! state are taken over, the statement is executed on them, and the result is written to the list of
//! successors. Words are kept in variables, so that Cranelift sees a few loads, shifts and masks, and
//! stores.

mod atomic;
mod channel;
mod d_step;
mod expression;
mod guard;
mod process;
mod rendezvous;
mod statement;
mod variable;

use crate::code::{Numbering, Size};
use crate::context::{ATOMIC, Context, DEFER, DONE_SHIFT, FAR_SHIFT, GOES_ON, HOLDER_SHIFT};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{
    AbiParam, Block, BlockArg, BlockCall, Function, InstBuilder, InstructionData, JumpTable, JumpTableData,
    MemFlagsData, Opcode, Signature, Type, Value, types,
};
use cranelift_codegen::isa::TargetFrontendConfig;
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext, Variable};
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
}

/// Makes the function of a shape.
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
    /// [`ATOMIC`] and the like.
    status: Variable,
    /// How many processes are to be done before the function returns.
    until: Variable,
    /// How many are done after the one whose turn it is.
    done: usize,
    /// Whether the process has moved.
    moved: Variable,
    /// The escape that the last executed edge belongs to, plus one.
    escape: Variable,
    /// Gives the state up.
    defer: Block,
    /// `timeout` is false: a message is being handed over.
    no_timeout: bool,
    /// Where in an atomic sequence the state is that edges are tried in: its words, if it is not the
    /// one that is expanded, and how many moves away it is.
    parent: Option<Vec<Value>>,
    length: u32,
    /// How many edges inside of atomic sequences belong to the code of the location, and how many may.
    inside: usize,
    room: usize,
    /// How much the code of a location can write.
    size: Size,
}

impl<'a, 'f> Generator<'a, 'f> {
    /// The signature of [`crate::context::Function`].
    pub(crate) fn signature(target: TargetFrontendConfig) -> Signature {
        let pointer = AbiParam::new(target.pointer_type());
        let number = AbiParam::new(types::I32);
        let mut signature = Signature::new(target.default_call_conv);
        signature.params.extend([pointer, pointer, number, number]);
        signature.returns.push(AbiParam::new(types::I64));
        signature
    }

    /// Fills in a function with the right signature.
    pub(crate) fn generate(
        function: &'f mut Function,
        builder_context: &'f mut FunctionBuilderContext,
        target: TargetFrontendConfig,
        site: &'a Site<'a>,
    ) -> Size {
        let mut builder = FunctionBuilder::new(function, builder_context);
        let entry = builder.create_block();
        builder.append_block_params_for_function_params(entry);
        builder.switch_to_block(entry);
        builder.seal_block(entry);
        let &[context, state, from, until] = builder.block_params(entry) else { unreachable!("four parameters") };
        let words = (0..site.shape.words()).map(|_| builder.declare_var(types::I64)).collect();
        let defer = builder.create_block();
        let fixed = MemFlagsData::trusted().with_readonly();
        let base = builder.ins().load(types::I64, fixed, context, offset_of!(Context, words) as i32);
        let executed = builder.ins().load(types::I64, fixed, context, offset_of!(Context, executed) as i32);
        let [at, list, status] = [(); 3].map(|()| builder.declare_var(types::I64));
        let [stop, moved, escape] = [(); 3].map(|()| builder.declare_var(types::I32));
        builder.def_var(stop, until);
        let mut generator = Generator {
            site,
            shape: site.shape.clone(),
            builder,
            pid: 0,
            proctype: ProctypeId(0),
            context,
            state,
            base,
            executed,
            words,
            at,
            list,
            status,
            until: stop,
            done: 0,
            moved,
            escape,
            defer,
            no_timeout: false,
            parent: None,
            length: 0,
            inside: 0,
            room: 0,
            size: Size::default(),
        };
        let size = generator.body(from);
        generator.builder.seal_all_blocks();
        generator.builder.finalize(target);
        size
    }

    /// Goes through the processes from the youngest to the oldest, and leaves where it is told.
    fn body(&mut self, from: Value) -> Size {
        let memory = MemFlagsData::trusted();
        let at = self.builder.ins().load(types::I64, memory, self.context, offset_of!(Context, at) as i32);
        let list = self.builder.ins().load(types::I64, memory, self.context, offset_of!(Context, list) as i32);
        self.builder.def_var(self.at, at);
        self.builder.def_var(self.list, list);
        let nothing = self.long(0);
        self.builder.def_var(self.status, nothing);
        let count = self.site.shape.processes.len();
        let entries: Vec<Block> = (0..count).map(|_| self.builder.create_block()).collect();
        let (end, done) = self.merge_block(types::I32);
        self.enter(from, &entries, end);
        let mut size = Size { successors: 0, words: self.site.shape.words() };
        for &entry in &entries {
            self.done += 1;
            let next = self.builder.create_block();
            let here = self.process(count - self.done, entry, next);
            size = Size { successors: size.successors + here.successors, words: size.words.max(here.words) };
            self.continue_in(next);
            let done = self.int(self.done as i32);
            if let Some(&following) = entries.get(self.done) {
                let until = self.builder.use_var(self.until);
                let leave = self.builder.ins().icmp(IntCC::Equal, until, done);
                self.builder.ins().brif(leave, end, &[BlockArg::from(done)], following, &[]);
            } else {
                self.jump_with(end, done);
            }
        }
        self.continue_in(end);
        let (at, list) = (self.builder.use_var(self.at), self.builder.use_var(self.list));
        self.builder.ins().store(memory, at, self.context, offset_of!(Context, at) as i32);
        self.builder.ins().store(memory, list, self.context, offset_of!(Context, list) as i32);
        let status = self.builder.use_var(self.status);
        let done = self.builder.ins().uextend(types::I64, done);
        let done = self.builder.ins().ishl_imm_s(done, i64::from(DONE_SHIFT));
        let status = self.builder.ins().bor(status, done);
        self.builder.ins().return_(&[status]);
        self.continue_in(self.defer);
        self.builder.set_cold_block(self.defer);
        let give_up = self.long(DEFER);
        self.builder.ins().return_(&[give_up]);
        size
    }

    /// Begins with a process; mostly it is the youngest.
    fn enter(&mut self, from: Value, entries: &[Block], end: Block) {
        let Some(&first) = entries.first() else { return self.jump_with(end, from) };
        let other = self.builder.create_block();
        self.builder.ins().brif(from, other, &[], first, &[]);
        self.continue_in(other);
        self.builder.set_cold_block(other);
        _ = self.switch(from, entries);
    }

    /// Goes to the block with a number.
    fn switch(&mut self, number: Value, blocks: &[Block]) -> JumpTable {
        let pool = &mut self.builder.func.dfg.value_lists;
        let calls: Vec<BlockCall> = blocks.iter().map(|&block| BlockCall::new(block, [], pool)).collect();
        let otherwise = BlockCall::new(self.defer, [], pool);
        let table = self.builder.create_jump_table(JumpTableData::new(otherwise, &calls));
        self.builder.ins().br_table(number, table);
        table
    }

    /// Code for a process, wherever it may stand.
    fn process(&mut self, pid: usize, entry: Block, next: Block) -> Size {
        let proctype = self.site.shape.processes[pid].proctype;
        let locations = self.site.shapes.model().proctype(proctype).locations.len();
        let blocks: Vec<Block> = (0..locations).map(|_| self.builder.create_block()).collect();
        self.continue_in(entry);
        let bits = self.site.shape.processes[pid].location;
        let word = self.parent_word(bits.word as usize);
        let stands = self.bits_of(word, bits);
        let stands = self.builder.ins().ireduce(types::I32, stands);
        let table = self.switch(stands, &blocks);
        let mut most = Size::default();
        for (location, &begin) in blocks.iter().enumerate() {
            (self.pid, self.proctype) = (pid, proctype);
            let first = self.builder.func.dfg.num_blocks();
            self.continue_in(begin);
            match self.location(LocationId(location as u16), next) {
                Ok(size) => {
                    let (successors, words) = (most.successors.max(size.successors), most.words.max(size.words));
                    most = Size { successors, words };
                }
                Err(Unsupported) => {
                    self.abandon(first);
                    // What was made of it is never reached.
                    let defer = BlockCall::new(self.defer, [], &mut self.builder.func.dfg.value_lists);
                    self.builder.func.dfg.jump_tables[table].as_mut_slice()[location] = defer;
                }
            }
        }
        most
    }

    /// Closes what was begun of a location that is left to the interpreter, from a block on.
    fn abandon(&mut self, first: usize) {
        self.shape = self.site.shape.clone();
        self.words.truncate(self.shape.words());
        (self.no_timeout, self.parent, self.length) = (false, None, 0);
        // The block that is being filled must be closed before others are.
        let created = (first as u32..self.builder.func.dfg.num_blocks() as u32).map(Block::from_u32);
        for block in self.builder.current_block().into_iter().chain(created) {
            if !self.is_closed(block) {
                if self.builder.current_block() != Some(block) {
                    self.builder.switch_to_block(block);
                }
                self.builder.ins().jump(self.defer, &[]);
            }
        }
    }

    fn is_closed(&self, block: Block) -> bool {
        let (layout, dfg) = (&self.builder.func.layout, &self.builder.func.dfg);
        let last = if layout.is_block_inserted(block) { layout.last_inst(block) } else { None };
        last.is_some_and(|last| dfg.insts[last].opcode().is_terminator())
    }

    /// The edges of a location in their order.
    fn location(&mut self, location: LocationId, next: Block) -> Result<Size> {
        (self.size, self.inside, self.room) = (Size::default(), 0, self.room_behind(location));
        self.edges(&self.definition().location(location).edges, next)?;
        self.builder.ins().jump(next, &[]);
        Ok(self.size)
    }

    /// Tries edges in turn; goes to `end` if an escape ends it early.
    fn edges(&mut self, edges: &[Edge], end: Block) -> Result {
        let zero = self.int(0);
        self.builder.def_var(self.moved, zero);
        self.builder.def_var(self.escape, zero);
        for (index, edge) in edges.iter().enumerate() {
            self.stop_after_escape(&edges[..index], edge, end);
            self.edge(edge)?;
        }
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

    /// Tries an edge.
    fn edge(&mut self, edge: &Edge) -> Result {
        let statement = self.definition().statement(edge.statement);
        if self.is_never_executable(&statement.action)? {
            return Ok(());
        }
        let next = self.builder.create_block();
        self.take_words();
        match &statement.action {
            Action::End => self.end_process(edge)?,
            action if statement.runs => self.run_statement(edge, action)?,
            Action::Send(send) => self.send_edge(edge, send, next)?,
            Action::DStep(d_step) => {
                self.d_step(d_step, next)?;
                self.finish_edge(edge)?;
            }
            Action::Condition(_) | Action::Else | Action::Assign(..) | Action::Receive(_) | Action::Input(_) => {
                self.action(&statement.action, next)?;
                self.finish_edge(edge)?;
            }
            Action::Assert(_) | Action::Print(..) | Action::PrintMtype(..) | Action::SetPriority(..) | Action::Goto => {
                self.action(&statement.action, next)?;
                self.finish_edge(edge)?;
            }
        }
        self.builder.ins().jump(next, &[]);
        self.continue_in(next);
        Ok(())
    }

    /// Whether a process cannot begin with an action in this shape: it ends only as the youngest, and a rendezvous begins
    /// with the sender.
    fn is_never_executable(&mut self, action: &Action) -> Result<bool> {
        if action.is_end() {
            return Ok(self.pid + 1 < self.shape.processes.len());
        }
        let Some(receive) = action.receive() else { return Ok(false) };
        Ok(!receive.keep && self.is_surely_rendezvous(&receive.channel)?)
    }

    /// The words of the state that edges are tried in become those of the state that is made.
    fn take_words(&mut self) {
        for word in 0..self.words.len() {
            let value = match &self.parent {
                Some(words) => words[word],
                None => self.parent_word(word),
            };
            self.builder.def_var(self.words[word], value);
        }
    }

    fn parent_word(&mut self, word: usize) -> Value {
        let fixed = MemFlagsData::trusted().with_readonly();
        self.builder.ins().load(types::I64, fixed, self.state, word as i32 * 8)
    }

    /// A statement was executed: its process moves on, and the state is written.
    fn finish_edge(&mut self, edge: &Edge) -> Result {
        self.check_choice(edge);
        self.move_on(self.pid, edge);
        self.set_last(self.pid);
        self.mark_executed(self.proctype, edge);
        self.arrive(edge, 1)?;
        self.mark_moved(edge);
        Ok(())
    }

    /// A choice in a `D_proctype` is a fault.
    fn check_choice(&mut self, edge: &Edge) {
        if self.definition().deterministic && !self.is_else(edge) {
            let moved = self.builder.use_var(self.moved);
            self.branch_away(moved, self.defer);
        }
    }

    fn is_else(&self, edge: &Edge) -> bool {
        self.definition().statement(edge.statement).action.is_else()
    }

    fn move_on(&mut self, pid: usize, edge: &Edge) {
        if let Some(target) = edge.target {
            let bits = self.shape.processes[pid].location;
            let value = self.long(u64::from(target.0));
            self.put(bits, value);
            self.clear_dead(pid, target);
        }
    }

    /// Whether a process goes on after an edge: inside an atomic sequence, or because the location that
    /// it comes to is passed.
    fn goes_on(&self, edge: &Edge) -> bool {
        let passes = |target: LocationId| self.site.shapes.merge().is_some_and(|it| it.passes(self.proctype, target));
        edge.atomic || edge.target.is_some_and(passes)
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
        let moved = self.int(1);
        self.builder.def_var(self.moved, moved);
        let escape = self.int(edge.escape.map_or(0, |group| group as i32 + 1));
        self.builder.def_var(self.escape, escape);
    }

    fn add_status(&mut self, flags: u64) {
        let status = self.builder.use_var(self.status);
        let flags = self.long(flags);
        let status = self.builder.ins().bor(status, flags);
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
        if distance > 1 {
            self.add_status(1 << (FAR_SHIFT + distance));
        }
        let mut distance = distance;
        if let Some(pid) = goes_on {
            distance |= GOES_ON | (pid as u32) << HOLDER_SHIFT;
            self.add_status(ATOMIC);
            self.leave();
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

    /// The engine must see what the process did before the next one is tried.
    fn leave(&mut self) {
        let until = self.int(self.done as i32);
        self.builder.def_var(self.until, until);
    }

    /// A number of 32 bits.
    fn int(&mut self, value: i32) -> Value {
        self.builder.ins().iconst(types::I32, i64::from(value as u32))
    }

    /// A word.
    fn long(&mut self, value: u64) -> Value {
        self.builder.ins().iconst(types::I64, value as i64)
    }

    /// What a value is, if it is a constant.
    fn constant(&self, value: Value) -> Option<i64> {
        let dfg = &self.builder.func.dfg;
        let inst = dfg.value_def(value).inst()?;
        match dfg.insts[inst] {
            InstructionData::UnaryImm { opcode: Opcode::Iconst, imm } => Some(imm.bits()),
            _ => None,
        }
    }

    /// Goes on in a block that nothing will jump to that does not by now. So what a variable is there is known at
    /// once; otherwise each use in it would be a parameter at first, to be got rid of again.
    fn continue_in(&mut self, block: Block) {
        self.builder.switch_to_block(block);
        self.builder.seal_block(block);
    }

    /// Goes elsewhere if a condition holds, and on here if not.
    fn branch_away(&mut self, condition: Value, elsewhere: Block) {
        let here = self.builder.create_block();
        self.builder.ins().brif(condition, elsewhere, &[], here, &[]);
        self.continue_in(here);
    }

    /// Goes elsewhere unless a condition holds.
    fn branch_unless(&mut self, condition: Value, elsewhere: Block) {
        let here = self.builder.create_block();
        self.builder.ins().brif(condition, here, &[], elsewhere, &[]);
        self.continue_in(here);
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
