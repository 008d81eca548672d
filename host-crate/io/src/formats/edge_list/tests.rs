//! What an edge list means, rule by rule.

use super::{
    super::{Columns, DirectionSource, Parsed, compression::Contents, loading::InputFile, testing::*},
    *,
};
use crate::{Direction, OpenOptions, open};
use evenkeel_graph::NodeIds;
use std::fs;

fn read(text: &str) -> Parsed {
    parsed(EdgeListFormat::read, text)
}

fn error(text: &str) -> String {
    reason(EdgeListFormat::read, text)
}

/// Edges by the names of their ends.
fn named(parsed: &Parsed) -> Vec<(String, String)> {
    let name = |node| parsed.ids.name(node).to_string();
    edges(parsed).into_iter().map(|(source, target)| (name(source), name(target))).collect()
}

fn pairs(text: &str) -> Vec<(String, String)> {
    named(&read(text))
}

fn expected(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs.iter().map(|(source, target)| (source.to_string(), target.to_string())).collect()
}

fn with_columns(columns: &str, text: &str) -> Result<Parsed, String> {
    let columns: Columns = columns.parse().unwrap();
    let files = Files { columns: Some(&columns), ..files(text) };
    EdgeListFormat::read(files).map(edges_of).map_err(|error| error.to_string())
}

#[test]
fn separators_comments_and_blank_lines() {
    let parsed = read("# a remark\r\n0\t1\r\n\n% another\n 1  2 \n2,0");
    assert_eq!(edges(&parsed), [(0, 1), (1, 2), (2, 0)]);
    assert_eq!(parsed.ids, NodeIds::Counted { first: 0 });
    assert_eq!((parsed.listing, parsed.direction_stated), (Listing::Directed, false));
    assert_eq!(parsed.edges.weights, EdgeWeights::None);
    assert_eq!(parsed.table.unwrap().separator, Some("blanks or commas"));
}

#[test]
fn sparse_ids_become_nodes_in_their_order() {
    let parsed = read("30 10\n10 18446744073709551615\n");
    assert_eq!(parsed.ids, NodeIds::Listed(vec![10, 30, u64::MAX].into()));
    assert_eq!(edges(&parsed), [(1, 0), (0, 2)]);
}

#[test]
fn names_are_kept_as_they_are_written() {
    let parsed = read("alice, Bob Smith ,3.5\n\"Bob Smith\",\"say \"\"hi\"\"\",2\n");
    assert_eq!(named(&parsed), expected(&[("alice", "Bob Smith"), ("Bob Smith", "say \"hi\"")]));
    assert_eq!(parsed.edges.weights, EdgeWeights::F32(vec![3.5, 2.0]));
    assert_eq!(pairs("alice,bob\nbob,carol\n"), expected(&[("alice", "bob"), ("bob", "carol")]));
    assert_eq!(pairs("α β\nβ γ\n"), expected(&[("α", "β"), ("β", "γ")]));
    assert_eq!(pairs("\"\",a\n"), expected(&[("", "a")]));
}

#[test]
fn numbers_that_could_be_spelt_otherwise_are_names() {
    for text in ["007 8\n8 9\n", "+7 8\n", "18446744073709551616 8\n", "-7 8\n", "1.0 8\n"] {
        assert!(matches!(read(text).ids, NodeIds::Named(_)), "{text}");
    }
    assert_eq!(pairs("007 7\n"), expected(&[("007", "7")]));
    assert_eq!(read("0 7\n").ids, NodeIds::Listed(vec![0, 7].into()));
}

#[test]
fn a_name_far_down_makes_all_nodes_names() {
    let numbers: String = (0..200).map(|node| format!("{node}\t{}\n", node + 1)).collect();
    for last in ["5\tx", "05\t6"] {
        let parsed = read(&format!("{numbers}{last}\n"));
        assert!(matches!(parsed.ids, NodeIds::Named(_)));
        assert_eq!(named(&parsed)[..2], expected(&[("0", "1"), ("1", "2")]));
        let (source, target) = last.split_once('\t').unwrap();
        assert_eq!(named(&parsed)[200], (source.to_owned(), target.to_owned()));
    }
    // Quotes alone do not.
    let parsed = read(&format!("{numbers}\"5\"\t\"6\"\n"));
    assert_eq!((&parsed.ids, edges(&parsed)[200]), (&NodeIds::Counted { first: 0 }, (5, 6)));
}

