// SPDX-License-Identifier: Apache-2.0
#include "adapters/markup/plain_markdown.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "adapters/markup/markdown_lines.hpp"
#include "adapters/markup/next_mark.hpp"
#include "adapters/markup/notations.hpp"
#include "adapters/markup/tags.hpp"
#include "domain/base/text.hpp"

namespace kbase::markup {
namespace {

/// One document, line by line.
class Lines {
 public:
  Lines(std::string_view text, Callouts callouts)
      : rest_(text),
        callouts_(callouts),
        mdx_(is_mdx(text)),
        has_comments_(text.find("<!--") != npos || text.find("{/*") != npos),
        has_snippets_(text.find(kSnippet) != npos),
        has_properties_(text.find("::") != npos),
        notations_(text, Dialect{mdx_, callouts}) {
    out_.reserve(text.size() + text.size() / 16);
  }

  PlainMarkdown run() {
    while (!rest_.empty()) read(next_line(rest_));
    while (!shifts_.empty()) leave_shift();
    flush();
    return {std::move(out_), mdx_};
  }

 private:
  void read(std::string_view line) {
    const std::string_view inner = without_containers(line);
    if (is_code_ && !code_end_.empty()) return read_shortcode_code(line, inner);
    if (is_code_) return read_code(line, inner);
    if (comment_end_ != nullptr) return read_comment(line);
    if (statement_depth_ != kNoStatement) return read_statement(line);
    const std::string_view content = trim(line);
    if (content.empty()) return add_blank();
    line = enter_outline(leave_shifts(line));
    last_is_indented_ = is_indented_code(line);
    if (last_is_indented_) return add_code(line);
    note_list(line);
    if (mdx_ && (last_is_blank_ || last_is_import_) && indent_of(line) == 0 && is_import(line))
      return begin_statement(line);
    if (const auto fence = Fence::opened_by(inner)) return begin_code(line, inner, *fence);
    if (begin_shortcode_code(inner) || skip_block_mark(line, inner)) return;
    last_is_blank_ = last_is_import_ = false;
    add_prose(line);
  }

  // Output.

  void add_blank() {
    last_is_blank_ = true;
    prose_ += '\n';
  }
  void add_prose(std::string_view line) {
    prose_.append(line).append("\n");
    if (!has_comments_) return;
    // A comment without an end is text, unless a later line has the end.
    for (auto& [open, close, next] : comments_) {
      if (line.find(open) == npos) continue;  // faster than the search from the end
      const std::size_t begin = line.rfind(open);
      if (line.find(close, begin) != npos || next.in(rest_) == npos) continue;
      const std::string_view before = line.substr(0, begin);
      if (std::count(before.begin(), before.end(), '`') % 2 != 0) continue;
      prose_.resize(prose_.size() - (line.size() - begin) - 1);
      if (!trim(before).empty()) prose_ += '\n';
      comment_end_ = close;
      return;
    }
  }
  void add_paragraph(std::string_view text) {
    prose_ += '\n';
    if (!text.empty()) prose_.append(text).append("\n\n");
    last_is_blank_ = true;
  }
  void flush() {
    remove_comments();
    notations_.append(out_, prose_);
    prose_.clear();
  }
  void add_code(std::string_view line) {
    flush();
    out_.append(line).append("\n");
    last_is_blank_ = false;
  }
  /// Removes HTML comments, except in code. A comment that fills its lines is removed with its line end, because the
  /// blank line that is left would end a block of HTML.
  void remove_comments() {
    std::string_view rest = prose_;
    std::string kept;
    bool is_in_code = false;
    const auto keep = [&](std::size_t length) {
      const std::string_view part = rest.substr(0, length);
      const std::size_t line = part.rfind('\n') + 1;  // npos + 1 is 0: the part has one line
      const std::string_view last = part.substr(line);
      is_in_code = (line == 0 && is_in_code) != (std::count(last.begin(), last.end(), '`') % 2 != 0);
      kept += part;
      rest.remove_prefix(length);
    };
    for (std::size_t begin = rest.find("<!--"); begin != npos; begin = rest.find("<!--")) {
      keep(begin);
      const std::size_t end = rest.find("-->", 4);
      if (end == npos) break;
      if (is_in_code) {
        keep(end);
        continue;
      }
      rest.remove_prefix(end + 3);
      const std::size_t before = kept.find_last_not_of(kBlank);
      const std::size_t after = rest.find_first_not_of(kBlank);
      if ((before != npos && kept[before] != '\n') || after == npos || rest[after] != '\n') continue;
      kept.resize(before + 1);  // npos + 1 is 0
      rest.remove_prefix(after + 1);
    }
    if (kept.empty() && rest.size() == prose_.size()) return;
    prose_ = kept.append(rest);
  }

