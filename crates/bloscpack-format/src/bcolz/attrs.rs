//! `__attrs__`: user-defined attributes of a carray or ctable.

use super::text;
use crate::error::{FormatError, Part};
use crate::json::{self, Json};
use blosc_core::{OutOfMemory, memory};

/// Attributes in their order: any JSON value under any name. bcolz stores them in `__attrs__`, other containers
/// elsewhere.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Attrs {
    members: Vec<(String, Json)>,
}

impl Attrs {
    /// Creates attributes from the members of an object, whose names must be unique.
    #[must_use]
    pub fn from_members(members: Vec<(String, Json)>) -> Self {
        Attrs { members }
    }

    /// Returns the members of [`to_json`](Self::to_json).
    #[must_use]
    pub fn into_members(self) -> Vec<(String, Json)> {
        self.members
    }

    /// Parses the file, a JSON object. A directory without the file has no attributes.
    ///
    /// # Errors
    ///
    /// [`FormatError::Text`] or [`FormatError::Bcolz`].
    pub fn parse(bytes: &[u8]) -> Result<Self, FormatError> {
        match text::object(bytes, Part::Attrs)? {
            Json::Object(members) => Ok(Attrs { members }),
            _ => Ok(Attrs::default()),
        }
    }

    /// Encodes the file.
    ///
    /// # Errors
    ///
    /// [`OutOfMemory`].
    pub fn to_bytes(&self) -> Result<Vec<u8>, OutOfMemory> {
        text::to_large_file(self.to_json()?)
    }

    /// Returns a copy, like `clone`.
    ///
    /// # Errors
    ///
    /// [`OutOfMemory`].
    pub fn try_clone(&self) -> Result<Self, OutOfMemory> {
        Ok(Attrs { members: json::copy_of(&self.members)? })
    }

    /// Returns the attribute of that name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Json> {
        self.iter().find(|(found, _)| *found == name).map(|(_, value)| value)
    }

    /// Sets an attribute and returns the old value. An existing attribute keeps its position; a new one is added at the
    /// end.
    ///
    /// # Errors
    ///
    /// [`OutOfMemory`]; the attributes are then unchanged.
    pub fn set(&mut self, name: &str, value: Json) -> Result<Option<Json>, OutOfMemory> {
        match self.members.iter_mut().find(|(found, _)| found == name) {
            Some((_, place)) => Ok(Some(std::mem::replace(place, value))),
            None => {
                memory::push(&mut self.members, (memory::text_of(name)?, value))?;
                Ok(None)
            }
        }
    }

    /// Removes an attribute and returns it.
    pub fn remove(&mut self, name: &str) -> Option<Json> {
        let at = self.members.iter().position(|(found, _)| found == name)?;
        Some(self.members.remove(at).1)
    }

    /// Returns all attributes in their order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &Json)> {
        self.members.iter().map(|(name, value)| (name.as_str(), value))
    }

    /// Returns the number of attributes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// Returns whether there are no attributes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// Returns the attributes as one JSON object.
    ///
    /// # Errors
    ///
    /// [`OutOfMemory`].
    pub fn to_json(&self) -> Result<Json, OutOfMemory> {
        Ok(Json::Object(json::copy_of(&self.members)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_the_order() {
        let text = b"{\"b\": NaN, \"a\": [1, 2.5, null], \"\\u00e9\": 123456789012345678901234567890}\n";
        let mut attrs = Attrs::parse(text).unwrap();
        assert_eq!(attrs.to_bytes().unwrap(), text);
        let old = attrs.set("a", Json::Bool(true)).unwrap();
        assert_eq!(old.and_then(|old| old.as_array().map(<[Json]>::len)), Some(3));
        assert_eq!(attrs.set("z", Json::Null), Ok(None));
        assert!(attrs.remove("b").is_some() && attrs.remove("b").is_none());
        assert_eq!(attrs.iter().map(|(name, _)| name).collect::<Vec<_>>(), ["a", "é", "z"]);
        assert_eq!(attrs.get("a"), Some(&Json::Bool(true)));
        assert_eq!(Attrs::default().to_bytes().unwrap(), b"{}\n");
        assert!(Attrs::parse(b"").is_err() && Attrs::parse(b"[]").is_err());
    }
}
