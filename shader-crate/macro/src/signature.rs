//! A kernel's parameters: what they say about its buffers and workgroup arrays.

use quote::format_ident;
use syn::{
    Error, Expr, FnArg, GenericArgument, Ident, ItemFn, Pat, PathArguments, Result, Type, parse_quote, spanned::Spanned,
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
    /// A view of a buffer.
    Buffer(Ident),
    /// A view of a workgroup array.
    Shared(Ident),
    /// A schedule's scratch, made of several of both.
    Scratch(Ident),
}

/// A buffer that the kernel binds.
pub struct BufferArgument {
    /// The entry point's name for it.
    pub name: Ident,
    /// What it holds.
    pub element: Type,
    /// Whether it is a `Global`.
    pub writable: bool,
    /// The scratch it is part of, with the scratch's element and its own name there.
    pub part_of: Option<(Ident, Type, Ident)>,
}

/// A workgroup array.
pub struct SharedArgument {
    /// The entry point's name for it.
    pub name: Ident,
    /// What it holds.
    pub element: Type,
    /// How much of it.
    pub length: Expr,
    /// The scratch it is part of, and its name there.
    pub part_of: Option<(Ident, Ident)>,
}

impl Signature {
    pub fn parse(function: &ItemFn) -> Result<Self> {
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
        let mut signature = Self {
            lane,
            params,
            params_type: *reference.elem,
            arguments: Vec::new(),
            buffers: Vec::new(),
            shared: Vec::new(),
        };
        for (name, argument) in named {
            signature.add(name, &argument)?;
        }
        Ok(signature)
    }

    fn add(&mut self, name: Ident, argument: &Type) -> Result<()> {
        let (kind, generics) = wrapper(argument).unwrap_or_default();
        match (kind.as_str(), generics.as_slice()) {
            ("Read" | "Global", [GenericArgument::Type(element)]) => {
                self.arguments.push(Argument::Buffer(name.clone()));
                self.buffers.push(BufferArgument {
                    name,
                    element: element.clone(),
                    writable: kind == "Global",
                    part_of: None,
                });
            }
            ("Shared", [GenericArgument::Type(element), length]) => {
                self.arguments.push(Argument::Shared(name.clone()));
                let (element, length) = (element.clone(), constant(length)?);
                self.shared.push(SharedArgument { name, element, length, part_of: None });
            }
            ("Scratch", [GenericArgument::Type(element)]) => self.add_scratch(name, element),
            _ => {
                return Err(Error::new(
                    argument.span(),
                    "a kernel's parameters are `Read<T>`, `Global<T>`, `Shared<T, N>` and `Scratch<T>`",
                ));
            }
        }
        Ok(())
    }

    /// The buffers and arrays of `schedule::Scratch`, by their names there.
    fn add_scratch(&mut self, scratch: Ident, value: &Type) {
        let word: Type = parse_quote!(u32);
        for (part, element, writable) in [("order", &word, false), ("pieces", value, true)] {
            self.buffers.push(BufferArgument {
                name: format_ident!("{scratch}_{part}"),
                element: element.clone(),
                writable,
                part_of: Some((scratch.clone(), value.clone(), format_ident!("{part}"))),
            });
        }
        let room: Expr = parse_quote!(::evenkeel_kernels::schedule::ROOM);
        let subgroups: Expr = parse_quote!(::evenkeel_kernels::primitive::workgroup::SUBGROUPS);
        for (part, element, length) in
            [("cells", &word, &room), ("slots", &word, &subgroups), ("carries", value, &subgroups)]
        {
            self.shared.push(SharedArgument {
                name: format_ident!("{scratch}_{part}"),
                element: element.clone(),
                length: length.clone(),
                part_of: Some((scratch.clone(), format_ident!("{part}"))),
            });
        }
        self.arguments.push(Argument::Scratch(scratch));
    }
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

/// A generic argument that is a constant; one that is a plain name looks like a type.
fn constant(argument: &GenericArgument) -> Result<Expr> {
    match argument {
        GenericArgument::Const(expression) => Ok(expression.clone()),
        GenericArgument::Type(Type::Path(path)) => Ok(parse_quote!(#path)),
        other => Err(Error::new(other.span(), "the length of a workgroup array is a constant")),
    }
}
