// SPDX-License-Identifier: Apache-2.0
#include "adapters/content/converters.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <vector>

#include "adapters/content/child_process.hpp"
#include "adapters/content/notebook.hpp"
#include "domain/base/text.hpp"

namespace kbase::content {
namespace {

struct Conversion {
  std::string_view ending, program, package, reader;
};

constexpr std::array<Conversion, 16> kConversions = {{
    {".rst", "pandoc", "pandoc", "rst"},
    {".rest", "pandoc", "pandoc", "rst"},
    {".org", "pandoc", "pandoc", "org"},
    {".docx", "pandoc", "pandoc", "docx"},
    {".odt", "pandoc", "pandoc", "odt"},
    {".epub", "pandoc", "pandoc", "epub"},
    {".wiki", "pandoc", "pandoc", "mediawiki"},
    {".mediawiki", "pandoc", "pandoc", "mediawiki"},
    {".textile", "pandoc", "pandoc", "textile"},
    {".rtf", "pandoc", "pandoc", "rtf"},
    {".fb2", "pandoc", "pandoc", "fb2"},
    {".opml", "pandoc", "pandoc", "opml"},
    {".adoc", "asciidoctor", "asciidoctor", ""},
    {".asciidoc", "asciidoctor", "asciidoctor", ""},
    {".asc", "asciidoctor", "asciidoctor", ""},
    {".pdf", "pdftotext", "poppler-utils", ""},
}};

constexpr std::string_view kNotebook = ".ipynb";

const Conversion* find(std::string_view ending) {
  const auto* const found = std::find_if(kConversions.begin(), kConversions.end(),
                                         [&](const Conversion& each) { return each.ending == ending; });
  return found == kConversions.end() ? nullptr : found;
}

/// Returns the body of the page that pandoc writes. The block with the title becomes part of the text: in other pages a
/// `header` is decoration.
std::string body_of(std::string_view page) {
  const std::size_t open = page.find("<body>"), close = page.rfind("</body>");
  if (open == std::string_view::npos || close == std::string_view::npos) return std::string(page);
  std::string body(page.substr(open + 6, close - open - 6));
  constexpr std::string_view kTitle = "<header id=\"title-block-header\">", kEnd = "</header>";
  const std::size_t title = body.find(kTitle);
  const std::size_t end = title == std::string::npos ? title : body.find(kEnd, title);
  if (end != std::string::npos) body.replace(end, kEnd.size(), "</div>").replace(title, kTitle.size(), "<div>");
  return body;
}

bool is_on_path(std::string_view program) {
  const char* const variable = std::getenv("PATH");
  std::string_view path = variable == nullptr ? "/usr/bin:/bin" : variable;
  while (!path.empty()) {
    const std::size_t end = std::min(path.find(':'), path.size());
    const std::string file = std::string(path.substr(0, end)).append("/").append(program);
    if (::access(file.c_str(), X_OK) == 0) return true;
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return false;
}

std::vector<std::string> command_of(const Conversion& conversion) {
  if (conversion.program == "pdftotext") return {"pdftotext", "-enc", "UTF-8", "-nopgbrk", "-", "-"};
  if (conversion.program == "asciidoctor")
    return {"asciidoctor", "-S", "secure", "-a", "showtitle", "--embedded", "-o", "-", "-"};
  return {"pandoc", "--sandbox", "-f", std::string(conversion.reader), "-t", "html", "-s", "--wrap=none"};
}

/// The first line of what a program reports, in valid UTF-8.
std::string first_line(std::string_view errors) {
  const std::string_view line = errors.substr(0, errors.find('\n'));
  return utf8::is_valid(line) ? std::string(line) : std::string("it reports an error");
}

}  // namespace

Converters::Converters() {
  for (const Conversion& each : kConversions)
    installed_.try_emplace(std::string(each.program), is_on_path(each.program));
}

bool Converters::is_installed(const std::string& program) const { return installed_.find(program)->second; }

bool Converters::knows(std::string_view ending) const { return ending == kNotebook || find(ending) != nullptr; }

std::string Converters::missing_package(std::string_view ending) const {
  const Conversion* const conversion = find(ending);
  if (conversion == nullptr || is_installed(std::string(conversion->program))) return {};
  return std::string(conversion->package);
}

Result<Converted> Converters::convert(std::string_view ending, std::string_view bytes, const ports::Call& call) const {
  if (ending == kNotebook) {
    auto text = KBASE_TRY(notebook_text(bytes));
    return Converted{std::move(text), model::Format::Markdown};
  }
  const Conversion* const conversion = find(ending);
  if (conversion == nullptr) return invalid_argument({}, "no program converts " + std::string(ending));
  const std::string program(conversion->program);
  const auto ended = run_program(command_of(*conversion), bytes, {}, call);
  if (!ended && ended.error().code == ErrorCode::InvalidArgument)
    return invalid_argument({}, program + " " + ended.error().message);
  if (!ended) return ended.error();
  if (ended->exit_code != 0) return invalid_argument({}, program + ": " + first_line(ended->errors));
  if (!utf8::is_valid(ended->output)) return invalid_argument({}, program + " wrote text that is not UTF-8");
  if (program == "pdftotext") return Converted{ended->output, model::Format::Text};
  return Converted{program == "pandoc" ? body_of(ended->output) : ended->output, model::Format::Html};
}

}  // namespace kbase::content
