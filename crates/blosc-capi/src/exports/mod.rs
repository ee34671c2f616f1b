//! The functions with C linkage. They turn pointers into slices and call the safe modules.
//!
//! | file | content |
//! |---|---|
//! | `pointers` | checks of pointers, and slices of them |
//! | `guard` | no panic crosses into C |
//! | `owned` | values that one thread uses |
//! | `environment` | whether the environment has variables of Blosc |
//! | `blosc1` | the functions of `blosc.h` |
//! | `blosc2` | the functions of `blosc2.h` |
//! | `testing` | internal functions of the originals, for their own tests |

#[cfg(feature = "blosc1")]
mod blosc1;
#[cfg(feature = "blosc2")]
mod blosc2;
mod environment;
mod guard;
mod owned;
mod pointers;
#[cfg(feature = "testing")]
mod testing;
#[cfg(all(test, feature = "blosc1"))]
mod tests;

#[cfg(feature = "blosc1")]
pub use blosc1::*;
#[cfg(feature = "blosc2")]
pub use blosc2::*;
#[cfg(feature = "testing")]
pub use testing::*;
