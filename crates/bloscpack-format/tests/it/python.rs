//! Compares the Python spellings of this crate with `python_vectors.jsonl`, which `python_vectors.py` wrote with real
//! Python.

use bloscpack_format::numpy::{Dtype, NumpyMeta, Order, npy};
use bloscpack_format::{Json, python_bytes_repr, python_float_repr, python_str_repr};
use testdata::serde_json::{self, Value};

#[test]
fn says_what_python_says() {
    let mut lines = 0;
    for line in include_str!("python_vectors.jsonl").lines() {
        let Value::Array(vector) = serde_json::from_str(line).unwrap() else { panic!("{line}") };
        let [kind, given, expected] = vector.as_slice() else { panic!("{line}") };
        match kind.as_str().unwrap() {
            "float" => {
                let bits = u64::from_str_radix(given.as_str().unwrap(), 16).unwrap();
                assert_eq!(python_float_repr(f64::from_bits(bits)), expected.as_str().unwrap());
            }
            "str" => assert_eq!(python_str_repr(given.as_str().unwrap()), expected.as_str().unwrap()),
            "bytes" => assert_eq!(python_bytes_repr(&unhex(given)), expected.as_str().unwrap()),
            "json" => json(given.as_str().unwrap(), expected.as_str()),
            "dtype" => dtype(given.as_str().unwrap(), expected),
            "npy" => npy_header(given, &unhex(expected)),
            kind => panic!("{kind}"),
        }
        lines += 1;
    }
    assert!(lines > 250, "only {lines} lines");
}

fn json(text: &str, expected: Option<&str>) {
    let dumped = Json::parse(text).map(|value| value.dumps());
    assert_eq!(dumped.as_deref().ok(), expected, "{text:?}: {dumped:?}");
}

fn dtype(descr: &str, expected: &Value) {
    let ours = Dtype::parse(descr).map(|dtype| (dtype.to_string(), dtype.itemsize()));
    let numpys = expected.as_array().map(|pair| (pair[0].as_str().unwrap().to_owned(), pair[1].as_u64().unwrap()));
    assert_eq!(ours.as_ref().ok(), numpys.as_ref(), "{descr}: {ours:?}");
}

fn npy_header(given: &Value, header: &[u8]) {
    let meta = NumpyMeta {
        dtype: Dtype::parse(given[0].as_str().unwrap()).unwrap(),
        shape: given[1].as_array().unwrap().iter().map(|n| n.as_u64().unwrap()).collect(),
        order: if given[2] == Value::Bool(true) { Order::F } else { Order::C },
    };
    assert_eq!(npy::to_bytes(&meta).unwrap(), header, "{given}");
    assert_eq!(npy::parse(header), Ok((meta, header.len())), "{given}");
}

fn unhex(hex: &Value) -> Vec<u8> {
    let hex = hex.as_str().unwrap();
    (0..hex.len() / 2).map(|i| u8::from_str_radix(&hex[2 * i..2 * i + 2], 16).unwrap()).collect()
}
