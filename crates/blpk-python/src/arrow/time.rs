//! Dates and spans of time. NaT is null.

use arrow_array::ArrayRef;
use arrow_buffer::{BooleanBuffer, NullBuffer};
use arrow_schema::{DataType, TimeUnit};
use bloscpack_io::bloscpack_format::numpy::DatetimeUnit;

use super::value::{Refusal, fixed, swapped};

/// NumPy's "not a time".
const NAT: i64 = i64::MIN;

/// How the numbers of a column count.
#[derive(Debug)]
pub(super) struct Ticks {
    data_type: DataType,
    swap: bool,
    /// Arrow's units in one step.
    scale: i64,
    /// Whether steps are months since 1970, which Arrow counts in days.
    months: bool,
}

/// Returns Arrow's unit for a unit of at most a week, and its number in one.
fn unit_of(name: &str) -> Option<(TimeUnit, i64)> {
    Some(match name {
        "W" => (TimeUnit::Second, 7 * 86_400),
        "D" => (TimeUnit::Second, 86_400),
        "h" => (TimeUnit::Second, 3600),
        "m" => (TimeUnit::Second, 60),
        "s" => (TimeUnit::Second, 1),
        "ms" => (TimeUnit::Millisecond, 1),
        "us" => (TimeUnit::Microsecond, 1),
        "ns" => (TimeUnit::Nanosecond, 1),
        _ => return None,
    })
}

fn generic() -> String {
    "it has no unit".into()
}

fn too_fine(unit: DatetimeUnit) -> String {
    format!("Arrow has no unit '{}', the finest is nanoseconds", unit.name)
}

impl Ticks {
    /// Returns how points in time of a unit count.
    ///
    /// # Errors
    /// Why Arrow has no such type.
    pub(super) fn datetime(unit: Option<DatetimeUnit>, swap: bool) -> Result<Self, String> {
        let unit = unit.ok_or_else(generic)?;
        let multiple = i64::from(unit.multiple);
        let days = |scale, months| Ticks { data_type: DataType::Date32, swap, scale, months };
        Ok(match unit.name {
            "Y" => days(12 * multiple, true),
            "M" => days(multiple, true),
            "W" => days(7 * multiple, false),
            "D" => days(multiple, false),
            name => {
                let (arrow, scale) = unit_of(name).ok_or_else(|| too_fine(unit))?;
                Ticks { data_type: DataType::Timestamp(arrow, None), swap, scale: scale * multiple, months: false }
            }
        })
    }

    /// Returns how spans of time of a unit count.
    ///
    /// # Errors
    /// As [`Ticks::datetime`].
    pub(super) fn timedelta(unit: Option<DatetimeUnit>, swap: bool) -> Result<Self, String> {
        let unit = unit.ok_or_else(generic)?;
        if matches!(unit.name, "Y" | "M") {
            return Err("months and years have no fixed length".into());
        }
        let (arrow, scale) = unit_of(unit.name).ok_or_else(|| too_fine(unit))?;
        let scale = scale * i64::from(unit.multiple);
        Ok(Ticks { data_type: DataType::Duration(arrow), swap, scale, months: false })
    }

    pub(super) fn data_type(&self) -> DataType {
        self.data_type.clone()
    }

    /// Returns `count` numbers as an array.
    ///
    /// # Errors
    /// [`Refusal`] of the first number that is out of Arrow's range.
    pub(super) fn array(&self, plain: Vec<u8>, count: usize) -> Result<ArrayRef, Refusal> {
        let mut plain = if self.swap { swapped(plain, 8) } else { plain };
        let (ticks, _) = plain.as_chunks_mut::<8>();
        let nat = NAT.to_ne_bytes();
        let valid = BooleanBuffer::collect_bool(count, |index| ticks.get(index).is_some_and(|tick| *tick != nat));
        let nulls = Some(NullBuffer::new(valid)).filter(|nulls| nulls.null_count() > 0);
        if self.data_type == DataType::Date32 {
            let day = |(index, tick): (usize, &mut [u8; 8])| match i64::from_ne_bytes(*tick) {
                NAT => Ok(0),
                tick => self.day(tick).ok_or_else(|| self.out_of_range(index, tick)),
            };
            let days = ticks.iter_mut().enumerate().map(day).collect::<Result<Vec<i32>, _>>()?;
            let plain = days.into_iter().flat_map(i32::to_ne_bytes).collect();
            return fixed(DataType::Date32, count, plain, nulls);
        }
        if self.scale != 1 {
            for (index, bytes) in ticks.iter_mut().enumerate() {
                let tick = i64::from_ne_bytes(*bytes);
                if tick != NAT {
                    let scaled = tick.checked_mul(self.scale).ok_or_else(|| self.out_of_range(index, tick))?;
                    *bytes = scaled.to_ne_bytes();
                }
            }
        }
        fixed(self.data_type(), count, plain, nulls)
    }

    /// Returns the day of a step, counted from 1970-01-01.
    fn day(&self, tick: i64) -> Option<i32> {
        let scaled = tick.checked_mul(self.scale)?;
        let day = if self.months { first_day(scaled)? } else { scaled };
        i32::try_from(day).ok()
    }

    fn out_of_range(&self, index: usize, tick: i64) -> Refusal {
        Refusal { index, what: format!("{tick} is out of the range of Arrow's {}", self.data_type) }
    }
}

/// Returns the first day of a month, both counted from January 1970, in the Gregorian calendar.
fn first_day(month: i64) -> Option<i64> {
    // Years that start in March have the leap day at their end: 719,468 days before 1970 starts March of year 0.
    let since_march = month.checked_add(1970 * 12 - 2)?;
    let (year, month) = (since_march.div_euclid(12), since_march.rem_euclid(12));
    let leap_days = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    Some(year.checked_mul(365)? + leap_days + (153 * month + 2) / 5 - 719_468)
}
