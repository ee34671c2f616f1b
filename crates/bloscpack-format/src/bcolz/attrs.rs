//! `__attrs__`: what has the user noted about a carray or ctable?

use super::text;
use crate::error::{FormatError, Part};
use crate::json::Json;

/// Attributes in their order: any JSON value by any name. bcolz stores them in `__attrs__`, other containers elsewhere.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Attrs {
    members: Vec<(String, Json)>,
}

impl Attrs {
    /// Attributes with the members of an object, each name once.
    #[must_use]
    pub fn from_members(members: Vec<(String, Json)>) -> Self {
        Attrs { members }
    }

    /// The members of [`to_json`](Self::to_json).
    #[must_use]
    pub fn into_members(self) -> Vec<(String, Json)> {
        self.members
    }

    /// Reads the file, a JSON object. A directory without the file has no attributes.
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

    /// The file's bytes.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        text::to_file(self.members.clone())
    }

    /// The attribute of that name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Json> {
        self.iter().find(|(found, _)| *found == name).map(|(_, value)| value)
    }

    /// Sets an attribute: in its place if it is there, at the end if it is new. Returns the old value.
    pub fn set(&mut self, name: &str, value: Json) -> Option<Json> {
        match self.members.iter_mut().find(|(found, _)| found == name) {
            Some((_, place)) => Some(std::mem::replace(place, value)),
            None => {
                self.members.push((name.into(), value));
                None
            }
        }
    }

    /// Removes an attribute and returns it.
    pub fn remove(&mut self, name: &str) -> Option<Json> {
        let at = self.members.iter().position(|(found, _)| found == name)?;
        Some(self.members.remove(at).1)
    }

    /// All of them in their order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &Json)> {
        self.members.iter().map(|(name, value)| (name.as_str(), value))
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// The attributes as one JSON object.
    #[must_use]
    pub fn to_json(&self) -> Json {
        Json::Object(self.members.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_the_order() {
        let text = b"{\"b\": NaN, \"a\": [1, 2.5, null], \"\\u00e9\": 123456789012345678901234567890}\n";
        let mut attrs = Attrs::parse(text).unwrap();
        assert_eq!(attrs.to_bytes(), text);
        assert_eq!(attrs.set("a", Json::Bool(true)).and_then(|old| old.as_array().map(<[Json]>::len)), Some(3));
        assert_eq!(attrs.set("z", Json::Null), None);
        assert!(attrs.remove("b").is_some() && attrs.remove("b").is_none());
        assert_eq!(attrs.iter().map(|(name, _)| name).collect::<Vec<_>>(), ["a", "é", "z"]);
        assert_eq!(attrs.get("a"), Some(&Json::Bool(true)));
        assert_eq!(Attrs::default().to_bytes(), b"{}\n");
        assert!(Attrs::parse(b"").is_err() && Attrs::parse(b"[]").is_err());
    }
}
