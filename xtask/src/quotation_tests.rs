//! The documentation quotes code, and a quotation stays true: each block after a line `<!-- from FILE -->` must stand in that
//! file, whatever its indentation.

use std::{fs, path::Path};

/// Lines without their indentation, one after another.
fn flush(text: &str) -> String {
    text.lines().map(|line| line.trim_start().to_owned() + "\n").collect()
}

/// The quotations of a page: the file of each, and its text.
fn quotations(page: &str) -> Vec<(&str, &str)> {
    page.split("<!-- from ")
        .skip(1)
        .map(|rest| {
            let (file, rest) = rest.split_once(" -->\n```").expect("a block follows");
            let (_, rest) = rest.split_once('\n').expect("a line ends");
            (file, rest.split_once("```").expect("a block ends").0)
        })
        .collect()
}

#[test]
fn quotations_are_of_the_files_they_name() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let page = fs::read_to_string(root.join("docs/programming-model.md")).unwrap();
    let quotations = quotations(&page);
    assert!(quotations.len() >= 5, "{quotations:?}");
    for (file, text) in quotations {
        let source = fs::read_to_string(root.join(file)).unwrap();
        assert!(flush(&source).contains(&flush(text)), "{file} does not have what the page quotes of it:\n{text}");
    }
}

#[test]
fn a_quotation_may_be_indented_and_may_not_be_changed() {
    let page = "Text.\n<!-- from a.rs -->\n```rust,ignore\nlet a = 1;\n  let b = 2;\n```\nMore.\n";
    let [(file, text)] = quotations(page)[..] else { panic!("one quotation") };
    assert_eq!((file, text), ("a.rs", "let a = 1;\n  let b = 2;\n"));
    assert!(flush("fn f() {\n    let a = 1;\n    let b = 2;\n}\n").contains(&flush(text)));
    assert!(!flush("let a = 1;\nlet c = 3;\nlet b = 2;\n").contains(&flush(text)));
}
