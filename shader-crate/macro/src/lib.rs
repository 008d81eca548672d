//! `#[kernel]`: one declaration of a kernel becomes its three sides.
//!
//! On the GPU: a SPIR-V entry point, with a binding for each buffer in the order they are written. Natively: a function that
//! runs one invocation. On the host: a struct with a typed field for each buffer, so that binding a wrong buffer, or forgetting
//! one, does not compile. Nothing about a kernel is written anywhere else.

use proc_macro::TokenStream;
use proc_macro2::TokenStream as Tokens;
use settings::Conversation;
use syn::{
    Attribute, Data, DeriveInput, Error, Field, Fields, Item, ItemFn, Result, Token, TypeParam, TypeParamBound,
    parse_macro_input, punctuated::Punctuated,
};

mod bundle;
mod fields;
mod group;
mod inline;
mod kernel;
mod launch;
mod settings;
mod signature;
#[cfg(test)]
mod tests;

/// Declares a compute kernel.
///
/// ```text
/// /// Doubles every element.
/// #[kernel(threads = 256)]
/// pub fn double(lane: Lane, params: &DoubleParams, input: Read<f32>, output: Global<f32>) {
///     for i in lane.grid_stride(params.len) {
///         output.set(i, 2.0 * input.get(i));
///     }
/// }
/// ```
///
/// The parameters are, in this order: the `Lane`; a reference to the push constants (a `Pod` struct); then in any order the buffers, each a
/// `Read<T>` or a `Global<T>`, the workgroup arrays, each a `Shared<T, N>`, the state of a loop, a `State<S>`, and bundles of these, such as
/// `Csr` (see `Bundle`). Beside the SPIR-V entry point `double` this makes the host's
/// `Double { input: &Buffer<f32>, output: &Buffer<f32> }`, which a recording dispatches.
///
/// With `any_width` behind the threads, a kernel says that it does the same with workgroups of any width: it takes its part by
/// `Lane::grid_stride` or a schedule, and never by its number in the workgroup. The CPU device then runs it one invocation wide, many
/// times as fast.
///
/// With `counts` it says that it calls `Lane::count_atoms` for what it takes, because it shares out its work by itself. Under a schedule or
/// an operator a kernel is counted without.
///
/// A generic kernel is made once for each member of a registry (see `registry!`), and the host's struct gets a field to choose
/// one by:
///
/// ```text
/// #[kernel(threads = 256, each(O in for_each_operator))]
/// pub fn node<O: Operate>(lane: Lane, …) { … }      // entry points node_bfs, node_sssp_u32, …
///
/// recorder.dispatch(&Node { operator: Operator::Bfs, … }, …);
/// ```
#[proc_macro_attribute]
pub fn kernel(attribute: TokenStream, item: TokenStream) -> TokenStream {
    let function = parse_macro_input!(item as ItemFn);
    tokens(Conversation::new(attribute.into(), function).next_step())
}

/// The way back from a registry or a bundle to [`macro@kernel`], with its members or fields. Not for use by hand.
#[doc(hidden)]
#[proc_macro]
pub fn kernel_answer(input: TokenStream) -> TokenStream {
    tokens(parse_macro_input!(input as Conversation).next_step())
}

/// Makes a struct of arrays a bundle: one argument of a kernel, one field of the host's launch.
///
/// ```text
/// #[derive(Bundle)]
/// pub struct Csr<S: Storage> {
///     pub row_offsets: S::Read<u32>,
///     pub columns: S::Read<u32>,
/// }
///
/// #[kernel(threads = 256)]
/// pub fn degrees(lane: Lane, params: &Length, graph: Csr, degrees: Global<u32>) { … }
///
/// recorder.dispatch(&Degrees { graph: &graph, degrees: &degrees }, …);      // graph: Csr<Buffers>
/// ```
///
/// A field is `S::Read<T>` or `S::Write<T>` for a buffer, `S::Shared<T, N>` for a workgroup array and `S::Param<T>` for a field of the
/// kernel's parameters with the same name. `T` and `N` are written with full paths (`::my_kernels::SIZE`), or are parameters of the struct:
/// they are copied to where kernels are. A `use` of the struct must bring its macro along, which stands at the root of its crate.
#[proc_macro_derive(Bundle)]
pub fn bundle(input: TokenStream) -> TokenStream {
    tokens(bundle::derive(&parse_macro_input!(input as DeriveInput)))
}

/// Makes a constant of type `Field` for each field of a struct of words, by which kernels and indirect dispatches refer to it in device
/// memory. A struct that begins with `header: LoopHeader` becomes a `LoopState`.
#[proc_macro_derive(Fields)]
pub fn fields(input: TokenStream) -> TokenStream {
    tokens(fields::derive(&parse_macro_input!(input as DeriveInput)))
}

/// Puts `#[inline(always)]` on every function of an `impl` or a `trait`: on a GPU, what holds a view cannot be passed to a function that stays
/// one.
#[proc_macro_attribute]
pub fn inline_all(_: TokenStream, item: TokenStream) -> TokenStream {
    tokens(inline::inline_all(parse_macro_input!(item as Item)))
}

fn tokens(result: Result<Tokens>) -> TokenStream {
    result.unwrap_or_else(Error::into_compile_error).into()
}

/// The named fields of a struct, or an error that says `not_a_struct` or `unnamed`.
fn fields_of<'a>(
    input: &'a DeriveInput,
    not_a_struct: &str,
    unnamed: &str,
) -> Result<&'a Punctuated<Field, Token![,]>> {
    let wrong = |message| Err(Error::new(input.ident.span(), message));
    let Data::Struct(data) = &input.data else { return wrong(not_a_struct) };
    let Fields::Named(fields) = &data.fields else { return wrong(unnamed) };
    Ok(&fields.named)
}

/// The doc comments among attributes.
fn documentation(attributes: &[Attribute]) -> impl Iterator<Item = &Attribute> {
    attributes.iter().filter(|attribute| attribute.path().is_ident("doc"))
}

/// Whether a type parameter has a bound by one of these traits.
fn bound_by(parameter: &TypeParam, traits: &[&str]) -> bool {
    parameter.bounds.iter().any(|bound| match bound {
        TypeParamBound::Trait(bound) => {
            bound.path.segments.last().is_some_and(|last| traits.iter().any(|name| last.ident == name))
        }
        _ => false,
    })
}
