// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "adapters/content/folder_source.hpp"
#include "domain/base/result.hpp"
#include "domain/model/item.hpp"
#include "ports/driven/backup_file.hpp"
#include "ports/driven/content_source.hpp"

/// Writes records as the lines from which RecordParser reads the same records. Members have a fixed order and empty
/// values are written too, so that equal content gives equal bytes. `metadata.extra` must be text that a source gave.
namespace kbase::content {

/// Opens the source with this name:
/// - "-": JSON Lines on standard input
/// - a folder of pages, an archive of one, or one page (see open_pages())
/// - a file of JSON Lines (.jsonl, .ndjson)
/// - a table with a header line (.csv, .tsv; see read_table())
/// - the posts of a Stack Exchange dump (.xml; see read_posts())
/// - one JSON document (.json) with an array of records, either at its top or as the only array in its top-level object
///   (see read_json_document)
///
/// Files may be compressed (.gz). A record without `type` is an item, except in a file named categories.jsonl, where it
/// is a category. `markup` must outlive the source; `today` decides which pages have expired.
///
/// Errors: InvalidArgument, with the name in the message: the source cannot be read, or its format is not supported.
Result<std::unique_ptr<ports::ContentSource>> open_source(std::string name, const SourceOptions& options,
                                                          const ports::Markup& markup, model::Day today,
                                                          const ports::Call& call);

/// Opens a backup for writing, as gzip-compressed JSON Lines (backup_lines.hpp), whatever the name of the file. Only
/// the owner can read the file, because it contains the digests of API keys. `program` is the version that the backup
/// names as its writer. Errors: those of OutputFile.
Result<std::unique_ptr<ports::BackupSink>> open_backup_sink(const std::string& name, std::string program);

/// Opens a backup for reading, compressed or not. Holds at most one line in memory. The file stays open from the first
/// read() until destruction, so that each read() reads the same file even if another file replaces it.
/// InvalidArgument: `name` is standard input ("-"), which cannot be read twice.
Result<std::unique_ptr<ports::BackupSource>> open_backup_source(std::string name);

void append_line(std::string& lines, const model::CategoryView& category);
void append_line(std::string& lines, const model::ItemView& item);
void append_line(std::string& lines, const ports::ActivityRecord& activity);
void append_line(std::string& lines, const model::SynonymsView& synonyms);

/// Opens a sink that writes JSON Lines from which read_json_lines() reads the same records: a file, compressed if its
/// name ends in ".gz", or standard output for "-" or an empty name. finish() replaces the file atomically. Errors:
/// Unavailable, with the name in the message.
Result<std::unique_ptr<ports::ContentSink>> open_sink(const std::string& name);

}  // namespace kbase::content