#[test]
fn every_separator_serves_numbers_and_names() {
    for (separator, name) in
        [(",", "commas"), (";", "semicolons"), ("\t", "tabs"), ("|", "vertical bars"), (" ", "blanks")]
    {
        for line in ["1,2,7\n2,3,8\n", "a,b,7\nb,c,8\n", "\"1\",\"2\",7\n\"2\",3,\"8\"\n"] {
            let parsed = read(&line.replace(',', separator));
            assert_eq!(edges(&parsed), [(0, 1), (1, 2)], "{name}: {line}");
            assert_eq!(parsed.edges.weights, EdgeWeights::U32(vec![7, 8]), "{name}: {line}");
            assert_eq!(parsed.table.unwrap().separator, Some(name));
        }
    }
    assert_eq!(pairs("Doe, J\tRoe, R\nRoe, R\tPoe, E\n")[0], ("Doe, J".to_owned(), "Roe, R".to_owned()));
}

#[test]
fn a_separator_that_does_not_work_is_named() {
    assert_eq!(
        error("a:b\nb:c\n"),
        "test:1: ':' in 'a:b' separates no columns: columns are separated by blanks, tabs, commas, semicolons or vertical bars"
    );
    assert!(error("alice\nbob\n").starts_with("test:1: 'alice' is one column, and an edge has two nodes: columns are"));
    assert!(error("\"a,b\n").starts_with("test:1: a quote opens here and is not closed"));
}

#[test]
fn a_byte_order_mark_is_no_part_of_a_name() {
    assert_eq!(pairs("\u{feff}alice,bob\r\nbob,carol\r\n")[0], ("alice".to_owned(), "bob".to_owned()));
    assert_eq!(read("\u{feff}1,2\r\n").ids, NodeIds::Counted { first: 1 });
    assert_eq!(read("\u{feff}# Undirected\n1,2\r\n").listing, Listing::UndirectedOnce);
    assert_eq!(edges(&read("\u{feff}target,source\r\n1,2\r\n")), [(1, 0)]);
}

#[test]
fn a_header_says_which_columns_are_which() {
    assert_eq!(edges(&read("target,source\n1,2\n")), [(1, 0)]);
    let parsed = read("id,src,dst\n9,1,2\n8,2,3\n");
    assert_eq!((edges(&parsed), &parsed.edges.weights), (vec![(0, 1), (1, 2)], &EdgeWeights::None));
    let table = parsed.table.unwrap();
    assert_eq!((table.header, &*table.source, &*table.target), (true, "2 (src)", "3 (dst)"));
    assert_eq!(pairs("\"From\";\"To\"\nalice;bob\n"), expected(&[("alice", "bob")]));
    assert_eq!(edges(&read("FromNodeId ToNodeId\n5 6\n")), [(0, 1)]);
    assert_eq!(edges(&read("node_1,node_2\n5,6\n")), [(0, 1)]);
    let parsed = read("name,Weight,Target,Source\nJohn Smith,2.5,b c,a\n");
    assert_eq!(named(&parsed), expected(&[("a", "b c")]));
    assert_eq!(parsed.edges.weights, EdgeWeights::F32(vec![2.5]));
    // Without a weight's name there are no weights, and other columns are ignored.
    assert_eq!(read("u v year\n1 2 1999\n2 3 2000\n").edges.weights, EdgeWeights::None);
}

#[test]
fn a_header_that_is_not_understood_is_shown() {
    for (text, names) in [
        ("id,a,b\n1,2,3\n", "'id', 'a', 'b'"),
        ("x y\n1 2\n", "'x', 'y'"),
        ("person;friend;years\nalice;bob;3\nbob;carol;4\n", "'person', 'friend', 'years'"),
    ] {
        let error = error(text);
        assert!(error.starts_with(&format!("test:1: in this header the columns are called {names}")), "{error}");
        assert!(error.contains("--columns source=1,target="), "{error}");
    }
    assert!(error("source,x\n1,2\n").contains("does not tell where an edge ends"));
}

