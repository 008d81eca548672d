//! Captures for RenderDoc, which must have started the program: its library is then already loaded, and is never loaded here.

use crate::{Error, Result};
use renderdoc::{RenderDoc, V100};
use std::ptr;

fn renderdoc() -> Result<RenderDoc<V100>> {
    RenderDoc::new().map_err(|error| {
        Error::Device(format!(
            "no capture without RenderDoc ({error}): start the program under it, with `renderdoccmd capture evenkeel …` or \
             from its window (Launch Application)"
        ))
    })
}

pub(super) fn begin() -> Result<()> {
    // There is no window here, and one device: null stands for both.
    renderdoc()?.start_frame_capture(ptr::null::<std::ffi::c_void>(), ptr::null());
    Ok(())
}

pub(super) fn end() -> Result<()> {
    let mut renderdoc = renderdoc()?;
    if !renderdoc.is_frame_capturing() {
        return Err(Error::Device("RenderDoc is not capturing: begin a capture before ending it".to_owned()));
    }
    let before = renderdoc.get_num_captures();
    renderdoc.end_frame_capture(ptr::null::<std::ffi::c_void>(), ptr::null());
    match renderdoc.get_num_captures() {
        after if after > before => Ok(()),
        _ => Err(Error::Device("RenderDoc ended the capture but wrote no file: see its log".to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_renderdoc_the_error_says_how_to_start_under_it() {
        if renderdoc().is_ok() {
            println!("skipped: this test runs under RenderDoc");
            return;
        }
        for result in [begin(), end()] {
            let message = result.unwrap_err().to_string();
            assert!(message.contains("renderdoccmd capture"), "{message}");
        }
    }
}
