//! Weights that are not kept as they are written. One weight that is no whole number makes all of them 32-bit reals, which
//! hold whole numbers up to 2^24 only, and nothing close to 0; a user is told of that once, with the first place. Every format
//! adds its weights to their column here.

use super::{lines::Text, weight::Weight};
use evenkeel_graph::{EdgeWeights, weights::Shown};

/// Whole numbers up to this one have a 32-bit real each.
const LAST_EXACT: u32 = 1 << 24;

/// What the place of a weight is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Unit {
    /// The position of a byte, from which the line follows.
    #[default]
    Byte,
    /// A row of a table, counted from 1.
    #[cfg(feature = "tables")]
    Row,
    /// An edge of the file, counted from 1.
    Edge,
}

/// What became of the weights of a file or a piece of it.
#[derive(Clone, Debug, Default)]
pub(super) struct Rounding {
    unit: Unit,
    /// Whether the file says that all weights are reals, so that whole ones among them are nothing to remark on.
    declared_real: bool,
    /// Where the first weight is that is written as a whole number of 32 bits, and the first that is not.
    first_whole: Option<usize>,
    first_real: Option<usize>,
    /// The first whole weight that is another number as a 32-bit real; it stays as it is where all weights are whole.
    large: Option<Changed>,
    /// The first weight that is another number than is written.
    changed: Option<Changed>,
}

#[derive(Clone, Copy, Debug)]
struct Changed {
    place: usize,
    written: f64,
}

impl Rounding {
    /// For weights that will be added to `column`, whose places are counted in `unit`.
    pub fn new(column: &EdgeWeights, unit: Unit) -> Self {
        Self { unit, declared_real: matches!(column, EdgeWeights::F32(_)), ..Self::default() }
    }

    /// Adds a weight to a column, whose weights all become reals with the first that is one.
    #[inline]
    pub fn push(&mut self, column: &mut EdgeWeights, weight: Weight, place: usize) {
        match (&mut *column, weight) {
            (EdgeWeights::U32(column), Weight::Whole(whole)) => {
                if column.is_empty() {
                    self.first_whole.get_or_insert(place);
                }
                if whole > LAST_EXACT {
                    self.note_large(whole, place);
                }
                column.push(whole);
            }
            (EdgeWeights::F32(column), Weight::Whole(whole)) => {
                self.first_whole.get_or_insert(place);
                self.note_large(whole, place);
                column.push(whole as f32);
            }
            (EdgeWeights::F32(column), weight) => {
                self.note_real(weight, place);
                column.push(weight.real());
            }
            (EdgeWeights::U32(whole), weight) => {
                self.note_real(weight, place);
                *column = EdgeWeights::F32(whole.iter().map(|whole| *whole as f32).chain([weight.real()]).collect());
            }
            (EdgeWeights::None, _) => {}
        }
    }

    #[inline]
    fn note_large(&mut self, whole: u32, place: usize) {
        if f64::from(whole as f32) != f64::from(whole) {
            self.large.get_or_insert(Changed { place, written: whole.into() });
        }
    }

    #[inline]
    fn note_real(&mut self, weight: Weight, place: usize) {
        self.first_real.get_or_insert(place);
        if let Weight::Rounded { written, .. } = weight {
            self.changed.get_or_insert(Changed { place, written });
        }
    }

    /// Adds the rounding of the part of the file that follows.
    pub fn and_then(self, next: Self) -> Self {
        Self {
            unit: self.unit,
            declared_real: self.declared_real || next.declared_real,
            first_whole: self.first_whole.or(next.first_whole),
            first_real: self.first_real.or(next.first_real),
            large: self.large.or(next.large),
            changed: self.changed.or(next.changed),
        }
    }

