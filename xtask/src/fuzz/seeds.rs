//! Seed inputs of the fuzz targets, made from the golden files.

use anyhow::{Context, Result};
use std::collections::BTreeMap;
use std::path::Path;
use testdata::SplitMix64;

/// Seeds: file name and input.
type Seeds = Vec<(String, Vec<u8>)>;

/// Maximum input length that libFuzzer is run with.
const MAX_LEN: usize = 65_536;

/// Writes the golden inputs of `target` into its corpus. The corpus is not in git; the archives are.
pub(super) fn write(target: &str, corpus: &Path) -> Result<()> {
    std::fs::create_dir_all(corpus)?;
    for (name, bytes) in seeds(target) {
        // libFuzzer saves its own finds in the same folder. A seed's name never changes, so it is written once.
        let path = corpus.join(name.replace('/', "-"));
        if bytes.len() <= MAX_LEN && !path.exists() {
            std::fs::write(&path, bytes).with_context(|| path.display().to_string())?;
        }
    }
    Ok(())
}

fn seeds(target: &str) -> Seeds {
    match target {
        "chunk_decode" | "chunk_round_trip" | "c_blosc1" | "c_blosc2" => chunks(),
        // The last 16 bytes choose the ranges: four numbers, taken modulo the chunk's uncompressed size.
        "chunk_ranges" => {
            let places = [1_000u32, 70_000, 3, 123_457].map(u32::to_le_bytes).concat();
            followed_by(chunks(), &places)
        }
        "codec_decode" => chunks().into_iter().filter_map(|(name, chunk)| Some((name, stream(&chunk)?))).collect(),
        "filters" | "reference_blosc1" | "reference_blosc2" | "container_round_trip" => preceded_by_choices(chunks()),
        "bloscpack_parse" | "bloscpack_unpack" => of("bloscpack", &[".blp"]),
        // Appends 600 bytes, compressed with LZ4.
        "bloscpack_edit" => followed_by(of("bloscpack", &[".blp"]), &[0, 88, 2, 1]),
        "frame_parse" | "frame_read" | "c_frame" => frames(),
        // Edits: chunks appended, inserted, replaced, deleted; a vlmetalayer; commits.
        "frame_edit" => followed_by(frames(), &[0, 9, 7, 18, 5, 11, 4, 0]),
        // JSON, and `.npy` array headers.
        "text_parse" => [of("bcolz", &["meta/storage", "__attrs__"]), of("bloscpack", &[".npy"])].concat(),
        "bcolz_parse" => of("bcolz", &["meta/storage", "meta/sizes", "__attrs__", "__rootdirs__"]),
        "bcolz_read" => carrays(),
        // Edits of an array: rows appended, streamed, trimmed, assigned; an attribute; flushes. If the last number is
        // odd, edits of a table: the same, and columns added, deleted, renamed.
        "bcolz_edit" => {
            let array = followed_by(carrays(), &[60, 5, 61, 32, 21, 22, 5, 18, 39, 130, 3, 50]);
            let table = vec![160, 13, 89, 82, 60, 15, 14, 7, 31, 104, 63, 9];
            [array, vec![("table".to_owned(), table)]].concat()
        }
        "zarr" => [zarr_stores(), of("zarr", &[".zip", "zarr.json", ".zarray", ".zmetadata"])].concat(),
        // The byte after a carray selects the treatment of gaps.
        "recover" => [followed_by(carrays(), &[1]), frames(), of("bloscpack", &[".blp"])].concat(),
        _ => Vec::new(),
    }
}

/// Returns the files of an archive whose names end with one of `ends`.
fn of(archive: &str, ends: &[&str]) -> Seeds {
    let files = testdata::archive(archive).into_iter();
    files.filter(|(name, _)| ends.iter().any(|end| name.ends_with(end))).collect()
}

fn chunks() -> Seeds {
    of("chunks", &[".bin"])
}

fn frames() -> Seeds {
    of("frames", &[".b2frame", ".b2nd"])
}

fn followed_by(mut seeds: Seeds, last: &[u8]) -> Seeds {
    seeds.iter_mut().for_each(|(_, bytes)| bytes.extend(last));
    seeds
}

