//! Arrays: packed by NumPy through the original bloscpack, `.npy` files, the `ndarray` crate.

use std::fs;
use std::path::Path;

use bloscpack_format::numpy::{NumpyMeta, npy};
use bloscpack_io::numpy::{pack_array, unpack_array};
use bloscpack_io::{
    Array, ConvertOptions, Error, LocalSource, PackOptions, Target, UnpackOptions, convert, pack_bytes,
};

/// Every array of the golden set, with the `.npy` file that NumPy wrote of it.
fn golden() -> Vec<(String, Vec<u8>, Vec<u8>)> {
    let files = testdata::archive("bloscpack");
    let manifest = testdata::manifest("bloscpack");
    let items = manifest["files"].as_array().unwrap().iter();
    let arrays = items.filter_map(|item| Some((item["file"].as_str()?, item["npy"].as_str()?)));
    arrays.map(|(blp, npy)| (blp.to_owned(), files[blp].clone(), files[npy].clone())).collect()
}

#[test]
fn arrays_of_the_original_equal_what_numpy_saved() {
    let golden = golden();
    assert_eq!(golden.len(), 43);
    for (file, packed, saved) in &golden {
        let (bytes, meta) =
            unpack_array(packed, &UnpackOptions::new()).unwrap_or_else(|error| panic!("{file}: {error}"));
        let (expected, data_at) = npy::parse(saved).unwrap();
        assert!(bytes == saved[data_at..], "{file}");
        // The original turns the padding of an aligned dtype into a field; the bytes are the same.
        if file == "numpy-aligned.blp" {
            assert_eq!(meta.dtype.to_string(), "[('a', '|i1'), ('', '|V7'), ('b', '<f8')]");
            assert_eq!(meta.shape, expected.shape);
        } else {
            assert_eq!(meta, expected, "{file}");
        }
    }
}

#[test]
fn npy_files_go_in_and_come_out() {
    let dir = tempfile::tempdir().unwrap();
    let [input, packed, output] = ["in.npy", "a.blp", "out.npy"].map(|name| dir.path().join(name));
    for (file, _, saved) in golden() {
        fs::write(&input, &saved).unwrap();
        let options = ConvertOptions::new().overwrite(true);
        let go = |from: &Path, to: &Path, target| convert(LocalSource::open(from)?, to, target, &options);
        go(&input, &packed, Target::Bloscpack).unwrap_or_else(|error| panic!("{file}: {error}"));
        go(&packed, &output, Target::Npy).unwrap();
        assert!(fs::read(&output).unwrap() == saved, "{file}");
    }
}

#[test]
fn the_size_of_an_array_is_that_of_its_items() {
    let packed = pack_bytes(&[1; 5], &PackOptions::new().typesize(4)).unwrap();
    let array = Array::open(packed).unwrap();
    assert_eq!((array.len(), array.nbytes(), array.archive().nbytes()), (1, 4, 5));
}

#[test]
fn what_is_no_array_is_refused() {
    let bare = pack_bytes(&[0; 800], &PackOptions::new()).unwrap();
    assert!(matches!(unpack_array(&bare, &UnpackOptions::new()), Err(Error::NotANumpyArray { .. })));

    let json = br#"{"dtype": "'<f8'", "shape": [100], "order": "C", "container": "numpy"}"#;
    let meta = NumpyMeta::from_json(&bloscpack_format::Json::parse(json).unwrap()).unwrap();
    assert!(matches!(
        pack_array(&[0; 799], &meta, &mut Vec::new(), &PackOptions::new()),
        Err(Error::ArraySize { found: 799, expected: Some(800) })
    ));
    let lying = pack_bytes(&[0; 808], &PackOptions::new().metadata(Some(meta.to_json().unwrap()))).unwrap();
    assert!(matches!(unpack_array(&lying, &UnpackOptions::new()), Err(Error::NotANumpyArray { .. })));
}

#[cfg(feature = "ndarray")]
mod ndarrays {
    use super::*;
    use bloscpack_format::frame::Region;
    use bloscpack_io::bloscpack_format::numpy::Order;
    use bloscpack_io::frame::{ArrayOptions, FrameParams};
    use bloscpack_io::numpy::{Element, ndarray_to_frame, pack_ndarray, read_ndarray, unpack_ndarray};
    use bloscpack_io::{Archive, Threads};
    use ndarray::{Array, Array2, Array3, ArrayD, Ix1, Ix2, Ix3, IxDyn, ShapeBuilder, arr0};
    use num_complex::Complex;

