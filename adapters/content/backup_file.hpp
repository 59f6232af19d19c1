// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "ports/driven/backup_file.hpp"

namespace kbase::content {

/// Opens a backup for writing, as gzip-compressed JSON Lines (backup_lines.hpp), whatever the name of the file. Only
/// the owner can read the file, because it contains the digests of API keys. `program` is the version that the backup
/// names as its writer. Errors: those of OutputFile.
Result<std::unique_ptr<ports::BackupSink>> open_backup_sink(const std::string& name, std::string program);

/// Opens a backup for reading, compressed or not. Holds at most one line in memory. The file stays open from the first
/// read() until destruction, so that each read() reads the same file even if another file replaces it.
/// InvalidArgument: `name` is standard input ("-"), which cannot be read twice.
Result<std::unique_ptr<ports::BackupSource>> open_backup_source(std::string name);

}  // namespace kbase::content
