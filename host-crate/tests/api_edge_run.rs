//! The edge of the library where algorithms are run: what makes no sense is an error, never a wrong answer.

#![forbid(unsafe_code)]

use crate::common::widened;
use evenkeel::{
    Error, UNREACHED,
    algorithm::{
        Algorithm, Apsp, Bfs, BfsConfig, Color, DenseMatrix, DenseVector, Distances, FrontEnd, PageRank, Source, Spmm,
        SpmmConfig, Spmv, Sssp, Visitor, plan, prepare_on, visit,
    },
    device::{Device, DeviceOptions},
    engine::SharedGraph,
    graph::{BuildOptions, Csr, EdgeList, EdgeWeights, Graph, generate::Generator},
    oracle,
};

fn device() -> Device {
    Device::open("cpu", &DeviceOptions::default()).unwrap()
}

fn generate(text: &str) -> Graph {
    text.parse::<Generator>().unwrap().generate().unwrap()
}

/// Whether it is a usage error with all of these words.
fn is_refused<T>(result: evenkeel::Result<T>, words: &[&str]) -> bool {
    matches!(result, Err(Error::Usage(message)) if words.iter().all(|word| message.contains(word)))
}

#[test]
fn a_source_out_of_range_is_named_with_the_number_of_nodes() {
    let chain = generate("chain:nodes=3");
    let mut bfs = Bfs::prepare(&device(), &chain.csr, &BfsConfig::default()).unwrap();
    let mut sssp = Sssp::prepare(&device(), &chain.csr, &Default::default()).unwrap();
    for source in [3, 2_000_000_000, u32::MAX] {
        let words = [&source.to_string(), "3 nodes"].map(String::from);
        let words = [words[0].as_str(), words[1].as_str()];
        assert!(is_refused(bfs.run(&source), &words), "{source}");
        assert!(is_refused(sssp.run(&source), &words), "{source}");
    }
    bfs.run(&2).unwrap();
    assert_eq!(bfs.answer().unwrap().depths, [2, 1, 0]);
}

#[test]
fn a_run_that_fails_takes_the_earlier_answer_with_it() {
    let chain = generate("chain:nodes=3");
    let mut bfs = Bfs::prepare(&device(), &chain.csr, &BfsConfig::default()).unwrap();
    bfs.run(&0).unwrap();
    assert!(bfs.run(&3).is_err());
    assert!(is_refused(bfs.answer(), &["no answer"]));
    bfs.run(&1).unwrap();
    assert_eq!(bfs.answer().unwrap().depths, [1, 0, 1]);
}

