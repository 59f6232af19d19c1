// SPDX-License-Identifier: Apache-2.0
#include "adapters/content/converters.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>
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

/// Removes the targets of the roles of Sphinx, which pandoc keeps in their text: `name <target>`.
void remove_targets(std::string& html) {
  constexpr std::string_view kRole = "<code class=\"interpreted-text\"";
  std::string kept;
  std::string_view rest = html;
  for (std::size_t begin = rest.find(kRole); begin != std::string_view::npos; begin = rest.find(kRole)) {
    const std::size_t end = std::min(rest.find("</code>", begin), rest.size());
    std::string_view role = rest.substr(0, end);
    const std::size_t target = role.rfind(" &lt;");
    if (target != std::string_view::npos && target > begin && role.ends_with("&gt;")) role = role.substr(0, target);
    kept += role;
    rest.remove_prefix(end);
  }
  html = kept.append(rest);
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
  remove_targets(body);
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

constexpr std::string_view kFile = "{file}";

/// Splits a command at white space. Quotes join words; no other character has a meaning, because no shell runs it.
std::vector<std::string> words_of(std::string_view command) {
  std::vector<std::string> words;
  char quote = 0;
  bool is_open = false;  // the last word can get more characters
  for (const char c : command) {
    const bool is_space = quote == 0 && (c == ' ' || c == '\t' || c == '\n');
    if (is_space) {
      is_open = false;
      continue;
    }
    if (!std::exchange(is_open, true)) words.emplace_back();
    if (quote == 0 && (c == '"' || c == '\''))
      quote = c;
    else if (c == quote)
      quote = 0;
    else
      words.back() += c;
  }
  return words;
}

/// The first line of what a program reports, in valid UTF-8.
std::string first_line(std::string_view errors) {
  const std::string_view line = errors.substr(0, errors.find('\n'));
  return utf8::is_valid(line) ? std::string(line) : std::string("it reports an error");
}

/// Runs a command and returns what it writes. InvalidArgument: it fails, exceeds its bounds, or writes other text than
/// UTF-8.
Result<std::string> output_of(const std::vector<std::string>& command, std::string_view input,
                              const ports::Call& call) {
  const std::string& program = command.front();
  auto ended = run_program(command, input, {}, call);
  if (!ended && ended.error().code == ErrorCode::NotFound) return invalid_argument({}, program + " is not installed");
  if (!ended && ended.error().code == ErrorCode::InvalidArgument)
    return invalid_argument({}, program + " " + ended.error().message);
  if (!ended) return ended.error();
  if (ended->exit_code != 0) return invalid_argument({}, program + ": " + first_line(ended->errors));
  if (!utf8::is_valid(ended->output)) return invalid_argument({}, program + " wrote text that is not UTF-8");
  return std::move(ended->output);
}

}  // namespace

Converters::Converters(const std::map<std::string, std::string>& commands, bool runs_programs)
    : runs_programs_(runs_programs) {
  if (!runs_programs) return;
  for (const auto& [ending, command] : commands)
    commands_.emplace((ending.starts_with('.') ? "" : ".") + ascii::to_lower(ending), words_of(command));
  for (const Conversion& each : kConversions)
    installed_.try_emplace(std::string(each.program), is_on_path(each.program));
}

bool Converters::is_installed(const std::string& program) const { return installed_.find(program)->second; }

bool Converters::knows(std::string_view ending) const {
  return commands_.contains(ending) || ending == kNotebook || (runs_programs_ && find(ending) != nullptr);
}

bool Converters::misses_program(std::string_view ending) const { return !runs_programs_ && find(ending) != nullptr; }

std::string Converters::missing_package(std::string_view ending) const {
  const Conversion* const conversion = commands_.contains(ending) || !runs_programs_ ? nullptr : find(ending);
  if (conversion == nullptr || is_installed(std::string(conversion->program))) return {};
  return std::string(conversion->package);
}

Result<Converted> Converters::run(const std::vector<std::string>& command, const std::filesystem::path& path,
                                  std::string_view bytes, const ports::Call& call) const {
  std::vector<std::string> words = command;
  bool reads_file = false;
  for (std::string& word : words)
    if (const std::size_t at = word.find(kFile); at != std::string::npos) {
      word.replace(at, kFile.size(), path.string());
      reads_file = true;
    }
  if (words.empty()) return invalid_argument({}, "the command of content.converters is empty");
  if (reads_file && path.extension() == ".gz")
    return invalid_argument({}, words.front() + " reads files, and this one is compressed");
  auto output = KBASE_TRY(output_of(words, reads_file ? std::string_view() : bytes, call));
  const bool is_html = utf8::trimmed(output).starts_with('<');
  return Converted{std::move(output), is_html ? model::Format::Html : model::Format::Markdown};
}

Result<Converted> Converters::convert(std::string_view ending, const std::filesystem::path& path,
                                      std::string_view bytes, const ports::Call& call) const {
  if (const auto command = commands_.find(ending); command != commands_.end())
    return run(command->second, path, bytes, call);
  if (ending == kNotebook) {
    auto text = KBASE_TRY(notebook_text(bytes));
    return Converted{std::move(text), model::Format::Markdown};
  }
  const Conversion* const conversion = find(ending);
  if (conversion == nullptr) return invalid_argument({}, "no program converts " + std::string(ending));
  const std::string program(conversion->program);
  auto output = KBASE_TRY(output_of(command_of(*conversion), bytes, call));
  if (program == "pdftotext") return Converted{std::move(output), model::Format::Text};
  return Converted{program == "pandoc" ? body_of(output) : std::move(output), model::Format::Html};
}

}  // namespace kbase::content
