//! `#[derive(Fields)]`: a typed handle for each field of a struct in device memory, named like the field in capitals.

use proc_macro2::TokenStream as Tokens;
use quote::{format_ident, quote};
use syn::{Data, DeriveInput, Error, Fields, Result};

/// Derives the handles, and `LoopState` for a struct that begins with a `LoopHeader` named `header`.
pub fn derive(input: &DeriveInput) -> Result<Tokens> {
    let name = &input.ident;
    let (Data::Struct(data), true) = (&input.data, input.generics.params.is_empty()) else {
        return Err(Error::new(name.span(), "handles are of the fields of a plain struct"));
    };
    let Fields::Named(fields) = &data.fields else {
        return Err(Error::new(name.span(), "handles are of fields that have names"));
    };
    let first = fields.named.first().and_then(|field| field.ident.as_ref());
    let is_loop = first.is_some_and(|first| first == "header");
    let handles = fields.named.iter().skip(usize::from(is_loop)).map(|field| {
        let (ident, element) = (&field.ident, &field.ty);
        let handle =
            format_ident!("{}", ident.as_ref().map(|name| name.to_string().to_uppercase()).unwrap_or_default());
        let documentation = field.attrs.iter().filter(|attribute| attribute.path().is_ident("doc"));
        quote! {
            #(#documentation)*
            pub const #handle: ::evenkeel_types::Field<Self, #element> =
                ::evenkeel_types::Field::at_byte(::core::mem::offset_of!(Self, #ident));
        }
    });
    let loop_state = is_loop.then(|| {
        quote! {
            impl ::evenkeel_types::LoopState for #name {}

            const _: () = assert!(::core::mem::offset_of!(#name, header) == 0);
        }
    });
    Ok(quote! {
        impl #name {
            #(#handles)*
        }

        #loop_state
    })
}
