//! The function that stores values with a new dataset.

use std::ffi::c_int;

use super::hdf5::{Hdf5, Id, guarded, report};
use super::selected::FILTER;
use crate::dataset;

/// Stores the values of the filter in the property list. Returns 1, or -1 if that fails.
pub(super) extern "C" fn set_local(list: Id, of: Id, _space: Id) -> c_int {
    let done = guarded(|| {
        let hdf5 = Hdf5::find()?;
        let (flags, given) = hdf5.filter(list, FILTER.id())?;
        let values = hdf5.with_dataset(list, of, |dataset| dataset::values(FILTER, &given, dataset))?;
        hdf5.set_filter(list, FILTER.id(), flags, &values)
    });
    let Err(error) = done else { return 1 };
    drop(guarded(|| {
        report(c"set_local", &error);
        Ok(())
    }));
    -1
}
