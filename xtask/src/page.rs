//! Tables in Markdown, and the places in the documentation that commands fill.

use anyhow::{Context, Result};

const END: &str = "<!-- end -->\n";

/// A page with this text between the comment `<!-- cargo xtask NAME -->` and the next `<!-- end -->`.
pub fn renewed(page: &str, name: &str, text: &str) -> Result<String> {
    let begin = format!("<!-- cargo xtask {name} -->\n");
    let parts = page.split_once(&begin).and_then(|(before, rest)| Some((before, rest.split_once(END)?.1)));
    let (before, after) = parts.with_context(|| format!("the page has no place for the text: {}", begin.trim()))?;
    Ok(format!("{before}{begin}\n{text}\n{END}{after}"))
}

/// A table whose columns end at the right, but for the first.
pub fn table(headings: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> String {
    aligned(headings, &" | ---:".repeat(headings.len() - 1), rows)
}

/// A table of text.
pub fn text_table(headings: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> String {
    aligned(headings, &" | ---".repeat(headings.len() - 1), rows)
}

fn aligned(headings: &[&str], others: &str, rows: impl IntoIterator<Item = Vec<String>>) -> String {
    let head = format!("| {} |\n| ---{others} |\n", headings.join(" | "));
    rows.into_iter().fold(head, |text, row| text + &format!("| {} |\n", row.join(" | ")))
}

#[cfg(test)]
mod tests {
    use super::renewed;

    #[test]
    fn only_the_place_of_that_name_is_filled() {
        let page = "a\n<!-- cargo xtask x -->\nold\n<!-- end -->\nb\n<!-- cargo xtask y -->\nother\n<!-- end -->\nc\n";
        let expected =
            "a\n<!-- cargo xtask x -->\n\nnew\n<!-- end -->\nb\n<!-- cargo xtask y -->\nother\n<!-- end -->\nc\n";
        assert_eq!(renewed(page, "x", "new").unwrap(), expected);
        assert!(renewed(page, "z", "new").unwrap_err().to_string().contains("cargo xtask z"));
    }
}
