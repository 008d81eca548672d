//! What the compiled kernels were made from, as the text of `manifest.toml` beside them.
//!
//! One function writes it, from the sources and from the modules in a folder. A folder is up to date when the manifest in it
//! says what the function says now, so nothing ever parses a manifest.

use sha2::{Digest, Sha256};
use std::{
    fs, io,
    path::{Path, PathBuf},
};

/// The name of the manifest in a folder of modules.
pub const MANIFEST: &str = "manifest.toml";

/// The sources of evenkeel that shape a module, below the workspace's root: the kernels and schedules, the types that they share with the
/// host, the macro that writes their entry points, and the settings and passes they are compiled with.
const SOURCES: [&str; 5] =
    ["shader-crate/src", "shader-crate/macro/src", "shared-types/src", "xtask/src/compile.rs", "xtask/src/finish"];

/// The pinned versions: a file, and the key whose value is the pin.
const PINS: [(&str, &str); 4] = [
    ("shader-crate/rust-toolchain.toml", "channel"),
    ("Cargo.toml", "spirv-std"),
    ("xtask/Cargo.toml", "spirv-builder"),
    ("xtask/Cargo.toml", "rspirv"),
];

/// A crate of kernels.
pub struct Package {
    /// The folder of the crate. All of its kernels' own sources are in its `src`.
    pub folder: PathBuf,
    /// The root of evenkeel's workspace, whose schedules are compiled into every kernel that uses them.
    pub evenkeel: PathBuf,
}

impl Package {
    /// The crate in a folder.
    pub fn new(folder: &Path) -> io::Result<Self> {
        // This crate is ROOT/shader-crate/build, in a checkout as much as where cargo keeps a git dependency.
        let kernels = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new("."));
        let evenkeel = kernels.parent().unwrap_or(Path::new(".")).to_owned();
        // evenkeel's own crate is recognised by any path that leads to it.
        let is_evenkeel = folder.canonicalize().map_err(at(folder))? == kernels.canonicalize().map_err(at(kernels))?;
        Ok(Self { folder: if is_evenkeel { kernels.to_owned() } else { std::path::absolute(folder)? }, evenkeel })
    }

    /// Whether evenkeel's repository is there, and with it what compiles kernels. Where cargo keeps a package, it is not.
    pub fn has_repository(&self) -> bool {
        ["shader-crate/build/Cargo.toml", "xtask/src/compile.rs"].iter().all(|file| self.evenkeel.join(file).is_file())
    }

    /// Where its compiled modules lie, if they are kept beside its sources.
    pub fn committed(&self) -> PathBuf {
        self.folder.join("spirv")
    }

    /// Everything a changed byte of which may change a module.
    pub fn watched(&self) -> Vec<PathBuf> {
        let pins = PINS.map(|(file, _)| self.evenkeel.join(file));
        self.sources().into_iter().map(|(_, path)| path).chain(pins).collect()
    }

    /// The manifest of the modules in `modules`, when they are made from its sources.
    pub fn manifest(&self, modules: &Path) -> io::Result<String> {
        Ok(format!(
            "# Written by `cargo xtask kernels`. The build uses these modules while their sources are the same.\n\
             sources = \"{}\"\n{}\n[pins]\n{}\n{}",
            self.hash()?,
            self.own()?,
            self.pins()?,
            listed(modules)?
        ))
    }

    /// Whether a manifest describes the modules in `modules` and the package's own sources, for this version of evenkeel. That
    /// is all that can be known without its repository.
    pub fn is_described_by(&self, manifest: &str, modules: &Path) -> io::Result<bool> {
        Ok(manifest.contains(&self.own()?) && manifest.ends_with(&listed(modules)?))
    }

    /// The lines about the package itself: evenkeel's version, and the hash of the package's own sources.
    fn own(&self) -> io::Result<String> {
        let own = hexadecimal(text_of("src", &self.folder.join("src"))?.as_bytes());
        Ok(format!("evenkeel = \"{}\"\nown = \"{own}\"\n", env!("CARGO_PKG_VERSION")))
    }

    /// The hash of all sources, by name and content, and of the pins.
    pub fn hash(&self) -> io::Result<String> {
        let mut all = self.pins()?;
        for (source, path) in self.sources() {
            all += &text_of(source, &path)?;
        }
        Ok(hexadecimal(all.as_bytes()))
    }

    /// Each source by the name it has in the hash, which is the same on every machine.
    fn sources(&self) -> Vec<(&'static str, PathBuf)> {
        let own = self.folder.join("src");
        let mut sources = SOURCES.map(|source| (source, self.evenkeel.join(source))).to_vec();
        if sources.iter().all(|(_, path)| *path != own) {
            sources.push(("src", own));
        }
        sources
    }

    fn pins(&self) -> io::Result<String> {
        let line = |(file, key)| Ok(format!("{key} = \"{}\"\n", pin(&self.evenkeel.join(file), key)?));
        PINS.into_iter().map(line).collect()
    }
}

