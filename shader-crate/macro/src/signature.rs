//! A kernel's parameters: what they say about its buffers, its workgroup arrays and its state.

use crate::bundle::{Bundle, BundleField, FieldKind};
use quote::{format_ident, quote};
use syn::{
    Error, Expr, FnArg, GenericArgument, Ident, ItemFn, Pat, Path, PathArguments, Result, Type, parse_quote,
    spanned::Spanned,
};

/// A kernel's parameters, in order.
pub struct Signature {
    /// The name of the `Lane`.
    pub lane: Ident,
    /// The name of the push constants.
    pub params: Ident,
    /// Their type.
    pub params_type: Type,
    /// Everything after them, as the body takes it.
    pub arguments: Vec<Argument>,
    /// The buffers behind that, in binding order.
    pub buffers: Vec<BufferArgument>,
    /// The workgroup arrays behind that.
    pub shared: Vec<SharedArgument>,
}

/// A parameter as the body takes it.
pub enum Argument {
    /// A view of the buffer with this number.
    Buffer(usize),
    /// A view of the workgroup array with this number.
    Shared(usize),
    /// The state in the buffer with this number.
    State(usize),
    /// A bundle.
    Bundle(BundleArgument),
}

/// A parameter that is a bundle.
pub struct BundleArgument {
    /// The parameter's name.
    pub name: Ident,
    /// The bundle's path, without generic arguments.
    pub path: Path,
    /// Its generic arguments but for the storage.
    pub generics: Vec<GenericArgument>,
    /// Its fields' names, and where each comes from.
    pub fields: Vec<(Ident, Source)>,
}

/// Where a bundle's field comes from.
pub enum Source {
    /// The buffer with this number.
    Buffer(usize),
    /// The workgroup array with this number.
    Shared(usize),
    /// The field of the push constants with the same name.
    Param,
}

/// A buffer that the kernel binds.
pub struct BufferArgument {
    /// The entry point's name for it.
    pub name: Ident,
    /// Its name in messages: the parameter's, or the bundle's and the field's.
    pub label: String,
    /// What kernels see in it.
    pub element: Type,
    /// What the host sees in it, where it is a state.
    pub state: Option<Type>,
    /// Whether the kernel may write it.
    pub writable: bool,
    /// Whether it belongs to a bundle, so that the host has no field of its own for it.
    pub bundled: bool,
}

/// A workgroup array.
pub struct SharedArgument {
    /// The entry point's name for it.
    pub name: Ident,
    /// What it holds.
    pub element: Type,
    /// How much of it.
    pub length: Expr,
}

/// A parameter of a kernel: its name, its type's path and the generic arguments of that.
pub struct Parameter {
    pub name: Ident,
    pub path: Path,
    pub kind: String,
    pub generics: Vec<GenericArgument>,
}

impl Parameter {
    /// The path of the bundle that it is, if it is none of the views that `#[kernel]` knows itself.
    pub fn bundle(&self) -> Option<&Path> {
        (!["Read", "Global", "Shared", "State"].contains(&self.kind.as_str())).then_some(&self.path)
    }
}

/// The lane, the push constants, and all parameters after them.
pub fn parameters(function: &ItemFn) -> Result<(Ident, (Ident, Type), Vec<Parameter>)> {
    let mut named = Vec::new();
    for input in &function.sig.inputs {
        let FnArg::Typed(argument) = input else { return Err(Error::new(input.span(), "a kernel has no `self`")) };
        let Pat::Ident(name) = &*argument.pat else {
            return Err(Error::new(argument.pat.span(), "a kernel's parameters are plain names"));
        };
        named.push((name.ident.clone(), (*argument.ty).clone()));
    }
    let mut named = named.into_iter();
    let (Some((lane, _)), Some((params, Type::Reference(reference)))) = (named.next(), named.next()) else {
        return Err(Error::new(
            function.sig.span(),
            "a kernel begins with `lane: Lane, params: &Params`, where Params is what the host pushes with the dispatch",
        ));
    };
    let rest = named.map(|(name, argument)| parameter(name, &argument)).collect::<Result<_>>()?;
    Ok((lane, (params, *reference.elem), rest))
}

