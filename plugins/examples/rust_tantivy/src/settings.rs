// SPDX-License-Identifier: Apache-2.0
//! The settings. The server has checked them against the schema and filled in its defaults.

use serde_json::Value;
use std::path::PathBuf;
use tantivy::tokenizer::Language;

/// Zero-terminated, as C reads it. Stemming cannot be turned off: what a table declares (CAN_STEM) holds for each of its
/// instances.
pub const SCHEMA: &str = concat!(
    r#"{"type":"object","additionalProperties":false,"properties":{"#,
    r#""path":{"type":"string","format":"path","default":"${data_dir}/tantivy","#,
    r#""description":"The folder of the index, on a local disk."},"#,
    r#""language":{"type":"string","default":"en","enum":["ar","da","de","el","en","es","fi","fr","hu","it","nl","no","#,
    r#""pt","ro","ru","sv","ta","tr"],"description":"Whose inflection is stemmed. A change rebuilds the index."}}}"#,
    "\0"
);

pub struct Settings {
    pub path: PathBuf,
    pub language: Language,
    /// What its answers depend on: part of the fingerprint.
    pub language_code: String,
}

/// The name of the setting that is missing or wrong, where one is.
pub fn parse(json: &str) -> Result<Settings, &'static str> {
    let settings: Value = serde_json::from_str(json).map_err(|_| "path")?;
    let path = settings["path"].as_str().filter(|path| !path.is_empty()).ok_or("path")?;
    let language_code = settings.get("language").map_or(Some("en"), Value::as_str).ok_or("language")?;
    let language = language_of(language_code).ok_or("language")?;
    Ok(Settings { path: PathBuf::from(path), language, language_code: language_code.to_owned() })
}

fn language_of(code: &str) -> Option<Language> {
    Some(match code {
        "ar" => Language::Arabic,
        "da" => Language::Danish,
        "de" => Language::German,
        "el" => Language::Greek,
        "en" => Language::English,
        "es" => Language::Spanish,
        "fi" => Language::Finnish,
        "fr" => Language::French,
        "hu" => Language::Hungarian,
        "it" => Language::Italian,
        "nl" => Language::Dutch,
        "no" => Language::Norwegian,
        "pt" => Language::Portuguese,
        "ro" => Language::Romanian,
        "ru" => Language::Russian,
        "sv" => Language::Swedish,
        "ta" => Language::Tamil,
        "tr" => Language::Turkish,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_every_language_of_its_schema() {
        let schema: Value = serde_json::from_str(SCHEMA.trim_end_matches('\0')).unwrap();
        for code in schema["properties"]["language"]["enum"].as_array().unwrap() {
            assert!(language_of(code.as_str().unwrap()).is_some(), "{code}");
        }
    }

    #[test]
    fn names_the_setting_that_is_wrong() {
        assert_eq!(parse(r#"{"path":"a","language":"tlh"}"#).err(), Some("language"));
        assert_eq!(parse("{}").err(), Some("path"));
        assert_eq!(parse(r#"{"path":"a"}"#).unwrap().language_code, "en");
    }
}
