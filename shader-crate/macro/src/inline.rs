//! `#[inline_all]`: one attribute in place of one for each function.

use proc_macro2::TokenStream as Tokens;
use quote::ToTokens;
use syn::{Attribute, Error, ImplItem, Item, Result, TraitItem, parse_quote};

/// The `impl` or `trait` with `#[inline(always)]` on each function that has a body.
pub fn inline_all(mut item: Item) -> Result<Tokens> {
    let always: Attribute = parse_quote!(#[inline(always)]);
    match &mut item {
        Item::Impl(block) => {
            for item in &mut block.items {
                if let ImplItem::Fn(function) = item {
                    function.attrs.push(always.clone());
                }
            }
        }
        Item::Trait(block) => {
            for item in &mut block.items {
                if let TraitItem::Fn(function) = item
                    && function.default.is_some()
                {
                    function.attrs.push(always.clone());
                }
            }
        }
        other => return Err(Error::new_spanned(other, "`inline_all` is for an `impl` or a `trait`")),
    }
    Ok(item.into_token_stream())
}
