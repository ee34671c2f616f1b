//! Tables of files in the comments of a `lib.rs`, `main.rs` or `mod.rs`, compared with the modules that it declares.
//!
//! A table of files has the header `file` or `module` in its first column. Each name in backticks in that column is a
//! module, another file of the folder if it has a dot, or `mod` for the file itself. A file may have several tables, in
//! `//!` or `//` comments. Modules of unit tests may be listed or not.

use super::imports::Imports;
use crate::source;
use std::path::Path;

/// The number of modules from which on a file must have a table.
const MANY: usize = 6;

/// Returns whether the file at `path` declares the modules of its folder.
pub(super) fn is_folder_file(path: &Path) -> bool {
    ["lib.rs", "main.rs", "mod.rs"].iter().any(|name| path.ends_with(name))
}

/// Compares the tables in `text` with its modules. `exists` tells whether the folder has another file of that name.
pub(super) fn faults(text: &str, exists: impl Fn(&str) -> bool) -> Vec<String> {
    let tokens = source::tokens(text);
    let all = Imports::of(&tokens).modules;
    let needed = Imports::of(&source::without_unit_tests(&tokens)).modules;
    let Some(listed) = listed(text) else {
        return if needed.len() < MANY {
            Vec::new()
        } else {
            vec![format!("declares {} modules and has no table of them (`| file | content |`)", needed.len())]
        };
    };
    let missing = needed.iter().filter(|module| !listed.contains(module));
    let missing = missing.map(|module| format!("its table of files has no row for `{module}`"));
    let is_unknown = |name: &&String| match name.as_str() {
        "mod" => false,
        name if name.contains('.') => !exists(name),
        _ => !all.contains(name),
    };
    let unknown = listed.iter().filter(is_unknown);
    missing.chain(unknown.map(|name| format!("its table of files names `{name}`, which is no module of it"))).collect()
}

/// Returns the names in the first columns of all tables of files, `None` if there is no such table.
fn listed(text: &str) -> Option<Vec<String>> {
    let mut names = None;
    // Whether the current table is one of files; `None` outside of tables.
    let mut is_wanted = None;
    for line in text.lines() {
        let comment = line.strip_prefix("//!").or_else(|| line.strip_prefix("//")).unwrap_or_default();
        let Some(row) = comment.trim_start().strip_prefix('|') else {
            is_wanted = None;
            continue;
        };
        let first = row.split('|').next().unwrap_or_default();
        match is_wanted {
            None => {
                is_wanted = Some(matches!(first.trim(), "file" | "module"));
                if is_wanted == Some(true) {
                    names.get_or_insert_with(Vec::new);
                }
            }
            Some(true) => {
                let quoted = first.split('`').skip(1).step_by(2).flat_map(str::split_whitespace);
                names.get_or_insert_with(Vec::new).extend(quoted.map(str::to_owned));
            }
            Some(false) => {}
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::faults;

    fn check(text: &str) -> Vec<String> {
        faults(text, |name| name == "interpose.c")
    }

    #[test]
    fn a_table_lists_every_module_and_nothing_else() {
        let table = "//! | file | content |\n//! |---|---|\n//! | `a`, `b c` | x |\n//! | `mod` | y |\n";
        let modules = "mod a;\n#[cfg(unix)]\npub(crate) mod b;\nmod c;\n#[cfg(test)]\nmod tests;\nmod inline {}\n";
        assert_eq!(check(&format!("{table}{modules}")), [""; 0]);
        assert_eq!(check(&format!("{table}{modules}mod d;")), ["its table of files has no row for `d`"]);
        let fault = "its table of files names `c`, which is no module of it";
        assert_eq!(check(&format!("{table}mod a; mod b;")), [fault]);
    }

    #[test]
    fn tables_in_groups_count_together_and_others_do_not() {
        let groups = "// | file | does |\n// |---|---|\n// | `a` | x |\n//\n// | module | does |\n// |---|---|\n// | [`b`](b) | `y` |\n";
        assert_eq!(check(&format!("{groups}mod a; mod b;")), [""; 0]);
        let other = "//! | feature | adds |\n//! |---|---|\n//! | `zlib` | x |\n";
        assert_eq!(check(&format!("{other}mod a;")), [""; 0]);
        assert_eq!(check(&format!("{other}\n{groups}mod a; mod b;")), [""; 0]);
    }

    #[test]
    fn rows_name_tests_and_other_files_if_they_exist() {
        let table = "//! | file | content |\n//! |---|---|\n";
        assert_eq!(check(&format!("{table}//! | `tests` | x |\n#[cfg(test)] mod tests;")), [""; 0]);
        assert_eq!(check(&format!("{table}//! | `interpose.c` | x |\n")), [""; 0]);
        assert_eq!(check(&format!("{table}//! | `other.c` | x |\n")).len(), 1);
    }

    #[test]
    fn folders_with_many_files_have_a_table() {
        assert_eq!(check("mod a; mod b; mod c; mod d; mod e; #[cfg(test)] mod tests;"), [""; 0]);
        let fault = "declares 6 modules and has no table of them (`| file | content |`)";
        assert_eq!(check("mod a; mod b; mod c; mod d; mod e; mod f;"), [fault]);
    }
}
