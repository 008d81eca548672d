//! The host's side of a kernel: a struct with a typed field for each buffer, and the description of each variant with the functions
//! that run it natively.

use crate::{
    bound_by, documentation,
    kernel::{Kernel, is_ident, snake_case, type_arguments},
    settings::{Axis, Choice},
    signature::{BufferArgument, SharedArgument, Signature, Source},
};
use proc_macro2::TokenStream as Tokens;
use quote::{ToTokens, format_ident, quote};
use std::collections::BTreeMap;
use syn::{Ident, Type, TypeParam};

impl Kernel {
    /// The host's struct, with a field for each choice, each buffer and each bundle, and its implementations of `Launch`.
    pub fn launch(&self) -> Tokens {
        let (visibility, documentation) = (&self.function.vis, documentation(&self.function.attrs));
        let structure = format_ident!("{}", camel_case(&self.function.sig.ident.to_string()));
        let fields = self.signature.buffers.iter().filter(|buffer| buffer.place.len() == 1).map(|buffer| {
            let (name, element) = (buffer.name(), buffer.state.as_ref().unwrap_or(&buffer.element));
            let text = match (&buffer.state, buffer.writable) {
                (Some(_), _) => "The state of the loop.",
                (None, true) => "Read and written.",
                (None, false) => "Only read.",
            };
            quote!(#[doc = #text] pub #name: &'b ::evenkeel_kernels::launch::Buffer<#element>)
        });
        let bundles = self.signature.arguments.iter().filter_map(|(name, source)| {
            let Source::Bundle(bundle) = source else { return None };
            let bundle = bundle.with_storage(&quote!(::evenkeel_kernels::launch::Buffers));
            Some(quote!(#[doc = "A bundle of buffers."] pub #name: &'b #bundle))
        });
        // A type that buffers hold is a parameter of the struct; any other choice is a field.
        let (elements, _) = self.split(self.parameters());
        let (_, axes) = self.split(&self.axes);
        let axis_names: Vec<_> = axes.iter().copied().map(field_name).collect();
        let registries = axes.iter().map(|axis| &axis.registry);
        let mut by_elements = BTreeMap::<Vec<String>, Vec<Vec<Choice>>>::new();
        for variant in self.variants() {
            let types = self.split(&variant).0.into_iter().map(|choice| choice.name.to_string()).collect();
            by_elements.entry(types).or_default().push(variant);
        }
        let implementations =
            by_elements.values().map(|variants| self.implementation(&structure, &axis_names, variants));
        quote! {
            #(#documentation)*
            #[cfg(not(target_arch = "spirv"))]
            #visibility struct #structure<'b, #(#elements: ::evenkeel_kernels::launch::Pod),*> {
                #(#[doc = "Which member of the registry."] pub #axis_names: #registries,)*
                #(#fields,)*
                #(#bundles,)*
            }

            #(#implementations)*
        }
    }

    /// `Launch` for the variants that have the same element types.
    fn implementation(&self, structure: &Ident, axis_names: &[Ident], variants: &[Vec<Choice>]) -> Tokens {
        let params_type = &self.signature.params_type;
        let types = self.split(&variants[0]).0.into_iter().map(|choice| &choice.implementation);
        let (_, axes) = self.split(&self.axes);
        let arms = variants.iter().map(|variant| {
            let members = self.split(variant).1.into_iter().map(|choice| &choice.name);
            let registries = axes.iter().map(|axis| &axis.registry);
            let description = self.description(variant);
            quote!((#(#registries::#members,)*) => { #description })
        });
        let places = self.signature.buffers.iter().map(|buffer| {
            let place = &buffer.place;
            quote!(self #(.#place)*.raw().clone())
        });
        quote! {
            #[cfg(not(target_arch = "spirv"))]
            impl ::evenkeel_kernels::launch::Launch for #structure<'_, #(#types),*> {
                type Params = #params_type;

                fn kernel(&self) -> &'static ::evenkeel_kernels::launch::Kernel {
                    match (#(self.#axis_names,)*) {
                        #(#arms)*
                    }
                }

                fn buffers(&self) -> ::std::vec::Vec<::evenkeel_kernels::launch::RawBuffer> {
                    ::std::vec![#(#places),*]
                }
            }
        }
    }

    /// Splits the items of the type parameters: those of parameters that buffers or workgroup arrays hold, and those of the others.
    fn split<T>(&self, of_parameters: impl IntoIterator<Item = T>) -> (Vec<T>, Vec<T>) {
        let Signature { buffers, shared, .. } = &self.signature;
        let is_element = |parameter: &Ident| {
            let holds = |element: &Type| quote!(#element).into_iter().any(|token| is_ident(&token, parameter));
            buffers.iter().any(|buffer| holds(&buffer.element)) || shared.iter().any(|array| holds(&array.element))
        };
        let (mut elements, mut others) = (Vec::new(), Vec::new());
        for (item, parameter) in of_parameters.into_iter().zip(self.parameters()) {
            if is_element(parameter) { elements.push(item) } else { others.push(item) }
        }
        (elements, others)
    }

    /// One variant's description, and the native functions in it.
    fn description(&self, variant: &[Choice]) -> Tokens {
        let (name, threads, any_width) = (self.variant_name(variant), &self.threads, self.any_width);
        let Signature { params_type, buffers, shared, .. } = &self.signature;
        let labels = buffers.iter().map(BufferArgument::label);
        let elements = buffers.iter().map(|buffer| self.chosen(variant, &buffer.element));
        let writable = buffers.iter().map(|buffer| buffer.writable);
        let sizes = shared.iter().map(|SharedArgument { element, length, .. }| {
            let element = self.chosen(variant, element);
            quote!(::core::mem::size_of::<[#element; #length]>())
        });
        let invocation =
            self.native("invocation", variant, type_arguments(variant.iter().map(|choice| &choice.implementation)));
        let counted = self.counted_arguments(variant).map(|types| self.native("counted", variant, types));
        let counted_name = match counted {
            Some(_) => quote!(::core::option::Option::Some(counted)),
            None if self.counts => quote!(::core::option::Option::Some(invocation)),
            None => quote!(::core::option::Option::None),
        };
        quote! {
            #invocation
            #counted
            static KERNEL: ::evenkeel_kernels::launch::Kernel = ::evenkeel_kernels::launch::Kernel {
                name: #name,
                threads: #threads,
                any_width: #any_width,
                params_bytes: ::core::mem::size_of::<#params_type>(),
                buffers: &[#(::evenkeel_kernels::launch::BufferArgument {
                    name: #labels,
                    element: stringify!(#elements),
                    writable: #writable,
                }),*],
                shared_bytes: &[#(#sizes),*],
                // The crate's build script says where its modules are.
                spirv: include_bytes!(concat!(env!("EVENKEEL_SPIRV"), "/", #name, ".spv")),
                invocation,
                counted: #counted_name,
            };
            &KERNEL
        }
    }

    /// A native function that runs the body with these type arguments.
    fn native(&self, name: &str, variant: &[Choice], type_arguments: Tokens) -> Tokens {
        let (name, body) = (format_ident!("{name}"), self.body_name());
        let Signature { params_type, buffers, shared, .. } = &self.signature;
        let buffer_view = |(index, buffer): (usize, &BufferArgument)| {
            let (view, element) = (buffer.view(), self.chosen(variant, &buffer.element));
            quote!(unsafe { #view::<#element>::view(&KERNEL, arguments.buffer(#index), #index) })
        };
        let array_view = |(index, SharedArgument { name, element, length }): (usize, &SharedArgument)| {
            let (name, element) = (name.to_string(), self.chosen(variant, element));
            quote!(unsafe { ::evenkeel_kernels::memory::Shared::<#element, { #length }>::view(arguments.shared(&KERNEL, #index), #name) })
        };
        let views = self.arguments(
            buffers.iter().enumerate().map(buffer_view).collect(),
            shared.iter().enumerate().map(array_view).collect(),
            &format_ident!("params"),
        );
        quote! {
            // Whoever makes the arguments promises what the views need.
            #[allow(clippy::undocumented_unsafe_blocks)]
            fn #name(arguments: &::evenkeel_kernels::launch::Arguments, lane: ::evenkeel_kernels::lane::Lane) {
                let params = arguments.params::<#params_type>();
                #body #type_arguments(lane, params, #(#views,)*)
            }
        }
    }

    /// The type arguments under which the body counts its atoms, or none where no atoms pass through any. Of a schedule and an
    /// operator only the last is counted: an atom passes through both. `Counted` passes on the two traits named here.
    fn counted_arguments(&self, variant: &[Choice]) -> Option<Tokens> {
        let takes_atoms = |parameter: &TypeParam| bound_by(parameter, &["Operate", "Distribute"]);
        let parameters = self.function.sig.generics.type_params().enumerate();
        let (last, _) = parameters.filter(|(_, parameter)| takes_atoms(parameter)).last()?;
        let mut types: Vec<_> = variant.iter().map(|choice| choice.implementation.to_token_stream()).collect();
        types[last] = {
            let counted = &types[last];
            quote!(::evenkeel_kernels::balance::Counted<#counted>)
        };
        Some(type_arguments(types))
    }
}

/// The host's field for a registry: `operator` for `Operator`.
fn field_name(axis: &Axis) -> Ident {
    let name = axis.registry.segments.last().map(|segment| segment.ident.to_string()).unwrap_or_default();
    format_ident!("{}", snake_case(&name))
}

fn camel_case(name: &str) -> String {
    let capitalised = |word: &str| match word.split_at_checked(1) {
        Some((first, rest)) => first.to_ascii_uppercase() + rest,
        None => word.to_owned(),
    };
    name.split('_').map(capitalised).collect()
}