#[test]
fn the_user_chooses_columns_by_number_or_name() {
    let found = |columns: &str, text: &str| {
        let parsed = with_columns(columns, text).unwrap();
        (named(&parsed), parsed.edges.weights)
    };
    let (edges, weights) = found("source=2,target=3", "9 1 2\n8 2 3\n");
    assert_eq!((edges, weights), (expected(&[("1", "2"), ("2", "3")]), EdgeWeights::None));
    let (edges, weights) = found("source=3,target=1,weight=2", "a,5,b\nb,6,c\n");
    assert_eq!((edges, weights), (expected(&[("b", "a"), ("c", "b")]), EdgeWeights::U32(vec![5, 6])));
    let (edges, weights) = found("source=friend,target=Person,weight=3", "person,friend,years\nalice,bob,3\n");
    assert_eq!((edges, weights), (expected(&[("bob", "alice")]), EdgeWeights::U32(vec![3])));
    let (edges, _) = found("source=1,target=2", "x,y\n1,2\n");
    assert_eq!(edges, expected(&[("1", "2")]));
    let (edges, _) = found("source=1,target=2", "1 2 friend\n2 3 foe\n");
    assert_eq!(edges, expected(&[("1", "2"), ("2", "3")]));
}

#[test]
fn columns_that_are_not_there_are_errors() {
    let error = |columns, text| with_columns(columns, text).unwrap_err();
    assert_eq!(error("source=4", "1 2 3\n"), "test:1: source=4: the first edge has 3 columns");
    assert_eq!(error("source=2", "1 2\n"), "test:1: the source and the target are both column 2");
    assert!(
        error("source=who", "from,to\n1,2\n").contains("source=who: there is no such column; there is 'from', 'to'")
    );
    assert_eq!(error("source=3,target=1", "1 2 3\n1 2\n"), "test:2: the line ends where a node should be");
}

#[test]
fn snap_says_whether_edges_have_a_direction() {
    let direction = |remark: &str| {
        let parsed = read(&format!("{remark}\n1 2\n"));
        (parsed.listing, parsed.direction_stated)
    };
    assert_eq!(direction("# Undirected graph: ../com-dblp.txt"), (Listing::UndirectedOnce, true));
    assert_eq!(direction("# Directed graph (each unordered pair of nodes is saved once)"), (Listing::Directed, true));
    assert_eq!(direction("# Not undirected"), (Listing::Directed, false));
    assert_eq!(direction("# FromNodeId\tToNodeId"), (Listing::Directed, false));
}

#[test]
fn weights_are_in_the_third_column_or_where_the_header_says() {
    let weights = |text: &str| read(text).edges.weights;
    assert_eq!(weights("1 2 7\n2 1 8 extra\n"), EdgeWeights::U32(vec![7, 8]));
    assert_eq!(weights("1 2 7\n2 1 -8\n"), EdgeWeights::F32(vec![7.0, -8.0]));
    assert_eq!(weights("Source,Target,Weight,Timestamp\n6,2,4,1289241912\n"), EdgeWeights::U32(vec![4]));
    assert_eq!(weights("Source,Target,Type,Weight\n6,2,Directed,2.5\n"), EdgeWeights::F32(vec![2.5]));
    assert_eq!(weights("Source,Target\n6,2\n"), EdgeWeights::None);
}

