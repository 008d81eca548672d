use super::*;
use arrow_array::{Array, Float32Array, Float64Array, RecordBatch, StringArray, UInt32Array, UInt64Array};
use arrow_ipc::reader::FileReader;
use evenkeel::{
    algorithm::{self, Column, Part, Setup, Shape, Value, Values},
    graph::{Csr, Names, NodeIds, Weights, formats::Compression},
    settings,
};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use proptest::prelude::*;
use std::{collections::BTreeMap, io::Cursor};

/// A graph without edges whose nodes are called so.
fn graph(nodes: u32, ids: NodeIds) -> Graph {
    let csr = Csr::new(vec![0; nodes as usize + 1], vec![], Weights::None).unwrap();
    Graph { name: String::new(), csr, ids, directed: true }
}

fn named(names: &[&str]) -> Graph {
    graph(names.len() as u32, NodeIds::Named(Names::from_ascending(names.iter().copied())))
}

struct Columns(Vec<Column<'static>>);

impl Answer for Columns {
    fn columns(&self) -> Vec<Column<'_>> {
        self.0.clone()
    }
}

fn form_of(ending: &str) -> &'static Form {
    FORMS.iter().find(|form| form.ending == ending).unwrap()
}

fn written(ending: &str, columns: &[Column<'static>], graph: &Graph) -> Vec<u8> {
    let form = form_of(ending);
    let mut bytes = Vec::new();
    AnswerForm { form, compression: None, rows: RowKind::Nodes }
        .write(&Columns(columns.to_vec()), graph, &mut bytes)
        .unwrap();
    bytes
}

fn text(ending: &str, columns: &[Column<'static>], graph: &Graph) -> String {
    String::from_utf8(written(ending, columns, graph)).unwrap()
}

/// A tree on three nodes whose names need quoting, of which the last is not reached.
fn tree() -> (Graph, Vec<Column<'static>>) {
    let columns = vec![
        Column::new("depth", Values::U32(vec![1, 0, u32::MAX].into())).partial(),
        Column::new("parent", Values::Nodes(vec![1, u32::MAX, u32::MAX].into())).partial(),
    ];
    (named(&["a,b", "say \"hi\"", "zoë"]), columns)
}

/// An answer whose rows are two edges.
struct Edges;

impl Answer for Edges {
    fn columns(&self) -> Vec<Column<'_>> {
        vec![
            Column::new("source", Values::Nodes(vec![0, 1].into())),
            Column::new("target", Values::Nodes(vec![2, 2].into())),
            Column::new("weight", Values::F32(vec![0.5, -3.0].into())),
        ]
    }
}

#[test]
fn rows_that_are_edges_have_the_names_of_their_ends() {
    let graph = named(&["a,b", "c", "d"]);
    let written = |ending| {
        let (form, mut bytes) = (form_of(ending), Vec::new());
        AnswerForm { form, compression: None, rows: RowKind::Edges }.write(&Edges, &graph, &mut bytes).unwrap();
        bytes
    };
    let text = |ending| String::from_utf8(written(ending)).unwrap();
    assert_eq!(text("txt"), "\"a,b\" d 0.5\nc d -3\n");
    assert_eq!(text("csv"), "source,target,weight\n\"a,b\",d,0.5\nc,d,-3\n");
    let object: serde_json::Value = serde_json::from_str(&text("json")).unwrap();
    assert_eq!(object, serde_json::json!({"source": ["a,b", "c"], "target": ["d", "d"], "weight": [0.5, -3.0]}));
    let lines =
        "{\"source\":\"a,b\",\"target\":\"d\",\"weight\":0.5}\n{\"source\":\"c\",\"target\":\"d\",\"weight\":-3.0}\n";
    assert_eq!(text("jsonl"), lines);
    let matrix = "%%MatrixMarket matrix coordinate real general\n3 3 2\n1 3 0.5\n2 3 -3\n";
    assert_eq!(text("mtx"), matrix);
    assert!(["parquet", "arrow", "npz"].into_iter().all(|ending| !written(ending).is_empty()));
}

#[test]
fn text_has_names_values_and_words_for_what_is_missing() {
    let (graph, columns) = tree();
    assert_eq!(text("txt", &columns, &graph), "\"a,b\" 1 \"say \"\"hi\"\"\"\n\"say \"\"hi\"\"\" 0 -\nzoë inf -\n");
    let expected = "node,depth,parent\n\"a,b\",1,\"say \"\"hi\"\"\"\n\"say \"\"hi\"\"\",0,\nzoë,,\n";
    assert_eq!(text("csv", &columns, &graph), expected);
    let object: serde_json::Value = serde_json::from_str(&text("json", &columns, &graph)).unwrap();
    let expected = serde_json::json!({
        "node": ["a,b", "say \"hi\"", "zoë"], "depth": [1, 0, null], "parent": ["say \"hi\"", null, null]
    });
    assert_eq!(object, expected);
    let lines = text("jsonl", &columns, &graph);
    let first: serde_json::Value = serde_json::from_str(lines.lines().next().unwrap()).unwrap();
    assert_eq!(first, serde_json::json!({"node": "a,b", "depth": 1, "parent": "say \"hi\""}));
    assert_eq!(lines.lines().count(), 3);
}

#[test]
fn a_matrix_is_a_row_for_each_node() {
    let graph = graph(2, NodeIds::Counted { first: 1 });
    let square = [Column::new("distance", Values::F32(vec![0.0, 0.5, f32::INFINITY, 0.0].into()))
        .partial()
        .shaped(Shape::Square)];
    assert_eq!(text("txt", &square, &graph), "1 0 0.5\n2 inf 0\n");
    assert_eq!(text("csv", &square, &graph), "node,1,2\n1,0,0.5\n2,,0\n");
    let object: serde_json::Value = serde_json::from_str(&text("json", &square, &graph)).unwrap();
    assert_eq!(object, serde_json::json!({"node": [1, 2], "distance": [[0.0, 0.5], [null, 0.0]]}));
    let (kind, shape, elements) = npy(&written("npy", &square, &graph));
    assert_eq!((kind.as_str(), shape.as_slice(), elements[2].as_str()), ("<f4", &[2, 2][..], "inf"));
    let mut expected = b"EVKPAIRS\x02\0\0\0\x01\0\0\0".to_vec();
    expected.extend([0.0, 0.5, f32::INFINITY, 0.0].map(f32::to_le_bytes).concat());
    assert_eq!(written("bin", &square, &graph), expected);
    let words = [Column::new("distance", Values::U32(vec![0, 7, u32::MAX, 0].into())).shaped(Shape::Square)];
    assert_eq!(written("bin", &words, &graph)[12..24], [0u32, 0, 7].map(u32::to_le_bytes).concat());
    let wide = [Column::new("value", Values::F32(vec![1.0, 2.0, 3.0, 4.0].into())).shaped(Shape::Wide(2))];
    assert_eq!(text("csv", &wide, &graph), "node,value_0,value_1\n1,1,2\n2,3,4\n");
    let batches = arrow(&written("arrow", &wide, &graph));
    assert_eq!(table(&batches)["value_1"], ["2", "4"]);
    assert_eq!(table(&parquet(written("parquet", &wide, &graph)))["value_0"], ["1", "3"]);
}

#[test]
fn lines_are_in_order_across_pieces() {
    let nodes = 9 * PIECE as u32 + 5;
    let graph = graph(nodes, NodeIds::Counted { first: 1 });
    let values: Vec<f32> =
        (0..nodes).map(|node| if node % 2 == 0 { node as f32 / 4.0 } else { f32::INFINITY }).collect();
    let column = [Column::new("distance", Values::F32(values.into())).partial()];
    let lines = text("txt", &column, &graph);
    assert!(lines.starts_with("1 0\n2 inf\n3 0.5\n"));
    assert_eq!(lines.lines().count(), nodes as usize);
    for (line, id) in lines.lines().zip(1..) {
        assert!(line.starts_with(&format!("{id} ")), "{line} is not of {id}");
    }
    let object: serde_json::Value = serde_json::from_str(&text("json", &column, &graph)).unwrap();
    assert_eq!(object["distance"].as_array().unwrap().len(), nodes as usize);
    assert_eq!(npz(&written("npz", &column, &graph))["node"].2.len(), nodes as usize);
}

fn setup(algorithm: &str) -> Box<dyn Setup> {
    algorithm::named(algorithm).unwrap().setup()
}

/// A search whose answer has two columns.
fn with_parents() -> Box<dyn Setup> {
    let mut bfs = setup("bfs");
    settings::set(bfs.settings(Part::Config), "parents", "true").unwrap();
    bfs
}

#[test]
fn texts_are_compressed_as_the_name_ends() {
    let (graph, columns) = tree();
    for compression in Compression::ALL.into_iter().filter(|compression| compression.is_written()) {
        let path = format!("tree.csv.{}", compression.extension());
        let form = AnswerForm::of(path.as_ref(), &*with_parents()).unwrap();
        let mut bytes = Vec::new();
        form.write(&Columns(columns.clone()), &graph, &mut bytes).unwrap();
        assert_eq!(Compression::of_bytes(&bytes), Some(compression));
    }
}

#[test]
fn endings_are_honoured_or_refused() {
    let of = |path: &str| AnswerForm::of(path.as_ref(), &*setup("bfs")).map(|form| form.form.ending);
    for (path, form) in [
        ("-", "txt"),
        ("distances", "txt"),
        ("folder.x/distances", "txt"),
        ("distances.gz", "txt"),
        ("a.TXT", "txt"),
        ("a.csv.zst", "csv"),
        ("a.b.json", "json"),
        ("a.npz", "npz"),
    ] {
        assert_eq!(of(path).unwrap(), form, "{path}");
    }
    let refusal = |path: &str| of(path).unwrap_err().to_string();
    assert!(refusal("a.xlsx").contains("there is no form .xlsx; there is .txt, .csv, .json"));
    assert!(refusal("a.npy.gz").contains("only text is compressed"));
    assert!(refusal("a.bin").contains("bfs cannot be written so"));
    let refusal = AnswerForm::of("a.npy".as_ref(), &*with_parents()).unwrap_err().to_string();
    assert!(refusal.contains("take .npz"), "{refusal}");
    assert!(AnswerForm::of("a.npz".as_ref(), &*with_parents()).is_ok());
    let pairs = |path: &str| AnswerForm::of(path.as_ref(), &*setup("apsp"));
    assert!(pairs("a.bin").is_ok() && pairs("a.npy").is_ok() && pairs("a.csv.gz").is_ok());
    assert!(pairs("a.parquet").unwrap_err().to_string().contains(".npz, .bin"));
    assert!(AnswerForm::of("a.arrow".as_ref(), &*setup("spmm")).is_ok());
}

/// The type, the shape and the elements of an array.
type Read = (String, Vec<usize>, Vec<String>);

fn npy(bytes: &[u8]) -> Read {
    assert_eq!(bytes[..8], *b"\x93NUMPY\x01\x00");
    let length = usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    assert!((10 + length).is_multiple_of(64));
    let header = str::from_utf8(&bytes[10..10 + length]).unwrap();
    let between = |begin: &str, end: char| header.split_once(begin).unwrap().1.split_once(end).unwrap().0.to_owned();
    let (kind, shape) = (between("'descr': '", '\''), between("'shape': (", ')'));
    let shape: Vec<usize> = shape.split(',').filter_map(|size| size.trim().parse().ok()).collect();
    let data = &bytes[10 + length..];
    macro_rules! elements {
        ($type:ty, $value:expr) => {
            data.as_chunks()
                .0
                .iter()
                .map(|bytes| $value(<$type>::from_le_bytes(*bytes)).to_string())
                .collect::<Vec<_>>()
        };
    }
    let elements = match kind.as_str() {
        "<u4" => elements!(u32, Value::Whole),
        "<u8" => elements!(u64, Value::Count),
        "<f4" => elements!(f32, Value::Real),
        "<f8" => elements!(f64, Value::Double),
        text => {
            let letters: usize = text.strip_prefix("<U").unwrap().parse().unwrap();
            let letter = |bytes: &[u8; 4]| char::from_u32(u32::from_le_bytes(*bytes)).unwrap();
            let word = |bytes: &[u8]| bytes.as_chunks().0.iter().map(letter).filter(|it| *it != '\0').collect();
            data.chunks(4 * letters).map(word).collect()
        }
    };
    assert_eq!(elements.len(), shape.iter().product::<usize>());
    (kind, shape, elements)
}

/// The arrays of an archive by their names. Goes through the local headers; a checksum that is wrong fails.
fn npz(bytes: &[u8]) -> BTreeMap<String, Read> {
    let mut arrays = BTreeMap::new();
    let mut place = 0;
    let word = |place: usize| u16::from_le_bytes(bytes[place..place + 2].try_into().unwrap()) as usize;
    let long = |place: usize| u64::from_le_bytes(bytes[place..place + 8].try_into().unwrap()) as usize;
    let mut offsets = Vec::new();
    while bytes[place..].starts_with(b"PK\x03\x04") {
        offsets.push(place);
        let (name, extra) = (word(place + 26), word(place + 28));
        let text = str::from_utf8(&bytes[place + 30..place + 30 + name]).unwrap();
        let size = long(place + 30 + name + 4);
        let begin = place + 30 + name + extra;
        let data = &bytes[begin..begin + size];
        let mut sum = flate2::Crc::new();
        sum.update(data);
        assert_eq!(sum.sum().to_le_bytes(), bytes[place + 14..place + 18]);
        arrays.insert(text.strip_suffix(".npy").unwrap().to_owned(), npy(data));
        place = begin + size;
    }
    // The directory says where each of them begins, and the end says where the directory does.
    let directory = place;
    for offset in offsets {
        assert!(bytes[place..].starts_with(b"PK\x01\x02"));
        let (name, extra) = (word(place + 28), word(place + 30));
        assert_eq!(long(place + 46 + name + 20), offset);
        place += 46 + name + extra;
    }
    assert!(bytes[place..].starts_with(b"PK\x06\x06"));
    assert_eq!((long(place + 24), long(place + 40), long(place + 48)), (arrays.len(), place - directory, directory));
    assert!(bytes[place + 56..].starts_with(b"PK\x06\x07") && bytes[place + 76..].starts_with(b"PK\x05\x06"));
    assert_eq!((long(place + 64), bytes.len()), (place, place + 98));
    arrays
}

fn arrow(bytes: &[u8]) -> Vec<RecordBatch> {
    FileReader::try_new(Cursor::new(bytes), None).unwrap().map(Result::unwrap).collect()
}

fn parquet(bytes: Vec<u8>) -> Vec<RecordBatch> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("table.parquet");
    std::fs::write(&path, bytes).unwrap();
    let file = std::fs::File::open(&path).unwrap();
    ParquetRecordBatchReaderBuilder::try_new(file).unwrap().build().unwrap().map(Result::unwrap).collect()
}

