//! What the machine says of itself, where it says it in files; elsewhere, cautious guesses.

use std::fs;

/// The processor's name.
#[doc(hidden)]
pub fn name() -> String {
    let text = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    field(&text, "model name").filter(|name| !name.is_empty()).unwrap_or("CPU").to_owned()
}

/// Bytes of memory that can be had now: the least of what the system has, what the control group may have, and what the limit on the
/// process's address space leaves.
pub fn memory() -> u64 {
    // Half of what a common machine has; what is really there is known when it is asked for.
    const UNKNOWN: u64 = 8 << 30;
    known_memory().unwrap_or(UNKNOWN)
}

/// Bytes of available memory, if the machine reports them.
pub fn known_memory() -> Option<u64> {
    let read = |path: &str| fs::read_to_string(path).unwrap_or_default();
    let system = kibibytes(&read("/proc/meminfo"), "MemAvailable");
    let space = left_of_address_space(&read("/proc/self/limits"), &read("/proc/self/status"));
    let group = left_of_control_groups(&read("/proc/self/cgroup"), |file| fs::read_to_string(file).ok());
    [system, space, group].into_iter().flatten().min()
}

/// What `ulimit -v` leaves, if it is set.
fn left_of_address_space(limits: &str, status: &str) -> Option<u64> {
    let line = limits.lines().find_map(|line| line.strip_prefix("Max address space"))?;
    let limit: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(limit.saturating_sub(kibibytes(status, "VmSize").unwrap_or(0)))
}

/// What the limits of the process's control group and of those around it leave, of version 2 or 1; none when no limit is set.
fn left_of_control_groups(groups: &str, read: impl Fn(&str) -> Option<String>) -> Option<u64> {
    let number = |file: String| read(&file)?.trim().parse::<u64>().ok();
    let of_line = |line: &str| {
        let mut fields = line.splitn(3, ':').skip(1);
        let (controllers, path) = (fields.next()?, fields.next()?);
        let (root, limit, used, cached) = match controllers {
            "" => ("/sys/fs/cgroup", "memory.max", "memory.current", "inactive_file"),
            _ if controllers.split(',').any(|controller| controller == "memory") => {
                ("/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
            }
            _ => return None,
        };
        let around = std::path::Path::new(path).ancestors().filter_map(|group| {
            let folder = format!("{root}{}", group.display());
            let folder = folder.trim_end_matches('/');
            let limit = number(format!("{folder}/{limit}"))?;
            let used = number(format!("{folder}/{used}")).unwrap_or(0);
            // What was read from files is given back when it is needed.
            let statistics = read(&format!("{folder}/memory.stat")).unwrap_or_default();
            let cached = statistics.lines().find_map(|line| line.strip_prefix(cached)?.trim().parse().ok());
            Some(limit.saturating_sub(used.saturating_sub(cached.unwrap_or(0))))
        });
        around.min()
    };
    groups.lines().filter_map(of_line).min()
}

/// The value of a line `key: 12 kB` in bytes.
fn kibibytes(text: &str, key: &str) -> Option<u64> {
    let kibibytes: u64 = field(text, key)?.strip_suffix("kB")?.trim().parse().ok()?;
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
        assert_eq!(kibibytes("MemTotal: 9 kB\nMemAvailable:   16384 kB\n", "MemAvailable"), Some(16 << 20));
        assert_eq!(kibibytes("MemAvailable: lots\n", "MemAvailable"), None);
    }

    #[test]
    fn a_limit_on_the_address_space_counts_what_is_taken() {
        let limits = "Limit   Soft Limit  Hard Limit  Units\nMax address space   1048576   unlimited   bytes\n";
        assert_eq!(left_of_address_space(limits, "VmSize:\t     24 kB\n"), Some((1 << 20) - (24 << 10)));
        assert_eq!(left_of_address_space("Max address space   unlimited   unlimited   bytes", ""), None);
    }

    #[test]
    fn the_tightest_control_group_decides() {
        let files = |file: &str| {
            let text = match file {
                "/sys/fs/cgroup/a/b/memory.max" => "max",
                "/sys/fs/cgroup/a/memory.max" => "5000",
                "/sys/fs/cgroup/a/memory.current" => "2400",
                "/sys/fs/cgroup/a/memory.stat" => "anon 7\ninactive_file 400\nactive_file 9\n",
                "/sys/fs/cgroup/memory/c/memory.limit_in_bytes" => "2500\n",
                _ => return None,
            };
            Some(text.to_owned())
        };
        assert_eq!(left_of_control_groups("0::/a/b\n", files), Some(3000));
        assert_eq!(left_of_control_groups("7:cpu,memory:/c\n0::/a/b\n", files), Some(2500));
        assert_eq!(left_of_control_groups("3:cpu:/c\n0::/elsewhere\n", files), None);
    }
}
