//! Import cycles between the modules of a crate: files and folders that import each other.
//!
//! Files are compared level by level. In each folder, every file is a node, and so is every subfolder with all files in
//! it. The folder's own `mod.rs` (`lib.rs` or `main.rs` in the crate's root) is a node too. A cycle is a set of nodes
//! of one folder in which imports lead from every node to every other one.
//!
//! Imports follow re-exports: `use crate::Name` counts as an import of the file that defines `Name`. A `mod.rs` that
//! only re-exports names therefore imports nothing. Unit tests are left out.

use super::imports::Imports;
use crate::{sh, source};
use anyhow::{Context, Result};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// A module with a file of its own. The path is empty for the crate's root.
struct Module {
    path: Vec<String>,
    file: String,
    imports: Imports,
}

/// The modules of one crate.
#[derive(Default)]
pub(super) struct Modules(Vec<Module>);

/// An import cycle.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Circle {
    /// The folder whose nodes import each other, as a module path.
    pub(super) folder: String,
    /// Names of the nodes; `mod` is the folder's own file.
    pub(super) nodes: Vec<String>,
    /// `file -> file (path)` for each import among the nodes.
    pub(super) imports: Vec<String>,
}

impl Modules {
    /// Reads the crate in `package`: the modules declared by `src/lib.rs`, or by `src/main.rs` if there is no library.
    pub(super) fn read(package: &Path) -> Result<Modules> {
        let src = package.join("src");
        let library = src.join("lib.rs");
        let root = if library.exists() { library } else { src.join("main.rs") };
        let mut modules = Modules::default();
        // Files still to read: module path, file, the folder of its child modules.
        let mut unread = vec![(Vec::new(), root, src)];
        while let Some((path, file, folder)) = unread.pop() {
            let shown = file.strip_prefix(sh::root()).unwrap_or(&file).to_string_lossy().replace('\\', "/");
            let text = std::fs::read_to_string(&file).with_context(|| shown.clone())?;
            for child in modules.add(path.clone(), shown, &text) {
                let path = [path.as_slice(), std::slice::from_ref(child)].concat();
                unread.push((path, child_file(&folder, child), folder.join(child)));
            }
        }
        Ok(modules)
    }

    /// Adds a module; returns the names of its children.
    fn add(&mut self, path: Vec<String>, file: String, text: &str) -> &[String] {
        let imports = Imports::of(&source::without_unit_tests(&source::tokens(text)));
        let index = self.0.len();
        self.0.push(Module { path, file, imports });
        &self.0[index].imports.modules
    }

    fn find(&self, path: &[String]) -> Option<usize> {
        self.0.iter().position(|module| module.path == path)
    }

    /// Returns the module in which `path`, as written in module `from`, ends. `None` for names of other crates and for
    /// items of `from` itself.
    fn resolve(&self, from: usize, path: &[String]) -> Option<usize> {
        self.walk(from, from, path, 0).map(|(module, _)| module)
    }

    /// Follows `path` from module `start`, with the visibility of module `viewer`. Also returns whether the path ends
    /// in an item of the module rather than in the module itself.
    fn walk(&self, viewer: usize, start: usize, path: &[String], depth: usize) -> Option<(usize, bool)> {
        // Guards against names that re-export each other.
        if depth > 8 {
            return None;
        }
        let mut module = start;
        for (index, segment) in path.iter().enumerate() {
            let here = &self.0[module];
            module = match segment.as_str() {
                "crate" => self.find(&[])?,
                "self" => module,
                "super" => self.find(here.path.split_last()?.1)?,
                name if here.imports.modules.iter().any(|child| child == name) => {
                    self.find(&[here.path.as_slice(), std::slice::from_ref(segment)].concat())?
                }
                name => {
                    // Private imports are visible in the module and below.
                    let is_inside = self.0[viewer].path.starts_with(&here.path);
                    let mut uses = here.imports.uses.iter().filter(|item| item.is_public || is_inside);
                    let item = uses.find(|item| item.name == name && item.path != path);
                    match item.and_then(|item| self.walk(module, module, &item.path, depth + 1)) {
                        Some((target, false)) => target,
                        // The rest of the path is inside the item.
                        Some(found) => return Some(found),
                        None => return (index > 0).then_some((module, true)),
                    }
                }
            };
        }
        Some((module, false))
    }

