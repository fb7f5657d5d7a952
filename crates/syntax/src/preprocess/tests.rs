//! Each test gives a text and what comes out of it: the tokens in lines as `cpp` would write
//! them, then the diagnostics.

use super::{Define, preprocess};
use crate::diagnostic::{Diagnostic, Severity, has_errors};
use crate::source::{Loader, NoIncludes, SourceMap, Span};
use crate::token::{Token, TokenKind};
use expect_test::{Expect, expect};
use std::time::{Duration, Instant};

struct Files(&'static [(&'static str, &'static str)]);

impl Loader for Files {
    fn load(&self, path: &str, _from: &str) -> Result<(String, String), String> {
        let found = self.0.iter().find(|(name, _)| *name == path);
        let (name, text) = found.ok_or_else(|| format!("there is no file '{path}'"))?;
        Ok(((*text).to_owned(), (*name).to_owned()))
    }
}

struct Run {
    sources: SourceMap,
    tokens: Vec<Token>,
    diagnostics: Vec<Diagnostic>,
}

fn run_with(text: &str, defines: &[Define], loader: &dyn Loader) -> Run {
    let mut sources = SourceMap::default();
    let main = sources.add("model.pml", text);
    let (tokens, diagnostics) = preprocess(&mut sources, main, defines, loader);
    Run { sources, tokens, diagnostics }
}

fn run(text: &str) -> Run {
    run_with(text, &[], &NoIncludes)
}

impl Run {
    fn render(&self) -> String {
        self.render_tokens() + &self.render_diagnostics()
    }

    fn render_tokens(&self) -> String {
        let mut text = String::new();
        for token in &self.tokens {
            if token.kind == TokenKind::End {
                break;
            }
            if !text.is_empty() {
                text.push(if token.newline_before { '\n' } else { ' ' });
            }
            text.push_str(&kind_text(&token.kind));
        }
        if text.is_empty() { "(nothing)\n".to_owned() } else { text + "\n" }
    }

    fn render_diagnostics(&self) -> String {
        let mut text = String::new();
        for diagnostic in &self.diagnostics {
            let severity = match diagnostic.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
            };
            let place = self.place(diagnostic.place.at);
            text += &format!("{place}: {severity}: {}\n", diagnostic.message);
            if diagnostic.place.in_macro() {
                text += &format!("    written at {}\n", self.place(diagnostic.place.spelling));
            }
            for label in &diagnostic.labels {
                text += &format!("    {}: {}\n", self.place(label.span), label.text);
            }
            if let Some(hint) = &diagnostic.hint {
                text += &format!("    hint: {hint}\n");
            }
        }
        text
    }

    fn place(&self, span: Span) -> String {
        let position = self.sources.line_column(span);
        match self.sources.file(span.file).name.as_str() {
            "model.pml" => position.to_string(),
            name => format!("{name}:{position}"),
        }
    }

    /// Each token with the text of its call and the text where it is written.
    fn render_places(&self) -> String {
        let mut text = String::new();
        for token in &self.tokens {
            let (at, spelling) = (token.place.at, token.place.spelling);
            let kind = kind_text(&token.kind);
            text += &format!("{kind}  {} {:?}", self.place(at), self.sources.text(at));
            if token.place.in_macro() {
                let place = self.place(spelling);
                text += &format!("  {place} {:?}", self.sources.text(spelling));
            }
            text.push('\n');
        }
        text
    }
}

fn kind_text(kind: &TokenKind) -> String {
    match kind {
        TokenKind::Name(name) => name.to_string(),
        TokenKind::Number(value) => value.to_string(),
        TokenKind::String(text) => format!("\"{text}\""),
        TokenKind::CCode(text) => format!("C<{text}>"),
        TokenKind::Punct(punct) => punct.text().to_owned(),
        TokenKind::End => "END".to_owned(),
    }
}

fn check(text: &str, expected: Expect) {
    expected.assert_eq(&run(text).render());
}

fn check_files(text: &str, files: &'static [(&'static str, &'static str)], expected: Expect) {
    expected.assert_eq(&run_with(text, &[], &Files(files)).render());
}

fn check_places(text: &str, expected: Expect) {
    expected.assert_eq(&run(text).render_places());
}

// ---- words ----