  // Blocks that span lines.

  void begin_code(std::string_view line, std::string_view inner, const Fence& fence) {
    const std::string_view info = trim(inner.substr(fence.length));
    fence_ = fence;
    is_code_ = true;
    is_prose_code_ = is_prose_directive(info);
    if (is_prose_code_) {
      const std::size_t brace = std::min(info.find('}'), info.size() - 1);
      directives_.push_back(begin_callout(line, info.substr(1, brace - 1), trim(info.substr(brace + 1))));
      return;
    }
    code_dedent_ = 4 * shifts_.size();
    // Attributes of the block are not shown.
    const std::size_t end = line.find(inner.substr(0, fence.length)) + fence.length;
    std::string opening(line.substr(0, end));
    const std::string_view language = info.substr(0, info.find_first_of(" \t{"));
    add_code(opening.append(language.find('`') == npos ? language : std::string_view()));
  }
  void read_code(std::string_view line, std::string_view inner) {
    const std::string_view closing = trim(line).starts_with('>') ? inner : trim(line);
    const bool is_closed = fence_.is_closed_by(closing);
    if (is_closed) is_code_ = false;
    if (is_prose_code_) {
      if (is_closed)
        close_directive();
      else if (!inner.starts_with(':'))
        add_prose(line);
      return;
    }
    if (!is_closed && is_unresolved_include(inner)) return;
    add_code(code_line(dedent(line, code_dedent_)));
  }
  /// A shortcode that documentation shows as code is written "{{</* name */>}}".
  std::string code_line(std::string_view line) const {
    std::string code(line);
    if (code.find("*/") == std::string::npos) return code;
    for (const auto& [escaped, shown] : std::array<std::array<std::string_view, 2>, 4>{
             {{"{{</*", "{{<"}, {"*/>}}", ">}}"}, {"{{%/*", "{{%"}, {"*/%}}", "%}}"}}})
      for (std::size_t at = code.find(escaped); at != std::string::npos; at = code.find(escaped, at))
        code.replace(at, escaped.size(), shown);
    return code;
  }

  /// "{{< highlight go >}}", "{% highlight ruby %}": what follows, to the closing tag, is code.
  bool begin_shortcode_code(std::string_view inner) {
    const bool is_liquid = inner.starts_with("{%");
    if (!is_liquid && !inner.starts_with("{{<") && !inner.starts_with("{{%")) return false;
    const std::size_t begin = inner.find_first_not_of(" -<%", 2);
    if (begin == npos) return false;
    const std::string_view name = inner.substr(begin, inner.find_first_of(" %>", begin) - begin);
    constexpr std::array<std::string_view, 4> kNames = {"highlight", "code", "code-toggle", "codeblock"};
    if (std::find(kNames.begin(), kNames.end(), name) == kNames.end()) return false;
    const std::string end = is_liquid ? "end" + std::string(name) : "/";
    const std::string_view after = inner.substr(std::min(inner.find(is_liquid ? "%}" : "}}"), inner.size()));
    if (after.find(end) != npos || inner.find("/>}}") != npos) return false;  // ends on its own line
    code_end_ = is_liquid ? end : std::string(name);
    is_code_ = true;
    flush();
    out_ += "\n~~~~~~~\n";
    return true;
  }
  void read_shortcode_code(std::string_view line, std::string_view inner) {
    const bool is_end = (inner.starts_with("{%") && inner.find(code_end_) != npos) ||
                        (inner.starts_with("{{") && inner.find('/') != npos && inner.find(code_end_) != npos);
    if (!is_end) {
      out_.append(code_line(line)).append("\n");
      return;
    }
    out_ += "~~~~~~~\n";
    is_code_ = false;
    code_end_.clear();
  }

