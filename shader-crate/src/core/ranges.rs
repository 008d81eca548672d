//! Ranges that kernels walk in steps (Osama et al., 5.1), as iterators: a `for` over one compiles to a plain loop. A step is
//! mostly as many numbers as invocations walk side by side, so that together they take each number once:
//! [`Lane::grid_stride`](crate::lane::Lane::grid_stride) and `group_stride` are the usual ones.
//!
//! ```
//! use evenkeel_kernels::ranges::{infinite, step};
//!
//! assert_eq!(step(2, 10, 3).collect::<Vec<_>>(), [2, 5, 8]);
//! assert_eq!(infinite(2, 3).take_while(|number| *number < 10).collect::<Vec<_>>(), [2, 5, 8]);
//! ```

/// Every `step`-th number from `begin` on, below `end`.
#[inline(always)]
pub fn step(begin: u32, end: u32, step: u32) -> Step {
    Step { next: begin, end, step }
}

/// Every `step`-th number from `begin` on, without an end, round again past the largest: for persistent kernels, which go on
/// until they find nothing more to do.
#[inline(always)]
pub fn infinite(begin: u32, step: u32) -> Infinite {
    Infinite { next: begin, step }
}

/// See [`step`].
pub struct Step {
    next: u32,
    end: u32,
    step: u32,
}

/// See [`infinite`].
pub struct Infinite {
    next: u32,
    step: u32,
}

impl Iterator for Step {
    type Item = u32;

    #[inline(always)]
    fn next(&mut self) -> Option<u32> {
        if self.next < self.end {
            let item = self.next;
            // Past the end of u32 is past the end of the range.
            let after = item.wrapping_add(self.step);
            self.next = if after < item { self.end } else { after };
            Some(item)
        } else {
            None
        }
    }
}

impl Iterator for Infinite {
    type Item = u32;

    #[inline(always)]
    fn next(&mut self) -> Option<u32> {
        let item = self.next;
        self.next = item.wrapping_add(self.step);
        Some(item)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_ends_before_its_end() {
        let numbers = |begin, end, by| step(begin, end, by).collect::<Vec<_>>();
        assert_eq!(numbers(0, 3, 1), [0, 1, 2]);
        assert_eq!(numbers(1, 9, 4), [1, 5]);
        assert_eq!(numbers(1, 10, 4), [1, 5, 9]);
        assert_eq!(numbers(7, 7, 2), []);
        assert_eq!(numbers(9, 7, 2), []);
    }

    #[test]
    fn a_range_up_to_the_largest_number_ends() {
        assert_eq!(step(u32::MAX - 3, u32::MAX, 2).collect::<Vec<_>>(), [u32::MAX - 3, u32::MAX - 1]);
        assert_eq!(step(5, u32::MAX, u32::MAX - 4).collect::<Vec<_>>(), [5]);
    }

    #[test]
    fn ranges_side_by_side_take_each_number_once() {
        let mut taken: Vec<_> = (0..7).flat_map(|lane| step(lane, 100, 7)).collect();
        taken.sort_unstable();
        assert_eq!(taken, (0..100).collect::<Vec<_>>());
    }

    #[test]
    fn an_infinite_range_goes_on_past_the_largest_number() {
        assert_eq!(infinite(5, 1).take(4).collect::<Vec<_>>(), [5, 6, 7, 8]);
        assert_eq!(infinite(u32::MAX - 1, 2).take(3).collect::<Vec<_>>(), [u32::MAX - 1, 0, 2]);
    }
}
