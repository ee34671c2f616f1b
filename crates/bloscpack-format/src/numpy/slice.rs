//! Basic slices in NumPy's notation, `3,100:200,::2`, and the items of an array that they select.

use super::NumpyError;
use std::fmt;
use std::str::FromStr;

/// A basic slice: one entry for each axis, and at most one ellipsis. [`Slice::select`] applies it to a shape.
///
/// ```
/// use bloscpack_format::numpy::Slice;
///
/// let selection = "3, 10:0:-4, ...".parse::<Slice>()?.select(&[5, 20, 7])?;
/// assert_eq!(selection.shape(), [3, 7]);
/// # Ok::<(), bloscpack_format::numpy::NumpyError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Slice(Vec<Entry>);

/// The entry of a slice for one axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Entry {
    /// One index; the axis is dropped from the result.
    Index(i64),
    /// `start:stop:step`.
    Range { start: Option<i64>, stop: Option<i64>, step: i64 },
    /// `...`: all axes without an entry of their own.
    Ellipsis,
}

impl Entry {
    const ALL: Self = Self::Range { start: None, stop: None, step: 1 };

    fn parse(text: &str) -> Result<Self, NumpyError> {
        let refuse = |problem| NumpyError::Slice { entry: text.into(), problem };
        if text == "..." {
            return Ok(Self::Ellipsis);
        }
        if ["None", "newaxis", "np.newaxis", "numpy.newaxis"].contains(&text) {
            return Err(refuse("a new axis is not supported; leave it out"));
        }
        let number = |text: &str| match text.trim() {
            "" => Ok(None),
            digits => integer(digits).map(Some).ok_or_else(|| refuse("expected integers, as in 3 or 10:20:2")),
        };
        let mut parts = text.split(':');
        let (first, second, third) = (parts.next().unwrap_or_default(), parts.next(), parts.next());
        if parts.next().is_some() {
            return Err(refuse("expected at most start:stop:step"));
        }
        let Some(second) = second else {
            return number(first)?.map(Self::Index).ok_or_else(|| refuse("the entry of an axis is missing"));
        };
        match number(third.unwrap_or_default())? {
            Some(0) => Err(refuse("the step must not be 0")),
            step => Ok(Self::Range { start: number(first)?, stop: number(second)?, step: step.unwrap_or(1) }),
        }
    }

    /// Selects items of an axis of `len` items.
    fn select(self, axis: usize, len: u64) -> Result<AxisSelection, NumpyError> {
        let wide = i128::from(len);
        match self {
            Self::Index(index) => {
                let place = i128::from(index) + if index < 0 { wide } else { 0 };
                match u64::try_from(place) {
                    Ok(start) if start < len => Ok(AxisSelection { start, step: 1, count: 1, is_index: true }),
                    _ => Err(NumpyError::Index { axis, index, len }),
                }
            }
            Self::Ellipsis => Self::ALL.select(axis, len),
            Self::Range { start, stop, step } => {
                let step = i128::from(step);
                // Like Python's `slice.indices`: ends are clamped to the axis, and for a negative step to one before
                // it.
                let (low, high) = if step > 0 { (0, wide) } else { (-1, wide - 1) };
                let place = |end: i64| (i128::from(end) + if end < 0 { wide } else { 0 }).clamp(low, high);
                let start = start.map_or(if step > 0 { low } else { high }, place);
                let stop = stop.map_or(if step > 0 { high } else { low }, place);
                let distance = if step > 0 { stop - start } else { start - stop };
                let count = if distance > 0 { (distance - 1) / step.abs() + 1 } else { 0 };
                // Between 0 and `len`, unless nothing is selected.
                let (start, count) = (u64::try_from(start).unwrap_or(0), u64::try_from(count).unwrap_or(0));
                // A single item has no next one; a large step would only overflow.
                let step = if count > 1 { i64::try_from(step).unwrap_or(1) } else { 1 };
                Ok(AxisSelection { start, step, count, is_index: false })
            }
        }
    }
}

/// Parses a decimal integer with an optional sign. Integers beyond `i64` are clamped: no axis is longer.
fn integer(text: &str) -> Option<i64> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let beyond = if negative { i64::MIN } else { i64::MAX };
    let sign = if negative { "-" } else { "" };
    Some(format!("{sign}{digits}").parse().unwrap_or(beyond))
}

impl FromStr for Slice {
    type Err = NumpyError;

    /// Parses a slice in NumPy's notation, with or without the brackets.
    fn from_str(text: &str) -> Result<Self, NumpyError> {
        let inner = text.trim();
        let inner = inner.strip_prefix('[').and_then(|inner| inner.strip_suffix(']')).unwrap_or(inner).trim();
        // Python allows one trailing comma.
        let inner = inner.strip_suffix(',').filter(|rest| !rest.trim().is_empty()).unwrap_or(inner);
        let entries = inner.split(',').map(|entry| Entry::parse(entry.trim())).collect::<Result<Vec<_>, _>>()?;
        if entries.iter().filter(|entry| **entry == Entry::Ellipsis).count() > 1 {
            return Err(NumpyError::Slice { entry: text.into(), problem: "an index has at most one ellipsis ('...')" });
        }
        Ok(Self(entries))
    }
}

