//! LDBC Graphalytics: the graphs of a folder, as their `.properties` files describe them, and the six algorithms with the parameters that
//! stand there. An answer is compared with the one that comes with the graph (`NAME-BFS` and so on) by LDBC's rules, and with the oracle's
//! where none does.

use super::{
    SuiteOptions,
    suite::{Check, Suite, Task},
};
use clap::Args;
use evenkeel::{
    Error, Result,
    algorithm::{self, Part, Seeds, Setup, Source, Value, Values},
    engine::SharedGraph,
    graph::{
        Direction, Graph, OpenOptions,
        formats::{read_text, uncompressed_name},
        open,
    },
    settings,
};
use std::{
    any::Any,
    collections::HashMap,
    fs,
    path::{Path, PathBuf},
};

const EXAMPLES: &str = "\
Examples:
  evenkeel bench ldbc graphs/ldbc --csv ldbc.csv
  evenkeel bench ldbc graphs/ldbc --graphs example-directed --trials 1";

/// LDBC Graphalytics: bfs, pr, wcc, cdlp, lcc and sssp on the graphs of a folder.
///
/// Every NAME.properties in the folder or below describes a graph: which files hold it (NAME.v and NAME.e), which algorithms are run on
/// it, and their parameters. Files may be compressed and lie anywhere in the folder. An answer is compared with the file NAME-BFS,
/// NAME-PR and so on by LDBC's rules: depths and labels exactly, components as a partition, ranks, coefficients and distances up to a
/// ten-thousandth of the right value. Where there is no such file, the oracle is asked.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Ldbc {
    /// The folder of the graphs.
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,
    /// Only graphs of these names.
    #[arg(long, value_name = "NAMES", value_delimiter = ',', help_heading = "Graph")]
    graphs: Vec<String>,
    #[command(flatten)]
    options: SuiteOptions,
}

/// How often each algorithm is run: LDBC's rules ask for one, and the best of a few is what people quote.
const TRIALS: u32 = 3;

/// A graph as its properties describe it.
struct Dataset {
    name: String,
    /// What stands in the file, less `graph.NAME.` in front.
    properties: HashMap<String, String>,
    /// All files of the folder by their names without the ending of a compression.
    files: HashMap<String, PathBuf>,
}

impl Ldbc {
    pub fn execute(&self, quiet: bool) -> anyhow::Result<()> {
        let datasets = self.datasets()?;
        let inputs: Vec<_> = datasets.iter().flat_map(|dataset| dataset.files.values().cloned()).collect();
        let mut suite = self.options.begin("LDBC Graphalytics", quiet, &inputs)?;
        for dataset in &datasets {
            match dataset.open() {
                Ok(graph) => self.run(&mut suite, dataset, &graph)?,
                Err(error) => suite.not_run("all", &dataset.name, error),
            }
        }
        suite.finish()
    }

    /// The graphs whose files are there; the others are told.
    fn datasets(&self) -> Result<Vec<Dataset>> {
        let files = files_below(&self.folder)?;
        let mut datasets = Vec::new();
        let mut described: Vec<&PathBuf> =
            files.iter().filter(|path| path.extension().is_some_and(|ending| ending == "properties")).collect();
        described.sort();
        let by_name: HashMap<String, PathBuf> =
            files.iter().map(|path| (uncompressed_name(path), path.clone())).collect();
        for path in described {
            let dataset = Dataset::read(path, &by_name)?;
            if !self.graphs.is_empty() && !self.graphs.contains(&dataset.name) {
                continue;
            }
            match dataset.edges() {
                Some(_) => datasets.push(dataset),
                None => tracing::warn!("{}: the file of its edges is not there", path.display()),
            }
        }
        if datasets.is_empty() {
            let folder = self.folder.display();
            let reason = format!("{folder}: no NAME.properties with its NAME.v and NAME.e is in it or below");
            return Err(Error::Usage(reason));
        }
        Ok(datasets)
    }

    /// Runs the algorithms with the parameters that stand in the properties. Where these or the right answer are not as they should be,
    /// that is a line of the table, and the others are run.
    fn run(&self, suite: &mut Suite, dataset: &Dataset, graph: &Graph) -> anyhow::Result<()> {
        let shared = SharedGraph::new(suite.device(), &graph.csr);
        for name in dataset.algorithms() {
            let Some((kernel, algorithm, rule)) = KERNELS.into_iter().find(|(kernel, ..)| *kernel == name) else {
                tracing::warn!("{}: there is no algorithm named '{name}' in the suite", dataset.name);
                continue;
            };
            let check = || Ok(dataset.expected(kernel, graph)?.map(|expected| by_file(graph, expected, rule)));
            match dataset.parameters(kernel, algorithm, graph).and_then(|(setup, input)| Ok((setup, input, check()?))) {
                Ok((setup, input, check)) => {
                    // LDBC counts each edge once, and the nodes too.
                    let edges = graph.csr.edges() / if graph.directed { 1 } else { 2 };
                    let size = u64::from(graph.csr.nodes()) + edges;
                    let trials = self.options.trials.unwrap_or(TRIALS);
                    let inputs = vec![input];
                    suite.run(Task { kernel, graph, shared: &shared, setup, inputs, trials, size, check })?;
                }
                Err(error) => suite.not_run(kernel, &dataset.name, error),
            }
        }
        Ok(())
    }
}

