//! The crate `blosc2-pure-rs`, a port of C-Blosc2.

use super::{ChunkCodec, Format, Job, Peer};
use anyhow::{Context, Result, anyhow, ensure};
use blosc2_pure_rs::schunk::Schunk;
use blosc2_pure_rs::{CContext, CParams, DContext, DParams, blosc2_compname_to_compcode};
use std::path::Path;

pub struct Blosc2PureRs;

impl Peer for Blosc2PureRs {
    fn name(&self) -> &'static str {
        "blosc2-pure-rs"
    }

    fn version(&self) -> String {
        "0.2".to_owned()
    }

    fn format(&self) -> Format {
        Format::Blosc2
    }

    fn chunk_codec(&self, job: &Job) -> Result<Option<Box<dyn ChunkCodec>>> {
        let Some(compcode) = blosc2_compname_to_compcode(&job.codec) else { return Ok(None) };
        let (typesize, nthreads) = (i32::try_from(job.typesize)?, i16::try_from(job.threads)?);
        let filters = [0, 0, 0, 0, 0, job.filter as u8];
        let cparams = CParams { compcode, clevel: job.level, typesize, nthreads, filters, ..CParams::default() };
        let dparams = DParams { nthreads, typesize, ..DParams::default() };
        Ok(Some(Box::new(Contexts(CContext::new(cparams), DContext::new(dparams)))))
    }

    fn append(&self, path: &Path, plain: &[u8]) -> Result<bool> {
        let mut frame = Schunk::open(path.to_str().context("a path that is not UTF-8")?).map_err(|why| anyhow!(why))?;
        frame.append_buffer(plain).map_err(|why| anyhow!(why))?;
        Ok(true)
    }
}

struct Contexts(CContext, DContext);

impl ChunkCodec for Contexts {
    fn compress(&mut self, plain: &[u8], chunk: &mut [u8]) -> Result<usize> {
        self.0.compress_chunk_into(plain, chunk).map_err(|why| anyhow!(why))
    }

    fn decompress(&mut self, chunk: &[u8], plain: &mut [u8]) -> Result<()> {
        let written = self.1.decompress_chunk_into(chunk, plain).map_err(|why| anyhow!(why))?;
        ensure!(written == plain.len(), "{written} bytes instead of {}", plain.len());
        Ok(())
    }
}
