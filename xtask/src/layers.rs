//! `cargo xtask layers`: no module imports from a layer above its own, and neither two folders nor two modules of one folder import each
//! other. What the file of a folder itself (`mod.rs`) names does not count: it offers what its modules define, and lists them.
//!
//! A layer is a module at the root of a crate, with all that is below it, or a whole crate: the compiler keeps such a crate from importing
//! what stands above it, and what is checked is that its modules do not import each other. Names that `lib.rs` re-exports count as the layer they
//! come from.

use crate::sources::{self, Sources, Written, module, paths};
use anyhow::{Result, bail};
use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    path::Path,
};

/// A crate whose modules are in layers.
struct Crate {
    /// The folder of its sources, below the workspace's root.
    sources: &'static str,
    /// The name by which its own code may call it.
    name: &'static str,
    /// The layer that the whole crate is; empty where its root modules are the layers.
    within: &'static str,
    /// Its root modules from low to high: each may import from itself and from those before it.
    layers: &'static str,
}

const CRATES: [Crate; 8] = [
    Crate {
        sources: "shader-crate/src",
        name: "evenkeel_kernels",
        within: "",
        layers: "core tiles primitive schedule operator frontier rounds strategy algorithm",
    },
    Crate { sources: "host-crate/workgroups/src", name: "evenkeel_workgroups", within: "", layers: "group emulated" },
    Crate {
        sources: "host-crate/base/src",
        name: "evenkeel_base",
        within: "",
        layers: "error numerals phase machine atomic_file settings",
    },
    Crate { sources: "host-crate/graph/src", name: "evenkeel_graph", within: "graph", layers: "graph" },
    Crate { sources: "host-crate/io/src", name: "evenkeel_io", within: "", layers: "formats open" },
    Crate { sources: "host-crate/oracle/src", name: "evenkeel_oracle", within: "oracle", layers: "oracle" },
    Crate {
        sources: "host-crate/src",
        name: "evenkeel",
        within: "",
        layers: "settings graph device engine oracle strategy algorithm cluster report",
    },
    Crate {
        sources: "host-crate/cli/src",
        name: "evenkeel_cli",
        within: "",
        layers: "advice answers phases progress options output report pictures settings registry balance signals failure bench \
                 color measure compare completions help convert generate demo devices fallback info kernels logging man \
                 out_of_memory workers run path strategies tips",
    },
];

/// The files that stand above all layers and may import from each of them.
const ROOTS: [&str; 2] = ["lib.rs", "main.rs"];

/// Fails, with a line for each import that should not be, when a crate of the workspace has one.
pub fn check(root: &Path) -> Result<()> {
    let mut violations = Vec::new();
    let mut files = 0;
    for krate in &CRATES {
        let sources = krate.placed(sources::read(&root.join(krate.sources))?);
        files += sources.len();
        violations.extend(krate.violations(&sources)?);
    }
    if !violations.is_empty() {
        bail!("{} imports go against the layers:\n  {}", violations.len(), violations.join("\n  "));
    }
    println!("{files} files import only from their own layer and from lower ones");
    Ok(())
}

impl Crate {
    /// A line for each import of these sources, given by path and text, that should not be.
    fn violations(&self, sources: &Sources) -> Result<Vec<String>> {
        let mut violations = Vec::new();
        let aliases = self.aliases(sources.get("lib.rs").map_or("", String::as_str))?;
        let exports = exports(sources)?;
        // The folders that each folder imports from, and the modules that each module beside them does, with the first place that does.
        let (mut folders, mut modules) = (Imports::new(), Imports::new());
        for (file, text) in sources.iter().filter(|(file, _)| !ROOTS.contains(&file.as_str()) && !is_test(file)) {
            let from = &module(file)[0];
            let Some(layer) = self.layer(from) else {
                violations.push(format!("{}: `{from}` is not in the list of layers", self.file(file)));
                continue;
            };
            for written in paths(file, text)? {
                let place = format!("{}:{}", self.file(file), written.line);
                let Some(mut path) = self.resolve(written) else { continue };
                if let Some(origin) = path.first().and_then(|first| aliases.get(first)) {
                    path.splice(..1, origin.iter().cloned());
                }
                if let Some(to) = path.first().filter(|first| self.layer(first) > Some(layer)) {
                    let imported = path.join("::");
                    violations.push(format!("{place}: `{from}` imports `{imported}` of the higher layer `{to}`"));
                }
                if let Some(pair) = siblings(&module(file), &defined(&exports, path.clone())) {
                    modules.entry(pair).or_insert_with(|| place.clone());
                }
                let (from, to) = (folder(file), deepest_folder(sources, &path));
                if !to.is_empty() && !is_within(&from, &to) && !is_within(&to, &from) {
                    folders.entry((from, to)).or_insert(place);
                }
            }
        }
        // Folders are modules, too.
        modules.retain(|pair, _| !folders.contains_key(pair));
        for (kind, imports) in [("folders", folders), ("modules", modules)] {
            for ((from, to), place) in &imports {
                if let Some(other) = imports.get(&(to.clone(), from.clone())).filter(|_| from < to) {
                    violations.push(format!("{place} and {other}: the {kind} `{from}` and `{to}` import each other"));
                }
            }
        }
        Ok(violations)
    }

