//! Breadth-first search: the depth of every node, that is, the fewest edges from the source, and on request a parent of each.

use super::{
    ALL_SOURCES, ManySources, SourceOptions,
    many::{self, Keep, ManySearch},
    nearest::{Origin, refuse_unfound},
    paths,
    prelude::*,
    search::Search,
};
use crate::{
    device::profile::Span,
    engine::{DevicePartition, Layout},
    strategy::{
        Chosen, Operator, Strategy, Traversal,
        adaptive::{LevelSize, TracedLevel, trace},
    },
};
use evenkeel_kernels::algorithm::bfs::{BfsParents, ParentsParams};
use evenkeel_types::UNREACHED;
use std::{
    borrow::Cow,
    path::{Path, PathBuf},
};

/// What can be chosen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BfsConfig {
    /// How edges are handed to invocations.
    pub strategy: Configured<Bfs>,
    /// Find a parent of every node too.
    pub parents: bool,
    /// Stop at this depth: nodes further away are not reached.
    pub max_depth: Option<u32>,
    /// The nodes to begin at, where there are several.
    pub from: ManySources,
    /// Find the depth from each of several sources, too: a column for each.
    pub per_source: bool,
}

impl Settings for BfsConfig {
    fn keys(&mut self) -> Vec<Key<'_>> {
        let Self { strategy, parents, max_depth, from, per_source } = self;
        let mut keys = strategy.keys();
        keys.push(Key::switch("parents", "Find a parent of every node too", parents));
        let about = "Stop at this depth: nodes further away are not reached";
        keys.push(Key::optional("max-depth", about, "", max_depth).within(0, u32::MAX).placeholder("K"));
        keys.extend(from.keys());
        let (about, reported) =
            ("Find the depth from each of several sources, too: a column for each", per_source.then_some(true));
        keys.push(Key::switch("per-source", about, per_source).reported_as(reported));
        keys
    }
}

/// A table of the levels of a search.
#[derive(Clone, Debug, Default)]
pub struct LevelTable {
    /// Write a line for each level of the last run as CSV: frontier, discovered so far, edges out of the frontier,
    /// implementation, microseconds.
    pub levels: Option<PathBuf>,
}

impl Settings for LevelTable {
    fn keys(&mut self) -> Vec<Key<'_>> {
        let about = "Write a line for each level of the last run as CSV: frontier, discovered so far, edges out of the frontier, \
                     implementation, microseconds";
        vec![Key::output("levels", about, &mut self.levels)]
    }
}

/// The depth of every node, and its parent if parents were asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tree {
    /// The depth of each node; [`UNREACHED`] for nodes that were not reached.
    pub depths: Vec<u32>,
    /// The parent of each node; [`UNREACHED`] for sources and for nodes that were not reached.
    pub parents: Option<Vec<u32>>,
    /// The nodes at which the search began.
    pub sources: Vec<u32>,
    /// The depth from each source, if it was asked for.
    pub per_source: Option<SourceDepths>,
}

/// The depths from each of several sources.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceDepths {
    /// The names of the sources.
    pub names: Vec<String>,
    /// For each node its depth from each source; [`UNREACHED`] where it was not reached.
    pub depths: Vec<u32>,
}

/// A search that is ready to run on one graph, from any source or from several at once.
pub struct Bfs {
    session: Session,
    config: BfsConfig,
    steps: Steps,
    /// The sources of the last run.
    sources: Vec<u32>,
    /// The parents and the step that finds them, if they were asked for.
    parents: Option<(Buffer<u32>, Recording)>,
    /// The iterations after which every node up to the greatest depth that was asked for has been found.
    limit: Option<u32>,
}

/// How a run goes.
enum Steps {
    /// One search, from the only source or from the nearest of several.
    Nearest(Search, Origin),
    /// One that tells several sources apart.
    Each(ManySearch),
}

