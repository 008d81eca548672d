//! Charts of a few kinds, drawn with `plotters` into SVG: bars with their spread, bars made of parts, lines, and points. What is drawn is
//! series of points with a range each; an axis is linear or logarithmic.

use super::{
    axis::{Axis, Coordinate},
    palette::{self, BEST, Colour, FAINT, GRID, INK},
};
use plotters::{
    chart::{ChartBuilder, ChartContext},
    coord::Shift,
    element::{Circle, Cross, DynElement, EmptyElement, IntoDynElement, PathElement, Rectangle, Text, TriangleMarker},
    prelude::{Cartesian2d, DrawingArea, DrawingAreaErrorKind, IntoDrawingArea, SVGBackend},
    style::{
        Color, IntoTextStyle, ShapeStyle, TextStyle,
        text_anchor::{HPos, Pos, VPos},
    },
};
use std::io;

/// A picture of some series.
#[derive(Clone, Debug)]
pub struct Chart {
    /// What it shows, in a line above it.
    pub title: String,
    /// How the points are drawn.
    pub kind: Kind,
    /// The axis of the points' `x`; bars have the points' labels instead.
    pub x: Axis,
    /// The axis of the points' `y`. Of bars it runs from left to right.
    pub y: Axis,
    /// What is drawn; more than one are named beside the picture.
    pub series: Vec<Series>,
}

/// How points are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A bar for each point. Those of several series that have the same label stand together.
    Bars,
    /// A bar for each label, made of the points of all series, in the colours of series.
    Stacked,
    /// Stacked bars in colours from little to much; the first series means nothing at all.
    Graded,
    /// Points with a line through those of a series.
    Lines,
    /// Points.
    Points,
}

/// Points that belong together.
#[derive(Clone, Debug)]
pub struct Series {
    /// Its name.
    pub name: String,
    /// Its points.
    pub points: Vec<Point>,
}

/// A value, and the range it was in.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// The text that stands before a bar.
    pub label: String,
    /// Where it is; bars are in the order of the points.
    pub x: f64,
    /// The value.
    pub y: f64,
    /// The lowest of the values that it stands for.
    pub low: f64,
    /// The highest of them.
    pub high: f64,
    /// Whether it is shown as the best.
    pub best: bool,
}

impl Chart {
    /// Bars along this axis.
    pub fn bars(title: impl Into<String>, y: Axis, series: Vec<Series>) -> Self {
        Self { title: title.into(), kind: Kind::Bars, x: Axis::linear(""), y, series }
    }
}

impl Point {
    /// A value at a place.
    pub fn new(x: f64, y: f64) -> Self {
        Self { label: String::new(), x, y, low: y, high: y, best: false }
    }

    /// A value with a name.
    pub fn named(label: impl Into<String>, y: f64) -> Self {
        Self { label: label.into(), ..Self::new(0.0, y) }
    }

    /// Adds the range in which the value was measured.
    pub fn between(self, low: f64, high: f64) -> Self {
        Self { low, high, ..self }
    }
}

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Plot<'a, 'b> = ChartContext<'a, SVGBackend<'b>, Cartesian2d<Coordinate, Coordinate>>;
type Drawn = Result<(), DrawingAreaErrorKind<io::Error>>;
type Marker<'b> = DynElement<'static, SVGBackend<'b>, (f64, f64)>;

const WIDTH: u32 = 800;
/// The height of a chart that has no bars.
const HEIGHT: u32 = 400;
/// The height of a bar, and of a line of a legend.
const ROW: u32 = 20;
/// The height of what is above and below the data: the title, and an axis with its label.
const FRAME: u32 = 90;
/// The width of a value behind a bar.
const VALUE: u32 = 100;
/// The size of text, which `plotters` writes into the picture divided by 1.24.
const FONT: f64 = 14.88;
/// The average width of a letter in a text of this size: of a common sans-serif, with something to spare.
const LETTER: f64 = 7.0;
/// The most points of a series that are drawn.
const MOST: usize = 2000;
/// The most letters of a name: of more, the end is left out.
const LETTERS: usize = 36;

impl Chart {
    /// The picture as an element `svg`, in the colours for light ground; see [`palette::style`].
    pub fn svg(&self) -> String {
        let height = match self.kind {
            Kind::Bars | Kind::Stacked | Kind::Graded => FRAME + self.bars_height(),
            Kind::Lines | Kind::Points => HEIGHT,
        };
        let legend = if self.series.len() > 1 { FRAME / 2 + ROW * self.series.len() as u32 } else { 0 };
        drawn(&self.title, (WIDTH, height.max(legend)), |root| self.draw(root))
    }