    fn pack_to_vec<A: Element, S: ndarray::Data<Elem = A>, D: ndarray::Dimension>(
        array: &ndarray::ArrayBase<S, D>,
        options: &PackOptions,
    ) -> Result<Vec<u8>, Error> {
        let mut packed = Vec::new();
        pack_ndarray(array, &mut packed, options)?;
        Ok(packed)
    }

    #[test]
    fn arrays_come_back_with_shape_and_order() {
        let options = (PackOptions::new().chunk_size(1000), UnpackOptions::new());
        let values = |n: usize| (0..n).map(|i| i as f64 / 7.0).collect::<Vec<_>>();
        let c = Array2::from_shape_vec((30, 40), values(1200)).unwrap();
        let f = Array3::from_shape_vec((5, 6, 7).f(), values(210)).unwrap();
        let packed = pack_to_vec(&c, &options.0).unwrap();
        assert_eq!(unpack_ndarray::<f64, Ix2>(&packed, &options.1).unwrap(), c);
        assert_eq!(unpack_ndarray::<f64, IxDyn>(&packed, &options.1).unwrap(), c.clone().into_dyn());
        let back = unpack_ndarray::<f64, Ix3>(&pack_to_vec(&f, &options.0).unwrap(), &options.1).unwrap();
        assert_eq!(back, f);
        assert!(back.t().is_standard_layout());
        let sliced = c.slice(ndarray::s![1..;2, ..;-3]);
        assert_eq!(unpack_ndarray::<f64, Ix2>(&pack_to_vec(&sliced, &options.0).unwrap(), &options.1).unwrap(), sliced);
        let zero = arr0(true).into_dyn();
        assert_eq!(unpack_ndarray::<bool, IxDyn>(&pack_to_vec(&zero, &options.0).unwrap(), &options.1).unwrap(), zero);
        let empty = ArrayD::<i16>::zeros(vec![0, 3]);
        assert_eq!(unpack_ndarray::<i16, IxDyn>(&pack_to_vec(&empty, &options.0).unwrap(), &options.1).unwrap(), empty);
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("f.blp");
        pack_ndarray(&f, &file, &options.0).unwrap();
        assert_eq!(unpack_ndarray::<f64, Ix3>(LocalSource::open(&file).unwrap(), &options.1).unwrap(), f);
        let error = unpack_ndarray::<f32, Ix2>(&packed, &options.1).unwrap_err();
        assert_eq!(error.to_string(), "the dtype is '<f8', expected '<f4'");
        assert!(matches!(error, Error::ItemType { .. }));
        let error = unpack_ndarray::<f64, Ix1>(&packed, &options.1).unwrap_err();
        assert!(matches!(error, Error::Dimensions { found: 2, expected: 1 }), "{error}");
        assert_eq!(error.kind(), bloscpack_io::ErrorKind::InvalidInput);
    }

    /// Every element type, in every layout, gives the bytes in NumPy's order: copied in bulk or item by item.
    #[test]
    fn bytes_are_those_of_the_items_one_by_one() {
        fn check<A: Element + PartialEq + std::fmt::Debug>(item: impl Fn(usize) -> A) {
            let c = Array3::from_shape_fn((3, 4, 5), |(i, j, k)| item(20 * i + 5 * j + k));
            let mut f = Array3::from_elem((3, 4, 5).f(), item(0));
            f.assign(&c);
            let packs = [
                (pack_to_vec(&c, &PackOptions::new()), false),
                (pack_to_vec(&f, &PackOptions::new()), true),
                (
                    pack_to_vec(
                        &c.slice(ndarray::s![..;-1, .., ..]).slice(ndarray::s![..;-1, .., ..]),
                        &PackOptions::new(),
                    ),
                    false,
                ),
            ];
            for (packed, fortran) in packs {
                let packed = packed.unwrap();
                let (bytes, meta) = unpack_array(&packed, &UnpackOptions::new()).unwrap();
                assert_eq!(meta.order == Order::F, fortran);
                let mut expected = Vec::new();
                match fortran {
                    true => c.t().iter().for_each(|item| item.put(&mut expected)),
                    false => c.iter().for_each(|item| item.put(&mut expected)),
                }
                assert_eq!(bytes, expected);
                assert_eq!(unpack_ndarray::<A, Ix3>(&packed, &UnpackOptions::new()).unwrap(), c);
            }
            let reversed = c.slice(ndarray::s![..;-1, ..;-1, ..;-1]);
            let packed = pack_to_vec(&reversed, &PackOptions::new()).unwrap();
            assert_eq!(unpack_ndarray::<A, Ix3>(&packed, &UnpackOptions::new()).unwrap(), reversed);
        }
        check(|n| n as i8);
        check(|n| n as i16 - 300);
        check(|n| n as i32 * -70_000);
        check(|n| n as i64 * -5_000_000_000);
        check(|n| n as u8);
        check(|n| n as u16 * 300);
        check(|n| n as u32 * 70_000);
        check(|n| n as u64 * 5_000_000_000);
        check(|n| n as f32 / 7.0);
        check(|n| n as f64 / 7.0);
        check(|n| n % 3 == 0);
        check(|n| Complex::new(n as f32 / 7.0, -(n as f32)));
        check(|n| Complex::new(n as f64 / 7.0, -(n as f64)));
        #[cfg(feature = "half")]
        check(|n| half::f16::from_f32(n as f32 / 7.0));
    }

