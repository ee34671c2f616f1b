//! Tests of `advise`: groups and their alternatives, as text and as JSON.

use testdata::serde_json::{Value, from_slice};

use crate::common::{Sandbox, noise};

fn json(sandbox: &Sandbox, args: &str) -> Value {
    from_slice(&sandbox.run(&format!("advise --json {args}")).ok().stdout).unwrap()
}

fn text(nbytes: usize) -> Vec<u8> {
    testdata::text(nbytes, 1)[..nbytes].to_vec()
}

#[test]
fn each_goal_has_a_table_and_a_command() {
    let sandbox = Sandbox::new();
    sandbox.write("f", &testdata::ramp(300_000, 4, 0));
    let run = sandbox.run("advise f").ok();
    let lines = run.lines();
    assert_eq!(lines[0], "f: 292.97K (300000B), 1 piece read");
    for goal in ["fast", "balanced", "small"] {
        let at = lines.iter().position(|line| line.starts_with(&format!("{goal}, all pieces: "))).unwrap();
        assert!(lines[at].contains("4-byte elements, "), "{}", lines[at]);
        assert!(lines[at + 1].trim_start().starts_with("codec    level  filter"), "{}", run.text());
        let rows = lines[at + 2..].iter().take_while(|line| !line.is_empty());
        assert_eq!(rows.filter(|row| row.starts_with("  * ")).count(), 1, "{}", run.text());
        assert!(lines.contains(&&*format!("{goal}: blpk compress --auto={goal} f")), "{}", run.text());
    }
    let run = sandbox.run("advise --goal small,small -t 2 --format b2frame f").ok();
    assert_eq!(run.text().matches("all pieces").count(), 1, "{}", run.text());
    let command = "blpk compress --auto=small -t 2 --format b2frame f";
    assert_eq!(run.lines().last().unwrap().strip_prefix("small: "), Some(command));
    assert_eq!(sandbox.names(), ["f"], "nothing is written");
    sandbox.shell(command).ok();
}

#[test]
fn two_kinds_of_data_are_two_groups() {
    let sandbox = Sandbox::new();
    sandbox.write("f", &[text(3 << 20), testdata::linspace_f64(0.0, 1e6, 3 << 17)].concat());
    let run = sandbox.run("advise --goal balanced f").ok();
    let groups: Vec<_> = run.lines().into_iter().filter(|line| line.starts_with("balanced, ")).collect();
    assert!(groups.len() == 2, "{}", run.text());
    assert!(groups[0].starts_with("balanced, pieces 1-3 of 6, from 0B on: ") && groups[0].ends_with("no filter"));
    assert!(groups[1].starts_with("balanced, pieces 4-6 of 6, from 3.0M on: ") && groups[1].contains("8-byte"));
    // The choice is that of `compress`.
    let verbose = sandbox.run("-v c -z 1M --auto f").ok();
    for group in groups {
        assert!(verbose.text().contains(group.split_once(": ").unwrap().1), "{group}: {}", verbose.text());
    }
}

#[test]
fn figures_for_programs() {
    let sandbox = Sandbox::new();
    sandbox.write("f", &[text(1 << 20), testdata::linspace_f64(0.0, 1e6, 1 << 17)].concat());
    let object = json(&sandbox, "f");
    assert!(object["schema"] == 1 && object["name"] == "f" && object["nbytes"] == 2 << 20, "{object}");
    assert!(object["typesize"].is_null() && object["sample"] == 2 << 20, "{object}");
    assert_eq!(object["offsets"].to_string(), "[0,1048576]");
    let goals = object["goals"].as_array().unwrap();
    assert_eq!(
        goals.iter().map(|goal| goal["goal"].as_str().unwrap()).collect::<Vec<_>>(),
        ["fast", "balanced", "small"]
    );
    for goal in goals {
        let groups = goal["groups"].as_array().unwrap();
        assert!(groups.len() == 2 && groups[1]["pieces"] == Value::from(vec![1]), "{goal}");
        assert!(groups[0]["filters"] == Value::Array(Vec::new()) && groups[1]["typesize"] == 8, "{goal}");
        for group in groups {
            let candidates = group["candidates"].as_array().unwrap();
            let setting =
                |one: &Value| ["codec", "clevel", "zstd_level", "filters", "typesize"].map(|key| one[key].clone());
            assert!(candidates.iter().any(|one| setting(one) == setting(group)), "{group}");
            let is_sound =
                |one: &Value| one["ratio"].as_f64().unwrap() >= 1.0 && one["compress"].as_u64().unwrap() > 1_000_000;
            assert!(candidates.iter().all(is_sound), "{group}");
        }
    }
    let bench = sandbox.run("advise --json --goal fast f f").ok();
    assert_eq!(bench.lines().len(), 2, "an object for each file");
}

#[test]
fn the_content_of_containers_counts() {
    let sandbox = Sandbox::new();
    sandbox.write("f", &testdata::ramp(300_000, 4, 0));
    for name in ["f.npy", "f.b2nd", "f.bcolz", "f.blp"] {
        sandbox.run(&format!("convert --dtype i4 f {name}")).ok();
        let object = json(&sandbox, &format!("--goal balanced {name}"));
        assert!(object["typesize"] == 4 && object["nbytes"] == 300_000, "{object}");
        let command = object["goals"][0]["command"].as_str().unwrap();
        assert_eq!(command, format!("blpk convert --auto=balanced {name} f.new.blp"));
        sandbox.shell(&command.replace("convert", "-f convert")).ok();
        assert_eq!(sandbox.info("f.new.blp")["nbytes"], 300_000);
    }
    // The typesize in the header of plain bytes may be any.
    sandbox.run("c f plain.blp").ok();
    let object = json(&sandbox, "--goal balanced plain.blp");
    assert!(object["typesize"].is_null() && object["goals"][0]["groups"][0]["typesize"] == 4, "{object}");
}

#[test]
fn incompressible_data_has_advice() {
    let sandbox = Sandbox::new();
    sandbox.write("f", &noise(300_000));
    sandbox.write("tiny", b"x");
    for name in ["f", "tiny"] {
        let object = json(&sandbox, &format!("--goal fast {name}"));
        let ratio = object["goals"][0]["groups"][0]["candidates"][0]["ratio"].as_f64().unwrap();
        assert!((1.0..1.05).contains(&ratio), "{object}");
    }
}

#[test]
fn what_no_advice_is_given_on() {
    let sandbox = Sandbox::with_f();
    sandbox.write("empty", b"");
    assert_eq!(sandbox.run("advise missing").failed(), "file 'missing' does not exist!");
    assert_eq!(sandbox.run("advise empty").failed(), "empty: there is nothing to advise on: the file is empty");
    let end = "and advice needs parts from all over a file; name a file";
    assert_eq!(sandbox.pipe("advise -", b"data").failed(), format!("'-' is stdin, {end}"));
    assert_eq!(sandbox.run("advise -t 0 f").failed(), "'typesize' must be in the range 1 <= n <= 255, not '0'");
    let error = sandbox.run("advise --goal best f").usage();
    assert_eq!(error, "argument --goal: invalid choice: 'best' (choose from 'fast', 'balanced', 'small')");
    // The others are not stopped.
    let run = sandbox.run("advise --goal fast missing f");
    assert!(run.code == Some(1) && run.text().starts_with("f: "), "{}", run.text());
    assert_eq!(run.error(), "file 'missing' does not exist!");
    #[cfg(unix)]
    {
        sandbox.shell("mkfifo p").ok();
        assert_eq!(sandbox.run("advise p").failed(), format!("'p' is a pipe or device, {end}"));
    }
}
