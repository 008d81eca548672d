//! Parsing tables and graphs of other tools: megabytes of file a second for Parquet with numbers and with names, Arrow, JSON lines and
//! GraphML, from memory, so that the disk plays no part.

use arrow_array::{ArrayRef, Float64Array, Int64Array, RecordBatch, StringArray};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use evenkeel::graph::formats::{self, Format, Loaded};
use parquet::{arrow::ArrowWriter, basic::Compression, file::properties::WriterProperties};
use std::{fmt::Write, hint::black_box, path::Path, sync::Arc, time::Duration};

const NODES: u64 = 1 << 20;
const EDGES: u64 = 4_000_000;

/// Ends and a weight for an edge; a multiplicative hash scatters them.
fn edge(index: u64) -> (u64, u64, u64) {
    let scatter = |value: u64| value.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
    (scatter(index) % NODES, scatter(index + EDGES) % NODES, scatter(index + 2 * EDGES) % 10_000)
}

fn table(source: ArrayRef, target: ArrayRef) -> RecordBatch {
    let weights: Float64Array = (0..EDGES).map(|index| edge(index).2 as f64 / 8.0).collect();
    let columns = [("source", source), ("target", target), ("weight", Arc::new(weights) as ArrayRef)];
    RecordBatch::try_from_iter(columns).expect("the columns are equally long")
}

fn numbers() -> RecordBatch {
    let sources: Int64Array = (0..EDGES).map(|index| edge(index).0 as i64).collect();
    let targets: Int64Array = (0..EDGES).map(|index| edge(index).1 as i64).collect();
    table(Arc::new(sources), Arc::new(targets))
}

fn names() -> RecordBatch {
    let name = |node: u64| Some(format!("user-{node:x}"));
    let sources: StringArray = (0..EDGES).map(|index| name(edge(index).0)).collect();
    let targets: StringArray = (0..EDGES).map(|index| name(edge(index).1)).collect();
    table(Arc::new(sources), Arc::new(targets))
}

fn parquet_of(table: &RecordBatch) -> Vec<u8> {
    let properties =
        WriterProperties::builder().set_compression(Compression::SNAPPY).set_max_row_group_row_count(Some(1 << 20));
    let mut writer =
        ArrowWriter::try_new(Vec::new(), table.schema(), Some(properties.build())).expect("it can be written");
    writer.write(table).expect("it can be written");
    writer.into_inner().expect("it can be written")
}

fn json_lines() -> Vec<u8> {
    let mut text = String::new();
    for (source, target, weight) in (0..EDGES / 4).map(edge) {
        writeln!(text, "{{\"source\": {source}, \"target\": {target}, \"weight\": {weight}}}")
            .expect("a string takes any text");
    }
    text.into_bytes()
}

fn graphml() -> Vec<u8> {
    let mut text = String::from("<graphml><graph edgedefault=\"directed\">\n");
    for node in 0..NODES {
        writeln!(text, "<node id=\"{node}\"/>").expect("a string takes any text");
    }
    for (source, target, _) in (0..EDGES / 4).map(edge) {
        writeln!(text, "<edge source=\"{source}\" target=\"{target}\"/>").expect("a string takes any text");
    }
    text.push_str("</graph></graphml>\n");
    text.into_bytes()
}

fn parse(criterion: &mut Criterion) {
    measure(criterion, "parquet", "parquet", &parquet_of(&numbers()), EDGES);
    measure(criterion, "parquet, names", "parquet", &parquet_of(&names()), EDGES);
    measure(criterion, "json-lines", "json-lines", &json_lines(), EDGES / 4);
    measure(criterion, "graphml", "graphml", &graphml(), EDGES / 4);
}

fn measure(criterion: &mut Criterion, name: &str, format: &str, bytes: &[u8], edges: u64) {
    let format: Format = format.parse().expect("the format is registered");
    let path = Path::new("benchmark");
    let loaded = formats::parse(format, path, &[bytes]).expect("the file is valid");
    let Loaded::Edges(parsed) = loaded else { panic!("it holds edges") };
    assert_eq!(parsed.edges.sources.len() as u64, edges);
    let mut group = criterion.benchmark_group("parse");
    group.throughput(Throughput::BytesDecimal(bytes.len() as u64));
    group.sample_size(10).measurement_time(Duration::from_secs(3));
    group.bench_function(name, |bencher| bencher.iter(|| formats::parse(format, path, &[black_box(bytes)])));
    group.finish();
}

criterion_group!(benches, parse);
criterion_main!(benches);
