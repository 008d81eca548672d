//! The entry points that one run of rust-gpu compiles: its memory, and its time, grow with the square of their number, so that a build shares
//! them out to several runs.

use std::env;

/// The variable by which the build asks for a group: `INDEX/COUNT`.
const VARIABLE: &str = "EVENKEEL_KERNELS_GROUP";

/// One of the groups that the entry points are shared out to.
#[derive(Debug, PartialEq, Eq)]
pub struct Group {
    index: u32,
    count: u32,
}

impl Group {
    /// The group that the build asks for, or the one with all entry points.
    pub fn asked_for() -> Self {
        env::var(VARIABLE).ok().and_then(|group| Self::parse(&group)).unwrap_or(Self { index: 0, count: 1 })
    }

    fn parse(group: &str) -> Option<Self> {
        let (index, count) = group.split_once('/')?;
        let group = Self { index: index.parse().ok()?, count: count.parse().ok()? };
        (group.index < group.count).then_some(group)
    }

    /// Whether an entry point is one of this group.
    pub fn has(&self, entry_point: &str) -> bool {
        // FNV-1a, since every run has to share them out alike, and kernels with a common stem are to come apart.
        let hash =
            entry_point.bytes().fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
        hash % self.count == self.index
    }
}

#[cfg(test)]
mod tests {
    use super::Group;

    #[test]
    fn each_entry_point_is_in_one_group() {
        let groups: Vec<_> = (0..4).map(|index| Group { index, count: 4 }).collect();
        let mut sizes = [0; 4];
        for number in 0..400 {
            let name = format!("kernel_{number}");
            let found: Vec<_> = groups.iter().filter(|group| group.has(&name)).collect();
            assert_eq!(found.len(), 1, "{name}");
            sizes[found[0].index as usize] += 1;
        }
        assert!(sizes.iter().all(|size| (50..200).contains(size)), "{sizes:?}");
    }

    #[test]
    fn a_group_is_an_index_and_a_count() {
        assert_eq!(Group::parse("1/4"), Some(Group { index: 1, count: 4 }));
        for wrong in ["", "1", "4/4", "a/b", "-1/2"] {
            assert_eq!(Group::parse(wrong), None, "{wrong}");
        }
    }
}
