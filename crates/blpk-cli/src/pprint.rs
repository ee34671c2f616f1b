//! Python's `pprint.pformat(value, width=90)`: the layout of metadata.

pub(crate) use bloscpack_io::describe::pformat;

#[cfg(test)]
mod tests {
    use super::*;
    use bloscpack_format::Json;
    use testdata::serde_json::Value;

    #[test]
    fn layouts_are_pythons() {
        let table: Value = testdata::serde_json::from_str(include_str!("../tests/data/python_texts.json")).unwrap();
        let rows = table["pformat"].as_array().unwrap();
        assert!(rows.len() > 500);
        for row in rows {
            let json = row[0].as_str().unwrap();
            assert_eq!(pformat(&Json::parse(json).unwrap()).unwrap(), row[1].as_str().unwrap(), "{json}");
        }
    }

    #[test]
    fn a_layout_that_explodes_is_a_repr() {
        // A million lines, each indented by a million columns.
        let text = format!(r#"{{"{}": [{}0]}}"#, "k".repeat(1_000_000), "0,".repeat(1_000_000));
        let value = Json::parse(text).unwrap();
        let layout = pformat(&value).unwrap();
        assert_eq!(layout.len(), 4_000_009);
        assert!(!layout.contains('\n'));
    }
}