/// The kernels as the suite calls them, their algorithms, and when an answer counts as right.
const KERNELS: [(&str, &str, Rule); 6] = [
    ("bfs", "bfs", Rule::Exact),
    ("pr", "pagerank", Rule::Close),
    ("wcc", "components", Rule::Partition),
    ("cdlp", "communities", Rule::Exact),
    ("lcc", "triangles", Rule::Close),
    ("sssp", "sssp", Rule::Close),
];

impl Dataset {
    fn read(path: &Path, files: &HashMap<String, PathBuf>) -> Result<Self> {
        let text = fs::read_to_string(path).map_err(Error::io(path))?;
        let entries: Vec<(&str, &str)> = text
            .lines()
            .map(str::trim)
            .filter(|line| !line.is_empty() && !line.starts_with(['#', '!']))
            .filter_map(|line| line.split_once(['=', ':']))
            .map(|(key, value)| (key.trim(), value.trim()))
            .collect();
        let name = entries.iter().find_map(|(key, _)| key.strip_prefix("graph.")?.strip_suffix(".edge-file"));
        let name = name.ok_or_else(|| Error::File {
            path: path.to_path_buf(),
            reason: "it has no line graph.NAME.edge-file = …, so it describes no graph".into(),
        })?;
        let prefix = format!("graph.{name}.");
        let own = |(key, value): &(&str, &str)| Some((key.strip_prefix(&prefix)?.to_owned(), (*value).to_owned()));
        Ok(Self { name: name.to_owned(), properties: entries.iter().filter_map(own).collect(), files: files.clone() })
    }

    fn property(&self, key: &str) -> Result<&str> {
        self.properties
            .get(key)
            .map(String::as_str)
            .ok_or_else(|| Error::Graph(format!("the properties of {} have no graph.{}.{key}", self.name, self.name)))
    }

    fn number<T: std::str::FromStr>(&self, key: &str) -> Result<T> {
        let text = self.property(key)?;
        text.parse().map_err(|_| Error::Graph(format!("graph.{}.{key} is '{text}', which is no number", self.name)))
    }

    fn is_directed(&self) -> Result<bool> {
        match self.property("directed")? {
            "true" => Ok(true),
            "false" => Ok(false),
            other => Err(Error::Graph(format!("graph.{}.directed is '{other}', not true or false", self.name))),
        }
    }

    /// An algorithm with the parameters that stand in the properties, and its input.
    fn parameters(&self, kernel: &str, algorithm: &str, graph: &Graph) -> Result<(Box<dyn Setup>, Box<dyn Any>)> {
        let settings = match kernel {
            "pr" => vec![
                ("damping", self.number::<f64>("pr.damping-factor")?.to_string()),
                ("iterations", self.number::<u32>("pr.num-iterations")?.to_string()),
                ("precision", "double".to_owned()),
            ],
            "cdlp" => vec![("iterations", self.number::<u32>("cdlp.max-iterations")?.to_string())],
            "lcc" => vec![("per-node", "lcc".to_owned())],
            _ => Vec::new(),
        };
        let mut setup = algorithm::named(algorithm)?.setup();
        for (name, value) in settings {
            settings::set(setup.settings(Part::Config), name, &value)?;
        }
        let input: Box<dyn Any> = match kernel {
            "bfs" | "sssp" => Box::new(self.source(graph, &format!("{kernel}.source-vertex"))?),
            "pr" => Box::new(Seeds::default()),
            _ => Box::new(()),
        };
        Ok((setup, input))
    }

    /// The right answer, where a file comes with the graph.
    fn expected(&self, kernel: &str, graph: &Graph) -> Result<Option<Vec<String>>> {
        let path = self.files.get(&format!("{}-{}", self.name, kernel.to_uppercase()));
        path.map(|path| expected(path, graph)).transpose()
    }

    fn source(&self, graph: &Graph, key: &str) -> Result<u32> {
        let wrong = |error: Error| Error::Graph(format!("graph.{}.{key}: {error}", self.name));
        Source::Node(self.property(key)?.to_owned()).find(graph).map_err(wrong)
    }

