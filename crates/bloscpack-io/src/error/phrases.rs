//! Parts of messages.

/// Lists names for a message. Long lists are cut after the first names.
pub(super) fn listed(names: &[String]) -> String {
    const MOST: usize = 20;
    let first: Vec<String> = names.iter().take(MOST).map(|name| format!("{name:?}")).collect();
    match names.len().saturating_sub(MOST) {
        0 if names.is_empty() => "none at all".into(),
        0 => first.join(", "),
        more => format!("{} and {more} more", first.join(", ")),
    }
}

/// Returns `1 chunk`, `2 chunks`, ….
pub(super) fn counted(chunks: u64) -> String {
    if chunks == 1 { "1 chunk".into() } else { format!("{chunks} chunks") }
}
