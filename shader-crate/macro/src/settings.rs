//! What stands in the brackets of `#[kernel(…)]`, and the conversation with registries.
//!
//! A registry is an enum whose members are known to a macro of its own, `for_each_…!`. `#[kernel]` cannot look into another
//! item, so it asks: it calls that macro with all it holds, and the macro calls `kernel_each!` with the same and its members.

use crate::snake_case;
use proc_macro2::TokenStream as Tokens;
use quote::{format_ident, quote};
use syn::{
    Error, Ident, ItemFn, LitInt, Path, Result, Token, braced, parenthesized,
    parse::{Parse, ParseStream},
    punctuated::Punctuated,
};

mod keyword {
    syn::custom_keyword!(threads);
    syn::custom_keyword!(each);
}

/// `threads = 256, each(O in for_each_operator, …)`
pub struct Settings {
    /// Invocations in a workgroup: a literal, because rust-gpu's own attribute takes nothing else.
    pub threads: LitInt,
    /// The registries that have answered.
    pub axes: Vec<Axis>,
    pending: Vec<Pending>,
}

/// A registry that has answered.
pub struct Axis {
    /// Its enum.
    pub registry: Path,
    /// Its members.
    pub choices: Vec<Choice>,
}

impl Axis {
    /// The host's field for it: `operator` for `Operator`.
    pub fn field(&self) -> Ident {
        let name = self.registry.segments.last().map(|segment| segment.ident.to_string()).unwrap_or_default();
        format_ident!("{}", snake_case(&name))
    }
}

/// A member of a registry: `Bfs = crate::bfs::Visit`.
#[derive(Clone)]
pub struct Choice {
    /// In the enum.
    pub name: Ident,
    /// The type that a generic kernel is made with.
    pub implementation: Path,
}

struct Pending {
    parameter: Ident,
    ask: Path,
}

impl Parse for Pending {
    fn parse(input: ParseStream) -> Result<Self> {
        let parameter = input.parse()?;
        input.parse::<Token![in]>()?;
        Ok(Self { parameter, ask: input.parse()? })
    }
}

impl Parse for Choice {
    fn parse(input: ParseStream) -> Result<Self> {
        let name = input.parse()?;
        input.parse::<Token![=]>()?;
        Ok(Self { name, implementation: input.parse()? })
    }
}

impl Parse for Settings {
    fn parse(input: ParseStream) -> Result<Self> {
        if !input.peek(keyword::threads) {
            return Err(Error::new(input.span(), "say how many invocations a workgroup has: #[kernel(threads = 256)]"));
        }
        input.parse::<keyword::threads>()?;
        input.parse::<Token![=]>()?;
        let threads = input.parse()?;
        let mut pending = Vec::new();
        if input.parse::<Option<Token![,]>>()?.is_some() && input.peek(keyword::each) {
            input.parse::<keyword::each>()?;
            let list;
            parenthesized!(list in input);
            pending = Punctuated::<Pending, Token![,]>::parse_terminated(&list)?.into_iter().collect();
        }
        if input.is_empty() {
            Ok(Self { threads, axes: Vec::new(), pending })
        } else {
            Err(input.error("the settings of a kernel are `threads = …` and `each(… in …)`"))
        }
    }
}

impl Settings {
    /// A call of the next registry's macro, if one has not answered yet.
    pub fn ask_next_registry(&self, function: &ItemFn) -> Option<Tokens> {
        let ask = &self.pending.first()?.ask;
        let threads = &self.threads;
        let pending = self.pending.iter().map(|Pending { parameter, ask }| quote!(#parameter in #ask));
        let done = self.axes.iter().map(|Axis { registry, choices }| {
            let choices = choices.iter().map(|Choice { name, implementation }| quote!(#name = #implementation));
            quote!({ #registry; #(#choices,)* })
        });
        Some(quote! {
            #ask! { (::evenkeel_kernels::kernel_each) { threads = #threads, each(#(#pending),*) } { #(#done)* } #function }
        })
    }
}

/// What comes back from a registry: its members, then what was sent.
pub struct Resumed {
    /// With one more axis than when they were sent.
    pub settings: Settings,
    /// As it was sent.
    pub function: ItemFn,
}

impl Parse for Axis {
    fn parse(input: ParseStream) -> Result<Self> {
        let content;
        braced!(content in input);
        let registry = content.parse()?;
        content.parse::<Token![;]>()?;
        let choices = Punctuated::<Choice, Token![,]>::parse_terminated(&content)?.into_iter().collect();
        Ok(Self { registry, choices })
    }
}

impl Parse for Resumed {
    fn parse(input: ParseStream) -> Result<Self> {
        let answer: Axis = input.parse()?;
        let (sent, done);
        braced!(sent in input);
        let mut settings: Settings = sent.parse()?;
        braced!(done in input);
        while !done.is_empty() {
            settings.axes.push(done.parse()?);
        }
        settings.axes.push(answer);
        settings.pending.remove(0);
        Ok(Self { settings, function: input.parse()? })
    }
}
