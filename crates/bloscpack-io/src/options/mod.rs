//! Options of every operation, as builders. The options for bloscpack files have the defaults of the original
//! bloscpack.
//!
//! | file | options of |
//! |---|---|
//! | `open` | opening a container |
//! | `pack`, `unpack`, `append`, `convert` | the operations of these names |
//! | `recover` | salvage |
//! | `event` | the events that an operation reports while it runs |
//!
//! A setter has the name of its option. It takes the options and returns them.

mod append;
mod convert;
mod event;
mod open;
mod pack;
mod recover;
mod unpack;

use blosc_core::Limits;

pub use self::append::AppendOptions;
pub use self::convert::ConvertOptions;
pub use self::event::Event;
pub(crate) use self::event::Observer;
pub use self::open::{OpenOptions, Typing};
pub use self::pack::PackOptions;
pub use self::recover::{Gaps, RecoverOptions};
pub use self::unpack::UnpackOptions;
use crate::{Cancel, Threads};

macro_rules! running {
    ($($options:ty),*) => {$(
        impl $options {
            /// The threads that do the work. The output does not depend on their number.
            pub fn threads(mut self, threads: Threads) -> Self {
                self.threads = threads;
                self
            }

            /// A switch that cancels the operation.
            pub fn cancel(mut self, cancel: Cancel) -> Self {
                self.cancel = cancel;
                self
            }

            /// A function that is called with each [`Event`].
            pub fn observe(mut self, observer: impl Fn(Event<'_>) + Send + Sync + 'static) -> Self {
                self.observer = Observer::new(observer);
                self
            }
        }
    )*};
}

running!(PackOptions, UnpackOptions, AppendOptions, ConvertOptions);

macro_rules! overwriting {
    ($($options:ty),*) => {$(
        impl $options {
            /// Whether an existing output is replaced rather than refused.
            pub fn overwrite(mut self, overwrite: bool) -> Self {
                self.overwrite = overwrite;
                self
            }
        }
    )*};
}

overwriting!(PackOptions, UnpackOptions, RecoverOptions, ConvertOptions);

macro_rules! reading {
    ($($options:ty),*) => {$(
        impl $options {
            /// Limits for reading the input.
            pub fn limits(mut self, limits: Limits) -> Self {
                self.limits = limits;
                self
            }

            /// A switch that cancels the operation.
            pub fn cancel(mut self, cancel: Cancel) -> Self {
                self.cancel = cancel;
                self
            }
        }
    )*};
}

reading!(OpenOptions, RecoverOptions);
