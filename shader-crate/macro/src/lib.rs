//! `#[kernel]`: one declaration of a kernel becomes its three sides.
//!
//! On the GPU: a SPIR-V entry point, with a binding for each buffer in the order they are written. Natively: a function that
//! runs one invocation. On the host: a struct with a typed field for each buffer, so that binding a wrong buffer, or forgetting
//! one, does not compile. Nothing about a kernel is written anywhere else.

use proc_macro::TokenStream;
use proc_macro2::{Span, TokenStream as Tokens};
use quote::{format_ident, quote};
use std::env;
use syn::{Error, Ident, ItemFn, LitInt, Result, TypeParam, TypeParamBound, parse_macro_input};

mod settings;
mod signature;
#[cfg(test)]
mod tests;

use settings::{Axis, Choice, Settings};
use signature::{Argument, BufferArgument, SharedArgument, Signature};

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
/// The parameters are, in this order: the `Lane`; a reference to the push constants (a `Pod` struct); the buffers, each a
/// `Read<T>` or a `Global<T>`; the workgroup arrays, each a `Shared<T, N>`; and for a kernel under a schedule its `Scratch<T>`. Beside the SPIR-V entry point `double` this makes
/// the host's `Double { input: &Buffer<f32>, output: &Buffer<f32> }`, which a recording dispatches.
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
    let settings = parse_macro_input!(attribute as Settings);
    let function = parse_macro_input!(item as ItemFn);
    next_step(settings, function).unwrap_or_else(Error::into_compile_error).into()
}

/// The way back from a registry to [`macro@kernel`], with the registry's members. Not for use by hand.
#[doc(hidden)]
#[proc_macro]
pub fn kernel_each(input: TokenStream) -> TokenStream {
    let settings::Resumed { settings, function } = parse_macro_input!(input as settings::Resumed);
    next_step(settings, function).unwrap_or_else(Error::into_compile_error).into()
}

/// Asks the next registry for its members, or, when all have answered, makes the kernel.
fn next_step(settings: Settings, function: ItemFn) -> Result<Tokens> {
    match settings.ask_next_registry(&function) {
        Some(question) => Ok(question),
        None => {
            let signature = Signature::parse(&function)?;
            Ok(Kernel { threads: settings.threads, axes: settings.axes, signature, function }.expand())
        }
    }
}

struct Kernel {
    threads: LitInt,
    axes: Vec<Axis>,
    signature: Signature,
    function: ItemFn,
}