impl Algorithm for Bfs {
    const ABOUT: Description = Description {
        name: "bfs",
        summary: "breadth-first search: the depth of every node, and parents on request",
        help: "\
The depth of a node is the fewest edges from the source. With --parents each line of the output is `id depth parent`, with - for \
the parent of the source and of nodes not reached. With --max-depth nodes further away are not reached. With --sources, or \
--sources-file, the search begins at several nodes, and the depth of a node is that from the nearest; with --per-source there is a \
column for each of them, too, `depth_from_NAME` in tables, which are found for 64 sources at a time.

Examples:
  evenkeel bfs rmat:scale=20 --validate
  evenkeel bfs soc-LiveJournal1.txt.gz --source 0 --parents --output tree.txt
  evenkeel bfs friends.csv --source alice --target bob --max-depth 6
  evenkeel bfs friends.csv --sources alice,bob --per-source --output depths.csv
  evenkeel bfs grid:rows=1024,cols=1024 --runs 10 --warmup 2 --profile
  evenkeel bfs rmat:scale=18 --strategy adaptive --levels levels.csv",
        counted: true,
        finds_paths: true,
        ..Description::DEFAULT
    };

    type Config = BfsConfig;
    type Input = u32;
    type Answer = Tree;
    type Reference = Tree;

    fn build(graph: &SharedGraph, config: &BfsConfig) -> Result<Self> {
        Self::build_to(graph, config, None)
    }

    fn session(&self) -> &Session {
        &self.session
    }

    fn run(&mut self, source: &u32) -> Result<Run> {
        let Self { session, config, steps, parents, limit, .. } = self;
        let (run, sources) = session.run(|graph| {
            let (mut run, sources) = match steps {
                Steps::Nearest(search, origin) => {
                    let (start, sources) = origin.start(*source)?;
                    (Run::from(search.run(&origin.graph, start, *limit)?), sources)
                }
                Steps::Each(search) if *source == ALL_SOURCES => {
                    (search.run(graph.device(), &config.from.nodes)?, config.from.nodes.clone())
                }
                Steps::Each(_) => {
                    return Err(Error::Usage("it was prepared for several sources: run it with ALL_SOURCES".into()));
                }
            };
            if let Some((_, recording)) = parents {
                let parents = Run::timed(0, || recording.run())?;
                run.kernel += parents.kernel;
                run.total += parents.total;
            }
            Ok((run, sources))
        })?;
        self.sources = sources;
        Ok(run)
    }

    fn answer(&self) -> Result<Tree> {
        let graph = self.session.answered()?;
        let (device, nodes) = (graph.device(), graph.csr().nodes());
        let mut parents = self.parents.as_ref().map(|(parents, _)| device.download(parents)).transpose()?;
        let (depths, per_source) = match &self.steps {
            Steps::Nearest(search, origin) => {
                let mut depths = device.download(&search.values)?;
                origin.trim(&mut depths);
                if origin.is_joined() {
                    depths.iter_mut().filter(|depth| **depth != UNREACHED).for_each(|depth| *depth -= 1);
                }
                if self.config.parents && parents.is_none() {
                    // The graph is streamed: it is on the host.
                    let found = (&depths[..], UNREACHED);
                    parents = Some(paths::parents(graph.csr(), &self.sources, found, |depth, _| depth.checked_add(1)));
                } else if let Some(parents) = &mut parents {
                    origin.trim(parents);
                    parents.iter_mut().filter(|parent| **parent >= nodes).for_each(|parent| *parent = UNREACHED);
                }
                (depths, None)
            }
            Steps::Each(search) => {
                let mut depths = device.download(&search.values)?;
                let each = depths.split_off(nodes as usize);
                (depths, Some(SourceDepths { names: self.config.from.names.clone(), depths: each }))
            }
        };
        Ok(Tree { depths, parents, sources: self.sources.clone(), per_source }.up_to(self.config.max_depth))
    }

    fn reference(graph: &Graph, source: &u32, config: &BfsConfig) -> Result<Tree> {
        let sources = if *source == ALL_SOURCES { config.from.nodes.clone() } else { vec![*source] };
        let all: Vec<Vec<u32>> = sources.iter().map(|source| oracle::bfs::depths(&graph.csr, *source)).collect();
        let of_node = |node: usize| all.iter().map(move |depths| depths[node]);
        let nodes = 0..graph.csr.nodes() as usize;
        let depths = nodes.clone().map(|node| of_node(node).min().unwrap_or(UNREACHED)).collect();
        let per_source = config
            .per_source
            .then(|| SourceDepths { names: config.from.names.clone(), depths: nodes.flat_map(of_node).collect() });
        Ok(Tree { depths, parents: None, sources, per_source }.up_to(config.max_depth))
    }

