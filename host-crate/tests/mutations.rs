//! Mutated files of every format, on stable Rust, for as long as they are given: `EVENKEEL_FUZZ_SECONDS`, 2 unless said. What the fuzz
//! targets search for with coverage and a nightly compiler, this searches for by brute force, on all cores.
//!
//! An input on which a parser panics, or asks for more memory than there is, is saved below the target folder's `tmp/fuzz`. The seed follows
//! from `EVENKEEL_FUZZ_SEED`.

use evenkeel::graph::{
    BuildOptions, Csr, EdgeList, EdgeWeights, Graph, NodeIds,
    formats::{self, Format},
};
use fastrand::Rng;
use std::{
    alloc::{GlobalAlloc, Layout, System},
    collections::BTreeMap,
    fs,
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
    sync::{
        Mutex,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    thread,
    time::{Duration, Instant},
};

#[allow(dead_code)] // The fuzz targets use the rest.
#[path = "../fuzz/lib.rs"]
mod fuzz;

/// What each thread parses, with whatever help of other threads.
static PARSED: Mutex<BTreeMap<u64, (Format, Vec<u8>)>> = Mutex::new(BTreeMap::new());

/// The system's allocator, which saves what is being parsed when there is no memory: the program may abort then, with no word on the input.
struct Saving;

#[global_allocator]
static ALLOCATOR: Saving = Saving;

impl Saving {
    fn look_at(pointer: *mut u8) -> *mut u8 {
        if pointer.is_null() {
            let parsed = std::mem::take(&mut *PARSED.lock().unwrap());
            parsed
                .into_iter()
                .for_each(|(number, (format, bytes))| drop(save(format, &format!("memory-{number}"), &bytes)));
        }
        pointer
    }
}

// SAFETY: it is the system's.
unsafe impl GlobalAlloc for Saving {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as the caller promises.
        Self::look_at(unsafe { System.alloc(layout) })
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as the caller promises.
        Self::look_at(unsafe { System.alloc_zeroed(layout) })
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as the caller promises.
        Self::look_at(unsafe { System.realloc(pointer, layout, size) })
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(pointer, layout) };
    }
}

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("fuzz")
}

fn save(format: Format, name: &str, bytes: &[u8]) -> PathBuf {
    let folder = folder();
    fs::create_dir_all(&folder).unwrap();
    let file = folder.join(format!("{}-{name}", format.name()));
    fs::write(&file, bytes).unwrap();
    file
}

/// What parsers stumble over: limits of numbers, separators, and words that formats know.
const TOKENS: [&[u8]; 27] = [
    b",,",
    b"0",
    b"-1",
    b"1e308",
    b"nan",
    b"255",
    b"65536",
    b"4294967295",
    b"4294967296",
    b"18446744073709551615",
    b"18446744073709551616",
    b" ",
    b"\t",
    b"\n",
    b"\r\n",
    b",",
    b"\"",
    b"#",
    b"%%MatrixMarket matrix coordinate pattern general\n",
    b"p sp 3 3\n",
    b"<edge source=\"a\" target=\"b\"/>",
    b"{\"source\": 1, \"target\": 2}",
    b"\xff\xff\xff\xff",
    b"\x00\x00\x00\x80",
    b"\x00",
    b"\xef\xbb\xbf",
    b"PAR1",
];

/// A valid file of a format, or two with a zero byte between, as [`fuzz::parse`] takes them. None where the format cannot hold such
/// a graph.
fn written(format: Format, weighted: bool) -> Option<Vec<u8>> {
    let (sources, targets) = (0..12u32).flat_map(|node| [(node, (node + 1) % 12), (node, node * 5 % 12)]).unzip();
    let weights = if weighted { EdgeWeights::U32((0..24).map(|edge| edge * 3).collect()) } else { EdgeWeights::None };
    let options = BuildOptions { symmetrise: true, drop_self_loops: true, ..BuildOptions::default() };
    let csr = Csr::from_edges(EdgeList { nodes: 12, sources, targets, weights }, options).ok()?.0;
    let graph = Graph { name: "seed".to_owned(), csr, ids: NodeIds::Counted { first: 0 }, directed: false };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("graph.e");
    formats::write(&graph, &path, Some(format)).ok()?;
    let mut bytes = fs::read(&path).unwrap();
    if format.files() == 2 {
        bytes.push(0);
        bytes.extend(fs::read(folder.path().join("graph.v")).unwrap());
    }
    Some(bytes)
}

