//! Every strategy of every algorithm on every software device that can be had, each answer checked against the oracle.

use super::{driver_file, from_json, output, timed};
use anyhow::{Result, ensure};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::{collections::BTreeMap, path::Path, process::Command};

const MESA: &str = "mesa-vulkan-drivers";
const CHROMIUM: &str = "chromium-common";

/// A device that everything runs on.
struct Target {
    name: &'static str,
    /// The folder of its driver's description, how that file's name begins, and the package it comes with; none without Vulkan.
    driver: Option<(&'static str, &'static str, &'static str)>,
    environment: &'static [(&'static str, &'static str)],
    /// What `--device` is given.
    device: &'static str,
}

const LAVAPIPE: Option<(&str, &str, &str)> = Some(("/usr/share/vulkan/icd.d", "lvp_icd", MESA));

/// The CPU device as a GPU with subgroups of a width that no driver here has, or has with another compiler.
const fn emulated(name: &'static str, device: &'static str) -> Target {
    Target { name, driver: None, environment: &[], device }
}

const DEVICES: [Target; 9] = [
    Target {
        name: "SwiftShader",
        driver: Some(("/usr/lib/chromium", "vk_swiftshader_icd", CHROMIUM)),
        environment: &[],
        device: "0",
    },
    Target {
        name: "lavapipe, 128 bits",
        driver: LAVAPIPE,
        environment: &[("LP_NATIVE_VECTOR_WIDTH", "128")],
        device: "0",
    },
    Target {
        name: "lavapipe, 256 bits",
        driver: LAVAPIPE,
        environment: &[("LP_NATIVE_VECTOR_WIDTH", "256")],
        device: "0",
    },
    Target {
        name: "lavapipe, 512 bits",
        driver: LAVAPIPE,
        environment: &[("LP_NATIVE_VECTOR_WIDTH", "512")],
        device: "0",
    },
    emulated("CPU, emulated subgroups of 2", "cpu:subgroup=2,resident=3"),
    emulated("CPU, emulated subgroups of 8", "cpu:subgroup=8,resident=1"),
    emulated("CPU, emulated subgroups of 32", "cpu:subgroup=32"),
    emulated("CPU, emulated subgroups of 64", "cpu:subgroup=64"),
    emulated("CPU, emulated subgroups of 128", "cpu:subgroup=128,resident=2"),
];

/// Skewed, regular and random; where a generator can, with edges one way too.
const GRAPHS: [&str; 5] = [
    "rmat:scale=7,edge-factor=8",
    "rmat:scale=7,edge-factor=8,directed=true",
    "grid:rows=12,cols=13",
    "er:nodes=200,degree=8",
    "er:nodes=200,degree=8,directed=true",
];

/// What an algorithm that would take long by default is told.
const SHORTER: [(&str, &[&str]); 1] = [("betweenness", &["--sources", "8"])];

/// What is run beside each algorithm as it is by default.
const VARIANTS: [(&str, &[&str]); 6] = [
    ("spmv", &["--layout", "coo"]),
    ("spmv", &["--layout", "csc"]),
    ("spmv", &["--precision", "double"]),
    ("pagerank", &["--precision", "double"]),
    ("components", &["--strong"]),
    ("apsp", &["--weights", "unit"]),
];

/// What a device may refuse: a part of the message.
const KNOWN_REFUSALS: [&str; 2] = ["has no double precision", "has no atomic additions to f32"];

/// What every device refuses: a combination that means nothing.
const REFUSED_EVERYWHERE: &str = "afforest skips edges";

/// What came of everything on one device.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub struct Device {
    pub device: String,
    pub driver: String,
    pub subgroup: u64,
    pub algorithms: usize,
    /// Pairs of an algorithm and a strategy or schedule.
    pub strategies: usize,
    /// Answers that were checked and are right.
    pub right: usize,
    /// What was refused, and why.
    pub refused: BTreeMap<String, String>,
}

/// With `sample`, each algorithm runs on one of [`GRAPHS`] on each device; the algorithms of a device and the devices of an algorithm
/// take turns among them.
pub fn all(program: &Path, sample: bool, failures: &mut Vec<String>) -> Result<Vec<Device>> {
    let algorithms = algorithms(program)?;
    // Most of these commands keep one processor busy.
    let run = |(turn, target): (usize, &Target)| {
        let mut failures = Vec::new();
        let turn = sample.then_some(turn);
        target.run(program, &algorithms, turn, &mut failures).map(|device| (device, failures))
    };
    let ran: Vec<_> = DEVICES.par_iter().enumerate().with_max_len(1).map(run).collect::<Result<_>>()?;
    let (devices, failed): (Vec<_>, Vec<_>) = ran.into_iter().unzip();
    failures.extend(failed.into_iter().flatten());
    Ok(devices)
}

/// The names in the first table of `evenkeel strategies`.
fn algorithms(program: &Path) -> Result<Vec<String>> {
    let listed = output(timed(program).arg("strategies"), "nothing")?;
    let text = String::from_utf8(listed.stdout)?;
    let rows = text.lines().skip(1).take_while(|line| !line.is_empty());
    let names: Vec<String> = rows.filter_map(|line| line.split_whitespace().next()).map(str::to_owned).collect();
    ensure!(!names.is_empty(), "`evenkeel strategies` lists no algorithms");
    Ok(names)
}