impl Kernel {
    fn expand(&self) -> Tokens {
        let body = self.body();
        // rust-gpu makes a module of each entry point that it comes upon. In a crate that another one's kernels depend on for
        // schedules, there must be none; cargo says which crate is the one it was asked for.
        let variants = if env::var_os("CARGO_PRIMARY_PACKAGE").is_some() { self.variants() } else { Vec::new() };
        let entry_points = variants.into_iter().map(|variant| self.entry_point(&variant));
        let launch = self.launch();
        quote! { #body #(#entry_points)* #launch }
    }

    /// Every combination of one member from each registry; the one empty combination for a kernel without any.
    fn variants(&self) -> Vec<Vec<Choice>> {
        self.axes.iter().fold(vec![Vec::new()], |combinations, axis| {
            let extend = |combination: Vec<Choice>| {
                axis.choices.iter().map(move |choice| [combination.as_slice(), std::slice::from_ref(choice)].concat())
            };
            combinations.into_iter().flat_map(extend).collect()
        })
    }

    /// The entry point's name: the function's, then the members'.
    fn variant_name(&self, variant: &[Choice]) -> String {
        variant.iter().fold(self.function.sig.ident.to_string(), |name, choice| {
            format!("{name}_{}", snake_case(&choice.name.to_string()))
        })
    }

    fn body_name(&self) -> Ident {
        format_ident!("{}_invocation", self.function.sig.ident)
    }

    /// The function as it was written, under a name of its own: what one invocation does.
    fn body(&self) -> Tokens {
        let name = self.body_name();
        let (generics, inputs, block) = (&self.function.sig.generics, &self.function.sig.inputs, &self.function.block);
        quote! {
            #[inline(always)]
            #[allow(clippy::too_many_arguments, dead_code)]
            fn #name #generics(#inputs) #block
        }
    }

    fn entry_point(&self, variant: &[Choice]) -> Tokens {
        let entry_name = self.variant_name(variant);
        let (name, body, threads) = (format_ident!("{entry_name}"), self.body_name(), &self.threads);
        let type_arguments = type_arguments(variant);
        let Signature { lane, params, params_type, buffers, shared, .. } = &self.signature;
        let bindings = buffers.iter().enumerate().map(|(binding, BufferArgument { name, element, writable, .. })| {
            let binding = LitInt::new(&binding.to_string(), Span::call_site());
            let reference = if *writable { quote!(&mut [#element]) } else { quote!(&[#element]) };
            quote!(#[spirv(storage_buffer, descriptor_set = 0, binding = #binding)] #name: #reference)
        });
        let arrays = shared.iter().map(
            |SharedArgument { name, element, length, .. }| quote!(#[spirv(workgroup)] #name: &mut [#element; #length]),
        );
        let buffer_view = |BufferArgument { name, writable, .. }: &BufferArgument| {
            let wrapper = if *writable { quote!(Global) } else { quote!(Read) };
            quote!(::evenkeel_kernels::memory::#wrapper::new(#name))
        };
        let array_view =
            |SharedArgument { name, .. }: &SharedArgument| quote!(::evenkeel_kernels::memory::Shared::new(#name));
        let arguments = self.arguments(
            buffers.iter().map(buffer_view).collect(),
            shared.iter().map(array_view).collect(),
            &quote!(#params.schedule),
        );
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
    fn arguments(&self, buffers: Vec<Tokens>, shared: Vec<Tokens>, schedule_params: &Tokens) -> Vec<Tokens> {
        let signature = &self.signature;
        let view = |name: &Ident| {
            let buffer = signature.buffers.iter().position(|buffer| buffer.name == *name).map(|at| &buffers[at]);
            buffer
                .or_else(|| signature.shared.iter().position(|array| array.name == *name).map(|at| &shared[at]))
                .cloned()
        };
        let scratch = |scratch: &Ident| {
            let buffer_parts = signature.buffers.iter().zip(&buffers).filter_map(|(buffer, view)| {
                buffer.part_of.as_ref().filter(|(owner, ..)| owner == scratch).map(|(.., part)| quote!(#part: #view))
            });
            let shared_parts = signature.shared.iter().zip(&shared).filter_map(|(array, view)| {
                array.part_of.as_ref().filter(|(owner, _)| owner == scratch).map(|(_, part)| quote!(#part: #view))
            });
            quote!(::evenkeel_kernels::schedule::Scratch {
                settings: #schedule_params,
                #(#buffer_parts,)*
                #(#shared_parts,)*
            })
        };
        let argument = |argument: &Argument| match argument {
            Argument::Buffer(name) | Argument::Shared(name) => view(name).unwrap_or_default(),
            Argument::Scratch(name) => scratch(name),
        };
        signature.arguments.iter().map(argument).collect()
    }

    /// The host's struct, with a field for each choice, each buffer and each scratch.
    fn launch(&self) -> Tokens {
        let (visibility, params_type) = (&self.function.vis, &self.signature.params_type);
        let documentation = self.function.attrs.iter().filter(|attribute| attribute.path().is_ident("doc"));
        let structure = format_ident!("{}", camel_case(&self.function.sig.ident.to_string()));
        let fields = self.signature.buffers.iter().filter_map(|buffer| {
            let (name, element) = (&buffer.name, &buffer.element);
            match &buffer.part_of {
                None => {
                    let text = if buffer.writable { "Read and written." } else { "Only read." };
                    Some(quote!(#[doc = #text] pub #name: &'b ::evenkeel_kernels::launch::Buffer<#element>))
                }
                Some((scratch, value, part)) if part == "order" => Some(quote! {
                    #[doc = "The schedule's room."]
                    pub #scratch: &'b ::evenkeel_kernels::schedule::ScratchBuffers<#value>
                }),
                Some(_) => None,
            }
        });
        let raw = self.signature.buffers.iter().map(|buffer| match &buffer.part_of {
            None => {
                let name = &buffer.name;
                quote!(self.#name.raw().clone())
            }
            Some((scratch, _, part)) => quote!(self.#scratch.#part.raw().clone()),
        });
        let axis_names: Vec<_> = self.axes.iter().map(Axis::field).collect();
        let registries: Vec<_> = self.axes.iter().map(|axis| &axis.registry).collect();
        let arms = self.variants().into_iter().map(|variant| {
            let members = variant.iter().zip(&registries).map(|(choice, registry)| {
                let name = &choice.name;
                quote!(#registry::#name)
            });
            let description = self.description(&variant);
            quote!((#(#members,)*) => { #description })
        });
        quote! {
            #(#documentation)*
            #[cfg(not(target_arch = "spirv"))]
            #visibility struct #structure<'b> {
                #(#[doc = "Which one."] pub #axis_names: #registries,)*
                #(#fields,)*
            }

            #[cfg(not(target_arch = "spirv"))]
            impl ::evenkeel_kernels::launch::Launch for #structure<'_> {
                type Params = #params_type;

                fn kernel(&self) -> &'static ::evenkeel_kernels::launch::Kernel {
                    match (#(self.#axis_names,)*) {
                        #(#arms)*
                    }
                }

                fn buffers(&self) -> ::std::vec::Vec<::evenkeel_kernels::launch::RawBuffer> {
                    ::std::vec![#(#raw),*]
                }
            }
        }
    }

    /// One variant's description, and the native functions in it.
    fn description(&self, variant: &[Choice]) -> Tokens {
        let (name, type_arguments) = (self.variant_name(variant), type_arguments(variant));
        let Signature { params_type, buffers, shared, .. } = &self.signature;
        let (body, threads) = (self.body_name(), &self.threads);
        let names = buffers.iter().map(|buffer| buffer.name.to_string());
        let elements = buffers.iter().map(|buffer| &buffer.element);
        let writable = buffers.iter().map(|buffer| buffer.writable);
        let buffer_view = |(index, BufferArgument { writable, element, .. }): (usize, &BufferArgument)| {
            let wrapper = if *writable { quote!(Global) } else { quote!(Read) };
            quote!(::evenkeel_kernels::memory::#wrapper::<#element>::view(&KERNEL, &arguments.buffers[#index], #index))
        };
        let array_view = |(index, SharedArgument { name, element, length, .. }): (usize, &SharedArgument)| {
            let name = name.to_string();
            quote!(::evenkeel_kernels::memory::Shared::<#element, { #length }>::view(arguments.shared(&KERNEL, #index), #name))
        };
        let views = self.arguments(
            buffers.iter().enumerate().map(buffer_view).collect(),
            shared.iter().enumerate().map(array_view).collect(),
            &quote!(params.schedule),
        );
        let shared_sizes = shared
            .iter()
            .map(|SharedArgument { element, length, .. }| quote!(::core::mem::size_of::<[#element; #length]>()));
        let counted_arguments = self.counted_arguments(variant);
        let counted = if counted_arguments.is_some() {
            quote!(::core::option::Option::Some(counted))
        } else {
            quote!(::core::option::Option::None)
        };
        let counted_function = counted_arguments.map(|type_arguments| {
            quote! {
                fn counted(arguments: &::evenkeel_kernels::launch::Arguments, lane: ::evenkeel_kernels::lane::Lane) {
                    let params = arguments.params::<#params_type>();
                    #body #type_arguments(lane, params, #(#views,)*)
                }
            }
        });
        quote! {
            fn invocation(arguments: &::evenkeel_kernels::launch::Arguments, lane: ::evenkeel_kernels::lane::Lane) {
                let params = arguments.params::<#params_type>();
                #body #type_arguments(lane, params, #(#views,)*)
            }
            #counted_function
            static KERNEL: ::evenkeel_kernels::launch::Kernel = ::evenkeel_kernels::launch::Kernel {
                name: #name,
                threads: #threads,
                params_bytes: ::core::mem::size_of::<#params_type>(),
                buffers: &[#(::evenkeel_kernels::launch::BufferArgument {
                    name: #names,
                    element: stringify!(#elements),
                    writable: #writable,
                }),*],
                shared_bytes: &[#(#shared_sizes),*],
                // The crate's build script says where its modules are.
                spirv: include_bytes!(concat!(env!("EVENKEEL_SPIRV"), "/", #name, ".spv")),
                invocation,
                counted: #counted,
            };
            &KERNEL
        }
    }

    /// The type arguments under which the body counts its atoms, or none where no atoms pass through any. Of a schedule and an
    /// operator only the last is counted: an atom passes through both.
    fn counted_arguments(&self, variant: &[Choice]) -> Option<Tokens> {
        let last = self.function.sig.generics.type_params().enumerate().filter(|(_, it)| takes_atoms(it)).last()?.0;
        let types = variant.iter().enumerate().map(|(index, Choice { implementation, .. })| match index == last {
            true => quote!(::evenkeel_kernels::balance::Counted<#implementation>),
            false => quote!(#implementation),
        });
        Some(quote!(::<#(#types),*>))
    }
}

fn type_arguments(variant: &[Choice]) -> Tokens {
    let types = variant.iter().map(|choice| &choice.implementation);
    if variant.is_empty() { Tokens::new() } else { quote!(::<#(#types),*>) }
}

/// Whether an atom passes through the type parameter: those are the traits that `Counted` passes on.
fn takes_atoms(parameter: &TypeParam) -> bool {
    parameter.bounds.iter().any(|bound| match bound {
        TypeParamBound::Trait(bound) => {
            bound.path.segments.last().is_some_and(|name| name.ident == "Operate" || name.ident == "Distribute")
        }
        _ => false,
    })
}

fn camel_case(name: &str) -> String {
    name.split('_')
        .flat_map(|word| {
            let mut letters = word.chars();
            letters.next().map(|first| first.to_ascii_uppercase()).into_iter().chain(letters)
        })
        .collect()
}

fn snake_case(name: &str) -> String {
    let mut snake = String::new();
    for letter in name.chars() {
        if letter.is_ascii_uppercase() && !snake.is_empty() {
            snake.push('_');
        }
        snake.push(letter.to_ascii_lowercase());
    }
    snake
}
