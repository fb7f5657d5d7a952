//! The words of PROMELA.

use crate::source::Place;
use std::sync::Arc;

/// One token after preprocessing.
#[derive(Clone, Debug, PartialEq)]
pub struct Token {
    /// What it is.
    pub kind: TokenKind,
    /// Where it is.
    pub place: Place,
    /// Whether a line ended between the token before and this one: from SPIN 6.3 on that separates
    /// statements as `;` does.
    pub newline_before: bool,
}

/// What a token is. Keywords come as [`TokenKind::Name`]: which names are reserved depends on the
/// context (`in`, the operators of LTL, `value`), so the parser decides.
#[derive(Clone, Debug, PartialEq)]
pub enum TokenKind {
    /// An identifier or keyword.
    Name(Arc<str>),
    /// A number or a character constant.
    Number(i32),
    /// A string with its quotes removed and its escapes kept as written.
    String(Arc<str>),
    /// The text between the braces of embedded C, after `c_code`, `c_expr` or `c_decl`.
    CCode(Arc<str>),
    /// An operator or a bracket.
    Punct(Punct),
    /// The end of the model.
    End,
}

macro_rules! puncts {
    ($($name:ident $text:literal),* $(,)?) => {
        /// Operators and brackets.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Punct { $(#[doc = concat!("`", $text, "`")] $name),* }

        impl Punct {
            /// All of them, longest text first where one begins another.
            pub const ALL: &'static [Punct] = &[$(Punct::$name),*];

            /// How it is written.
            #[must_use]
            pub fn text(self) -> &'static str {
                match self { $(Punct::$name => $text),* }
            }
        }
    };
}

puncts! {
    Equiv "<->",
    Arrow "->", Decr "--", Incr "++", ShiftLeft "<<", ShiftRight ">>", LessEq "<=", GreaterEq ">=",
    EqEq "==", NotEq "!=", BangBang "!!", QueryQuery "??", AndAnd "&&", OrOr "||", ColonColon "::",
    DotDot "..",
    Minus "-", Plus "+", Less "<", Greater ">", Assign "=", Bang "!", Query "?", Amp "&", Pipe "|",
    Colon ":", Dot ".", Star "*", Slash "/", Percent "%", Caret "^", Tilde "~", Comma ",",
    Semi ";", LParen "(", RParen ")", LBrace "{", RBrace "}", LBracket "[", RBracket "]", At "@",
}