/// All source files below a path, each behind its name and length.
fn text_of(source: &str, path: &Path) -> io::Result<String> {
    let mut all = String::new();
    for (name, path) in files(path)? {
        let text = normalise(&fs::read_to_string(&path).map_err(at(&path))?);
        all += &format!("{source}/{name} {}\n{text}", text.len());
    }
    Ok(all)
}

/// The part of the manifest about the modules in a folder.
fn listed(modules: &Path) -> io::Result<String> {
    let mut text = "[modules]\n".to_owned();
    for (name, path) in files(modules)? {
        if let Some(kernel) = name.strip_suffix(".spv") {
            let module = fs::read(&path).map_err(at(&path))?;
            text += &format!("{kernel} = {{ bytes = {}, sha256 = \"{}\" }}\n", module.len(), hexadecimal(&module));
        }
    }
    Ok(text)
}

/// The files below a folder, or the file itself, with their names from there on; sorted, so that every machine agrees.
pub fn files(start: &Path) -> io::Result<Vec<(String, PathBuf)>> {
    let mut found = Vec::new();
    let mut open = vec![(String::new(), start.to_owned())];
    while let Some((name, path)) = open.pop() {
        if path.is_dir() {
            let folder = if name.is_empty() { name } else { name + "/" };
            for entry in fs::read_dir(&path).map_err(at(&path))? {
                let entry = entry.map_err(at(&path))?;
                // A name that is not text is no source's.
                open.extend(entry.file_name().to_str().map(|name| (format!("{folder}{name}"), entry.path())));
            }
        } else if path == start || name.ends_with(".rs") || name.ends_with(".spv") {
            // Editors leave their own files beside the sources.
            found.push((name, path));
        }
    }
    found.sort();
    Ok(found)
}

/// The first quoted text on the line that begins with `key`.
fn pin(file: &Path, key: &str) -> io::Result<String> {
    let text = fs::read_to_string(file).map_err(at(file))?;
    let value = text.lines().find_map(|line| line.strip_prefix(key)?.trim_start().strip_prefix('=')?.split('"').nth(1));
    value.map(str::to_owned).ok_or_else(|| at(file)(io::Error::other(format!("no version is pinned for `{key}`"))))
}

/// The text without the line endings that a checkout may have given it.
pub fn normalise(text: &str) -> String {
    text.replace("\r\n", "\n")
}

