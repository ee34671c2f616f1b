//! Fuzzes the round trip of data through a bloscpack file, a frame, an array in a frame or a carray, with any options.
//! The container must verify, and every way of reading must return the data or parts of it.
#![no_main]

use blosc_core::Codec;
use blosc_fuzz::params::{Choice, choose};
use blosc_fuzz::{reads, serial};
use bloscpack_format::Json;
use bloscpack_format::bcolz::{Dtype, Shuffle};
use bloscpack_format::bloscpack::MaxAppChunks;
use bloscpack_format::checksum::Checksum;
use bloscpack_format::frame::{B2nd, FrameType};
use bloscpack_io::bcolz::{CarrayParams, CarrayWriter, MemoryDirectory, verify};
use bloscpack_io::frame::{FrameParams, FrameStore as _, FrameWriter, MemoryFrame};
use bloscpack_io::{Archive, Cancel, Error, Input, PackOptions, Source, Threads, pack_bytes, unpack_bytes};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let Some(mut choice) = choose(input) else { return };
    // Small chunks make many of them.
    choice.plain.truncate(1 << 16);
    let [.., a, b, c, d, e, f, g, h] = *input else { return };
    let numbers = [a, b, c, d, e, f, g, h];
    match choice.room % 4 {
        0 => bloscpack(&choice, numbers),
        1 => frame(&choice, numbers),
        2 => array(&choice, numbers),
        _ => carray(&choice, numbers),
    }
});

/// Maximum number of chunks of a container. More take long and find nothing new.
const MOST_CHUNKS: usize = 200;

/// Returns a chunk size that gives at most [`MOST_CHUNKS`] chunks.
fn chunk_size(plain: &[u8], number: [u8; 2]) -> u32 {
    u32::from(u16::from_le_bytes(number)).max((plain.len() / MOST_CHUNKS) as u32) + 1
}

fn bloscpack(choice: &Choice, numbers: [u8; 8]) {
    let Choice { params, plain, is_blosc2, .. } = choice;
    let [checksum, chunk_low, chunk_high, app, offsets, metadata, ..] = numbers;
    let count = u64::from(app) % 16;
    let options = PackOptions::new()
        .params(*params)
        .chunk_size(chunk_size(plain, [chunk_low, chunk_high]).into())
        .checksum(Checksum::ALL[usize::from(checksum) % Checksum::ALL.len()])
        .offsets(offsets & 1 == 0)
        .max_app_chunks(if app & 16 == 0 { MaxAppChunks::Factor(count) } else { MaxAppChunks::Exact(count) })
        .metadata((metadata & 1 == 0).then(|| Json::String("x".repeat(metadata.into()))))
        .threads(Threads::Serial);
    let packed = match pack_bytes(plain, &options) {
        Ok(packed) => packed,
        Err(error) => {
            assert!(*is_blosc2, "{error}");
            return;
        }
    };
    assert!(!is_blosc2, "such chunks cannot be read");
    let (unpacked, _) = unpack_bytes(&packed, &serial()).expect("what was packed");
    assert!(unpacked == *plain);
    bloscpack_io::verify(Source::reader(packed.as_slice()), &serial()).expect("what was packed");
    let archive = Archive::open(packed.as_slice()).expect("what was packed").limits(blosc_fuzz::limits());
    reads::all_ways(&archive, plain, numbers);
}

/// Returns the parameters of a frame's chunks; `None` for parameters that frames cannot store.
fn frame_params(choice: &Choice) -> Option<FrameParams> {
    let Choice { codec, filters, split, typesize, dictionary, room, is_blosc2, .. } = choice;
    let params = FrameParams::new(*typesize as u32).codec(*codec).clevel(room % 7).split(*split).filters(*filters);
    (*is_blosc2 && *codec != Codec::Snappy).then(|| params.dictionary(*dictionary).blocksize(u32::from(*room) * 100))
}

