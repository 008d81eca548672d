//! Prefix sum, reduction and compaction against the standard library, at lengths around every block and level boundary.

use crate::common;
use evenkeel::{
    device::Device,
    engine::primitive::{Compact, Kind, Reduction, Scan, reduce},
};
use evenkeel_types::SCAN_BLOCK;

/// Lengths at which something changes: none, one, a subgroup, a workgroup, a block, two levels, and three on the way there.
fn lengths() -> Vec<usize> {
    let block = SCAN_BLOCK as usize;
    vec![
        0,
        1,
        2,
        31,
        32,
        33,
        255,
        256,
        257,
        block - 1,
        block,
        block + 1,
        3 * block + 5,
        block * 70 + 17,
        block * block + 1,
    ]
}

/// Numbers that are neither sorted nor small, the same every time.
fn numbers(length: usize) -> Vec<u32> {
    (0..length as u32).map(|index| index.wrapping_mul(2_654_435_761) ^ (index >> 3)).collect()
}

fn scanned(device: &Device, input: &[u32], kind: Kind) -> Vec<u32> {
    let scan = Scan::new(device, input.len()).unwrap();
    let (from, to) = (device.buffer_from("input", input).unwrap(), device.buffer("output", input.len()).unwrap());
    device.record("scan", |recorder| scan.record(recorder, &from, &to, input.len(), kind)).unwrap().run().unwrap();
    device.download(&to).unwrap()
}

#[test]
fn prefix_sums() {
    for device in common::devices() {
        for length in lengths() {
            let input = numbers(length);
            let mut sum = 0u32;
            let inclusive: Vec<u32> = input
                .iter()
                .map(|number| {
                    sum = sum.wrapping_add(*number);
                    sum
                })
                .collect();
            let exclusive: Vec<u32> =
                inclusive.iter().zip(&input).map(|(sum, number)| sum.wrapping_sub(*number)).collect();
            assert!(scanned(&device, &input, Kind::Inclusive) == inclusive, "inclusive, {length}, {device:?}");
            assert!(scanned(&device, &input, Kind::Exclusive) == exclusive, "exclusive, {length}, {device:?}");
        }
        common::finish(&device);
    }
}

#[test]
fn reductions() {
    for device in common::devices() {
        for length in lengths() {
            let input = numbers(length);
            let from = device.buffer_from("input", &input).unwrap();
            let result = device.buffer::<u32>("result", 1).unwrap();
            let expected = [
                (Reduction::Sum, input.iter().fold(0, |sum: u32, number| sum.wrapping_add(*number))),
                (Reduction::Smallest, input.iter().copied().min().unwrap_or(u32::MAX)),
                (Reduction::Largest, input.iter().copied().max().unwrap_or(0)),
            ];
            for (reduction, expected) in expected {
                let mut recording =
                    device.record("reduce", |recorder| reduce(recorder, reduction, &from, &result)).unwrap();
                recording.run().unwrap();
                assert_eq!(device.download(&result).unwrap(), [expected], "{reduction:?}, {length}, {device:?}");
            }
        }
        common::finish(&device);
    }
}

#[test]
fn compactions() {
    for device in common::devices() {
        for length in lengths() {
            let values = numbers(length);
            let flags: Vec<u32> = values.iter().map(|value| u32::from(value % 3 == 0)).collect();
            let expected: Vec<u32> = values.iter().copied().filter(|value| value % 3 == 0).collect();
            let compact = Compact::new(&device, length).unwrap();
            let [from, chosen] = [&values, &flags].map(|words| device.buffer_from("words", words).unwrap());
            let (to, count) = (device.buffer("output", length).unwrap(), device.buffer::<u32>("count", 1).unwrap());
            // SAFETY: the flags are 0 or 1.
            let record =
                device.record("compact", |recorder| unsafe { compact.record(recorder, &from, &chosen, &to, &count) });
            record.unwrap().run().unwrap();
            assert_eq!(device.download(&count).unwrap(), [expected.len() as u32], "{length}, {device:?}");
            assert!(device.download(&to).unwrap()[..expected.len()] == expected, "{length}, {device:?}");
        }
        common::finish(&device);
    }
}
