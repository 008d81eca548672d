//! The addresses of the workers, in timely dataflow's own convention: a text file with one `host:port` in each line; the number of a line,
//! from 0, is the number of its process.

use crate::{Error, Result};
use std::{fs, path::Path};

/// The most workers there can be: each has two connections to every other.
pub const MOST_WORKERS: usize = 1024;

/// Reads the addresses of all workers.
///
/// # Errors
/// When the file cannot be read, a line is no `host:port`, or two lines are the same.
pub fn read(path: &Path) -> Result<Vec<String>> {
    parse(&fs::read_to_string(path).map_err(Error::io(path))?, path)
}

fn parse(text: &str, path: &Path) -> Result<Vec<String>> {
    let mut addresses = Vec::<String>::new();
    for (line, address) in (1..).zip(text.lines().map(str::trim)) {
        let wrong = |reason: String| Error::Line { path: path.to_path_buf(), line, reason };
        if !is_address(address) {
            return Err(wrong(format!("'{address}' is no address of a worker: host:port belongs here")));
        }
        if let Some(first) = addresses.iter().position(|known| known == address) {
            return Err(wrong(format!("{address} is the address of worker {first} already")));
        }
        addresses.push(address.to_owned());
    }
    match addresses.len() {
        0 => Err(Error::File { path: path.to_path_buf(), reason: "there is no host in it".into() }),
        count if count > MOST_WORKERS => {
            let reason = format!("{count} workers are too many: there can be {MOST_WORKERS}");
            Err(Error::File { path: path.to_path_buf(), reason })
        }
        _ => Ok(addresses),
    }
}

/// Whether a text is a host and a port that can be connected to.
fn is_address(text: &str) -> bool {
    let is_host = |host: &str| !host.is_empty() && !host.contains(char::is_whitespace);
    text.rsplit_once(':').is_some_and(|(host, port)| is_host(host) && port.parse::<u16>().is_ok_and(|port| port > 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Result<Vec<String>> {
        parse(text, Path::new("hosts"))
    }

    #[test]
    fn a_line_is_a_worker() {
        assert_eq!(
            parsed("a.example:2101\n10.0.0.2:2101\r\n[::1]:7\n").unwrap(),
            ["a.example:2101", "10.0.0.2:2101", "[::1]:7"]
        );
    }

    #[test]
    fn wrong_lines_are_named() {
        for (text, message) in [
            ("", "hosts: there is no host in it"),
            ("a:1\n\nb:2\n", "hosts:2: '' is no address of a worker: host:port belongs here"),
            ("a:1\nb\n", "hosts:2: 'b' is no address of a worker: host:port belongs here"),
            ("a:0\n", "hosts:1: 'a:0' is no address of a worker: host:port belongs here"),
            ("a:1\nb:1\na:1", "hosts:3: a:1 is the address of worker 0 already"),
        ] {
            assert_eq!(parsed(text).unwrap_err().to_string(), message);
        }
    }
}
