//! Random expressions: well typed, in range, with few values.

use super::features::Feature;
use super::generate::Generator;
use super::program::Expr;
use super::scope::{Body, Mode, Place, Type, Variable};

const ARITHMETIC: &[&str] = &["+", "-", "*", "&", "|", "^", "+", "-"];
const BY_CONSTANT: &[&str] = &["/", "%", "<<", ">>"];
const COMPARISONS: &[&str] = &["==", "!=", "<", "<=", ">", ">=", "==", "=="];
const PROBES: &[&str] = &["empty", "nempty", "full", "nfull"];
/// Features that give a value of their own.
const SPECIALS: &[Feature] = &[
    Feature::Pid,
    Feature::NrPr,
    Feature::Last,
    Feature::Macros,
    Feature::Lengths,
    Feature::Enabled,
    Feature::Priority,
    Feature::RemoteVariables,
    Feature::RemoteLabels,
];

impl Generator {
    /// Any number: not bounded, so never to be stored as it is.
    pub(crate) fn value(&mut self, body: &Body, depth: usize) -> Expr {
        if depth == 0 || self.chance(40) {
            return self.leaf(body);
        }
        match self.below(10) {
            0..=4 => {
                let operator = *self.pick(ARITHMETIC);
                let left = self.operand(body, depth);
                let right = self.operand(body, depth);
                Expr::binary(left, operator, right)
            }
            5 | 6 => {
                let operator = *self.pick(BY_CONSTANT);
                let left = self.value(body, depth - 1).paren();
                let right = self.number(1, 3);
                Expr::binary(left, operator, right)
            }
            7 => {
                let operator = *self.pick(&["-", "~", "!"]);
                let inner = Expr::Paren(Box::new(self.value(body, depth - 1)));
                Expr::Unary(operator, Box::new(inner))
            }
            8 if self.has(Feature::Conditional) => self.conditional(body, depth),
            _ => Expr::Paren(Box::new(self.condition(body, depth - 1))),
        }
    }

    fn operand(&mut self, body: &Body, depth: usize) -> Expr {
        let value = self.value(body, depth - 1);
        if self.chance(75) { value.paren() } else { value }
    }

    fn conditional(&mut self, body: &Body, depth: usize) -> Expr {
        Expr::Conditional(Box::new([
            self.condition(body, depth - 1),
            self.value(body, depth - 1),
            self.value(body, depth - 1),
        ]))
    }

    fn leaf(&mut self, body: &Body) -> Expr {
        if self.chance(25) {
            return self.number(0, 3);
        }
        if self.chance(25)
            && let Some(special) = self.special(body)
        {
            return special;
        }
        match self.place(body, false, Type::is_number) {
            Some(place) => place.expr,
            None => self.number(0, 3),
        }
    }

    /// A value without conditions inside, fit for the argument of an inline.
    pub(crate) fn plain_value(&mut self, body: &Body) -> Expr {
        let left = self.leaf(body);
        if self.chance(60) {
            return left;
        }
        let operator = *self.pick(ARITHMETIC);
        Expr::binary(left, operator, self.leaf(body))
    }

    /// A value that is neither a number nor a variable.
    fn special(&mut self, body: &Body) -> Option<Expr> {
        let mut wanted = SPECIALS.to_vec();
        wanted.retain(|feature| self.has(*feature));
        if wanted.is_empty() {
            return None;
        }
        let feature = *self.pick(&wanted);
        match feature {
            Feature::Pid => Some(Expr::name("_pid")),
            Feature::NrPr => Some(Expr::name("_nr_pr")),
            Feature::Last => Some(Expr::name("_last")),
            Feature::Macros => self.macro_use(body),
            Feature::Lengths => {
                let channel = self.any_channel(body)?.expr;
                Some(Expr::Call("len".to_owned(), vec![channel]))
            }
            Feature::Enabled => {
                let pid = self.pick_elder(body)?.pid;
                Some(Expr::Call("enabled".to_owned(), vec![Expr::Number(pid.into())]))
            }
            Feature::Priority => {
                let pid = self.some_pid(body);
                Some(Expr::Call("get_priority".to_owned(), vec![pid]))
            }
            _ => self.remote(body, feature == Feature::RemoteLabels),
        }
    }

