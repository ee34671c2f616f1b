//! The indexes of shards. Each is read once, and the last used ones are kept.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use blosc_core::{Limits, memory};
use bloscpack_format::FormatError;
use bloscpack_format::zarr::{ShardIndex, Sharding, ZarrError};

use super::node::is_absent;
use crate::Error;
use crate::source::{ReadAt as _, ReadDirectory};

/// Size in bytes of the indexes that are kept. At least the last one is.
const KEPT: u64 = 16 << 20;

/// The index of a shard, and the length of the shard. `None` if the shard is missing.
pub(super) type Shard = Option<Arc<(ShardIndex, u64)>>;

/// An index that is being read by one thread, while others wait for it.
type Slot = Arc<Mutex<Option<Shard>>>;

/// The indexes of the last used shards.
#[derive(Debug, Default)]
pub(super) struct Shards(Mutex<VecDeque<(String, Slot)>>);

impl Shards {
    /// Returns the index of the shard `key`, with `nchunks` chunks.
    pub(super) fn get(
        &self,
        dir: &dyn ReadDirectory,
        key: &str,
        nchunks: u64,
        sharding: &Sharding,
        limits: &Limits,
    ) -> Result<Shard, Error> {
        let most = KEPT.min(limits.max_memory as u64 / 16).checked_div(nchunks.saturating_mul(16).max(1)).unwrap_or(1);
        let slot = self.slot(key, most.clamp(1, 1024) as usize);
        // A panic leaves a slot empty.
        let mut slot = slot.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(shard) = &*slot {
            return Ok(shard.clone());
        }
        let shard = read(dir, key, nchunks, sharding, limits).map_err(|error| error.in_file(dir.name(key)))?;
        *slot = Some(shard.clone());
        Ok(shard)
    }

    /// Returns the place of an index among the last used ones.
    fn slot(&self, key: &str, most: usize) -> Slot {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let found = kept.iter().position(|(other, _)| other == key).and_then(|at| kept.remove(at));
        let (key, slot) = found.unwrap_or_else(|| (key.to_owned(), Slot::default()));
        kept.push_back((key, slot.clone()));
        while kept.len() > most {
            kept.pop_front();
        }
        slot
    }
}

fn read(
    dir: &dyn ReadDirectory,
    key: &str,
    nchunks: u64,
    sharding: &Sharding,
    limits: &Limits,
) -> Result<Shard, Error> {
    let reading = Error::io("reading");
    let file = match dir.open(key) {
        Ok(file) => file,
        Err(error) if is_absent(&error) => return Ok(None),
        Err(error) => return Err(Error::io("opening")(error)),
    };
    let len = file.len().map_err(&reading)?;
    let nbytes = ShardIndex::nbytes(nchunks, sharding);
    let place = nbytes.and_then(|nbytes| Some((nbytes, ShardIndex::offset(nbytes, len, sharding)?)));
    let (nbytes, offset) = place.ok_or_else(|| {
        let problem = format!("the shard has {len} bytes, fewer than the index of {nchunks} chunks");
        FormatError::from(ZarrError::ShardIndex { problem: problem.into() })
    })?;
    limits.check_chunks(nchunks)?;
    let mut bytes = memory::zeroed(usize::try_from(nbytes).unwrap_or(usize::MAX))?;
    file.read_exact_at(offset, &mut bytes).map_err(&reading)?;
    Ok(Some(Arc::new((ShardIndex::parse(&bytes, nchunks, sharding)?, len))))
}
