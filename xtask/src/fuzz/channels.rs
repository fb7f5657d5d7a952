//! Random sends, receives and polls: messages fit their channel.

use super::features::Feature;
use super::generate::Generator;
use super::program::{Expr, Step, Stmt};
use super::scope::{Body, Mode, Place, Type};

impl Generator {
    /// Any channel in reach.
    pub(crate) fn any_channel(&mut self, body: &Body) -> Option<Place> {
        self.place(body, false, |ty| matches!(ty, Type::Channel(_)))
    }

    /// A global channel of a class: it can be handed to any process. There always
    /// is one, because each class begins with a plain global channel.
    pub(crate) fn lasting_channel(&mut self, body: &Body, class: usize) -> Expr {
        let known = (body.scope.iter().chain(&self.globals))
            .filter(|variable| variable.ty == Type::Channel(class) && variable.is_lasting)
            .filter(|variable| variable.length.is_none())
            .map(|variable| variable.name.clone())
            .collect::<Vec<_>>();
        Expr::name(self.pick(&known).as_str())
    }

    /// A channel of a class for a new process: what it gets outlives it.
    pub(crate) fn channel_argument(&mut self, body: &Body, class: usize) -> Expr {
        match self.place(body, false, |ty| ty == Type::Channel(class)) {
            Some(place) if self.chance(60) => place.expr,
            _ => self.lasting_channel(body, class),
        }
    }

    /// A send statement.
    pub(crate) fn send(&mut self, body: &mut Body) -> Option<Vec<Step>> {
        let channel = self.any_channel(body)?;
        Some(vec![self.send_to(body, channel)?.into()])
    }

    fn send_to(&mut self, body: &Body, channel: Place) -> Option<Stmt> {
        let fields = self.message(channel.ty)?;
        let sorted = self.has(Feature::Sorted) && self.chance(40);
        let args = fields.iter().map(|ty| self.sent(body, *ty)).collect::<Option<Vec<_>>>()?;
        Some(Stmt::Send(channel.expr, if sorted { "!!" } else { "!" }, args))
    }

    fn sent(&mut self, body: &Body, ty: Type) -> Option<Expr> {
        match ty {
            Type::Struct(_) => Some(self.place(body, false, |other| other == ty)?.expr),
            _ => Some(self.stored_value(body, ty)),
        }
    }

    /// A receive statement of any form.
    pub(crate) fn receive(&mut self, body: &mut Body) -> Option<Vec<Step>> {
        let channel = self.any_channel(body)?;
        let random = self.has(Feature::Random) && self.chance(40);
        let copy = self.has(Feature::Copy) && self.can_look_into(&channel) && self.chance(40);
        let form = match (random, copy) {
            (false, false) => ("?", ""),
            (true, false) => ("??", ""),
            (false, true) => ("?<", ">"),
            (true, true) => ("??<", ">"),
        };
        let fields = self.message(channel.ty)?;
        let mut args = Vec::new();
        let alone = fields.len() == 1;
        for ty in fields {
            let arg = self.received(body, ty, alone)?;
            // SPIN takes no variable twice. It undoes a receive with the new values
            // of the variables, so none of them may name the channel or an operand.
            let is_free =
                args.iter().chain([&channel.expr]).all(|other| !interfere(&arg, other)) && !arg.asks_for_length();
            match ty {
                _ if is_free => args.push(arg),
                Type::Struct(_) => return None,
                _ => args.push(Expr::name("_")),
            }
        }
        Some(vec![Stmt::Receive(channel.expr, form, args).into()])
    }

    /// What stands for one field of a receive.
    fn received(&mut self, body: &Body, ty: Type, alone: bool) -> Option<Expr> {
        match ty {
            Type::Struct(_) => Some(self.place(body, true, |other| other == ty)?.expr),
            Type::Channel(_) | Type::Mtype(_) => self.variable_or(body, |other| other == ty, ty),
            _ => self.variable_or(body, |other| other.holds(ty, alone), ty),
        }
    }

    fn variable_or(&mut self, body: &Body, accept: impl Fn(Type) -> bool, ty: Type) -> Option<Expr> {
        if self.chance(60)
            && let Some(place) = self.place(body, true, accept)
        {
            return Some(place.expr);
        }
        Some(self.pattern(body, ty))
    }