  void read_comment(std::string_view line) {
    const std::size_t end = line.find(comment_end_);
    if (end == npos) return;
    const std::string_view after = line.substr(end + std::string_view(comment_end_).size());
    comment_end_ = nullptr;
    if (!trim(after).empty()) read(after);
  }

  /// An import or export of JavaScript ends with the line that closes its brackets.
  void begin_statement(std::string_view line) {
    statement_depth_ = 0;
    last_is_import_ = true;
    read_statement(line);
  }
  void read_statement(std::string_view line) {
    for (const char c : line) {
      if (c == '{' || c == '(' || c == '[') ++statement_depth_;
      if ((c == '}' || c == ')' || c == ']') && statement_depth_ > 0) --statement_depth_;
    }
    if (statement_depth_ == 0 || (trim(line).empty() && brace_.in(rest_) == npos)) statement_depth_ = kNoStatement;
  }

  // Indentation.

  /// The content of an admonition of MkDocs is indented by four columns, which are not code.
  std::string_view leave_shifts(std::string_view line) {
    const std::size_t indent = indent_of(line);
    while (!shifts_.empty() && indent < shifts_.back().column + 4) leave_shift();
    return dedent(line, 4 * shifts_.size());
  }
  void leave_shift() {
    if (shifts_.back().is_callout) close_callout();
    shifts_.pop_back();
  }
  /// The items of an outline (Logseq) may be indented below a heading. For Markdown they would be code.
  std::string_view enter_outline(std::string_view line) {
    if (list_column_ != 0 || last_is_blank_ || last_is_indented_ || list_marker(trim(line)) == 0) return line;
    for (std::size_t column = 0; column + 4 <= indent_of(line); column += 4) {
      shifts_.push_back({4 * shifts_.size(), false});
      line = dedent(line, 4);
    }
    return line;
  }
  void note_list(std::string_view line) {
    const std::size_t indent = indent_of(line);
    const std::size_t marker = list_marker(trim(line));
    if (marker != 0)
      list_column_ = indent + marker;
    else if (indent < list_column_ && last_is_blank_)
      list_column_ = 0;
  }
  bool is_indented_code(std::string_view line) const {
    const std::size_t indent = indent_of(line);
    if (mdx_ || indent < 4 || (!last_is_blank_ && !last_is_indented_)) return false;
    return indent >= list_column_ + 4 && list_marker(trim(line)) == 0;
  }

  // Lines that are marks of blocks.

  /// Skips a line that has no text for readers, or replaces it by its text. False: it is prose.
  bool skip_block_mark(std::string_view line, std::string_view inner) {
    if (inner.starts_with(":::")) return read_directive(line, inner);
    if (inner.starts_with("!!!") || inner.starts_with("???") || inner.starts_with("==="))
      return read_admonition(line, inner);
    if (inner.starts_with(":LOGBOOK:") || inner.starts_with(":PROPERTIES:")) {
      comment_end_ = ":END:";
      return rest_.find(comment_end_) != npos || ((comment_end_ = nullptr), false);
    }
    if (inner.starts_with("#+BEGIN_") || inner.starts_with("#+END_") || inner.starts_with("#+begin_") ||
        inner.starts_with("#+end_"))
      return skip();
    if (inner.starts_with("SCHEDULED: <") || inner.starts_with("DEADLINE: <")) return skip();
    if (inner.starts_with("*[") && inner.find("]:") != npos && inner.find("](") == npos)
      return skip();                                                                               // an abbreviation
    if (const std::size_t end = inner.starts_with("[^") ? inner.find("]:") : npos; end != npos) {  // a footnote
      add_paragraph(trim(inner.substr(end + 2)));
      // What follows is indented by a multiple of four columns, wherever the mark is.
      shifts_.push_back({indent_of(line) / 4 * 4 + 4 * shifts_.size(), false});
      return true;
    }
    if (has_snippets_ && inner.find(kSnippet) != npos && inner.find('`') == npos) return skip();
    if (inner.starts_with("<<< ")) return skip();
    return has_properties_ && is_property(inner) && skip_property(line, inner);
  }
  bool skip() {
    add_blank();
    return true;
  }