    /// Describes how the weights of a file were changed, with the place.
    pub fn remark(&self, text: Text<'_>) -> Option<String> {
        if !self.declared_real && self.first_real.is_none() {
            return None;
        }
        let rounded = [self.large, self.changed].into_iter().flatten().min_by_key(|changed| changed.place);
        if let Some(Changed { place, written }) = rounded {
            return Some(self.at(
                text,
                place,
                &match written as f32 {
                    0.0 => "the weight is not 0 and read as 0, since a 32-bit real holds nothing so small".to_owned(),
                    read => format!("the weight {} is read as {}, a 32-bit real", Shown(written), Shown(read)),
                },
            ));
        }
        let (whole, real) = self.first_whole.zip(self.first_real).filter(|_| !self.declared_real)?;
        let reason = match whole < real {
            true => {
                "this weight is no whole number from 0 to 4294967295 as those before it are, so that all are read as 32-bit reals"
            }
            false => {
                "this weight is a whole number from 0 to 4294967295 and those before it are not; all are read as 32-bit reals"
            }
        };
        Some(self.at(text, whole.max(real), reason))
    }

    /// A remark with the file and the place.
    fn at(&self, text: Text<'_>, place: usize, remark: &str) -> String {
        let path = text.path.display();
        match self.unit {
            Unit::Byte => format!("{path}:{}: {remark}", text.line_number(place.min(text.bytes.len()))),
            #[cfg(feature = "tables")]
            Unit::Row => format!("{path}: row {place}: {remark}"),
            Unit::Edge => format!("{path}: edge {place}: {remark}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Format, Loaded, npy::npy, parse};

    /// The remark on a file of this format.
    fn remark(format: &str, body: impl AsRef<[u8]>) -> Option<String> {
        let format: Format = format.parse().unwrap();
        let beside: &[u8] = b"1\n2\n3\n";
        let files = [body.as_ref(), beside];
        let Loaded::Edges(parsed) = parse(format, "test".as_ref(), &files[..format.files()]).unwrap() else {
            panic!("it holds edges")
        };
        parsed.weight_remark
    }

    fn rounded(place: &str) -> Option<String> {
        Some(format!("test{place}: the weight 16777217 is read as 16777216, a 32-bit real"))
    }

    fn mixed(line: u64, is_whole: bool) -> Option<String> {
        Some(match is_whole {
            false => format!(
                "test:{line}: this weight is no whole number from 0 to 4294967295 as those before it are, so that all are read as \
                 32-bit reals"
            ),
            true => format!(
                "test:{line}: this weight is a whole number from 0 to 4294967295 and those before it are not; all are read as 32-bit reals"
            ),
        })
    }

    #[test]
    fn the_first_line_that_loses_something_is_named() {
        let remark = |text: &str| remark("edge-list", text);
        assert_eq!(remark("1 2 16777217\n2 3 4\n"), None);
        assert_eq!(remark("1 2 0.5\n2 3 1.5\n1 2 0.1\n"), None);
        assert_eq!(remark("1 2 0.5\n# x\n2 3 16777217\n"), rounded(":3"));
        assert_eq!(
            remark("1 2 1289241912.5\n").unwrap(),
            "test:1: the weight 1289241912.5 is read as 1289241856, a 32-bit real"
        );
        assert!(remark("1 2 1.5\n1 2 1e-50\n").unwrap().starts_with("test:2: the weight is not 0 and read as 0"));
        assert_eq!(remark("1 2 3e38\n2 3 -3.5e37\n"), None);
        assert_eq!(
            remark("1 2 4294967297\n").unwrap(),
            "test:1: the weight 4294967297 is read as 4294967296, a 32-bit real"
        );
        assert_eq!(remark("1 2 0\n1 2 0\n"), None);
        assert_eq!(remark("1 2 0.5\n1 2 0.0\n"), None);
    }

    #[test]
    fn the_first_line_that_differs_from_those_before_it_is_named() {
        let remark = |text: &str| remark("edge-list", text);
        // In tests a piece is a few lines long, so that these are many.
        let (whole, real) = ("1 2 3\n".repeat(20), "1 2 3.5\n".repeat(20));
        assert_eq!(remark(&format!("{whole}{real}")), mixed(21, false));
        assert_eq!(remark(&format!("{real}{whole}")), mixed(21, true));
        assert_eq!(remark(&format!("1 2 16777217\n{whole}{real}")), rounded(":1"));
        assert_eq!(remark("1 2 3\n1 2 3.5\n"), mixed(2, false));
        assert_eq!(remark(&format!("{real}1 2 3\n{real}{whole}")), mixed(21, true));
        assert_eq!(remark(&format!("{whole}1 2 3.5\n{whole}{real}")), mixed(21, false));
    }

    #[test]
    fn every_format_with_weights_says_what_they_lose() {
        for (format, body, place) in [
            ("ldbc", "1 2 16777217\n2 3 0.5\n", ":1"),
            ("konect", "% asym posweighted\n1 2 0.5\n2 1 16777217\n", ":3"),
            ("dimacs", "p sp 2 2\na 1 2 16777217\na 2 1 0.5\n", ":2"),
            ("metis", "3 2 001\n2 0.5\n1 0.5 3 16777217\n2 16777217\n", ":3"),
            ("matrix-market", "%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2 16777217\n", ":3"),
            ("matrix-market", "%%MatrixMarket matrix coordinate integer skew-symmetric\n2 2 1\n2 1 16777217\n", ":3"),
            ("json-lines", "{\"u\":1,\"v\":2,\"w\":0.5}\n\n{\"u\":1,\"v\":2,\"w\":16777217}\n", ":3"),
            ("json-lines", "{\"u\":\"a\",\"v\":2,\"w\":16777217}\n\n{\"u\":1,\"v\":2,\"w\":0.5}\n", ":1"),
            (
                "node-link",
                "{\"nodes\": [{\"id\": 1}], \"links\": [{\"source\": 1, \"target\": 1, \"weight\": 0.5},\
                 {\"source\": 1, \"target\": 1, \"weight\": 16777217}]}",
                ": edge 2",
            ),
            ("dot", "graph {\na -- b [weight=0.5]\na -- c [weight=16777217]\n}", ":3"),
            ("dot", "strict graph {\na -- b [weight=0.5]\na -- b [weight=16777217.0]\n}", ":3"),
            ("pajek", "*Vertices 2\n*Arcs\n1 2 0.5\n2 1 16777217\n", ":4"),
            (
                "gml",
                "graph [ node [ id 1 ]\nedge [ source 1 target 1 weight 0.5 ]\n\
                 edge [ source 1 target 1 weight 16777217 ] ]",
                ":3",
            ),
            (
                "graphml",
                "<graphml><key id='w' for='edge' attr.name='weight'/><graph edgedefault='directed'>\n<node id='1'/>\n\
                 <edge source='1' target='1'><data key='w'>0.5</data></edge>\n\
                 <edge source='1' target='1'><data key='w'>16777217</data></edge></graph></graphml>",
                ":4",
            ),
        ] {
            assert_eq!(remark(format, body), rounded(place), "{format}: {body}");
        }
    }

    #[test]
    fn edges_without_a_weight_of_their_own_are_not_remarked_on() {
        assert_eq!(remark("dot", "graph { a -- b; b -- c [weight=0.5] }"), None);
        assert_eq!(
            remark("matrix-market", "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 2 3\n2 1 .5\n"),
            None
        );
    }

    #[test]
    fn numbers_of_a_matrix_of_scipy_are_counted() {
        let matrix = |data: &[f64]| {
            let bytes: Vec<u8> = data.iter().flat_map(|real| real.to_le_bytes()).collect();
            let ones = |count: usize| npy("|u1", &format!("({count},)"), &vec![0; count]);
            super::super::archive::archive_of(&[
                ("format.npy", &npy("|S3", "()", b"coo")),
                ("shape.npy", &npy("|u1", "(2,)", &[1, 1])),
                ("row.npy", &ones(data.len())),
                ("col.npy", &ones(data.len())),
                ("data.npy", &npy("<f8", &format!("({},)", data.len()), &bytes)),
            ])
        };
        assert_eq!(remark("npz", matrix(&[0.5, 16_777_217.0])), rounded(": edge 2"));
        assert_eq!(remark("npz", matrix(&[0.5, 3.0])), None);
        let error = parse("npz".parse().unwrap(), "test".as_ref(), &[&matrix(&[1.0, 1e39])]).unwrap_err().to_string();
        assert!(error.starts_with("test: data.npy: number 2: the weight '1"), "{error}");
    }
}
