//! What stands in the brackets of `#[kernel(…)]`, and the conversation with registries and bundles.
//!
//! A registry is an enum whose members are known to a macro of its own, `for_each_…!`; a bundle is a struct whose fields are known to a
//! macro of its own name. `#[kernel]` cannot look into another item, so it asks: it calls that macro with all it holds, and the macro
//! calls `kernel_answer!` with the answer and the same again.

use crate::{kernel::Kernel, signature};
use proc_macro2::{Group, TokenStream as Tokens};
use quote::quote;
use syn::{
    Error, Ident, ItemFn, LitInt, Path, Result, Token, braced, parenthesized,
    parse::{Parse, ParseStream},
    parse2,
    punctuated::Punctuated,
};

mod keyword {
    syn::custom_keyword!(threads);
    syn::custom_keyword!(any_width);
    syn::custom_keyword!(counts);
    syn::custom_keyword!(each);
}

/// `threads = 256, any_width, counts, each(O in for_each_operator, …)`
pub struct Settings {
    /// Invocations in a workgroup: a literal, because rust-gpu's own attribute takes nothing else.
    pub threads: LitInt,
    /// Whether it does as much with workgroups of any other width.
    pub any_width: bool,
    /// Whether it counts its atoms itself.
    pub counts: bool,
    /// The macros of the registries.
    registries: Vec<Path>,
}

impl Parse for Settings {
    fn parse(input: ParseStream) -> Result<Self> {
        if !input.peek(keyword::threads) {
            return Err(Error::new(input.span(), "say how many invocations a workgroup has: #[kernel(threads = 256)]"));
        }
        input.parse::<keyword::threads>()?;
        input.parse::<Token![=]>()?;
        let threads = input.parse()?;
        let (mut any_width, mut counts, mut registries) = (false, false, Vec::new());
        while input.parse::<Option<Token![,]>>()?.is_some() && !input.is_empty() {
            if input.parse::<Option<keyword::any_width>>()?.is_some() {
                any_width = true;
            } else if input.parse::<Option<keyword::counts>>()?.is_some() {
                counts = true;
            } else if input.parse::<Option<keyword::each>>()?.is_some() {
                let list;
                parenthesized!(list in input);
                registries = Punctuated::<_, Token![,]>::parse_terminated_with(&list, registry)?.into_iter().collect();
            } else {
                return Err(
                    input.error("the settings of a kernel are `threads = …`, `any_width`, `counts` and `each(… in …)`")
                );
            }
        }
        Ok(Self { threads, any_width, counts, registries })
    }
}

/// `O in for_each_operator`
fn registry(input: ParseStream) -> Result<Path> {
    input.parse::<Ident>()?;
    input.parse::<Token![in]>()?;
    input.parse()
}

/// A registry's answer.
pub struct Axis {
    pub registry: Path,
    pub choices: Vec<Choice>,
}

/// A member of a registry: `Bfs = crate::bfs::Visit`.
#[derive(Clone)]
pub struct Choice {
    pub name: Ident,
    /// The type that a generic kernel is made with.
    pub implementation: Path,
}

impl Parse for Axis {
    fn parse(input: ParseStream) -> Result<Self> {
        let registry = input.parse()?;
        input.parse::<Token![;]>()?;
        let choices = Punctuated::<Choice, Token![,]>::parse_terminated(input)?.into_iter().collect();
        Ok(Self { registry, choices })
    }
}

impl Parse for Choice {
    fn parse(input: ParseStream) -> Result<Self> {
        let name = input.parse()?;
        input.parse::<Token![=]>()?;
        Ok(Self { name, implementation: input.parse()? })
    }
}

/// A kernel of which some registries and bundles have answered. Its answers are read when all are there.
pub struct Conversation {
    settings: Tokens,
    answers: Vec<Tokens>,
    function: ItemFn,
}

/// What comes back from a registry or a bundle: the answer, then what was sent.
impl Parse for Conversation {
    fn parse(input: ParseStream) -> Result<Self> {
        let answer = input.parse::<Group>()?.stream();
        let settings = input.parse::<Group>()?.stream();
        let sent;
        braced!(sent in input);
        let mut answers = Vec::new();
        while !sent.is_empty() {
            answers.push(sent.parse::<Group>()?.stream());
        }
        answers.push(answer);
        Ok(Self { settings, answers, function: input.parse()? })
    }
}

impl Conversation {
    /// Begins, before anything was asked.
    pub fn new(settings: Tokens, function: ItemFn) -> Self {
        Self { settings, answers: Vec::new(), function }
    }

    /// Asks the next registry for its members or the next bundle for its fields; when all have answered, makes the kernel.
    pub fn next_step(self) -> Result<Tokens> {
        let Self { settings, answers, function } = self;
        let Settings { threads, any_width, counts, registries } = parse2(settings.clone())?;
        let (_, _, parameters) = signature::parameters(&function)?;
        let bundles = parameters.iter().filter_map(signature::Parameter::bundle);
        if let Some(ask) = registries.iter().chain(bundles).nth(answers.len()) {
            return Ok(quote! {
                #ask! { (::evenkeel_kernels::kernel_answer) { #settings } { #({ #answers })* } #function }
            });
        }
        let mut answers = answers.into_iter();
        let axes = answers.by_ref().take(registries.len()).map(parse2).collect::<Result<_>>()?;
        let bundles = answers.map(parse2).collect::<Result<Vec<_>>>()?;
        let signature = signature::Signature::parse(&function, &bundles)?;
        Ok(Kernel { threads, any_width, counts, axes, signature, function }.expand())
    }
}
