//! What separates the fields of a line.

/// What separates the fields of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Separator {
    Tabs,
    Semicolons,
    Commas,
    Bars,
    Blanks,
    /// One line has blanks, another commas: for numbers only, which hold neither.
    BlanksOrCommas,
}

impl Separator {
    /// Those that a text may have, in the order in which they are looked for. A field is likelier to hold one of the later ones
    /// than one of the earlier: a decimal comma between semicolons, a blank in a name.
    pub const ALL: [Self; 5] = [Self::Tabs, Self::Semicolons, Self::Commas, Self::Bars, Self::Blanks];

    /// Its name in messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Tabs => "tabs",
            Self::Semicolons => "semicolons",
            Self::Commas => "commas",
            Self::Bars => "vertical bars",
            Self::Blanks => "blanks",
            Self::BlanksOrCommas => "blanks or commas",
        }
    }

    /// The byte that it is; none for blanks, of which any number is one separator.
    pub fn byte(self) -> Option<u8> {
        match self {
            Self::Tabs => Some(b'\t'),
            Self::Semicolons => Some(b';'),
            Self::Commas => Some(b','),
            Self::Bars => Some(b'|'),
            Self::Blanks | Self::BlanksOrCommas => None,
        }
    }
}
