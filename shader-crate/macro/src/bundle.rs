//! `#[derive(Bundle)]`: a struct of arrays becomes one argument of a kernel.
//!
//! `#[kernel]` cannot look into another item, so the derive makes a macro of the struct's name, which answers what fields there are. A
//! `use` of the struct brings the macro along, because types and macros have separate namespaces.

use proc_macro2::TokenStream as Tokens;
use quote::{format_ident, quote};
use syn::{
    Data, DeriveInput, Error, Fields, GenericArgument, GenericParam, Ident, Path, PathArguments, Result, Token, Type,
    TypeParamBound, braced, bracketed,
    parse::{Parse, ParseStream},
    punctuated::Punctuated,
    spanned::Spanned,
};

/// What the struct says of one of its fields, which is written `S::KIND<…>` for the storage `S`.
#[derive(Clone)]
pub struct BundleField {
    /// Its name.
    pub name: Ident,
    /// Where it comes from.
    pub kind: FieldKind,
    /// The element type of an array, the type of a parameter.
    pub element: Type,
    /// The length of a workgroup array.
    pub length: Option<GenericArgument>,
}

/// Where a bundle's field comes from.
#[derive(Clone, Copy, PartialEq)]
pub enum FieldKind {
    /// A buffer that is only read.
    Read,
    /// A buffer that is written, too.
    Write,
    /// A workgroup array.
    Shared,
    /// A field of the kernel's parameters.
    Param,
}

/// A bundle as a kernel's argument: its fields, with the element types that the argument's generics make of them.
pub struct Bundle {
    /// The generic parameters but for the storage.
    pub parameters: Vec<Ident>,
    /// In order.
    pub fields: Vec<BundleField>,
}

