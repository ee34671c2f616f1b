//! Upper bound: copying the uncompressed data, which no codec can beat by much.

use super::{ChunkCodec, Format, Job, Peer};
use anyhow::Result;
use rayon::{ThreadPool, ThreadPoolBuilder};

pub struct Memcpy;

impl Peer for Memcpy {
    fn name(&self) -> &'static str {
        "memcpy"
    }

    fn version(&self) -> String {
        "of libc".to_owned()
    }

    fn format(&self) -> Format {
        Format::Copy
    }

    fn chunk_codec(&self, job: &Job) -> Result<Option<Box<dyn ChunkCodec>>> {
        let pool = || ThreadPoolBuilder::new().num_threads(job.threads).build();
        Ok(Some(Box::new(Copying((job.threads > 1).then(pool).transpose()?))))
    }
}

struct Copying(Option<ThreadPool>);

impl Copying {
    fn copy(&self, from: &[u8], to: &mut [u8]) {
        let to = &mut to[..from.len()];
        match &self.0 {
            None => to.copy_from_slice(from),
            Some(pool) => {
                let part = from.len().div_ceil(pool.current_num_threads()).max(1);
                pool.scope(|scope| {
                    for (from, to) in from.chunks(part).zip(to.chunks_mut(part)) {
                        scope.spawn(|_| to.copy_from_slice(from));
                    }
                });
            }
        }
        std::hint::black_box(to);
    }
}

impl ChunkCodec for Copying {
    fn compress(&mut self, plain: &[u8], chunk: &mut [u8]) -> Result<usize> {
        self.copy(plain, chunk);
        Ok(plain.len())
    }

    fn decompress(&mut self, chunk: &[u8], plain: &mut [u8]) -> Result<()> {
        self.copy(chunk, plain);
        Ok(())
    }
}
