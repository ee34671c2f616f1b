//! Selections of arrays in containers of every kind, against indexing the items one by one.

use std::path::Path;

use bloscpack_format::frame::FrameType;
use bloscpack_format::numpy::{Dtype, NumpyMeta, Order, Selection, Slice, npy};
use bloscpack_io::frame::{ArrayOptions, FrameParams, FrameWriter};
use bloscpack_io::{
    Array, Cancel, ConvertOptions, Error, Limits, LocalSource, OpenOptions, Target, Threads, Typing, UnpackOptions,
    convert,
};
use proptest::prelude::*;

use crate::common::Recorded;

/// The items of a selection of an array in C order, computed by the definition.
fn selected(items: &[u8], itemsize: usize, shape: &[u64], selection: &Selection) -> Vec<u8> {
    let mut places = vec![0_u64];
    for (axis, len) in selection.axes().iter().zip(shape) {
        let indices = || (0..axis.count).map(|number| axis.start.wrapping_add_signed(axis.step * number as i64));
        places = places.iter().flat_map(|place| indices().map(move |at| place * len + at)).collect();
    }
    places.into_iter().flat_map(|place| items[place as usize * itemsize..][..itemsize].to_vec()).collect()
}

/// Converts items from C order to Fortran order.
fn fortran(items: &[u8], itemsize: usize, shape: &[u64]) -> Vec<u8> {
    let mut out = vec![0; items.len()];
    for (number, item) in items.chunks(itemsize).enumerate() {
        let (mut rest, mut place) = (number as u64, 0);
        let mut step = shape.iter().product::<u64>();
        for len in shape.iter().rev() {
            step /= len;
            place += rest % len * step;
            rest /= len;
        }
        out[place as usize * itemsize..][..itemsize].copy_from_slice(item);
    }
    out
}

/// An array, its chunks and a slice of it.
#[derive(Debug, Clone)]
struct Case {
    shape: Vec<u64>,
    chunkshape: Vec<u32>,
    blockshape: Vec<u32>,
    itemsize: usize,
    order: Order,
    chunk_size: u32,
    slice: String,
}

fn case() -> impl Strategy<Value = Case> {
    let axis = (1_u64..9).prop_flat_map(|len| (Just(len), 1..=len as u32)).prop_flat_map(|(len, chunk)| {
        let end = || prop_oneof![Just(String::new()), (-10_i64..10).prop_map(|end| end.to_string())];
        let step = prop_oneof![Just(""), Just(":1"), Just(":2"), Just(":-1"), Just(":-3"), Just(":99")];
        let range = (end(), end(), step).prop_map(|(start, stop, step)| format!("{start}:{stop}{step}"));
        let index = (-(len as i64)..len as i64).prop_map(|index| index.to_string());
        (Just(len), Just(chunk), 1..=chunk, prop_oneof![3 => range, 1 => index])
    });
    let sizes = (prop_oneof![Just(1_usize), Just(4), Just(7)], any::<bool>(), 1_u32..200);
    (prop::collection::vec(axis, 1..4), sizes).prop_map(|(axes, (itemsize, fortran, chunk_size))| Case {
        shape: axes.iter().map(|axis| axis.0).collect(),
        chunkshape: axes.iter().map(|axis| axis.1).collect(),
        blockshape: axes.iter().map(|axis| axis.2).collect(),
        itemsize,
        order: if fortran { Order::F } else { Order::C },
        chunk_size: chunk_size * itemsize as u32,
        slice: axes.iter().map(|axis| axis.3.as_str()).collect::<Vec<_>>().join(","),
    })
}

fn open(path: &Path, typing: &Typing) -> Array<'static> {
    Array::open_with(LocalSource::open(path).unwrap(), &OpenOptions::new().typing(typing.clone())).unwrap()
}

