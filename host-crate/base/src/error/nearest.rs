//! Finds the known name closest to a misspelt one.

/// The known name that `name` is most likely a misspelling of; none where every one is too far away for a tip to help.
///
/// Case and the kind of hyphen do not count. What is known may have settings behind it, `rmat:scale=20` or `bins=10`: these are
/// left aside, as they are of `name`.
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let asked = plain(name);
    let candidates = known.into_iter().map(head).map(|known| (distance(&asked, &plain(known)), known));
    let near = candidates.filter_map(|(distance, known)| Some((distance?, known)));
    near.min_by_key(|(distance, _)| *distance).map(|(_, known)| known)
}

/// The number of single edits between two names, if one may be meant by the other: an edit for every three letters, or a
/// beginning of at least three letters, which counts as one. So short a name as `dfs` must begin alike: it is not `bfs`.
fn distance(asked: &str, known: &str) -> Option<usize> {
    let letters = asked.chars().count();
    let edits = strsim::osa_distance(asked, known);
    let begins_alike = asked.chars().next() == known.chars().next();
    if edits <= (letters / 3).max(1) && (begins_alike || letters > 3) && edits < letters {
        return Some(edits);
    }
    (letters >= 3 && known.starts_with(asked)).then_some(1)
}

fn plain(name: &str) -> String {
    head(name).to_lowercase().replace('_', "-")
}

fn head(text: &str) -> &str {
    text.split([':', '=', ' ']).next().unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn misspellings_are_understood() {
        let known = ["bfs", "sssp", "merge-path", "floyd-warshall", "rmat:scale=20", "bins=10"];
        for (name, meant) in [
            ("bsf", "bfs"),
            ("BFS", "bfs"),
            ("spsp", "sssp"),
            ("merge_path", "merge-path"),
            ("mergepath", "merge-path"),
            ("floyd", "floyd-warshall"),
            ("rmta:scale=3", "rmat"),
            ("bin", "bins"),
        ] {
            assert_eq!(nearest(name, known), Some(meant), "{name}");
        }
    }

    #[test]
    fn other_words_are_not() {
        for (name, known) in
            [("dfs", "bfs"), ("target", "strategy"), ("excel", "edge-list"), ("even", "node"), ("x", "a"), ("", "a")]
        {
            assert_eq!(nearest(name, [known]), None, "{name}");
        }
    }
}