  /// The list item of a property stays, since other items can be below it.
  bool skip_property(std::string_view line, std::string_view inner) {
    const std::string_view before = line.substr(0, static_cast<std::size_t>(inner.data() - line.data()));
    if (!trim(before).empty()) prose_.append(before).append("\n");
    return true;
  }

  /// ":::note Title", ":::note[Title]", "::: {.note}", ":::image source="" :::", ":::".
  bool read_directive(std::string_view line, std::string_view inner) {
    const std::size_t begin = inner.find_first_not_of(':');
    if (begin == npos) return close_directive();
    const std::string_view rest = trim(inner.substr(begin));
    if (rest.ends_with(":::")) return skip();
    const std::size_t name = std::min(rest.find_first_not_of("{. "), rest.size());
    const std::string_view word = rest.substr(name, std::min(rest.find_first_of(" {[}", name), rest.size()) - name);
    if (word.ends_with("-end")) return close_directive();
    directives_.push_back(begin_callout(line, word, directive_title(rest)));
    return true;
  }
  bool close_directive() {
    if (!directives_.empty()) {
      if (directives_.back()) close_callout();
      directives_.pop_back();
    }
    return skip();
  }

  /// Adds the title of a callout, and begins its block if callouts are blocks. A list item stays without a block, which
  /// would end the list. Returns whether there is a block.
  bool begin_callout(std::string_view line, std::string_view name, std::string_view title) {
    const std::string_view kind = callout_kind(name);
    const bool is_block = callouts_ == Callouts::AsBlocks && !kind.empty() && list_column_ == 0 && indent_of(line) == 0;
    if (!is_block) {
      add_paragraph(title);
      return false;
    }
    add_paragraph("<blockquote>");
    add_paragraph(callout_mark(kind, title));
    return true;
  }
  void close_callout() { add_paragraph("</blockquote>"); }

  /// "!!! note "Title"", "??? tip", "=== "Tab"".
  bool read_admonition(std::string_view line, std::string_view inner) {
    std::string_view rest = inner.substr(3);
    if (!rest.empty() && (rest.front() == '+' || rest.front() == '!')) rest.remove_prefix(1);
    if (!rest.starts_with(' ')) return false;
    const std::size_t quote = rest.find('"');
    const std::size_t end = rest.rfind('"');
    if (inner.starts_with("===") && (quote == npos || end == quote)) return false;
    const auto title = quote != npos && end > quote ? rest.substr(quote + 1, end - quote - 1) : std::string_view();
    const std::string_view after = trim(rest);
    const std::string_view name = after.substr(0, std::min(after.find_first_of(" \""), after.size()));
    const bool is_callout = begin_callout(line, name, title);
    shifts_.push_back({indent_of(line) + 4 * shifts_.size(), is_callout});
    return true;
  }

  static constexpr std::size_t kNoStatement = static_cast<std::size_t>(-1);

  std::string_view rest_;
  const Callouts callouts_;
  const bool mdx_;
  const bool has_comments_, has_snippets_, has_properties_;  // in any line, since most texts have none
  InlineNotations notations_;
  std::string out_;
  std::string prose_;  // lines that are not in `out_` yet
  bool is_code_ = false;
  bool is_prose_code_ = false;
  std::size_t code_dedent_ = 0;
  Fence fence_;
  std::string code_end_;  // name of the shortcode that ends the code; empty: a fence ends it
  struct Comment {
    const char* open;
    const char* close;
    NextMark next;
  };
  std::array<Comment, 2> comments_ = {{{"<!--", "-->", NextMark("-->")}, {"{/*", "*/}", NextMark("*/}")}}};
  const char* comment_end_ = nullptr;  // set within a comment
  NextMark brace_{"}"};
  std::size_t statement_depth_ = kNoStatement;  // open brackets of an import or export
  struct Shift {
    std::size_t column;  // the content, four columns further, is not code
    bool is_callout;
  };
  std::vector<Shift> shifts_;
  std::vector<bool> directives_;  // the open ones; whether each is the block of a callout
  std::size_t list_column_ = 0;   // column of the content of the last list item; 0: outside of lists
  bool last_is_blank_ = true, last_is_import_ = false, last_is_indented_ = false;
};

}  // namespace

PlainMarkdown plain_markdown(std::string_view markdown, Callouts callouts) { return Lines(markdown, callouts).run(); }

}  // namespace kbase::markup