    fn check(found: &Tree, expected: &Tree, graph: &Graph, _: &u32) -> Option<Mismatch> {
        let sources = &expected.sources;
        let of_sources = || {
            let (expected, found) = (expected.per_source.as_ref()?, found.per_source.as_ref()?);
            let mismatch = oracle::first_mismatch(&expected.depths, &found.depths)?;
            let (node, place) = (mismatch.node / sources.len() as u32, mismatch.node as usize % sources.len());
            let from = format!("{} from {}", mismatch.expected, expected.names.get(place).map_or("", String::as_str));
            Some(Mismatch { node, expected: from, ..mismatch })
        };
        let of_parents = || {
            let parents = found.parents.as_ref()?;
            let mismatch = oracle::bfs::check_parents(&graph.csr, sources, &expected.depths, parents).err()?;
            Some(found.parent_mismatch(mismatch, graph))
        };
        first_difference(expected, found, graph).or_else(of_sources).or_else(of_parents)
    }
}

impl FrontEnd for Bfs {
    type Alternative = Box<dyn Strategy>;
    type InputOptions = SourceOptions;
    type Tables = LevelTable;

    fn choice(config: &mut BfsConfig) -> &mut Configured<Self> {
        &mut config.strategy
    }

    fn takes(strategy: &Self::Alternative) -> bool {
        strategy.operators().contains(&Operator::Bfs)
    }

    fn find_nodes(config: &BfsConfig, graph: &Graph) -> Result<BfsConfig> {
        let from = if config.from.are_given() { config.from.found(graph)? } else { ManySources::default() };
        Ok(BfsConfig { from, ..config.clone() })
    }

    fn input(options: &SourceOptions, graph: &Graph, config: &BfsConfig) -> Result<u32> {
        if config.from.are_given() { Ok(ALL_SOURCES) } else { options.find(graph) }
    }

    fn source(input: &u32) -> Option<u32> {
        (*input != ALL_SOURCES).then_some(*input)
    }

    fn columns(config: &BfsConfig) -> usize {
        1 + usize::from(config.parents) + usize::from(config.per_source)
    }
}

impl Bfs {
    /// Makes a search ready that may end when it has found the target: nodes further away may have no depth.
    pub(super) fn prepare_to(graph: &SharedGraph, config: &BfsConfig, target: Option<u32>) -> Result<Self> {
        graph.prepare(|graph| Self::build_to(graph, config, target))
    }

    fn build_to(graph: &SharedGraph, config: &BfsConfig, target: Option<u32>) -> Result<Self> {
        refuse_unending_rows(graph.device(), graph.csr())?;
        let (config, sources) = (config.clone(), Vec::new());
        if config.per_source {
            let session = Session::new(graph)?.with_method(Some("the search from 64 sources at a time"));
            let search = each(graph, &config)?;
            let parents = match config.parents {
                true => Some(record_parents(graph.device(), graph.partitions()?, &search.values)?),
                false => None,
            };
            return Ok(Self { session, config, steps: Steps::Each(search), sources, parents, limit: None });
        }
        let (session, origin) = (Session::any(graph), Origin::new(graph, &config.from)?);
        let chosen = Chosen::of(&origin.graph, Operator::Bfs, config.strategy.item().as_ref())?;
        // From the node that joins several sources all others are one edge further away.
        let max_depth = config.max_depth.map(|depth| depth.saturating_add(origin.is_joined().into()));
        let name = format!("bfs {}", config.strategy);
        let search = |graph: &SharedGraph, layout: Option<Layout>| {
            let device = graph.device();
            let mut traversal = Traversal::new(graph, Operator::Bfs, layout, "depths")?;
            (traversal.max_depth, traversal.target) = (max_depth, target);
            let parents = match config.parents && !traversal.parts.are_streamed() {
                true => Some(record_parents(device, graph.partitions()?, &traversal.data.values)?),
                false => None,
            };
            Ok((Search::record(device, traversal, &chosen, &name)?, parents))
        };
        let (search, parents) = chosen.search(&origin.graph, Operator::Bfs, config.parents, search)?;
        // Of a strategy whose iterations are no levels the whole search is run.
        let has_levels = || chosen.strategy.level_names(graph.device(), graph.csr(), &[]);
        let limit = match max_depth {
            Some(depth) => has_levels()?.map(|_| depth),
            None => None,
        };
        let session = session.with_method(chosen.instead);
        Ok(Self { session, config, steps: Steps::Nearest(search, origin), sources, parents, limit })
    }

