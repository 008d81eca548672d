//! A kernel's parameters: what they say about its buffers, its workgroup arrays and its state.

use crate::bundle::Bundle;
use proc_macro2::TokenStream as Tokens;
use quote::{format_ident, quote};
use syn::{
    Error, Expr, FnArg, GenericArgument, Ident, ItemFn, Pat, Path, PathArguments, Result, Type, parse_quote,
    spanned::Spanned,
};

/// A kernel's parameters, in order.
pub struct Signature {
    pub lane: Ident,
    pub params: Ident,
    pub params_type: Type,
    /// Everything after the lane and the push constants, as the body takes it.
    pub arguments: Vec<(Ident, Source)>,
    /// The buffers behind that, in binding order.
    pub buffers: Vec<BufferArgument>,
    /// The workgroup arrays behind that.
    pub shared: Vec<SharedArgument>,
}

/// Where an argument of the body, or a bundle's field, comes from.
pub enum Source {
    /// A view of the buffer with this number.
    Buffer(usize),
    /// A view of the workgroup array with this number.
    Shared(usize),
    /// The state in the buffer with this number.
    State(usize),
    /// The field of the push constants with the same name.
    Param,
    /// All fields of a bundle.
    Bundle(BundleArgument),
}

/// A parameter that is a bundle; the storage is not among its generic arguments.
pub struct BundleArgument {
    pub path: Path,
    generics: Vec<GenericArgument>,
    pub fields: Vec<(Ident, Source)>,
}

impl BundleArgument {
    /// The bundle's type over a storage.
    pub fn with_storage(&self, storage: &Tokens) -> Type {
        let Self { path, generics, .. } = self;
        parse_quote!(#path<#(#generics,)* #storage>)
    }
}

/// A buffer that the kernel binds.
pub struct BufferArgument {
    /// The parameter; the bundle and its field where it belongs to one, so that the host has no field of its own for it.
    pub place: Vec<Ident>,
    /// What kernels see in it.
    pub element: Type,
    /// What the host sees in it, where it is a state.
    pub state: Option<Type>,
    pub writable: bool,
}

impl BufferArgument {
    /// The entry point's name for it.
    pub fn name(&self) -> Ident {
        entry_name(&self.place)
    }

    /// Its name in messages.
    pub fn label(&self) -> String {
        self.place.iter().map(Ident::to_string).collect::<Vec<_>>().join(".")
    }

    /// The view through which a kernel sees it.
    pub fn view(&self) -> Tokens {
        if self.writable {
            quote!(::evenkeel_kernels::memory::Global)
        } else {
            quote!(::evenkeel_kernels::memory::Read)
        }
    }
}

/// A workgroup array.
pub struct SharedArgument {
    /// The entry point's name for it.
    pub name: Ident,
    pub element: Type,
    pub length: Expr,
}

fn entry_name(place: &[Ident]) -> Ident {
    place.iter().skip(1).fold(place[0].clone(), |name, field| format_ident!("{name}_{field}"))
}

/// A parameter of a kernel or a field of a bundle: its name, its type's path and the generic arguments of that.
#[derive(Clone)]
pub struct Parameter {
    pub name: Ident,
    pub path: Path,
    pub kind: String,
    pub generics: Vec<GenericArgument>,
}

impl Parameter {
    /// Splits the type of a parameter.
    pub fn new(name: Ident, kind: &Type) -> Result<Self> {
        let wrong = || {
            let known = "`Read<T>`, `Global<T>`, `Shared<T, N>`, `State<S>` and bundles of these";
            Error::new(kind.span(), format!("a kernel's parameters are {known}"))
        };
        let Type::Path(typed) = kind else { return Err(wrong()) };
        let mut path = typed.path.clone();
        let segment = path.segments.last_mut().ok_or_else(wrong)?;
        let generics: Vec<_> = match std::mem::take(&mut segment.arguments) {
            PathArguments::AngleBracketed(list) => list.args.into_iter().collect(),
            _ => Vec::new(),
        };
        let kind = segment.ident.to_string();
        let right = match (kind.as_str(), &generics[..]) {
            ("Read" | "Global" | "Write" | "State" | "Param", [GenericArgument::Type(_)])
            | ("Shared", [GenericArgument::Type(_), _]) => true,
            ("Read" | "Global" | "Write" | "State" | "Param" | "Shared", _) => false,
            // A number or a slice is no bundle: the names of bundles begin with a capital.
            _ => kind.starts_with(|letter: char| letter.is_ascii_uppercase()),
        };
        if right { Ok(Self { name, path, kind, generics }) } else { Err(wrong()) }
    }

