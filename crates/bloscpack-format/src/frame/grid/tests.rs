use super::*;

/// The example of the module documentation.
#[test]
fn blocks_follow_each_other() {
    let array = B2nd { version: 0, shape: vec![5, 4], chunkshape: vec![3, 4], blockshape: vec![2, 2], dtype: None };
    let grid = Grid::new(&array, 1).unwrap();
    assert_eq!((grid.nchunks(), grid.chunk_nbytes(), grid.block_nbytes()), (2, 16, 4));
    let items: Vec<u8> = (0..20).collect();
    let all = grid.all();
    let stored = grid.parts(&all).unwrap().map(|part| {
        let mut chunk = vec![99; 16];
        grid.write(&part, &mut chunk, &all, &items).unwrap();
        chunk
    });
    let expected = [
        [0, 1, 4, 5, 2, 3, 6, 7, 8, 9, 99, 99, 10, 11, 99, 99],
        [12, 13, 16, 17, 14, 15, 18, 19, 99, 99, 99, 99, 99, 99, 99, 99],
    ];
    assert_eq!(stored.collect::<Vec<_>>(), expected);
}

/// C-Blosc2 writes such arrays: the rest of a block is padding.
#[test]
fn a_block_may_be_longer_than_its_chunk() {
    let array = B2nd { version: 0, shape: vec![3, 3], chunkshape: vec![2, 1], blockshape: vec![3, 2], dtype: None };
    let grid = Grid::new(&array, 1).unwrap();
    assert_eq!((grid.nchunks(), grid.chunk_nbytes(), grid.block_nbytes()), (6, 6, 6));
    let (items, all): (Vec<u8>, _) = ((0..9).collect(), grid.all());
    let mut found = vec![0; 9];
    let mut stored = Vec::new();
    for part in grid.parts(&all).unwrap() {
        let mut chunk = vec![99; 6];
        grid.write(&part, &mut chunk, &all, &items).unwrap();
        grid.read(&part, &chunk, &all, &mut found).unwrap();
        stored.push(chunk);
    }
    assert_eq!(stored[1], [1, 99, 4, 99, 99, 99]);
    assert_eq!((stored[5].as_slice(), found), (&[8, 99, 99, 99, 99, 99][..], items));
}

#[test]
fn arrays_that_no_chunk_could_hold_are_refused() {
    let grid = |shape: u64, chunk: u32, block: u32, itemsize| {
        let array = B2nd {
            version: 0,
            shape: vec![shape; 2],
            chunkshape: vec![chunk; 2],
            blockshape: vec![block; 2],
            dtype: None,
        };
        Grid::new(&array, itemsize).map(|grid| grid.chunk_nbytes()).map_err(|error| error.to_string())
    };
    assert_eq!(grid(1 << 30, 1 << 15, 1 << 10, 1), Ok(1 << 30));
    assert_eq!(grid(1 << 30, 46_340, 46_340, 1), Ok(2_147_395_600));
    for (chunk, block, itemsize, field) in
        [(46_341, 1, 1, "chunkshape"), (46_340, 30_000, 1, "chunkshape"), (30_000, 30_000, 3, "blockshape")]
    {
        let error = format!("b2nd metalayer: {field} exceeds 2147483647 bytes");
        assert_eq!(grid(1 << 30, chunk, block, itemsize), Err(error));
    }
    assert!(grid(1 << 31, 1, 1, 2).is_err_and(|error| error.starts_with("b2nd metalayer: shape")));
}

#[test]
fn slices_are_checked() {
    let array = B2nd { version: 0, shape: vec![5], chunkshape: vec![3], blockshape: vec![2], dtype: None };
    let grid = Grid::new(&array, 1).unwrap();
    let region = |start: &[u64], stop: &[u64]| Region { start: start.to_vec(), stop: stop.to_vec() };
    let says = |region: &Region| grid.parts(region).map(Iterator::count).map_err(|error| error.to_string());
    assert_eq!(says(&region(&[2], &[4])), Ok(2));
    assert_eq!(says(&region(&[5], &[5])), Ok(0));
    assert_eq!(says(&region(&[4], &[6])), Err("axis 0: 4..6 is not within 0..5".to_owned()));
    assert_eq!(says(&region(&[3], &[2])), Err("axis 0: 3..2 is not within 0..5".to_owned()));
    assert_eq!(says(&region(&[], &[])), Err("0 axes, but the array has 1".to_owned()));
    // If the buffer is for another region than the part's, the shared items are copied.
    let part = grid.parts(&grid.all()).unwrap().next().unwrap();
    let mut slice = [9; 2];
    grid.read(&part, &[1, 2, 3, 0], &region(&[2], &[4]), &mut slice).unwrap();
    assert_eq!(slice, [3, 9]);
    assert!(grid.read(&part, &[1, 2, 3], &region(&[2], &[4]), &mut slice).is_err());
}