fn check(array: &Array<'_>, case: &Case, items: &[u8], what: &str) {
    assert_eq!(array.meta().shape, case.shape, "{what}");
    let selection = case.slice.parse::<Slice>().unwrap().select(&case.shape).unwrap();
    let expected = selected(items, case.itemsize, &case.shape, &selection);
    for threads in [Threads::Serial, Threads::Ambient] {
        // Also with slabs of a few items.
        for limits in [Limits::new(), Limits::new().max_memory(1 << 20)] {
            let options = UnpackOptions::new().threads(threads.clone()).limits(limits);
            let mut found = Vec::new();
            array.copy_selection(&selection, &mut found, &options).unwrap();
            assert_eq!(found, expected, "{what}");
        }
    }
    let len = array.len();
    let mut found = Vec::new();
    array.copy_items(len / 3..len - len / 4, &mut found, &UnpackOptions::new()).unwrap();
    let range = (len / 3) as usize * case.itemsize..(len - len / 4) as usize * case.itemsize;
    assert_eq!(found, items[range], "{what}: items");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn every_container_gives_what_indices_give(case in case()) {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let count = case.shape.iter().product::<u64>() as usize;
        let items: Vec<u8> = (0..count * case.itemsize).map(|at| (at % 251) as u8 + 1).collect();
        let dtype = Dtype::from_type_string(["|u1", "<f4", "|V7"][case.itemsize / 3]).unwrap();
        let meta = NumpyMeta { dtype: dtype.clone(), shape: case.shape.clone(), order: case.order };
        let stored = if case.order == Order::F { fortran(&items, case.itemsize, &case.shape) } else { items.clone() };
        std::fs::write(path("a.npy"), [npy::to_bytes(&meta).unwrap(), stored.clone()].concat()).unwrap();
        let cut = ArrayOptions::new().chunkshape(Some(case.chunkshape.clone())).blockshape(Some(case.blockshape.clone()));

        check(&open(&path("a.npy"), &Typing::default()), &case, &items, "npy");
        let in_bytes = ConvertOptions::new().chunk_size(case.chunk_size);
        let in_items = ConvertOptions::new().chunkshape(case.chunkshape.clone());
        let in_blocks = in_items.clone().blockshape(case.blockshape.clone());
        for (target, name, options) in [
            (Target::Bloscpack, "a.blp", &in_bytes),
            (Target::Array, "a.b2nd", &in_blocks),
            (Target::Bcolz, "a.bcolz", &in_items),
        ] {
            convert(LocalSource::open(&path("a.npy")).unwrap(), &path(name), target, options).unwrap();
            check(&open(&path(name), &Typing::default()), &case, &items, name);
        }
        let shape = Some(case.shape.iter().map(|len| Some(*len)).collect());
        let typing = Typing::new().dtype(dtype).shape(shape);
        let raw = in_bytes.typing(typing.clone());
        std::fs::write(path("raw"), &items).unwrap();
        check(&open(&path("raw"), &typing), &case, &items, "raw bytes");
        convert(LocalSource::open(&path("raw")).unwrap(), &path("a.b2frame"), Target::Frame, &raw).unwrap();
        check(&open(&path("a.b2frame"), &typing), &case, &items, "plain frame");
        // A frame whose array is read in another shape.
        let flat = Typing::new().shape(vec![None]);
        let whole = Case { shape: vec![count as u64], slice: "::-2".into(), ..case.clone() };
        check(&open(&path("a.b2nd"), &flat), &whole, &items, "another shape");

        let params = FrameParams::new(case.itemsize as u32);
        let array = cut.array(&meta).unwrap();
        let writer = FrameWriter::create_array(&path("a.sframe"), FrameType::Sparse, false, array, params);
        let mut writer = writer.unwrap();
        let source = Array::plain(stored.as_slice(), 0, meta.clone()).unwrap();
        writer.write_items(&source, &Threads::Serial, &Cancel::new()).unwrap();
        writer.finish().unwrap();
        check(&open(&path("a.sframe"), &Typing::default()), &case, &items, "sparse frame");
    }
}

/// A selection that was made for a larger array is refused, for every kind of container.
#[test]
fn selections_outside_the_shape_are_refused() {
    let meta = NumpyMeta { dtype: Dtype::from_type_string("|u1").unwrap(), shape: vec![10, 10], order: Order::C };
    let items: Vec<u8> = (1..=100).collect();
    let cut = ArrayOptions::new().chunkshape(Some(vec![4, 4])).blockshape(Some(vec![2, 2])).array(&meta).unwrap();
    let mut frame = FrameWriter::array_in_memory(cut, FrameParams::new(1)).unwrap();
    let plain = Array::plain(&items[..], 0, meta.clone()).unwrap();
    frame.write_items(&plain, &Threads::Serial, &Cancel::new()).unwrap();
    frame.commit().unwrap();
    let packed = bloscpack_io::pack_bytes(&items, &bloscpack_io::PackOptions::new().chunk_size(30)).unwrap();
    let typing = Typing::new().dtype(meta.dtype).shape(Some(vec![Some(10), Some(10)]));
    let packed = Array::open_with(packed, &OpenOptions::new().typing(typing)).unwrap();

    let select = |slice: &str, shape: &[u64]| slice.parse::<Slice>().unwrap().select(shape).unwrap();
    let whole = Selection::all(&[10, 10]);
    let outside = [
        select("0:3,15:18", &[10, 20]),
        select("8:12:2,0", &[20, 20]),
        select("3::-1,::-1", &[10, 11]),
        Selection::all(&[10, 20]),
        whole.part(&[0, 0], &[3, 15]),
        whole.part(&[0, 10], &[3, 11]),
        Selection::all(&[100]),
    ];
    let inside = [select("8:12:2,0:0", &[9, 20]), whole.part(&[9, 0], &[10, 10]), whole.part(&[10, 10], &[10, 10])];
    for array in [plain, packed, Array::open(frame.into_store().file).unwrap()] {
        let read = |selection: &Selection| {
            let (mut copied, options) = (Vec::new(), UnpackOptions::new());
            let mut found = vec![0; selection.counts().iter().product::<u64>() as usize];
            let read = array.read_into(selection, &mut found, &options);
            (array.copy_selection(selection, &mut copied, &options).map(|()| copied), read.map(|()| found))
        };
        for selection in &outside {
            let refused = |found: &Result<_, Error>| matches!(found, Err(Error::NotANumpyArray { .. }));
            let found = read(selection);
            assert!(refused(&found.0) && refused(&found.1), "{selection:?}: {found:?}");
        }
        for selection in &inside {
            let (expected, found) = (selected(&items, 1, &[10, 10], selection), read(selection));
            assert_eq!((found.0.unwrap(), found.1.unwrap()), (expected.clone(), expected), "{selection:?}");
        }
    }
}

