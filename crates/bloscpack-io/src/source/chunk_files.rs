//! The chunk files of a sparse frame.

use std::io;

use bloscpack_format::frame::sframe;

use super::{ReadAt, ReadDirectory};

/// The chunk files of a sparse frame.
pub trait ChunkFiles: Send + Sync {
    /// Opens the chunk file with this number.
    ///
    /// # Errors
    /// [`io::ErrorKind::NotFound`] if there is none; otherwise the error of the system.
    fn open_chunk(&self, number: u32) -> io::Result<Box<dyn ReadAt + '_>>;

    /// As [`ReadAt::request_cost`]. `None` for local files.
    fn request_cost(&self) -> Option<usize> {
        None
    }
}

impl<F: ChunkFiles + ?Sized> ChunkFiles for &F {
    fn open_chunk(&self, number: u32) -> io::Result<Box<dyn ReadAt + '_>> {
        (**self).open_chunk(number)
    }

    fn request_cost(&self) -> Option<usize> {
        (**self).request_cost()
    }
}

impl<F: ChunkFiles + ?Sized> ChunkFiles for Box<F> {
    fn open_chunk(&self, number: u32) -> io::Result<Box<dyn ReadAt + '_>> {
        (**self).open_chunk(number)
    }

    fn request_cost(&self) -> Option<usize> {
        (**self).request_cost()
    }
}

/// The chunk files in a directory, by the names that C-Blosc2 gives them.
#[derive(Debug)]
pub(crate) struct Named<D>(pub(crate) D);

impl<D: ReadDirectory> ChunkFiles for Named<D> {
    fn open_chunk(&self, number: u32) -> io::Result<Box<dyn ReadAt + '_>> {
        self.0.open(&sframe::chunk_file_name(number))
    }

    fn request_cost(&self) -> Option<usize> {
        self.0.request_cost()
    }
}