    /// The strategy of the search.
    fn strategy(&self) -> &dyn Strategy {
        match &self.steps {
            Steps::Nearest(search, _) => search.chosen.strategy.as_ref(),
            Steps::Each(_) => self.config.strategy.item().as_ref(),
        }
    }
}

impl Tables<Bfs> for LevelTable {
    fn paths(&self) -> Vec<&Path> {
        self.levels.iter().map(PathBuf::as_path).collect()
    }

    fn check(&self, config: &BfsConfig) -> Result<()> {
        let refuse = |reason: &str| Err(Error::Usage(format!("the setting `levels` {reason}")));
        match &self.levels {
            Some(_) if config.from.are_given() => {
                refuse("shows the search from one source: leave the setting `sources` out")
            }
            Some(_) if config.max_depth.is_some() => refuse("shows whole searches: leave the setting `max-depth` out"),
            Some(path) if path.as_os_str() == "-" => refuse("goes to a file: standard output is for the others"),
            _ => Ok(()),
        }
    }

    fn need_spans(&self) -> bool {
        self.levels.is_some()
    }

    fn make(&self, bfs: &mut Bfs, answer: &Tree, spans: &[Span]) -> Result<Vec<Table>> {
        let Some(path) = &self.levels else { return Ok(Vec::new()) };
        let graph = bfs.session.answered()?;
        let levels = trace(graph.device(), graph.csr(), bfs.strategy(), &answer.depths, spans)?;
        let row = |(level, TracedLevel { size, implementation, time }): (usize, TracedLevel)| {
            let (LevelSize { frontier, discovered, edges }, microseconds) = (size, time.as_secs_f64() * 1e6);
            format!("{level},{frontier},{discovered},{edges},{implementation},{microseconds:.3}")
        };
        let columns = "level,frontier,discovered,frontier_edges,implementation,microseconds";
        Ok(vec![Table::new(path, columns, levels.into_iter().enumerate().map(row))])
    }
}

/// The search that tells several sources apart.
fn each(graph: &SharedGraph, config: &BfsConfig) -> Result<ManySearch> {
    if !config.from.are_given() {
        return Err(Error::Usage(
            "the setting `per-source` is for several sources: name them with the setting `sources`".into(),
        ));
    }
    refuse_unfound(&config.from, graph.csr())?;
    let strategy = config.strategy.item().about().name;
    if strategy != Configured::<Bfs>::default().item().about().name {
        return Err(Error::Usage(format!(
            "the setting `per-source` has a search of its own, and does not take strategy {strategy}"
        )));
    }
    ManySearch::new(graph, many::is_native(graph.device().info()), Keep::Each, config.from.nodes.len())
}

/// Records how parents are found from depths, of which there may be more behind those of the nodes.
fn record_parents(
    device: &Device,
    parts: &[DevicePartition],
    depths: &Buffer<u32>,
) -> Result<(Buffer<u32>, Recording)> {
    let nodes = parts[0].graph.nodes();
    let parents = device.buffer("parents", nodes as usize)?;
    let recording = device.record("bfs parents", |recorder| {
        recorder.fill(&parents, UNREACHED);
        for DevicePartition { graph, rows } in parts {
            let find = BfsParents { graph, depths, parents: &parents };
            recorder.dispatch(&find, ParentsParams { rows: *rows }, rows.count as usize);
        }
    })?;
    Ok((parents, recording))
}

