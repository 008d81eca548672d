//! Edges in files of Arrow's IPC format (`.arrow`, `.feather`) and its streams (`.arrows`), an edge a row. Columns are found by their names,
//! or told; batches are turned into edges in parallel.

use super::{
    ends::Ends,
    guard::guarded,
    prelude::*,
    table::{Wanted, first_rows},
};
use arrow_array::RecordBatch;
use arrow_ipc::reader::{FileReader, StreamReader};
use arrow_schema::{ArrowError, SchemaRef};
use rayon::prelude::*;
use std::io::Cursor;

pub(super) struct Arrow;

impl FileFormat for Arrow {
    const NAME: &'static str = "arrow";
    const ABOUT: &'static str = "an Arrow IPC file or stream, or Feather, with an edge a row; read only";
    const EXTENSIONS: &'static [&'static str] = &["arrow", "feather", "ipc", "arrows"];
    const HAS_COLUMNS: bool = true;

    fn recognise(beginning: Text<'_>) -> Recognition {
        // A stream begins with a mark and the length of the schema, which is no empty one.
        let stream = beginning.bytes.strip_prefix(&[0xff; 4]).and_then(|rest| rest.first_chunk());
        let is_stream = stream.is_some_and(|length| i32::from_le_bytes(*length) > 0);
        Recognition::certain_if(is_stream || beginning.bytes.starts_with(FILE_MARK))
    }

    fn read(files: Files<'_>) -> Result<Loaded> {
        let text = files.main.text();
        let wrong = |error: ArrowError| text.error_of_file(error.to_string());
        let (wanted, batches) = guarded(text.path, || {
            check_claims(text.bytes).map_err(|reason| text.error_of_file(reason))?;
            let schema = schema(text.bytes).map_err(wrong)?;
            let wanted = Wanted::find(text, &schema, files.columns)?;
            let batches = batches(text.bytes, wanted.read.clone()).map_err(wrong)?;
            Ok((wanted, batches))
        })?;
        let first_rows = first_rows(batches.iter().map(|batch| batch.num_rows() as u64));
        let numbered: Vec<(u64, &RecordBatch)> = first_rows.zip(&batches).collect();
        let pieces: Vec<Result<Ends<'_>>> = numbered
            .into_par_iter()
            .map(|(first_row, batch)| {
                guarded(text.path, || {
                    let mut ends = wanted.no_edges();
                    wanted.append(text, batch, first_row, &mut ends)?;
                    Ok(ends)
                })
            })
            .collect();
        wanted.load(text, pieces)
    }
}

const FILE_MARK: &[u8] = b"ARROW1";

fn schema(bytes: &[u8]) -> Result<SchemaRef, ArrowError> {
    Ok(match bytes.starts_with(FILE_MARK) {
        true => FileReader::try_new(Cursor::new(bytes), None)?.schema(),
        false => StreamReader::try_new(Cursor::new(bytes), None)?.schema(),
    })
}

/// All batches, with these columns alone.
fn batches(bytes: &[u8], columns: Vec<usize>) -> Result<Vec<RecordBatch>, ArrowError> {
    match bytes.starts_with(FILE_MARK) {
        true => FileReader::try_new(Cursor::new(bytes), Some(columns))?.collect(),
        false => StreamReader::try_new(Cursor::new(bytes), Some(columns))?.collect(),
    }
}

/// Refuses a message that claims to be longer than the file, for which the reader would allocate memory before it reads, and a compressed
/// buffer that claims to hold more than there is memory for, where the decoder would end the process.
fn check_claims(bytes: &[u8]) -> Result<(), String> {
    let mut rest = bytes;
    if bytes.starts_with(FILE_MARK) {
        for Block { whole, body } in blocks(bytes)? {
            let message = whole.strip_prefix(CONTINUATION).unwrap_or(whole);
            check_message(message.get(4..).unwrap_or_default(), body)?;
        }
        return Ok(());
    }
    while let Some((length, after)) = rest.strip_prefix(CONTINUATION).unwrap_or(rest).split_first_chunk() {
        let message = after.split_at_checked(u32::from_le_bytes(*length) as usize);
        let (message, after) = message.ok_or("the file ends within a message")?;
        let body = check_message(message, after)?;
        rest = after.get(body..).ok_or("the file ends within a message")?;
        if message.is_empty() {
            break;
        }
    }
    Ok(())
}

/// Stands before the length of a message.
const CONTINUATION: &[u8] = &[0xff; 4];

/// A message of a file. The reader parses all of it as the metadata, which may so reach into the body.
struct Block<'a> {
    whole: &'a [u8],
    body: &'a [u8],
}

/// The messages of a file, all of which have to be within it. A damaged footer is reported by the reader.
fn blocks(bytes: &[u8]) -> Result<Vec<Block<'_>>, String> {
    let footer = || {
        let (before, trailer) = bytes.split_last_chunk()?;
        let length = arrow_ipc::reader::read_footer_length(*trailer).ok()?;
        before.get(before.len().checked_sub(length)?..)
    };
    // A copy, as the reader makes one: the verifier refuses what does not begin at an even address.
    let footer = footer().unwrap_or_default().to_vec();
    let Ok(footer) = arrow_ipc::root_as_footer(&footer) else { return Ok(Vec::new()) };
    let block = |block: &arrow_ipc::Block| {
        let begin = usize::try_from(block.offset()).ok()?;
        let metadata = usize::try_from(block.metaDataLength()).ok()?;
        let body = usize::try_from(block.bodyLength()).ok()?;
        let whole = bytes.get(begin..)?.get(..metadata.checked_add(body)?)?;
        Some(Block { whole, body: &whole[metadata..] })
    };
    let blocks = footer.dictionaries().into_iter().chain(footer.recordBatches()).flatten();
    blocks.map(|it| block(it).ok_or_else(|| "a block of it lies outside of the file".to_owned())).collect()
}

