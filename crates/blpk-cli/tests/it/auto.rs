//! Tests of `--auto`: every goal round-trips, given settings are kept, and `-v` tells the choices.

use crate::common::{Run, Sandbox};

/// A sandbox with a file `f`: 2 MiB of text, then 2 MiB of smooth floats of 8 bytes.
fn mixture() -> Sandbox {
    let sandbox = Sandbox::new();
    let half = 2 << 20;
    let text = &testdata::text(half, 1)[..half];
    sandbox.write("f", &[text, &testdata::linspace_f64(0.0, 1e6, half / 8)].concat());
    sandbox
}

/// A sandbox with a file `f` of 4-byte integers.
fn integers() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("f", &testdata::ramp(300_000, 4, 0));
    sandbox
}

/// Returns the lines about choices, which are on stdout with `-v`.
fn choices(run: Run) -> Vec<String> {
    let run = run.ok();
    let lines = run.lines().into_iter().filter_map(|line| line.strip_prefix("blpk: chunks from "));
    lines.map(str::to_owned).collect()
}

#[test]
fn every_goal_round_trips() {
    let sandbox = mixture();
    for goal in ["--auto", "--auto=fast", "--auto=balanced", "--auto=small", "--auto=500MB/s", "--auto=ratio:2.5"] {
        for output in ["out.blp", "out.b2frame"] {
            sandbox.run(&format!("-f c {goal} f {output}")).prints(&[]);
            sandbox.run(&format!("verify {output}")).ok();
            sandbox.run(&format!("-f d {output} back")).ok();
            assert!(sandbox.read("back") == sandbox.read("f"), "{goal} {output}");
            assert!(sandbox.read(output).len() < (4 << 20) / 2, "{goal} {output}: {}", sandbox.read(output).len());
        }
    }
    sandbox.write("empty", b"");
    for output in ["empty.blp", "empty.b2frame"] {
        sandbox.run(&format!("c --auto empty {output}")).ok();
        sandbox.run(&format!("-f d {output} back")).ok();
        assert_eq!(sandbox.read("back"), b"");
    }
}

#[test]
fn the_number_of_threads_does_not_change_the_bytes() {
    let sandbox = mixture();
    for extension in [".blp", ".b2frame"] {
        for threads in [1, 4] {
            sandbox.run(&format!("-n {threads} c -z 100K --auto=fast f {threads}{extension}")).ok();
        }
        assert!(sandbox.read(&format!("1{extension}")) == sandbox.read(&format!("4{extension}")), "{extension}");
    }
    let from_pipe = sandbox.pipe("c -z 100K --auto=fast - -", &sandbox.read("f")).ok();
    assert!(from_pipe.stdout == sandbox.read("1.blp"));
}

#[test]
fn two_kinds_of_data_are_two_groups() {
    let sandbox = mixture();
    let lines = choices(sandbox.run("-v c -z 1M --auto f"));
    let [text, floats] = &lines[..] else { panic!("{lines:?}") };
    assert!(text.starts_with("0: ") && text.contains(", no filter; ratio "), "{text}");
    assert!(floats.starts_with("2: ") && floats.contains(", 8-byte elements, "), "{floats}");
    assert!(lines.iter().all(|line| line.contains(" in a sample (") && line.ends_with(')')), "{lines:?}");
    // All chunks of a frame have the same typesize: that of the floats, as text is not filtered.
    let lines = choices(sandbox.run("-v c -z 1M --auto f f.b2frame"));
    assert!(lines.len() == 2 && lines[1].starts_with("2: ") && lines[1].contains(", 8-byte elements, "), "{lines:?}");
    assert_eq!(sandbox.info("f.b2frame")["typesize"], 8);
    // Quiet without -v, and nothing but data on stdout.
    assert_eq!(sandbox.run("c -z 1M --auto f g.blp").ok().text(), "");
    let run = sandbox.run("-v c -z 1M --auto f -");
    assert!(run.stdout == sandbox.read("f.blp") && run.stderr.contains("blpk: chunks from 2: "), "{}", run.stderr);
}

