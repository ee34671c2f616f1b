use super::*;

/// Streams that C-Blosc2 3.3.5 (blosc2 4.14.1 for Python) wrote, and the SHA-256 of the uncompressed data: 18
/// rows of 21 bytes in cells of 4, 33 rows of 42 in cells of 8. Both have every token of their edge, and cropped cells.
const BY_4: Sample = Sample {
    meta: 4,
    rows: 18,
    columns: 21,
    sha256: "d684a4c7d459c64be7d6a73fb8aecf6cb18179aee0043d610f430f640024e3aa",
    hex: "\
    02120000001500000000cf152d3c2ecdde950a18556e9f7a432800c94851a6a6b2de4af00013f9f14c2350882100790741b4855f4017\
    902c00ed359ba14ab8a73798370001ae39d1e96df4c20097e636a0b04700868f65662ec05491b85200f0eb7934e2f6f89f805d009ac9\
    56caf90d895ee868000736bf8bf06f00289616ab004d09ecbaf87b00263408bde082000659b9592885007800308a007d00388f008200\
    00d8d55da04007c09f00001e6aead8a43c20abbc672243fcb4904e00dc5f72c36a7e07c848848c283d7119df00589025f6780058573c\
    c4fbaf2f8f76a900d67483820059c9977a09063d8900235b31b8ad134cdd0009e41d66e0454761001ab88a03abcf5c6f007436ff8a53\
    2b029d0035a4\
",
};

const BY_8: Sample = Sample {
    meta: 8,
    rows: 33,
    columns: 42,
    sha256: "4846da7846108e89c053490d4df6f661a3ca2b606b69a8a016ecb996955a2ff7",
    hex: "\
    02210000002a00000000f95ac7a6bd9343b25b828b567a6f44eced3057252e035fda33fdd83c01446c32a999bd7c8fd29835dfe08f76\
    a3cec6cd46e9077f6c9ca58f0f30868034ed26e800a86d2cf11e1e6af1830becf082552dba0d00f9725fad09a04bce5f277666a19d06\
    0772d5b06aaf3e58385ba62a0cb13e604d42423bbb6b9770e797b3f84b7353888100cf15c61273c25d7e116c83a297c28811d9f6bcf5\
    cc6abe78f6457696bc344a88dee777812dd3432daae29a1fcf36b5b889b400c84d5a1ec8160ecb2babeb870186fcfac98529157213f8\
    98fcbb74a041be634b955f7843875f2b4432d53c255f35bdb68ae70060655c5709f9a5e4ea383b27437ed592950e1d1d02c86e5eb57e\
    61736f35b90b032ebcdbc556956b1d432abdd1b3fe62002881d293b46102adee9cc1300680d3468b2b017700b14342ee500ca58dfde8\
    0ab329476ea6621e307f70438b292d1bd8b8690fd599081d47abb3c011f02e636c634e668c5e018ab4d5c97c1d4553960e9f3c62bbeb\
    ef35fa8211b566a7df3d81e05918c889dd742e6da17b43211004fff92fea21567b8d9101b1015ccab113950a98f73e841aed70e5cbbb\
    9607a8a4e1107e022ed89b4e9cbf8287e5c8cea3dff9e57060a5cd4e77378ec4011f1b76cd1ee009d54ab4669a170e19e107797caf32\
    1e03be582526f523b58e8732a7103a2b7f27166e476b49432a6d6aa8f701497891297b7a9a2ea300ca6b056d288a771f577f684c8514\
    146945aa2a4d08b6f7c92d03b737894800ab976c49524e7a5f4d22355237e8f354a93302f334c02e904587e0ad161b80b7d4e9dd4f6a\
    0cfa22f7ab51511d4bd58df0cea6aff6187ab8863812aa5e02495ef2ec251a7223b108ab7ec89ad488193eb044b82397a972b82021a6\
    45e9269c9c1b4b6adec744ab8902b7a433a260f122b952eeff95a200b053c1bdbc572fa8981e88c4274f2cabebcb6bccf30e542a4bf4\
    acb4022547cfc7eba111df3514f2eff9e0a43d54b58501cadde16a5fbdadcbc306dee162a6e2ecb095a970addf02594c7db92ea35812\
    964c092aaa7e46616a2891877da83b577bd53819f20e53b54490b4c06eef5682000061349a2d6ac5ad23168226a13f9f784007c01d03\
    0086bb99a5a4127f0fb039311a627c76bc1b93aae7c97d6973b12017f484ac88fa5eef2515fa9ae97c5cc16d0b37a89a9c115fbf20c8\
    afdb0c47566b07e74e6b3f00309eb9af40b52d69e7c12ca9558813c7faf8bd7b6cf6399fb263697a1aa7e850a2ec7d62949fa2dc4fd4\
    0eac75b601c12c96846ec1e6f52947209050003cfef900858753e2ee8d1f37c9dfe2e1d71f69c43a91272d965679bb192f1a9b108844\
    87b52ed1d3978a99b0dfa0d55131bc8e651fecae757b3114768d64c0f3a24e0fe300b106f59a72376bd1803f8463efcb4f0500a50848\
    62129838d800d798459f4bdd9f290060933a153f75fae50029f5370a5e40005b0089322286da08848600b134\
",
};

struct Sample {
    meta: u8,
    rows: usize,
    columns: usize,
    sha256: &'static str,
    hex: &'static str,
}

