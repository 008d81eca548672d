//! How each worker gets its share of a graph, without the rest: its range of a binary file, of which only its pages are read; the lines of
//! an edge list that begin in its part of the bytes, or its part of the edges that a generator draws, from which each edge goes to the
//! workers that have its ends; the rows that a generator makes one by one. Any other file is read as a whole by each worker, and cut.

use super::{
    Cluster,
    share::{Ranges, Share},
    values_of,
};
use crate::{
    Error, Result,
    graph::{
        BuildOptions, BuildReport, Csr, Direction, EdgeList, EdgeWeights, EdgesPart, Graph, NodeIds, OpenOptions,
        Weights,
        formats::{FilePart, Listing, graph_name, load_part},
        generate::{Generator, Parts},
        open, part,
        weights::WeightKind,
    },
};
use rayon::prelude::*;
use std::path::Path;

/// Where a graph comes from.
#[derive(Clone, Copy)]
pub enum GraphSource<'a> {
    /// A file.
    File(&'a Path),
    /// A generator.
    Generator(&'a Generator),
}

/// Gets this worker's share of a graph. All workers call it with the same.
///
/// # Errors
/// When the file cannot be read or is not of its format, something does not fit, or a worker has ended.
pub fn load(cluster: &mut Cluster, source: GraphSource<'_>, options: &OpenOptions) -> Result<Share> {
    let (process, workers) = (cluster.process(), cluster.workers());
    let watch = cluster.watch().clone();
    let (graph, starts) = match source {
        GraphSource::Generator(generator) => {
            let (csr, starts) = match generator.parts()? {
                Parts::Rows(make) => {
                    // How many nodes there are is known when no rows are made.
                    let starts = part::even(make(0..0)?.nodes(), workers);
                    (watch.during(|| make(starts[process]..starts[process + 1]))?, starts)
                }
                Parts::Drawn { nodes, draws, ends } => {
                    let starts = part::even(nodes, workers);
                    let begin = |part: usize| (u128::from(draws) * part as u128 / workers as u128) as u64;
                    let drawn = || (begin(process)..begin(process + 1)).into_par_iter().map(&ends).collect();
                    let (sources, targets) = watch.during(|| unzipped(drawn()));
                    let edges = EdgeList { nodes, sources, targets, weights: EdgeWeights::None };
                    let build = BuildOptions {
                        symmetrise: !generator.is_directed(),
                        drop_self_loops: true,
                        merge_parallel_edges: true,
                    };
                    (distribute(cluster, &starts, &edges, build)?.0, starts)
                }
            };
            let ids = NodeIds::Counted { first: 0 };
            (Graph { name: generator.to_string(), csr, ids, directed: generator.is_directed() }, starts)
        }
        GraphSource::File(path) => {
            let read = || load_part(path, options.format, options.columns.as_ref(), process, workers);
            let part = watch.during(read)?;
            // Where one worker cannot read its part alone, none does.
            let whole = cluster.sum([matches!(part, FilePart::Whole).into()])?;
            match part {
                FilePart::Edges(edges) if whole == [0] => return from_edges(cluster, path, edges, options),
                FilePart::Rows(rows) if whole == [0] => (Graph { name: graph_name(path), ..rows.graph }, rows.starts),
                _ => return from_whole(cluster, path, options),
            }
        }
    };
    adapt(cluster, graph, starts, options)
}

fn unzipped(ends: Vec<[u32; 2]>) -> (Vec<u32>, Vec<u32>) {
    ends.into_par_iter().map(|[source, target]| (source, target)).unzip()
}

/// The share of a file that each worker reads as a whole.
fn from_whole(cluster: &mut Cluster, path: &Path, options: &OpenOptions) -> Result<Share> {
    tracing::info!("{}: each worker reads all of it, since no part of such a file can be read alone", path.display());
    let process = cluster.process();
    let (whole, built) = cluster.watch().clone().during(|| open(path, options))?;
    let starts = part::balanced(whole.csr.offsets(), cluster.workers());
    let rows = starts[process]..starts[process + 1];
    let edges = whole.csr.edges();
    let csr = whole.csr.rows_alone(rows.clone())?;
    Ok(Share { graph: Graph { csr, ..whole }, ranges: Ranges::new(starts), rows, edges, built })
}

/// Changes the rows of a graph as the options say.
fn adapt(cluster: &mut Cluster, mut graph: Graph, starts: Vec<u32>, options: &OpenOptions) -> Result<Share> {
    let undirected = match options.direction {
        Some(direction) => direction == Direction::Undirected,
        None => !graph.directed,
    } || options.build.symmetrise;
    let build = BuildOptions { symmetrise: undirected && graph.directed, ..options.build };
    let mut built = BuildReport { edges_given: graph.csr.edges(), ..BuildReport::default() };
    if build != BuildOptions::default() {
        (graph.csr, built) = distribute(cluster, &starts, &edges_of(&graph.csr), build)?;
    }
    graph.directed = !undirected;
    finish(cluster, graph, starts, built)
}

/// The share with what is known of the shares of all workers.
fn finish(cluster: &mut Cluster, graph: Graph, starts: Vec<u32>, built: BuildReport) -> Result<Share> {
    let stored = graph.csr.edges();
    let counts = [stored, built.edges_given, built.self_loops_dropped, built.parallel_edges_merged];
    let [edges, edges_given, self_loops_dropped, parallel_edges_merged] = cluster.sum(counts)?;
    let built = BuildReport { edges_given, self_loops_dropped, parallel_edges_merged, edges_stored: edges, ..built };
    let rows = starts[cluster.process()]..starts[cluster.process() + 1];
    Ok(Share { graph, ranges: Ranges::new(starts), rows, edges, built })
}

/// The edges of a graph as a list.
fn edges_of(csr: &Csr) -> EdgeList {
    let sources = (0..csr.nodes()).flat_map(|node| std::iter::repeat_n(node, csr.degree(node) as usize)).collect();
    let weights = match csr.weights() {
        Weights::None => EdgeWeights::None,
        Weights::U32(weights) => EdgeWeights::U32(weights.to_vec()),
        Weights::F32(weights) => EdgeWeights::F32(weights.to_vec()),
    };
    EdgeList { nodes: csr.nodes(), sources, targets: csr.columns().to_vec(), weights }
}

/// The reverse of every edge, each at the worker that has the node it leads to.
///
/// # Errors
/// When something does not fit, or a worker has ended.
pub fn transposed(cluster: &mut Cluster, share: &Share) -> Result<Csr> {
    let EdgeList { nodes, sources, targets, .. } = edges_of(&share.graph.csr.without_weights());
    let reversed = EdgeList { nodes, sources: targets, targets: sources, weights: EdgeWeights::None };
    let starts: Vec<u32> = (0..cluster.workers()).map(|worker| share.ranges.of(worker).start).chain([nodes]).collect();
    Ok(distribute(cluster, &starts, &reversed, BuildOptions::default())?.0)
}

/// Every edge both ways, without parallel ones: what the components of a directed graph are found with.
///
/// # Errors
/// When something does not fit, or a worker has ended.
pub fn both_ways(cluster: &mut Cluster, share: &Share) -> Result<Csr> {
    let edges = edges_of(&share.graph.csr.without_weights());
    let starts: Vec<u32> =
        (0..cluster.workers()).map(|worker| share.ranges.of(worker).start).chain([share.nodes()]).collect();
    let build = BuildOptions { symmetrise: true, ..BuildOptions::default() };
    Ok(distribute(cluster, &starts, &edges, build)?.0)
}

/// Sends edges to the workers that have the nodes they begin at, and builds the rows of this one. Where each shall be stored both ways, it
/// goes to the worker of its other end, too.
fn distribute(
    cluster: &mut Cluster,
    starts: &[u32],
    edges: &EdgeList,
    options: BuildOptions,
) -> Result<(Csr, BuildReport)> {
    let ranges = Ranges::new(starts.to_vec());
    let kind = agreed_kind(cluster, &edges.weights)?;
    let watch = cluster.watch().clone();
    let mut blocks: Vec<Vec<u32>> = (0..cluster.workers()).map(|_| Vec::new()).collect();
    let mut self_loops_dropped = 0;
    for (edge, (&source, &target)) in edges.sources.iter().zip(&edges.targets).enumerate() {
        if edge % (1 << 20) == 0 {
            watch.tick();
        }
        if source == target && options.drop_self_loops {
            self_loops_dropped += 1;
            continue;
        }
        let weight = weight_bits(&edges.weights, edge, kind);
        let mut give = |source: u32, target: u32| {
            let block = &mut blocks[ranges.owner(source)];
            block.extend([source, target]);
            block.extend(weight);
        };
        give(source, target);
        if options.symmetrise && source != target {
            give(target, source);
        }
    }
    let given = edges.sources.len() as u64;
    let blocks = blocks.into_iter().map(|block| bytemuck::cast_slice(&block).to_vec()).collect();
    let blocks = cluster.round(blocks)?;
    let mut own = EdgeList { nodes: ranges.nodes(), sources: Vec::new(), targets: Vec::new(), weights: empty(kind) };
    for block in blocks {
        let words: Vec<u32> = values_of(&block);
        for entry in words.chunks_exact(if kind == WeightKind::None { 2 } else { 3 }) {
            own.sources.push(entry[0]);
            own.targets.push(entry[1]);
            match &mut own.weights {
                EdgeWeights::None => {}
                EdgeWeights::U32(weights) => weights.push(entry[2]),
                EdgeWeights::F32(weights) => weights.push(f32::from_bits(entry[2])),
            }
        }
    }
    let merge = options.merge_parallel_edges || options.symmetrise;
    let build = BuildOptions { merge_parallel_edges: merge, ..BuildOptions::default() };
    let (csr, built) = watch.during(|| Csr::from_edges(own, build))?;
    Ok((csr, BuildReport { edges_given: given, self_loops_dropped, ..built }))
}

/// The kind of the weights of all workers: reals if some have reals.
fn agreed_kind(cluster: &mut Cluster, weights: &EdgeWeights) -> Result<WeightKind> {
    let [whole, real] = cluster.sum(match weights {
        EdgeWeights::None => [0, 0],
        EdgeWeights::U32(_) => [1, 0],
        EdgeWeights::F32(_) => [0, 1],
    })?;
    Ok(match (whole, real) {
        (0, 0) => WeightKind::None,
        (_, 0) => WeightKind::U32(()),
        _ => WeightKind::F32(()),
    })
}

fn empty(kind: WeightKind) -> EdgeWeights {
    match kind {
        WeightKind::None => EdgeWeights::None,
        WeightKind::U32(()) => EdgeWeights::U32(Vec::new()),
        WeightKind::F32(()) => EdgeWeights::F32(Vec::new()),
    }
}

fn weight_bits(weights: &EdgeWeights, edge: usize, kind: WeightKind) -> Option<u32> {
    match (weights, kind) {
        (EdgeWeights::U32(weights), WeightKind::U32(())) => Some(weights[edge]),
        (EdgeWeights::U32(weights), _) => Some((weights[edge] as f32).to_bits()),
        (EdgeWeights::F32(weights), _) => Some(weights[edge].to_bits()),
        (EdgeWeights::None, _) => None,
    }
}

/// The share of a list of edges, of which each worker has read a part.
fn from_edges(cluster: &mut Cluster, path: &Path, edges: EdgesPart, options: &OpenOptions) -> Result<Share> {
    let watch = cluster.watch().clone();
    let EdgesPart { sources, targets, weights, listing, weight_remark } = edges;
    let ids = watch.during(|| {
        let mut ids = [&sources[..], &targets[..]].concat();
        ids.par_sort_unstable();
        ids.dedup();
        ids
    });
    // Each worker has to know the numbers of the nodes that its edges lead to.
    let all = cluster.share(&ids)?;
    let ids = watch.during(|| {
        let mut ids = all.concat();
        ids.par_sort_unstable();
        ids.dedup();
        ids
    });
    let nodes = u32::try_from(ids.len()).ok().filter(|nodes| *nodes < u32::MAX).ok_or_else(|| {
        let reason = format!("{} nodes are too many for 32-bit indices", ids.len());
        Error::File { path: path.to_path_buf(), reason }
    })?;
    // Every id is among them.
    let number = |id: u64| ids.binary_search(&id).unwrap_or_default() as u32;
    let numbers = |of: Vec<u64>| watch.during(|| of.into_par_iter().map(number).collect::<Vec<u32>>());
    let edges = EdgeList { nodes, sources: numbers(sources), targets: numbers(targets), weights };
    let undirected = match options.direction {
        Some(direction) => direction == Direction::Undirected,
        None => listing != Listing::Directed,
    } || options.build.symmetrise;
    let build = BuildOptions { symmetrise: undirected && listing != Listing::UndirectedBothWays, ..options.build };
    let starts = part::even(nodes, cluster.workers());
    let (csr, built) = distribute(cluster, &starts, &edges, build)?;
    let remarks = cluster.gather(weight_remark.unwrap_or_default().as_bytes())?;
    let remark = remarks.into_iter().find(|remark| !remark.is_empty());
    let weight_remark = remark.map(|remark| String::from_utf8_lossy(&remark).into_owned());
    let graph = Graph { name: graph_name(path), csr, ids: NodeIds::from_ascending(ids), directed: !undirected };
    finish(cluster, graph, starts, BuildReport { weight_remark, ..built })
}
