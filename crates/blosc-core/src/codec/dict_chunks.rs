//! Test support: parses the chunks with dictionaries in the golden set.

use testdata::serde_json::Value;

use super::CodecFormat;

/// A chunk that C-Blosc2 wrote with a dictionary.
pub(super) struct DictChunk {
    pub(super) file: String,
    pub(super) format: CodecFormat,
    pub(super) dict: Vec<u8>,
    streams: Vec<Stream>,
    plain_sha256: String,
    /// The typesize that the blocks are shuffled by, or 1.
    shuffled: usize,
    blocksize: usize,
}

enum Stream {
    /// A run of one byte, or an incompressible stream.
    Plain(Vec<u8>),
    /// A compressed stream and its uncompressed size.
    Compressed(Vec<u8>, usize),
}

/// Loads the chunks of one format.
pub(super) fn of(format: CodecFormat) -> Vec<DictChunk> {
    let files = testdata::archive("chunks");
    let manifest = testdata::manifest("chunks");
    let items = manifest["items"].as_array().unwrap().iter().filter(|item| item["category"] == "dict");
    let chunks = items.map(|item| DictChunk::new(item, &files[item["file"].as_str().unwrap()]));
    chunks.filter(|chunk| chunk.format == format).collect()
}

fn number(bytes: &[u8], at: usize) -> usize {
    usize::try_from(i32::from_le_bytes(*bytes[at..].first_chunk().unwrap())).unwrap()
}

impl DictChunk {
    /// Parses a chunk: a header of 32 bytes, block offsets, dictionary size, dictionary, blocks. A block is one stream
    /// or, if split, one stream for each byte of the typesize. A stream is its size and its bytes.
    fn new(item: &Value, chunk: &[u8]) -> Self {
        let (nbytes, blocksize) = (number(chunk, 4), number(chunk, 8));
        assert_eq!(chunk[31] & 1, 1);
        assert_eq!(nbytes % blocksize, 0);
        let starts: Vec<_> = (0..nbytes / blocksize).map(|i| number(chunk, 32 + 4 * i)).collect();
        let dict_at = 32 + 4 * starts.len();
        let dict = chunk[dict_at + 4..][..number(chunk, dict_at)].to_vec();
        let split = if chunk[2] & 0x10 == 0 { usize::from(chunk[3]) } else { 1 };
        let mut streams = Vec::new();
        for mut at in starts {
            for _ in 0..split {
                let len = blocksize / split;
                let size = i32::from_le_bytes(*chunk[at..].first_chunk().unwrap());
                at += 4;
                streams.push(match usize::try_from(size) {
                    Ok(0) => Stream::Plain(vec![0; len]),
                    Ok(size) => {
                        let bytes = chunk[at..at + size].to_vec();
                        at += size;
                        if size == len { Stream::Plain(bytes) } else { Stream::Compressed(bytes, len) }
                    }
                    Err(_) => {
                        // One byte follows, which marks this stream as a run.
                        at += 1;
                        Stream::Plain(vec![-size as u8; len])
                    }
                });
            }
        }
        DictChunk {
            file: item["file"].as_str().unwrap().to_owned(),
            format: CodecFormat::from_id(chunk[2] >> 5).unwrap(),
            dict,
            streams,
            plain_sha256: item["plain_sha256"].as_str().unwrap().to_owned(),
            shuffled: if item["params"]["filters"][0][0] == 1 { usize::from(chunk[3]) } else { 1 },
            blocksize,
        }
    }

    /// Returns the compressed streams and their uncompressed sizes.
    pub(super) fn compressed(&self) -> impl Iterator<Item = (&[u8], usize)> {
        self.streams.iter().filter_map(|stream| match stream {
            Stream::Plain(_) => None,
            Stream::Compressed(bytes, len) => Some((&bytes[..], *len)),
        })
    }

    /// Returns the uncompressed streams, checked against the hash of the original data.
    pub(super) fn plain(&self, mut decode: impl FnMut(&[u8], usize) -> Vec<u8>) -> Vec<Vec<u8>> {
        let streams = self.streams.iter().map(|stream| match stream {
            Stream::Plain(bytes) => bytes.clone(),
            Stream::Compressed(bytes, len) => decode(bytes, *len),
        });
        let streams: Vec<_> = streams.collect();
        let mut plain = Vec::new();
        for block in streams.concat().chunks(self.blocksize) {
            let items = block.len() / self.shuffled;
            plain.extend((0..block.len()).map(|i| block[i % self.shuffled * items + i / self.shuffled]));
        }
        assert_eq!(testdata::sha256_hex(&plain), self.plain_sha256, "{}", self.file);
        streams
    }
}