impl Slice {
    /// Selects items of an array of `shape`. Axes without an entry are selected whole.
    ///
    /// # Errors
    ///
    /// [`NumpyError::TooManyIndices`] for more entries than axes, [`NumpyError::Index`] for an index outside its axis.
    pub fn select(&self, shape: &[u64]) -> Result<Selection, NumpyError> {
        let named = self.0.iter().filter(|entry| **entry != Entry::Ellipsis).count();
        let Some(rest) = shape.len().checked_sub(named) else {
            return Err(NumpyError::TooManyIndices { found: named, expected: shape.len() });
        };
        let ellipsis = self.0.iter().position(|entry| *entry == Entry::Ellipsis).unwrap_or(self.0.len());
        let (before, after) = self.0.split_at(ellipsis);
        let after = after.get(1..).unwrap_or_default();
        let entries = before.iter().copied().chain(std::iter::repeat_n(Entry::ALL, rest)).chain(after.iter().copied());
        let axes = entries.zip(shape).enumerate().map(|(axis, (entry, len))| entry.select(axis, *len));
        Ok(Selection { axes: axes.collect::<Result<_, _>>()? })
    }
}

/// The items of one axis: `start`, `start + step`, …, `count` of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AxisSelection {
    /// The first item, in the order of the result. It is within the axis unless `count` is 0.
    pub start: u64,
    /// Distance from one item to the next; negative for reversed axes, never 0.
    pub step: i64,
    /// Number of items.
    pub count: u64,
    /// Whether the axis is dropped from the shape of the result, because its entry is a plain index.
    pub is_index: bool,
}

impl AxisSelection {
    /// Returns the index of item `number` of the selection. `number` must be less than `count`.
    #[must_use]
    pub fn at(&self, number: u64) -> u64 {
        // Every index of a selection is within its axis, so the true sum does not overflow.
        self.start.wrapping_add(number.wrapping_mul(self.step.cast_unsigned()))
    }
}

/// The items of an array that a [`Slice`] selects, in the C order of the result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Selection {
    axes: Vec<AxisSelection>,
}

impl Selection {
    /// Selects all items of an array of `shape`.
    #[must_use]
    pub fn all(shape: &[u64]) -> Self {
        let whole = |len: &u64| AxisSelection { start: 0, step: 1, count: *len, is_index: false };
        Self { axes: shape.iter().map(whole).collect() }
    }

    /// Selects these items of an array of `shape`.
    ///
    /// # Errors
    ///
    /// [`NumpyError::TooManyIndices`] if the number of axes differs, [`NumpyError::Index`] for an item outside its axis,
    /// [`NumpyError::Slice`] for a step of 0.
    pub fn new(axes: Vec<AxisSelection>, shape: &[u64]) -> Result<Self, NumpyError> {
        let selection = Self { axes };
        selection.check(shape)?;
        Ok(selection)
    }

    /// Checks that the selection has the axes of `shape`, and that all its items are within them.
    ///
    /// # Errors
    ///
    /// As [`Selection::new`].
    pub fn check(&self, shape: &[u64]) -> Result<(), NumpyError> {
        if self.axes.len() != shape.len() {
            return Err(NumpyError::TooManyIndices { found: self.axes.len(), expected: shape.len() });
        }
        for (number, (axis, &len)) in self.axes.iter().zip(shape).enumerate() {
            let last = i128::from(axis.start) + i128::from(axis.step) * (i128::from(axis.count) - 1);
            if axis.step == 0 {
                return Err(NumpyError::Slice { entry: "::0".into(), problem: "the step must not be 0" });
            }
            if axis.count > 0 && !(axis.start < len && (0..i128::from(len)).contains(&last)) {
                let outside = if axis.start < len { last } else { axis.start.into() };
                let index = i64::try_from(outside).unwrap_or(i64::MAX);
                return Err(NumpyError::Index { axis: number, index, len });
            }
        }
        Ok(())
    }

    /// Returns the selection along each axis of the array.
    #[must_use]
    pub fn axes(&self) -> &[AxisSelection] {
        &self.axes
    }

    /// Returns the number of selected items along each axis of the array, including axes that the result drops.
    #[must_use]
    pub fn counts(&self) -> Vec<u64> {
        self.axes.iter().map(|axis| axis.count).collect()
    }

    /// Returns the shape of the result.
    #[must_use]
    pub fn shape(&self) -> Vec<u64> {
        self.axes.iter().filter(|axis| !axis.is_index).map(|axis| axis.count).collect()
    }

    /// Returns a part of the selection: the items from `start` up to, but not including, `stop` along each axis of the
    /// array. The ranges count items of the result, and must be within [`counts`](Self::counts).
    #[must_use]
    pub fn part(&self, start: &[u64], stop: &[u64]) -> Self {
        let axes = self.axes.iter().zip(start.iter().zip(stop));
        let axes = axes.map(|(axis, (start, stop))| AxisSelection {
            start: axis.at(*start),
            count: stop.saturating_sub(*start),
            ..*axis
        });
        Self { axes: axes.collect() }
    }
}

