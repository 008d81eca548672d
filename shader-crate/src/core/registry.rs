//! Registries: lists of things that can be asked for by name and that generic kernels are made for.

/// Declares an enum with a name for each member, and a macro by which `#[kernel(each(… in …))]` finds the type behind each.
/// A new member is one line in the registry, and every generic kernel has it. After `as Trait`, which is object-safe and for the
/// host alone, each member's type is also at hand as a `&'static dyn Trait`.
#[macro_export]
macro_rules! registry {
    (
        $(#[$documentation:meta])*
        pub enum $registry:ident $(as $interface:path)?, $path:path, $ask:ident {
            $($(#[$member_documentation:meta])* $member:ident = $name:literal, $implementation:path;)*
        }
    ) => {
        $(#[$documentation])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $registry {
            $($(#[$member_documentation])* $member,)*
        }

        #[cfg(not(target_arch = "spirv"))]
        impl $registry {
            /// Every member, in the order they are registered.
            pub const ALL: &'static [Self] = &[$(Self::$member),*];

            /// What it is called in commands and reports.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$member => $name,)*
                }
            }
        }

        $crate::registry!(@as $registry [$($interface)?] [$($member = $implementation,)*]);
        $crate::registry!(@ask ($) $ask $path [$($member = $implementation,)*]);
    };
    (@as $registry:ident [] [$($members:tt)*]) => {};
    (@as $registry:ident [$interface:path] [$($member:ident = $implementation:path,)*]) => {
        #[cfg(not(target_arch = "spirv"))]
        impl $registry {
            /// The type behind the member, as the host sees it.
            pub fn implementation(self) -> &'static dyn $interface {
                match self {
                    $(Self::$member => &$implementation,)*
                }
            }
        }
    };
    (@ask ($dollar:tt) $ask:ident $path:path [$($members:tt)*]) => {
        #[doc(hidden)]
        #[macro_export]
        macro_rules! $ask {
            (($dollar($dollar callback:tt)*) $dollar($dollar rest:tt)*) => {
                $dollar($dollar callback)*! { { $path; $($members)* } $dollar($dollar rest)* }
            };
        }
    };
}
