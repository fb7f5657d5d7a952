//! Random declarations: types, messages, variables, channels, heads of processes.

use super::features::Feature;
use super::generate::Generator;
use super::program::{Declaration, Expr, Initial, Mtype, Sequence, Start, Stmt, Typedef};
use super::scope::{Body, Head, Type, Variable};

impl Generator {
    /// Declares everything outside the bodies.
    pub(crate) fn declare_all(&mut self) {
        self.declare_macros();
        self.declare_mtypes();
        self.declare_structs();
        self.choose_messages();
        self.declare_globals();
        self.choose_heads();
    }

    fn declare_macros(&mut self) {
        if self.has(Feature::Macros) {
            let constant = self.number(1, 3);
            self.program.macros.push(("K0".to_owned(), constant));
            let (x, k) = (Expr::Paren(Box::new(Expr::name("x"))), Expr::name("K0"));
            let sum = Expr::binary(x.clone(), "+", k);
            self.program.macros.push(("M1(x)".to_owned(), sum.paren()));
            // Without parentheses: a macro is text.
            let bare = Expr::binary(x, "-", Expr::Number(1));
            self.program.macros.push(("M2(x)".to_owned(), bare));
        }
    }

    fn declare_mtypes(&mut self) {
        let named = self.has(Feature::NamedMtype);
        let count = usize::from(self.has(Feature::Mtype) || named) + usize::from(named);
        for set in 0..count {
            let members: Vec<String> = (0..3).map(|member| format!("m{set}{member}")).collect();
            let name = (set > 0).then(|| format!("kind{set}"));
            self.program.mtypes.push(Mtype { name, members: members.clone() });
            self.mtypes.push(members);
        }
    }

    fn declare_structs(&mut self) {
        if !self.has(Feature::Structs) && !self.has(Feature::StructMessages) {
            return;
        }
        for number in 0..1 + self.below(2) {
            // The first structure has scalars only, so that it fits into messages.
            let count = if number == 0 { 2 } else { 1 + self.below(3) };
            let fields: Vec<Variable> = (0..count)
                .map(|field| {
                    let mut variable = self.variable(&format!("f{field}"), number > 0);
                    if number > 0 && self.chance(30) {
                        variable.ty = Type::Struct(0);
                    } else if number == 0 {
                        variable.ty = narrowed(variable.ty);
                    }
                    variable
                })
                .collect();
            let declarations = fields.iter().map(|field| self.plain_declaration(field)).collect();
            let name = format!("T{number}");
            self.program.typedefs.push(Typedef { name, fields: declarations });
            self.structs.push(fields);
        }
    }

    /// Chooses the classes of messages, before anything refers to them.
    fn choose_messages(&mut self) {
        if !self.features.has_channels() {
            return;
        }
        let classes = 1 + self.below(2);
        for _ in 0..classes {
            let mut fields: Vec<Type> = (0..1 + self.below(2)).map(|_| narrowed(self.scalar_type())).collect();
            if self.has(Feature::ChannelMessages) && self.chance(60) {
                fields.push(Type::Channel(self.below(classes)));
            } else if self.has(Feature::StructMessages) && self.chance(60) {
                fields.push(Type::Struct(0));
            }
            self.classes.push(fields);
        }
    }

    fn declare_globals(&mut self) {
        for class in 0..self.classes.len() {
            self.declare_channels(class);
        }
        for number in 0..2 + self.below(2) {
            let variable = self.variable(&format!("v{number}"), true);
            self.declare_global(variable);
        }
        if self.has(Feature::Structs) || self.has(Feature::StructMessages) {
            for number in 0..self.structs.len() {
                let length = self.array_length(30);
                let mut variable = Variable::scalar(format!("s{number}"), Type::Struct(number));
                variable.length = length;
                self.declare_global(variable);
            }
        }
    }

    fn declare_global(&mut self, variable: Variable) {
        let empty = Body::new(Vec::new(), 0);
        let mut declaration = self.declaration(&empty, &variable);
        if self.has(Feature::Hidden) && self.chance(25) {
            declaration.ty = format!("hidden {}", declaration.ty);
        }
        self.program.globals.push(declaration);
        self.globals.push(variable);
    }

