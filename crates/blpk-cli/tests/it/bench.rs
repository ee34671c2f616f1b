//! Tests that `bench` measures the requested settings, and reports them as a table, as JSON and as a picture.

use testdata::serde_json::{Value, from_slice};

use crate::common::{Sandbox, counting, noise};

/// Returns the lines of the table, without the command lines to paste that follow it.
fn table(text: &str) -> Vec<&str> {
    text.lines().filter(|line| !line.starts_with("blpk: ")).collect()
}

#[test]
fn every_setting_is_a_line_of_the_table() {
    let sandbox = Sandbox::with_f();
    let run = sandbox.run("bench --seconds 0 -c lz4,snappy -l 1,9 --filter none,shuffle -z 10K,1M f").ok();
    let text = String::from_utf8(run.stdout).unwrap();
    let rows: Vec<Vec<&str>> = text
        .lines()
        .skip(1)
        .take(12)
        .map(|line| line.trim_start_matches(['*', ' ']).split_whitespace().collect())
        .collect();
    // Snappy has no levels: one line stands for both.
    assert_eq!(rows.iter().filter(|row| row[0] == "lz4").count(), 8);
    assert_eq!(rows.iter().filter(|row| row[0] == "snappy").count(), 4);
    let ratios: Vec<f64> = rows.iter().map(|row| row[4].parse().unwrap()).collect();
    assert!(ratios.is_sorted_by(|a, b| a >= b), "{ratios:?}");
    assert!(rows[0][2] == "shuffle" && ratios[0] > 5.0, "counting numbers want to be shuffled: {text}");
    assert!(text.contains("\n* ") && table(&text).len() == 14, "{text}");
}

#[test]
fn figures_for_programs() {
    let sandbox = Sandbox::new();
    sandbox.write("f", &counting(100_000));
    sandbox.run("c -t 8 -z 20K f").ok();
    // The content of a Blosc file is measured, not the file.
    let run = sandbox.run("-n 1 bench --json --seconds 0 -c zstd -l 3 --sample 40000B f.blp").ok();
    let object: Value = from_slice(&run.stdout).unwrap();
    let of = |name: &str| object[name].as_u64().unwrap();
    assert_eq!((of("schema"), of("nbytes"), of("typesize"), of("threads")), (1, 100_000, 8, 1));
    assert!((39_000..=40_000).contains(&of("sample")), "{object}");
    let results = object["results"].as_array().unwrap();
    assert_eq!(results.len(), 3);
    for result in results {
        assert!(result["codec"] == "zstd" && result["clevel"] == 3 && result["chunk_size"] == 1 << 20);
        assert!(result["compress"].as_u64().unwrap() > 0 && result["decompress"].as_u64().unwrap() > 0);
    }
    assert!(results.iter().any(|result| result["front"] == true));
}

#[test]
fn a_picture_has_a_dot_for_every_setting() {
    let sandbox = Sandbox::with_f();
    sandbox.write("a<b", &counting(5000));
    let run = sandbox.run("bench --seconds 0 -c lz4,zlib -l 5 --plot out.svg a<b").ok();
    assert_eq!(table(&String::from_utf8(run.stdout).unwrap()).len(), 8);
    let svg = String::from_utf8(sandbox.read("out.svg")).unwrap();
    // Two panels, and a legend of two codecs.
    assert_eq!(svg.matches("<circle").count(), 2 * 6 + 2);
    assert_eq!(svg.matches("<title>").count(), 2 * 6);
    assert!(svg.contains("a&lt;b") && svg.ends_with("</svg>\n") && !svg.contains("NaN"));
    let again = sandbox.run("bench --seconds 0 -c lz4 -l 5 --plot out.svg f");
    assert_eq!(again.error(), "output file 'out.svg' exists!");
}

