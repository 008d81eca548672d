//! Reports that were made up, for the tests of the library and of the command.

use evenkeel::{
    algorithm::Value,
    device::{DeviceInfo, DeviceKind},
    graph::NodeName,
    report::{
        BufferReport, GraphReport, PrepareReport, Report, RunReport, mteps,
        shown::{Figure, Figures},
    },
};
use std::{collections::BTreeMap, time::Duration};

/// The figures of a search.
fn reach() -> Figures {
    let list = vec![
        Figure::new("reached", Value::Count(5000), "nodes").in_line("reached", "5,000 of 6,000 nodes".into()),
        Figure::new("furthest", Value::Real(2.5), "").in_line("reached", "the furthest at 2.5".into()),
    ];
    Figures { edges: 19_000, list }
}

/// A report with plain numbers in it.
pub fn example() -> Report {
    let runs = [4.0, 2.0].map(|total_ms| RunReport {
        total_ms,
        kernel_ms: 1.5,
        overhead_ms: total_ms - 1.5,
        iterations: 8,
        streamed_bytes: 0,
    });
    Report {
        version: "1.2.3",
        graph: GraphReport {
            name: "tiny".into(),
            nodes: 6000,
            edges: 20_000,
            rectangle: None,
            directed: true,
            weights: "u32",
            edges_given: 20_002,
            self_loops_dropped: 2,
            parallel_edges_merged: 0,
        },
        device: DeviceInfo {
            index: Some(0),
            name: "Imaginary 9000".into(),
            kind: DeviceKind::Discrete,
            memory: 1 << 30,
            subgroup_size: 32,
            api_version: "1.3.0".into(),
            driver: "imaginary 1.0".into(),
            max_buffer: 1 << 30,
            partition_bytes: None,
            memory_limit: None,
            max_groups: 65_535,
            loop_limit: None,
            workgroup_memory: 32_768,
            workgroup_invocations: 1024,
            int64: true,
            float64: true,
            float_atomics: true,
            missing: Vec::new(),
            without: Vec::new(),
            limits: Vec::new(),
        },
        algorithm: "sssp",
        alternative: "strategy",
        strategy: "node".into(),
        method: None,
        ordered_by: None,
        config: serde_json::json!({ "strategy": "node" }),
        source: Some(NodeName::Number(7)),
        figures: reach(),
        answer: None,
        prepare_ms: PrepareReport::new(Duration::from_millis(3), BTreeMap::from([("uploading".into(), 2.0)])),
        fetch_ms: 0.25,
        median: runs[1],
        runs: runs.to_vec(),
        mteps: mteps(19_000, 2.0),
        memory_bytes: 3 << 20,
        buffers: vec![
            BufferReport { name: "columns".into(), bytes: 2 << 20 },
            BufferReport { name: "distances".into(), bytes: 1 << 20 },
        ],
        profile: None,
        details: serde_json::Map::new(),
        valid: Some(true),
        oracle_ms: None,
    }
}

/// A report of an algorithm that begins nowhere.
pub fn product() -> Report {
    Report {
        algorithm: "spmv",
        alternative: "schedule",
        strategy: "merge-path".into(),
        source: None,
        figures: Figures { edges: 19_000, list: vec![Figure::gbytes_per_second(5_000_000, 2e-3)] },
        ..example()
    }
}