    /// The sources by their paths from the root of the layers on.
    fn placed(&self, sources: Sources) -> Sources {
        let place = |(file, text): (String, String)| match (self.within, file.as_str()) {
            ("", _) => (file, text),
            (layer, "lib.rs") => (format!("{layer}/mod.rs"), text),
            (layer, _) => (format!("{layer}/{file}"), text),
        };
        sources.into_iter().map(place).collect()
    }

    /// The path of a file from the workspace's root on.
    fn file(&self, placed: &str) -> String {
        let file = match placed.strip_prefix(self.within).filter(|_| !self.within.is_empty()) {
            None => placed,
            Some("/mod.rs") => "lib.rs",
            Some(file) => file.trim_start_matches('/'),
        };
        format!("{}/{file}", self.sources)
    }

    fn layer(&self, name: &str) -> Option<usize> {
        self.layers.split(' ').position(|layer| layer == name)
    }

    /// The names that the root gives to what is in a layer, each with its path.
    fn aliases(&self, root: &str) -> Result<HashMap<String, Vec<String>>> {
        let paths = paths("lib.rs", root)?.into_iter().filter_map(|Written { mut path, .. }| {
            path.retain(|segment| segment != "crate" && segment != "self");
            let is_layer = self.layer(path.first()?).is_some() && self.layer(path.last()?).is_none() && path.len() > 1;
            is_layer.then(|| (path[path.len() - 1].clone(), path))
        });
        Ok(paths.collect())
    }

    /// The path from the crate's root on, of a path into this crate.
    fn resolve(&self, Written { module, path, .. }: Written) -> Option<Vec<String>> {
        let mut base = match path[0].as_str() {
            "super" | "self" => module,
            name if name == "crate" || name == self.name => {
                Some(self.within).filter(|layer| !layer.is_empty()).map(str::to_owned).into_iter().collect()
            }
            _ => return None,
        };
        for segment in path.into_iter().skip_while(|segment| segment == "crate" || segment == self.name) {
            match segment.as_str() {
                "super" => drop(base.pop()?),
                "self" => {}
                _ => base.push(segment),
            }
        }
        Some(base)
    }
}

/// What imports what, with the first place that does.
type Imports = BTreeMap<(String, String), String>;

/// The names by which a folder's own file, `mod.rs`, offers what its modules define: the path of each, by the path it has there.
fn exports(sources: &Sources) -> Result<HashMap<Vec<String>, Vec<String>>> {
    let mut exports = HashMap::new();
    for (file, text) in sources.iter().filter(|(file, _)| file.ends_with("/mod.rs")) {
        let folder = module(file);
        for Written { module, mut path, .. } in paths(file, text)? {
            path.retain(|segment| segment != "self");
            let is_own = module == folder && path.len() > 1 && is_module(sources, &[&folder[..], &path[..1]].concat());
            if let (true, Some(name)) = (is_own, path.last()) {
                exports
                    .entry([&folder[..], std::slice::from_ref(name)].concat())
                    .or_insert([&folder[..], &path[..]].concat());
            }
        }
    }
    Ok(exports)
}

/// Whether a file has tests alone.
fn is_test(file: &str) -> bool {
    file.split('/').any(|part| part == "tests" || part == "tests.rs")
}

fn is_module(sources: &Sources, path: &[String]) -> bool {
    let path = path.join("/");
    sources.contains_key(&format!("{path}.rs")) || sources.contains_key(&format!("{path}/mod.rs"))
}

/// A path with what folders export in place of the names by which they do.
fn defined(exports: &HashMap<Vec<String>, Vec<String>>, mut path: Vec<String>) -> Vec<String> {
    for length in 1..path.len() + 1 {
        if let Some(origin) =
            path.get(..length).and_then(|begin| exports.get(begin)).filter(|origin| origin.len() > length)
        {
            path.splice(..length, origin.iter().cloned());
        }
    }
    path
}

/// The modules of one folder that a module and a path lead into, if these are two.
fn siblings(from: &[String], to: &[String]) -> Option<(String, String)> {
    let common = from.iter().zip(to).take_while(|(from, to)| from == to).count();
    let both = common > 0 && from.len() > common && to.len() > common + 1;
    both.then(|| (from[..=common].join("/"), to[..=common].join("/")))
}

/// The folder of a file; a file at the root is a folder by itself.
fn folder(file: &str) -> String {
    file.rsplit_once('/').map_or_else(|| module(file).join("/"), |(folder, _)| folder.to_owned())
}

/// The folder that the longest part of a path leads to.
fn deepest_folder(sources: &Sources, path: &[String]) -> String {
    let folders: BTreeSet<_> = sources.keys().map(|file| folder(file)).collect();
    let parts = (1..=path.len()).rev().map(|length| path[..length].join("/"));
    parts.into_iter().find(|part| folders.contains(part)).unwrap_or_default()
}