/// Checks the buffers in the body of a message, and gives the length of the body.
fn check_message(message: &[u8], body: &[u8]) -> Result<usize, String> {
    // A copy, as for the footer.
    let message = message.to_vec();
    let Ok(message) = arrow_ipc::root_as_message(&message) else { return Ok(0) };
    let batch =
        message.header_as_record_batch().or(message.header_as_dictionary_batch().and_then(|batch| batch.data()));
    let compressed = batch.filter(|batch| batch.compression().is_some()).and_then(|batch| batch.buffers());
    for buffer in compressed.into_iter().flatten() {
        let begin = usize::try_from(buffer.offset()).ok();
        let Some((claim, _)) = begin.and_then(|begin| body.get(begin..)?.split_first_chunk()) else { continue };
        // Below 0 it says that the buffer is not compressed after all.
        let claim = usize::try_from(i64::from_le_bytes(*claim)).unwrap_or_default();
        if Vec::<u8>::new().try_reserve_exact(claim).is_err() {
            return Err(format!("a compressed buffer claims to hold {claim} bytes, for which there is no memory"));
        }
    }
    Ok(usize::try_from(message.bodyLength()).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::{super::testing::*, *};

    fn fixture(name: &str) -> Vec<u8> {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/files");
        std::fs::read(folder.join(name)).unwrap()
    }

    #[test]
    fn a_buffer_that_claims_too_much_is_refused() {
        let mut bytes = fixture("names.feather");
        // Each compressed buffer begins with its length and the mark of LZ4.
        let mark = memchr::memmem::find(&bytes, &[0x04, 0x22, 0x4d, 0x18]).unwrap();
        bytes[mark - 8..mark].copy_from_slice(&(1_i64 << 60).to_le_bytes());
        assert_eq!(
            reason(Arrow::read, &bytes),
            "test: a compressed buffer claims to hold 1152921504606846976 bytes, for which there is no memory"
        );
        // The same where the metadata goes on in the body: the vector of columns, of which there are 3 of 4 rows, claims to have one more.
        let mut longer = fixture("names.feather");
        let columns = memchr::memmem::find(&longer, &[3, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0]).unwrap();
        longer[columns] = 4;
        let mark = memchr::memmem::rfind(&longer, &[0x04, 0x22, 0x4d, 0x18]).unwrap();
        longer[mark - 8..mark].copy_from_slice(&(1_i64 << 60).to_le_bytes());
        assert!(reason(Arrow::read, &longer).contains("claims to hold"));
        // The same where the footer begins at any address.
        let (before, trailer) = bytes.split_last_chunk().unwrap();
        let footer = before.len() - arrow_ipc::reader::read_footer_length(*trailer).unwrap();
        for _ in 0..8 {
            bytes.insert(footer, 0);
            assert!(reason(Arrow::read, &bytes).contains("claims to hold"));
        }
    }

    #[test]
    fn a_message_longer_than_the_file_is_refused() {
        let whole = fixture("names.arrow");
        let (before, trailer) = whole.split_last_chunk().unwrap();
        let length = arrow_ipc::reader::read_footer_length(*trailer).unwrap();
        let begin = before.len() - length;
        let footer = arrow_ipc::root_as_footer(&before[begin..]).unwrap();
        let block = footer.recordBatches().unwrap().get(0).0;
        // A block is its offset, the length of its metadata and that of its body.
        let place = begin + memchr::memmem::find(&before[begin..], &block).unwrap();
        for (field, claim) in [(0, 1_i64 << 40), (0, -8), (8, i64::from(i32::MAX)), (16, 1 << 31), (16, -1)] {
            let mut bytes = whole.clone();
            bytes[place + field..place + field + 8].copy_from_slice(&claim.to_le_bytes());
            assert_eq!(reason(Arrow::read, &bytes), "test: a block of it lies outside of the file", "{field} {claim}");
        }
        let whole = fixture("numbers.arrows");
        let mut bytes = whole.clone();
        bytes[4..8].copy_from_slice(&i32::MAX.to_le_bytes());
        assert_eq!(reason(Arrow::read, &bytes), "test: the file ends within a message");
        assert_eq!(reason(Arrow::read, &whole[..whole.len() / 2]), "test: the file ends within a message");
    }

    #[test]
    fn files_and_streams_are_recognised() {
        let recognise = |bytes: &[u8]| Arrow::recognise(Text { path: "a".as_ref(), bytes });
        assert_eq!(recognise(&fixture("names.arrow")), Recognition::Certain);
        assert_eq!(recognise(&fixture("numbers.arrows")), Recognition::Certain);
        assert_eq!(recognise(&[0xff; 20]), Recognition::No);
    }
}
