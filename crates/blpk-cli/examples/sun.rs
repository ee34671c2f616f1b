//! Numerical data to try `blpk` with: the altitude of the Sun over Greenwich, once a second for 58 days.
//!
//! Writes 5,000,000 little-endian 32-bit integers, in arc seconds, from noon UT of 1 January 2027 on. The positions are
//! computed by the Astronomical Almanac's low-precision formulas, good to 0.01 degrees; refraction is ignored.

use std::io::{self, BufWriter, Write};

const SECONDS: u32 = 5_000_000;
const LATITUDE: f64 = 51.4779;
/// Days from the epoch J2000.0, noon of 1 January 2000, to the first value.
const FIRST_DAY: f64 = 9862.0;

fn main() -> io::Result<()> {
    let Some(path) = std::env::args_os().nth(1) else {
        return Err(io::Error::other("usage: sun <out_file>"));
    };
    let mut file = BufWriter::new(std::fs::File::create(&path)?);
    for second in 0..SECONDS {
        let altitude = altitude(FIRST_DAY + f64::from(second) / 86_400.0);
        file.write_all(&((altitude * 3600.0).round() as i32).to_le_bytes())?;
    }
    file.flush()
}

/// Degrees of the Sun above the horizon, `days` after J2000.0.
fn altitude(days: f64) -> f64 {
    let anomaly = (357.528 + 0.985_600_3 * days).to_radians();
    let mean_longitude = 280.460 + 0.985_647_4 * days;
    let longitude = (mean_longitude + 1.915 * anomaly.sin() + 0.020 * (2.0 * anomaly).sin()).to_radians();
    let obliquity = (23.439 - 0.000_000_4 * days).to_radians();
    let right_ascension = (obliquity.cos() * longitude.sin()).atan2(longitude.cos());
    let declination = (obliquity.sin() * longitude.sin()).asin();
    let sidereal_time = (280.460_62 + 360.985_647_366 * days).to_radians();
    let hour_angle = sidereal_time - right_ascension;
    let latitude = LATITUDE.to_radians();
    (latitude.sin() * declination.sin() + latitude.cos() * declination.cos() * hour_angle.cos()).asin().to_degrees()
}
