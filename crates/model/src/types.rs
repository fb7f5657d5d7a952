//! Types and how they lie in the state vector.

use std::sync::Arc;

/// A type that holds one number.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Scalar {
    /// `bit`, `bool`: one bit.
    Bit,
    /// A `bit` that SPIN's verifier keeps in a byte: the element of an array, or the only field of
    /// a message. It holds 0 to 255 there, and so it does here.
    WideBit,
    /// `byte`.
    Byte,
    /// `pid`.
    Pid,
    /// `short`.
    Short,
    /// `int`.
    Int,
    /// `unsigned x : n`.
    Unsigned(u8),
    /// `mtype`, with the name of its set.
    Mtype(Option<Arc<str>>),
    /// `chan`.
    Chan,
    /// `value n` and `subrange`: a value outside is a fault of the model.
    Range {
        /// The smallest value.
        low: i32,
        /// The greatest value.
        high: i32,
    },
}

/// A value outside of a declared range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutOfRange;

impl Scalar {
    /// How many bytes it takes in the state vector.
    #[must_use]
    pub fn size(&self) -> u32 {
        match self {
            Scalar::Bit | Scalar::WideBit | Scalar::Byte | Scalar::Pid | Scalar::Mtype(_) | Scalar::Chan => 1,
            Scalar::Short => 2,
            Scalar::Int => 4,
            Scalar::Unsigned(width) => u32::from(width.div_ceil(8).next_power_of_two()),
            &Scalar::Range { low, high } => match i64::from(high) - i64::from(low) {
                ..=0xff => 1,
                0x100..=0xffff => 2,
                _ => 4,
            },
        }
    }

    /// The value that an assignment of `value` leaves behind, as C converts it.
    ///
    /// # Errors
    /// If the type has a declared range and `value` is not in it.
    pub fn convert(&self, value: i32) -> Result<i32, OutOfRange> {
        Ok(match *self {
            Scalar::Bit => value & 1,
            Scalar::WideBit | Scalar::Byte | Scalar::Pid | Scalar::Mtype(_) | Scalar::Chan => value & 0xff,
            Scalar::Short => i32::from(value as i16),
            Scalar::Int => value,
            Scalar::Unsigned(width) => value & (((1_i64 << width) - 1) as i32),
            Scalar::Range { low, high } if value < low || value > high => return Err(OutOfRange),
            Scalar::Range { .. } => value,
        })
    }

    /// What a vector of zeros means.
    #[must_use]
    pub fn zero(&self) -> i32 {
        match *self {
            Scalar::Range { low, .. } => low,
            Scalar::Bit | Scalar::WideBit | Scalar::Byte | Scalar::Pid | Scalar::Short | Scalar::Int => 0,
            Scalar::Unsigned(_) | Scalar::Mtype(_) | Scalar::Chan => 0,
        }
    }

    /// What a variable holds before anything is assigned: 0, or the value of the range nearest to it.
    #[must_use]
    pub fn default_value(&self) -> i32 {
        match *self {
            Scalar::Range { low, high } => 0.clamp(low, high),
            Scalar::Bit | Scalar::WideBit | Scalar::Byte | Scalar::Pid | Scalar::Short | Scalar::Int => 0,
            Scalar::Unsigned(_) | Scalar::Mtype(_) | Scalar::Chan => 0,
        }
    }

    /// Smallest and greatest value.
    #[must_use]
    pub fn bounds(&self) -> (i32, i32) {
        match *self {
            Scalar::Bit => (0, 1),
            Scalar::WideBit | Scalar::Byte | Scalar::Pid | Scalar::Mtype(_) | Scalar::Chan => (0, 255),
            Scalar::Short => (i32::from(i16::MIN), i32::from(i16::MAX)),
            Scalar::Int => (i32::MIN, i32::MAX),
            Scalar::Unsigned(width) => (0, ((1_i64 << width) - 1) as i32),
            Scalar::Range { low, high } => (low, high),
        }
    }

    /// The type inside an array, or as the only field of a message.
    #[must_use]
    pub fn widened(&self) -> Scalar {
        match self {
            Scalar::Bit => Scalar::WideBit,
            Scalar::WideBit | Scalar::Byte | Scalar::Pid | Scalar::Short | Scalar::Int => self.clone(),
            Scalar::Unsigned(_) | Scalar::Mtype(_) | Scalar::Chan | Scalar::Range { .. } => self.clone(),
        }
    }

    /// The type as one of several fields of a message: there a bit is a bit, also if it comes from an array.
    #[must_use]
    pub fn in_message(&self) -> Scalar {
        match self {
            Scalar::WideBit => Scalar::Bit,
            Scalar::Bit | Scalar::Byte | Scalar::Pid | Scalar::Short | Scalar::Int => self.clone(),
            Scalar::Unsigned(_) | Scalar::Mtype(_) | Scalar::Chan | Scalar::Range { .. } => self.clone(),
        }
    }

    /// How the type is written.
    #[must_use]
    pub fn name(&self) -> String {
        match self {
            Scalar::Bit | Scalar::WideBit => "bit".into(),
            Scalar::Byte => "byte".into(),
            Scalar::Pid => "pid".into(),
            Scalar::Short => "short".into(),
            Scalar::Int => "int".into(),
            Scalar::Unsigned(width) => format!("unsigned : {width}"),
            Scalar::Mtype(None) => "mtype".into(),
            Scalar::Mtype(Some(set)) => format!("mtype : {set}"),
            Scalar::Chan => "chan".into(),
            Scalar::Range { low, high } => format!("{low} .. {high}"),
        }
    }
}

/// The type of a variable or field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Type {
    /// One number.
    Scalar(Scalar),
    /// A structure.
    Struct(Arc<Struct>),
}

impl Type {
    /// How many bytes it takes in the state vector.
    #[must_use]
    pub fn size(&self) -> u32 {
        match self {
            Type::Scalar(scalar) => scalar.size(),
            Type::Struct(fields) => fields.size,
        }
    }
}

/// A `typedef`.
#[derive(Debug, PartialEq, Eq)]
pub struct Struct {
    /// Its name.
    pub name: Arc<str>,
    /// Its fields in the order of the text.
    pub fields: Vec<Variable>,
    /// The sum of their sizes.
    pub size: u32,
}

/// A variable, a parameter or a field of a structure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// Its name.
    pub name: Arc<str>,
    /// Its type, or that of its elements.
    pub ty: Type,
    /// How many elements an array has.
    pub length: Option<u32>,
    /// Where it begins: in the global part of the vector, in the record of its process, or in its
    /// structure.
    pub offset: u32,
}

impl Variable {
    /// How many bytes it takes.
    #[must_use]
    pub fn size(&self) -> u32 {
        self.ty.size() * self.length.unwrap_or(1)
    }

    /// Calls `visit` with the name, offset and type of each number in it, in order.
    pub fn for_each_scalar(&self, visit: &mut dyn FnMut(&str, u32, &Scalar)) {
        self.walk("", 0, visit);
    }

    fn walk(&self, prefix: &str, base: u32, visit: &mut dyn FnMut(&str, u32, &Scalar)) {
        for index in 0..self.length.unwrap_or(1) {
            let name = match self.length {
                Some(_) => format!("{prefix}{}[{index}]", self.name),
                None => format!("{prefix}{}", self.name),
            };
            let offset = base + self.offset + index * self.ty.size();
            match &self.ty {
                Type::Scalar(scalar) => visit(&name, offset, scalar),
                Type::Struct(fields) => {
                    let prefix = format!("{name}.");
                    fields.fields.iter().for_each(|field| field.walk(&prefix, offset, visit));
                }
            }
        }
    }
}
