//! The colours of charts, each with what takes its place on a dark ground. A chart has the colours for a light ground in its elements, so
//! that any program can show it; a style sheet replaces them where the reader prefers dark.

use plotters::style::RGBColor;
use std::fmt::Write;

/// A colour on light and on dark ground.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Colour {
    light: u32,
    dark: u32,
}

const fn colour(light: u32, dark: u32) -> Colour {
    Colour { light, dark }
}

/// The colour of text and axes.
pub const INK: Colour = colour(0x24292F, 0xE3E6EA);
/// The colour of lines behind the data.
pub const GRID: Colour = colour(0xD8DCE1, 0x3B424B);
/// The colour of lines between them.
pub const FAINT: Colour = colour(0xEEF0F2, 0x262B32);
/// The colour of the best result.
pub const BEST: Colour = colour(0x1A7F37, 0x56D364);
/// The colour of idle invocations.
pub const IDLE: Colour = colour(0xC2C8CF, 0x5A636E);

/// Colours that are told apart, also by most who see few of them.
const DISTINCT: [Colour; 8] = [
    colour(0x1F5FA8, 0x79B8FF),
    colour(0xC2571A, 0xFFA66B),
    colour(0x0E8584, 0x5FD3D0),
    colour(0x8E3FA8, 0xD8A2F0),
    colour(0xA36A00, 0xE3B341),
    colour(0xB3265E, 0xFF8FB8),
    colour(0x4F7A28, 0x9CCB6B),
    colour(0x5F6670, 0xA9B1BD),
];

/// From little to much, the same on both grounds.
const RISING: [Colour; 7] = [
    colour(0xFDE725, 0xFDE725),
    colour(0x90D743, 0x90D743),
    colour(0x35B779, 0x35B779),
    colour(0x21918C, 0x21918C),
    colour(0x31688E, 0x3E82AE),
    colour(0x443983, 0x6A5CC4),
    colour(0x440154, 0xA04BB0),
];

impl Colour {
    /// The colour of the series with this number; they repeat.
    pub fn distinct(number: usize) -> Self {
        DISTINCT[number % DISTINCT.len()]
    }

    /// The colour of the step with this number; the last is for all that follow.
    pub fn rising(number: usize) -> Self {
        RISING[number.min(RISING.len() - 1)]
    }

    pub(super) fn on_light(self) -> RGBColor {
        let [_, red, green, blue] = self.light.to_be_bytes();
        RGBColor(red, green, blue)
    }
}

/// The rules that give charts the colours of a dark ground where that is preferred.
pub fn style() -> String {
    let mut rules = String::from("@media (prefers-color-scheme: dark) {\n");
    for Colour { light, dark } in [INK, GRID, FAINT, BEST, IDLE].into_iter().chain(DISTINCT).chain(RISING) {
        // Writing to a string does not fail.
        let _ = writeln!(rules, "[fill=\"#{light:06X}\"] {{ fill: #{dark:06X} }}");
        let _ = writeln!(rules, "[stroke=\"#{light:06X}\"] {{ stroke: #{dark:06X} }}");
    }
    rules + "}\n"
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn a_colour_has_one_that_takes_its_place() {
        let mut places = BTreeMap::new();
        for Colour { light, dark } in [INK, GRID, FAINT, BEST, IDLE].into_iter().chain(DISTINCT).chain(RISING) {
            assert_eq!(places.insert(light, dark), None, "{light:06X} stands for two");
            assert!(style().contains(&format!("[fill=\"#{light:06X}\"] {{ fill: #{dark:06X} }}")));
        }
        assert_eq!(Colour::distinct(8), Colour::distinct(0));
        assert_eq!(Colour::rising(99), Colour::rising(6));
    }
}
