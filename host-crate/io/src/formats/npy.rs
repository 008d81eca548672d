//! NumPy's `.npy`: one array, with a header that says its type and shape. For [`super::npz`].

use super::{lines::shown, weight::Weight};

/// An array as it lies in a file.
pub(super) struct NpyArray<'a> {
    /// The type without the order of bytes: `i4`, `f8`, `S3`.
    kind: &'a str,
    big_endian: bool,
    /// The size of each dimension.
    shape: Vec<usize>,
    bytes: &'a [u8],
}

/// Reads every number with `from`, which takes the bytes in the order of this machine's little-endian form.
fn numbers<const N: usize, T>(bytes: &[u8], big_endian: bool, from: impl Fn([u8; N]) -> T) -> impl Iterator<Item = T> {
    bytes.as_chunks::<N>().0.iter().map(move |bytes| {
        let mut bytes = *bytes;
        if big_endian {
            bytes.reverse();
        }
        from(bytes)
    })
}

impl<'a> NpyArray<'a> {
    /// Reads an array; the reason when it is none.
    pub fn read(file: &'a [u8]) -> Result<Self, String> {
        let array = Self::begin(file)?;
        match array.claimed_bytes() {
            Some(expected) if expected == array.bytes.len() => Ok(array),
            _ => Err("its length is not what its type and shape say".to_owned()),
        }
    }

    /// Reads the header of an array, of which all or a part is there.
    fn begin(file: &'a [u8]) -> Result<Self, String> {
        let (header, bytes) = split(file).ok_or("it does not begin as an array of NumPy does")?;
        let descr = value(header, "descr").and_then(|value| value.strip_prefix('\'')?.split('\'').next());
        let descr = descr.ok_or_else(|| format!("its type is not a plain one: {}", shown(header.as_bytes())))?;
        let shape = value(header, "shape").and_then(|value| value.strip_prefix('(')?.split(')').next());
        let sizes = shape.ok_or("its header has no shape")?.split(',').map(str::trim).filter(|size| !size.is_empty());
        let shape: Vec<usize> =
            sizes.map(|size| size.parse()).collect::<Result<_, _>>().map_err(|_| "its shape is no shape")?;
        let (big_endian, kind) = match descr.as_bytes().first() {
            Some(b'<' | b'|' | b'=') => (false, &descr[1..]),
            Some(b'>') => (true, &descr[1..]),
            _ => (false, descr),
        };
        Ok(Self { kind, big_endian, shape, bytes })
    }

    /// How many bytes the items have, as the header says.
    fn claimed_bytes(&self) -> Option<usize> {
        let count = self.shape.iter().try_fold(1_usize, |product, size| product.checked_mul(*size));
        count?.checked_mul(self.item_bytes()?)
    }

    /// How many bytes an item has.
    fn item_bytes(&self) -> Option<usize> {
        let size: usize = self.kind.get(1..)?.parse().ok()?;
        // A character of a string has four bytes.
        size.checked_mul(if self.kind.starts_with('U') { 4 } else { 1 })
    }

    /// The characters of a string.
    pub fn text(&self) -> Option<String> {
        match self.kind.as_bytes().first()? {
            b'S' => Some(self.bytes.iter().filter(|byte| **byte != 0).map(|byte| char::from(*byte)).collect()),
            b'U' => numbers(self.bytes, self.big_endian, u32::from_le_bytes)
                .filter(|code| *code != 0)
                .map(char::from_u32)
                .collect(),
            _ => None,
        }
    }

    /// The numbers of a list of whole ones.
    pub fn whole(&self) -> Result<Vec<i64>, String> {
        let big = self.big_endian;
        if self.shape.len() != 1 {
            return Err(format!("it has {} dimensions instead of one", self.shape.len()));
        }
        Ok(match self.kind {
            "i4" => numbers(self.bytes, big, |bytes| i64::from(i32::from_le_bytes(bytes))).collect(),
            "i8" => numbers(self.bytes, big, i64::from_le_bytes).collect(),
            "u4" => numbers(self.bytes, big, |bytes| i64::from(u32::from_le_bytes(bytes))).collect(),
            "i1" => numbers(self.bytes, big, |bytes| i64::from(i8::from_le_bytes(bytes))).collect(),
            "i2" => numbers(self.bytes, big, |bytes| i64::from(i16::from_le_bytes(bytes))).collect(),
            "u1" => numbers(self.bytes, big, |bytes| i64::from(u8::from_le_bytes(bytes))).collect(),
            "u2" => numbers(self.bytes, big, |bytes| i64::from(u16::from_le_bytes(bytes))).collect(),
            "u8" => {
                numbers(self.bytes, big, |bytes| i64::try_from(u64::from_le_bytes(bytes)).unwrap_or(i64::MAX)).collect()
            }
            other => return Err(format!("its numbers are of the type '{}', not whole ones", shown(other.as_bytes()))),
        })
    }

