//! The metadata of an array or of a group.

use bloscpack_format::zarr::{
    ArrayMeta, Consolidated, GroupMeta, Version, ZARR_JSON_FILE, ZARRAY_FILE, ZATTRS_FILE, ZGROUP_FILE, ZMETADATA_FILE,
};

use crate::Error;

/// Keys and values of metadata, in the order in which they are stored.
pub(crate) type Files = Vec<(String, Vec<u8>)>;

/// Returns the metadata of the array at `path`, which is empty for the array of the whole store.
pub(crate) fn array_files(path: &str, meta: &ArrayMeta) -> Result<Files, Error> {
    let key = |file: &str| if path.is_empty() { file.to_owned() } else { format!("{path}/{file}") };
    Ok(match meta.version {
        Version::V2 => {
            let mut files = Vec::new();
            if !meta.attributes.is_empty() {
                files.push((key(ZATTRS_FILE), meta.to_zattrs()?));
            }
            files.push((key(ZARRAY_FILE), meta.to_zarray()?));
            files
        }
        Version::V3 => vec![(key(ZARR_JSON_FILE), meta.to_zarr_json()?)],
    })
}

/// Returns the metadata of the group of the whole store, and of the arrays in it. Readers that find the metadata of the
/// group find all arrays.
pub(crate) fn group_files(mut group: GroupMeta, arrays: &[(&str, ArrayMeta)]) -> Result<Files, Error> {
    let mut files = Vec::new();
    let mut consolidated = Consolidated::new(group.version);
    if group.version == Version::V2 {
        consolidated.add_group("", &group)?;
    }
    for (name, meta) in arrays {
        files.extend(array_files(name, meta)?);
        consolidated.add_array(name, meta)?;
    }
    match group.version {
        Version::V2 => {
            if !group.attributes.is_empty() {
                files.push((ZATTRS_FILE.into(), group.to_zattrs()?));
            }
            files.push((ZMETADATA_FILE.into(), consolidated.to_zmetadata()?));
            files.push((ZGROUP_FILE.into(), group.to_zgroup()?));
        }
        Version::V3 => {
            group.consolidated = Some(consolidated);
            files.push((ZARR_JSON_FILE.into(), group.to_zarr_json()?));
        }
    }
    Ok(files)
}
