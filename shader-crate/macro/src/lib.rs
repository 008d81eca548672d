//! `#[kernel]`: one declaration of a kernel becomes its three sides.
//!
//! On the GPU: a SPIR-V entry point, with a binding for each buffer in the order they are written. Natively: a function that
//! runs one invocation. On the host: a struct with a typed field for each buffer, so that binding a wrong buffer, or forgetting
//! one, does not compile. Nothing about a kernel is written anywhere else.

use proc_macro::TokenStream;
use proc_macro2::{Span, TokenStream as Tokens};
use quote::{format_ident, quote};
use syn::{
    Error, Expr, FnArg, GenericArgument, Ident, ItemFn, LitInt, Pat, PathArguments, Result, Type, parse_macro_input,
    spanned::Spanned,
};

mod settings;
#[cfg(test)]
mod tests;

use settings::{Axis, Choice, Settings};

/// Declares a compute kernel.
///
/// ```ignore
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
/// `Read<T>` or a `Global<T>`; the workgroup arrays, each a `Shared<T, N>`. Beside the SPIR-V entry point `double` this makes
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
        None => Ok(Kernel::parse(settings, function)?.expand()),
    }
}

struct Kernel {
    threads: LitInt,
    axes: Vec<Axis>,
    function: ItemFn,
    lane: Ident,
    params: Ident,
    params_type: Type,
    buffers: Vec<BufferArgument>,
    shared: Vec<SharedArgument>,
}

struct BufferArgument {
    name: Ident,
    element: Type,
    writable: bool,
}

struct SharedArgument {
    name: Ident,
    element: Type,
    length: Expr,
}

/// The last segment of a type's path, and its generic arguments.
fn wrapper(argument: &Type) -> Option<(String, Vec<GenericArgument>)> {
    let Type::Path(path) = argument else { return None };
    let segment = path.path.segments.last()?;
    let arguments = match &segment.arguments {
        PathArguments::AngleBracketed(list) => list.args.iter().cloned().collect(),
        _ => Vec::new(),
    };
    Some((segment.ident.to_string(), arguments))
}

impl Kernel {
    fn parse(settings: Settings, function: ItemFn) -> Result<Self> {
        let mut named = Vec::new();
        for input in &function.sig.inputs {
            let FnArg::Typed(argument) = input else { return Err(Error::new(input.span(), "a kernel has no `self`")) };
            let Pat::Ident(name) = &*argument.pat else {
                return Err(Error::new(argument.pat.span(), "a kernel's parameters are plain names"));
            };
            named.push((name.ident.clone(), (*argument.ty).clone()));
        }
        let mut arguments = named.into_iter();
        let (Some((lane, _)), Some((params, Type::Reference(reference)))) = (arguments.next(), arguments.next()) else {
            return Err(Error::new(
                function.sig.span(),
                "a kernel begins with `lane: Lane, params: &Params`, where Params is what the host pushes with the dispatch",
            ));
        };
        let (mut buffers, mut shared) = (Vec::new(), Vec::new());
        for (name, argument) in arguments {
            match wrapper(&argument).as_ref().map(|(kind, arguments)| (kind.as_str(), arguments.as_slice())) {
                Some((kind @ ("Read" | "Global"), [GenericArgument::Type(element)])) if shared.is_empty() => {
                    buffers.push(BufferArgument { name, element: element.clone(), writable: kind == "Global" });
                }
                Some(("Shared", [GenericArgument::Type(element), length])) => {
                    let length = match length {
                        GenericArgument::Const(expression) => expression.clone(),
                        GenericArgument::Type(Type::Path(path)) => {
                            Expr::Path(syn::ExprPath { attrs: Vec::new(), qself: None, path: path.path.clone() })
                        }
                        other => return Err(Error::new(other.span(), "the length of a workgroup array is a constant")),
                    };
                    shared.push(SharedArgument { name, element: element.clone(), length });
                }
                _ => {
                    return Err(Error::new(
                        argument.span(),
                        "expected `Read<T>` or `Global<T>`, and after all of those `Shared<T, N>`",
                    ));
                }
            }
        }
        Ok(Self {
            threads: settings.threads,
            axes: settings.axes,
            function,
            lane,
            params,
            params_type: *reference.elem,
            buffers,
            shared,
        })
    }

