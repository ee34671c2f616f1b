//! Copies of values whose size comes from input.

use super::Json;
use blosc_core::{OutOfMemory, memory};

impl Json {
    /// Returns a copy, like `clone`.
    ///
    /// # Errors
    ///
    /// [`OutOfMemory`].
    pub fn try_clone(&self) -> Result<Json, OutOfMemory> {
        Ok(match self {
            Self::Null => Self::Null,
            Self::Bool(value) => Self::Bool(*value),
            Self::Int(value) => Self::Int(*value),
            Self::BigInt(digits) => Self::BigInt(memory::text_of(digits)?.into()),
            Self::Float(value) => Self::Float(*value),
            Self::String(text) => Self::String(memory::text_of(text)?),
            Self::Array(items) => Self::Array(memory::try_collect(items.iter().map(Json::try_clone))?),
            Self::Object(members) => Self::Object(copy_of(members)?),
        })
    }
}

/// Copies the members of an object.
pub(crate) fn copy_of(members: &[(String, Json)]) -> Result<Vec<(String, Json)>, OutOfMemory> {
    let mut copy = memory::with_capacity(members.len())?;
    for (name, value) in members {
        copy.push((memory::text_of(name)?, value.try_clone()?));
    }
    Ok(copy)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_is_the_same() {
        let text = r#"{"a":[null,true,-1,1e300,"x"],"b":{"c":123456789012345678901234567890}}"#;
        let value = Json::parse(text).unwrap();
        assert_eq!(value.try_clone().unwrap(), value);
    }
}