#[test]
fn the_typesize_of_a_frame_is_that_of_most_of_the_file() {
    let sandbox = Sandbox::new();
    let table = testdata::ramp(16 << 10, 4, 0);
    sandbox.write("f", &[table, testdata::linspace_f64(0.0, 1e6, 512 << 10)].concat());
    sandbox.run("c f f.b2frame").ok();
    assert_eq!(sandbox.info("f.b2frame")["typesize"], 8);
}

#[test]
fn a_short_last_chunk_is_no_group_of_its_own() {
    let sandbox = Sandbox::new();
    let row = |row: u32| [row, row / 7, row % 5].map(u32::to_le_bytes).concat();
    sandbox.write("f", &(0..200_001).flat_map(row).collect::<Vec<u8>>());
    let lines = choices(sandbox.run("-v c -z 1M --auto --filter bitshuffle -t 12 f f.blp"));
    assert!(lines.len() == 1 && lines[0].contains("; ratio "), "{lines:?}");
    let run = sandbox.run("advise -t 12 --goal balanced f").ok();
    assert!(run.text().contains(" * "), "{}", run.text());
}

#[test]
fn given_settings_are_kept() {
    let sandbox = integers();
    for (options, expected) in [
        ("-t 2 -l 3 -c zlib", "zlib (level 3), 2-byte elements, "),
        ("-c lz4hc", "lz4hc (level "),
        ("-s", ", no filter"),
        ("-t 8 --filter bitshuffle", "8-byte elements, bitshuffle"),
    ] {
        for output in ["out.blp", "out.b2frame"] {
            let lines = choices(sandbox.run(&format!("-f -v c --auto=small {options} f {output}")));
            assert!(lines.len() == 1 && lines[0].contains(expected), "{options} {output}: {lines:?}");
        }
    }
    let lines = choices(sandbox.run("-f -v c --auto --filter delta,shuffle f out.b2frame"));
    assert!(lines[0].contains("elements, delta, shuffle"), "{lines:?}");
    // The typesize is found, or known from the dtype.
    assert_eq!(sandbox.info("out.b2frame")["typesize"], 4);
    sandbox.run("-f c --auto f out.blp").ok();
    assert_eq!(sandbox.info("out.blp")["typesize"], 4);
    sandbox.run("convert --dtype u2 f f.npy").ok();
    for output in ["npy.blp", "npy.b2frame"] {
        sandbox.run(&format!("c --auto f.npy {output}")).ok();
        assert_eq!(sandbox.info(output)["typesize"], 2);
    }
}

#[test]
fn the_codec_auto_means_the_same() {
    let sandbox = integers();
    sandbox.run("c --auto f expected.blp").ok();
    let expected = sandbox.read("expected.blp");
    sandbox.run("c -c auto f out.blp").ok();
    assert!(sandbox.read("out.blp") == expected);
    sandbox.run("-f c --auto=balanced --codec=auto f out.blp").ok();
    assert!(sandbox.read("out.blp") == expected);
    let with = |variables: &[(&str, &str)], args: &str| {
        let args: Vec<_> = args.split(' ').collect();
        let output = sandbox.command(&args).envs(variables.iter().copied()).output().unwrap();
        Run::of(args.join(" "), output)
    };
    with(&[("BLPK_CODEC", "auto")], "-f c f out.blp").ok();
    assert!(sandbox.read("out.blp") == expected);
    // Defaults of the environment are weaker than `--auto`.
    with(&[("BLPK_CODEC", "zlib"), ("BLPK_CLEVEL", "1")], "-f c --auto f out.blp").ok();
    assert!(sandbox.read("out.blp") == expected);
    with(&[("BLPK_CODEC", "auto"), ("BLPK_CLEVEL", "1")], "-f c f out.blp").ok();
    assert!(sandbox.read("out.blp") == expected);
    // An option is stronger than the environment.
    let lines = choices(with(&[("BLPK_CODEC", "auto")], "-v -f c -l 4 f out.blp"));
    assert!(lines[0].contains(" (level 4), "), "{lines:?}");
    assert_eq!(choices(with(&[("BLPK_CODEC", "auto")], "-v -f c -c zlib f out.blp")), [] as [&str; 0]);
    let error = with(&[("BLPK_CODEC", "nope")], "c f").usage();
    assert!(error.starts_with("environment variable BLPK_CODEC: invalid choice: 'nope'"), "{error}");
}