    /// The channels of a class: a plain one, and perhaps more.
    fn declare_channels(&mut self, class: usize) {
        let has_array = self.has(Feature::ChannelArrays);
        let count = 1 + usize::from(has_array || self.chance(40));
        for number in 0..count {
            let length = if has_array && number > 0 { Some(2) } else { None };
            let channel = self.channel(&format!("q{class}{number}"), class, length);
            self.program.globals.push(self.channel_declaration(&channel));
            self.globals.push(channel);
        }
        if self.has(Feature::ChannelFields) && class == 0 {
            self.declare_channel_struct(class);
        }
    }

    /// A structure with a channel in it.
    fn declare_channel_struct(&mut self, class: usize) {
        let number = self.structs.len();
        let channel = self.channel("fq", class, None);
        let fields = vec![channel, Variable::scalar("fb", Type::Byte)];
        let declarations = vec![self.channel_declaration(&fields[0]), self.plain_declaration(&fields[1])];
        let name = format!("T{number}");
        self.program.typedefs.push(Typedef { name, fields: declarations });
        self.structs.push(fields);
        let mut variable = Variable::scalar(format!("r{number}"), Type::Struct(number));
        variable.length = self.array_length(40);
        self.declare_global(variable);
    }

    fn channel(&mut self, name: &str, class: usize, length: Option<u8>) -> Variable {
        let buffered = self.has(Feature::Buffered);
        let rendezvous = self.has(Feature::Rendezvous);
        let is_rendezvous = rendezvous && (!buffered || self.chance(50));
        let capacity = if is_rendezvous { 0 } else { 1 + self.below(2) as u8 };
        let mut channel = Variable::scalar(name, Type::Channel(class)).fixed();
        channel.length = length;
        channel.capacity = Some(capacity);
        channel
    }

    fn channel_declaration(&self, channel: &Variable) -> Declaration {
        let Type::Channel(class) = channel.ty else { unreachable!("only channels come here") };
        let types = self.classes[class].iter().map(|ty| ty.text().0).collect();
        Declaration {
            initial: Some(Initial::Channel(channel.capacity.unwrap_or(1), types)),
            ..self.plain_declaration(channel)
        }
    }

    /// A declaration without an initial value.
    pub(crate) fn plain_declaration(&self, variable: &Variable) -> Declaration {
        let (ty, mut suffix) = variable.ty.text();
        if let Some(length) = variable.length {
            suffix = format!("[{length}]");
        }
        Declaration { ty, name: variable.name.clone(), suffix, initial: None }
    }

    fn declaration(&mut self, body: &Body, variable: &Variable) -> Declaration {
        let mut declaration = self.plain_declaration(variable);
        let is_struct = matches!(variable.ty, Type::Struct(_));
        if !is_struct && self.has(Feature::Initials) && self.chance(60) {
            declaration.initial = Some(self.initial(body, variable));
        }
        declaration
    }

    fn initial(&mut self, body: &Body, variable: &Variable) -> Initial {
        let constant = |this: &mut Self| match variable.ty {
            Type::Mtype(set) => Expr::name(this.mtypes[set][0].as_str()),
            Type::Bit | Type::Bool => this.number(0, 1),
            _ => this.number(0, 3),
        };
        match variable.length {
            Some(length) if self.has(Feature::ArrayLists) => {
                Initial::List((0..length).map(|_| constant(self)).collect())
            }
            // A local variable may begin with the value of another one.
            None if !body.scope.is_empty() && self.chance(30) => {
                match self.place(body, false, |ty| ty == variable.ty) {
                    Some(place) => Initial::Value(place.expr),
                    None => Initial::Value(constant(self)),
                }
            }
            _ => Initial::Value(constant(self)),
        }
    }

    /// A variable of a random type, perhaps an array.
    fn variable(&mut self, name: &str, may_be_array: bool) -> Variable {
        let mut variable = Variable::scalar(name, self.scalar_type());
        if may_be_array && !matches!(variable.ty, Type::Unsigned(_)) {
            variable.length = self.array_length(30);
        }
        variable
    }

    fn array_length(&mut self, percent: u32) -> Option<u8> {
        let is_array = self.has(Feature::Arrays) && self.chance(percent);
        is_array.then(|| 2 + self.below(2) as u8)
    }

    /// Any scalar type except channels.
    fn scalar_type(&mut self) -> Type {
        if !self.mtypes.is_empty() && self.chance(25) {
            return Type::Mtype(self.below(self.mtypes.len()));
        }
        self.number_type()
    }

