//! Wrong arguments are told from damage: their errors are [`ErrorKind::InvalidInput`], and change nothing.

use blosc_core::{Filter, Special};
use bloscpack_format::Json;
use bloscpack_format::bloscpack::MetadataArgs;
use bloscpack_format::frame::{B2nd, FrameType};
use bloscpack_format::numpy::{Dtype, NumpyMeta, Order, Selection};
use bloscpack_io::frame::{ArrayOptions, FrameParams, FrameWriter, MemoryFrame};
use bloscpack_io::{
    Archive, Array, Cancel, Error, ErrorKind, OpenOptions, PackOptions, PackWriter, Typing, UnpackOptions, pack_bytes,
};

#[track_caller]
fn refused<T>(result: Result<T, Error>) -> String {
    let Err(error) = result else { panic!("not refused") };
    assert_eq!(error.kind(), ErrorKind::InvalidInput, "{error:?}");
    error.report().to_string()
}

fn meta(shape: Vec<u64>) -> NumpyMeta {
    NumpyMeta { dtype: Dtype::from_type_string("|u1").unwrap(), shape, order: Order::C }
}

fn in_memory() -> FrameWriter<MemoryFrame> {
    FrameWriter::in_memory(FrameParams::new(4)).unwrap()
}

fn array() -> FrameWriter<MemoryFrame> {
    let cut = ArrayOptions::new().chunkshape(Some(vec![4])).blockshape(Some(vec![2]));
    FrameWriter::array_in_memory(cut.array(&meta(vec![12])).unwrap(), FrameParams::new(1)).unwrap()
}

#[test]
fn of_packing() {
    let metadata = Json::String("text".into());
    for options in [
        PackOptions::new().chunk_size(0),
        PackOptions::new().chunk_size(1 << 40),
        PackOptions::new().typesize(0),
        PackOptions::new().typesize(256),
        PackOptions::new().metadata(Some(metadata.clone())).metadata_args(MetadataArgs::default().meta_level(10)),
    ] {
        refused(pack_bytes(&[1; 100], &options));
        refused(PackWriter::new(Vec::new(), Some(100), &options.offsets(false)).map(drop));
    }
}

#[test]
fn of_frames() {
    refused(FrameWriter::in_memory(FrameParams::new(4).clevel(10)).map(drop));
    refused(in_memory().append(&[]));
    refused(in_memory().append_special(Special::Zeros, 0));
    let text = refused(in_memory().append_special(Special::Value, 4));
    assert!(text.contains("repeated value"), "{text}");
    for name in ["a\0b", "\0"] {
        refused(in_memory().add_metalayer(name, b"x"));
        refused(in_memory().add_metalayer_bytes(name.as_bytes(), b"x"));
        refused(in_memory().set_vlmetalayer(name, b"x"));
    }
    let mut writer = in_memory();
    writer.add_metalayer("", b"x").unwrap();
    writer.set_vlmetalayer("", b"x").unwrap();
    writer.commit().unwrap();
}

#[test]
fn of_arrays() {
    refused(array().append(&[1; 3]));
    let mut writer = array();
    writer.append(&[1; 4]).unwrap();
    refused(writer.commit());
    let text = refused(FrameWriter::array_in_memory(B2nd::new(vec![u64::MAX], vec![4], vec![2]), FrameParams::new(1)));
    assert!(text.contains("shape") && !text.contains("-1"), "{text}");
    refused(array().resize(&[u64::MAX]));
    refused(ArrayOptions::new().chunkshape(Some(vec![0])).array(&meta(vec![12])));
    let packed = pack_bytes(&[1; 12], &PackOptions::new().typesize(1)).unwrap();
    let opened = Array::open(&packed).unwrap();
    refused(opened.copy_selection(&Selection::all(&[3, 4]), &mut Vec::new(), &UnpackOptions::new()));
    for shape in [vec![Some(5)], vec![None, Some(5)], vec![None, None]] {
        refused(Array::open_with(&packed, &OpenOptions::new().typing(Typing::new().shape(shape))).map(drop));
    }
}

/// An array that does not have the size that its metadata say is damage, not an argument.
#[test]
fn not_of_damaged_files() {
    let options = PackOptions::new().metadata(Some(meta(vec![13]).to_json().unwrap()));
    let packed = pack_bytes(&[1; 12], &options).unwrap();
    let error = bloscpack_io::numpy::unpack_array(packed.as_slice(), &UnpackOptions::new()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Damaged);
    assert_eq!(
        Archive::open(&packed[..packed.len() - 1]).unwrap().verify(&UnpackOptions::new()).unwrap_err().kind(),
        ErrorKind::Truncated
    );
}

/// An error that is found before the frame is changed leaves the writer usable. Others end it.
#[test]
fn an_error_without_effect_does_not_end_a_writer() {
    let cancel = Cancel::new();
    let lossy = FrameParams::new(4).filters(Filter::TruncPrec(60).into());
    let mut writer = FrameWriter::start(MemoryFrame::new(FrameType::Contiguous), lossy).unwrap().cancel(cancel.clone());
    writer.set_vlmetalayer("kept", b"x").unwrap();
    assert!(matches!(writer.append(&[1; 400]), Err(Error::Encode(_))));
    writer.commit().unwrap();
    let archive = Archive::open(writer.into_store()).unwrap();
    assert_eq!((archive.nchunks(), archive.vlmetalayer("kept").unwrap()), (0, Some(b"x".to_vec())));

    let mut writer = in_memory().cancel(cancel.clone());
    writer.append(&[1; 400]).unwrap();
    cancel.cancel();
    assert!(matches!(writer.append(&[2; 400]), Err(Error::Cancelled)));
    writer.commit().unwrap();
    assert_eq!(Archive::open(writer.into_store()).unwrap().nchunks(), 1);

    let mut writer = in_memory();
    writer.append(&[1; 400]).unwrap();
    refused(writer.append(&[]));
    assert!(matches!(writer.commit(), Err(Error::EditFailed)));
}