/// Truncates each seed to 4 KiB of data and prepends parameters of any kind.
fn preceded_by_choices(mut seeds: Seeds) -> Seeds {
    let mut rng = SplitMix64::new(1);
    for (_, bytes) in &mut seeds {
        bytes.truncate(4096);
        let choices: Vec<u8> = (0..3).flat_map(|_| rng.next_u64().to_le_bytes()).take(18).collect();
        bytes.splice(0..0, choices);
    }
    seeds
}

/// Returns the first stream of a chunk in the form `codec_decode` takes: codec, uncompressed size, stream.
///
/// ```text
/// offset  0        2      3         4       8          12      16 or 32 (flags & 5 == 5)    where that says
///         version  flags  typesize  nbytes  blocksize  cbytes  start of block 0 …           csize  stream …
/// ```
fn stream(chunk: &[u8]) -> Option<Vec<u8>> {
    let number = |at: usize| Some(u32::from_le_bytes(chunk.get(at..at + 4)?.try_into().ok()?) as usize);
    let (flags, typesize) = (*chunk.get(2)?, usize::from(*chunk.get(3)?).max(1));
    let start = number(if flags & 5 == 5 { 32 } else { 16 })?;
    let stream = chunk.get(start + 4..)?.get(..number(start)?)?;
    let block = number(8)?.min(number(4)?);
    // Flag 0x10: the block is not split. The top three bits hold the codec's number, mapped to the order of the
    // target's list.
    let len = if flags & 0x10 == 0 { block / typesize } else { block };
    let [low, middle, high, _] = u32::try_from(len).ok()?.to_le_bytes();
    let codec = [0, 1, 2, 3, 4, 0, 5, 0][usize::from(flags >> 5)];
    Some([&[codec, low, middle, high], stream].concat())
}

/// Returns the files of each golden Zarr array joined into one input, in the form that `zarr::files` splits: metadata,
/// attributes, and the first chunks.
fn zarr_stores() -> Seeds {
    const METADATA: [&str; 3] = ["zarr.json", ".zarray", ".zattrs"];
    let mut stores: BTreeMap<String, [Vec<Vec<u8>>; 2]> = BTreeMap::new();
    let names: Vec<String> = testdata::archive("zarr").into_keys().collect();
    let roots: Vec<&str> =
        names.iter().filter_map(|name| name.strip_suffix("/zarr.json").or(name.strip_suffix("/.zarray"))).collect();
    for (name, bytes) in testdata::archive("zarr") {
        let root = roots.iter().find(|root| name.strip_prefix(**root).is_some_and(|rest| rest.starts_with('/')));
        let Some(root) = root else { continue };
        let is_metadata = METADATA.iter().any(|file| name.ends_with(file));
        stores.entry((*root).to_owned()).or_default()[usize::from(!is_metadata)].push(bytes);
    }
    let joined = |[metadata, chunks]: [Vec<Vec<u8>>; 2]| {
        let attributes = metadata.get(1).cloned().unwrap_or_default();
        let parts = metadata.into_iter().take(1).chain([attributes]).chain(chunks.into_iter().take(8));
        parts.flat_map(|part| [part.as_slice(), &[0xff; 4]].concat()).collect()
    };
    stores.into_iter().map(|(root, parts)| (root, joined(parts))).collect()
}

/// Returns the files of each golden carray joined into one input, in the form that `carray_files` splits.
fn carrays() -> Seeds {
    const FILES: [&str; 5] = ["meta/storage", "meta/sizes", "__attrs__", "data/__0.blp", "data/__1.blp"];
    let files: BTreeMap<_, _> = testdata::archive("bcolz").into_iter().collect();
    let roots = files.keys().filter_map(|name| name.strip_suffix("/meta/storage"));
    let joined = |root: &str| {
        let parts = FILES.map(|name| files.get(&format!("{root}/{name}")).cloned().unwrap_or_default());
        parts.map(|part| [part.as_slice(), &[0xff; 4]].concat()).concat()
    };
    roots.map(|root| (root.to_owned(), joined(root))).collect()
}
