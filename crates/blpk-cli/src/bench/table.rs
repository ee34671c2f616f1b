//! The figures of a sweep as a table and as JSON.

use super::sample::Sample;
use super::setting::{Figures, Setting, name_of};
use super::winners::{command, winners};
use crate::json::{Object, number, text};
use crate::path_or_stdio::PathOrStdio;
use crate::size::pretty_size;
use blosc_core::OutOfMemory;
use bloscpack_format::Json;
use std::fmt::Write as _;

/// Formats a line for each setting, with a mark for those on the front.
pub(crate) fn table(figures: &[Figures]) -> String {
    // This column is useful only with several typesizes.
    let mut typesizes = figures.iter().filter(|one| one.setting.goal.is_none()).map(|one| one.setting.typesize);
    let first = typesizes.next();
    let several = typesizes.any(|typesize| Some(typesize) != first);
    let typesize = |text: &str| if several { format!(" {text:>8}") } else { String::new() };
    let mut table = format!(
        "  {:8} {:>5}  {:10}{} {:>9} {:>8} {:>11} {:>11}\n",
        "codec",
        "level",
        "filter",
        typesize("typesize"),
        "chunk",
        "ratio",
        "compress",
        "decompress"
    );
    for Figures { setting, ratio, compress, decompress, on_front } in figures {
        let _ = writeln!(
            table,
            "{} {}{} {:>9} {ratio:>8.3} {:>11} {:>11}",
            if *on_front { '*' } else { ' ' },
            match setting.goal {
                Some(goal) => format!("{:26}", format!("auto {goal}")),
                None => format!("{:8} {:>5}  {:10}", setting.codec.name(), setting.clevel, name_of(setting.filter)),
            },
            typesize(&if setting.typesize == 0 { "auto".into() } else { setting.typesize.to_string() }),
            pretty_size(setting.chunk_size),
            speed(*compress),
            speed(*decompress),
        );
    }
    table + "* no other setting is better in one of the three and not worse in the others\n"
}

/// Formats a speed with three digits, in MB or GB per second.
fn speed(bytes: f64) -> String {
    match bytes / 1e6 {
        mb if mb >= 999.5 => format!("{:.2} GB/s", mb / 1e3),
        mb if mb >= 99.95 => format!("{mb:.0} MB/s"),
        mb => format!("{mb:.1} MB/s"),
    }
}

/// Formats the sweep as one JSON object; speeds are whole bytes per second.
pub(crate) fn json(
    file: &PathOrStdio,
    sample: &Sample,
    threads: usize,
    figures: &[Figures],
    missed: &[Setting],
) -> Result<String, OutOfMemory> {
    let results = figures.iter().map(|one| {
        let rounded = |bytes: f64| number(bytes as u64);
        described(&one.setting)
            .with("ratio", Json::Float((one.ratio * 1e4).round() / 1e4))
            .with("compress", rounded(one.compress))
            .with("decompress", rounded(one.decompress))
            .with("front", Json::Bool(one.on_front))
            .into_json()
    });
    let commands = winners(figures).into_iter().map(|winner| {
        Object::inner()
            .with("best", Json::Array(winner.best.iter().map(|name| text(name)).collect()))
            .with("command", text(&command(winner.setting, file, sample.kind)))
            .into_json()
    });
    let typesizes = || sample.typesizes.iter().map(|size| number(*size as u64));
    Object::inner()
        .with("schema", Json::Int(1))
        .with("file", text(&file.name()))
        .with("nbytes", number(sample.nbytes))
        .with("sample", number(sample.bytes.len() as u64))
        .with("typesize", typesizes().next().unwrap_or(Json::Null))
        .with("typesizes", Json::Array(typesizes().collect()))
        .with("threads", number(threads as u64))
        .with("results", Json::Array(results.collect()))
        .with("not_measured", Json::Array(missed.iter().map(|setting| described(setting).into_json()).collect()))
        .with("commands", Json::Array(commands.collect()))
        .line()
}

fn described(setting: &Setting) -> Object {
    let object = Object::inner().with("codec", text(setting.name()));
    let object = match setting.goal {
        Some(goal) => object.with("goal", text(&goal.to_string())),
        None => {
            let clevel = number(setting.clevel.into());
            object.with("clevel", clevel).with("filter", text(name_of(setting.filter)))
        }
    };
    let typesize = if setting.typesize == 0 { Json::Null } else { number(setting.typesize as u64) };
    object.with("typesize", typesize).with("chunk_size", number(setting.chunk_size))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn speeds_have_three_digits() {
        let said = [1.234e6, 99.94e6, 99.96e6, 123.4e6, 999.4e6, 1.0e9, 23.456e9].map(speed);
        assert_eq!(said, ["1.2 MB/s", "99.9 MB/s", "100 MB/s", "123 MB/s", "999 MB/s", "1.00 GB/s", "23.46 GB/s"]);
    }
}