#[test]
fn appended_and_converted_data_is_chosen_too() {
    let sandbox = mixture();
    sandbox.write("more", &testdata::ramp(3 << 20, 4, 0));
    sandbox.run("c --auto=fast f").ok();
    let lines = choices(sandbox.run("-v a --auto=small f.blp more"));
    assert!(lines.len() == 1 && lines[0].contains("4-byte elements"), "{lines:?}");
    sandbox.run("d f.blp back").ok();
    assert!(sandbox.read("back") == [sandbox.read("f"), sandbox.read("more")].concat());

    sandbox.run("convert --dtype i4 more more.npy").ok();
    for output in ["out.blp", "out.b2frame", "out.b2nd", "out.bcolz"] {
        let lines = choices(sandbox.run(&format!("-v convert --auto more.npy {output}")));
        assert!(lines.len() == 1 && lines[0].contains("4-byte elements"), "{output}: {lines:?}");
        sandbox.run(&format!("-f convert {output} back.npy")).ok();
        assert_eq!(sandbox.run("cat --bytes .. back.npy").ok().stdout, sandbox.read("more"), "{output}");
    }
    let error = sandbox.run("convert --auto --dict more.npy x.b2frame").failed();
    assert_eq!(error, "--dict: a dictionary cannot be combined with --auto; leave one of them out");
}

#[test]
fn wrong_goals_are_refused() {
    let sandbox = integers();
    for goal in ["", "best", "0MB/s", "500", "ratio:x", "Fast"] {
        let error = sandbox.run(&format!("c --auto={goal} f")).usage();
        let expected = format!("argument --auto: invalid choice: '{goal}' (choose from 'fast', 'balanced', 'small', ");
        assert!(error.starts_with(&expected), "{error}");
    }
    // The goal is joined to the option, so that the next word is a file.
    sandbox.run("c --auto f small").ok();
    assert_eq!(sandbox.names(), ["f", "small"]);
    assert_eq!(sandbox.run("c --auto -x f").usage(), "unrecognized arguments: -x");
    assert!(sandbox.run("chunk encode -c auto f c").usage().contains("invalid choice: 'auto'"));
}

#[test]
fn bench_measures_the_goals() {
    let sandbox = integers();
    let run = sandbox.run("bench --seconds 0 -c auto,lz4 -l 1 --filter shuffle f").ok();
    let rows: Vec<_> = run.lines().into_iter().skip(1).take(4).map(|row| row.trim_start_matches(['*', ' '])).collect();
    for name in ["auto fast ", "auto balanced ", "auto small ", "lz4 "] {
        assert!(rows.iter().any(|row| row.starts_with(name)), "{name}: {}", run.text());
    }
    let run = sandbox.run("bench --seconds 0 --json -c auto -t 4 f").ok();
    let object: testdata::serde_json::Value = testdata::serde_json::from_slice(&run.stdout).unwrap();
    let results = object["results"].as_array().unwrap();
    assert!(results.len() == 3 && results.iter().all(|one| one["codec"] == "auto" && one["typesize"] == 4), "{object}");
    let command = object["commands"][0]["command"].as_str().unwrap();
    assert!(command.starts_with("blpk compress --auto=") && command.ends_with(" -t 4 -z 1M f"), "{command}");
    sandbox.shell(command).ok();
}

/// No script of the original depends on frames, so that they get suitable settings without `--auto`.
#[test]
fn frames_are_automatic_by_default() {
    let sandbox = mixture();
    let frame = |options: &str| {
        sandbox.run(&format!("-f c {options} f f.b2frame")).ok();
        sandbox.read("f.b2frame")
    };
    let automatic = frame("--auto");
    assert!(frame("") == automatic && frame("-z 2M") == automatic);
    for options in ["-t 8", "-c blosclz", "-l 7", "-s", "--filter shuffle"] {
        assert!(frame(options) != automatic, "{options}");
    }
    assert!(frame("-t 8") == frame("-t 8 -c blosclz -l 7 --filter shuffle"));
}