#[test]
fn no_algorithm_answers_before_it_has_run() {
    struct Ask(Vec<&'static str>);

    impl Visitor for Ask {
        fn visit<A: FrontEnd>(&mut self) {
            let graph = generate("grid:rows=3,cols=4");
            let config = A::Config::default();
            let mut algorithm = A::prepare(&device(), &graph.csr, &config).unwrap();
            assert!(is_refused(algorithm.answer(), &["no answer"]), "{}", A::ABOUT.name);
            let input = A::input(&A::InputOptions::default(), &graph, &config).unwrap();
            algorithm.run(&input).unwrap();
            let reference = A::reference(&graph, &input, &config).unwrap();
            assert_eq!(A::check(&algorithm.answer().unwrap(), &reference, &graph, &input), None, "{}", A::ABOUT.name);
            assert!(
                algorithm.session().memory().bytes() > 0 && plan::<A>(device().info(), &graph.csr, &config).is_ok(),
                "{}",
                A::ABOUT.name
            );
            self.0.push(A::ABOUT.name);
        }
    }

    let mut ask = Ask(Vec::new());
    visit(&mut ask);
    assert!(ask.0.len() >= 7, "{:?}", ask.0);
}

#[test]
fn a_vector_or_matrix_of_another_size_is_refused() {
    let graph = generate("grid:rows=3,cols=4");
    let mut spmv = Spmv::prepare(&device(), &graph.csr, &Default::default()).unwrap();
    for length in [0, 11, 13] {
        assert!(is_refused(spmv.run(&DenseVector::from(vec![1.0f32; length])), &["12"]), "{length}");
    }
    let config = SpmmConfig { columns: 3, ..SpmmConfig::default() };
    let mut spmm = Spmm::prepare(&device(), &graph.csr, &config).unwrap();
    assert!(is_refused(spmm.run(&DenseMatrix::from(vec![1.0; 35])), &["12 rows of 3"]));
    let none = SpmmConfig { columns: 0, ..SpmmConfig::default() };
    assert!(is_refused(Spmm::prepare(&device(), &graph.csr, &none), &["column"]));
}

#[test]
fn a_product_sees_the_vector_it_is_given() {
    let graph = generate("chain:nodes=3");
    let mut spmv = Spmv::prepare(&device(), &graph.csr, &Default::default()).unwrap();
    let [first, second] = [[1.0f32, 2.0, 3.0], [5.0, 0.0, 1.0]].map(|x| DenseVector::from(x.as_slice()));
    for (x, expected) in [(&first, [2.0, 4.0, 2.0]), (&second, [0.0, 6.0, 0.0]), (&first, [2.0, 4.0, 2.0])] {
        for _ in 0..2 {
            spmv.run(x).unwrap();
            assert_eq!(spmv.answer().unwrap().rows, expected);
        }
    }
}

#[test]
fn several_algorithms_share_an_uploaded_graph() {
    let town = generate("road:nodes=400,lengths=true");
    let source = Source::MaxDegree.find(&town).unwrap();
    let graph = SharedGraph::new(&device(), &town.csr);
    let mut bfs = prepare_on::<Bfs>(&graph, &Default::default()).unwrap();
    let mut sssp = prepare_on::<Sssp>(&graph, &Default::default()).unwrap();
    let mut apsp = prepare_on::<Apsp>(&graph, &Default::default()).unwrap();
    let mut color = prepare_on::<Color>(&graph, &Default::default()).unwrap();
    let mut pagerank = prepare_on::<PageRank>(&graph, &Default::default()).unwrap();
    // The device and its buffers live as long as what was prepared on them.
    drop(graph);
    bfs.run(&source).unwrap();
    sssp.run(&source).unwrap();
    apsp.run(&()).unwrap();
    color.run(&()).unwrap();
    pagerank.run(&Default::default()).unwrap();
    let distances = oracle::dijkstra::whole(&town.csr, source).unwrap();
    assert_eq!(bfs.answer().unwrap().depths, oracle::bfs::depths(&town.csr, source));
    assert_eq!(sssp.answer().unwrap().distances, Distances::U32(distances.clone()));
    let Distances::U32(all) = apsp.answer().unwrap().distances else { panic!("whole weights") };
    assert_eq!(all[source as usize * 400..][..400], distances);
    assert_eq!(oracle::color::check(&town.csr, &color.answer().unwrap().0), Ok(()));
    assert!((pagerank.answer().unwrap().ranks.iter().sum::<f64>() - 1.0).abs() < 1e-3);
}

#[test]
fn what_is_not_reached_has_a_name() {
    let weights = EdgeWeights::None;
    let edge = EdgeList { nodes: 3, sources: vec![0], targets: vec![1], weights };
    let (csr, _) = Csr::from_edges(edge, BuildOptions::default()).unwrap();
    let mut bfs = Bfs::prepare(&device(), &csr, &BfsConfig::default()).unwrap();
    bfs.run(&0).unwrap();
    assert_eq!(bfs.answer().unwrap().depths, [0, 1, UNREACHED]);
}

/// A strategy of one's own under the name of a registered one.
#[derive(Clone)]
struct Impostor;

impl evenkeel::strategy::Strategy for Impostor {
    fn about(&self) -> evenkeel::strategy::About {
        evenkeel::strategy::all().find(|strategy| strategy.name == "node").unwrap()
    }

    fn record(
        &self,
        _: &Device,
        _: &evenkeel::strategy::Traversal,
        _: &str,
    ) -> evenkeel::Result<evenkeel::strategy::DeviceLoop> {
        Err(Error::Usage("never recorded".into()))
    }
}

#[test]
fn a_registered_name_means_one_type() {
    let error = evenkeel::settings::Configured::<Bfs>::new(Impostor).unwrap_err();
    assert!(error.to_string().contains("registered as node"), "{error}");
}

#[test]
fn absurd_sizes_are_refused() {
    let none = Csr::new(vec![0], vec![], evenkeel::graph::Weights::None).unwrap();
    let config = SpmmConfig { columns: u32::MAX, ..SpmmConfig::default() };
    assert!(matches!(Spmm::prepare(&device(), &none, &config), Err(Error::Usage(_))));
    assert!(device().buffer::<()>("nothing", 8).is_err());
    let empty = device().buffer::<evenkeel_types::LoopHeader>("state", 0).unwrap();
    assert!(empty.header().is_empty(), "the header of no state is nothing");
}

#[test]
fn more_edges_than_32_bits_count_are_refused_by_those_that_index_all_of_them() {
    struct Prepare(Device, Csr, u32);

    impl Visitor for Prepare {
        fn visit<A: FrontEnd>(&mut self) {
            // Offsets of 64 bits say that there may be as many edges.
            let result = A::prepare(&self.0, &self.1, &A::Config::default());
            self.2 += 1;
            if ["bfs", "sssp", "pagerank", "components", "spmv", "spmm"].contains(&A::ABOUT.name) {
                assert!(result.is_ok(), "{}: {:?}", A::ABOUT.name, result.err());
                return;
            }
            let is_refused = matches!(&result, Err(Error::Graph(message)) if message.contains("4,294,967,295"));
            assert!(is_refused, "{}: {:?}", A::ABOUT.name, result.err());
        }
    }

    for text in ["rmat:scale=6", "er:nodes=50,degree=6,directed=true"] {
        let mut prepare = Prepare(device(), widened(&generate(text).csr), 0);
        visit(&mut prepare);
        assert!(prepare.2 >= 14);
    }
}