#[test]
fn flaws_are_named_with_their_line() {
    assert_eq!(error("0 1\n1"), "test:2: the line ends where a node should be");
    assert_eq!(error("a,b\nc\n"), "test:2: the line ends where a node should be");
    assert_eq!(error("a,b\n,c\n"), "test:2: column 1 is empty, where a node should be");
    for text in ["0 1 5\n0 1\n", "a b 5\na b\n"] {
        assert_eq!(error(text), format!("test:2: no weight here, though the first edge has one {ADJACENCY_HINT}"));
    }
    for text in ["0 1\n0 1 5\n", "a b\na b 5\n"] {
        assert_eq!(error(text), format!("test:2: more columns here than the first edge has {ADJACENCY_HINT}"));
    }
    let nan = format!("test:1: the weight 'nan' is not a finite 32-bit number {NO_WEIGHT_HINT}");
    assert_eq!(error("0 1 nan\n"), nan);
    assert_eq!(error("0,1,,3\n"), format!("test:1: the weight '' is not a number {NO_WEIGHT_HINT}"));
    assert_eq!(error("1 2 {}\n"), format!("test:1: the weight '{{}}' is not a number {NO_WEIGHT_HINT}"));
    assert_eq!(error("u,v,w\na,b,x\n"), "test:2: the weight 'x' is not a number");
    assert_eq!(error("u,v,w\na,b\n"), "test:2: the line ends where a weight should be");
    assert_eq!(error("a,b\n\"c,d\n"), "test:2: a quote opens here and is not closed");
}

#[test]
fn a_name_that_is_not_utf8_is_an_error_with_its_line() {
    let bytes = b"a,b\nb,c\nb,\xff\n";
    let main = InputFile { path: "test".as_ref(), contents: Contents::Borrowed(bytes) };
    let error = EdgeListFormat::read(Files { main, companion: None, columns: None }).unwrap_err();
    assert_eq!(error.to_string(), "test:3: a node's name is not valid UTF-8");
}

#[test]
fn no_edges_are_an_empty_graph() {
    for text in ["", "\n", "# only a remark", "Source,Target\n", "\u{feff}"] {
        assert_eq!(read(text).edges.nodes, 0, "{text:?}");
    }
}

#[test]
fn text_with_columns_may_be_an_edge_list() {
    let recognised = |text: &str| EdgeListFormat::recognise(Text { path: "-".as_ref(), bytes: text.as_bytes() });
    for text in ["1 2\n", "# x\n1,2,3\n", "alice,bob\nbob,carol\n", "alice bob\nbob carol\n", "x;y\n1;2\n"] {
        assert_eq!(recognised(text), Recognition::Possible, "{text}");
    }
    for text in [
        "",
        "# x\n",
        "alice\nbob\n",
        "{\"a\": 1, \"b\": 2}\n",
        "<a b=\"c\">\n",
        "some words\nand some more\n",
        "\0,\0\n",
    ] {
        assert_eq!(recognised(text), Recognition::No, "{text}");
    }
}

#[test]
fn opening_says_what_was_recognised() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.csv");
    fs::write(&path, "from,to\nalice,bob\n").unwrap();
    let recognised = |direction| {
        let options = OpenOptions { direction, ..OpenOptions::default() };
        open(&path, &options).unwrap().1.recognised.unwrap()
    };
    assert_eq!(recognised(None).direction, DirectionSource::Assumed);
    assert_eq!(recognised(Some(Direction::Undirected)).direction, DirectionSource::Asked);
    let table = recognised(None).table.unwrap().to_string();
    assert_eq!(table, "source 1 (from), target 2 (to), no weights; separated by commas, with a header");
}

#[test]
fn names_that_need_quotes_get_them() {
    for (name, between_blanks, between_commas) in [
        ("alice", "alice", "alice"),
        ("", "\"\"", "\"\""),
        ("a b", "\"a b\"", "a b"),
        (" a", "\" a\"", "\" a\""),
        ("a,b", "\"a,b\"", "\"a,b\""),
        ("a;b", "\"a;b\"", "a;b"),
        ("a\nb", "\"a\nb\"", "\"a\nb\""),
        ("#a", "\"#a\"", "\"#a\""),
        ("a#", "a#", "a#"),
        ("say \"hi\"", "\"say \"\"hi\"\"\"", "\"say \"\"hi\"\"\""),
    ] {
        assert_eq!((&*quoted(name, b' '), &*quoted(name, b',')), (between_blanks, between_commas));
    }
}

/// What is said of the first line of a text.
fn first_line(text: &str) -> Option<String> {
    let text = Text { path: "test".as_ref(), bytes: text.as_bytes() };
    let layout = layout(text, None).unwrap();
    let reader = Reader::new(text, &layout);
    reader.remark_on_first_line(&reader.read().unwrap())
}