    /// Something that is compared, or `_`.
    fn pattern(&mut self, body: &Body, ty: Type) -> Expr {
        if matches!(ty, Type::Channel(_)) || self.chance(25) {
            return Expr::name("_");
        }
        if self.has(Feature::Eval) && self.chance(50) {
            let value = match ty {
                Type::Mtype(_) => self.stored_value(body, ty),
                _ => self.value(body, 1),
            };
            return Expr::Call("eval".to_owned(), vec![value]);
        }
        match ty {
            Type::Mtype(set) => {
                let members = self.mtypes[set].clone();
                Expr::name(self.pick(&members).as_str())
            }
            Type::Bit | Type::Bool => self.number(0, 1),
            _ => self.number(0, 2),
        }
    }

    /// A question whether a message is there. Structures have no pattern.
    pub(crate) fn poll(&mut self, body: &Body) -> Option<Expr> {
        let channel = self.any_channel(body)?;
        let fields = self.message(channel.ty)?;
        if !self.can_look_into(&channel) {
            return None;
        }
        if fields.iter().any(|ty| matches!(ty, Type::Struct(_))) {
            return None;
        }
        let args = fields.iter().map(|ty| self.pattern(body, *ty)).collect();
        let random = self.has(Feature::Random) && self.chance(40);
        Some(Expr::Poll(Box::new(channel.expr), if random { "??" } else { "?" }, args))
    }

    /// A guard and a channel operation after it that cannot block, for `d_step`.
    pub(crate) fn guarded_operation(&mut self, body: &mut Body) -> Option<Vec<Step>> {
        let is_channel = |ty| matches!(ty, Type::Channel(_));
        let channel = self.place(body, false, is_channel)?;
        if body.mode != Mode::DStep || channel.capacity.unwrap_or(0) == 0 {
            return None;
        }
        let fields = self.message(channel.ty)?;
        let is_send = self.chance(60);
        let probe = if is_send { "nfull" } else { "nempty" };
        let guard = Expr::Call(probe.to_owned(), vec![channel.expr.clone()]);
        let operation = if is_send {
            self.send_to(body, channel)?
        } else {
            let alone = fields.len() == 1;
            let args = fields.iter().map(|ty| self.taken(body, *ty, alone)).collect::<Option<Vec<_>>>()?;
            Stmt::Receive(channel.expr, ("?", ""), args)
        };
        Some(vec![Stmt::Guard(guard).into(), operation.into()])
    }

    /// What stands for a field of a receive that takes any message.
    fn taken(&mut self, body: &Body, ty: Type, alone: bool) -> Option<Expr> {
        let accept = |other: Type| if ty.is_number() { other.holds(ty, alone) } else { other == ty };
        match self.place(body, true, accept) {
            Some(place) => Some(place.expr),
            None if matches!(ty, Type::Struct(_)) => None,
            None => Some(Expr::name("_")),
        }
    }

    /// Whether the messages of a channel can be looked at: a rendezvous has none,
    /// and SPIN's verifier makes an error of the attempt.
    fn can_look_into(&self, channel: &Place) -> bool {
        match channel.capacity {
            Some(capacity) => capacity > 0,
            None => !self.has(Feature::Rendezvous),
        }
    }

    fn message(&self, ty: Type) -> Option<Vec<Type>> {
        match ty {
            Type::Channel(class) => Some(self.classes[class].clone()),
            _ => None,
        }
    }
}

/// Whether one of the two changes a variable that the other names.
pub(super) fn interfere(one: &Expr, other: &Expr) -> bool {
    let changes = |changing: &Expr, named: &Expr| base(changing).is_some_and(|name| named.mentions(name));
    changes(one, other) || changes(other, one)
}

/// The variable in which a place lies; nothing for what is only compared.
fn base(value: &Expr) -> Option<&str> {
    match value {
        Expr::Name(name) if name != "_" => Some(name),
        Expr::Index(inner, _) | Expr::Field(inner, _) => base(inner),
        _ => None,
    }
}
