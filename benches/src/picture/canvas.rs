//! An SVG picture: shapes and texts.

use anyhow::{Context, Result};
use std::fmt::{Display, Write as _};
use std::path::Path;

/// Colours of texts and lines.
pub const DARK: &str = "#222";
pub const GREY: &str = "#555";
pub const PALE: &str = "#ddd";

/// Horizontal alignment of a text.
#[derive(Clone, Copy)]
pub enum Anchor {
    Start,
    Middle,
    End,
}

/// An unfinished picture.
pub struct Canvas(String);

impl Canvas {
    /// Starts a white picture with a title.
    pub fn new(width: f64, height: f64, title: &str) -> Self {
        let mut canvas = Canvas(format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\">\n"
        ));
        canvas.rect([0.0, 0.0], [width, height], "#fff");
        canvas.text([16.0, 24.0], 16.0, Anchor::Start, DARK, title);
        canvas
    }

    /// Writes a text with its base line at `y`.
    pub fn text(&mut self, [x, y]: [f64; 2], size: f64, anchor: Anchor, colour: &str, text: impl Display) {
        let anchor = match anchor {
            Anchor::Start => "",
            Anchor::Middle => " text-anchor=\"middle\"",
            Anchor::End => " text-anchor=\"end\"",
        };
        let text = text.to_string().replace('&', "&amp;").replace('<', "&lt;");
        self.line_of(format_args!(
            "<text x=\"{x:.1}\" y=\"{y:.1}\" font-size=\"{size}\"{anchor} fill=\"{colour}\">{text}</text>"
        ));
    }

    pub fn rect(&mut self, [x, y]: [f64; 2], [width, height]: [f64; 2], colour: &str) {
        self.line_of(format_args!(
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" fill=\"{colour}\"/>"
        ));
    }

    pub fn line(&mut self, [x1, y1]: [f64; 2], [x2, y2]: [f64; 2], colour: &str) {
        self.line_of(format_args!(
            "<line x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\" stroke=\"{colour}\"/>"
        ));
    }

    /// Draws a filled polygon around a centre.
    pub fn polygon(&mut self, [x, y]: [f64; 2], corners: &[[f64; 2]], colour: &str) {
        let mut points = String::new();
        for [dx, dy] in corners {
            let _ = write!(points, "{:.1},{:.1} ", x + dx, y + dy);
        }
        self.line_of(format_args!("<polygon points=\"{}\" fill=\"{colour}\"/>", points.trim_end()));
    }

    pub fn circle(&mut self, [x, y]: [f64; 2], radius: f64, colour: &str) {
        self.line_of(format_args!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius}\" fill=\"{colour}\"/>"));
    }

    fn line_of(&mut self, element: std::fmt::Arguments<'_>) {
        let _ = writeln!(self.0, "{element}");
    }

    /// Writes the file.
    pub fn save(mut self, path: &Path) -> Result<()> {
        self.0.push_str("</svg>\n");
        std::fs::write(path, self.0).with_context(|| path.display().to_string())
    }
}
