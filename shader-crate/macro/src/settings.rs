//! What stands in the brackets of `#[kernel(…)]`, and the conversation with registries and bundles.
//!
//! A registry is an enum whose members are known to a macro of its own, `for_each_…!`; a bundle is a struct whose fields are known to a
//! macro of its own name. `#[kernel]` cannot look into another item, so it asks: it calls that macro with all it holds, and the macro
//! calls `kernel_each!` or `kernel_bundle!` with the answer and the same again.

use crate::{bundle::Bundle, signature, snake_case};
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
    /// The bundles that have answered, in the order of the parameters.
    pub bundles: Vec<Bundle>,
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
            Ok(Self { threads, axes: Vec::new(), bundles: Vec::new(), pending })
        } else {
            Err(input.error("the settings of a kernel are `threads = …` and `each(… in …)`"))
        }
    }
}

impl Settings {
    /// A call of the next macro that has not answered yet: a registry's, then a bundle's.
    pub fn next_question(&self, function: &ItemFn) -> Result<Option<Tokens>> {
        if let Some(Pending { ask, .. }) = self.pending.first() {
            return Ok(Some(self.question(ask, &quote!(kernel_each), function)));
        }
        let (_, _, parameters) = signature::parameters(function)?;
        let mut bundles = parameters.iter().filter_map(signature::Parameter::bundle).skip(self.bundles.len());
        Ok(bundles.next().map(|path| self.question(path, &quote!(kernel_bundle), function)))
    }

    fn question(&self, ask: &Path, callback: &Tokens, function: &ItemFn) -> Tokens {
        let threads = &self.threads;
        let pending = self.pending.iter().map(|Pending { parameter, ask }| quote!(#parameter in #ask));
        let axes = self.axes.iter().map(|Axis { registry, choices }| {
            let choices = choices.iter().map(|Choice { name, implementation }| quote!(#name = #implementation));
            quote!({ #registry; #(#choices,)* })
        });
        let bundles = self.bundles.iter().map(Bundle::tokens);
        quote! {
            #ask! {
                (::evenkeel_kernels::#callback)
                { threads = #threads, each(#(#pending),*) } { #(#axes)* } { #(#bundles)* }
                #function
            }
        }
    }

    /// What was sent with a question.
    fn resume(input: ParseStream) -> Result<Self> {
        let (sent, axes, bundles);
        braced!(sent in input);
        let mut settings: Self = sent.parse()?;
        braced!(axes in input);
        while !axes.is_empty() {
            settings.axes.push(axes.parse()?);
        }
        braced!(bundles in input);
        while !bundles.is_empty() {
            settings.bundles.push(bundles.parse()?);
        }
        Ok(settings)
    }
}

/// What comes back from a registry: its members, then what was sent.
pub struct FromRegistry {
    /// With one more axis than when they were sent.
    pub settings: Settings,
    /// As it was sent.
    pub function: ItemFn,
}

/// What comes back from a bundle: its fields, then what was sent.
pub struct FromBundle {
    /// With one more bundle than when they were sent.
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

impl Parse for FromRegistry {
    fn parse(input: ParseStream) -> Result<Self> {
        let answer: Axis = input.parse()?;
        let mut settings = Settings::resume(input)?;
        settings.axes.push(answer);
        settings.pending.remove(0);
        Ok(Self { settings, function: input.parse()? })
    }
}

impl Parse for FromBundle {
    fn parse(input: ParseStream) -> Result<Self> {
        let answer: Bundle = input.parse()?;
        let mut settings = Settings::resume(input)?;
        settings.bundles.push(answer);
        Ok(Self { settings, function: input.parse()? })
    }
}
