//! Parsing: megabytes a second of the parallel parsers against a plain sequential reader of lines, on an edge list of numbers, one
//! of names as CSV, and a DIMACS file, of some twenty to forty megabytes. Both sides read from memory, so that the disk plays no
//! part.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use evenkeel::graph::formats::{self, Format, Loaded};
use std::{collections::HashMap, fmt::Write, hint::black_box, io::BufRead, path::Path, time::Duration};

const NODES: u64 = 1 << 20;
// A line is some fifteen bytes long.
const EDGES: u64 = 1_400_000;

/// Ends and a weight for an edge; a multiplicative hash scatters them.
fn edge(index: u64) -> (u64, u64, u64) {
    let scatter = |value: u64| value.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
    (scatter(index) % NODES, scatter(index + EDGES) % NODES, scatter(index + 2 * EDGES) % 10_000)
}

fn edge_list() -> String {
    let mut text = String::from("# Directed graph\n");
    for (source, target, _) in (0..EDGES).map(edge) {
        writeln!(text, "{source}\t{target}").expect("a string takes any text");
    }
    text
}

/// A table with a header, of people who are called by their names.
fn named() -> String {
    let mut text = String::from("source,target,weight\n");
    for (source, target, weight) in (0..EDGES).map(edge) {
        writeln!(text, "user-{source:x},user-{target:x},{}.5", weight % 100).expect("a string takes any text");
    }
    text
}

fn dimacs() -> String {
    let mut text = format!("c random\np sp {NODES} {EDGES}\n");
    for (source, target, weight) in (0..EDGES).map(edge) {
        writeln!(text, "a {} {} {weight}", source + 1, target + 1).expect("a string takes any text");
    }
    text
}

/// What most programs do: a line, its words, their numbers; then the next.
fn plain_reader(text: &[u8], mark: &str, numbers: usize) -> Vec<Vec<u32>> {
    let mut columns = vec![Vec::new(); numbers];
    for line in text.lines() {
        let line = line.expect("the text is valid");
        let Some(fields) = line.strip_prefix(mark).filter(|fields| !fields.starts_with('#')) else { continue };
        for (column, field) in columns.iter_mut().zip(fields.split_whitespace()) {
            column.push(field.parse().expect("the text is valid"));
        }
    }
    columns
}

/// Reads names as most programs do: each gets the next number when it occurs for the first time.
fn plain_reader_of_names(text: &[u8]) -> Vec<Vec<u32>> {
    let mut nodes: HashMap<String, u32> = HashMap::new();
    let mut columns = vec![Vec::new(); 2];
    for line in text.lines().skip(1) {
        for (column, field) in columns.iter_mut().zip(line.expect("the text is valid").split(',')) {
            let next = nodes.len() as u32;
            column.push(*nodes.entry(field.to_owned()).or_insert(next));
        }
    }
    columns
}

fn parse(criterion: &mut Criterion) {
    compare(criterion, "edge-list", "edge-list", &edge_list(), |text| plain_reader(text, "", 2));
    compare(criterion, "names", "edge-list", &named(), plain_reader_of_names);
    compare(criterion, "dimacs", "dimacs", &dimacs(), |text| plain_reader(text, "a ", 3));
}

fn compare(criterion: &mut Criterion, name: &str, format: &str, text: &str, plain: impl Fn(&[u8]) -> Vec<Vec<u32>>) {
    let format: Format = format.parse().expect("the format is registered");
    let path = Path::new("benchmark");
    let loaded = formats::parse(format, path, &[text.as_bytes()]).expect("the text is valid");
    let Loaded::Edges(parsed) = loaded else { panic!("a text holds edges") };
    assert_eq!(parsed.edges.sources.len(), plain(text.as_bytes())[0].len());
    let mut group = criterion.benchmark_group(format!("parse/{name}"));
    group.throughput(Throughput::BytesDecimal(text.len() as u64));
    group.sample_size(10).measurement_time(Duration::from_secs(3));
    group.bench_function("parallel", |bencher| {
        bencher.iter(|| formats::parse(format, path, &[black_box(text.as_bytes())]));
    });
    group.bench_function("plain reader", |bencher| {
        bencher.iter(|| plain(black_box(text.as_bytes())));
    });
    group.finish();
}

criterion_group!(benches, parse);
criterion_main!(benches);