    fn expand(&self) -> Tokens {
        let body = self.body();
        let entry_points = self.variants().into_iter().map(|variant| self.entry_point(&variant));
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
            #[allow(clippy::too_many_arguments)]
            fn #name #generics(#inputs) #block
        }
    }

    fn arguments(&self) -> impl Iterator<Item = &Ident> {
        self.buffers.iter().map(|buffer| &buffer.name).chain(self.shared.iter().map(|array| &array.name))
    }

    fn entry_point(&self, variant: &[Choice]) -> Tokens {
        let entry_name = self.variant_name(variant);
        let (name, body, threads) = (format_ident!("{entry_name}"), self.body_name(), &self.threads);
        let type_arguments = type_arguments(variant);
        let (lane, params, params_type) = (&self.lane, &self.params, &self.params_type);
        let buffers = self.buffers.iter().enumerate().map(|(binding, BufferArgument { name, element, writable })| {
            let binding = LitInt::new(&binding.to_string(), Span::call_site());
            let reference = if *writable { quote!(&mut [#element]) } else { quote!(&[#element]) };
            quote!(#[spirv(storage_buffer, descriptor_set = 0, binding = #binding)] #name: #reference)
        });
        let shared = self.shared.iter().map(
            |SharedArgument { name, element, length }| quote!(#[spirv(workgroup)] #name: &mut [#element; #length]),
        );
        let views = self.buffers.iter().map(|BufferArgument { name, writable, .. }| {
            if *writable {
                quote!(let #name = ::evenkeel_kernels::memory::Global::new(#name);)
            } else {
                quote!(let #name = ::evenkeel_kernels::memory::Read::new(#name);)
            }
        });
        let shared_views = self
            .shared
            .iter()
            .map(|SharedArgument { name, .. }| quote!(let #name = ::evenkeel_kernels::memory::Shared::new(#name);));
        let arguments = self.arguments();
        quote! {
            #[cfg(target_arch = "spirv")]
            #[allow(missing_docs)]
            #[::spirv_std::spirv(compute(threads(#threads), entry_point_name = #entry_name))]
            pub fn #name(
                #[spirv(local_invocation_index)] local: u32,
                #[spirv(workgroup_id)] group: ::spirv_std::glam::UVec3,
                #[spirv(num_workgroups)] groups: ::spirv_std::glam::UVec3,
                #[spirv(subgroup_id)] subgroup: u32,
                #[spirv(num_subgroups)] subgroups: u32,
                #[spirv(subgroup_local_invocation_id)] subgroup_lane: u32,
                #[spirv(subgroup_size)] subgroup_size: u32,
                #[spirv(push_constant)] #params: &#params_type,
                #(#buffers,)*
                #(#shared,)*
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
                };
                #(#views)*
                #(#shared_views)*
                #body #type_arguments(#lane, #params, #(#arguments),*)
            }
        }
    }

    /// The host's struct, with a field for each choice and each buffer.
    fn launch(&self) -> Tokens {
        let (visibility, params_type) = (&self.function.vis, &self.params_type);
        let documentation = self.function.attrs.iter().filter(|attribute| attribute.path().is_ident("doc"));
        let structure = format_ident!("{}", camel_case(&self.function.sig.ident.to_string()));
        let names: Vec<_> = self.buffers.iter().map(|buffer| &buffer.name).collect();
        let elements: Vec<_> = self.buffers.iter().map(|buffer| &buffer.element).collect();
        let field_documentation =
            self.buffers.iter().map(|buffer| if buffer.writable { "Read and written." } else { "Only read." });
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
                #(#[doc = #field_documentation] pub #names: &'b ::evenkeel_kernels::launch::Buffer<#elements>,)*
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
                    ::std::vec![#(self.#names.raw().clone()),*]
                }
            }
        }
    }

    /// One variant's description, and the native function in it.
    fn description(&self, variant: &[Choice]) -> Tokens {
        let (name, type_arguments) = (self.variant_name(variant), type_arguments(variant));
        let (body, threads, params_type) = (self.body_name(), &self.threads, &self.params_type);
        let names = self.buffers.iter().map(|buffer| buffer.name.to_string());
        let elements = self.buffers.iter().map(|buffer| &buffer.element);
        let writable = self.buffers.iter().map(|buffer| buffer.writable);
        let views = self.buffers.iter().enumerate().map(|(index, BufferArgument { writable, element, .. })| {
            let wrapper = if *writable { quote!(Global) } else { quote!(Read) };
            quote!(::evenkeel_kernels::memory::#wrapper::<#element>::view(&KERNEL, &arguments.buffers[#index], #index))
        });
        let shared_sizes = self
            .shared
            .iter()
            .map(|SharedArgument { element, length, .. }| quote!(::core::mem::size_of::<[#element; #length]>()));
        let shared_views = self.shared.iter().enumerate().map(|(index, SharedArgument { name, element, length })| {
            let name = name.to_string();
            quote!(::evenkeel_kernels::memory::Shared::<#element, { #length }>::view(arguments.shared(&KERNEL, #index), #name))
        });
        quote! {
            fn invocation(arguments: &::evenkeel_kernels::launch::Arguments, lane: ::evenkeel_kernels::lane::Lane) {
                #body #type_arguments(lane, arguments.params::<#params_type>(), #(#views,)* #(#shared_views,)*)
            }
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
            };
            &KERNEL
        }
    }
}

fn type_arguments(variant: &[Choice]) -> Tokens {
    let types = variant.iter().map(|choice| &choice.implementation);
    if variant.is_empty() { Tokens::new() } else { quote!(::<#(#types),*>) }
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
