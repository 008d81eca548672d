//! `#[kernel]`: one declaration of a kernel becomes its three sides.
//!
//! On the GPU: a SPIR-V entry point, with a binding for each buffer in the order they are written. Natively: a function that
//! runs one invocation. On the host: a struct with a typed field for each buffer, so that binding a wrong buffer, or forgetting
//! one, does not compile. Nothing about a kernel is written anywhere else.

use proc_macro::TokenStream;
use proc_macro2::{Group, Span, TokenStream as Tokens, TokenTree};
use quote::{format_ident, quote};
use std::env;
use syn::{
    DeriveInput, Error, FnArg, Ident, Item, ItemFn, LitInt, Pat, PathArguments, Result, Type, TypeParam,
    TypeParamBound, parse_macro_input, parse_quote,
};

mod bundle;
mod fields;
mod inline;
mod settings;
mod signature;
#[cfg(test)]
mod tests;

use settings::{Axis, Choice, Settings};
use signature::{Argument, BufferArgument, BundleArgument, SharedArgument, Signature, Source};

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
    let settings::FromRegistry { settings, function } = parse_macro_input!(input as settings::FromRegistry);
    next_step(settings, function).unwrap_or_else(Error::into_compile_error).into()
}

/// The way back from a bundle to [`macro@kernel`], with the bundle's fields. Not for use by hand.
#[doc(hidden)]
#[proc_macro]
pub fn kernel_bundle(input: TokenStream) -> TokenStream {
    let settings::FromBundle { settings, function } = parse_macro_input!(input as settings::FromBundle);
    next_step(settings, function).unwrap_or_else(Error::into_compile_error).into()
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
    bundle::derive(&parse_macro_input!(input as DeriveInput)).unwrap_or_else(Error::into_compile_error).into()
}

/// Makes a constant of type `Field` for each field of a struct of words, by which kernels and indirect dispatches refer to it in device
/// memory. A struct that begins with `header: LoopHeader` becomes a `LoopState`.
#[proc_macro_derive(Fields)]
pub fn fields(input: TokenStream) -> TokenStream {
    fields::derive(&parse_macro_input!(input as DeriveInput)).unwrap_or_else(Error::into_compile_error).into()
}

/// Puts `#[inline(always)]` on every function of an `impl` or a `trait`: on a GPU, what holds a view cannot be passed to a function that stays
/// one.
#[proc_macro_attribute]
pub fn inline_all(_: TokenStream, item: TokenStream) -> TokenStream {
    inline::inline_all(parse_macro_input!(item as Item)).unwrap_or_else(Error::into_compile_error).into()
}

