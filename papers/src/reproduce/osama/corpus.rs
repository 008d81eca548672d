//! The matrices that are multiplied: those of a folder, and generated ones; and what was measured with each.

use super::super::{
    experiment::Setting,
    results::{Record, Results},
};
use evenkeel::graph::Dimensions;
use serde_json::Value;
use std::{fs, path::Path};

/// What the names of experiments with a matrix of the corpus begin with.
pub const MATRIX: &str = "spmv ";
/// The files of a corpus.
const ENDINGS: [&str; 3] = [".mtx", ".mtx.gz", ".ekg"];

/// A matrix of the corpus, and what was measured with it.
pub struct Matrix<'a> {
    /// Its name: the path in the folder, or the generator.
    pub name: &'a str,
    /// Its rows and columns.
    pub dimensions: Dimensions,
    /// Its entries.
    pub entries: u32,
    results: &'a Results,
}

impl Matrix<'_> {
    /// The time in which the device was busy, under a schedule.
    pub fn time(&self, schedule: &str) -> Option<f64> {
        let time = self.results.number(&format!("{MATRIX}{}", self.name), schedule, "/median/kernel_ms")?;
        (time > 0.0).then_some(time)
    }

    /// The time of another library, where a file has it.
    pub fn other(&self, library: &str) -> Option<f64> {
        let stem = ENDINGS.iter().find_map(|ending| self.name.strip_suffix(ending)).unwrap_or(self.name);
        let last = stem.rsplit('/').next().unwrap_or(stem);
        [self.name, stem, last].iter().find_map(|name| self.results.other(library, name))
    }

    /// The fastest of some schedules.
    pub fn fastest<'s>(&self, schedules: &[&'s str]) -> Option<(&'s str, f64)> {
        let times = schedules.iter().filter_map(|schedule| Some((*schedule, self.time(schedule)?)));
        times.min_by(|a, b| a.1.total_cmp(&b.1))
    }
}

/// The matrices that were measured, the smallest first.
pub fn measured(results: &Results) -> Vec<Matrix<'_>> {
    let matrix = |record: &Record| {
        let size = |what: &str| {
            let entries = record.entries();
            let number = entries.first()?.pointer(&format!("/graph/{what}")).and_then(Value::as_u64)?;
            u32::try_from(number).ok()
        };
        let square = Dimensions { rows: size("nodes")?, columns: size("nodes")? };
        let side = |which: u32| size(&format!("rectangle/{which}"));
        let rectangle = side(0).zip(side(1)).map(|(rows, columns)| Dimensions { rows, columns });
        Some((rectangle.unwrap_or(square), size("edges")?))
    };
    let mut corpus: Vec<Matrix<'_>> = Vec::new();
    for record in results.records() {
        let Some(name) = record.experiment.strip_prefix(MATRIX) else { continue };
        let Some((dimensions, entries)) = matrix(record) else { continue };
        corpus.push(Matrix { name, dimensions, entries, results });
    }
    corpus.sort_by_key(|matrix| (matrix.entries, matrix.name));
    corpus
}

/// Generated matrices: skewed, random, regular, the two extremes of rows, and the shapes of matrices that are not networks, from hundreds of
/// entries to millions.
pub fn generated(setting: &Setting) -> Vec<String> {
    let sizes = |small: &[u32], paper: &[u32]| setting.pick(small, paper).to_vec();
    let mut list = Vec::new();
    list.extend(sizes(&[6, 9, 12, 14], &[8, 12, 16, 18, 20, 22]).iter().map(|scale| format!("rmat:scale={scale}")));
    for nodes in sizes(&[100, 2000, 20_000], &[1000, 65_536, 1_048_576, 4_194_304]) {
        list.push(format!("er:nodes={nodes},degree=8"));
    }
    list.push("er:nodes=100,degree=60".to_owned());
    for side in sizes(&[15, 60, 200], &[15, 100, 500, 2000]) {
        list.push(format!("grid:rows={side},cols={side}"));
    }
    for family in ["road", "star", "chain"] {
        for nodes in sizes(&[300, 20_000], &[300, 20_000, 1_000_000]) {
            list.push(format!("{family}:nodes={nodes}"));
        }
    }
    let shapes = setting.pick(&SMALL_SHAPES[..], &SHAPES[..]);
    list.extend(shapes.iter().map(|shape| (*shape).to_owned()));
    list
}

/// Meshes of finite elements, bands, dense blocks and matrices that are not square.
const SMALL_SHAPES: [&str; 5] = [
    "mesh:x=8,y=8,z=8,unknowns=3",
    "band:nodes=2000,width=16",
    "blocks:blocks=50,size=20",
    "rectangle:rows=20000,columns=100,degree=4",
    "rectangle:rows=100,columns=20000,degree=200",
];
/// The same shapes at the sizes of the paper's collection.
const SHAPES: [&str; 20] = [
    "mesh:x=6,y=6,z=6",
    "mesh:x=20,y=20,z=20",
    "mesh:x=40,y=40,z=40,unknowns=3",
    "mesh:x=100,y=100,z=100",
    "mesh:x=60,y=60,z=60,unknowns=3",
    "mesh:x=1000,y=1000,z=1",
    "band:nodes=400,width=4",
    "band:nodes=20000,width=16",
    "band:nodes=100000,width=100",
    "band:nodes=1048576,width=8",
    "band:nodes=4194304,width=1",
    "blocks:blocks=10,size=40",
    "blocks:blocks=2000,size=32",
    "blocks:blocks=100,size=512",
    "blocks:blocks=100000,size=16",
    "rectangle:rows=400,columns=20000,degree=20",
    "rectangle:rows=1000000,columns=400,degree=4",
    "rectangle:rows=1000000,columns=65536,degree=16",
    "rectangle:rows=1000,columns=1000000,degree=10000",
    "rectangle:rows=65536,columns=1000000,degree=100",
];

/// The matrices that are multiplied in every layout: skewed, random and regular.
pub fn for_layouts(setting: &Setting) -> [&'static str; 3] {
    let small = ["rmat:scale=12", "er:nodes=20000,degree=8", "grid:rows=200,cols=200"];
    setting.pick(small, ["rmat:scale=20", "er:nodes=1048576,degree=8", "grid:rows=2000,cols=2000"])
}

/// The matrices that are multiplied by themselves.
pub fn for_sparse_products(setting: &Setting) -> [&'static str; 4] {
    let small = ["rmat:scale=9", "er:nodes=2000,degree=8", "grid:rows=60,cols=60", "mesh:x=8,y=8,z=8"];
    setting
        .pick(small, ["rmat:scale=14", "er:nodes=200000,degree=8", "grid:rows=1000,cols=1000", "mesh:x=40,y=40,z=40"])
}

/// The files of a folder and of those within it, by their paths from there. What cannot be read is left out.
pub fn files(folder: &Path) -> Vec<(String, String)> {
    let (mut folders, mut found) = (vec![folder.to_path_buf()], Vec::new());
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(&next).into_iter().flatten().flatten() {
            let path = entry.path();
            let name = path.strip_prefix(folder).unwrap_or(&path).to_string_lossy().into_owned();
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => folders.push(path),
                _ if ENDINGS.iter().any(|ending| name.ends_with(ending)) && path.is_file() => {
                    found.push((name, path.to_string_lossy().into_owned()));
                }
                _ => {}
            }
        }
    }
    found.sort();
    found
}
