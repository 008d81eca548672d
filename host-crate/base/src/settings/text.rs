//! Types that are told by their text: formats, generators, strategies with their settings.

/// Display, Debug and equality of a type that is told by its text.
#[doc(hidden)]
#[macro_export]
macro_rules! told_by_text {
    ($name:ident $(<$parameter:ident: $bound:ident>)?, |$this:ident| $text:expr) => {
        impl $(<$parameter: $bound>)? std::fmt::Display for $name $(<$parameter>)? {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                let $this = self;
                f.write_str($text)
            }
        }

        impl $(<$parameter: $bound>)? std::fmt::Debug for $name $(<$parameter>)? {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, "{}({self})", stringify!($name))
            }
        }

        impl $(<$parameter: $bound>)? PartialEq for $name $(<$parameter>)? {
            fn eq(&self, other: &Self) -> bool {
                self.to_string() == other.to_string()
            }
        }

        impl $(<$parameter: $bound>)? Eq for $name $(<$parameter>)? {}
    };
}
#[doc(hidden)]
pub use told_by_text;