    fn draw(&self, root: &Area<'_>) -> Drawn {
        let (root, legend) = match self.series.len() {
            0 | 1 => (root.clone(), None),
            _ => {
                let longest = self.series.iter().map(|series| shortened(&series.name).chars().count()).max();
                let (plot, legend) = root.split_horizontally(WIDTH as i32 - 36 - width(longest.unwrap_or(0)));
                (plot, Some(legend))
            }
        };
        match self.kind {
            Kind::Bars | Kind::Stacked | Kind::Graded => self.draw_bars(&root)?,
            Kind::Lines | Kind::Points => self.draw_points(&root)?,
        }
        legend.map_or(Ok(()), |area| self.draw_legend(&area))
    }

    /// The labels of bars in the order of their first points.
    fn labels(&self) -> Vec<&str> {
        let mut labels = Vec::new();
        for point in self.series.iter().flat_map(|series| &series.points) {
            if !labels.contains(&point.label.as_str()) {
                labels.push(&point.label);
            }
        }
        labels
    }

    fn is_stacked(&self) -> bool {
        matches!(self.kind, Kind::Stacked | Kind::Graded)
    }

    fn bars_height(&self) -> u32 {
        let bars = if self.is_stacked() { 1 } else { self.series.len().max(1) as u32 };
        (self.labels().len().max(1) as u32) * (bars * ROW + 8)
    }

    fn colour(&self, series: usize) -> Colour {
        match (self.kind, series) {
            (Kind::Graded, 0) => palette::IDLE,
            (Kind::Graded, step) => Colour::rising(step - 1),
            (_, number) => Colour::distinct(number),
        }
    }

    fn draw_bars(&self, root: &Area<'_>) -> Drawn {
        let labels = self.labels();
        let points = || self.series.iter().flat_map(|series| &series.points);
        let sum = |label: &&str| points().filter(|it| it.label == **label).map(|it| it.y).sum();
        let values: Vec<f64> = match self.is_stacked() {
            true => labels.iter().map(sum).collect(),
            false => points().flat_map(|it| [it.y, it.low, it.high]).collect(),
        };
        let values = self.y.over(values.into_iter(), true);
        let begin = values.begin();
        let longest = labels.iter().map(|label| shortened(label).chars().count()).max().unwrap_or(0);
        let mut plot = ChartBuilder::on(root)
            .caption(printable(&self.title), text(FONT))
            .margin(8)
            .margin_right(if self.is_stacked() { 24 } else { VALUE })
            .x_label_area_size(40)
            .y_label_area_size(width(longest) + 12)
            .build_cartesian_2d(values.clone(), Coordinate::Places(labels.len().max(1)))?;
        let write = |value: &f64| (self.y.text)(*value);
        let name = |place: &f64| labels.get(*place as usize).map_or(String::new(), |label| shortened(label));
        let mut mesh = plot.configure_mesh();
        mesh.disable_y_mesh().y_labels(labels.len()).y_label_formatter(&name).x_labels(8);
        mesh.x_label_formatter(&write).x_desc(printable(&self.y.label));
        mesh.axis_style(INK.on_light()).bold_line_style(GRID.on_light()).light_line_style(FAINT.on_light());
        mesh.label_style(text(FONT)).axis_desc_style(text(FONT)).draw()?;
        for (place, label) in labels.iter().enumerate() {
            let (place, mut end) = (place as f64, begin);
            let bars = if self.is_stacked() { 1.0 } else { self.series.len() as f64 };
            for (number, series) in self.series.iter().enumerate() {
                for point in series.points.iter().filter(|point| point.label == *label && values.has(point.y)) {
                    if self.is_stacked() {
                        let bar = [(end, place + 0.12), (end + point.y, place + 0.88)];
                        plot.draw_series([Rectangle::new(bar, filled(self.colour(number)))])?;
                        end += point.y;
                    } else {
                        let middle = place + 0.1 + 0.8 * (number as f64 + 0.5) / bars;
                        self.draw_bar(&mut plot, point, (begin, middle, 0.36 / bars), self.colour(number))?;
                    }
                }
            }
        }
        Ok(())
    }