impl Target {
    /// Runs all algorithms, on all graphs or, with a turn, on the one of each whose turn it is.
    fn run(
        &self,
        program: &Path,
        algorithms: &[String],
        turn: Option<usize>,
        failures: &mut Vec<String>,
    ) -> Result<Device> {
        let driver = self.driver.map(|(folder, begins, package)| driver_file(folder, begins, package)).transpose()?;
        let mut device = Device {
            device: self.name.to_owned(),
            driver: String::new(),
            subgroup: 0,
            algorithms: algorithms.len(),
            strategies: 0,
            right: 0,
            refused: BTreeMap::new(),
        };
        let plain = algorithms.iter().map(|algorithm| {
            let shorter = SHORTER.iter().find(|(name, _)| name == algorithm);
            (algorithm.as_str(), shorter.map_or(&[] as &[&str], |(_, options)| options))
        });
        for (at, (algorithm, options)) in plain.chain(VARIANTS).enumerate() {
            let graphs = match turn {
                Some(turn) => vec![GRAPHS[(turn + at) % GRAPHS.len()]],
                None => GRAPHS.to_vec(),
            };
            let what = [&[algorithm], options].concat().join(" ");
            let mut command = timed(program);
            command.arg("compare").arg(algorithm).args(graphs).args(options);
            command.args([
                "--runs",
                "1",
                "--warmup",
                "0",
                "--no-pipeline-cache",
                "--device",
                self.device,
                "--json",
                "-",
            ]);
            command.envs(self.environment.iter().copied());
            command.envs(driver.iter().map(|driver| ("VK_ICD_FILENAMES", driver)));
            let output = output(&mut command, "nothing")?;
            let entries: Vec<Value> = match from_json(&String::from_utf8_lossy(&output.stdout)) {
                Ok(entries) => entries,
                Err(_) => {
                    let message = String::from_utf8_lossy(&output.stderr);
                    failures.push(format!("{what} on {}: {}: {}", self.name, output.status, message.trim()));
                    continue;
                }
            };
            device.count(&what, &entries, failures);
        }
        if let Some(version) =
            self.driver.and_then(|(_, _, package)| package_version(package)).filter(|_| self.driver != LAVAPIPE)
        {
            // The driver does not tell its version.
            device.driver += &format!(" of {CHROMIUM} {version}");
        }
        Ok(device)
    }
}

impl Device {
    /// Adds what came of one command.
    fn count(&mut self, what: &str, entries: &[Value], failures: &mut Vec<String>) {
        let mut strategies = Vec::new();
        for entry in entries {
            let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
            let (strategy, graph) = (text(&entry["strategy"]), text(&entry["graph"]["name"]));
            if !strategies.contains(&strategy) {
                strategies.push(strategy.clone());
            }
            self.driver = text(&entry["device"]["driver"]);
            self.subgroup = entry["device"]["subgroup_size"].as_u64().unwrap_or(0);
            match (entry["refused"].as_str(), entry["valid"].as_bool()) {
                (Some(reason), _) if KNOWN_REFUSALS.iter().any(|known| reason.contains(known)) => {
                    let is_all = entries.iter().all(|entry| entry["refused"].is_string());
                    let what = if is_all { what.to_owned() } else { format!("{what} with {strategy}") };
                    self.refused.insert(what, reason.to_owned());
                }
                (Some(reason), _) if reason.contains(REFUSED_EVERYWHERE) => {}
                (None, Some(true)) => self.right += 1,
                (refused, valid) => {
                    let came = refused.map_or_else(|| format!("valid: {valid:?}"), str::to_owned);
                    failures.push(format!("{what} with {strategy} on {graph}, on {}: {came}", self.device));
                }
            }
        }
        self.strategies += strategies.len();
    }
}

/// The version of a Debian package, where there is one.
pub fn package_version(package: &str) -> Option<String> {
    let asked = Command::new("dpkg-query").args(["--show", "--showformat=${Version}", package]).output().ok()?;
    asked.status.success().then(|| String::from_utf8_lossy(&asked.stdout).trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn wrong_answers_and_unknown_refusals_are_failures() {
        let mut device = Device {
            device: "a device".into(),
            driver: String::new(),
            subgroup: 0,
            algorithms: 1,
            strategies: 0,
            right: 0,
            refused: BTreeMap::new(),
        };
        let about = json!({ "driver": "a driver", "subgroup_size": 8 });
        let entry = |strategy: &str, rest: Value| {
            let mut entry = json!({ "strategy": strategy, "graph": { "name": "star" }, "device": about });
            entry.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
            entry
        };
        let entries = [
            entry("node", json!({ "valid": true })),
            entry("edge", json!({ "valid": false })),
            entry("edge", json!({ "valid": true })),
            entry("coo", json!({ "refused": "a device has no double precision" })),
            entry("csc", json!({ "refused": "the driver gave up" })),
        ];
        let mut failures = Vec::new();
        device.count("bfs", &entries, &mut failures);
        assert_eq!((device.right, device.strategies, device.subgroup), (2, 4, 8));
        assert_eq!(device.refused.len(), 1);
        let expected = [
            "bfs with edge on star, on a device: valid: Some(false)",
            "bfs with csc on star, on a device: the driver gave up",
        ];
        assert_eq!(failures, expected);
    }
}