    fn pick_elder<'a>(&mut self, body: &'a Body) -> Option<&'a super::scope::Elder> {
        if body.elders.is_empty() { None } else { Some(self.pick(&body.elders)) }
    }

    /// The number of this process or of one that is alive.
    pub(crate) fn some_pid(&mut self, body: &Body) -> Expr {
        let elder = self.pick_elder(body).map(|elder| elder.pid);
        match elder {
            Some(pid) if self.chance(40) => Expr::Number(pid.into()),
            _ => Expr::name("_pid"),
        }
    }

    fn remote(&mut self, body: &Body, is_label: bool) -> Option<Expr> {
        if body.mode == Mode::DStep {
            return None;
        }
        let elder = self.pick_elder(body)?;
        let (names, mark) = if is_label { (&elder.labels, '@') } else { (&elder.variables, ':') };
        if names.is_empty() {
            return None;
        }
        let name = self.pick(names);
        if elder.is_only && self.chance(30) {
            return Some(Expr::Name(format!("{}{mark}{name}", elder.name)));
        }
        Some(Expr::Name(format!("{}[{}]{mark}{name}", elder.name, elder.pid)))
    }

    fn macro_use(&mut self, body: &Body) -> Option<Expr> {
        let count = self.program.macros.len();
        if count == 0 {
            return None;
        }
        let number = self.below(count);
        if number == 0 {
            return Some(Expr::name("K0"));
        }
        let argument = self.value(body, 0);
        Some(Expr::Call(format!("M{number}"), vec![argument]))
    }

    /// A condition without `empty` and its like: fit for any place.
    pub(crate) fn condition(&mut self, body: &Body, depth: usize) -> Expr {
        if depth > 0 && self.chance(35) {
            let operator = *self.pick(&["&&", "||"]);
            let left = self.condition(body, depth - 1);
            let right = self.condition(body, depth - 1);
            let joined = Expr::binary(self.maybe_paren(left), operator, self.maybe_paren(right));
            return if self.chance(15) { Expr::Unary("!", Box::new(joined.paren())) } else { joined };
        }
        self.comparison(body)
    }

    fn maybe_paren(&mut self, value: Expr) -> Expr {
        if self.chance(60) { value.paren() } else { value }
    }

    fn comparison(&mut self, body: &Body) -> Expr {
        if self.has(Feature::Poll)
            && self.chance(20)
            && let Some(poll) = self.poll(body)
        {
            return poll;
        }
        if self.has(Feature::RemoteLabels)
            && self.chance(30)
            && let Some(remote) = self.remote(body, true)
        {
            return remote;
        }
        if self.has(Feature::Mtype)
            && self.chance(25)
            && let Some(place) = self.place(body, false, |ty| matches!(ty, Type::Mtype(_)))
        {
            let other = self.stored_value(body, place.ty);
            let operator = *self.pick(&["==", "!="]);
            return Expr::binary(place.expr, operator, other);
        }
        let left = self.value(body, 1).paren();
        if self.chance(10) {
            return left;
        }
        let right = if self.chance(60) { self.number(0, 2) } else { self.value(body, 1).paren() };
        let operator = *self.pick(COMPARISONS);
        Expr::binary(left, operator, right)
    }

    /// A condition for a guard, which may also ask whether a channel is full.
    pub(crate) fn guard(&mut self, body: &Body) -> Expr {
        if self.has(Feature::Lengths)
            && self.chance(25)
            && let Some(channel) = self.any_channel(body)
        {
            let name = (*self.pick(PROBES)).to_owned();
            let probe = Expr::Call(name, vec![channel.expr]);
            if self.chance(60) {
                return probe;
            }
            let other = self.condition(body, 0);
            let operator = *self.pick(&["&&", "||"]);
            return Expr::binary(probe, operator, other.paren());
        }
        self.condition(body, 1)
    }

    /// A value that a variable of this type may hold: one of few.
    pub(crate) fn stored_value(&mut self, body: &Body, ty: Type) -> Expr {
        match ty {
            Type::Mtype(set) => {
                let members = self.mtypes[set].clone();
                match self.place(body, false, |other| other == ty) {
                    Some(place) if self.chance(25) => place.expr,
                    _ => Expr::name(self.pick(&members).as_str()),
                }
            }
            Type::Channel(class) => self.lasting_channel(body, class),
            Type::Bit | Type::Bool => match self.below(4) {
                0 | 1 => self.number(0, 1),
                2 => Expr::Paren(Box::new(self.condition(body, 0))),
                _ => Expr::binary(Expr::Number(1), "-", self.leaf(body).paren()),
            },
            _ => self.stored_number(body),
        }
    }

    fn stored_number(&mut self, body: &Body) -> Expr {
        if self.has(Feature::Overflow) && self.chance(12) {
            return Expr::Number(*self.pick(&[-1, 255, 256, 257, 300, -300, 40_000, 70_000]));
        }
        match self.below(10) {
            0..=2 => self.number(0, 3),
            3 => self.place(body, false, Type::is_number).map_or(Expr::Number(1), |p| p.expr),
            _ => {
                let value = self.value(body, 2);
                let modulus = self.number(2, 3);
                Expr::binary(Expr::Paren(Box::new(value)), "%", modulus)
            }
        }
    }

    /// A place in reach whose type is accepted.
    pub(crate) fn place(&mut self, body: &Body, writable: bool, accept: impl Fn(Type) -> bool) -> Option<Place> {
        let locals = body.scope.iter().filter(|local| !body.frozen.contains(&local.name));
        let visible: Vec<Variable> = if writable {
            locals.chain(&self.globals).filter(|variable| variable.writable).cloned().collect()
        } else {
            body.scope.iter().chain(&self.globals).cloned().collect()
        };
        for _ in 0..8 {
            if visible.is_empty() {
                break;
            }
            let variable = self.pick(&visible).clone();
            let base = Expr::name(variable.name.as_str());
            let place = self.descend(body, base, &variable, &accept);
            if let Some(place) = place
                && accept(place.ty)
                && !(writable && place.capacity.is_some())
            {
                return Some(place);
            }
        }
        None
    }

    /// Follows indices and fields down to an accepted type.
    fn descend(
        &mut self,
        body: &Body,
        base: Expr,
        variable: &Variable,
        accept: &impl Fn(Type) -> bool,
    ) -> Option<Place> {
        let expr = match variable.length {
            None => base,
            Some(length) => {
                let index = self.index(body, length);
                Expr::Index(Box::new(base), Box::new(index))
            }
        };
        match variable.ty {
            Type::Struct(number) if !accept(variable.ty) => {
                let fields = self.structs[number].clone();
                let field = self.pick(&fields).clone();
                let inner = Expr::Field(Box::new(expr), field.name.clone());
                self.descend(body, inner, &field, accept)
            }
            ty => Some(Place { expr, ty, capacity: variable.capacity }),
        }
    }

    /// An index below `length`.
    fn index(&mut self, body: &Body, length: u8) -> Expr {
        let natural = |variable: &&Variable| variable.ty.is_natural() && variable.length.is_none();
        let names: Vec<String> =
            (body.scope.iter().chain(&self.globals)).filter(natural).map(|variable| variable.name.clone()).collect();
        if names.is_empty() || self.chance(50) {
            return self.number(0, i64::from(length) - 1);
        }
        let name = Expr::name(self.pick(&names).as_str());
        Expr::binary(name, "%", Expr::Number(length.into()))
    }
}