    /// The type of a number.
    pub(crate) fn number_type(&mut self) -> Type {
        // With priorities SPIN leaves the bits of a process out of its states.
        if self.has(Feature::Priority) {
            return if self.has(Feature::Wide) && self.chance(20) { Type::Short } else { Type::Byte };
        }
        match self.below(10) {
            0 | 1 => Type::Bit,
            2 => Type::Bool,
            3 if self.has(Feature::Wide) => Type::Short,
            4 if self.has(Feature::Wide) => Type::Int,
            5 if self.has(Feature::Unsigned) => Type::Unsigned(1 + self.below(3) as u8),
            6 if self.has(Feature::Pid) => Type::Pid,
            _ => Type::Byte,
        }
    }

    /// The declarations at the beginning of a body.
    pub(crate) fn local_declarations(&mut self, body: &mut Body) -> Sequence {
        let mut steps = Sequence::new();
        // With priorities SPIN leaves part of a process out of its states if that has no
        // variable of at least a byte.
        let least = usize::from(self.has(Feature::Priority));
        for _ in 0..self.below(3).max(least) {
            let name = self.fresh("w");
            let variable = self.variable(&name, true);
            let declaration = self.declaration(body, &variable);
            steps.push(Stmt::Declare(declaration).into());
            body.scope.push(variable);
        }
        if self.has(Feature::Structs) && self.chance(30) {
            let name = self.fresh("w");
            let variable = Variable::scalar(name, Type::Struct(0));
            steps.push(Stmt::Declare(self.plain_declaration(&variable)).into());
            body.scope.push(variable);
        }
        if !self.classes.is_empty() {
            self.declare_local_channels(body, &mut steps);
        }
        steps
    }

    fn declare_local_channels(&mut self, body: &mut Body, steps: &mut Sequence) {
        let class = self.below(self.classes.len());
        if self.has(Feature::LocalChannels) && self.chance(50) {
            let name = self.fresh("k");
            let length = self.array_length(20);
            let mut channel = self.channel(&name, class, length);
            channel.is_lasting = false;
            steps.push(Stmt::Declare(self.channel_declaration(&channel)).into());
            body.scope.push(channel);
        }
        if self.has(Feature::ChannelMessages) && self.chance(60) {
            let name = self.fresh("c");
            let variable = Variable::scalar(name.as_str(), Type::Channel(class));
            let mut declaration = self.plain_declaration(&variable);
            let channel = self.lasting_channel(body, class);
            if self.chance(50) {
                declaration.initial = Some(Initial::Value(channel));
                steps.push(Stmt::Declare(declaration).into());
            } else {
                steps.push(Stmt::Declare(declaration).into());
                steps.push(Stmt::Assign(Expr::Name(name), channel).into());
            }
            body.scope.push(variable);
        }
    }

    fn choose_heads(&mut self) {
        let count = 2 + self.below(3).min(1) + self.below(2);
        let has_init = self.has(Feature::Init) || self.has(Feature::Run);
        let mut living = 0;
        for number in 0..count {
            let is_run = has_init && (number == 0 || self.chance(50));
            let copies = 1 + usize::from(self.has(Feature::Several) && living < 2 && self.chance(50));
            living += if is_run { 1 } else { copies };
            let start = if is_run { Start::Run } else { Start::Active(copies as u8) };
            let name = ["Pa", "Pb", "Pc", "Pd"][number].to_owned();
            let parameters = self.parameters(number, is_run);
            self.heads.push(Head { name, start, parameters });
            if living >= 3 {
                break;
            }
        }
        if has_init {
            let at = self.below(self.heads.len() + 1);
            let init = Head { name: "init".to_owned(), start: Start::Init, parameters: vec![] };
            self.heads.insert(at, init);
        }
    }

    fn parameters(&mut self, number: usize, is_run: bool) -> Vec<Variable> {
        let mut parameters = Vec::new();
        // A process that is active from the beginning gets zeros.
        if self.has(Feature::Parameters) && self.chance(if is_run { 80 } else { 15 }) {
            for index in 0..1 + self.below(2) {
                let ty = narrowed(self.scalar_type());
                parameters.push(Variable::scalar(format!("p{number}{index}"), ty));
            }
        }
        if is_run && self.has(Feature::ChannelParameters) && !self.classes.is_empty() {
            let class = self.below(self.classes.len());
            let mut channel = Variable::scalar(format!("p{number}q"), Type::Channel(class)).fixed();
            channel.is_lasting = false;
            parameters.push(channel);
        }
        parameters
    }
}

/// The type for a field of a message or a parameter, which has no width.
fn narrowed(ty: Type) -> Type {
    match ty {
        Type::Unsigned(_) => Type::Byte,
        ty => ty,
    }
}