    /// The numbers of a list as weights; none where they are truth values, which are no weights.
    pub fn weights(&self) -> Result<Option<Vec<Weight>>, String> {
        let (bytes, big) = (self.bytes, self.big_endian);
        if self.shape.len() != 1 {
            return Err(format!("it has {} dimensions instead of one", self.shape.len()));
        }
        let real = |(number, real): (usize, f64)| {
            Weight::of_real(real).map_err(|reason| format!("number {}: {reason}", number + 1))
        };
        let weights = match self.kind {
            "f4" => numbers(bytes, big, |bytes| f64::from(f32::from_le_bytes(bytes))).enumerate().map(real).collect(),
            "f8" => numbers(bytes, big, f64::from_le_bytes).enumerate().map(real).collect(),
            "b1" => return Ok(None),
            "u8" => Ok(numbers(bytes, big, |bytes| Weight::of_whole(u64::from_le_bytes(bytes).into())).collect()),
            _ => Ok(self.whole()?.into_iter().map(|whole| Weight::of_whole(whole.into())).collect()),
        };
        weights.map(Some)
    }

    /// How many numbers a list has.
    pub fn len(&self) -> usize {
        self.shape.iter().product()
    }
}

/// How long a file is by its header, which is in its beginning.
pub(super) fn length(beginning: &[u8]) -> Option<u64> {
    let array = NpyArray::begin(beginning).ok()?;
    let header = beginning.len() - array.bytes.len();
    Some((header as u64).saturating_add(array.claimed_bytes()? as u64))
}

/// The header of a file and what follows it.
fn split(file: &[u8]) -> Option<(&str, &[u8])> {
    let rest = file.strip_prefix(b"\x93NUMPY")?;
    let (version, rest) = rest.split_first_chunk::<2>()?;
    let (length, rest) = match version[0] {
        1 => rest.split_first_chunk().map(|(length, rest)| (usize::from(u16::from_le_bytes(*length)), rest))?,
        _ => rest.split_first_chunk().map(|(length, rest)| (u32::from_le_bytes(*length) as usize, rest))?,
    };
    let (header, bytes) = rest.split_at_checked(length)?;
    Some((str::from_utf8(header).ok()?, bytes))
}

/// What stands after `'key':` in a header, which is written as a dictionary of Python.
fn value<'a>(header: &'a str, key: &str) -> Option<&'a str> {
    let (_, after) = header.split_once(&format!("'{key}':"))?;
    Some(after.trim_start())
}

#[cfg(test)]
pub(super) fn npy(kind: &str, shape: &str, bytes: &[u8]) -> Vec<u8> {
    let header = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}\n");
    let mut file = b"\x93NUMPY\x01\x00".to_vec();
    file.extend((header.len() as u16).to_le_bytes());
    file.extend(header.as_bytes());
    file.extend(bytes);
    file
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_every_type() {
        let whole = |kind: &str, bytes: &[u8]| NpyArray::read(&npy(kind, "(2,)", bytes)).unwrap().whole().unwrap();
        assert_eq!(whole("|i1", &[1, 255]), [1, -1]);
        assert_eq!(whole("|u1", &[1, 255]), [1, 255]);
        assert_eq!(whole("<u2", &[1, 0, 255, 255]), [1, 65535]);
        assert_eq!(whole(">i2", &[0, 1, 255, 255]), [1, -1]);
        assert_eq!(whole(">i4", &[0, 0, 0, 1, 0, 0, 1, 0]), [1, 256]);
        assert_eq!(whole("<i8", &[3, 0, 0, 0, 0, 0, 0, 0, 255, 255, 255, 255, 255, 255, 255, 255]), [3, -1]);
        let weights = |kind: &str, bytes: &[u8]| NpyArray::read(&npy(kind, "(1,)", bytes)).unwrap().weights();
        assert_eq!(weights("<f4", &0.5_f32.to_le_bytes()), Ok(Some(vec![Weight::Real(0.5)])));
        assert_eq!(weights(">f8", &0.5_f64.to_be_bytes()), Ok(Some(vec![Weight::Real(0.5)])));
        assert_eq!(weights("|b1", &[1]), Ok(None));
        assert_eq!(weights("<u8", &7_u64.to_le_bytes()), Ok(Some(vec![Weight::Whole(7)])));
        assert!(weights("<f8", &f64::NAN.to_le_bytes()).is_err());
        assert!(weights("<c8", &[0; 8]).is_err());
    }

    #[test]
    fn text_is_read_in_both_forms() {
        assert_eq!(NpyArray::read(&npy("|S3", "()", b"csr")).unwrap().text().unwrap(), "csr");
        let wide: Vec<u8> = "csr".chars().flat_map(|character| (character as u32).to_le_bytes()).collect();
        assert_eq!(NpyArray::read(&npy("<U3", "()", &wide)).unwrap().text().unwrap(), "csr");
    }

    #[test]
    fn what_claims_too_much_is_refused() {
        for (kind, shape, bytes) in [
            ("<i4", "(2,)", &[0; 4][..]),
            ("<i4", "(18446744073709551615,)", &[0; 4]),
            ("<i4", "(9223372036854775807, 9223372036854775807)", &[]),
            ("<U18446744073709551615", "(1,)", &[]),
            ("<é4", "(1,)", &[0; 4]),
            ("", "(1,)", &[0; 4]),
            ("<i4", "(-1,)", &[]),
        ] {
            assert!(NpyArray::read(&npy(kind, shape, bytes)).is_err(), "{kind} {shape}");
        }
        let whole = npy("<i4", "(1,)", &[0; 4]);
        assert!((0..whole.len()).all(|length| NpyArray::read(&whole[..length]).is_err()));
    }
}