/// Derives `Clone`, `Copy` and the macro that answers `#[kernel]`.
pub fn derive(input: &DeriveInput) -> Result<Tokens> {
    let name = &input.ident;
    let Data::Struct(data) = &input.data else {
        return Err(Error::new(name.span(), "a bundle is a struct of arrays"));
    };
    let Fields::Named(fields) = &data.fields else {
        return Err(Error::new(name.span(), "a bundle's fields have names"));
    };
    let storage = storage(input)?;
    let mut parameters = Vec::new();
    for parameter in &input.generics.params {
        match parameter {
            GenericParam::Type(parameter) if parameter.ident != storage => parameters.push(&parameter.ident),
            GenericParam::Type(_) => {}
            other => return Err(Error::new(other.span(), "a bundle is generic over types alone")),
        }
    }
    let mut answers = Vec::new();
    for field in &fields.named {
        let (kind, arguments) = storage_type(&field.ty, &storage).ok_or_else(|| {
            Error::new(
                field.ty.span(),
                format!("a bundle's fields are `{storage}::Read<T>`, `Write<T>`, `Shared<T, N>` and `Param<T>`"),
            )
        })?;
        let name = &field.ident;
        answers.push(quote!(#name: #kind #arguments,));
    }
    let (types, names): (Vec<_>, Vec<_>) = fields.named.iter().map(|field| (&field.ty, &field.ident)).unzip();
    let (generics, type_generics, clauses) = input.generics.split_for_impl();
    let predicates = clauses.map(|clauses| &clauses.predicates);
    let mut clones = quote!(where #(#types: ::core::clone::Clone,)*);
    let mut copies = quote!(where #(#types: ::core::marker::Copy,)*);
    if let Some(predicates) = predicates {
        clones = quote!(#clones #predicates);
        copies = quote!(#copies #predicates);
    }
    let dollar = quote!($);
    Ok(quote! {
        impl #generics ::core::clone::Clone for #name #type_generics #clones {
            #[inline(always)]
            fn clone(&self) -> Self {
                Self { #(#names: ::core::clone::Clone::clone(&self.#names),)* }
            }
        }

        impl #generics ::core::marker::Copy for #name #type_generics #copies {}

        #[doc(hidden)]
        #[macro_export]
        macro_rules! #name {
            ((#dollar(#dollar callback:tt)*) #dollar(#dollar rest:tt)*) => {
                #dollar(#dollar callback)*! { { [#(#parameters),*] { #(#answers)* } } #dollar(#dollar rest)* }
            };
        }
    })
}

/// The type parameter that is bound by `Storage`.
fn storage(input: &DeriveInput) -> Result<Ident> {
    let is_storage = |bound: &TypeParamBound| match bound {
        TypeParamBound::Trait(bound) => bound.path.segments.last().is_some_and(|last| last.ident == "Storage"),
        _ => false,
    };
    let found = input.generics.type_params().find(|parameter| parameter.bounds.iter().any(is_storage));
    found.map(|parameter| parameter.ident.clone()).ok_or_else(|| {
        Error::new(input.ident.span(), "a bundle is generic over its storage: `struct Name<S: Storage>`")
    })
}

/// The kind and the generic arguments of `S::Kind<…>`.
fn storage_type(field: &Type, storage: &Ident) -> Option<(Ident, Tokens)> {
    let Type::Path(path) = field else { return None };
    let mut segments = path.path.segments.iter();
    let (first, kind) = (segments.next()?, segments.next()?);
    let known = ["Read", "Write", "Shared", "Param"].iter().any(|known| kind.ident == known);
    let arguments = &kind.arguments;
    (first.ident == *storage && known && segments.next().is_none()).then(|| (kind.ident.clone(), quote!(#arguments)))
}

impl Parse for BundleField {
    fn parse(input: ParseStream) -> Result<Self> {
        let name = input.parse()?;
        input.parse::<Token![:]>()?;
        let path: Path = input.parse()?;
        let segment = path.segments.last().ok_or_else(|| input.error("a kind of field is missing"))?;
        let kind = match segment.ident.to_string().as_str() {
            "Read" => FieldKind::Read,
            "Write" => FieldKind::Write,
            "Shared" => FieldKind::Shared,
            _ => FieldKind::Param,
        };
        let PathArguments::AngleBracketed(arguments) = &segment.arguments else {
            return Err(Error::new(segment.span(), "a field has a type"));
        };
        let mut arguments = arguments.args.iter();
        let Some(GenericArgument::Type(element)) = arguments.next() else {
            return Err(Error::new(segment.span(), "a field has a type"));
        };
        Ok(Self { name, kind, element: element.clone(), length: arguments.next().cloned() })
    }
}

impl Parse for Bundle {
    fn parse(input: ParseStream) -> Result<Self> {
        let (content, parameters, fields);
        braced!(content in input);
        bracketed!(parameters in content);
        braced!(fields in content);
        Ok(Self {
            parameters: Punctuated::<Ident, Token![,]>::parse_terminated(&parameters)?.into_iter().collect(),
            fields: Punctuated::<BundleField, Token![,]>::parse_terminated(&fields)?.into_iter().collect(),
        })
    }
}

impl Bundle {
    /// The answer again, to be passed on.
    pub fn tokens(&self) -> Tokens {
        let parameters = &self.parameters;
        let fields = self.fields.iter().map(|BundleField { name, kind, element, length }| {
            let kind = match kind {
                FieldKind::Read => format_ident!("Read"),
                FieldKind::Write => format_ident!("Write"),
                FieldKind::Shared => format_ident!("Shared"),
                FieldKind::Param => format_ident!("Param"),
            };
            let length = length.as_ref().map(|length| quote!(, #length));
            quote!(#name: #kind<#element #length>,)
        });
        quote!({ [#(#parameters),*] { #(#fields)* } })
    }

    /// The fields with the bundle's generic parameters replaced by the arguments that a kernel gives it.
    pub fn fields_with(&self, arguments: &[GenericArgument]) -> Vec<BundleField> {
        let replace = |element: &Type| {
            let place = self
                .parameters
                .iter()
                .position(|parameter| matches!(element, Type::Path(path) if path.path.is_ident(parameter)));
            match place.and_then(|place| arguments.get(place)) {
                Some(GenericArgument::Type(argument)) => argument.clone(),
                _ => element.clone(),
            }
        };
        self.fields.iter().map(|field| BundleField { element: replace(&field.element), ..field.clone() }).collect()
    }
}