fn parameter(name: Ident, argument: &Type) -> Result<Parameter> {
    let wrong = || {
        Error::new(
            argument.span(),
            "a kernel's parameters are `Read<T>`, `Global<T>`, `Shared<T, N>`, `State<S>` and bundles of these",
        )
    };
    let Type::Path(typed) = argument else { return Err(wrong()) };
    let mut path = typed.path.clone();
    let segment = path.segments.last_mut().ok_or_else(wrong)?;
    let generics: Vec<GenericArgument> = match &segment.arguments {
        PathArguments::AngleBracketed(list) => list.args.iter().cloned().collect(),
        _ => Vec::new(),
    };
    segment.arguments = PathArguments::None;
    let kind = segment.ident.to_string();
    let is_type = |argument: Option<&GenericArgument>| matches!(argument, Some(GenericArgument::Type(_)));
    let right = match kind.as_str() {
        "Read" | "Global" | "State" => generics.len() == 1 && is_type(generics.first()),
        "Shared" => generics.len() == 2 && is_type(generics.first()),
        // A number or a slice is no bundle: the names of bundles begin with a capital.
        _ => kind.starts_with(|letter: char| letter.is_ascii_uppercase()),
    };
    if right { Ok(Parameter { name, path, kind, generics }) } else { Err(wrong()) }
}

impl Signature {
    /// Reads a kernel's parameters; `bundles` are those of them that are bundles, in order.
    pub fn parse(function: &ItemFn, bundles: &[Bundle]) -> Result<Self> {
        let (lane, (params, params_type), parameters) = parameters(function)?;
        let mut signature =
            Self { lane, params, params_type, arguments: Vec::new(), buffers: Vec::new(), shared: Vec::new() };
        let mut bundles = bundles.iter();
        for parameter in parameters {
            signature.add(parameter, &mut bundles)?;
        }
        Ok(signature)
    }

    fn add<'a>(&mut self, parameter: Parameter, bundles: &mut impl Iterator<Item = &'a Bundle>) -> Result<()> {
        let Parameter { name, path, kind, generics } = parameter;
        let argument = match (kind.as_str(), generics.as_slice()) {
            ("Read" | "Global", [GenericArgument::Type(element)]) => {
                Argument::Buffer(self.buffer(name, None, element.clone(), kind == "Global"))
            }
            ("State", [GenericArgument::Type(state)]) => {
                let number = self.buffer(name, None, parse_quote!(u32), true);
                self.buffers[number].state = Some(state.clone());
                Argument::State(number)
            }
            ("Shared", [GenericArgument::Type(element), length]) => {
                Argument::Shared(self.array(name, element.clone(), constant(length)?))
            }
            _ => {
                let bundle = bundles.next().ok_or_else(|| Error::new(name.span(), "this bundle was not asked for"))?;
                let fields = bundle.fields_with(&generics);
                let fields = fields.into_iter().map(|field| self.field(&name, field)).collect::<Result<_>>()?;
                Argument::Bundle(BundleArgument { name, path, generics, fields })
            }
        };
        self.arguments.push(argument);
        Ok(())
    }

    fn field(&mut self, bundle: &Ident, field: BundleField) -> Result<(Ident, Source)> {
        let BundleField { name, kind, element, length } = field;
        let entry = format_ident!("{bundle}_{name}");
        let source = match (kind, length) {
            (FieldKind::Param, _) => Source::Param,
            (FieldKind::Shared, Some(length)) => Source::Shared(self.array(entry, element, constant(&length)?)),
            (FieldKind::Shared, None) => return Err(Error::new(name.span(), "a workgroup array has a length")),
            (kind, _) => {
                let label = format!("{bundle}.{name}");
                Source::Buffer(self.buffer(entry, Some(label), element, kind == FieldKind::Write))
            }
        };
        Ok((name, source))
    }

    /// Adds a buffer, which is part of a bundle where it has a label of its own; returns its number.
    fn buffer(&mut self, name: Ident, label: Option<String>, element: Type, writable: bool) -> usize {
        let bundled = label.is_some();
        let label = label.unwrap_or_else(|| name.to_string());
        self.buffers.push(BufferArgument { name, label, element, state: None, writable, bundled });
        self.buffers.len() - 1
    }

    fn array(&mut self, name: Ident, element: Type, length: Expr) -> usize {
        self.shared.push(SharedArgument { name, element, length });
        self.shared.len() - 1
    }
}

/// A generic argument that is a constant; one that is a plain name looks like a type.
fn constant(argument: &GenericArgument) -> Result<Expr> {
    match argument {
        GenericArgument::Const(expression) => Ok(expression.clone()),
        GenericArgument::Type(Type::Path(path)) => Ok(parse_quote!(#path)),
        other => Err(Error::new(
            other.span(),
            format!("the length of a workgroup array is a constant, not {}", quote!(#other)),
        )),
    }
}
