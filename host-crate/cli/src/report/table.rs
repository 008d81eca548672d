//! Text in columns, without lines around it: what the commands print.

use comfy_table::{CellAlignment, Table, presets};

/// Rows under headings, aligned. A heading that begins with `>` makes its column end at the right, as numbers should.
pub fn table(headings: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> String {
    let mut table = Table::new();
    table.load_preset(presets::NOTHING);
    table.set_header(headings.iter().map(|heading| heading.trim_start_matches('>')));
    table.add_rows(rows);
    for (column, heading) in table.column_iter_mut().zip(headings) {
        column.set_padding((0, 2));
        if heading.starts_with('>') {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table.trim_fmt() + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned_and_lines_trimmed() {
        let rows = [["rmat", "12", "node"], ["a long name", "3,456", ""]].map(|row| row.map(str::to_owned).to_vec());
        let expected = "graph        nodes  strategy\nrmat            12  node\na long name  3,456\n";
        assert_eq!(table(&["graph", ">nodes", "strategy"], rows), expected);
        assert_eq!(table(&["nothing"], []), "nothing\n");
    }
}