/// Writes the slice in NumPy's notation, without brackets.
impl fmt::Display for Slice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let end = |end: Option<i64>| end.map_or(String::new(), |end| end.to_string());
        for (number, entry) in self.0.iter().enumerate() {
            f.write_str(if number > 0 { "," } else { "" })?;
            match entry {
                Entry::Index(index) => write!(f, "{index}")?,
                Entry::Ellipsis => f.write_str("...")?,
                Entry::Range { start, stop, step: 1 } => write!(f, "{}:{}", end(*start), end(*stop))?,
                Entry::Range { start, stop, step } => write!(f, "{}:{}:{step}", end(*start), end(*stop))?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn indices(text: &str, shape: &[u64]) -> Result<Vec<Vec<u64>>, String> {
        let selection =
            text.parse::<Slice>().and_then(|slice| slice.select(shape)).map_err(|error| error.to_string())?;
        Ok(selection.axes().iter().map(|axis| (0..axis.count).map(|number| axis.at(number)).collect()).collect())
    }

    /// Expected: `range(len)[slice]` in Python.
    #[test]
    fn ranges_are_clamped_as_python_does() {
        for (text, expected) in [
            (":", vec![0, 1, 2, 3, 4]),
            ("1:3", vec![1, 2]),
            ("-2:", vec![3, 4]),
            (":-2", vec![0, 1, 2]),
            ("2:99999999999999999999", vec![2, 3, 4]),
            ("-99:2", vec![0, 1]),
            ("::2", vec![0, 2, 4]),
            ("1::99999999999999999999", vec![1]),
            ("::-1", vec![4, 3, 2, 1, 0]),
            ("::-2", vec![4, 2, 0]),
            ("3:0:-2", vec![3, 1]),
            ("99:-99:-3", vec![4, 1]),
            ("0:0:-1", vec![]),
            ("3:1", vec![]),
            ("7:9", vec![]),
            ("+1:+2", vec![1]),
            ("-1", vec![4]),
        ] {
            assert_eq!(indices(text, &[5]), Ok(vec![expected]), "{text}");
        }
        assert_eq!(indices("::-1", &[0]), Ok(vec![vec![]]));
    }

    #[test]
    fn entries_go_to_their_axes() {
        assert_eq!(indices("..., 1", &[2, 3, 4]), Ok(vec![vec![0, 1], vec![0, 1, 2], vec![1]]));
        assert_eq!(indices("[1, ..., 2:]", &[2, 2, 3]), Ok(vec![vec![1], vec![0, 1], vec![2]]));
        assert_eq!(indices("1,", &[2, 2]), Ok(vec![vec![1], vec![0, 1]]));
        assert_eq!(indices("...", &[]), Ok(vec![]));
        assert_eq!(indices("0,...,1", &[2, 2]), Ok(vec![vec![0], vec![1]]));
        let selection = "1,::2,...".parse::<Slice>().unwrap().select(&[3, 5, 2]).unwrap();
        assert_eq!((selection.counts(), selection.shape()), (vec![1, 3, 2], vec![3, 2]));
        assert_eq!(selection.part(&[0, 1, 1], &[1, 3, 2]).axes()[1].at(1), 4);
    }

    #[test]
    fn selections_stay_within_the_shape() {
        let axis = |start, step, count| AxisSelection { start, step, count, is_index: false };
        let accepted = |axes: &[AxisSelection]| Selection::new(axes.to_vec(), &[5]).is_ok();
        for good in [axis(0, 1, 5), axis(4, -1, 5), axis(4, -2, 3), axis(9, 1, 0), axis(3, i64::MIN, 1)] {
            assert!(accepted(&[good]), "{good:?}");
        }
        for bad in [axis(5, 1, 1), axis(4, 1, 2), axis(1, -1, 3), axis(0, 0, 1), axis(0, i64::MAX, u64::MAX)] {
            assert!(!accepted(&[bad]), "{bad:?}");
        }
        assert!(!accepted(&[]) && !accepted(&[axis(0, 1, 1); 2]));
    }

    #[test]
    fn what_is_no_basic_slice_is_refused() {
        for (text, says) in [
            ("5", "index 5 is out of bounds for axis 0 with size 3"),
            ("0,-4", "index -4 is out of bounds for axis 1 with size 3"),
            ("0,0,0", "too many indices: the array has 2 axes, but 3 were indexed"),
            ("None", "new axis"),
            ("::0", "step must not be 0"),
            ("1:2:3:4", "start:stop:step"),
            ("...,...", "at most one ellipsis"),
            ("", "missing"),
            ("1,,2", "missing"),
            ("1.5", "expected integers"),
            ("a:b", "expected integers"),
            ("[1", "expected integers"),
            ("--1", "expected integers"),
        ] {
            let error = indices(text, &[3, 3]).unwrap_err();
            assert!(error.contains(says), "{text}: {error}");
        }
    }
}