/// Asks the next registry for its members or the next bundle for its fields; when all have answered, makes the kernel.
fn next_step(settings: Settings, function: ItemFn) -> Result<Tokens> {
    if let Some(question) = settings.next_question(&function)? {
        return Ok(question);
    }
    let Settings { threads, axes, bundles, .. } = settings;
    let signature = Signature::parse(&function, &bundles)?;
    Ok(Kernel { threads, axes, signature, function }.expand())
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
        let bundle_type = |name: &Ident| {
            self.signature.arguments.iter().find_map(|argument| match argument {
                Argument::Bundle(bundle) if bundle.name == *name => {
                    Some(bundle.with_storage(&quote!(::evenkeel_kernels::memory::Views<'views>)))
                }
                _ => None,
            })
        };
        let filled = |(place, input): (usize, &FnArg)| {
            let mut input = input.clone();
            // The first two are the lane and the parameters.
            if let FnArg::Typed(argument) = &mut input
                && let Pat::Ident(pattern) = &*argument.pat
                && place >= 2
            {
                match (bundle_type(&pattern.ident), &mut *argument.ty) {
                    (Some(filled), ty) => *ty = filled,
                    (None, Type::Path(view)) => {
                        if let Some(PathArguments::AngleBracketed(generics)) =
                            view.path.segments.last_mut().map(|last| &mut last.arguments)
                        {
                            generics.args.insert(0, parse_quote!('views));
                        }
                    }
                    _ => {}
                }
            }
            input
        };
        self.function.sig.inputs.iter().enumerate().map(filled).collect()
    }

    fn entry_point(&self, variant: &[Choice]) -> Tokens {
        let entry_name = self.variant_name(variant);
        let (name, body, threads) = (format_ident!("{entry_name}"), self.body_name(), &self.threads);
        let type_arguments = type_arguments(variant);
        let Signature { lane, params, params_type, buffers, shared, .. } = &self.signature;
        let bindings = buffers.iter().enumerate().map(|(binding, BufferArgument { name, element, writable, .. })| {
            let element = self.chosen(variant, quote!(#element));
            let binding = LitInt::new(&binding.to_string(), Span::call_site());
            let reference = if *writable { quote!(&mut [#element]) } else { quote!(&[#element]) };
            quote!(#[spirv(storage_buffer, descriptor_set = 0, binding = #binding)] #name: #reference)
        });
        let arrays = shared.iter().map(|SharedArgument { name, element, length }| {
            let element = self.chosen(variant, quote!(#element));
            quote!(#[spirv(workgroup)] #name: &mut [#element; #length])
        });
        let buffer_view = |BufferArgument { name, writable, .. }: &BufferArgument| {
            let wrapper = if *writable { quote!(Global) } else { quote!(Read) };
            quote!(::evenkeel_kernels::memory::#wrapper::new(#name))
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
    fn arguments(&self, buffers: Vec<Tokens>, shared: Vec<Tokens>, params: &Ident) -> Vec<Tokens> {
        let bundle = |BundleArgument { path, fields, .. }: &BundleArgument| {
            let fields = fields.iter().map(|(name, source)| match source {
                Source::Buffer(number) => {
                    let view = &buffers[*number];
                    quote!(#name: #view)
                }
                Source::Shared(number) => {
                    let view = &shared[*number];
                    quote!(#name: #view)
                }
                Source::Param => quote!(#name: #params.#name),
            });
            quote!(#path { #(#fields,)* })
        };
        let argument = |argument: &Argument| match argument {
            Argument::Buffer(number) => buffers[*number].clone(),
            Argument::Shared(number) => shared[*number].clone(),
            Argument::State(number) => {
                let (view, state) = (&buffers[*number], &self.signature.buffers[*number].state);
                quote!(::evenkeel_kernels::state::State::<#state>::new(#view))
            }
            Argument::Bundle(argument) => bundle(argument),
        };
        self.signature.arguments.iter().map(argument).collect()
    }

    /// The host's struct, with a field for each choice, each buffer and each scratch.
    fn launch(&self) -> Tokens {
        let (visibility, params_type) = (&self.function.vis, &self.signature.params_type);
        let documentation = self.function.attrs.iter().filter(|attribute| attribute.path().is_ident("doc"));
        let structure = format_ident!("{}", camel_case(&self.function.sig.ident.to_string()));
        let fields = self.signature.buffers.iter().filter(|buffer| !buffer.bundled).map(|buffer| {
            let (name, element) = (&buffer.name, buffer.state.as_ref().unwrap_or(&buffer.element));
            let text = match (&buffer.state, buffer.writable) {
                (Some(_), _) => "The state of the loop.",
                (None, true) => "Read and written.",
                (None, false) => "Only read.",
            };
            quote!(#[doc = #text] pub #name: &'b ::evenkeel_kernels::launch::Buffer<#element>)
        });
        let bundles = self.signature.arguments.iter().filter_map(|argument| match argument {
            Argument::Bundle(bundle) => {
                let (name, bundle) = (&bundle.name, bundle.with_storage(&quote!(::evenkeel_kernels::launch::Buffers)));
                Some(quote!(#[doc = "A bundle of buffers."] pub #name: &'b #bundle))
            }
            _ => None,
        });
        let raw = self.raw_buffers();
        // A type that buffers hold is a parameter of the struct; any other choice is a field.
        let elements: Vec<&Ident> = self.parameters().filter(|parameter| self.is_element(parameter)).collect();
        let parameters = (!elements.is_empty()).then(|| quote!(, #(#elements: ::evenkeel_kernels::launch::Pod),*));
        let chosen_axes =
            || self.axes.iter().zip(self.parameters()).filter(|(_, parameter)| !self.is_element(parameter));
        let axis_names: Vec<_> = chosen_axes().map(|(axis, _)| axis.field()).collect();
        let registries: Vec<_> = chosen_axes().map(|(axis, _)| &axis.registry).collect();
        let implementations = self.by_elements().into_iter().map(|variants| {
            let types = variants[0].iter().zip(self.parameters()).filter(|(_, parameter)| self.is_element(parameter));
            let types: Vec<_> = types.map(|(choice, _)| &choice.implementation).collect();
            let types = (!types.is_empty()).then(|| quote!(, #(#types),*));
            let arms = variants.iter().map(|variant| {
                let chosen = variant.iter().zip(self.parameters()).filter(|(_, parameter)| !self.is_element(parameter));
                let members = chosen.zip(&registries).map(|((choice, _), registry)| {
                    let name = &choice.name;
                    quote!(#registry::#name)
                });
                let description = self.description(variant);
                quote!((#(#members,)*) => { #description })
            });
            quote! {
                #[cfg(not(target_arch = "spirv"))]
                impl ::evenkeel_kernels::launch::Launch for #structure<'_ #types> {
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
        });
        quote! {
            #(#documentation)*
            #[cfg(not(target_arch = "spirv"))]
            #visibility struct #structure<'b #parameters> {
                #(#[doc = "Which member of the registry."] pub #axis_names: #registries,)*
                #(#fields,)*
                #(#bundles,)*
            }

            #(#implementations)*
        }
    }

    /// The names of the body's type parameters, in the order of the registries.
    fn parameters(&self) -> impl Iterator<Item = &Ident> {
        self.function.sig.generics.type_params().map(|parameter| &parameter.ident)
    }

    /// Whether a buffer or a workgroup array holds elements of this type parameter.
    fn is_element(&self, parameter: &Ident) -> bool {
        let Signature { buffers, shared, .. } = &self.signature;
        let holds = |element: &Type| quote!(#element).into_iter().any(|token| is_ident(&token, parameter));
        buffers.iter().any(|buffer| holds(&buffer.element)) || shared.iter().any(|array| holds(&array.element))
    }

    /// All variants, those with the same element types together.
    fn by_elements(&self) -> Vec<Vec<Vec<Choice>>> {
        let mut groups: Vec<(Vec<String>, Vec<Vec<Choice>>)> = Vec::new();
        for variant in self.variants() {
            let elements = variant.iter().zip(self.parameters()).filter(|(_, parameter)| self.is_element(parameter));
            let key: Vec<String> = elements.map(|(choice, _)| choice.name.to_string()).collect();
            match groups.iter_mut().find(|(known, _)| *known == key) {
                Some((_, variants)) => variants.push(variant),
                None => groups.push((key, vec![variant])),
            }
        }
        groups.into_iter().map(|(_, variants)| variants).collect()
    }

    /// Tokens of a type with the type parameters replaced by a variant's choices.
    fn chosen(&self, variant: &[Choice], tokens: Tokens) -> Tokens {
        let replace = |token: TokenTree| {
            let place = self.parameters().position(|parameter| is_ident(&token, parameter));
            match (place.and_then(|place| variant.get(place)), token) {
                (Some(Choice { implementation, .. }), _) => quote!(#implementation),
                (None, TokenTree::Group(group)) => {
                    let inner = self.chosen(variant, group.stream());
                    TokenTree::Group(Group::new(group.delimiter(), inner)).into()
                }
                (None, token) => token.into(),
            }
        };
        tokens.into_iter().map(replace).collect()
    }

    /// Where the host's struct has each buffer, in binding order.
    fn raw_buffers(&self) -> Vec<Tokens> {
        let mut raw: Vec<Tokens> =
            self.signature.buffers.iter().map(|BufferArgument { name, .. }| quote!(self.#name.raw().clone())).collect();
        for argument in &self.signature.arguments {
            if let Argument::Bundle(BundleArgument { name, fields, .. }) = argument {
                for (field, source) in fields {
                    if let Source::Buffer(number) = source {
                        raw[*number] = quote!(self.#name.#field.raw().clone());
                    }
                }
            }
        }
        raw
    }

    /// One variant's description, and the native functions in it.
    fn description(&self, variant: &[Choice]) -> Tokens {
        let (name, type_arguments) = (self.variant_name(variant), type_arguments(variant));
        let Signature { params_type, buffers, shared, .. } = &self.signature;
        let (body, threads) = (self.body_name(), &self.threads);
        let names = buffers.iter().map(|buffer| &buffer.label);
        let elements = buffers.iter().map(|BufferArgument { element, .. }| self.chosen(variant, quote!(#element)));
        let writable = buffers.iter().map(|buffer| buffer.writable);
        let buffer_view = |(index, BufferArgument { writable, element, .. }): (usize, &BufferArgument)| {
            let wrapper = if *writable { quote!(Global) } else { quote!(Read) };
            let element = self.chosen(variant, quote!(#element));
            quote!(unsafe { ::evenkeel_kernels::memory::#wrapper::<#element>::view(&KERNEL, arguments.buffer(#index), #index) })
        };
        let array_view = |(index, SharedArgument { name, element, length, .. }): (usize, &SharedArgument)| {
            let name = name.to_string();
            let element = self.chosen(variant, quote!(#element));
            quote!(unsafe { ::evenkeel_kernels::memory::Shared::<#element, { #length }>::view(arguments.shared(&KERNEL, #index), #name) })
        };
        let views = self.arguments(
            buffers.iter().enumerate().map(buffer_view).collect(),
            shared.iter().enumerate().map(array_view).collect(),
            &format_ident!("params"),
        );
        let shared_sizes = shared.iter().map(|SharedArgument { element, length, .. }| {
            let element = self.chosen(variant, quote!(#element));
            quote!(::core::mem::size_of::<[#element; #length]>())
        });
        let counted_arguments = self.counted_arguments(variant);
        let counted = if counted_arguments.is_some() {
            quote!(::core::option::Option::Some(counted))
        } else {
            quote!(::core::option::Option::None)
        };
        let counted_function = counted_arguments.map(|type_arguments| {
            quote! {
                // Whoever makes the arguments promises what the views need.
                #[allow(clippy::undocumented_unsafe_blocks)]
                fn counted(arguments: &::evenkeel_kernels::launch::Arguments, lane: ::evenkeel_kernels::lane::Lane) {
                    let params = arguments.params::<#params_type>();
                    #body #type_arguments(lane, params, #(#views,)*)
                }
            }
        });
        quote! {
            // Whoever makes the arguments promises what the views need.
            #[allow(clippy::undocumented_unsafe_blocks)]
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

impl BundleArgument {
    /// The bundle's type over a storage.
    fn with_storage(&self, storage: &Tokens) -> Type {
        let Self { path, generics, .. } = self;
        parse_quote!(#path<#(#generics,)* #storage>)
    }
}

fn is_ident(token: &TokenTree, name: &Ident) -> bool {
    matches!(token, TokenTree::Ident(ident) if ident == name)
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