fn is_within(inner: &str, outer: &str) -> bool {
    inner.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::Crate;

    const HOUSE: Crate = Crate { sources: "src", name: "house", within: "", layers: "ground first roof" };

    fn violations(files: &[(&str, &str)]) -> Vec<String> {
        violations_of(&HOUSE, files)
    }

    fn violations_of(krate: &Crate, files: &[(&str, &str)]) -> Vec<String> {
        let sources = files.iter().map(|(file, text)| ((*file).to_owned(), (*text).to_owned())).collect();
        krate.violations(&krate.placed(sources)).unwrap()
    }

    #[test]
    fn lower_layers_and_the_own_one_may_be_imported() {
        let files = [
            ("lib.rs", "pub mod roof; pub use roof::Tile;"),
            ("roof/mod.rs", "mod tile; use crate::{first::Floor, ground::{self, Cellar}}; use self::tile::Tile;"),
            ("roof/tile.rs", "use super::Shape; use super::super::ground::Cellar; fn f() { crate::first::g() }"),
            ("first.rs", "use crate::ground::Cellar; use std::roof; // crate::roof\nconst A: &str = \"crate::roof\";"),
            ("ground/mod.rs", "use core::fmt;\n#[cfg(test)]\nmod tests { use crate::roof::Tile; }"),
        ];
        assert_eq!(violations(&files), Vec::<String>::new());
    }

    #[test]
    fn an_import_from_above_is_named_with_its_line() {
        for (text, path) in [
            ("\nuse crate::roof::Tile;", "roof::Tile"),
            ("\nuse crate::roof;", "roof"),
            ("use crate::{\nroof::{Tile}};", "roof::Tile"),
            ("use super::{first::Floor,\nroof::Tile as Slate};", "roof::Tile"),
            ("fn f() {\n g(crate::roof::tile()) }", "roof::tile"),
            ("mod inner {\nuse super::super::roof::Tile; }", "roof::Tile"),
            ("macro_rules! m { () => {\n$crate::roof::Tile } }", "roof::Tile"),
            ("fn f() -> Vec<\nhouse::roof::Tile> {}", "roof::Tile"),
            // By the name that the root gives it.
            ("\nuse crate::Tile;", "roof::Tile"),
            ("\nuse crate::slate::Grey;", "roof::slate::Grey"),
        ] {
            let found =
                violations(&[("lib.rs", "pub use crate::roof::{Tile, slate};"), ("first.rs", text), ("roof.rs", "")]);
            let expected = format!("src/first.rs:2: `first` imports `{path}` of the higher layer `roof`");
            assert_eq!(found, [expected], "{text}");
        }
    }

    #[test]
    fn tests_end_where_their_item_ends() {
        let text = "#[cfg(test)]\nuse crate::roof::{A, B};\n#[cfg(test)]\nmod tests;\nuse crate::roof::C;";
        assert_eq!(
            violations(&[("first.rs", text)]),
            ["src/first.rs:5: `first` imports `roof::C` of the higher layer `roof`"]
        );
    }

    #[test]
    fn folders_that_import_each_other_are_named() {
        let files = [
            ("roof/mod.rs", "use self::north::A; use self::south::B;"),
            ("roof/north/mod.rs", "use super::Shape;\nuse crate::roof::south::B;"),
            ("roof/south/mod.rs", "use super::north::deep::A;"),
        ];
        let expected = "src/roof/north/mod.rs:2 and src/roof/south/mod.rs:1: \
                        the folders `roof/north` and `roof/south` import each other";
        assert_eq!(violations(&files), [expected]);
        assert!(violations(&files[..2]).is_empty());
    }

    #[test]
    fn modules_of_one_folder_that_import_each_other_are_named() {
        let files = [
            ("roof/mod.rs", "mod north; mod south; pub use north::A;"),
            ("roof/north.rs", "use super::south::deep::B;"),
            // By the name that the folder gives it.
            ("roof/south/deep.rs", "use crate::roof::A;"),
            ("roof/south/tests.rs", "use crate::roof::north::A;"),
        ];
        let expected = "src/roof/north.rs:1 and src/roof/south/deep.rs:1: \
                        the modules `roof/north` and `roof/south` import each other";
        assert_eq!(violations(&files), [expected]);
        assert!(violations(&files[1..]).is_empty());
    }

    #[test]
    fn modules_of_a_crate_that_is_a_layer_are_held_against_each_other() {
        let garden = Crate { sources: "garden/src", name: "garden", within: "garden", layers: "garden" };
        let files = [
            ("lib.rs", "pub mod bed; pub mod path; pub use bed::Rose;"),
            ("bed.rs", "use crate::path::Stone; use house::roof::Tile;"),
            ("path.rs", "use garden::Rose;"),
        ];
        let expected = "garden/src/bed.rs:1 and garden/src/path.rs:1: the modules `garden/bed` and `garden/path` import each other";
        assert_eq!(violations_of(&garden, &files), [expected]);
        assert!(violations_of(&garden, &files[..2]).is_empty());
    }

    #[test]
    fn a_module_in_no_layer_is_named() {
        assert_eq!(violations(&[("shed/mod.rs", "")]), ["src/shed/mod.rs: `shed` is not in the list of layers"]);
    }
}