    /// Returns every import of module `from`: the imported module and the path that names it.
    fn imports(&self, from: usize) -> BTreeMap<usize, String> {
        let Imports { uses, paths, words, .. } = &self.0[from].imports;
        // A re-export is an import only if the file uses the name itself.
        let used = uses.iter().filter(|item| !item.is_public || words.contains(&item.name)).map(|item| &item.path);
        let resolved = used.chain(paths).filter_map(|path| Some((self.resolve(from, path)?, path.join("::"))));
        resolved.filter(|&(target, _)| target != from).collect()
    }

    /// Returns the number of files and the number of imports between them.
    pub(super) fn counts(&self) -> (usize, usize) {
        (self.0.len(), (0..self.0.len()).map(|from| self.imports(from).len()).sum())
    }

    /// Returns all cycles, those of outer folders first.
    pub(super) fn circles(&self) -> Vec<Circle> {
        let imports =
            (0..self.0.len()).flat_map(|from| self.imports(from).into_iter().map(move |(to, path)| (from, to, path)));
        let imports: Vec<(usize, usize, String)> = imports.collect();
        let mut folders: Vec<&Module> = self.0.iter().filter(|module| !module.imports.modules.is_empty()).collect();
        folders.sort_by_key(|module| (module.path.len(), &module.path));
        folders.into_iter().flat_map(|folder| self.circles_in(&folder.path, &imports)).collect()
    }

    fn circles_in(&self, folder: &[String], imports: &[(usize, usize, String)]) -> Vec<Circle> {
        let node = |module: usize| {
            let rest = self.0[module].path.strip_prefix(folder)?;
            Some(rest.first().map_or("mod", String::as_str))
        };
        let edges: Vec<(&str, &str, &(usize, usize, String))> = imports
            .iter()
            .filter_map(|import| Some((node(import.0)?, node(import.1)?, import)))
            .filter(|(from, to, _)| from != to)
            .collect();
        let reached = reachable(edges.iter().map(|&(from, to, _)| (from, to)));
        let leads = |from: &str, to: &str| reached.get(from).is_some_and(|all| all.contains(to));
        let mut seen = BTreeSet::new();
        let mut circles = Vec::new();
        for &start in reached.keys().filter(|&&start| leads(start, start)) {
            let nodes: Vec<&str> =
                reached.keys().copied().filter(|&end| leads(start, end) && leads(end, start)).collect();
            if !seen.insert(nodes.clone()) {
                continue;
            }
            let among = edges.iter().filter(|(from, to, _)| nodes.contains(from) && nodes.contains(to));
            let imports = among
                .map(|(_, _, (from, to, path))| format!("{} -> {} ({path})", self.0[*from].file, self.0[*to].file));
            circles.push(Circle {
                folder: [&["crate".to_owned()], folder].concat().join("::"),
                nodes: nodes.iter().copied().map(str::to_owned).collect(),
                imports: imports.collect(),
            });
        }
        circles
    }
}

/// Returns the path of `name.rs` or `name/mod.rs` in `folder`.
fn child_file(folder: &Path, name: &str) -> PathBuf {
    let flat = folder.join(format!("{name}.rs"));
    if flat.exists() { flat } else { folder.join(name).join("mod.rs") }
}

/// Returns the nodes reachable from each node over any number of edges.
fn reachable<'a>(edges: impl Iterator<Item = (&'a str, &'a str)>) -> BTreeMap<&'a str, BTreeSet<&'a str>> {
    let mut reached: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (from, to) in edges {
        reached.entry(from).or_default().insert(to);
    }
    let nodes: Vec<&str> = reached.keys().copied().collect();
    for &through in &nodes {
        let further = reached[through].clone();
        for all in reached.values_mut().filter(|all| all.contains(through)) {
            all.extend(&further);
        }
    }
    reached
}