fn frame(choice: &Choice, numbers: [u8; 8]) {
    let Some(params) = frame_params(choice) else { return };
    let [kind, low, high, ..] = numbers;
    let store = MemoryFrame::new(if kind & 1 == 0 { FrameType::Contiguous } else { FrameType::Sparse });
    let made = FrameWriter::start(store, params).and_then(|mut frame| {
        let chunk_size = Some(chunk_size(&choice.plain, [low, high]));
        let count = frame.append_stream(choice.plain.as_slice(), chunk_size, &Threads::Serial, &Cancel::new())?;
        assert_eq!(count, choice.plain.len() as u64);
        frame.set_vlmetalayer("numbers", &numbers)?;
        frame.commit()?;
        Ok(frame.into_store())
    });
    let Some(store) = may_be_refused(made) else { return };
    let archive = Archive::open(store.input()).expect("what was written").limits(blosc_fuzz::limits());
    archive.verify(&serial()).expect("what was written");
    assert_eq!(archive.vlmetalayer("numbers").expect("what was written"), Some(numbers.to_vec()));
    reads::all_ways(&archive, &choice.plain, numbers);
}

fn array(choice: &Choice, numbers: [u8; 8]) {
    let Some(params) = frame_params(choice) else { return };
    let Choice { typesize, plain, .. } = choice;
    let items = plain.len() / typesize;
    let width = 1 + usize::from(numbers[0]) % 40;
    let depth = 1 + usize::from(numbers[1]) % 4;
    let shape = [(items / width / depth) as u64, width as u64, depth as u64];
    let most = |axis: usize, number: u8, len: u64| (u64::from(number) * 3 / (axis as u64 + 1) % len.max(1) + 1) as u32;
    let chunkshape: Vec<u32> = (0..3).map(|axis| most(axis, numbers[2 + axis], shape[axis] + 2)).collect();
    let blockshape: Vec<u32> = (0..3).map(|axis| most(axis, numbers[5 + axis], chunkshape[axis].into())).collect();
    let array = B2nd::new(shape, chunkshape, blockshape);
    let plain = &plain[..items / width / depth * width * depth * typesize];
    let made = FrameWriter::array_in_memory(array, params).and_then(|mut frame| {
        if frame.frame()?.nchunks() > MOST_CHUNKS as u64 {
            return Err(Error::EditFailed);
        }
        let all = frame.array().map(|array| array.shape.clone()).expect("an array");
        let all = bloscpack_format::frame::Region { start: vec![0; 3], stop: all };
        frame.write_slice(&all, plain)?;
        frame.commit()?;
        Ok(frame.into_store())
    });
    let Some(store) = may_be_refused(made) else { return };
    let archive = Archive::open(store.input()).expect("what was written").limits(blosc_fuzz::limits());
    archive.verify(&serial()).expect("what was written");
    reads::all_ways(&archive, plain, numbers);
}

/// Accepts errors for filters and dictionaries that do not match the codec, the typesize or the shape of a block.
fn may_be_refused(made: Result<MemoryFrame, Error>) -> Option<MemoryFrame> {
    match made {
        Ok(store) => Some(store),
        Err(Error::Encode(_) | Error::FrameParams { .. } | Error::Format(_) | Error::EditFailed) => None,
        Err(error) => panic!("{error}"),
    }
}

fn carray(choice: &Choice, numbers: [u8; 8]) {
    let Choice { codec, typesize, plain, .. } = choice;
    let dtype = Dtype::parse(&format!("|V{typesize}")).expect("a dtype");
    let shuffle = [Shuffle::None, Shuffle::Byte, Shuffle::Bit][usize::from(numbers[0]) % 3];
    let params = CarrayParams::new(dtype).codec(*codec).clevel(numbers[1] % 7).shuffle(shuffle);
    let params = params.chunklen(u64::from(numbers[2]) * 4 + 1);
    let plain = &plain[..plain.len() / typesize * typesize];
    if plain.len() / typesize > MOST_CHUNKS * (usize::from(numbers[2]) * 4 + 1) {
        return;
    }
    let dir = MemoryDirectory::new();
    let mut carray = CarrayWriter::create_in(&dir, &params).expect("parameters in range");
    let half = plain.len() / typesize / 2 * typesize;
    carray.append(&plain[..half]).expect("whole rows");
    if numbers[3] & 1 == 0 {
        carray.flush().expect("a flush");
    }
    carray.append_stream(&plain[half..], &Threads::Serial, &Cancel::new()).expect("whole rows");
    carray.finish().expect("a flush");
    let report = verify(&dir, &serial()).expect("what was written");
    assert!(report.is_whole(), "{:?}", report.faults);
    let archive = Archive::open(Input::directory(&dir)).expect("what was written");
    reads::all_ways(&archive.limits(blosc_fuzz::limits()), plain, numbers);
}
