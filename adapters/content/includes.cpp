// SPDX-License-Identifier: Apache-2.0
#include "adapters/content/includes.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <iterator>
#include <system_error>

#include "adapters/content/front_matter.hpp"
#include "domain/base/text.hpp"

namespace kbase::content {
namespace {

namespace fs = std::filesystem;
constexpr auto npos = std::string_view::npos;

constexpr int kMaxDepth = 8;
constexpr std::size_t kMaxBytes = std::size_t{4} << 20;

std::string_view next_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

/// The file that one notation names.
struct Target {
  std::string_view text;   ///< name of the file, with a range of lines or an anchor behind a colon
  std::size_t length = 0;  ///< of the notation; 0: no notation
  bool is_page = false;    ///< a page, whose front matter is not part of the include
};

std::string_view unquoted(std::string_view text) {
  text = utf8::trimmed(text);
  if (text.size() >= 2 && (text.front() == '"' || text.front() == '\'')) {
    const std::size_t end = text.find(text.front(), 1);
    if (end != npos) return text.substr(1, end - 1);
  }
  return text.substr(0, text.find_first_of(" \t\n"));
}

/// Reads the notation at the start of `rest`.
Target target_of(std::string_view rest) {
  const auto inside = [&](std::string_view open, std::string_view close) -> std::optional<std::string_view> {
    if (!rest.starts_with(open)) return std::nullopt;
    const std::size_t end = rest.substr(0, 1024).find(close, open.size());
    if (end == npos) return std::nullopt;
    return rest.substr(open.size(), end - open.size());
  };
  const auto made = [&](std::string_view text, std::string_view inner, std::size_t marks, bool is_page) {
    return Target{unquoted(text), inner.size() + marks, is_page};
  };
  for (const std::string_view word : {"{{#include ", "{{#rustdoc_include ", "{{#playground ", "{{ #include "})
    if (const auto inner = inside(word, "}}")) return made(*inner, *inner, word.size() + 2, false);
  if (rest.starts_with("--8<--")) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    const std::string_view name = utf8::trimmed(line.substr(6));
    if (name.starts_with('"') || name.starts_with('\'')) return {unquoted(name), line.size(), true};
  }
  for (const std::string_view open : {"{{%", "{{<"}) {
    const auto inner = inside(open, open == "{{%" ? "%}}" : ">}}");
    if (!inner) continue;
    const std::string_view call = utf8::trimmed(*inner);
    for (const std::string_view word : {"include ", "include-file ", "readfile ", "snippet "}) {
      if (!call.starts_with(word)) continue;
      std::string_view name = call.substr(word.size());
      for (const std::string_view parameter : {"file=", "path=", "src="})
        if (name.starts_with(parameter)) name.remove_prefix(parameter.size());
      return made(name, *inner, 6, true);
    }
  }
  if (const auto inner = inside("{%", "%}")) {
    std::string_view call = utf8::trimmed(*inner);
    while (call.starts_with('-')) call = utf8::trimmed(call.substr(1));
    for (const std::string_view word : {"include_relative ", "include "})
      if (call.starts_with(word)) return made(call.substr(word.size()), *inner, 4, true);
  }
  if (const auto inner = inside("![[", "]]")) {
    const std::string_view name = inner->substr(0, inner->find_first_of("|#"));
    if (inner->find('\n') == npos) return {name, inner->size() + 5, true};
  }
  return {};
}

/// Returns the lines of a range "10:20", or between the marks of an anchor. Lines with marks are left out.
std::string part_of(std::string_view text, std::string_view range) {
  std::size_t first = 0, last = 0;
  const std::size_t colon = range.find(':');
  const auto parse = [](std::string_view digits, std::size_t& number) {
    const auto [end, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    return digits.empty() || (failure == std::errc() && end == digits.data() + digits.size());
  };
  const bool is_range = !range.empty() && range.find_first_not_of("0123456789:") == npos &&
                        parse(range.substr(0, colon), first) && (colon == npos || parse(range.substr(colon + 1), last));
  if (is_range && colon == npos) last = first;
  std::string part;
  bool is_inside = range.empty() || is_range;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::string_view line = next_line(text);
    const std::size_t end = line.find("ANCHOR_END:"), begin = line.find("ANCHOR:");
    if (end != npos || begin != npos) {
      const std::size_t at = end != npos ? end + 11 : begin + 7;
      if (!range.empty() && !is_range && unquoted(line.substr(at)) == range) is_inside = end == npos;
      continue;
    }
    if (!is_inside || (is_range && (number < first || (last != 0 && number > last)))) continue;
    part.append(line).append("\n");
  }
  if (part.ends_with('\n')) part.pop_back();
  return part;
}

constexpr std::array<std::string_view, 6> kMarks = {"{{#", "{{ #", "--8<--", "include", "![[", "readfile"};

std::string_view directive_of(std::string_view line, std::string_view name) {
  const std::string_view inner = utf8::trimmed(line);
  if (!inner.starts_with("..")) return {};
  const std::string_view rest = utf8::trimmed(inner.substr(2));
  if (!rest.starts_with(name) || !rest.substr(name.size()).starts_with("::")) return {};
  return utf8::trimmed(rest.substr(name.size() + 2));
}

std::size_t indent_of(std::string_view line) { return std::min(line.find_first_not_of(' '), line.size()); }

void append_indented(std::string& out, std::string_view text, std::size_t indent) {
  while (!text.empty()) {
    const std::string_view line = next_line(text);
    if (!line.empty()) out.append(indent, ' ');
    out.append(line).append("\n");
  }
}

}  // namespace

