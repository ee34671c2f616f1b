//! Fuzzes the parsers of a Blosc2 frame's parts: accepted input must survive writing and parsing again.
#![no_main]

use blosc_fuzz::limits;
use bloscpack_format::Json;
use bloscpack_format::frame::{B2nd, Frame, Grid, Header, Index, Trailer, decode_vlmetalayer};
use bloscpack_format::msgpack;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let limits = limits();
    check_value(bytes);
    if let Ok(header) = Header::parse(bytes) {
        let written = header.to_bytes().expect("an accepted header");
        assert_eq!(Header::parse(&written).as_ref(), Ok(&header));
        if let Ok(Some(array)) = B2nd::of(&header.metalayers) {
            let written = array.to_bytes().expect("an accepted array");
            assert_eq!(B2nd::parse(&written).as_ref(), Ok(&(array.clone(), written.len())));
            let _ = Grid::new(&array, header.typesize).map(|grid| grid.nbytes_of(&grid.all()));
        }
        if let Ok(index) = Index::decode(bytes, &header, limits) {
            let _ = index.check(bytes.len() as u64);
        }
    }
    if let Ok(trailer) = Trailer::parse(bytes) {
        let written = trailer.to_bytes().expect("an accepted trailer");
        assert_eq!(Trailer::parse(&written).as_ref(), Ok(&trailer));
        let mut decoder = blosc_core::Decoder::new().limits(limits);
        for layer in trailer.vlmetalayers.iter() {
            let content = decode_vlmetalayer(layer.content, &mut decoder);
            content.as_deref().map_or_else(|_| (), check_value);
        }
    }
    let Ok(frame) = Frame::parse(bytes, limits) else { return };
    for chunk in 0..frame.nchunks().min(100) {
        let _ = frame.chunk(chunk);
    }
    let _ = Grid::of(&frame);
});

/// Checks that the value of any content converts back to content of the same value, through JSON text too.
fn check_value(content: &[u8]) {
    let text = msgpack::value_of(content).expect("memory").dumps();
    let value = Json::parse(&text).expect("JSON of a value");
    let written = msgpack::content_of(&value).expect("content of a value");
    assert_eq!(msgpack::value_of(&written).expect("memory").dumps(), text);
}
