//! Enums whose variants have names: text there and back from one table.

/// Declares such an enum; its kind is what messages call it. A variant is `Name => "its-name"`, or `Name = VALUE => "its-name"`.
macro_rules! named {
    (
        $(#[$meta:meta])*
        $kind:literal $visibility:vis enum $enum:ident {
            $($(#[$about:meta])* $variant:ident $(= $value:path)? => $name:literal,)*
        }
    ) => {
        $(#[$meta])*
        $visibility enum $enum {
            $($(#[$about])* $variant $(= $value)?,)*
        }

        impl $enum {
            /// All of them, in their order.
            pub const ALL: [Self; [$($name),*].len()] = [$(Self::$variant),*];

            /// Its name in commands, tables and models.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                }
            }
        }

        impl std::fmt::Display for $enum {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.name())
            }
        }

        impl std::str::FromStr for $enum {
            type Err = crate::Error;

            fn from_str(text: &str) -> crate::Result<Self> {
                let found = Self::ALL.into_iter().find(|it| it.name() == text);
                found.ok_or_else(|| crate::Error::unknown($kind, text, Self::ALL))
            }
        }
    };
}
pub(super) use named;
