//! How two workers prove to each other that they know the secret, by challenge and response, before a byte of theirs is given to anybody
//! else. All messages have a fixed length.
//!
//! | from | message |
//! | --- | --- |
//! | caller | [`Hello`]: who calls whom, for what, in a run of how many workers; random bytes |
//! | listener | random bytes |
//! | caller | a proof about both, as the caller |
//! | listener | a proof about both, as the listener |
//!
//! The one who calls proves first, so that a stranger who calls gets nothing to try secrets on. The roles are in the proofs, so that
//! none can be sent back to the one who made it. What follows is neither encrypted nor authenticated.

use super::secret::{PROOF, Secret};
use std::io::{self, Read, Write};

/// What every greeting begins with: the name of the protocol and its version.
const MAGIC: [u8; 8] = *b"EKPEERS1";
/// The length of a greeting.
pub const HELLO: usize = MAGIC.len() + 1 + 3 * 4 + PROOF;

const CALLER: &[u8] = b"evenkeel caller";
const LISTENER: &[u8] = b"evenkeel listener";

/// What a connection is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// The messages of timely dataflow.
    Data,
    /// Signs of life, and the reason when a worker ends.
    Control,
}

/// Who calls whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hello {
    pub purpose: Purpose,
    pub from: u32,
    pub to: u32,
    /// How many workers there are in the run of the caller.
    pub workers: u32,
    pub random: [u8; PROOF],
}

impl Hello {
    pub fn to_bytes(self) -> [u8; HELLO] {
        let mut bytes = [0; HELLO];
        let parts: [&[u8]; 6] = [
            &MAGIC,
            &[self.purpose as u8],
            &self.from.to_le_bytes(),
            &self.to.to_le_bytes(),
            &self.workers.to_le_bytes(),
            &self.random,
        ];
        bytes.copy_from_slice(&parts.concat());
        bytes
    }

    /// The greeting in these bytes, if it is one.
    pub fn from_bytes(bytes: &[u8; HELLO]) -> Option<Self> {
        let (magic, rest) = bytes.split_at(MAGIC.len());
        let (numbers, random) = rest[1..].split_at(12);
        let number = |place: usize| Some(u32::from_le_bytes(numbers[4 * place..4 * place + 4].try_into().ok()?));
        let purpose = [Purpose::Data, Purpose::Control].into_iter().find(|purpose| *purpose as u8 == rest[0])?;
        let hello =
            Self { purpose, from: number(0)?, to: number(1)?, workers: number(2)?, random: random.try_into().ok()? };
        (magic == MAGIC).then_some(hello)
    }
}

/// The proof of the one who calls.
pub fn caller_proof(secret: &Secret, hello: &[u8; HELLO], random: &[u8; PROOF]) -> [u8; PROOF] {
    secret.proof(&[CALLER, hello, random])
}

/// Whether the one who calls knows the secret.
pub fn is_caller(secret: &Secret, proof: &[u8; PROOF], hello: &[u8; HELLO], random: &[u8; PROOF]) -> bool {
    secret.is_proof(proof, &[CALLER, hello, random])
}

/// The proof of the one who listens.
pub fn listener_proof(secret: &Secret, hello: &[u8; HELLO], random: &[u8; PROOF]) -> [u8; PROOF] {
    secret.proof(&[LISTENER, hello, random])
}

/// Why a call has failed.
#[derive(Debug)]
pub enum CallError {
    /// The connection was closed or silent before the caller's proof: it may be another program, or one that is starting.
    Io(io::Error),
    /// The listener closed the connection after the caller's proof.
    Refused,
    /// The listener's proof is wrong.
    Impostor,
}

impl From<io::Error> for CallError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// Calls: the side that opened the connection, whose reads end by themselves after some time.
pub fn call(stream: &mut (impl Read + Write), secret: &Secret, hello: Hello) -> Result<(), CallError> {
    let hello = hello.to_bytes();
    let (mut random, mut proof) = ([0; PROOF], [0; PROOF]);
    stream.write_all(&hello)?;
    stream.read_exact(&mut random)?;
    stream.write_all(&caller_proof(secret, &hello, &random))?;
    stream.read_exact(&mut proof).map_err(|error| match error.kind() {
        io::ErrorKind::UnexpectedEof | io::ErrorKind::ConnectionReset => CallError::Refused,
        _ => CallError::Io(error),
    })?;
    match secret.is_proof(&proof, &[LISTENER, &hello, &random]) {
        true => Ok(()),
        false => Err(CallError::Impostor),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hello() -> Hello {
        Hello { purpose: Purpose::Control, from: 2, to: 7, workers: 9, random: [5; PROOF] }
    }

    #[test]
    fn greetings_are_read_as_they_are_written() {
        let bytes = hello().to_bytes();
        assert_eq!(Hello::from_bytes(&bytes), Some(hello()));
        for (place, value) in [(0, b'X'), (7, b'2'), (8, 2)] {
            let mut wrong = bytes;
            wrong[place] = value;
            assert_eq!(Hello::from_bytes(&wrong), None);
        }
    }

    #[test]
    fn a_proof_of_one_role_is_none_of_the_other() {
        let (secret, bytes, random) = (Secret::random().unwrap(), hello().to_bytes(), [3; PROOF]);
        assert!(is_caller(&secret, &caller_proof(&secret, &bytes, &random), &bytes, &random));
        assert!(!is_caller(&secret, &listener_proof(&secret, &bytes, &random), &bytes, &random));
        assert!(!is_caller(&secret, &caller_proof(&secret, &bytes, &[4; PROOF]), &bytes, &random));
    }
}
