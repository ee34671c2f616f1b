//! Tests that frames written by C-Blosc2 have the contents in their manifest.

use blosc_core::{Chunk, Decoder, Limits};
use bloscpack_format::frame::{
    B2nd, ChunkInfo, ChunkRef, ChunkSize, Frame, FrameType, Grid, Header, Index, Layout, Trailer, decode_vlmetalayer,
    sframe,
};
use bloscpack_format::{Format, FormatError, detect};
use std::collections::BTreeMap;
use testdata::serde_json::{Value, json};
use testdata::sha256_hex;

type Files = BTreeMap<String, Vec<u8>>;

/// The frames of the set are small; a larger uncompressed size is a decompression bomb.
const LIMITS: Limits = Limits::new().max_nbytes(1 << 20);

/// Returns the file that contains the frame's header: the path itself, or the one in the directory.
fn frame_file<'a>(files: &'a Files, path: &str) -> Option<&'a Vec<u8>> {
    files.get(path).or_else(|| files.get(&format!("{path}/{}", sframe::INDEX_FILE)))
}

/// Calls `check` with every frame and its entry in the manifest.
fn each_frame(mut check: impl FnMut(&str, &[u8], &Value, &Files)) {
    let files = testdata::archive("frames");
    let manifest = testdata::manifest("frames");
    let listed = manifest["frames"].as_array().unwrap();
    assert_eq!(listed.len(), 289);
    for item in listed {
        let path = item["path"].as_str().unwrap();
        check(path, frame_file(&files, path).unwrap(), item, &files);
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn headers() {
    each_frame(|path, file, item, _| {
        let header = Header::parse(file).unwrap();
        let facts = &item["header"];
        let sizes = [
            ("header_len", header.header_len()),
            ("frame_len", header.frame_len),
            ("nbytes", header.nbytes),
            ("cbytes", header.cbytes),
            ("frame_type", header.frame_type.id().into()),
            ("typesize", header.typesize.into()),
            ("blocksize", header.blocksize.into()),
            ("version", header.version.into()),
            ("codec_flags", (header.compcode | header.clevel << 4).into()),
            ("other_flags", header.other_flags.into()),
            ("other_flags2", header.other_flags2.into()),
            ("reserved", header.reserved.into()),
            ("nfilters", header.nfilters.into()),
            ("udcodec", header.udcodec.into()),
            ("codec_meta", header.codec_meta.into()),
        ];
        for (fact, value) in sizes {
            assert_eq!(facts[fact], value, "{path}: {fact}");
        }
        assert_eq!(facts["chunksize"], header.chunksize.to_i64(), "{path}");
        assert_eq!(facts["nthreads_c"], header.nthreads_compress, "{path}");
        assert_eq!(facts["nthreads_d"], header.nthreads_decompress, "{path}");
        assert_eq!(facts["has_vlmeta"], header.has_vlmetalayers, "{path}");
        assert_eq!(facts["variable_chunks"], header.variable_chunks, "{path}");
        assert_eq!(facts["vl_blocks"], header.vl_blocks, "{path}");
        assert_eq!(facts["filters"], json!(header.filters), "{path}");
        assert_eq!(facts["filters_meta"], json!(header.filters_meta), "{path}");
        assert_eq!(header.to_bytes().unwrap(), file[..header.header_len() as usize], "{path}");
        assert_eq!(detect(file, None), Some(Format::Blosc2Frame), "{path}");
        if let Some(name) = item["params"]["codec"].as_str() {
            let codec = header.codec().unwrap();
            assert_eq!(codec.name(), name.to_lowercase(), "{path}");
            let mut same = header.clone();
            assert!(same.set_codec(codec) && same == header, "{path}");
        }
    });
}

#[test]
fn metalayers_and_vlmetalayers() {
    let mut decoder = Decoder::new().limits(LIMITS);
    let mut seen = [0, 0];
    each_frame(|path, file, item, _| {
        let frame = Frame::parse(file, LIMITS).unwrap();
        let layout = frame.layout().unwrap();
        assert_eq!(item["header"]["trailer_offset"], layout.trailer.start, "{path}");
        assert_eq!(item["header"]["trailer_len"], frame.trailer.trailer_len(), "{path}");
        let stored = &file[layout.trailer.start as usize..layout.trailer.end as usize];
        assert_eq!(frame.trailer.to_bytes().unwrap(), stored, "{path}");

        let facts = item["metalayers"].as_object().unwrap();
        assert_eq!(frame.header.metalayers.iter().len(), facts.len(), "{path}");
        for (name, fact) in facts {
            seen[0] += 1;
            assert_eq!(fact["hex"], hex(frame.header.metalayers.get(name).unwrap()), "{path}: {name}");
        }
        let facts = item["vlmetalayers"].as_object().unwrap();
        assert_eq!(frame.trailer.vlmetalayers.iter().len(), facts.len(), "{path}");
        for (name, fact) in facts {
            seen[1] += 1;
            let chunk = frame.trailer.vlmetalayers.get(name).unwrap();
            assert_eq!(fact["stored_len"], chunk.len(), "{path}: {name}");
            let content = decode_vlmetalayer(chunk, &mut decoder).unwrap();
            assert_eq!(frame.trailer.vlmetalayers.decode(name, &mut decoder).as_ref(), Ok(&content));
            assert_eq!(fact["sha256"], sha256_hex(&content), "{path}: {name}");
        }

        // Rebuilt metalayers are stored identically.
        let mut metalayers = bloscpack_format::frame::Metalayers::default();
        for layer in frame.header.metalayers.iter() {
            metalayers.add(&layer.name_lossy(), layer.content).unwrap();
        }
        assert_eq!(metalayers, frame.header.metalayers, "{path}");
        let mut trailer = Trailer::default();
        for layer in frame.trailer.vlmetalayers.iter() {
            trailer.vlmetalayers.set(&layer.name_lossy(), layer.content, 16).unwrap();
        }
        assert_eq!(trailer, frame.trailer, "{path}");
    });
    assert!(seen[0] > 100 && seen[1] > 30, "{seen:?}");
}

/// Decodes a frame's chunks, and checks each against the index and the header.
fn plain(frame: &Frame, path: &str, file: &[u8], files: &Files) -> Result<Vec<Vec<u8>>, FormatError> {
    let mut decoder = Decoder::new().limits(LIMITS).super_chunk_typesize(frame.header.typesize as usize);
    if let Some((array, _)) = Grid::of(frame)? {
        let blockshape: Vec<usize> = array.blockshape.iter().map(|len| *len as usize).collect();
        decoder = decoder.blockshape(&blockshape);
    }
    let data = frame.layout()?.data;
    let mut chunks = Vec::new();
    for chunk in 0..frame.nchunks() {
        let (bytes, nbytes) = match frame.chunk(chunk)? {
            ChunkRef::Stored { at, room, nbytes } => {
                assert_eq!(at + room, data.end);
                (&file[at as usize..data.end as usize], nbytes)
            }
            ChunkRef::File { number, nbytes } => {
                let name = format!("{path}/{}", sframe::chunk_file_name(number));
                (files.get(&name).map_or([].as_slice(), Vec::as_slice), nbytes)
            }
            ChunkRef::Special { special, nbytes } => {
                let encoder = blosc_core::Encoder::new(blosc_core::CParams::blosc2().typesize(4)).unwrap();
                let chunk = match special {
                    blosc_core::Special::Nan => encoder.nans(nbytes as usize),
                    _ => encoder.zeros(nbytes as usize),
                };
                chunks.push(blosc_core::decompress(&chunk.unwrap()).unwrap());
                continue;
            }
        };
        ChunkInfo::parse(bytes)?.check(chunk, bytes.len() as u64, nbytes)?;
        let refused = |source| FormatError::Frame(bloscpack_format::frame::FrameError::Encode(Box::new(source)));
        let decoded = Chunk::parse(bytes).and_then(|chunk| decoder.decompress(&chunk));
        chunks.push(decoded.map_err(|_| refused(blosc_core::EncodeError::Typesize))?);
    }
    Ok(chunks)
}

#[test]
fn chunks() {
    let mut special = 0;
    each_frame(|path, file, item, files| {
        let frame = Frame::parse(file, LIMITS).unwrap();
        assert_eq!(item["nchunks"], frame.nchunks(), "{path}");
        assert_eq!(
            frame.header.nchunks().is_none(),
            frame.header.chunksize == ChunkSize::Variable && frame.nchunks() > 0
        );
        let kind = if item["kind"] == "sparse" { FrameType::Sparse } else { FrameType::Contiguous };
        assert_eq!(frame.header.expect_type(kind), Ok(()), "{path}");
        let chunks = match plain(&frame, path, file, files) {
            Ok(chunks) => chunks,
            Err(error) => panic!("{path}: {error}"),
        };
        // The manifest lists at most 64.
        let sizes: Vec<_> = chunks.iter().map(Vec::len).take(64).collect();
        assert_eq!(item["chunk_nbytes"], json!(sizes), "{path}");
        special += (0..frame.nchunks()).filter(|n| matches!(frame.chunk(*n), Ok(ChunkRef::Special { .. }))).count();
        if item["uninit"].is_null() {
            assert_eq!(item["sha256"], sha256_hex(&chunks.concat()), "{path}");
        }

        // The encoded index is equal, and an index that repeats one entry takes 40 bytes.
        let layout = frame.layout().unwrap();
        let ours = frame.index.encode().unwrap();
        assert_eq!(Index::decode(&ours, &frame.header, LIMITS).as_ref(), Ok(&frame.index), "{path}");
        let theirs = &file[layout.index.start as usize..layout.index.end as usize];
        let most = theirs.len() + theirs.len() / 8 + 16;
        assert!(ours.len() <= most, "{path}: {} bytes, C-Blosc2 {}", ours.len(), theirs.len());
    });
    assert!(special > 50, "{special}");
}

#[test]
fn arrays() {
    let mut seen = 0;
    each_frame(|path, file, item, files| {
        let frame = Frame::parse(file, LIMITS).unwrap();
        let facts = &item["b2nd"];
        let Some((array, grid)) = Grid::of(&frame).unwrap() else {
            assert!(facts.is_null(), "{path}");
            return;
        };
        seen += 1;
        assert_eq!(facts["shape"], json!(array.shape), "{path}");
        assert_eq!(facts["chunks"], json!(array.chunkshape), "{path}");
        assert_eq!(facts["blocks"], json!(array.blockshape), "{path}");
        let content = frame.header.metalayers.get(B2nd::NAME).unwrap();
        assert_eq!(array.to_bytes().unwrap(), content, "{path}");
        let dtype = array.numpy_dtype().unwrap().unwrap();
        assert_eq!(dtype.itemsize(), u64::from(frame.header.typesize), "{path}");

        let chunks = plain(&frame, path, file, files).unwrap();
        let all = grid.all();
        let mut whole = vec![0; grid.nbytes_of(&all).unwrap() as usize];
        for part in grid.parts(&all).unwrap() {
            assert!(grid.is_whole(&part));
            grid.read(&part, &chunks[part.nchunk as usize], &all, &mut whole).unwrap();
        }
        assert_eq!(facts["array_sha256"], sha256_hex(&whole), "{path}");

        // Written into chunks of zeros and read again, the array is the same.
        let mut again = vec![0; whole.len()];
        for part in grid.parts(&all).unwrap() {
            let mut chunk = vec![0; grid.chunk_nbytes()];
            grid.write(&part, &mut chunk, &all, &whole).unwrap();
            grid.read(&part, &chunk, &all, &mut again).unwrap();
        }
        assert!(again == whole, "{path}");
    });
    assert_eq!(seen, 85);
}

/// Returns the file of a malformed case, made by its recipe.
fn malformed_file(item: &Value, files: &Files) -> Option<Vec<u8>> {
    let Some(base) = item["base"].as_str() else {
        return frame_file(files, item["path"].as_str().unwrap()).cloned();
    };
    let mut file = frame_file(files, base).unwrap().clone();
    let unhex = |text: &Value| -> Vec<u8> {
        let digits = text.as_str().unwrap().as_bytes();
        digits.chunks(2).map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap()).collect()
    };
    for op in item["ops"].as_array().unwrap() {
        match op[0].as_str().unwrap() {
            "trunc" => file.truncate(op[1].as_u64().unwrap() as usize),
            "append" => file.extend(unhex(&op[1])),
            "set" => {
                let (at, bytes) = (op[1].as_u64().unwrap() as usize, unhex(&op[2]));
                file[at..at + bytes.len()].copy_from_slice(&bytes);
            }
            other => panic!("unknown op {other}"),
        }
    }
    Some(file)
}

#[test]
fn malformed() {
    let files = testdata::archive("frames");
    let manifest = testdata::manifest("frames");
    let (mut errors, mut accepted) = (0, 0);
    for item in manifest["malformed"].as_array().unwrap() {
        let name = item["name"].as_str().unwrap();
        let path = item["path"].as_str().unwrap_or_default();
        let file = malformed_file(item, &files);
        let read = |file: Vec<u8>| {
            let frame = Frame::parse(&file, LIMITS)?;
            let sparse = path.ends_with(".sframe");
            frame.header.expect_type(if sparse { FrameType::Sparse } else { FrameType::Contiguous })?;
            let header = frame.header.to_bytes().unwrap();
            assert_eq!(header, file[..header.len()], "{name}");
            Grid::of(&frame)?;
            // Each of these chunks is a valid 2 GiB of zeros. Its reader decides whether to accept the cost.
            if name == "zero_bomb_chunks" || name == "index_bomb_consistent" {
                Ok(())
            } else {
                plain(&frame, path, &file, &files).map(drop)
            }
        };
        match file.map(read) {
            Some(Ok(())) => {
                assert_eq!(item["expect"], "no_crash", "{name}");
                accepted += 1;
            }
            Some(Err(error)) => {
                assert!(!error.to_string().is_empty());
                errors += 1;
            }
            None => assert_eq!(name, "sframe_no_index"),
        }
    }
    assert_eq!(errors + accepted + 1, 2944);
    assert!(accepted > 200, "{accepted}");
}

/// A frame can be read part by part: each part is located by those read before.
#[test]
fn parts_are_found_one_by_one() {
    each_frame(|path, file, _, _| {
        let mut needed = 0;
        let header = loop {
            match Header::parse(&file[..needed]) {
                Ok(header) => break header,
                Err(error) => {
                    let more = error.bytes_needed().unwrap() as usize;
                    assert!(more > needed && more <= file.len(), "{path}");
                    needed = more;
                }
            }
        };
        assert_eq!(needed as u64, header.header_len(), "{path}");
        let end = header.frame_len as usize;
        let layout = Layout::new(&header, Trailer::len_at_end(&file[end - Trailer::TAIL_LEN..end]).unwrap()).unwrap();
        assert_eq!(layout.trailer.end, header.frame_len, "{path}");
        let trailer = Trailer::parse(&file[layout.trailer.start as usize..end]).unwrap();
        assert_eq!(Frame::parse(file, LIMITS).unwrap().trailer, trailer, "{path}");
    });
}