#[test]
fn what_cannot_be_measured() {
    let sandbox = Sandbox::with_f();
    sandbox.write("empty", b"");
    assert_eq!(sandbox.run("bench missing").error(), "file 'missing' does not exist!");
    assert_eq!(sandbox.run("bench empty").error(), "empty: there is nothing to measure: the file is empty");
    assert_eq!(sandbox.run("bench -t 256 f").error(), "'typesize' must be in the range 1 <= n <= 255, not '256'");
    let error = sandbox.run("bench --plot - f").error();
    assert_eq!(error, "--plot cannot be '-', because the table goes to stdout; name a file");
    let message = "'chunk-size' must be in the range 1 <= n <= 2147483631, not";
    assert_eq!(sandbox.run("bench -z 0 f").error(), format!("{message} '0'"));
    assert_eq!(sandbox.run("bench -z 3G f").error(), format!("{message} '3221225472'"));
    for (wrong, why) in [
        ("-c lz5", "invalid choice: 'lz5'"),
        ("-l 1,10", "invalid choice: 10"),
        ("--filter delta", "invalid choice: 'delta'"),
        ("--seconds -1", "invalid number of seconds"),
        ("--sample x", "invalid literal"),
        ("--sample 0", "argument --sample: must be > 0"),
        ("--sample -1", "argument --sample: must be > 0"),
    ] {
        let run = sandbox.run(&format!("bench {wrong} f"));
        assert_eq!(run.code, Some(2), "{wrong}");
        assert!(run.stderr.contains(why), "{wrong}: {}", run.stderr);
    }
}

#[test]
fn a_setting_is_measured_once() {
    let sandbox = Sandbox::with_f();
    let run = sandbox.run("bench --seconds 0 -c lz4,zlib,lz4 -l 5,5 --filter shuffle,shuffle -z 64K,65536 f").ok();
    // One line above the settings and one below.
    assert_eq!(table(run.text()).len(), 2 + 2, "{}", run.text());
    // A sample larger than the file is all of it.
    let run = sandbox.run("bench --json --seconds 0 -c lz4 -l 5 --filter none --sample 99999999999T f").ok();
    let object: Value = from_slice(&run.stdout).unwrap();
    assert_eq!(object["sample"], 100_000);
}

/// The settings measured before Ctrl-C are not lost.
#[cfg(unix)]
#[test]
fn an_interrupted_run_shows_what_it_has() {
    let sandbox = Sandbox::new();
    sandbox.write("f", &counting(3_000_000));
    let interrupted = |options: &str| {
        // With -v each setting has a line on stdout before it is measured.
        let line = format!(
            "blpk -v bench {options} --seconds 2 -c lz4,zlib -l 1,5,9 f > out & pid=$!; \
             for i in {{1..300}}; do grep -qs 'setting 3 of 18' out && break; sleep 0.1; done; \
             kill -INT $pid; wait $pid"
        );
        (sandbox.shell(&line), String::from_utf8(sandbox.read("out")).unwrap())
    };
    let (run, out) = interrupted("");
    assert_eq!((run.code, run.error()), (Some(1), "interrupted".to_owned()));
    let table: Vec<_> = out.lines().filter(|line| !line.starts_with("blpk: ")).collect();
    assert_eq!(table.len(), 1 + 2 + 1, "{out}");
    assert!(table[1].contains("lz4") && table[3].starts_with("* no other"), "{out}");
}

#[test]
fn dots_are_not_pressed_together() {
    let sandbox = Sandbox::new();
    // Half of the bits are zeros, and nothing repeats: all ratios are between 1 and 2.
    sandbox.write("f", &noise(300_000).iter().map(|byte| byte & 15).collect::<Vec<_>>());
    sandbox.run("bench --seconds 0 -c lz4,zstd -l 1,9 --plot out.svg f").ok();
    let svg = String::from_utf8(sandbox.read("out.svg")).unwrap();
    let places = svg.match_indices(" cy=\"").map(|(at, cy)| svg[at + cy.len()..].split('"').next().unwrap());
    let places: Vec<f64> = places.map(|cy| cy.parse().unwrap()).collect();
    let (top, bottom) = places.iter().skip(2).fold((f64::MAX, 0.0), |(top, bottom), y| (y.min(top), y.max(bottom)));
    // The dots cover the whole axis, except for a margin.
    assert!(bottom - top > 0.8 * 320.0, "{top} {bottom}");
}