/// The columns of a table as text; `none` for null.
fn table(batches: &[RecordBatch]) -> BTreeMap<String, Vec<String>> {
    let mut columns = BTreeMap::<String, Vec<String>>::new();
    for batch in batches {
        for (field, array) in batch.schema().fields().iter().zip(batch.columns()) {
            let any = array.as_any();
            let value = |place: usize| {
                macro_rules! value {
                    ($($array:ty as $shown:expr),*) => {
                        $(if let Some(array) = any.downcast_ref::<$array>() {
                            return $shown(array.value(place)).to_string();
                        })*
                    };
                }
                if array.is_null(place) {
                    return "none".to_owned();
                }
                value!(UInt32Array as Value::Whole, UInt64Array as Value::Count, Float32Array as Value::Real);
                value!(Float64Array as Value::Double, StringArray as str::to_owned);
                panic!("{:?}", field.data_type())
            };
            columns.entry(field.name().clone()).or_default().extend((0..array.len()).map(value));
        }
    }
    columns
}

/// Values of every kind, some of which are missing, and parents, for so many nodes.
fn columns(nodes: usize) -> impl Strategy<Value = Vec<Column<'static>>> {
    let first = prop_oneof![
        prop::collection::vec(prop_oneof![0..9u32, Just(u32::MAX)], nodes).prop_map(|all| Values::U32(all.into())),
        prop::collection::vec(prop_oneof![any::<u64>(), Just(u64::MAX)], nodes).prop_map(|all| Values::U64(all.into())),
        prop::collection::vec(prop_oneof![-1e9..1e9f32, Just(f32::INFINITY)], nodes)
            .prop_map(|all| Values::F32(all.into())),
        prop::collection::vec(-1e300..1e300f64, nodes).prop_map(|all| Values::F64(all.into())),
    ];
    let parents = prop::collection::vec(prop_oneof![0..nodes as u32, Just(u32::MAX)], nodes);
    (first, prop::option::of(parents)).prop_map(|(first, parents)| {
        let parents = parents.map(|all| Column::new("parent", Values::Nodes(all.into())).partial());
        [Column::new("value", first).partial()].into_iter().chain(parents).collect()
    })
}