    /// The path of the bundle that it is, if it is none of the views that `#[kernel]` knows itself.
    pub fn bundle(&self) -> Option<&Path> {
        (!["Read", "Global", "Shared", "State"].contains(&self.kind.as_str())).then_some(&self.path)
    }
}

/// The lane, the push constants, and all parameters after them.
pub fn parameters(function: &ItemFn) -> Result<(Ident, (Ident, Type), Vec<Parameter>)> {
    let named = function.sig.inputs.iter().map(|input| {
        let FnArg::Typed(argument) = input else { return Err(Error::new(input.span(), "a kernel has no `self`")) };
        match &*argument.pat {
            Pat::Ident(name) => Ok((name.ident.clone(), &*argument.ty)),
            other => Err(Error::new(other.span(), "a kernel's parameters are plain names")),
        }
    });
    let mut named = named.collect::<Result<Vec<_>>>()?.into_iter();
    let (Some((lane, _)), Some((params, Type::Reference(reference)))) = (named.next(), named.next()) else {
        return Err(Error::new(
            function.sig.span(),
            "a kernel begins with `lane: Lane, params: &Params`, where Params is what the host pushes with the dispatch",
        ));
    };
    let rest = named.map(|(name, kind)| Parameter::new(name, kind)).collect::<Result<_>>()?;
    Ok((lane, (params, (*reference.elem).clone()), rest))
}

impl Signature {
    /// Reads a kernel's parameters; `bundles` are those of them that are bundles, in order.
    pub fn parse(function: &ItemFn, bundles: &[Bundle]) -> Result<Self> {
        let (lane, (params, params_type), parameters) = parameters(function)?;
        let mut signature =
            Self { lane, params, params_type, arguments: Vec::new(), buffers: Vec::new(), shared: Vec::new() };
        let mut bundles = bundles.iter();
        for parameter in parameters {
            let argument = signature.add(&[], parameter, &mut bundles)?;
            signature.arguments.push(argument);
        }
        Ok(signature)
    }

    /// Adds what is behind a parameter, or behind a field of the bundle `within`.
    fn add<'a>(
        &mut self,
        within: &[Ident],
        parameter: Parameter,
        bundles: &mut impl Iterator<Item = &'a Bundle>,
    ) -> Result<(Ident, Source)> {
        let Parameter { name, path, kind, generics } = parameter;
        let place: Vec<_> = within.iter().chain([&name]).cloned().collect();
        let source = match (kind.as_str(), &generics[..]) {
            ("Read" | "Global" | "Write", [GenericArgument::Type(element)]) => {
                Source::Buffer(self.buffer(place, element.clone(), None, kind != "Read"))
            }
            ("State", [GenericArgument::Type(state)]) => {
                Source::State(self.buffer(place, parse_quote!(u32), Some(state.clone()), true))
            }
            ("Shared", [GenericArgument::Type(element), length]) => {
                let (name, length) = (entry_name(&place), constant(length)?);
                self.shared.push(SharedArgument { name, element: element.clone(), length });
                Source::Shared(self.shared.len() - 1)
            }
            ("Param", _) if !within.is_empty() => Source::Param,
            _ => {
                let bundle = bundles.next().ok_or_else(|| Error::new(name.span(), "this bundle was not asked for"))?;
                let fields = bundle.fields_with(&generics).into_iter().map(|field| self.add(&place, field, bundles));
                let fields = fields.collect::<Result<_>>()?;
                Source::Bundle(BundleArgument { path, generics, fields })
            }
        };
        Ok((name, source))
    }

    fn buffer(&mut self, place: Vec<Ident>, element: Type, state: Option<Type>, writable: bool) -> usize {
        self.buffers.push(BufferArgument { place, element, state, writable });
        self.buffers.len() - 1
    }
}

/// A generic argument that is a constant; one that is a plain name looks like a type.
fn constant(argument: &GenericArgument) -> Result<Expr> {
    match argument {
        GenericArgument::Const(expression) => Ok(expression.clone()),
        GenericArgument::Type(Type::Path(path)) => Ok(parse_quote!(#path)),
        other => {
            let message = format!("the length of a workgroup array is a constant, not {}", quote!(#other));
            Err(Error::new(other.span(), message))
        }
    }
}