std::string_view Includes::resolve(std::string_view body, const std::string& folder) {
  bytes_ = 0;
  const bool has_mark =
      std::any_of(kMarks.begin(), kMarks.end(), [&](std::string_view mark) { return body.find(mark) != npos; });
  if (!has_mark) return body;
  result_ = expand(body, folder, 0);
  return result_;
}

std::string Includes::expand(std::string_view body, const std::string& folder, int depth) {
  std::string out;
  while (!body.empty()) {
    const std::size_t plain = std::min(body.find_first_of("{-!"), body.size());
    out.append(body.substr(0, plain));
    body.remove_prefix(plain);
    if (body.empty()) break;
    const Target target = target_of(body);
    if (target.length == 0) {
      out += body.front();
      body.remove_prefix(1);
      continue;
    }
    // What cannot be included keeps its notation, which is not part of the text.
    auto text = included(target.text, folder, depth);
    if (text && target.is_page) {
      const auto page = split_page(*text);
      if (const Page* const split = std::get_if<Page>(&page)) *text = std::string(split->body);
    }
    out.append(text ? std::string_view(*text) : body.substr(0, target.length));
    body.remove_prefix(target.length);
  }
  return out;
}

std::optional<std::string> Includes::included(std::string_view target, const std::string& folder, int depth) {
  if (depth >= kMaxDepth || target.empty()) return std::nullopt;
  std::string found_in;
  // A name may contain a colon only on its own; behind it are lines or an anchor.
  const std::size_t colon = target.find(':');
  const auto text = read(target.substr(0, colon), folder, found_in);
  if (!text || !utf8::is_valid(*text)) return std::nullopt;
  bytes_ += text->size();
  if (bytes_ > kMaxBytes) return std::nullopt;
  return expand(part_of(*text, colon == npos ? std::string_view() : target.substr(colon + 1)), found_in, depth + 1);
}

std::optional<std::string> Includes::read(std::string_view name, const std::string& folder,
                                          std::string& found_in) const {
  std::vector<std::string> places = {folder, ""};
  places.insert(places.end(), folders_.begin(), folders_.end());
  while (name.starts_with('/')) name.remove_prefix(1);
  for (const std::string& place : places) {
    for (const std::string_view ending : {"", ".md"}) {
      std::error_code failed;
      const fs::path path = fs::canonical(root_ / place / (std::string(name) + std::string(ending)), failed);
      if (failed || !fs::is_regular_file(path, failed)) continue;
      if (std::mismatch(root_.begin(), root_.end(), path.begin(), path.end()).first != root_.end()) continue;
      if (fs::file_size(path, failed) > kMaxBytes || failed) continue;
      std::ifstream file(path, std::ios::binary);
      found_in = path.parent_path().lexically_relative(root_).string();
      if (found_in == ".") found_in.clear();
      return std::string{std::istreambuf_iterator<char>(file), {}};
    }
  }
  return std::nullopt;
}

std::string_view Includes::resolve_rst(std::string_view body, const std::string& folder) {
  bytes_ = 0;
  if (body.find("include::") == npos && body.find(":file:") == npos) return body;
  result_ = expand_rst(body, folder, 0);
  return result_;
}

std::string Includes::expand_rst(std::string_view body, const std::string& folder, int depth) {
  std::string out;
  while (!body.empty()) {
    const std::string_view line = next_line(body);
    const std::size_t indent = indent_of(line);
    const std::string_view page = directive_of(line, "include"), code = directive_of(line, "literalinclude");
    const std::string_view option = utf8::trimmed(line);
    std::string found_in;
    if (!page.empty() || !code.empty()) {
      const auto text = depth < kMaxDepth ? read(page.empty() ? code : page, folder, found_in) : std::nullopt;
      // The options of the directive belong to it.
      while (!body.empty() && indent_of(body) > indent && body.substr(indent_of(body)).starts_with(':'))
        next_line(body);
      if (!text || !utf8::is_valid(*text) || (bytes_ += text->size()) > kMaxBytes) continue;
      if (page.empty()) out.append(indent, ' ').append("::\n\n");
      append_indented(out, page.empty() ? *text : expand_rst(*text, found_in, depth + 1),
                      page.empty() ? indent + 3 : indent);
      out += '\n';
    } else if (option.starts_with(":file:")) {
      const auto text = read(utf8::trimmed(option.substr(6)), folder, found_in);
      if (!text || !utf8::is_valid(*text)) continue;
      // The table follows the other options.
      while (!body.empty() && indent_of(body) == indent && body.substr(indent).starts_with(':'))
        out.append(next_line(body)).append("\n");
      out += '\n';
      append_indented(out, *text, indent);
      out += '\n';
    } else {
      out.append(line).append("\n");
    }
  }
  return out;
}

}  // namespace kbase::content