    /// One bar from `begin` on, around `middle`, with its range and its value behind it.
    fn draw_bar(&self, plot: &mut Plot<'_, '_>, point: &Point, place: (f64, f64, f64), colour: Colour) -> Drawn {
        let (begin, middle, half) = place;
        // Of several series each keeps its colour, and the word behind the bar says which is best.
        let colour = if point.best && self.series.len() == 1 { BEST } else { colour };
        let bar = [(begin, middle - half), (point.y, middle + half)];
        plot.draw_series([Rectangle::new(bar, filled(colour))])?;
        if point.low < point.high {
            let end = |value: f64| vec![(value, middle - half / 2.0), (value, middle + half / 2.0)];
            let lines = [vec![(point.low, middle), (point.high, middle)], end(point.low), end(point.high)];
            plot.draw_series(lines.map(|line| PathElement::new(line, stroke(INK).stroke_width(2))))?;
        }
        let value = format!("{}{}", (self.y.text)(point.y), if point.best { " ★ best" } else { "" });
        let style = text(FONT).pos(Pos::new(HPos::Left, VPos::Center));
        let end = EmptyElement::at((point.high.max(point.y), middle));
        plot.draw_series([end + Text::new(value, (6, 0), style)])?;
        Ok(())
    }

    fn draw_points(&self, root: &Area<'_>) -> Drawn {
        let points = || self.series.iter().flat_map(|series| &series.points);
        let x = self.x.over(points().map(|point| point.x), false);
        let y = self.y.over(points().flat_map(|point| [point.y, point.low, point.high]), false);
        let mut plot = ChartBuilder::on(root)
            .caption(printable(&self.title), text(FONT))
            .margin(8)
            .margin_right(24)
            .x_label_area_size(44)
            .y_label_area_size(72)
            .build_cartesian_2d(x.clone(), y.clone())?;
        let (write_x, write_y) = (|value: &f64| (self.x.text)(*value), |value: &f64| (self.y.text)(*value));
        let mut mesh = plot.configure_mesh();
        mesh.x_labels(10).y_labels(8).x_desc(printable(&self.x.label)).y_desc(printable(&self.y.label));
        mesh.x_label_formatter(&write_x).y_label_formatter(&write_y);
        mesh.axis_style(INK.on_light()).bold_line_style(GRID.on_light()).light_line_style(FAINT.on_light());
        mesh.label_style(text(FONT)).axis_desc_style(text(FONT)).draw()?;
        for (number, series) in self.series.iter().enumerate() {
            let colour = self.colour(number);
            // A picture has only so many places.
            let every = series.points.len().div_ceil(MOST).max(1);
            let points = series.points.iter().step_by(every);
            let shown: Vec<&Point> = points.filter(|it| x.has(it.x) && y.has(it.y)).collect();
            if self.kind == Kind::Lines {
                let line = shown.iter().map(|point| (point.x, point.y)).collect::<Vec<_>>();
                plot.draw_series([PathElement::new(line, stroke(colour).stroke_width(2))])?;
            }
            for point in shown.iter().filter(|point| point.low < point.high) {
                let range = vec![(point.x, point.low), (point.x, point.high)];
                plot.draw_series([PathElement::new(range, stroke(colour))])?;
            }
            // Where there are very many, a line says it all.
            if self.kind == Kind::Points || shown.len() <= 200 {
                plot.draw_series(shown.iter().map(|point| marker(number, (point.x, point.y), colour)))?;
            }
        }
        Ok(())
    }

    fn draw_legend(&self, area: &Area<'_>) -> Drawn {
        let style = text(FONT).pos(Pos::new(HPos::Left, VPos::Center));
        for (number, series) in self.series.iter().enumerate() {
            let middle = FRAME as i32 / 2 + number as i32 * ROW as i32;
            let colour = self.colour(number);
            match self.kind {
                Kind::Lines | Kind::Points => area.draw(&legend_marker(number, (8, middle), colour))?,
                _ => area.draw(&Rectangle::new([(2, middle - 6), (14, middle + 6)], filled(colour)))?,
            }
            area.draw(&Text::new(shortened(&series.name), (20, middle), style.clone()))?;
        }
        Ok(())
    }
}

