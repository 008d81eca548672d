//! A kernel whose registries and bundles have all answered: the function that one invocation runs, and the entry points that rust-gpu
//! compiles.

use crate::{
    group::Group,
    settings::{Axis, Choice},
    signature::{BufferArgument, SharedArgument, Signature, Source},
};
use proc_macro2::{Group as Tree, TokenStream as Tokens, TokenTree};
use quote::{ToTokens, format_ident, quote};
use std::env;
use syn::{FnArg, Ident, Index, ItemFn, LitInt, PathArguments, Type, parse_quote};

/// What a kernel is made from.
pub struct Kernel {
    pub threads: LitInt,
    pub any_width: bool,
    pub counts: bool,
    /// The registries, in the order of the type parameters.
    pub axes: Vec<Axis>,
    pub signature: Signature,
    pub function: ItemFn,
}

impl Kernel {
    /// Everything that becomes of the function.
    pub fn expand(&self) -> Tokens {
        let body = self.body();
        // rust-gpu makes a module of each entry point that it comes upon. In a crate that another one's kernels depend on for
        // schedules, there must be none; cargo says which crate is the one it was asked for.
        let variants = if env::var_os("CARGO_PRIMARY_PACKAGE").is_some() { self.variants() } else { Vec::new() };
        let group = Group::asked_for();
        let compiled = variants.iter().filter(|variant| group.has(&self.variant_name(variant)));
        let entry_points = compiled.map(|variant| self.entry_point(variant));
        let launch = self.launch();
        quote! { #body #(#entry_points)* #launch }
    }

    /// Every combination of one member from each registry; the one empty combination for a kernel without any.
    pub fn variants(&self) -> Vec<Vec<Choice>> {
        self.axes.iter().fold(vec![Vec::new()], |combinations, axis| {
            let extend = |combination: Vec<Choice>| {
                axis.choices.iter().map(move |choice| [combination.as_slice(), std::slice::from_ref(choice)].concat())
            };
            combinations.into_iter().flat_map(extend).collect()
        })
    }

    /// The entry point's name: the function's, then the members'.
    pub fn variant_name(&self, variant: &[Choice]) -> String {
        variant.iter().fold(self.function.sig.ident.to_string(), |name, choice| {
            format!("{name}_{}", snake_case(&choice.name.to_string()))
        })
    }

    pub fn body_name(&self) -> Ident {
        format_ident!("{}_invocation", self.function.sig.ident)
    }

    /// The function as it was written, under a name of its own: what one invocation does.
    fn body(&self) -> Tokens {
        let name = self.body_name();
        let (generics, block) = (&self.function.sig.generics, &self.function.block);
        let (parameters, clauses) = (&generics.params, &generics.where_clause);
        let inputs = self.inputs();
        quote! {
            #[inline(always)]
            #[allow(clippy::too_many_arguments, clippy::extra_unused_lifetimes, dead_code)]
            fn #name<'views, #parameters>(#(#inputs),*) #clauses #block
        }
    }

    /// The parameters as the body has them: as they were written, all views with one lifetime, and with a kernel's storage filled in for
    /// bundles.
    fn inputs(&self) -> Vec<FnArg> {
        let mut inputs: Vec<FnArg> = self.function.sig.inputs.iter().cloned().collect();
        // The first two are the lane and the parameters.
        for (input, (_, source)) in inputs.iter_mut().skip(2).zip(&self.signature.arguments) {
            let FnArg::Typed(argument) = input else { continue };
            match (source, &mut *argument.ty) {
                (Source::Bundle(bundle), kind) => {
                    *kind = bundle.with_storage(&quote!(::evenkeel_kernels::memory::Views<'views>));
                }
                (_, Type::Path(view)) => {
                    let last = view.path.segments.last_mut().map(|last| &mut last.arguments);
                    if let Some(PathArguments::AngleBracketed(generics)) = last {
                        generics.args.insert(0, parse_quote!('views));
                    }
                }
                _ => {}
            }
        }
        inputs
    }

    fn entry_point(&self, variant: &[Choice]) -> Tokens {
        let entry_name = self.variant_name(variant);
        let (name, body, threads) = (format_ident!("{entry_name}"), self.body_name(), &self.threads);
        let type_arguments = type_arguments(variant.iter().map(|choice| &choice.implementation));
        let Signature { lane, params, params_type, buffers, shared, .. } = &self.signature;
        let bindings = buffers.iter().enumerate().map(|(binding, buffer)| {
            let (name, element) = (buffer.name(), self.chosen(variant, &buffer.element));
            let (binding, mutable) = (Index::from(binding), buffer.writable.then(|| quote!(mut)));
            quote!(#[spirv(storage_buffer, descriptor_set = 0, binding = #binding)] #name: &#mutable [#element])
        });
        let arrays = shared.iter().map(|SharedArgument { name, element, length }| {
            let element = self.chosen(variant, element);
            quote!(#[spirv(workgroup)] #name: &mut [#element; #length])
        });
        let buffer_view = |buffer: &BufferArgument| {
            let (view, name) = (buffer.view(), buffer.name());
            quote!(#view::new(#name))
        };
        let array_view =
            |SharedArgument { name, .. }: &SharedArgument| quote!(::evenkeel_kernels::memory::Shared::new(#name));
        let arguments =
            self.arguments(buffers.iter().map(buffer_view).collect(), shared.iter().map(array_view).collect(), params);
        quote! {
            #[cfg(target_arch = "spirv")]
            #[allow(missing_docs)]
            #[::evenkeel_kernels::spirv_std::spirv(compute(threads(#threads), entry_point_name = #entry_name))]
            pub fn #name(
                #[spirv(local_invocation_index)] local: u32,
                #[spirv(workgroup_id)] group: ::evenkeel_kernels::spirv_std::glam::UVec3,
                #[spirv(num_workgroups)] groups: ::evenkeel_kernels::spirv_std::glam::UVec3,
                #[spirv(subgroup_id)] subgroup: u32,
                #[spirv(num_subgroups)] subgroups: u32,
                #[spirv(subgroup_local_invocation_id)] subgroup_lane: u32,
                #[spirv(subgroup_size)] subgroup_size: u32,
                #[spirv(push_constant)] #params: &#params_type,
                #(#bindings,)*
                #(#arrays,)*
            ) {
                let #lane = ::evenkeel_kernels::lane::Lane {
                    local,
                    group: group.x,
                    groups: groups.x,
                    threads: #threads,
                    subgroup,
                    subgroups,
                    subgroup_lane,
                    subgroup_size,
                    team: 1,
                    member: 0,
                };
                #body #type_arguments(#lane, #params, #(#arguments),*)
            }
        }
    }

    /// The body's arguments, from a view of each buffer and of each workgroup array.
    pub fn arguments(&self, buffers: Vec<Tokens>, shared: Vec<Tokens>, params: &Ident) -> Vec<Tokens> {
        let value = |(name, source): &(Ident, Source)| match source {
            Source::Buffer(number) => buffers[*number].clone(),
            Source::Shared(number) => shared[*number].clone(),
            Source::State(number) => {
                let (view, state) = (&buffers[*number], &self.signature.buffers[*number].state);
                quote!(::evenkeel_kernels::state::State::<#state>::new(#view))
            }
            Source::Param | Source::Bundle(_) => quote!(#params.#name),
        };
        let argument = |argument: &(Ident, Source)| match &argument.1 {
            Source::Bundle(bundle) => {
                let (path, values) = (&bundle.path, bundle.fields.iter().map(value));
                let names = bundle.fields.iter().map(|(name, _)| name);
                quote!(#path { #(#names: #values,)* })
            }
            _ => value(argument),
        };
        self.signature.arguments.iter().map(argument).collect()
    }

    /// The names of the body's type parameters, in the order of the registries.
    pub fn parameters(&self) -> impl Iterator<Item = &Ident> {
        self.function.sig.generics.type_params().map(|parameter| &parameter.ident)
    }

    /// A type with the type parameters replaced by a variant's choices.
    pub fn chosen(&self, variant: &[Choice], tokens: &impl ToTokens) -> Tokens {
        let replace = |token: TokenTree| {
            let place = self.parameters().position(|parameter| is_ident(&token, parameter));
            match (place.and_then(|place| variant.get(place)), token) {
                (Some(Choice { implementation, .. }), _) => quote!(#implementation),
                (None, TokenTree::Group(group)) => {
                    let inner = self.chosen(variant, &group.stream());
                    TokenTree::Group(Tree::new(group.delimiter(), inner)).into()
                }
                (None, token) => token.into(),
            }
        };
        tokens.to_token_stream().into_iter().map(replace).collect()
    }
}

pub fn is_ident(token: &TokenTree, name: &Ident) -> bool {
    matches!(token, TokenTree::Ident(ident) if ident == name)
}

/// `::<A, B>`, or nothing where there are no types.
pub fn type_arguments(types: impl IntoIterator<Item = impl ToTokens>) -> Tokens {
    let types: Vec<_> = types.into_iter().collect();
    if types.is_empty() { Tokens::new() } else { quote!(::<#(#types),*>) }
}

/// `near_far` for `NearFar`.
pub fn snake_case(name: &str) -> String {
    let mut snake = String::new();
    for letter in name.chars() {
        if letter.is_ascii_uppercase() && !snake.is_empty() {
            snake.push('_');
        }
        snake.push(letter.to_ascii_lowercase());
    }
    snake
}