    /// Each number of an item is in the byte order of the dtype.
    #[test]
    fn big_endian_items_are_read() {
        fn check<A: Element + PartialEq + std::fmt::Debug>(code: &str, bytes: &[u8], expected: A) {
            let json = format!(r#"{{"dtype": "'>{code}'", "shape": [1], "order": "C", "container": "numpy"}}"#);
            let meta = NumpyMeta::from_json(&bloscpack_format::Json::parse(json).unwrap()).unwrap();
            let mut packed = Vec::new();
            pack_array(bytes, &meta, &mut packed, &PackOptions::new()).unwrap();
            assert_eq!(unpack_ndarray::<A, Ix1>(&packed, &UnpackOptions::new()).unwrap()[0], expected);
        }
        check("u4", &[0, 0, 1, 2], 258_u32);
        check("c8", &[0x3f, 0x80, 0, 0, 0xc0, 0, 0, 0], Complex::new(1.0_f32, -2.0));
        check(
            "c16",
            &[[0x3f, 0xf0], [0; 2], [0; 2], [0; 2], [0xc0, 0], [0; 2], [0; 2], [0; 2]].concat(),
            Complex::new(1.0, -2.0),
        );
        #[cfg(feature = "half")]
        check("f2", &[0x3c, 0], half::f16::ONE);
    }

    /// An array that does not fit the limits is refused before memory is allocated.
    #[test]
    fn limits_come_first() {
        let mut packed = Vec::new();
        pack_ndarray(&Array2::<f64>::zeros((100, 100)), &mut packed, &PackOptions::new()).unwrap();
        let options = UnpackOptions::new().limits(bloscpack_io::Limits::new().max_nbytes(79_999));
        let error = unpack_ndarray::<f64, Ix2>(&packed, &options).unwrap_err();
        assert!(error.over_limit().is_some(), "{error}");
    }

    #[test]
    fn arrays_go_into_frames_and_slices_come_out() {
        let f = Array::from_shape_fn((7, 5, 3).f(), |(i, j, k)| (100 * i + 10 * j + k) as f32);
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("f.b2nd");
        let options = ArrayOptions::new().chunkshape(Some(vec![4, 2, 3])).blockshape(Some(vec![3, 2, 1]));
        let write =
            |overwrite| ndarray_to_frame(&f, &file, overwrite, &options, FrameParams::new(1), &Threads::Ambient);
        write(false).unwrap();
        assert!(write(false).is_err());
        write(true).unwrap();
        let archive = Archive::open(LocalSource::open(&file).unwrap()).unwrap();
        assert_eq!(read_ndarray::<f32, Ix3>(&archive, None).unwrap(), f);
        let region = Region { start: vec![2, 1, 0], stop: vec![6, 4, 2] };
        let slice = read_ndarray::<f32, Ix3>(&archive, Some(&region)).unwrap();
        assert_eq!(slice, f.slice(ndarray::s![2..6, 1..4, 0..2]));
        assert!(read_ndarray::<f64, Ix3>(&archive, None).is_err());
        assert!(read_ndarray::<f32, Ix2>(&archive, None).is_err());
    }

    #[test]
    fn big_endian_arrays_of_the_original_are_read() {
        let files = testdata::archive("bloscpack");
        let (packed, saved) = (&files["numpy-dtype-f8-be.blp"], &files["numpy-dtype-f8-be.npy"]);
        let (_, data_at) = npy::parse(saved).unwrap();
        let expected: Vec<f64> =
            saved[data_at..].as_chunks().0.iter().map(|bytes| f64::from_be_bytes(*bytes)).collect();
        let found = unpack_ndarray::<f64, IxDyn>(packed, &UnpackOptions::new()).unwrap();
        assert_eq!(Array::from_vec(expected).into_dyn(), found);
    }
}
