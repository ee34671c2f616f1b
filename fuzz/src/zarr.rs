//! A Zarr store inside one input.

/// Splits an input into the files of a store. Each is followed by four bytes of 0xFF: the metadata, the attributes of
/// version 2, then chunks, which are stored under the keys of arrays of one and of two axes.
pub fn files(bytes: &[u8]) -> Vec<(String, Vec<u8>)> {
    let mut parts = Vec::new();
    let mut rest = bytes;
    while !rest.is_empty() && parts.len() < 10 {
        let end = rest.windows(4).position(|four| four == [0xff; 4]).unwrap_or(rest.len());
        parts.push(rest[..end].to_vec());
        rest = rest.get(end + 4..).unwrap_or_default();
    }
    let mut parts = parts.into_iter();
    let metadata = parts.next().unwrap_or_default();
    let is_v3 = metadata.windows(9).any(|text| text == b"node_type");
    let mut files = vec![(if is_v3 { "zarr.json" } else { ".zarray" }.to_owned(), metadata)];
    files.extend(parts.next().filter(|zattrs| !zattrs.is_empty()).map(|zattrs| (".zattrs".to_owned(), zattrs)));
    for (number, chunk) in parts.enumerate() {
        let (row, column) = (number / 2, number % 2);
        for key in [
            format!("{number}"),
            format!("c.{number}"),
            format!("c/{number}"),
            format!("{row}.{column}"),
            format!("c/{row}/{column}"),
        ] {
            files.push((key, chunk.clone()));
        }
    }
    files
}