#[test]
fn words_of_promela() {
    check(
        "active proctype P_1() { do :: x? y -> a!!b; c??d :: i..j od }",
        expect![[r#"
        active proctype P_1 ( ) { do :: x ? y -> a !! b ; c ?? d :: i .. j od }
    "#]],
    );
    check(
        "a<->b <- -- ++ << >> <= >= == != && || @ ^ ~ % q?[x] []<>p",
        expect![[r#"
        a <-> b < - -- ++ << >> <= >= == != && || @ ^ ~ % q ? [ x ] [ ] < > p
    "#]],
    );
    check(
        "",
        expect![[r#"
            (nothing)
        "#]],
    );
}

#[test]
fn numbers_are_decimal() {
    check(
        "0 7 007 2147483647 -1 1..5",
        expect![[r#"
        0 7 7 2147483647 - 1 1 .. 5
    "#]],
    );
    check(
        "2147483648 4294967297 99999999999999999999",
        expect![[r#"
        -2147483648 1 -1
        1:1: warning: number '2147483648' is too large: SPIN reads it as -2147483648
        1:12: warning: number '4294967297' is too large: SPIN reads it as 1
        1:23: warning: number '99999999999999999999' is too large: SPIN reads it as -1
    "#]],
    );
    check(
        "x = 0x1F + 0XFFFFFFFFF + 5u + 0xyz;",
        expect![[r#"
        x = 31 + 0 + 5 u + 0 xyz ;
        1:5: error: '0x1F' is not a number of PROMELA
            hint: PROMELA has decimal numbers only: write 31
        1:12: error: '0XFFFFFFFFF' is not a number of PROMELA
            hint: PROMELA has decimal numbers only
    "#]],
    );
}

#[test]
fn character_constants() {
    check(
        r"'a' '\n' '\r' '\t' '\f' '\\' '\'' '\0' '\q' '\!'",
        expect![[r#"
        97 10 13 9 12 92 39 0 113 33
        1:35: warning: '\0' is read as 0, as in C; SPIN reads it as 48, the digit
        1:40: warning: '\q' is no escape: as in SPIN it is read as 'q'
    "#]],
    );
    check(
        "'ab' '' 'é' 'x",
        expect![[r#"
        0 0 0 0
        1:1: error: 'ab' is not a character constant
            hint: one ASCII character stands between the quotes; strings have "..."
        1:6: error: '' is not a character constant
            hint: one ASCII character stands between the quotes; strings have "..."
        1:9: error: 'é' is not a character constant
            hint: one ASCII character stands between the quotes; strings have "..."
        1:14: error: this character constant is not closed in its line
    "#]],
    );
}

#[test]
fn strings() {
    check(
        r#"printf("a\n\"b\\", x) $[] p$"#,
        expect![[r#"
        printf ( "a\n\"b\\" , x ) "[] p"
    "#]],
    );
    check(
        "printf(\"open);\r\nx = 1",
        expect![[r#"
        printf ( "open);"
        x = 1
        1:8: error: this string is not closed in its line
    "#]],
    );
    check(
        "#define N 5\n\"N\" $N$ 'N' N",
        expect![[r#"
        "N" "N" 78 5
    "#]],
    );
    check(
        "\"one \\\ntwo\"",
        expect![[r#"
        "one two"
    "#]],
    );
}

#[test]
fn unknown_characters() {
    check(
        "a ` b é c ``é$ \\ d # e ## f\u{0}",
        expect![[r#"
        a b c d e f
        1:3: error: unknown character '`'
        1:7: error: unknown character 'é' (U+00E9)
        1:12: error: unknown characters '``é'
        1:16: error: unknown character '$'
        1:18: error: unknown character '\\'
        1:22: error: unknown character '#'
            hint: a directive begins at the start of a line
        1:26: error: unknown character '#'
            hint: a directive begins at the start of a line
        1:30: error: unknown character '\0'
    "#]],
    );
    check(
        "#define BAD `\n BAD + BAD",
        expect![[r#"
        +
        2:2: error: unknown character '`'
            written at 1:13
    "#]],
    );
}

#[test]
fn continuation_lines() {
    check(
        "ab\\\ncd 1\\\n2 -\\\n> \\\n x\\  \ny",
        expect![[r#"
        abcd 12 -> xy
    "#]],
    );
    check(
        "#def\\\nine X \\\n 1 \\\r\n + 2\nX",
        expect![[r#"
        1 + 2
    "#]],
    );
    check(
        "/\\\n/ comment \\\n still\nx",
        expect![[r#"
        x
    "#]],
    );
}

#[test]
fn comments() {
    check(
        "a/* x */b /* \n */ c // d \n e /**/ f /*/ g */ h",
        expect![[r#"
        a b
        c
        e f h
    "#]],
    );
    check(
        "#define X /* a\n b */ 1 // c\nX;",
        expect![[r#"
        1 ;
    "#]],
    );
    check(
        "x \"/*\" '\"' y /* open\n\n",
        expect![[r#"
        x "/*" 34 y
        1:14: error: this comment is not closed
    "#]],
    );
    check(
        "/* a\n */ #define Y 2\nY",
        expect![[r#"
        2
    "#]],
    );
}

#[test]
fn line_ends() {
    check(
        "a\r\nb\r\n#define X 1\r\nX\r\n#if X\r\nc\r\n#endif\r\nd",
        expect![[r#"
        a
        b
        1
        c
        d
    "#]],
    );
    check(
        "\u{feff}#define X 1\nX",
        expect![[r#"
        1
    "#]],
    );
}

#[test]
fn embedded_c() {
    check(
        "c_code { int x = '}'; /* } */ char *s = \"}\\\"\"; // }\n if (x) { y(); } } z\nc_expr{a} c_decl\n{ b }",
        expect![[r#"
            c_code C< int x = '}'; /* } */ char *s = "}\""; // }
             if (x) { y(); } > z
            c_expr C<a> c_decl
            C< b >
        "#]],
    );
    check(
        "c_code [x[1] > 0 && ']'] { a } c_expr /* k */ [b]\n { c }",
        expect![[r#"
        c_code C< a > c_expr
        C< c >
    "#]],
    );
    check(
        "c_track \"x\" c_code x { y }",
        expect![[r#"
        c_track "x" c_code x { y }
    "#]],
    );
    check(
        "#define GO c_code { a; }\n#define HALF c_code {\nGO HALF",
        expect![[r#"
        c_code C< a; > c_code {
    "#]],
    );
    check(
        "#if 0\nc_code { don't {\n#else\nc_code { x }\n#endif",
        expect![[r#"
        c_code C< x >
    "#]],
    );
    check(
        "x; c_code { a { }",
        expect![[r#"
        x ; c_code C< a { >
        1:11: error: this '{' of embedded C is not closed
    "#]],
    );
    check(
        "c_code { N }\n#define N 1\nc_code [ a",
        expect![[r#"
        c_code C< N >
        c_code
        3:8: error: this '[' of embedded C is not closed
    "#]],
    );
}

// ---- lines ----

#[test]
fn newlines_as_cpp_writes_them() {
    check(
        "#define F(x, y) x + y\na F(1,\n 2) b\nF\n(3, 4)\nc F",
        expect![[r#"
        a 1 + 2 b
        3 + 4
        c F
    "#]],
    );
    check(
        "#define NO\n#define CALL(x)\na\nNO b NO\nNO CALL(1) c",
        expect![[r#"
        a
        b
        c
    "#]],
    );
    check(
        "a\n#define X 1\nb\n#if 0\n\n#endif\nc",
        expect![[r#"
        a
        b
        c
    "#]],
    );
    check(
        "a `\n` b",
        expect![[r#"
        a
        b
        1:3: error: unknown character '`'
        2:1: error: unknown character '`'
    "#]],
    );
}

#[test]
fn newline_before_the_first_and_last_token() {
    let run = run("a\n");
    let flags: Vec<bool> = run.tokens.iter().map(|token| token.newline_before).collect();
    assert_eq!(flags, [true, true]);
}

// ---- macros ----

#[test]
fn object_like_macros() {
    check(
        "#define N 3\n#define M N + 1\n#define E\nM; E N; NN",
        expect![[r#"
        3 + 1 ; 3 ; NN
    "#]],
    );
    check(
        "#define X 1\nX\n#undef X\nX\n#undef Y",
        expect![[r#"
        1
        X
    "#]],
    );
    check(
        "#define F (x)\nF",
        expect![[r#"
        ( x )
    "#]],
    );
    check(
        "#define A a # b\nA",
        expect![[r#"
        a b
        2:1: error: unknown character '#'
            written at 1:13
            hint: a directive begins at the start of a line
    "#]],
    );
}

#[test]
fn function_like_macros() {
    check(
        "#define MAX(a, b) ((a) > (b) -> (a) : (b))\nMAX(x, MAX(1, (2, 3)))",
        expect![[r#"
        ( ( x ) > ( ( ( 1 ) > ( ( 2 , 3 ) ) -> ( 1 ) : ( ( 2 , 3 ) ) ) ) -> ( x ) : ( ( ( 1 ) > ( ( 2 , 3 ) ) -> ( 1 ) : ( ( 2 , 3 ) ) ) ) )
    "#]],
    );
    check(
        "#define F(a, b) <a|b>\nF(,) F(1,) F( , 2) F((,),)",
        expect![[r#"
        < | > < 1 | > < | 2 > < ( , ) | >
    "#]],
    );
    check(
        "#define F() f\nF() F( ) F + F",
        expect![[r#"
        f f F + F
    "#]],
    );
    check(
        "#define F(a) [a]\nF(1\n + /* x\n */ 2) F()",
        expect![[r#"
        [ 1 + 2 ] [ ]
    "#]],
    );
    check(
        "#define F(a) a\n#define N 5\nF(N) F(F(N)) F(F)(1)",
        expect![[r#"
        5 5 F ( 1 )
    "#]],
    );
}

#[test]
fn calls_that_do_not_fit() {
    check(
        "#define F(a, b) a b\n#define G() g\nF(1) F(1, 2, 3) G(1)",
        expect![[r#"
        F F G
        3:1: error: macro 'F' takes 2 arguments, but is given 1
            1:9: the macro
        3:6: error: macro 'F' takes 2 arguments, but is given 3
            1:9: the macro
        3:17: error: macro 'G' takes 0 arguments, but is given 1
            2:9: the macro
    "#]],
    );
    check(
        "#define V(a, ...) a\nV() V(1) V(1, 2, 3)\n#define W(a, b, ...) a\nW(1)",
        expect![[r#"
        1 1
        W
        4:1: error: macro 'W' takes at least 2 arguments, but is given 1
            3:9: the macro
    "#]],
    );
    check(
        "#define F(a, b) a b\nx F(1, (2)\ny",
        expect![[r#"
        x F
        2:3: error: the call of macro 'F' is not closed
            hint: ')' is missing at the end of its arguments
    "#]],
    );
}

#[test]
fn recursive_macros() {
    check(
        "#define x x + 1\n#define f(a) a * f(a)\nx; f(f(2))",
        expect![[r#"
        x + 1 ; 2 * f ( 2 ) * f ( 2 * f ( 2 ) )
    "#]],
    );
    check(
        "#define a b\n#define b c\n#define c a\na b c",
        expect![[r#"
        a b c
    "#]],
    );
    check(
        "#define f(a) a*g\n#define g(a) f(a)\nf(2)(9)",
        expect![[r#"
        2 * 9 * g
    "#]],
    );
    check(
        "#define g f\n#define f(x) <x>\ng(1) g (2) g",
        expect![[r#"
        < 1 > < 2 > f
    "#]],
    );
}

#[test]
fn stringification() {
    check(
        "#define S(x) #x\nS( a  +\n b ) S(\"a\\n\" '\"') S() S(/* */) S(\\) S(1.5e3)",
        expect![[r#"
            "a + b" "\"a\\n\" '\"'" "" "" "" "1.5e3"
        "#]],
    );
    check(
        "#define S(x) #x\n#define X(x) S(x)\n#define N 5\nS(N) X(N)",
        expect![[r#"
        "N" "5"
    "#]],
    );
}

#[test]
fn pasting() {
    check(
        "#define P(a, b) a ## b\nP(x, 1) P(1, x) P(-, >) P(:, :) P(, y) P(z,) P(,)",
        expect![[r#"
            x1 1 x -> :: y z
        "#]],
    );
    check(
        "#define P(a, b) a ## b\n#define xy 7\nP(x, y) P(P, (1, 2))",
        expect![[r#"
        7 P ( 1 , 2 )
        3:9: error: '##' makes no word of 'P' and '('
            written at 1:17
    "#]],
    );
    check(
        "#define P(a, b, c) l a ## b ## c r\nP(1,,3) P(,,3) P(1,,) P(,,) P(a b, c d, e f)",
        expect![[r#"
            l 13 r l 3 r l 1 r l r l a bc de f r
        "#]],
    );
    check(
        "#define P(a, b) a ## b\nP(+, x) P(/, /) P(\"a\", \"b\")",
        expect![[r#"
        + x / / "a" "b"
        2:1: error: '##' makes no word of '+' and 'x'
            written at 1:17
        2:9: error: '##' makes no word of '/' and '/'
            written at 1:17
        2:17: error: '##' makes no word of '"a"' and '"b"'
            written at 1:17
    "#]],
    );
    check(
        "#define Q x ## y ## 1\nQ",
        expect![[r#"
        xy1
    "#]],
    );
}

#[test]
fn variadic_macros() {
    check(
        "#define P(f, ...) printf(f, __VA_ARGS__)\nP(\"a\", 1, (2, 3))",
        expect![[r#"
        printf ( "a" , 1 , ( 2 , 3 ) )
    "#]],
    );
    check(
        "#define P(f, ...) printf(f, ## __VA_ARGS__)\nP(\"a\") P(\"a\",) P(\"a\", 1, 2)",
        expect![[r#"
            printf ( "a" ) printf ( "a" , ) printf ( "a" , 1 , 2 )
        "#]],
    );
    check(
        "#define P(args...) p(args) #args\nP() P(1, 2)",
        expect![[r#"
        p ( ) "" p ( 1 , 2 ) "1, 2"
    "#]],
    );
    check(
        "#define P(...) p(0, ## __VA_ARGS__)\nP() P(1, 2)",
        expect![[r#"
        p ( 0 ) p ( 0 , 1 , 2 )
    "#]],
    );
}

#[test]
fn builtin_macros() {
    check(
        "__LINE__\n__LINE__ __FILE__\n#define L __LINE__\n\nL\n#ifdef __FILE__\nyes\n#endif",
        expect![[r#"
            1
            2 "model.pml"
            5
            yes
        "#]],
    );
}

#[test]
fn redefinition() {
    check(
        "#define A 1\n#define A  1 // same\n#define A 2\n#define F(x) x\n#define F(y) y\nA",
        expect![[r#"
            2
            3:9: warning: macro 'A' is defined again, and differently
                2:9: the definition before
            5:9: warning: macro 'F' is defined again, and differently
                4:9: the definition before
        "#]],
    );
}

#[test]
fn wrong_definitions() {
    check(
        "#define\n#define 1\n#define f(\n#define f(a\n#define f(a,)\n#define f(a,a)\n#define f(a b)\n\
         #define f(..., a)\n#define defined\n#define X ## a\n#define X a ##\n#define S(x) #y\n\
         #undef\n#undef 1\n#undef A B\nx",
        expect![[r#"
            x
            1:1: error: a macro name is missing here
            2:9: error: '1' cannot be the name of a macro
                hint: a name has letters, digits and '_', and does not begin with a digit
            3:10: error: a parameter's name is missing here
            4:11: error: ')' is missing after the parameters
            5:13: error: a parameter's name is missing here
            6:13: error: there are two parameters 'a'
            7:13: error: ')' is missing after the parameters
            8:14: error: ')' is missing after the parameters
            9:9: error: 'defined' cannot be the name of a macro
            10:11: error: '##' cannot be the first or last word of a macro
            11:13: error: '##' cannot be the first or last word of a macro
            12:14: error: a parameter must follow '#' in a macro
            13:1: error: a macro name is missing here
            14:8: error: '1' cannot be the name of a macro
                hint: a name has letters, digits and '_', and does not begin with a digit
            15:10: warning: extra text after #undef
        "#]],
    );
}

/// The examples of C11 6.10.3.5.
#[test]
fn examples_of_the_standard() {
    check(
        "#define x 3
#define f(a) f(x * (a))
#undef x
#define x 2
#define g f
#define z z[0]
#define h g(~
#define m(a) a(w)
#define w 0,1
#define t(a) a
#define p() int
#define q(x) x
#define r(x,y) x ## y
#define str(x) # x
f(y+1) + f(f(z)) % t(t(g)(0) + t)(1);
g(x+(3,4)-w) | h 5) & m
(f)^m(m);
p() i[q()] = { q(1), r(2,3), r(4,), r(,5), r(,) };
char c[2][6] = { str(hello), str() };",
        expect![[r#"
            f ( 2 * ( y + 1 ) ) + f ( 2 * ( f ( 2 * ( z [ 0 ] ) ) ) ) % f ( 2 * ( 0 ) ) + t ( 1 ) ;
            f ( 2 * ( 2 + ( 3 , 4 ) - 0 , 1 ) ) | f ( 2 * ( ~ 5 ) ) & f ( 2 * ( 0 , 1 ) ) ^ m ( 0 , 1 ) ;
            int i [ ] = { 1 , 23 , 4 , 5 , } ;
            char c [ 2 ] [ 6 ] = { "hello" , "" } ;
        "#]],
    );
    check(
        "#define str(s) # s
#define xstr(s) str(s)
#define debug(s, t) printf(\"x\" # s \"= %d, x\" # t \"= %s\", \\
 x ## s, x ## t)
#define INCFILE(n) vers ## n
#define glue(a, b) a ## b
#define xglue(a, b) glue(a, b)
#define HIGHLOW \"hello\"
#define LOW LOW \", world\"
debug(1, 2);
fputs(str(strncmp(\"abc\\0d\", \"abc\", '\\4') // this goes away
 == 0) str(: @\\n), s);
xstr(INCFILE(2).h)
glue(HIGH, LOW);
xglue(HIGH, LOW)",
        expect![[r#"
            printf ( "x" "1" "= %d, x" "2" "= %s" , x1 , x2 ) ;
            fputs ( "strncmp(\"abc\\0d\", \"abc\", '\\4') == 0" ": @\n" , s ) ;
            "vers2.h"
            "hello" ;
            "hello" ", world"
        "#]],
    );
    check(
        "#define hash_hash # ## #
#define mkstr(a) # a
#define in_between(a) mkstr(a)
#define join(c, d) in_between(c hash_hash d)
char p[] = join(x, y);",
        expect![[r#"
            char p [ ] = "x ## y" ;
        "#]],
    );
    check(
        "#define t(x,y,z) x ## y ## z
int j[] = { t(1,2,3), t(,4,5), t(6,,7), t(8,9,),
t(10,,), t(,11,), t(,,12), t(,,) };",
        expect![[r#"
            int j [ ] = { 123 , 45 , 67 , 89 ,
            10 , 11 , 12 , } ;
        "#]],
    );
    check(
        "#define debug(...) fprintf(stderr, __VA_ARGS__)
#define showlist(...) puts(#__VA_ARGS__)
#define report(test, ...) ((test)?puts(#test): printf(__VA_ARGS__))
debug(\"Flag\");
debug(\"X = %d\\n\", x);
showlist(The first, second, and third items.);
report(x>y, \"x is %d but y is %d\", x, y);",
        expect![[r#"
            fprintf ( stderr , "Flag" ) ;
            fprintf ( stderr , "X = %d\n" , x ) ;
            puts ( "The first, second, and third items." ) ;
            ( ( x > y ) ? puts ( "x>y" ) : printf ( "x is %d but y is %d" , x , y ) ) ;
        "#]],
    );
}

// ---- conditionals ----

#[test]
fn conditionals() {
    check(
        "#define A\n#ifdef A\n1\n#else\n2\n#endif\n#ifndef A\n3\n#elif defined A\n4\n#elif 1\n5\n#else\n6\n#endif",
        expect![[r#"
            1
            4
        "#]],
    );
    check(
        "#if 0\n#if 1\na\n#else\nb\n#endif\n#bad\n#error no\n#elif +\n\"open\ndon't\n#else\nc\n#endif\nd",
        expect![[r#"
            c
            d
            9:7: error: an operand is missing after '+'
        "#]],
    );
    check(
        "x #if 0\n  #  if 0\ny\n  # endif\nz",
        expect![[r#"
        x if 0
        z
        1:3: error: unknown character '#'
            hint: a directive begins at the start of a line
    "#]],
    );
}

#[test]
fn conditional_errors() {
    check(
        "#endif\n#else\n#elif 1\n#if 1\n#else\n#else\n#elif 1\n#endif x\ny",
        expect![[r#"
        y
        1:1: error: #endif without #if
        2:1: error: #else without #if
        3:1: error: #elif without #if
        6:1: error: #else after #else
            5:1: the #else
            4:1: the conditional
        7:1: error: #elif after #else
            5:1: the #else
            4:1: the conditional
        8:8: warning: extra text after #endif
    "#]],
    );
    check(
        "a\n#if 1\n#ifdef B\n#else\nb",
        expect![[r#"
        a
        b
        3:1: error: #ifdef without #endif
        2:1: error: #if without #endif
    "#]],
    );
    check(
        "#ifdef\n#endif\n#ifdef 1\n#endif\n#ifdef A B\n#endif\n#ifndef\nx\n#endif",
        expect![[r#"
            (nothing)
            1:1: error: a macro name is missing here
            3:8: error: '1' cannot be the name of a macro
                hint: a name has letters, digits and '_', and does not begin with a digit
            5:10: warning: extra text after #ifdef
            7:1: error: a macro name is missing here
        "#]],
    );
}

/// The text of an `#if` and whether it holds.
fn holds(condition: &str) -> bool {
    let run = run(&format!("#define ONE 1\n#define ADD(a, b) a + b\n#if {condition}\nyes\n#endif"));
    assert_eq!(run.render_diagnostics(), "", "{condition}");
    run.tokens.len() == 2
}

#[test]
fn conditions() {
    let true_ones = [
        "1",
        "-1",
        "!0",
        "!!5",
        "~0 == -1",
        "+1",
        "0x1F == 31 && 010 == 8 && 0b11 == 3",
        "10L == 10 && 10u == 10ULL",
        "'a' == 97 && '\\n' == 10 && '\\0' == 0 && '\\x41' == 65 && '\\101' == 'A'",
        "1 + 2 * 3 == 7",
        "(1 + 2) * 3 == 9",
        "7 / 2 == 3 && 7 % 3 == 1 && -7 / 2 == -3",
        "10 - 3 - 2 == 5",
        "1 << 4 == 16 && 256 >> 4 == 16 && -8 >> 1 == -4 && 1 << -1 == 0",
        "1 << 64 == 0 && -1 >> 100 == -1 && 31 >> 0xFFFFFFFFFFFFFFFF == 0",
        "1 < 2 && 2 <= 2 && 3 > 2 && 3 >= 3 && 1 != 2",
        "(5 & 6) == 4 && (5 | 6) == 7 && (5 ^ 6) == 3",
        "5 & 6 == 6",
        "0 || 1 && 1",
        "1 ? 2 : 0",
        "0 ? 0 : 1 ? 5 : 0",
        "(1, 2) == 2",
        "unknown == 0",
        "defined ONE && defined(ONE) && !defined TWO && !defined(TWO)",
        "ONE + ADD(1, ONE) == 3",
        "-1 > 0u",
        "(0 ? 1u : -1) > 0",
        "0xFFFFFFFFFFFFFFFF > 0",
        "1 || 1 / 0",
        "!(0 && 1 % 0)",
        "1 ? 1 : 1 / 0",
        "-9223372036854775807 - 1 < 0",
        "(-9223372036854775807 - 1) / -1 < 0",
        "__LINE__ == 3",
        "1 /* a\n b */ + 1 == 2 // c",
    ];
    for condition in true_ones {
        assert!(holds(condition), "{condition}");
        assert!(!holds(&format!("!({})", condition.replace("// c", ""))), "{condition}");
    }
}

#[test]
fn wrong_conditions() {
    let wrong = [
        "",
        "1 +",
        "(1",
        "1 2",
        "F(1)",
        "1 / 0",
        "1 % 0",
        "* 2",
        "1 ? 2",
        "\"a\"",
        "1 = 1",
        "()",
        "defined",
        "defined(",
        "defined(A",
        "defined 1",
        "08",
        "1x",
        "'ab'",
        "`",
        ")",
        "(1 2)",
        "0 && (1 / 0",
        "1 ? : 2",
    ];
    let text: String = wrong.map(|condition| format!("#if {condition}\n#endif\n")).concat();
    check(
        &text,
        expect![[r#"
            (nothing)
            1:1: error: a condition is missing here
            3:7: error: an operand is missing after '+'
            5:5: error: this '(' is not closed
            7:7: error: an operator is missing before '2'
            9:6: error: an operator is missing before '('
            11:7: error: division by zero
            13:7: error: division by zero
            15:5: error: an operand is missing before '*'
            17:9: error: ':' is missing after '?'
            19:5: error: an operand is missing before '"a"'
            21:7: error: an operator is missing before '='
            23:6: error: an operand is missing before ')'
            25:5: error: a macro name is missing here
            27:12: error: a macro name is missing here
            29:12: error: ')' is missing after 'defined('
            31:13: error: '1' cannot be the name of a macro
                hint: a name has letters, digits and '_', and does not begin with a digit
            33:5: error: '08' is not an integer constant of C
            35:5: error: '1x' is not an integer constant of C
            37:5: error: ''ab'' is not an integer constant of C
            39:5: error: an operand is missing before '`'
            41:5: error: an operand is missing before ')'
            43:8: error: an operator is missing before '2'
            45:10: error: this '(' is not closed
            47:9: error: an operand is missing before ':'
        "#]],
    );
}

#[test]
fn defined_out_of_a_macro() {
    check(
        "#define A 1\n#define HAS defined(A)\n#if HAS && defined A\nyes\n#endif",
        expect![[r#"
        yes
    "#]],
    );
}

// ---- other directives ----

#[test]
fn small_directives() {
    check(
        "#\n#pragma x 'y\n#ident \"v\"\n#line 7 \"f\"\n# 12 \"f\" 2\n#warning look  here\n#error it's /* x */ bad\n#error\n#what\n#+\nx",
        expect![[r#"
            x
            6:1: warning: look here
            7:1: error: it's /* x */ bad
            8:1: error: #error
            9:1: error: unknown directive '#what'
            10:1: error: unknown directive '#+'
        "#]],
    );
}

#[test]
fn includes() {
    let files: &[_] = &[
        ("a.h", "#ifndef A\n#define A 1\nin_a\n#endif"),
        ("b.h", "#include \"a.h\"\nb A\n"),
        ("open.h", "#if 1\nx"),
        ("once.h", "#pragma once\nonce\n"),
        ("call.h", "F"),
    ];
    check_files(
        "x\n#include \"b.h\"\ny\n#include <a.h>\nz A",
        files,
        expect![[r#"
            x
            in_a
            b 1
            y
            z 1
        "#]],
    );
    check_files(
        "#include \"open.h\"\ny",
        files,
        expect![[r#"
            x
            y
            open.h:1:1: error: #if without #endif
        "#]],
    );
    check_files(
        "#include \"once.h\"\n#include \"once.h\"\ny",
        files,
        expect![[r#"
            once
            y
        "#]],
    );
    check_files(
        "#define H \"a.h\"\n#define L <a.h>\n#include H\n#include L\ny",
        files,
        expect![[r#"
            in_a
            y
        "#]],
    );
    check_files(
        "#define F(x) [x]\n#include \"call.h\"\n(1)",
        files,
        expect![[r#"
            [ 1 ]
        "#]],
    );
    check_files(
        "#include \"no.h\"\n#include\n#include x\n#include \"a.h\" y\n#include \"\"\n#include <a.h",
        files,
        expect![[r#"
            in_a
            1:10: error: there is no file 'no.h'
            2:1: error: #include without a file name
                hint: write #include "file"
            3:1: error: #include without a file name
                hint: write #include "file"
            4:16: warning: extra text after #include
            5:1: error: #include without a file name
                hint: write #include "file"
            6:1: error: #include without a file name
                hint: write #include "file"
        "#]],
    );
}

#[test]
fn include_cycles() {
    let files: &[_] = &[("a.h", "#include \"b.h\"\na"), ("b.h", "#include \"a.h\"\n#include \"a.h\"\nb")];
    let run = run_with("#include \"a.h\"", &[], &Files(files));
    expect![[r#"
        a.h:1:10: error: #include is nested more than 200 deep: 'b.h' includes 'a.h' includes 'b.h'
    "#]]
    .assert_eq(&run.render_diagnostics());
}

#[test]
fn includes_that_multiply() {
    let files: &[_] = &[
        ("0", "#include \"1\"\n#include \"1\"\n#include \"1\"\n#include \"1\"\n"),
        ("1", "#include \"2\"\n#include \"2\"\n#include \"2\"\n#include \"2\"\n"),
        ("2", "#include \"3\"\n#include \"3\"\n#include \"3\"\n#include \"3\"\n"),
        ("3", "#include \"4\"\n#include \"4\"\n#include \"4\"\n#include \"4\"\n"),
        ("4", "#include \"5\"\n#include \"5\"\n#include \"5\"\n#include \"5\"\n"),
        ("5", "#include \"6\"\n#include \"6\"\n#include \"6\"\n#include \"6\"\n"),
        ("6", "#include \"7\"\n#include \"7\"\n#include \"7\"\n#include \"7\"\n"),
        ("7", "#include \"8\"\n#include \"8\"\n#include \"8\"\n#include \"8\"\n"),
        ("8", "#include \"9\"\n#include \"9\"\n#include \"9\"\n#include \"9\"\n"),
        ("9", ""),
    ];
    let run = run_with("#include \"0\"", &[], &Files(files));
    expect![[r#"
        7:4:10: error: there is too much included text
    "#]]
    .assert_eq(&run.render_diagnostics());
}

#[test]
fn command_line() {
    let define = |name: &str, value: &str| Define::Define { name: name.into(), value: value.into() };
    let defines =
        [define("N", "3"), define("F(x)", "<x>"), define("M", "1"), Define::Undef("M".into()), define("1", "")];
    let run = run_with("#define N 4\nN F(2) M", &defines, &NoIncludes);
    expect![[r#"
        4 < 2 > M
        <command line>:5:9: error: '1' cannot be the name of a macro
            hint: a name has letters, digits and '_', and does not begin with a digit
        1:9: warning: macro 'N' is defined again, and differently
            <command line>:1:9: the definition before
    "#]]
    .assert_eq(&run.render());
    assert_eq!(run.sources.files().nth(1).map(|file| file.name.as_str()), Some("<command line>"));
}

// ---- places ----

#[test]
fn places_of_plain_text() {
    check_places(
        "ab \"c\" 'd'\n  12 -> c_code { x }",
        expect![[r#"
        ab  1:1 "ab"
        "c"  1:4 "\"c\""
        100  1:8 "'d'"
        12  2:3 "12"
        ->  2:6 "->"
        c_code  2:9 "c_code"
        C< x >  2:16 "{ x }"
        END  2:21 ""
    "#]],
    );
}

#[test]
fn places_in_macros() {
    check_places(
        "#define N 5 + x\nN;",
        expect![[r#"
        5  2:1 "N"  1:11 "5"
        +  2:1 "N"  1:13 "+"
        x  2:1 "N"  1:15 "x"
        ;  2:2 ";"
        END  2:3 ""
    "#]],
    );
    check_places(
        "#define F(a) a + 1\n#define G(b) F(b) - 2\n  G(\n  y)",
        expect![[r#"
        y  3:3 "G(\n  y)"  4:3 "y"
        +  3:3 "G(\n  y)"  1:16 "+"
        1  3:3 "G(\n  y)"  1:18 "1"
        -  3:3 "G(\n  y)"  2:19 "-"
        2  3:3 "G(\n  y)"  2:21 "2"
        END  4:5 ""
    "#]],
    );
    check_places(
        "#define g f\n#define f(x) x\ng (1) f",
        expect![[r#"
        1  3:1 "g (1)"  3:4 "1"
        f  3:7 "f"
        END  3:8 ""
    "#]],
    );
    check_places(
        "#define P(a, b) #a a ## b ## 1\nP(x, y) __LINE__",
        expect![[r##"
        "x"  2:1 "P(x, y)"  1:17 "#a"
        xy1  2:1 "P(x, y)"  1:20 "a ## b ## 1"
        2  2:9 "__LINE__"
        END  2:17 ""
    "##]],
    );
    check_places(
        "#define I(x) x\nI(I(a) b)",
        expect![[r#"
        a  2:1 "I(I(a) b)"  2:5 "a"
        b  2:1 "I(I(a) b)"  2:8 "b"
        END  2:10 ""
    "#]],
    );
}

// ---- limits ----

#[test]
fn macros_that_multiply() {
    let mut text = String::from("#define A0 x x\n");
    for level in 1..40 {
        text += &format!("#define A{level} A{0} A{0}\n", level - 1);
    }
    let run = run(&(text + "A39 y"));
    expect![[r#"
        41:1: error: macro expansion is too large
            hint: the limit is 10000000 tokens; the rest of the model is not read
    "#]]
    .assert_eq(&run.render_diagnostics());
    assert_eq!(run.tokens.last().map(|token| &token.kind), Some(&TokenKind::End));
}

#[test]
fn texts_that_multiply() {
    let nest = |open: &str, close: &str| open.repeat(150) + "\"a\"" + &close.repeat(150);
    let strings = format!("#define S(x) #x\n#define X(x) S(x)\n{}", nest("X(", ")"));
    assert!(has_errors(&run(&strings).diagnostics));
    let define = "#define D(x) x ## x\n#define Y(x) D(x)\n#define Z(x) Y(x)\n";
    let names = format!("{define}{}x{}", "Y(".repeat(150), ")".repeat(150));
    run(&names);
    let arguments = format!("#define D(x) x x x x\n#define E(x) D(x)\n{}", nest("D(E(", "))"));
    assert!(has_errors(&run(&arguments).diagnostics));
}

#[test]
fn deep_nesting() {
    let deep = |open: &str, close: &str| open.repeat(100_000) + "1" + &close.repeat(100_000);
    let texts = [
        format!("#define F(x) x\n{}", deep("F(", ")")),
        format!("#define F(x) x\n#define G(x) x\n{}", deep("F(G(", "))")),
        format!("#define F(x) x\n{}", "F(".repeat(300_000)),
        format!("#if {}\n#endif", deep("(", ")")),
        format!("#if {}\n#endif", deep("!", "")),
        format!("#if {}\n#endif", deep("- ", "")),
        format!("#if {}\n#endif", deep("1 ? ", ": 1")),
        format!("#if {}\n#endif", deep("1 ? 1 : ", "")),
        "#if 1\n".repeat(100_000),
        format!("#define F({}", (0..100_000).map(|i| format!("p{i},")).collect::<String>()),
        deep("c_code {", ""),
        format!("#define X {}", deep("c_code {", "")),
        format!("#define X {}", deep("c_code [ ", "")),
        deep("\\\n", "\\\n"),
        deep("$ ` \" ' ", "\n"),
    ];
    for text in texts {
        let run = run(&text);
        assert!(run.diagnostics.len() <= 2000);
        assert_eq!(run.tokens.last().map(|token| &token.kind), Some(&TokenKind::End));
    }
}

#[test]
fn a_long_chain_of_macros() {
    let mut text = String::from("#define A0 x\n");
    for level in 1..50_000 {
        text += &format!("#define A{level} A{}\n", level - 1);
    }
    assert_eq!(run(&(text + "A49999")).render(), "x\n");
}

#[test]
fn a_large_model_is_read_quickly() {
    let line = "  :: (x[i] > N && ADD(y, 1) != 0) -> /* move */ x[i] = ADD(x[i], y); i++ // next\n";
    let text = "#define N 5\n#define ADD(a, b) ((a) + (b))\n".to_owned() + &line.repeat(15_000);
    assert!(text.len() > 1_000_000);
    let start = Instant::now();
    let run = run(&text);
    assert!(start.elapsed() < Duration::from_secs(2), "{:?}", start.elapsed());
    assert_eq!(run.diagnostics, []);
}

// ---- random texts ----

struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit.max(1) as u64) as usize
    }

    fn slice(&mut self, length: usize) -> std::ops::Range<usize> {
        let start = self.below(length + 1);
        start..start + self.below((length - start).min(12) + 1)
    }

    /// Deletes, doubles or moves slices.
    fn mutate(&mut self, text: &mut Vec<char>) {
        for _ in 0..1 + self.below(4) {
            let from = self.slice(text.len());
            let slice = text[from.clone()].to_vec();
            match self.below(3) {
                0 => drop(text.drain(from)),
                1 => drop(text.splice(from.end..from.end, slice)),
                _ => {
                    text.drain(from);
                    let to = self.below(text.len() + 1);
                    text.splice(to..to, slice);
                }
            }
        }
    }
}

#[test]
fn random_texts_are_survived() {
    const SAMPLES: &[&str] = &[
        "#define F(x, y) #x x ## y F(y, x)\n#define G F\nF(1, G(a, b)) G(F, (2, 3))\nF(\n1,2)",
        "#define V(a, ...) a , ## __VA_ARGS__ #a\nV(1) V(1, 2, 3)\n#undef V\nV __LINE__ __FILE__",
        "#if (1 + 2) * 3 == 9 && defined(X) || !defined Y ? 1u : 'a' / 0\na\n#elif -1 >> 2\n#else\n#endif",
        "#ifdef A\n#include \"h\"\n#else /* c\n */ x \"s\\n\" '\\n' $p$ 0x1F `é\n#endif // d\n#error e",
        "c_code [x] { if (a) { \"}\" } /* } */ } c_expr { '}' }\n\\\n c_decl {\n}\r\n#define C c_code { x }\nC",
        "active proctype P() { do :: q?[x] -> y = 4294967297 :: i..j od }\n# 1 \"f\"\n#pragma once\n#include \"h\"",
    ];
    let files = Files(&[("h", "#define H(x) x H\nH(1)(2) # ## \"\n")]);
    for seed in 1..=20_000 {
        let mut random = Random(u64::wrapping_mul(seed, 0x9E37_79B9_7F4A_7C15));
        let mut text: Vec<char> = SAMPLES[random.below(SAMPLES.len())].chars().collect();
        random.mutate(&mut text);
        let text: String = text.into_iter().collect();
        let run = run_with(&text, &[], &files);
        let ends = run.tokens.iter().filter(|token| token.kind == TokenKind::End).count();
        assert_eq!(ends, 1, "seed {seed}: {text}");
        assert_eq!(run.tokens.last().map(|token| &token.kind), Some(&TokenKind::End));
        run.render_places();
        run.render_diagnostics();
    }
}
