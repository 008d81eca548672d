//! What a user may have meant by a file that is read otherwise, or not at all.

use super::{
    super::{Loaded, lines::shown},
    ADJACENCY_HINT, Reader,
    layout::is_number,
};
use evenkeel_base::Error;
use evenkeel_graph::NodeIds;
use rayon::prelude::*;

impl Reader<'_> {
    /// What to say of a first line that is read as an edge and may be a header: of words that occur nowhere else, above names. Above
    /// numbers it is known for what it is.
    pub fn remark_on_first_line(&self, loaded: &Loaded) -> Option<String> {
        let Loaded::Edges(parsed) = loaded else { return None };
        // A weight in the first line tells that it is an edge.
        if self.has_header || !matches!(parsed.ids, NodeIds::Named(_)) || !parsed.edges.weights.is_none() {
            return None;
        }
        let [(first_source, sources), (first_target, targets)] =
            [parsed.edges.sources.split_first()?, parsed.edges.targets.split_first()?];
        let is_elsewhere = |ends: &[u32]| ends.par_iter().any(|end| end == first_source || end == first_target);
        if sources.is_empty() || is_elsewhere(sources) || is_elsewhere(targets) {
            return None;
        }
        let line = self.records().find(|line| self.is_data(line))?;
        let edge = self.edge(line).ok()?;
        let [source, target] = [&edge.source, &edge.target].map(|field| String::from_utf8_lossy(&field.text));
        if [&source, &target].iter().any(|name| is_number(name) || name.is_empty()) || source == target {
            return None;
        }
        let columns = format!("source={source},target={target}");
        let is_plain = |name: &str| name.chars().all(|it| it.is_alphanumeric() || "_-.".contains(it));
        let columns = match (is_plain(&source) && is_plain(&target), columns.contains(['\'', '\n'])) {
            // It could not be typed, or would be read as something else.
            _ if columns.matches(',').count() > 1 => "--columns, with their names, says so".to_owned(),
            (false, true) => "--columns, with their names, says so".to_owned(),
            (true, _) => format!("--columns {columns} says so"),
            (false, false) => format!("--columns '{columns}' says so"),
        };
        let (path, number) = (self.text.path.display(), self.text.line_number(line.position));
        Some(format!(
            "{path}:{number}: the first line, '{}', is read as an edge, though its names occur nowhere else; if they name the \
             columns, {columns}",
            shown(line.rest)
        ))
    }

    /// An error of a file that may be one of METIS, with the advice to read it so.
    pub fn with_hint_at_metis(&self, mut error: Error) -> Error {
        if let Error::Line { reason, .. } = &mut error
            && let Some(nodes) = self.nodes_of_metis()
        {
            *reason = reason.trim_end_matches(ADJACENCY_HINT).trim_end().to_owned();
            *reason += &format!(
                " (the first line counts {nodes} nodes, and so many lines follow: a METIS file is read with the format 'metis')"
            );
        }
        error
    }

    /// The number of nodes, if the first line has two to four numbers and so many lines follow it, as in METIS's format.
    fn nodes_of_metis(&self) -> Option<u64> {
        let mut lines = self.text.lines_from(0).filter(|line| line.first() != Some(b'%'));
        let mut header = lines.find(|line| line.first().is_some())?;
        let (nodes, _edges) = (header.whole("").ok()?, header.whole("").ok()?);
        let further = std::iter::from_fn(|| header.first().map(|_| header.whole("").is_ok()));
        let further: Vec<bool> = further.take(3).collect();
        let is_header = nodes > 1 && further.len() < 3 && !further.contains(&false);
        let follow = lines.by_ref().take(usize::try_from(nodes).ok()?).count() as u64;
        (is_header && follow == nodes && lines.all(|line| line.first().is_none())).then_some(nodes)
    }
}