/// An outline of text, each line with its depth, joined as the branches of a tree; what is marked are its leaves.
pub fn outline(title: &str, lines: &[(usize, String, bool)]) -> String {
    const INDENT: i32 = 24;
    let longest = lines.iter().map(|(depth, line, _)| *depth as i32 * INDENT + width(line.chars().count())).max();
    let size = (longest.unwrap_or(0).max(300) as u32 + 60, lines.len() as u32 * ROW + FRAME / 2);
    let middle = |line: usize| (FRAME / 2 + line as u32 * ROW) as i32;
    let left = |depth: usize| 20 + depth as i32 * INDENT;
    let style = text(FONT).pos(Pos::new(HPos::Left, VPos::Center));
    drawn(title, size, |root| {
        root.draw(&Text::new(printable(title), (20, 16), style.clone()))?;
        for (number, (depth, line, is_leaf)) in lines.iter().enumerate() {
            let at = (left(*depth), middle(number));
            if let Some(above) = lines[..number].iter().rposition(|(other, ..)| other < depth) {
                let from = left(lines[above].0);
                let branch = vec![(from, middle(above) + 6), (from, at.1), (at.0 - 6, at.1)];
                root.draw(&PathElement::new(branch, stroke(GRID)))?;
            }
            let mark = if *is_leaf { filled(BEST) } else { filled(Colour::distinct(0)) };
            root.draw(&Circle::new(at, 4, mark))?;
            root.draw(&Text::new(printable(line), (at.0 + 10, at.1), style.clone()))?;
        }
        Ok(())
    })
}

/// The ground of a picture that is not in a page.
const GROUND: &str = "svg { background: #FFFFFF }
@media (prefers-color-scheme: dark) { svg { background: #15181D } }
";

/// A picture with the style that lets it follow light or dark, as a file of its own.
pub fn as_file(svg: &str) -> String {
    let style = format!("<style>{GROUND}{}</style>", palette::style());
    match svg.find(">\n") {
        Some(head) => format!("{}\n{style}{}", &svg[..=head], &svg[head + 1..]),
        None => svg.to_owned(),
    }
}

/// What `draw` draws. Writing to a string does not fail, so that an error is a flaw of the program; a page can do without a picture.
fn drawn(title: &str, size: (u32, u32), draw: impl FnOnce(&Area<'_>) -> Drawn) -> String {
    let mut svg = String::new();
    {
        let root = SVGBackend::with_string(&mut svg, size).into_drawing_area();
        if let Err(error) = draw(&root).and_then(|()| root.present()) {
            tracing::warn!("the picture '{title}' is not whole: {error}");
        }
    }
    let name = maud::html! { (printable(title)) }.into_string();
    svg.replacen("<svg ", &format!("<svg class=\"chart\" role=\"img\" aria-label=\"{name}\" "), 1)
}

/// The element that stands for a point of a series: of another shape for each round of colours.
fn marker<'b>(series: usize, at: (f64, f64), colour: Colour) -> Marker<'b> {
    match shape(series) {
        0 => Circle::new(at, 4, filled(colour)).into_dyn(),
        1 => TriangleMarker::new(at, 5, filled(colour)).into_dyn(),
        _ => Cross::new(at, 4, stroke(colour).stroke_width(2)).into_dyn(),
    }
}

fn legend_marker<'b>(series: usize, at: (i32, i32), colour: Colour) -> DynElement<'static, SVGBackend<'b>, (i32, i32)> {
    match shape(series) {
        0 => Circle::new(at, 4, filled(colour)).into_dyn(),
        1 => TriangleMarker::new(at, 5, filled(colour)).into_dyn(),
        _ => Cross::new(at, 4, stroke(colour).stroke_width(2)).into_dyn(),
    }
}

/// Colours alone are not seen by all, so that shapes change from one to the next.
fn shape(series: usize) -> usize {
    series % 3
}

fn filled(colour: Colour) -> ShapeStyle {
    colour.on_light().filled()
}

fn stroke(colour: Colour) -> ShapeStyle {
    colour.on_light().stroke_width(1)
}

fn text(size: f64) -> TextStyle<'static> {
    ("sans-serif", size).with_color(INK.on_light()).into_text_style(&(WIDTH, HEIGHT))
}

fn width(letters: usize) -> i32 {
    (letters as f64 * LETTER) as i32
}

/// A name as long as there is place for.
fn shortened(name: &str) -> String {
    let name = printable(name);
    match name.chars().count() > LETTERS {
        true => name.chars().take(LETTERS - 1).chain(['…']).collect(),
        false => name,
    }
}

/// A text without what cannot stand in XML.
pub fn printable(text: &str) -> String {
    let is_allowed = |letter: char| !letter.is_control() && !matches!(letter, '\u{FFFE}' | '\u{FFFF}');
    text.chars().map(|letter| if is_allowed(letter) { letter } else { ' ' }).collect()
}
