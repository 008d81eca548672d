//! Parsers of others that may panic on a damaged file: whoever panics, the file is at fault, and its reader gets an error.

use super::lines::Text;
use crate::Result;
use std::{
    cell::Cell,
    panic::{self, AssertUnwindSafe},
    sync::Once,
};

thread_local! {
    /// Whether this thread is in a parser whose panics are errors.
    static GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// Runs a parser. A panic becomes an error, and nothing is printed for it.
pub(super) fn guarded<T>(text: Text<'_>, parse: impl FnOnce() -> Result<T>) -> Result<T> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if !GUARDED.get() {
                before(info);
            }
        }));
    });
    let outer = GUARDED.replace(true);
    // What the parser leaves half-made is dropped, and nothing else is changed by it.
    let parsed = panic::catch_unwind(AssertUnwindSafe(parse));
    GUARDED.set(outer);
    parsed.unwrap_or_else(|panic| {
        let message = panic.downcast_ref::<String>().map(String::as_str).or(panic.downcast_ref::<&str>().copied());
        Err(text.error_of_file(format!("the file is damaged: {}", message.unwrap_or("it cannot be read"))))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_an_error_of_the_file() {
        let text = Text { path: "test".as_ref(), bytes: b"" };
        let error = guarded(text, || -> Result<()> { panic!("an offset of {}", 7) }).unwrap_err();
        assert_eq!((error.exit_status(), error.to_string().as_str()), (3, "test: the file is damaged: an offset of 7"));
        assert_eq!(guarded(text, || Ok(1)).unwrap(), 1);
    }
}