fn hexadecimal(content: &[u8]) -> String {
    Sha256::digest(content).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Names the file in an error.
fn at(path: &Path) -> impl Fn(io::Error) -> io::Error {
    move |error| io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::{PINS, Package, SOURCES};
    use std::{fs, path::Path};

    fn write(root: &Path, path: &str, content: &str) {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    /// A workspace with a source in each place, and one module.
    fn workspace() -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        for (file, _) in PINS {
            let pins: Vec<_> =
                PINS.iter().filter(|pin| pin.0 == file).map(|pin| format!("{} = \"=1\"\n", pin.1)).collect();
            write(root.path(), file, &pins.concat());
        }
        for source in SOURCES {
            write(
                root.path(),
                &if source.ends_with(".rs") { source.into() } else { format!("{source}/deep/a.rs") },
                "a\nb\n",
            );
        }
        write(root.path(), "spirv/kernel.spv", "module");
        root
    }

    fn manifest(root: &Path) -> String {
        package(root, "shader-crate").manifest(&root.join("spirv")).unwrap()
    }

    fn package(root: &Path, folder: &str) -> Package {
        Package { folder: root.join(folder), evenkeel: root.to_owned() }
    }

    #[test]
    fn every_source_pin_and_module_counts() {
        let root = workspace();
        let root = root.path();
        let mut seen = vec![manifest(root)];
        for source in SOURCES {
            write(root, &if source.ends_with(".rs") { source.into() } else { format!("{source}/deep/a.rs") }, "a\nc\n");
            seen.push(manifest(root));
        }
        write(root, "Cargo.toml", "spirv-std = { version = \"=2\" }\n");
        seen.push(manifest(root));
        write(root, "spirv/kernel.spv", "another");
        seen.push(manifest(root));
        fs::rename(root.join("shader-crate/src/deep/a.rs"), root.join("shader-crate/src/deep/b.rs")).unwrap();
        seen.push(manifest(root));
        let distinct: std::collections::HashSet<_> = seen.iter().collect();
        assert_eq!(distinct.len(), seen.len(), "{seen:#?}");
    }

    #[test]
    fn of_a_users_package_its_own_sources_count_too() {
        let root = workspace();
        write(root.path(), "own/src/lib.rs", "a\n");
        let hash = |folder: &str| package(root.path(), folder).hash().unwrap();
        let (evenkeels, own) = (hash("shader-crate"), hash("own"));
        write(root.path(), "own/src/lib.rs", "b\n");
        assert_eq!(hash("shader-crate"), evenkeels);
        let edited = hash("own");
        write(root.path(), "shader-crate/src/deep/a.rs", "another schedule\n");
        let distinct: std::collections::HashSet<_> = [evenkeels, own, edited, hash("own")].into();
        assert_eq!(distinct.len(), 4);
    }

    #[test]
    fn without_the_repository_own_sources_and_modules_count() {
        let root = workspace();
        let root = root.path();
        write(root, "own/src/lib.rs", "a\n");
        write(root, "own/spirv/kernel.spv", "module");
        let (package, spirv) = (package(root, "own"), root.join("own/spirv"));
        let recorded = package.manifest(&spirv).unwrap();
        assert!(!package.has_repository());
        fs::remove_dir_all(root.join("shader-crate")).unwrap();
        assert!(package.manifest(&spirv).is_err());
        let is_described = || package.is_described_by(&recorded, &spirv).unwrap();
        assert!(is_described());
        write(root, "own/src/lib.rs", "b\n");
        assert!(!is_described());
        write(root, "own/src/lib.rs", "a\r\n");
        assert!(is_described());
        write(root, "own/spirv/another.spv", "module");
        assert!(!is_described());
    }

    #[test]
    fn line_endings_and_other_files_do_not_count() {
        let root = workspace();
        let before = manifest(root.path());
        write(root.path(), "shader-crate/src/deep/a.rs", "a\r\nb\r\n");
        write(root.path(), "shader-crate/src/deep/.a.rs.swp", "an editor's");
        assert_eq!(manifest(root.path()), before);
    }

    #[test]
    fn a_missing_pin_is_named() {
        let root = workspace();
        write(root.path(), "Cargo.toml", "[workspace]\n");
        let error = package(root.path(), "shader-crate").hash().unwrap_err().to_string();
        assert!(error.contains("Cargo.toml") && error.contains("spirv-std"), "{error}");
    }
}