    /// Reads the graph, which has as many nodes and edges as the properties say, where they do.
    fn open(&self) -> Result<Graph> {
        let direction = if self.is_directed()? { Direction::Directed } else { Direction::Undirected };
        let options = OpenOptions { direction: Some(direction), ..OpenOptions::default() };
        let path = self.edges().ok_or_else(|| Error::Graph(format!("{} has no edges", self.name)))?;
        let (mut graph, built) = open(path, &options)?;
        for (key, found) in [("meta.vertices", graph.csr.nodes().into()), ("meta.edges", built.edges_given)] {
            if self.properties.contains_key(key) && self.number::<u64>(key)? != found {
                let said = self.property(key)?;
                return Err(Error::Graph(format!("graph.{}.{key} is {said}, and the file has {found}", self.name)));
            }
        }
        graph.name.clone_from(&self.name);
        Ok(graph)
    }

    /// The file of the edges; the format finds that of the nodes beside it.
    fn edges(&self) -> Option<&Path> {
        self.files.get(self.properties.get("edge-file")?).map(PathBuf::as_path)
    }

    /// The algorithms that stand in the properties; all of them where none do, sssp only where it has a source.
    fn algorithms(&self) -> Vec<String> {
        let has_sssp = self.properties.contains_key("sssp.source-vertex");
        let all = if has_sssp { "bfs,pr,wcc,cdlp,lcc,sssp" } else { "bfs,pr,wcc,cdlp,lcc" };
        self.properties
            .get("algorithms")
            .map_or(all, String::as_str)
            .split(',')
            .map(|name| name.trim().to_lowercase())
            .filter(|name| !name.is_empty())
            .collect()
    }
}

/// All files in a folder and below.
fn files_below(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).map_err(Error::io(folder))? {
        let path = entry.map_err(Error::io(folder))?.path();
        if path.is_dir() {
            files.extend(files_below(&path)?);
        } else {
            files.push(path);
        }
    }
    Ok(files)
}

/// When an answer counts as right.
#[derive(Clone, Copy)]
enum Rule {
    /// Every value is the same.
    Exact,
    /// Every value is within a ten-thousandth of the right one.
    Close,
    /// Values are the same where, and only where, the right ones are.
    Partition,
}

/// The right answer: the text for each node, in the order of the graph.
fn expected(path: &Path, graph: &Graph) -> Result<Vec<String>> {
    let text = read_text(path)?;
    let mut values = vec![String::new(); graph.csr.nodes() as usize];
    for (number, line) in (1..).zip(text.lines()) {
        let wrong =
            |reason: String| Error::File { path: path.to_path_buf(), reason: format!("line {number}: {reason}") };
        let (name, value) = line.trim().split_once(' ').ok_or_else(|| wrong("it is no node and a value".into()))?;
        let node = graph.ids.find(name, graph.csr.nodes());
        let node = node.ok_or_else(|| wrong(format!("{} has no node {name}", graph.name)))?;
        value.trim().clone_into(&mut values[node as usize]);
    }
    if let Some(node) = (0..graph.csr.nodes()).find(|node| values[*node as usize].is_empty()) {
        let reason = format!("it has no answer for node {}", graph.ids.name(node));
        return Err(Error::File { path: path.to_path_buf(), reason });
    }
    Ok(values)
}

fn by_file(graph: &Graph, expected: Vec<String>, rule: Rule) -> Check<'_> {
    Box::new(move |answer| {
        let columns = answer.columns();
        let Some(column) = columns.first() else { return Some("there is no answer".into()) };
        let mut partner: HashMap<&str, String> = HashMap::new();
        let mut taken: HashMap<String, &str> = HashMap::new();
        for (node, right) in (0..graph.csr.nodes()).zip(&expected) {
            let value = column.value(node as usize);
            let found = match (value, &column.values) {
                (Some(Value::Whole(index)), Values::Nodes(_)) => graph.ids.name(index).to_string(),
                (Some(value), _) => value.to_string(),
                (None, _) => MISSING.to_owned(),
            };
            let is_right = match rule {
                Rule::Exact => *right == found,
                Rule::Close => is_close(right, value.map(Value::real)),
                Rule::Partition => {
                    let mine = partner.entry(right).or_insert_with(|| found.clone());
                    *mine == found && *taken.entry(found.clone()).or_insert(right) == right
                }
            };
            if !is_right {
                let node = graph.ids.name(node);
                return Some(format!("node {node} has {found} where the suite's answer is {right}"));
            }
        }
        None
    })
}

/// What LDBC writes as the depth of a node that is not reached.
const MISSING: &str = "9223372036854775807";

/// LDBC's tolerance.
fn is_close(right: &str, found: Option<f64>) -> bool {
    let right = right.parse::<f64>().ok().filter(|right| right.is_finite());
    match (right, found) {
        (Some(right), Some(found)) => (found - right).abs() <= 1e-4 * right.abs(),
        (None, None) => true,
        _ => false,
    }
}