#[cfg(test)]
mod tests {
    use super::Modules;

    /// Returns the cycles of a crate as `folder: nodes`. Its modules are given as path and text.
    fn circles(modules: &[(&str, &str)]) -> Vec<String> {
        let mut all = Modules::default();
        for &(path, text) in modules {
            let path: Vec<String> = path.split("::").filter(|name| !name.is_empty()).map(str::to_owned).collect();
            all.add(path.clone(), format!("{}.rs", path.join("/")), text);
        }
        all.circles().iter().map(|circle| format!("{}: {}", circle.folder, circle.nodes.join(" "))).collect()
    }

    #[test]
    fn files_and_folders_that_import_each_other_are_circles() {
        let root = ("", "mod a; mod b; mod c;");
        assert_eq!(
            circles(&[root, ("a", "use crate::b::X;"), ("b", "use super::a;"), ("c", "use crate::a;")]),
            ["crate: a b"]
        );
        // A cycle between folders in which no two files import each other.
        let folders = [
            root,
            ("a", "mod x; mod y;"),
            ("a::x", "use crate::b::X;"),
            ("a::y", ""),
            ("b", "use crate::a::y::Y;"),
            ("c", ""),
        ];
        assert_eq!(circles(&folders), ["crate: a b"]);
        assert_eq!(circles(&[root, ("a", "use crate::b;"), ("b", "use super::c;"), ("c", "")]), [""; 0]);
    }

    #[test]
    fn re_exports_lead_to_where_a_name_is_defined() {
        let root = ("", "mod a; mod b; pub use a::{A, Z as Renamed};");
        assert_eq!(circles(&[root, ("a", ""), ("b", "use crate::A; use crate::Renamed;")]), [""; 0]);
        assert_eq!(circles(&[root, ("a", "use crate::b::B;"), ("b", "use crate::Renamed;")]), ["crate: a b"]);
        // The root's own item, which uses the re-exported name.
        let root = ("", "mod a; pub use a::A; pub struct Own(A);");
        assert_eq!(circles(&[root, ("a", "use crate::Own;")]), ["crate: a mod"]);
        assert_eq!(circles(&[root, ("a", "use std::fmt; fn f(x: fmt::Error) {}")]), [""; 0]);
        // Names within an item, and a private import with the name of an item, are not re-exports.
        let root = ("", "mod a; mod b; mod c;");
        let b = ("b", "use super::c::{self, C}; pub enum B { C }");
        assert_eq!(
            circles(&[root, ("a", "use crate::b::B; fn f() { B::C }"), b, ("c", "use crate::a;")]),
            ["crate: a b c"]
        );
        assert_eq!(circles(&[root, ("a", "fn f() { crate::b::c() }"), b, ("c", "use crate::a;")]), ["crate: a b c"]);
    }

    #[test]
    fn paths_in_code_count_and_unit_tests_do_not() {
        let root = ("", "mod a; mod b;");
        assert_eq!(circles(&[root, ("a", "fn f() { crate::b::g() }"), ("b", "use crate::a::f;")]), ["crate: a b"]);
        let tests = "#[cfg(test)] mod tests { use crate::b; } #[cfg(test)] mod golden;";
        assert_eq!(circles(&[root, ("a", tests), ("b", "use crate::a;")]), [""; 0]);
    }

    #[test]
    fn a_folder_and_its_own_file_are_compared() {
        let modules = [("", "mod a;"), ("a", "mod x; pub use x::X; fn f() { x::g() }"), ("a::x", "use super::LIMIT;")];
        assert_eq!(circles(&modules), ["crate::a: mod x"]);
        let modules = [("", "mod a;"), ("a", "mod x; pub use x::X;"), ("a::x", "use super::LIMIT;")];
        assert_eq!(circles(&modules), [""; 0]);
    }
}
