//! What the machine says of itself, where it says it in files; elsewhere, cautious guesses.

use std::fs;

/// The processor's name.
pub(super) fn name() -> String {
    let text = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    field(&text, "model name").filter(|name| !name.is_empty()).unwrap_or("CPU").to_owned()
}

/// Bytes of memory that can be had now.
pub(super) fn memory() -> u64 {
    // Half of what a common machine has; what is really there is known when it is asked for.
    const UNKNOWN: u64 = 8 << 30;
    let text = fs::read_to_string("/proc/meminfo").unwrap_or_default();
    available(&text).unwrap_or(UNKNOWN)
}

fn available(text: &str) -> Option<u64> {
    let kibibytes: u64 = field(text, "MemAvailable")?.strip_suffix("kB")?.trim().parse().ok()?;
    kibibytes.checked_mul(1024)
}

/// The value of the first line `key : value`.
fn field<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    text.lines()
        .filter_map(|line| line.split_once(':'))
        .find(|(name, _)| name.trim() == key)
        .map(|(_, value)| value.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_found_where_they_are() {
        let text = "processor\t: 0\nmodel name\t: A Fine CPU @ 2.00GHz\nmodel name\t: Another\n";
        assert_eq!(field(text, "model name"), Some("A Fine CPU @ 2.00GHz"));
        assert_eq!(field(text, "Hardware"), None);
        assert_eq!(available("MemTotal: 9 kB\nMemAvailable:   16384 kB\n"), Some(16 << 20));
        assert_eq!(available("MemAvailable: lots\n"), None);
    }
}
