//! `#[derive(Bundle)]`: a struct of arrays becomes one argument of a kernel.
//!
//! `#[kernel]` cannot look into another item, so the derive makes a macro of the struct's name, which answers what fields there are. A
//! `use` of the struct brings the macro along, because types and macros have separate namespaces.

use crate::{bound_by, fields_of, signature::Parameter};
use proc_macro2::TokenStream as Tokens;
use quote::quote;
use syn::{
    DeriveInput, Error, Field, GenericArgument, GenericParam, Ident, Result, Token, Type, braced, bracketed,
    parse::{Parse, ParseStream},
    punctuated::Punctuated,
    spanned::Spanned,
};

/// A bundle's answer.
pub struct Bundle {
    /// The generic parameters but for the storage.
    parameters: Vec<Ident>,
    /// In order; each is written `S::KIND<…>` for the storage `S`, and answered without the `S`.
    fields: Vec<Parameter>,
}

/// Derives `Clone`, `Copy` and the macro that answers `#[kernel]`.
pub fn derive(input: &DeriveInput) -> Result<Tokens> {
    let name = &input.ident;
    let fields = fields_of(input, "a bundle is a struct of arrays", "a bundle's fields have names")?;
    let storage = input.generics.type_params().find(|parameter| bound_by(parameter, &["Storage"]));
    let storage = &storage
        .ok_or_else(|| Error::new(name.span(), "a bundle is generic over its storage: `struct Name<S: Storage>`"))?
        .ident;
    let mut parameters = Vec::new();
    for parameter in &input.generics.params {
        match parameter {
            GenericParam::Type(parameter) if parameter.ident == *storage => {}
            GenericParam::Type(parameter) => parameters.push(&parameter.ident),
            other => return Err(Error::new(other.span(), "a bundle is generic over types alone")),
        }
    }
    let kinds = fields.iter().map(|field| {
        storage_type(&field.ty, storage).ok_or_else(|| {
            let known = format!("`{storage}::Read<T>`, `Write<T>`, `Shared<T, N>` and `Param<T>`");
            Error::new(field.ty.span(), format!("a bundle's fields are {known}"))
        })
    });
    let kinds = kinds.collect::<Result<Vec<_>>>()?;
    let (types, names): (Vec<_>, Vec<_>) = fields.iter().map(|field| (&field.ty, &field.ident)).unzip();
    let (generics, type_generics, clauses) = input.generics.split_for_impl();
    let predicates = clauses.map(|clauses| &clauses.predicates);
    let dollar = quote!($);
    Ok(quote! {
        impl #generics ::core::clone::Clone for #name #type_generics
        where #(#types: ::core::clone::Clone,)* #predicates
        {
            #[inline(always)]
            fn clone(&self) -> Self {
                Self { #(#names: ::core::clone::Clone::clone(&self.#names),)* }
            }
        }

        impl #generics ::core::marker::Copy for #name #type_generics
        where #(#types: ::core::marker::Copy,)* #predicates {}

        #[doc(hidden)]
        #[macro_export]
        macro_rules! #name {
            ((#dollar(#dollar callback:tt)*) #dollar(#dollar rest:tt)*) => {
                #dollar(#dollar callback)*! { { [#(#parameters),*] { #(#names: #kinds,)* } } #dollar(#dollar rest)* }
            };
        }
    })
}

/// `Kind<…>` of `S::Kind<…>`.
fn storage_type(field: &Type, storage: &Ident) -> Option<Tokens> {
    let Type::Path(path) = field else { return None };
    let mut segments = path.path.segments.iter();
    let (first, kind) = (segments.next()?, segments.next()?);
    let known = ["Read", "Write", "Shared", "Param"].iter().any(|known| kind.ident == known);
    (first.ident == *storage && known && segments.next().is_none()).then(|| quote!(#kind))
}

impl Parse for Bundle {
    fn parse(input: ParseStream) -> Result<Self> {
        let (parameters, fields);
        bracketed!(parameters in input);
        braced!(fields in input);
        let parameters = Punctuated::<Ident, Token![,]>::parse_terminated(&parameters)?.into_iter().collect();
        let fields = Punctuated::<Field, Token![,]>::parse_terminated_with(&fields, Field::parse_named)?;
        let fields = fields.into_iter().filter_map(|field| Some(Parameter::new(field.ident?, &field.ty)));
        Ok(Self { parameters, fields: fields.collect::<Result<_>>()? })
    }
}

impl Bundle {
    /// The fields with the bundle's generic parameters replaced by the arguments that a kernel gives it.
    pub fn fields_with(&self, arguments: &[GenericArgument]) -> Vec<Parameter> {
        let replace = |element: &GenericArgument| {
            let GenericArgument::Type(Type::Path(path)) = element else { return element.clone() };
            let place = self.parameters.iter().position(|parameter| path.path.is_ident(parameter));
            place.and_then(|place| arguments.get(place)).unwrap_or(element).clone()
        };
        let replaced =
            |field: &Parameter| Parameter { generics: field.generics.iter().map(replace).collect(), ..field.clone() };
        self.fields.iter().map(replaced).collect()
    }
}
