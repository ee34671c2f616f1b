//! How fast is our chunk codec beside C-Blosc2's? One thread, generated data, codecs × levels × filters.
//!
//! Rounds are interleaved: in each, both libraries compress and decompress once, so that a busy machine slows both. Times
//! are CPU times of this thread; a ratio is of two times of one round, and the median of the rounds is shown. Every chunk
//! is decoded by the other library, too.

mod c_blosc2;
mod data;
mod options;
mod ours;
mod race;

use anyhow::Result;
use options::Options;

fn main() -> Result<()> {
    let options = Options::from_args()?;
    let theirs = c_blosc2::CBlosc2::load(&options.library)?;
    println!(
        "{}; C-Blosc2 {}; {} rounds, {} KiB a chunk",
        cpu(),
        theirs.version()?,
        options.rounds,
        options.size >> 10
    );
    println!("speed: MB/s of ours, and how many times as fast as C-Blosc2; size: ours / C-Blosc2's\n");
    println!("{:30} {:>15} {:>15} {:>7}", "codec level filter data", "compress", "decompress", "size");

    for codec in &options.codecs {
        for level in &options.levels {
            for filter in &options.filters {
                let mut lines = Vec::new();
                for set in data::sets(options.size) {
                    let line = race::run(&theirs, codec, *level, *filter, &set, options.rounds)?;
                    print(&format!("{codec} {level} {filter} {}", set.name), &line);
                    lines.push(line);
                }
                print(&format!("{codec} {level} {filter} = mean"), &race::geometric_mean(&lines));
            }
        }
    }
    Ok(())
}

fn print(name: &str, line: &race::Line) {
    println!(
        "{name:30} {:8.0} {:6.2} {:8.0} {:6.2} {:7.3}",
        line.compress.speed, line.compress.ratio, line.decompress.speed, line.decompress.ratio, line.size
    );
}

fn cpu() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = info.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    model.map_or("unknown CPU", |(_, model)| model).to_owned()
}
