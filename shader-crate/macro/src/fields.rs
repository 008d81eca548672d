//! `#[derive(Fields)]`: a typed handle for each field of a struct in device memory, named like the field in capitals.

use crate::{documentation, fields_of};
use proc_macro2::TokenStream as Tokens;
use quote::{format_ident, quote};
use syn::{DeriveInput, Error, Result};

/// Derives the handles, and `LoopState` for a struct that begins with a `LoopHeader` named `header`.
pub fn derive(input: &DeriveInput) -> Result<Tokens> {
    let name = &input.ident;
    let plain = "handles are of the fields of a plain struct";
    if !input.generics.params.is_empty() {
        return Err(Error::new(name.span(), plain));
    }
    let fields = fields_of(input, plain, "handles are of fields that have names")?;
    let is_loop = fields.first().and_then(|field| field.ident.as_ref()).is_some_and(|first| first == "header");
    let handles = fields.iter().skip(usize::from(is_loop)).filter_map(|field| {
        let (ident, element) = (field.ident.as_ref()?, &field.ty);
        let handle = format_ident!("{}", ident.to_string().to_uppercase());
        let documentation = documentation(&field.attrs);
        Some(quote! {
            #(#documentation)*
            pub const #handle: ::evenkeel_types::Field<Self, #element> =
                ::evenkeel_types::Field::at_byte(::core::mem::offset_of!(Self, #ident));
        })
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
