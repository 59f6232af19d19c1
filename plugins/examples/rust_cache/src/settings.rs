// SPDX-License-Identifier: Apache-2.0
//! The settings. The server has checked them against the schema, so the only possible texts are `{}` and `{"max_bytes":
//! 1048576}`.

pub const MAX_BYTES: &str = "max_bytes";

/// Null-terminated for C.
pub const SCHEMA: &str = concat!(
    r#"{"type":"object","additionalProperties":false,"properties":{"max_bytes":{"type":"integer","minimum":1024,"#,
    r#""maximum":1099511627776,"default":67108864,"description":"Memory for remembered answers; past it those go that "#,
    r#"were used longest ago."}}}"#,
    "\0"
);

const DEFAULT_MAX_BYTES: usize = 64 << 20;

/// None: the text is something else.
pub fn max_bytes(json: &str) -> Option<usize> {
    let inside = json.trim().strip_prefix('{')?.strip_suffix('}')?.trim();
    if inside.is_empty() {
        return Some(DEFAULT_MAX_BYTES);
    }
    let number =
        inside.strip_prefix('"')?.strip_prefix(MAX_BYTES)?.strip_prefix('"')?.trim_start().strip_prefix(':')?.trim();
    number.parse().ok().filter(|bytes| (1024..=1 << 40).contains(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_the_schema_allows_and_nothing_else() {
        assert_eq!(max_bytes("{}"), Some(DEFAULT_MAX_BYTES));
        assert_eq!(max_bytes(" {\n \"max_bytes\" : 2048 } "), Some(2048));
        for wrong in
            ["", "[]", "{\"max_bytes\":12}", "{\"max_bytes\":\"2048\"}", "{\"bytes\":2048}", "{\"max_bytes\":-1}"]
        {
            assert_eq!(max_bytes(wrong), None, "{wrong}");
        }
    }
}