impl Sample {
    fn stream(&self) -> Vec<u8> {
        let digit = |byte: &u8| (*byte as char).to_digit(16).unwrap() as u8;
        self.hex.as_bytes().as_chunks::<2>().0.iter().map(|[high, low]| digit(high) << 4 | digit(low)).collect()
    }

    fn len(&self) -> usize {
        self.rows * self.columns
    }
}

/// Decodes over two buffers of different contents and demands the same result.
fn decoded(stream: &[u8], len: usize, meta: u8) -> Result<Vec<u8>, CorruptStream> {
    let [first, second] = [0x00, 0xA5].map(|fill| {
        let mut dst = vec![fill; len];
        decompress(stream, &mut dst, meta).map(|()| dst)
    });
    assert_eq!(first, second);
    first
}

#[test]
fn streams_of_c_blosc2_give_its_plain_bytes() {
    for sample in [BY_4, BY_8] {
        let plain = decoded(&sample.stream(), sample.len(), sample.meta).unwrap();
        assert_eq!(testdata::sha256_hex(&plain), sample.sha256);
    }
}

#[test]
fn no_other_shape_size_or_edge_decodes() {
    for sample in [BY_4, BY_8] {
        let stream = sample.stream();
        for end in 0..stream.len() {
            assert!(decoded(&stream[..end], sample.len(), sample.meta).is_err(), "the first {end} bytes");
        }
        let what = |stream: &[u8], len, meta| decoded(stream, len, meta).unwrap_err().what;
        assert_eq!(
            what(&[&stream[..], b"\0"].concat(), sample.len(), sample.meta),
            "more bytes than the cells contain"
        );
        for len in [0, 1, sample.len() - 1, sample.len() + 1, 2 * sample.len()] {
            assert_eq!(what(&stream, len, sample.meta), "the block and the stream differ in size");
        }
        for meta in (0..=255).filter(|&meta| meta != sample.meta) {
            assert!(decoded(&stream, sample.len(), meta).is_err(), "edge {meta}");
        }
        for dimensions in [0, 1, 3, 255] {
            let stream = [&[dimensions], &stream[1..]].concat();
            assert_eq!(what(&stream, sample.len(), sample.meta), "NDLZ needs two dimensions");
        }
        let extents = [i32::MIN, -1, 0, 1, 2, 3, 7, 1 << 16, i32::MAX - 7, i32::MAX];
        for (rows, columns) in extents.iter().flat_map(|&rows| extents.map(|columns| (rows, columns))) {
            let stream = [&[2], &rows.to_le_bytes()[..], &columns.to_le_bytes(), &stream[9..]].concat();
            assert!(decoded(&stream, sample.len(), sample.meta).is_err(), "{rows} rows, {columns} columns");
        }
    }
}

#[test]
fn any_byte_changed_is_an_error_or_bytes() {
    for sample in [BY_4, BY_8] {
        let stream = sample.stream();
        let mut refused = 0;
        for i in 0..stream.len() {
            let mut stream = stream.clone();
            for flip in 1..=255 {
                stream[i] ^= flip;
                refused += usize::from(decoded(&stream, sample.len(), sample.meta).is_err());
                stream[i] ^= flip;
            }
        }
        // Most of a stream is literals. Any change of the 9-byte header is an error.
        assert!(refused > 9 * 255, "{refused}");
    }
}

#[test]
fn references_stay_within_the_stream_and_in_front_of_their_token() {
    let what = |stream: &[u8], len, meta| decoded(stream, len, meta).unwrap_err().what;
    let literal: Vec<u8> = (1..=16).collect();
    let with = |token: u8, distance: u16| {
        let header = [&[2, 4, 0, 0, 0, 8, 0, 0, 0, 0][..], &literal].concat();
        [&header, &[token][..], &distance.to_le_bytes()].concat()
    };
    // The token of the second cell is at 26: the header and the first cell's token and bytes in front of it.
    assert_eq!(decoded(&with(0xC0, 16), 32, 4).unwrap()[4..8], literal[..4]);
    assert_eq!(decoded(&with(0xC0, 26), 32, 4).unwrap()[4..8], [2, 4, 0, 0]);
    for distance in [0, 1, 15, 27, 28, 32_767, 65_535] {
        assert_eq!(what(&with(0xC0, distance), 32, 4), "reference outside the stream", "{distance}");
    }
    for token in [0xE0, 0xE8, 0xF0, 0xF8, 0x80, 0x88, 0x28] {
        for distance in [0, 7, 27, 65_535] {
            assert_eq!(what(&with(token, distance), 32, 4), "reference outside the stream", "{token:#x}");
        }
        assert_eq!(what(&with(token, 12), 32, 4), "the stream is truncated", "{token:#x}");
    }
    for token in 1..=255 {
        let known = matches!(token, 0x28 | 0x30 | 0x38 | 0x40 | 0x80 | 0x88 | 0x90 | 0x98 | 0xB0 | 0xB8 | 0xC0)
            || matches!(token, 0xE0 | 0xE8 | 0xF0 | 0xF8);
        assert_eq!(decoded(&with(token, 16), 32, 4) == Err(CorruptStream::new(26, "unknown token")), !known, "{token}");
    }
    // The same with a second cell of three columns.
    let cropped = [&[2, 4, 0, 0, 0, 7][..], &with(0xC0, 16)[6..]].concat();
    assert_eq!(what(&cropped, 28, 4), "reference to a cropped cell");
}
