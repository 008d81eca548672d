//! Charts and pages by their text: the numbers are there, at the right places, and nothing breaks the markup.

use super::{
    Axis, Cell, Chart, Data, Kind, Page, Point, Section, Series,
    chart::{as_file, outline},
    comparison, run,
};
use crate::report::{
    comparison::{Refusal, compare},
    testing::example,
};
use evenkeel::report::{KernelReport, Profile, Report};
use quick_xml::{Reader, events::Event};

/// A name, attributes, and the text that follows the tag.
type Element = (String, Vec<(String, String)>, String);

/// The elements of a document; fails where it is not well-formed.
fn elements(document: &str) -> Vec<Element> {
    let mut reader = Reader::from_str(document);
    let mut elements: Vec<Element> = Vec::new();
    loop {
        match reader.read_event().unwrap() {
            Event::Start(tag) | Event::Empty(tag) => {
                let text = |text: &str| text.to_owned();
                let attributes = tag.attributes().map(|it| it.unwrap());
                let attributes = attributes.map(|it| (text(it.key.as_ref()), text(&it.value))).collect();
                elements.push((text(tag.name().as_ref()), attributes, String::new()));
            }
            Event::Text(text) => {
                if let Some((.., so_far)) = elements.last_mut() {
                    *so_far += text.trim();
                }
            }
            Event::Eof => return elements,
            _ => {}
        }
    }
}

fn texts(document: &str) -> Vec<String> {
    elements(document).into_iter().filter(|(name, ..)| name == "text").map(|(.., text)| text).collect()
}

/// A number of each element with this name and colour.
fn numbers(document: &str, name: &str, fill: &str, attribute: &str) -> Vec<i32> {
    let get = |attributes: &[(String, String)], key: &str| {
        attributes.iter().find(|(name, _)| name == key).map(|(_, value)| value.clone()).unwrap_or_default()
    };
    let all = elements(document).into_iter().filter(|it| it.0 == name && get(&it.1, "fill") == fill);
    all.map(|(_, attributes, _)| get(&attributes, attribute).parse().unwrap()).collect()
}

fn chart(kind: Kind, y: Axis, series: Vec<Series>) -> Chart {
    Chart { title: "A <title> & more".into(), kind, x: Axis::linear("x"), y, series }
}

fn series(name: &str, points: Vec<Point>) -> Series {
    Series { name: name.into(), points }
}

#[test]
fn bars_are_as_long_as_their_values() {
    let points = vec![Point::named("one", 10.0), Point::named("two & a half", 25.0), Point::named("none", 0.0)];
    let svg = chart(Kind::Bars, Axis::linear("ms"), vec![series("", points)]).svg();
    let widths = numbers(&svg, "rect", "#1F5FA8", "width");
    assert!((f64::from(widths[1]) / f64::from(widths[0]) - 2.5).abs() < 0.02 && widths[2] == 0, "{widths:?}");
    let texts = texts(&svg);
    assert!(["one", "10", "25", "ms"].iter().all(|text| texts.iter().any(|it| it == text)), "{texts:?}");
    assert!(svg.contains("aria-label=\"A &lt;title&gt; &amp; more\"") && svg.contains("two &amp; a half"), "{svg}");
}

#[test]
fn on_a_log_axis_a_decade_is_always_as_long() {
    let best = Point { best: true, ..Point::named("one", 1.0).between(0.5, 2.0) };
    let points = vec![best, Point::named("ten", 10.0), Point::named("hundred", 100.0)];
    let svg = chart(Kind::Bars, Axis::log("ms"), vec![series("", points)]).svg();
    let widths = numbers(&svg, "rect", "#1F5FA8", "width");
    let best = numbers(&svg, "rect", "#1A7F37", "width");
    // The axis begins at 0.1.
    assert!((widths[0] - 2 * best[0]).abs() <= 1 && (widths[1] - 3 * best[0]).abs() <= 2, "{best:?} {widths:?}");
    assert!(texts(&svg).contains(&"1 ★ best".to_owned()), "{svg}");
    // The range of the first, and its two ends.
    assert_eq!(svg.matches("stroke=\"#24292F\" stroke-width=\"2\"").count(), 3);
}

