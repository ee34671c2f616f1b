use super::{DecodeDict, EncodeDict, ZstdDecoder, ZstdEncoder};
use crate::codec::dict_chunks::{self, DictChunk};
use crate::codec::{CodecFormat, DecodeTask, StreamError};

/// Decodes over two buffers of different contents and demands the same result.
fn decoded(frame: &[u8], len: usize, dict: &DecodeDict) -> Result<Vec<u8>, StreamError> {
    let [first, second] = [0x00, 0xA5].map(|fill| {
        let mut dst = vec![fill; len];
        ZstdDecoder::default().decompress(DecodeTask { src: frame, dst: &mut dst, len }, Some(dict)).map(|()| dst)
    });
    assert_eq!(first, second);
    first
}

fn plain_streams(chunk: &DictChunk) -> Vec<Vec<u8>> {
    let dict = DecodeDict::new(&chunk.dict).unwrap();
    let mut decompressor = ZstdDecoder::default();
    chunk.plain(|stream, len| {
        let mut plain = vec![0; len];
        decompressor.decompress(DecodeTask { src: stream, dst: &mut plain, len }, Some(&dict)).unwrap();
        plain
    })
}

#[test]
fn streams_of_c_blosc2_decode() {
    let chunks = dict_chunks::of(CodecFormat::Zstd);
    assert_eq!(chunks.len(), 3);
    for chunk in chunks {
        assert!(chunk.compressed().count() > 10);
        plain_streams(&chunk);
    }
}

#[test]
fn streams_round_trip_with_both_kinds_of_dictionary_at_every_level() {
    for chunk in dict_chunks::of(CodecFormat::Zstd) {
        let plain = plain_streams(&chunk);
        let content = plain.concat()[5000..9000].to_vec();
        let mut need_it = 0;
        for (dict, clevel) in [&chunk.dict, &content].iter().flat_map(|dict| (1..=9).map(move |clevel| (dict, clevel)))
        {
            let read = DecodeDict::new(dict).unwrap();
            let encode = EncodeDict::new(dict, clevel).unwrap();
            let mut compressor = ZstdEncoder::with_dict(&encode, 4096);
            for plain in plain.iter().step_by(plain.len() / 8) {
                let mut frame = vec![0; plain.len() + 100];
                let n = compressor.compress(plain, 1, &mut frame).unwrap().unwrap();
                assert_eq!(decoded(&frame[..n], plain.len(), &read).as_ref(), Ok(plain));
                let mut without = vec![0; plain.len()];
                let len = plain.len();
                let task = DecodeTask { src: &frame[..n], dst: &mut without, len };
                let alone = ZstdDecoder::default().decompress(task, None);
                need_it += usize::from(alone.is_err() || without != *plain);
            }
        }
        // Not every stream has something in common with the dictionary.
        assert!(need_it > 20, "{}: {need_it}", chunk.file);
    }
}

#[test]
fn frames_of_the_c_library_decode() {
    // libzstd 1.5.7 through python-zstandard, level 3, with this dictionary as content.
    let dict = b"sea shells she sells by the sea shore; a row of numbers: 12.5, 13.25, 14.75";
    let plain = b"she sells sea shells by the shore of the sea; a row of numbers: 13.25 numbers: 14.75 she sells by";
    let frame = b"\x28\xb5\x2f\xfd\x20\x61\x15\x01\x00\x58\x20\x6f\x66\x33\x2e\x32\x35\x34\x2e\x37\x35\x08\x00\x18\x3b\x84\x0c\x83\xaa\xf8\x60\x0b\x1a\x25\x02\x38\x41\x00\x0b\x03\xc3\x16\x80";
    assert_eq!(decoded(frame, plain.len(), &DecodeDict::new(dict).unwrap()).as_deref(), Ok(&plain[..]));
    assert!(decoded(frame, plain.len() + 1, &DecodeDict::new(dict).unwrap()).is_err());
    assert!(decoded(frame, plain.len(), &DecodeDict::new(b"").unwrap()).is_err());
    assert!(decoded(frame, plain.len(), &DecodeDict::new(&dict[30..]).unwrap()) != Ok(plain.to_vec()));
}

#[test]
fn a_frame_of_another_dictionary_is_an_error_or_other_bytes() {
    let [first, second, ..] = &dict_chunks::of(CodecFormat::Zstd)[..] else { panic!() };
    let dict = DecodeDict::new(&second.dict).unwrap();
    for (stream, len) in first.compressed() {
        // Its frames name their dictionary.
        assert!(decoded(stream, len, &dict).is_err());
        let task = DecodeTask { src: stream, dst: &mut vec![0; len], len };
        assert!(ZstdDecoder::default().decompress(task, None).is_err());
    }
}

#[test]
fn any_byte_of_a_dictionary_changed_or_cut_off_is_an_error_or_bytes() {
    for chunk in dict_chunks::of(CodecFormat::Zstd) {
        let mut frame = vec![0; 5000];
        let mut refused = 0;
        // The entropy tables are the first two hundred bytes or so.
        for (i, flip) in (0..400).flat_map(|i| [0x01, 0x10, 0x80, 0xFF].map(|flip| (i, flip))) {
            let mut dict = chunk.dict.clone();
            dict[i] ^= flip;
            match DecodeDict::new(&dict) {
                Ok(dict) => chunk.compressed().take(8).for_each(|(stream, len)| drop(decoded(stream, len, &dict))),
                Err(_) => refused += 1,
            }
            // Every dictionary that can compress can also decompress.
            if let Ok(encode) = EncodeDict::new(&dict, 1) {
                let plain = testdata::text(3000, i as u64);
                let n = ZstdEncoder::with_dict(&encode, 4096).compress(&plain, 1, &mut frame).unwrap().unwrap();
                assert!(decoded(&frame[..n], plain.len(), &DecodeDict::new(&dict).unwrap()) == Ok(plain), "{i} {flip}");
            }
        }
        assert!(refused > 50, "{refused}");
        assert!(EncodeDict::new(b"", 9).is_err());
        for end in (0..300).chain(chunk.dict.len() - 5..chunk.dict.len()) {
            if let Ok(dict) = DecodeDict::new(&chunk.dict[..end]) {
                chunk.compressed().take(8).for_each(|(stream, len)| drop(decoded(stream, len, &dict)));
            }
            drop(EncodeDict::new(&chunk.dict[..end], 5));
        }
    }
}

#[test]
fn any_byte_of_a_frame_changed_or_cut_off_is_an_error_or_bytes() {
    for chunk in dict_chunks::of(CodecFormat::Zstd) {
        let dict = DecodeDict::new(&chunk.dict).unwrap();
        let (stream, len) = chunk.compressed().find(|(stream, _)| (20..800).contains(&stream.len())).unwrap();
        for end in 0..stream.len() {
            assert!(decoded(&stream[..end], len, &dict).is_err());
        }
        for (i, flip) in (0..stream.len()).flat_map(|i| [0x01, 0x10, 0x80, 0xFF].map(|flip| (i, flip))) {
            let mut stream = stream.to_vec();
            stream[i] ^= flip;
            drop(decoded(&stream, len, &dict));
        }
    }
}