/// A selection with steps reads and decodes only the blocks that it touches.
#[test]
fn selections_read_only_their_blocks() {
    let (file, plain, shape) = crate::common::large_array();
    let recorded = Recorded::new(&file);
    let array = Array::open(&recorded).unwrap();
    recorded.take();
    // Four blocks of 20 x 20, in two chunks; a block has about 2 kB.
    for (slice, most) in [("10:440:400,10:440:400", 20_000), ("-5,::-200", 16_000), ("10,10:12", 10_000)] {
        let selection = slice.parse::<Slice>().unwrap().select(&shape).unwrap();
        let mut found = Vec::new();
        array.copy_selection(&selection, &mut found, &UnpackOptions::new().threads(Threads::Serial)).unwrap();
        assert_eq!(found, selected(&plain, 8, &shape, &selection), "{slice}");
        let bytes: u64 = recorded.take().iter().map(|read| read.end - read.start).sum();
        assert!(bytes < most && file.len() > 500_000, "{slice}: {bytes} of {}", file.len());
    }
}

/// For an array in Fortran order with many slabs, chunks are not decoded again for each slab.
#[test]
fn large_arrays_in_fortran_order_go_through_a_temporary_file() {
    let folder = tempfile::tempdir().unwrap();
    let (shape, itemsize) = ([300_u64, 400], 4);
    let items: Vec<u8> = (0..120_000_u32).flat_map(u32::to_le_bytes).collect();
    let dtype = Dtype::from_type_string("<u4").unwrap();
    let meta = NumpyMeta { dtype, shape: shape.to_vec(), order: Order::F };
    let npy = [npy::to_bytes(&meta).unwrap(), fortran(&items, itemsize, &shape)].concat();
    let (source, packed) = (folder.path().join("a.npy"), folder.path().join("a.blp"));
    std::fs::write(&source, npy).unwrap();
    let options = ConvertOptions::new().chunk_size(10_000);
    convert(LocalSource::open(&source).unwrap(), &packed, Target::Bloscpack, &options).unwrap();
    let array = open(&packed, &Typing::default());
    let selection = "::-1,::3".parse::<Slice>().unwrap().select(&shape).unwrap();
    // A quarter of the memory is for slabs, so there are more than two of them.
    let few = UnpackOptions::new().limits(Limits::new().max_memory(200_000));
    let mut found = Vec::new();
    array.copy_selection(&selection, &mut found, &few).unwrap();
    assert!(found == selected(&items, itemsize, &shape, &selection));
}

/// Statistics do not depend on the threads, and match the values.
#[test]
fn statistics_are_the_same_on_all_threads() {
    let values: Vec<f64> = (0..200_000).map(|at| f64::from(at % 1013) * 0.1 - 7.0).collect();
    let plain: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    let packed = bloscpack_io::pack_bytes(&plain, &bloscpack_io::PackOptions::new().chunk_size(9_999)).unwrap();
    let typing = Typing::new().dtype(Dtype::from_type_string("<f8").unwrap());
    let array = Array::open_with(packed, &OpenOptions::new().typing(typing)).unwrap();
    let stats = |threads| array.stats(&UnpackOptions::new().threads(threads)).unwrap().remove(0).parts.remove(0).1;
    let (serial, parallel) = (stats(Threads::Serial), stats(Threads::Ambient));
    assert_eq!(serial, parallel);
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    assert!((serial.mean.unwrap() - mean).abs() < 1e-9 && serial.count == 200_000, "{serial:?}");
    assert_eq!(serial.histogram.unwrap().counts.iter().sum::<u64>(), 200_000);
}
