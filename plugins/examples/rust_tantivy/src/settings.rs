// SPDX-License-Identifier: Apache-2.0
//! The settings. The server has checked them against the schema and filled in its defaults.

use serde_json::Value;
use std::path::PathBuf;
use tantivy::tokenizer::Language;

/// Null-terminated for C.
pub const SCHEMA: &str = concat!(
    r#"{"type":"object","additionalProperties":false,"properties":{"#,
    r#""path":{"type":"string","format":"path","default":"${data_dir}/tantivy","#,
    r#""description":"The folder of the index, on a local disk."},"#,
    r#""language":{"type":"string","default":"en","#,
    r#""enum":["da","de","en","es","fi","fr","it","nl","no","pt","ru","sv"],"#,
    r#""description":"Whose inflection is stemmed. A change rebuilds the index."}}}"#,
    "\0"
);

const LANGUAGES: [(&str, Language); 12] = [
    ("da", Language::Danish),
    ("de", Language::German),
    ("en", Language::English),
    ("es", Language::Spanish),
    ("fi", Language::Finnish),
    ("fr", Language::French),
    ("it", Language::Italian),
    ("nl", Language::Dutch),
    ("no", Language::Norwegian),
    ("pt", Language::Portuguese),
    ("ru", Language::Russian),
    ("sv", Language::Swedish),
];

pub struct Settings {
    pub path: PathBuf,
    pub language: Language,
}

/// Parses the settings. Err: the name of the missing or invalid setting.
pub fn parse(json: &str) -> Result<Settings, &'static str> {
    let settings: Value = serde_json::from_str(json).unwrap_or_default();
    let path = settings["path"].as_str().filter(|path| !path.is_empty()).ok_or("path")?;
    let code = settings.get("language").map_or(Some("en"), Value::as_str).ok_or("language")?;
    let (_, language) = LANGUAGES.iter().find(|each| each.0 == code).ok_or("language")?;
    Ok(Settings { path: PathBuf::from(path), language: *language })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_every_language_of_its_schema() {
        let schema: Value = serde_json::from_str(SCHEMA.trim_end_matches('\0')).unwrap();
        assert_eq!(schema["properties"]["language"]["enum"], serde_json::json!(LANGUAGES.map(|each| each.0)));
    }

    #[test]
    fn names_the_setting_that_is_wrong() {
        assert_eq!(parse(r#"{"path":"a","language":"tlh"}"#).err(), Some("language"));
        assert_eq!(parse("{}").err(), Some("path"));
        assert!(parse(r#"{"path":"a"}"#).is_ok());
    }
}