impl Answer for Tree {
    fn columns(&self) -> Vec<Column<'_>> {
        let depths = Column::new("depth", Values::U32((&self.depths).into())).partial().meaning(Meaning::Level);
        let parents = self.parents.as_ref().map(|all| Column::new("parent", Values::Nodes(all.into())).partial());
        let each = self
            .per_source
            .as_ref()
            .map(|each| Column::new("depth_from", Values::U32((&each.depths).into())).partial().labelled(&each.names));
        [depths].into_iter().chain(parents).chain(each).collect()
    }

    fn path(&self, csr: &Csr, target: u32) -> Option<Vec<u32>> {
        let depths = (&self.depths[..], UNREACHED);
        let found = || paths::parents(csr, &self.sources, depths, |depth, _| depth.checked_add(1));
        let parents = self.parents.as_ref().map_or_else(|| Cow::Owned(found()), Cow::Borrowed);
        paths::path(&parents, &self.sources, target)
    }
}

impl Tree {
    /// Removes the nodes that are further away than the greatest depth, where there is one.
    fn up_to(mut self, max_depth: Option<u32>) -> Self {
        let Some(greatest) = max_depth else { return self };
        for (node, depth) in self.depths.iter_mut().enumerate().filter(|(_, depth)| **depth > greatest) {
            *depth = UNREACHED;
            if let Some(parents) = &mut self.parents {
                parents[node] = UNREACHED;
            }
        }
        if let Some(each) = &mut self.per_source {
            each.depths.iter_mut().filter(|depth| **depth > greatest).for_each(|depth| *depth = UNREACHED);
        }
        self
    }

    /// The parent of a node, if parents were asked for and it has one.
    fn parent(&self, node: u32) -> Option<Option<u32>> {
        let parent = self.parents.as_ref()?[node as usize];
        Some((parent != UNREACHED).then_some(parent))
    }

    /// The mismatch of a parent, which is named by its own id where it is a node at all.
    fn parent_mismatch(&self, mismatch: Mismatch, graph: &Graph) -> Mismatch {
        let found = match self.parent(mismatch.node).flatten() {
            None => "none".to_owned(),
            Some(parent) if parent < graph.csr.nodes() => format!("node {}", graph.ids.name(parent)),
            Some(parent) => format!("{parent}, which is no node"),
        };
        Mismatch { expected: format!("as parent {}", mismatch.expected), found, ..mismatch }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::Weights;

    /// 1 → 2 → 3 by their own ids; 4 is alone.
    fn path() -> Graph {
        let csr = Csr::new(vec![0, 1, 2, 2, 2], vec![1, 2], Weights::None).unwrap();
        Graph { name: "path".into(), csr, ids: crate::graph::NodeIds::Counted { first: 1 }, directed: true }
    }

    fn check(depths: [u32; 4], parents: Option<[u32; 4]>) -> Option<(u32, String, String)> {
        let parents = parents.map(|parents| parents.to_vec());
        let tree = Tree { depths: depths.to_vec(), parents, sources: vec![0], per_source: None };
        let expected = Bfs::reference(&path(), &0, &BfsConfig::default()).unwrap();
        Bfs::check(&tree, &expected, &path(), &0).map(|mismatch| (mismatch.node, mismatch.expected, mismatch.found))
    }

    #[test]
    fn right_answers_pass_and_wrong_ones_are_explained() {
        const NONE: u32 = UNREACHED;
        assert_eq!(check([0, 1, 2, NONE], None), None);
        assert_eq!(check([0, 1, 2, NONE], Some([NONE, 0, 1, NONE])), None);
        assert_eq!(check([0, 1, NONE, NONE], None), Some((2, "2".into(), "inf".into())));
        let (node, expected, found) = check([0, 1, 2, NONE], Some([NONE, 0, 0, NONE])).unwrap();
        assert_eq!((node, expected.as_str(), found.as_str()), (2, "as parent a neighbour at depth 1", "node 1"));
        assert_eq!(check([0, 1, 2, NONE], Some([NONE, 0, 9, NONE])).unwrap().2, "9, which is no node");
        assert_eq!(check([0, 1, 2, NONE], Some([NONE, NONE, 1, NONE])).unwrap().2, "none");
    }
}
