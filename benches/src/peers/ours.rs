//! This project: `blosc_core`, with chunks of either generation.

use super::{ChunkCodec, Filter, Format, Job, OURS_1, Peer};
use anyhow::{Context, Result, ensure};
use blosc_core::{CParams, Chunk, Codec, Decoder, Encoder, FilterPipeline, Parallelism};
use bloscpack_io::frame::FrameWriter;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::path::Path;

/// The generation of the chunks that are written.
pub enum Ours {
    Blosc2,
    Blosc1,
}

impl Peer for Ours {
    fn name(&self) -> &'static str {
        match self {
            Self::Blosc2 => "ours",
            Self::Blosc1 => OURS_1,
        }
    }

    fn version(&self) -> String {
        format!("kernels {}", blosc_core::kernels::active().name)
    }

    fn format(&self) -> Format {
        match self {
            Self::Blosc2 => Format::Blosc2,
            Self::Blosc1 => Format::Blosc1,
        }
    }

    fn chunk_codec(&self, job: &Job) -> Result<Option<Box<dyn ChunkCodec>>> {
        let codec = Codec::from_name(&job.codec).with_context(|| format!("unknown codec {}", job.codec))?;
        let filters = match job.filter {
            Filter::None => FilterPipeline::none(),
            Filter::Shuffle => FilterPipeline::shuffle(),
            Filter::BitShuffle => FilterPipeline::bitshuffle(),
        };
        let params = match self {
            Self::Blosc2 => CParams::blosc2(),
            Self::Blosc1 => CParams::new(),
        };
        let params = params.codec(codec).clevel(job.level).filters(filters).typesize(job.typesize);
        let encoder = Encoder::new(params)?;
        if job.threads == 1 {
            return Ok(Some(Box::new(Serial { encoder, decoder: Decoder::new() })));
        }
        Ok(Some(Box::new(Pooled {
            serial: Serial {
                encoder: encoder.parallelism(Parallelism::Ambient),
                decoder: Decoder::new().parallelism(Parallelism::Ambient),
            },
            pool: ThreadPoolBuilder::new().num_threads(job.threads).build()?,
        })))
    }

    fn append(&self, path: &Path, plain: &[u8]) -> Result<bool> {
        if matches!(self, Self::Blosc1) {
            return Ok(false);
        }
        let mut frame = FrameWriter::open(path)?;
        frame.append(plain)?;
        frame.commit()?;
        Ok(true)
    }
}

struct Serial {
    encoder: Encoder,
    decoder: Decoder,
}

impl ChunkCodec for Serial {
    fn compress(&mut self, plain: &[u8], chunk: &mut [u8]) -> Result<usize> {
        Ok(self.encoder.compress_into(plain, chunk)?)
    }

    fn decompress(&mut self, chunk: &[u8], plain: &mut [u8]) -> Result<()> {
        let written = self.decoder.decompress_into(&Chunk::parse(chunk)?, plain)?;
        ensure!(written == plain.len(), "{written} bytes instead of {}", plain.len());
        Ok(())
    }
}

struct Pooled {
    serial: Serial,
    pool: ThreadPool,
}

impl ChunkCodec for Pooled {
    fn compress(&mut self, plain: &[u8], chunk: &mut [u8]) -> Result<usize> {
        self.pool.install(|| self.serial.compress(plain, chunk))
    }

    fn decompress(&mut self, chunk: &[u8], plain: &mut [u8]) -> Result<()> {
        self.pool.install(|| self.serial.decompress(chunk, plain))
    }
}
