use super::*;

/// More edges than a graph can have, all of them between the same two nodes.
struct Endless;

impl EdgeSource for Endless {
    fn extent(&self) -> (u32, u64, WeightKind) {
        (2, u64::MAX, WeightKind::None)
    }

    fn visit(&self, _: Range<u64>, _: impl FnMut(u32, u32, u32)) {
        panic!("it is refused before it is visited");
    }
}

#[test]
fn too_many_edges_are_refused_with_the_numbers() {
    let Err(Error::Graph(message)) = build(Endless, BuildOptions::default()) else { panic!("not refused") };
    assert!(message.contains("18446744073709551615") && message.contains("281474976710656"), "{message}");
}

#[test]
fn rows_known_one_by_one_are_put_together() {
    let row = |node: u32| [(node ^ 1).min(node ^ 2), (node ^ 1).max(node ^ 2)];
    let csr = build_symmetric_rows(10_000, 0..10_000, |node| row(node).into_iter()).unwrap();
    assert_eq!((csr.nodes(), csr.edges()), (10_000, 20_000));
    assert!((0..10_000).all(|node| csr.neighbours(node) == row(node)));
}
