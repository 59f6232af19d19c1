// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "adapters/http/server.hpp"
#include "adapters/pages/pages.hpp"
#include "app/composition/platform.hpp"
#include "app/config/settings.hpp"
#include "app/runtime/data_folder.hpp"
#include "domain/base/result.hpp"
#include "ports/driven/event_log.hpp"

namespace kbase::composition {

/// Creates `data_dir` if it is missing, accessible only to its owner. Error: Unavailable if it cannot be created.
Status prepare_data_dir(const config::Settings& settings);

/// Folder in data_dir for the bodies of imports, while they are received and read.
std::filesystem::path upload_folder(const config::Settings& settings);

/// Creates the folder of uploads, and removes what a killed server left in it. Requires the lock of data_dir. Error:
/// Unavailable.
Status prepare_upload_folder(const config::Settings& settings);

/// Returns the folder of the search index if the configuration puts it outside data_dir.
std::optional<std::filesystem::path> find_external_index_folder(const config::Settings& settings);

/// Locks on the folders that only one server at a time may use.
struct ServeLocks {
  runtime::ServeLock data;
  std::optional<runtime::ServeLock> index;
};

/// Locks data_dir, and the index folder if it is elsewhere. Two servers on one index would each rebuild it for their
/// own store again and again.
Result<ServeLocks> acquire_locks(const config::Settings& settings);

/// Returns `logging.secret`, or else the secret in the file log.secret of data_dir, which is created if it is missing.
/// Requires the lock of data_dir. Errors: those of runtime::load_or_create_log_secret().
Result<std::string> load_log_secret(const config::Settings& settings, Platform& platform);

/// Checks the configured files that only a server reads, at its start: the explorer's pages and the CA certificates.
/// Error: InvalidArgument for the first unusable one; `parameter` is its configuration key, and the message is the
/// reason only.
Status check_configured_files(const config::Settings& settings);

/// Returns why the configured explorer folder is unusable. Empty: it is usable, or none is configured.
std::string find_site_defect(const config::Explorer& settings);

/// Returns the files of the folder `explorer.path`: `index.html` at /, `docs/index.html` at /docs, and every other file
/// below /explorer/. In HTML files it fills in the contents of the elements `<meta name="kbase-base">` and `<meta
/// name="kbase-name">`: the base path of the API and the title of the knowledge base. Errors: Unsupported if the folder
/// has no start page, is too large (it is held in memory), or cannot be read.
Result<std::vector<http::SiteFile>> load_own_pages(const config::Settings& settings);

/// Returns the folder of the files that are installed with the program.
std::filesystem::path installed_folder();

/// The pages of the server and the files that they need.
struct ServedSite {
  std::unique_ptr<pages::Pages> pages;  ///< null: there are only files
  std::vector<http::SiteFile> files;
};

/// Makes the pages from the installed templates, or reads those of `explorer.path`. Empty if the explorer is disabled,
/// or if the program was installed without it; the latter is logged as a warning. Errors: those of load_own_pages() and
/// pages::Pages::open().
Result<ServedSite> load_site(const config::Settings& settings, const pages::Pages::Dependencies& deps,
                             ports::EventLog& log);

}  // namespace kbase::composition