/// The files to begin with: those that can be written, and those that other programs wrote.
fn seeds() -> Vec<(Format, Vec<u8>)> {
    let made = Format::all()
        .filter(|format| format.is_written())
        .flat_map(|format| [true, false].into_iter().filter_map(move |it| Some((format, written(format, it)?))));
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/files");
    let foreign = fs::read_dir(folder).unwrap().filter_map(|entry| {
        let path = entry.unwrap().path();
        let bytes = fs::read(&path).unwrap();
        Some((Format::of_path(&path).or_else(|| Format::detect(&path, &bytes).ok())?, bytes))
    });
    made.chain(foreign).collect()
}

/// Changes a few places.
fn mutate(bytes: &mut Vec<u8>, rng: &mut Rng, seeds: &[(Format, Vec<u8>)]) {
    for _ in 0..rng.usize(1..6) {
        let place = rng.usize(..=bytes.len());
        let end = bytes.len().min(place + rng.usize(..16));
        match rng.u32(..7) {
            0 if place < bytes.len() => bytes[place] ^= 1 << rng.u32(..8),
            1 if place < bytes.len() => bytes[place] = rng.u8(..),
            2 => drop(bytes.drain(place..end)),
            3 => drop(bytes.splice(place..end, TOKENS[rng.usize(..TOKENS.len())].iter().copied())),
            4 => {
                let part = bytes[place..end].to_vec();
                bytes.splice(place..place, part.repeat(rng.usize(1..4)));
            }
            5 => bytes.truncate(place),
            _ => {
                let other = &seeds[rng.usize(..seeds.len())].1;
                let from = rng.usize(..=other.len());
                bytes.splice(place..end, other[from..other.len().min(from + 32)].iter().copied());
            }
        }
    }
}

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |text| text.parse().expect("a number"))
}

#[test]
fn parsers_survive_mutated_files_of_every_format() {
    let (seconds, seed) = (setting("EVENKEEL_FUZZ_SECONDS", 2), setting("EVENKEEL_FUZZ_SEED", 1));
    let (seeds, begin, inputs) = (seeds(), Instant::now(), AtomicU64::new(0));
    let missing: Vec<_> = Format::all().filter(|format| seeds.iter().all(|seed| seed.0 != *format)).collect();
    let search = |number: u64| -> Option<(Format, PathBuf)> {
        let mut rng = Rng::with_seed(seed.wrapping_mul(1000).wrapping_add(number));
        while begin.elapsed() < Duration::from_secs(seconds) {
            let (format, bytes) = &seeds[rng.usize(..seeds.len())];
            let mut bytes = bytes.clone();
            mutate(&mut bytes, &mut rng, &seeds);
            // A parser of another format may be asked for by name, too.
            let format = if rng.u32(..16) == 0 || !missing.is_empty() && rng.u32(..8) == 0 {
                let all: Vec<_> = Format::all().collect();
                all[rng.usize(..all.len())]
            } else {
                *format
            };
            inputs.fetch_add(1, Relaxed);
            PARSED.lock().unwrap().insert(number, (format, bytes.clone()));
            if catch_unwind(AssertUnwindSafe(|| fuzz::parse(format, &bytes))).is_err() {
                return Some((format, save(format, &format!("{seed}-{number}"), &bytes)));
            }
        }
        None
    };
    let threads = thread::available_parallelism().map_or(1, usize::from) as u64;
    let found: Vec<_> = thread::scope(|scope| {
        let search = &search;
        let threads: Vec<_> = (0..threads).map(|number| scope.spawn(move || search(number))).collect();
        threads.into_iter().filter_map(|thread| thread.join().unwrap()).collect()
    });
    println!("{} inputs", inputs.into_inner());
    // Where the memory was asked for politely, nothing was wrong with the input.
    for file in fs::read_dir(folder()).into_iter().flatten().map(|entry| entry.unwrap().path()) {
        if file.to_string_lossy().contains("-memory-") {
            fs::remove_file(file).unwrap();
        }
    }
    for (format, file) in &found {
        println!("{}: a parser panics on {}", format.name(), file.display());
    }
    assert!(found.is_empty(), "parsers panic");
}