fn case() -> impl Strategy<Value = (Graph, Vec<Column<'static>>)> {
    let names = prop::collection::btree_set("[a-z ,\"\n\u{e9}\u{1f600}]{0,4}", 1..20).prop_map(|names| {
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        named(&names)
    });
    let ids = prop::collection::btree_set(any::<u64>(), 1..20)
        .prop_map(|ids| graph(ids.len() as u32, NodeIds::from_ascending(ids.into_iter().collect())));
    prop_oneof![names, ids].prop_flat_map(|graph| {
        let nodes = graph.csr.nodes() as usize;
        (Just(graph), columns(nodes))
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn every_form_holds_the_same_values((graph, columns) in case()) {
        let name = |node: usize| graph.ids.name(node as u32).to_string();
        let nodes = graph.csr.nodes() as usize;
        let cell = |column: &Column<'_>, node: usize| match (column.value(node), &column.values) {
            (None, _) => "none".to_owned(),
            (Some(Value::Whole(node)), Values::Nodes(_)) => name(node as usize),
            (Some(value), _) => value.to_string(),
        };
        let mut expected = BTreeMap::from([("node".to_owned(), (0..nodes).map(name).collect::<Vec<_>>())]);
        for column in &columns {
            expected.insert(column.name.to_owned(), (0..nodes).map(|node| cell(column, node)).collect());
        }
        prop_assert_eq!(&table(&arrow(&written("arrow", &columns, &graph))), &expected);
        prop_assert_eq!(&table(&parquet(written("parquet", &columns, &graph))), &expected);

        let csv = written("csv", &columns, &graph);
        let mut reader = csv::Reader::from_reader(&csv[..]);
        let headers = reader.headers().unwrap().clone();
        let mut found = BTreeMap::<String, Vec<String>>::new();
        for record in reader.records() {
            for (number, (header, value)) in headers.iter().zip(&record.unwrap()).enumerate() {
                let value = if value.is_empty() && number > 0 { "none" } else { value };
                found.entry(header.to_owned()).or_default().push(value.to_owned());
            }
        }
        // A parent without letters in its name cannot be told from none by the reader of this test.
        if !expected["node"].contains(&String::new()) {
            prop_assert_eq!(&found, &expected);
        }

        let json = |value: &serde_json::Value| match value {
            serde_json::Value::Null => "none".to_owned(),
            serde_json::Value::String(text) => text.clone(),
            number => number.to_string(),
        };
        // The reader of this test may be wrong in the last digit.
        let close = |found: f64, expected: f64| (found - expected).abs() <= 1e-15 * expected.abs();
        let same = |found: &str, expected: &str| {
            found == expected
                || matches!((found.parse(), expected.parse()), (Ok(found), Ok(expected)) if close(found, expected))
        };
        let object: serde_json::Value = serde_json::from_slice(&written("json", &columns, &graph)).unwrap();
        let lines = text("jsonl", &columns, &graph);
        for (column, values) in &expected {
            let found = object[column].as_array().unwrap();
            prop_assert_eq!(found.len(), values.len());
            for ((found, line), expected) in found.iter().zip(lines.lines()).zip(values) {
                let line: serde_json::Value = serde_json::from_str(line).unwrap();
                prop_assert!(same(&json(found), expected), "{} is not {}", found, expected);
                prop_assert_eq!(&line[column], found);
            }
        }

        let arrays = npz(&written("npz", &columns, &graph));
        prop_assert_eq!(&arrays["node"].2, &expected["node"]);
        for column in &columns {
            let elements = &arrays[column.name].2;
            for (node, element) in elements.iter().enumerate() {
                let missing = ["4294967295", "18446744073709551615", "inf"];
                match (column.value(node), &column.values) {
                    (None, _) => prop_assert!(missing.contains(&element.as_str()), "{}", element),
                    (Some(value), _) => prop_assert_eq!(element, &value.to_string()),
                }
            }
        }
        if columns.len() == 1 {
            prop_assert_eq!(&npy(&written("npy", &columns, &graph)), &arrays["value"]);
        }
    }
}
