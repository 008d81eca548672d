//! What is done with a graph does not depend on the width of its offsets.

use super::{
    generate::Generator,
    offsets::testing::in_both_widths,
    statistics::Statistics,
    transform::{both_ways, rebuild, transpose},
    weights::assign,
    *,
};

fn is_wide(csr: &Csr) -> bool {
    matches!(csr.offsets(), OffsetsView::Wide(_))
}

/// Makes a graph with narrow offsets, and again with wide ones.
fn both(make: impl Fn() -> Graph) -> [Graph; 2] {
    let graphs = in_both_widths(make);
    assert_eq!([is_wide(&graphs[0].csr), is_wide(&graphs[1].csr)], [false, true]);
    assert_eq!(graphs[0].csr, graphs[1].csr);
    graphs
}

/// Graphs that are large enough for many buckets, and small ones of special shapes.
const TEXTS: [&str; 10] = [
    "rmat:scale=12",
    "rmat:scale=11,directed=true",
    "graph500:scale=10",
    "er:nodes=3000,degree=9,directed=true",
    "grid:rows=30,cols=40",
    "road:nodes=2000,lengths=true",
    "star:nodes=5000",
    "chain:nodes=1000",
    "complete:nodes=70",
    "star:nodes=1",
];

fn generated(text: &str, weights: &str) -> Graph {
    let mut graph = text.parse::<Generator>().unwrap().generate().unwrap();
    assign(&mut graph, weights.parse().unwrap()).unwrap();
    graph
}

#[test]
fn generators_and_facts() {
    for (text, weights) in TEXTS.into_iter().zip(["file", "random:1..9"].into_iter().cycle()) {
        let [narrow, wide] = both(|| generated(text, weights));
        let fresh =
            Csr::checked(wide.csr.offsets.clone(), wide.csr.columns().to_vec().into(), wide.csr.weights().clone());
        let fresh = Graph { csr: fresh.unwrap(), ..wide.clone() };
        for other in [&wide, &fresh] {
            assert_eq!(Statistics::of(other), Statistics::of(&narrow), "{text}");
            assert_eq!(other.csr.seems_symmetric(), narrow.csr.seems_symmetric(), "{text}");
        }
        for limit in [Limit::Bins(10), Limit::Bins(1)] {
            assert_eq!(Splitting::of(&wide.csr, limit), Splitting::of(&narrow.csr, limit));
        }
        assert!(wide.csr.row_offsets().unwrap_err().to_string().contains("at most 4,294,967,295"));
        assert!(wide.csr.narrow_edges().is_err() && narrow.csr.narrow_edges().unwrap() == wide.csr.edges() as u32);
    }
}

#[test]
fn transformations() {
    for (text, weights) in TEXTS.into_iter().zip(["random:1..9", "file"].into_iter().cycle()) {
        let original = generated(text, weights);
        both(|| Graph { csr: transpose(&original.csr).unwrap(), ..original.clone() });
        both(|| Graph { csr: both_ways(&original.csr).unwrap(), ..original.clone() });
        for [symmetrise, drop_self_loops, merge_parallel_edges] in [[true; 3], [false, true, false], [false; 3]] {
            let options = BuildOptions { symmetrise, drop_self_loops, merge_parallel_edges };
            both(|| rebuild(&original, options).unwrap().0);
        }
        // From a wide graph, too.
        let [_, wide] = both(|| generated(text, weights));
        assert_eq!(transpose(&wide.csr).unwrap(), transpose(&original.csr).unwrap());
        let order = NodeOrder::by_degree(&original.csr.column_counts()).unwrap();
        let [narrow, _] = both(|| Graph { csr: order.rename(&wide.csr).unwrap(), ..original.clone() });
        assert_eq!(narrow.csr, order.rename(&original.csr).unwrap());
    }
}
