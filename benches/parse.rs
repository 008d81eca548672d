//! Parsing: megabytes a second of the parallel parsers against a plain sequential reader of lines, on an edge list and a
//! DIMACS file of some twenty megabytes. Both sides read from memory, so that the disk plays no part.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use evenkeel::graph::formats::{self, Format, Loaded};
use std::{fmt::Write, hint::black_box, io::BufRead, path::Path, time::Duration};

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

fn parse(criterion: &mut Criterion) {
    for (format, text, mark, numbers) in [("edge-list", edge_list(), "", 2), ("dimacs", dimacs(), "a ", 3)] {
        let format: Format = format.parse().expect("the format is registered");
        let path = Path::new("benchmark");
        let loaded = formats::parse(format, path, &[text.as_bytes()]).expect("the text is valid");
        let Loaded::Edges(parsed) = loaded else { panic!("a text holds edges") };
        assert_eq!(parsed.edges.sources.len(), plain_reader(text.as_bytes(), mark, numbers)[0].len());
        let mut group = criterion.benchmark_group(format!("parse/{format}"));
        group.throughput(Throughput::BytesDecimal(text.len() as u64));
        group.sample_size(10).measurement_time(Duration::from_secs(3));
        group.bench_function("parallel", |bencher| {
            bencher.iter(|| formats::parse(format, path, &[black_box(text.as_bytes())]));
        });
        group.bench_function("plain reader", |bencher| {
            bencher.iter(|| plain_reader(black_box(text.as_bytes()), mark, numbers));
        });
        group.finish();
    }
}

criterion_group!(benches, parse);
criterion_main!(benches);