#[test]
fn parts_of_a_bar_follow_each_other() {
    let of = |value| vec![Point::named("run 1", value)];
    let stacked = |kind| chart(kind, Axis::linear("ms"), vec![series("kernels", of(3.0)), series("overhead", of(1.0))]);
    let svg = stacked(Kind::Stacked).svg();
    let of_both = |attribute| {
        ["#1F5FA8", "#C2571A"].map(|fill| numbers(&svg, "rect", fill, attribute).into_iter().min().unwrap())
    };
    // The smaller of two rectangles of a colour is that of the legend, or the first.
    let starts: [Vec<i32>; 2] = ["#1F5FA8", "#C2571A"].map(|fill| numbers(&svg, "rect", fill, "x"));
    let widths: [Vec<i32>; 2] = ["#1F5FA8", "#C2571A"].map(|fill| numbers(&svg, "rect", fill, "width"));
    assert!((widths[0][0] - 3 * widths[1][0]).abs() <= 3 && starts[0][0] + widths[0][0] == starts[1][0], "{starts:?}");
    assert_eq!(of_both("height"), [12, 12]);
    assert!(["kernels", "overhead"].iter().all(|name| texts(&svg).contains(&(*name).to_owned())));
    // Where parts go from little to much, the first is grey.
    assert_eq!(numbers(&stacked(Kind::Graded).svg(), "rect", "#C2C8CF", "width")[0], widths[0][0]);
}

#[test]
fn points_are_where_their_values_are() {
    let points = (0..4).map(|it| Point::new(f64::from(it), 10f64.powi(it))).collect();
    let svg = Chart { x: Axis::whole("level"), ..chart(Kind::Lines, Axis::log("µs"), vec![series("", points)]) }.svg();
    let [x, y] = ["cx", "cy"].map(|attribute| numbers(&svg, "circle", "#1F5FA8", attribute));
    assert!(x.windows(3).all(|it| (it[2] - 2 * it[1] + it[0]).abs() <= 1), "{x:?}");
    assert!(y.windows(3).all(|it| (it[2] - 2 * it[1] + it[0]).abs() <= 1) && y[0] > y[3], "{y:?}");
    assert!(svg.contains("stroke=\"#1F5FA8\" stroke-width=\"2\" points=\"80,347 "), "a line through them: {svg}");
    let alone = chart(Kind::Points, Axis::log("µs"), vec![series("", vec![Point::new(1.0, 0.0)])]).svg();
    assert_eq!(numbers(&alone, "circle", "#1F5FA8", "cx"), [0; 0], "0 has no place on a log axis");
}

#[test]
fn nothing_breaks_a_picture() {
    for kind in [Kind::Bars, Kind::Stacked, Kind::Graded, Kind::Lines, Kind::Points] {
        for y in [Axis::linear(""), Axis::log(""), Axis::whole(""), Axis::ratios(""), Axis::shares("")] {
            let odd = [0.0, -1.0, f64::NAN, f64::INFINITY, 1e300, 1e-300].map(|value| Point::named("\u{1}<'\"", value));
            for points in [Vec::new(), odd.to_vec()] {
                for count in [0, 1, 30] {
                    let all = (0..count).map(|_| series("many", points.clone())).collect();
                    let svg = as_file(&chart(kind, y.clone(), all).svg());
                    assert!(elements(&svg).len() > 1 && !svg.contains('\u{1}') && !svg.contains("NaN"), "{svg}");
                }
            }
        }
    }
}

#[test]
fn a_tree_has_its_lines_under_each_other() {
    let lines = [(0, "size ≤ 3?", false), (1, "yes: push", true), (1, "no: pull", true)];
    let svg = outline("tree", &lines.map(|(depth, text, leaf)| (depth, text.to_owned(), leaf)));
    assert_eq!(texts(&svg), ["tree", "size ≤ 3?", "yes: push", "no: pull"]);
    let leaves = numbers(&svg, "circle", "#1A7F37", "cx");
    assert!(leaves[0] == leaves[1] && leaves[0] > numbers(&svg, "circle", "#1F5FA8", "cx")[0]);
}

