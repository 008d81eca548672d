//! What all workers of a run know and nobody else does. Two workers prove to each other that they know it before anything else is said:
//! the module `handshake` does that.

use crate::{Error, Result};
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use std::{fmt, fs::File, io::Read, path::Path};

/// The fewest bytes of a secret: whoever listens on the network could guess a shorter one at leisure.
const SHORTEST: usize = 16;
/// The most bytes of a secret.
const LONGEST: u64 = 4096;

/// The length of a proof, and of what each side draws for it.
pub const PROOF: usize = 32;

/// A secret that all workers share.
#[derive(Clone)]
pub struct Secret(Vec<u8>);

/// It is never shown.
impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret")
    }
}

impl Secret {
    /// Reads a secret from a file: all its bytes but blanks and line ends around them.
    ///
    /// # Errors
    /// When the file cannot be read, others than its owner may read it, or the secret is too short or too long.
    pub fn read(path: &Path) -> Result<Self> {
        let refuse = |reason: String| Err(Error::File { path: path.to_path_buf(), reason });
        let file = File::open(path).map_err(Error::io(path))?;
        let metadata = file.metadata().map_err(Error::io(path))?;
        if !metadata.is_file() {
            return refuse("a secret is kept in a plain file".into());
        }
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = metadata.permissions().mode() & 0o777;
            if mode & 0o077 != 0 {
                return refuse(format!(
                    "others than its owner may read or change this secret (its mode is {mode:o}): chmod 600 it"
                ));
            }
        }
        let mut bytes = Vec::new();
        file.take(LONGEST + 1).read_to_end(&mut bytes).map_err(Error::io(path))?;
        let secret = bytes.trim_ascii();
        match secret.len() {
            0 => refuse("there is no secret in it".into()),
            length if length < SHORTEST => {
                refuse(format!("a secret of {length} bytes can be guessed: at least {SHORTEST} are needed"))
            }
            length if length as u64 > LONGEST => refuse(format!("a secret has at most {LONGEST} bytes")),
            _ => Ok(Self(secret.to_vec())),
        }
    }

    /// Draws a secret.
    ///
    /// # Errors
    /// When the system has no random numbers.
    pub fn random() -> Result<Self> {
        Ok(Self(random_bytes()?.to_vec()))
    }

    /// The secret as hexadecimal digits, for a pipe to a process that shall know it.
    pub fn to_hex(&self) -> String {
        self.0.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// The secret of [`Secret::to_hex`].
    pub fn from_hex(text: &str) -> Option<Self> {
        let digits = text.as_bytes();
        let byte = |pair: &[u8]| u8::from_str_radix(str::from_utf8(pair).ok()?, 16).ok();
        let bytes: Option<Vec<u8>> = digits.chunks(2).map(byte).collect();
        bytes.filter(|bytes| bytes.len() >= SHORTEST && digits.len().is_multiple_of(2)).map(Self)
    }

    /// The proof that this side knows the secret, about everything in `parts`.
    pub fn proof(&self, parts: &[&[u8]]) -> [u8; PROOF] {
        self.code(parts).finalize().into_bytes().into()
    }

    /// Whether a proof is right. It takes the same time wherever a wrong one differs.
    pub fn is_proof(&self, proof: &[u8], parts: &[&[u8]]) -> bool {
        self.code(parts).verify_slice(proof).is_ok()
    }

    fn code(&self, parts: &[&[u8]]) -> Hmac<Sha256> {
        let mut code = Hmac::<Sha256>::new_from_slice(&self.0).expect("HMAC takes keys of any length");
        // Each part with its length, so that no two lists of parts are the same message.
        for part in parts {
            code.update(&(part.len() as u64).to_le_bytes());
            code.update(part);
        }
        code
    }
}

/// Random bytes of the system.
pub fn random_bytes() -> Result<[u8; PROOF]> {
    let mut bytes = [0; PROOF];
    let failed = |error| Error::Device(format!("the system gives no random numbers: {error}"));
    getrandom::fill(&mut bytes).map_err(failed)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_proof_is_of_the_secret_and_of_every_part() {
        let [secret, other] = [(); 2].map(|()| Secret::random().unwrap());
        let proof = secret.proof(&[b"ab", b"c"]);
        assert!(secret.is_proof(&proof, &[b"ab", b"c"]));
        assert!(!other.is_proof(&proof, &[b"ab", b"c"]));
        for parts in [&[b"a".as_slice(), b"bc"][..], &[b"abc"], &[b"ab", b"d"], &[]] {
            assert!(!secret.is_proof(&proof, parts));
        }
        assert!(!secret.is_proof(&proof[..31], &[b"ab", b"c"]) && !secret.is_proof(&[], &[b"ab", b"c"]));
        let same = Secret::from_hex(&secret.to_hex()).unwrap();
        assert!(same.is_proof(&proof, &[b"ab", b"c"]));
        assert!(Secret::from_hex("ab").is_none() && Secret::from_hex("xy").is_none() && Secret::from_hex("").is_none());
        assert_eq!(format!("{secret:?}"), "Secret");
    }

    /// RFC 4231, test case 2, as one part would be without its length.
    #[test]
    fn the_code_is_hmac_sha_256() {
        let mut code = Hmac::<Sha256>::new_from_slice(b"Jefe").unwrap();
        code.update(b"what do ya want for nothing?");
        let hex: String = code.finalize().into_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(hex, "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
    }

    #[cfg(unix)]
    #[test]
    fn files_that_hold_no_secret_are_refused() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("secret");
        let read = |text: &str, mode: u32| {
            fs::write(&path, text).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            Secret::read(&path).map_err(|error| error.to_string())
        };
        assert!(read("0123456789abcdef\n", 0o600).is_ok() && read("0123456789abcdef\n", 0o400).is_ok());
        for mode in [0o640, 0o604, 0o620, 0o666] {
            let error = read("0123456789abcdef\n", mode).unwrap_err();
            assert!(error.contains(&format!("its mode is {mode:o}")), "{error}");
        }
        assert!(read(" \n", 0o600).unwrap_err().ends_with("there is no secret in it"));
        assert!(read("0123456789abcde\n", 0o600).unwrap_err().contains("15 bytes can be guessed"));
        assert!(read(&"x".repeat(5000), 0o600).unwrap_err().contains("at most 4096 bytes"));
        assert!(Secret::read(folder.path()).is_err());
    }
}