/// The last lines are commands that apply the measured settings.
#[test]
fn the_last_lines_are_commands_to_paste() {
    let sandbox = Sandbox::new();
    sandbox.write("it's mine", &counting(100_000));
    let run = sandbox.args(&["bench", "--seconds", "0", "-c", "lz4,zstd", "-l", "1,5", "it's mine"]).ok();
    let commands: Vec<&str> = run.lines().into_iter().filter_map(|line| line.strip_prefix("blpk: ")).collect();
    let best = commands.iter().find_map(|line| line.strip_prefix("best ratio")).unwrap();
    let command = best.split_once(": ").unwrap().1;
    assert!(command.starts_with("blpk compress -c zstd -l 5 -t 8 --filter shuffle -z 1M "), "{command}");
    assert!(run.lines().last().unwrap().starts_with("blpk: "), "{}", run.text());
    sandbox.shell(command).ok();
    assert!(sandbox.info("it's mine.blp")["cbytes"].as_u64().unwrap() < 10_000);
    // The content of a container is written to a new one.
    let run = sandbox.args(&["bench", "--json", "--seconds", "0", "-c", "lz4", "-l", "1", "it's mine.blp"]).ok();
    let object: Value = from_slice(&run.stdout).unwrap();
    let command = object["commands"][0]["command"].as_str().unwrap();
    sandbox.shell(command).ok();
    assert_eq!(sandbox.info("it's mine.new.blp")["nbytes"], 100_000);
    assert_eq!(object["not_measured"], Value::Array(Vec::new()));
}

#[test]
fn typesizes_are_tried() {
    let sandbox = Sandbox::new();
    // Random walks of 4-byte integers: with any other typesize, shuffling compresses them less well.
    let items = noise(100_000).into_iter().scan(1_000_000_i32, |at, step| {
        *at += i32::from(step) - 128;
        Some(at.to_le_bytes())
    });
    sandbox.write("f", &items.flatten().collect::<Vec<u8>>());
    let json = |args: &str| -> Value {
        from_slice(&sandbox.run(&format!("bench --json --seconds 0 -c lz4 -l 1 {args} f")).ok().stdout).unwrap()
    };
    assert_eq!(json("")["typesize"], 4);
    let object = json("-t 2,4,4,1 --filter shuffle,none");
    assert_eq!(object["typesizes"].to_string(), "[2,4,1]");
    let sizes: Vec<_> = object["results"].as_array().unwrap().iter().map(|one| one["typesize"].to_string()).collect();
    assert_eq!(sizes.len(), 3, "one without a filter, two shuffled: {object}");
    let run = sandbox.run("bench --seconds 0 -c lz4 -l 1 -t 2,4 --filter shuffle f").ok();
    assert!(run.lines()[0].contains("typesize"), "{}", run.text());
}

/// The table has the fast settings, and a line names the settings that were left out.
#[test]
fn the_time_is_kept() {
    let sandbox = Sandbox::new();
    sandbox.write("f", &noise(4 << 20));
    let start = std::time::Instant::now();
    let run = sandbox.run("bench --time 0.5 -c lz4,zlib,zstd -l 1,9 --filter none,bitshuffle f").ok();
    assert!(start.elapsed().as_secs_f64() < 20.0, "{:?}", start.elapsed());
    assert!(run.text().contains("blpk: not measured, because the time was over: "), "{}", run.text());
    assert!(table(run.text())[1].contains("lz4"), "{}", run.text());
    let run = sandbox.run("bench --json --time 0.5 -c lz4,zlib,zstd -l 1,9 --filter none,bitshuffle f").ok();
    let object: Value = from_slice(&run.stdout).unwrap();
    let count = |name: &str| object[name].as_array().unwrap().len();
    assert_eq!(count("results") + count("not_measured"), 12);
    assert!(count("results") > 0 && count("not_measured") > 0, "{object}");
    assert!(sandbox.run("bench --time -1 f").usage().contains("argument --time: invalid number of seconds"));
}

/// A directory is measured as what it holds, and its content is converted.
#[test]
fn commands_for_containers_can_be_pasted() {
    let sandbox = Sandbox::with_f();
    sandbox.shell("blpk convert --dtype i4 f x.zarr && blpk convert --dtype i4 f x.bcolz").ok();
    for name in ["x.zarr", "x.bcolz"] {
        let run = sandbox.run(&format!("bench --seconds 0 -c lz4 -l 1 --filter none {name}")).ok();
        let command = run.lines().last().and_then(|line| line.split(": ").last()).unwrap().to_owned();
        let expected = format!("blpk convert -c lz4 -l 1 -t 4 --filter none -z 1M {name} x.new.blp");
        assert_eq!(command, expected);
        sandbox.shell(&format!("{command} && blpk -q d x.new.blp - | cmp - f && rm x.new.blp")).ok();
    }
}
