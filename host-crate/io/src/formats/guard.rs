//! Parsers of others that may panic on a damaged file: whoever panics, the file is at fault, and its reader gets an error.

use evenkeel_base::{Error, Result};
use std::{
    cell::Cell,
    panic::{self, AssertUnwindSafe},
    path::Path,
    sync::Once,
};

thread_local! {
    /// Whether this thread is in a parser whose panics are errors.
    static GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// Runs a parser of the file that is called `path`. A panic becomes an error, and nothing is printed for it.
pub fn guarded<T>(path: &Path, parse: impl FnOnce() -> Result<T>) -> Result<T> {
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
        let reason = format!("the file is damaged: {}", message.unwrap_or("it cannot be read"));
        Err(Error::File { path: path.to_path_buf(), reason })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_an_error_of_the_file() {
        let path = Path::new("test");
        let error = guarded(path, || -> Result<()> { panic!("an offset of {}", 7) }).unwrap_err();
        assert_eq!((error.exit_status(), error.to_string().as_str()), (3, "test: the file is damaged: an offset of 7"));
        assert_eq!(guarded(path, || Ok(1)).unwrap(), 1);
    }
}