#[test]
fn a_page_is_well_formed_and_has_the_numbers_as_they_are() {
    let data = Data::new(&["name", "value"])
        .rows([vec![Cell::text("a<b>\u{2}"), Cell::real(1.23456, 2)], vec![Cell::text("c"), Cell::whole(1234u32)]]);
    let section = Section::new("A & B").text("One.").data(Data { best: vec![1], ..data });
    let page = Page::new("Title", "1.2.3").fact("graph", "x < y").section(section);
    let html = page.html();
    let elements = elements(&html);
    let values =
        elements.iter().filter(|(name, ..)| name == "data").map(|(_, attributes, text)| (&*attributes[0].1, &**text));
    assert_eq!(values.collect::<Vec<_>>(), [("1.23456", "1.23"), ("1234", "1,234")]);
    assert_eq!(html.matches("class=\"best\"").count(), 1);
    assert!(html.contains("a&lt;b&gt;") && html.contains("x &lt; y") && html.contains("evenkeel 1.2.3"));
    let loads = ["http", "src=", "<script", "@import", "url("];
    assert!(loads.iter().all(|it| !html.contains(it)), "a page loads nothing");
    // A page without a picture still gives a picture, which has a ground of its own.
    assert!(page.svg().starts_with("<svg") && page.svg().contains("svg { background: #15181D }"));
}

#[test]
fn a_long_table_is_folded() {
    let page = |rows: u32| {
        let data = Data::new(&["row"]).rows((0..rows).map(|row| vec![Cell::whole(row)]));
        Page::new("", "").section(Section::new("").data(data)).html()
    };
    assert!(page(2001).contains("The first 2,000 of 2,001 rows.") && page(2001).matches("<tr>").count() == 2001);
    assert!(!page(30).contains("<details>") && page(31).contains("<summary>Numbers: 31 rows</summary>"));
}

#[test]
fn a_run_shows_what_was_timed() {
    let kernels = vec![KernelReport { name: "relax".into(), calls: 16, total_ms: 3.0, share: 0.75 }];
    let profile = Profile { kernels, steps_ms: vec![0.5, 0.25], levels: Vec::new() };
    let html = run::page(&Report { profile: Some(profile), ..example() }).html();
    for part in ["Device time by kernel", "75 %", "several in one dispatch", "Time of each run", "distances", "3.0 MiB"]
    {
        assert!(html.contains(part), "{part}");
    }
    let plain = run::page(&example());
    assert!(!plain.html().contains("by kernel") && plain.svg().contains("Time of each run"));
}

#[test]
fn a_comparison_marks_the_best_and_gives_the_reason_for_a_refusal() {
    let Report { graph, device, algorithm, .. } = example();
    let refusal = Refusal { graph, device, algorithm, strategy: "large".into(), refused: "does not fit".into() };
    let slow = Report { strategy: "slow".into(), median: example().runs[0], ..example() };
    let entries = compare(vec![Ok(slow), Ok(example()), Err(refusal)]);
    let html = comparison::page(&entries, "1").html();
    assert!(html.contains("2 ★ best") && html.matches("★").count() == 1, "{html}");
    assert!(html.contains("refused: does not fit"), "{html}");
    let values: Vec<String> =
        elements(&html).into_iter().filter(|it| it.0 == "data").map(|it| it.1[0].1.clone()).collect();
    // The median, the fastest, the slowest, and the ratio.
    assert_eq!(
        (&values[..4], &values[9..13]),
        (&["4", "2", "4", "2"].map(str::to_owned)[..], &["2", "2", "4", "1"].map(str::to_owned)[..])
    );
    assert!(comparison::page(&[], "1").html().contains("Comparison"));
}