#[test]
fn a_first_line_of_words_that_occur_nowhere_else_is_remarked_on() {
    assert_eq!(
        first_line("# remark\nperson,friend\nalice,bob\nbob,carol\n").unwrap(),
        "test:2: the first line, 'person,friend', is read as an edge, though its names occur nowhere else; if they name the \
         columns, --columns source=person,target=friend says so"
    );
    let remark = first_line("first name;last name\na;b\nb;c\n").unwrap();
    assert!(remark.ends_with("--columns 'source=first name,target=last name' says so"), "{remark}");
    for text in [
        "alice,bob\nbob,carol\n",
        "alice,bob\ncarol,alice\n",
        "person,friend\n",
        "source,target\nalice,bob\n",
        "1,2\n3,4\n",
        "007,8\n9,x\n",
        "alice,bob,3\ncarol,dave,4\n",
    ] {
        assert_eq!(first_line(text), None, "{text}");
    }
    let parsed = with_columns("source=person,target=friend", "person,friend\nalice,bob\nbob,carol\n").unwrap();
    assert_eq!(named(&parsed), expected(&[("alice", "bob"), ("bob", "carol")]));
}

#[test]
fn below_a_header_there_are_no_comments() {
    let text = "# remark\nsource,target\n#1,a\na,%2\n# x,#1\n";
    assert_eq!(pairs(text), expected(&[("#1", "a"), ("a", "%2"), ("# x", "#1")]));
    assert_eq!(pairs("source target weight\n\n%a #b 3\n"), expected(&[("%a", "#b")]));
    assert_eq!(pairs("# a\n1 2\n# b\n% c\n2 3\n"), expected(&[("1", "2"), ("2", "3")]));
    assert_eq!(error("source,target\n1,2\n# the end\n"), "test:3: the line ends where a node should be");
}

#[test]
fn a_field_in_quotes_may_go_on_in_the_next_line() {
    let ends = [("two\nlines", "b"), ("b", "x\n\n,y")];
    let text = "source,target\n\"two\nlines\",b\r\nb,\"x\n\n,y\"\n";
    assert_eq!(pairs(text), expected(&ends));
    assert_eq!(pairs(&format!("{text}{}", "c,d\n".repeat(100)))[..2], expected(&ends));
    // Also in a column that is not read: what follows there is no edge.
    let filler: String = (0..100).map(|node| format!("{node},{},\"x\"\n", node + 1)).collect();
    let parsed = read(&format!("u,v,note\n{filler}3,4,\"see\n5,6,7\"\n"));
    assert_eq!((edges(&parsed).len(), &parsed.ids), (101, &NodeIds::Counted { first: 0 }));
    let parsed = read(&format!("v,note,u\n{}3,\"see\n5,6,7\",4\n", "1,,2\n".repeat(100)));
    assert_eq!(edges(&parsed).len(), 101);
    assert!(matches!(parsed.ids, NodeIds::Counted { first: 1 }));
    assert_eq!(error(&format!("{text}c,\"d\ne,f\n")), "test:7: a quote opens here and is not closed");
    assert_eq!(error("u,v,note\n1,2,x\n3,4,\"x\n5,6\n"), "test:3: a quote opens here and is not closed");
    // The weight of a record in the middle is remarked on with its own line.
    assert!(read("u,v,w\n\"a\n\",b,3\nb,c,0.5\n").weight_remark.unwrap().starts_with("test:4: "));
}

#[test]
fn a_file_of_metis_is_recognised_by_its_count_of_lines() {
    for text in ["3 2\n2\n1 3\n2\n", "% x\n3 2 001\n2 7\n1 7 3 7\n2 7\n", "2 0\n\n\n\n1 2 3\n"] {
        let says = error(text).contains("a METIS file is read with the format 'metis'");
        assert_eq!(says, !text.ends_with("1 2 3\n"), "{}", error(text));
    }
    for text in ["3 2\n2 1 1\n", "2 1\n2\n1\n5 6\n"] {
        assert!(!error(text).contains("metis"), "{}", error(text));
    }
}
