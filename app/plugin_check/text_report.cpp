// SPDX-License-Identifier: Apache-2.0
#include <cstdio>

#include "app/plugin_check/report.hpp"

namespace kbase::plugin_check {
namespace {

constexpr std::size_t kWidth = 100;  // of wrapped text

struct Mark {
  const char* word;
  const char* colour;
};

Mark mark_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::Passed:
      return {"pass", "\x1b[32m"};
    case Verdict::Warned:
      return {"WARN", "\x1b[33m"};
    case Verdict::Failed:
      return {"FAIL", "\x1b[31m"};
    case Verdict::Skipped:
      return {"skip", "\x1b[36m"};
  }
  return {"", ""};
}

std::string coloured(std::string_view text, const char* colour, Colour mode) {
  return mode == Colour::Ansi ? colour + std::string(text) + "\x1b[0m" : std::string(text);
}

std::string seconds_of(std::chrono::milliseconds span) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f s", static_cast<double>(span.count()) / 1000);
  return text;
}

/// Formats `text` after a label, wrapped at spaces and indented. Control characters from the plugin become '?'.
std::string labelled(std::string_view label, std::string_view text) {
  const std::string indent(16, ' ');
  std::string lines = "        " + std::string(label) + std::string(8 - label.size(), ' ');
  std::size_t column = indent.size();
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' ', 1), text.size());
    if (column + end > kWidth && column > indent.size()) {
      lines += '\n' + indent;
      column = indent.size();
      text.remove_prefix(text.front() == ' ' ? 1 : 0);
      continue;
    }
    for (const char c : text.substr(0, end)) lines += static_cast<unsigned char>(c) < 0x20 || c == 0x7F ? '?' : c;
    column += end;
    text.remove_prefix(end);
  }
  return lines + '\n';
}

std::string printed_lines(std::string_view printed) {
  std::string text;
  for (std::string_view label = "printed"; !printed.empty(); label = "") {
    const std::size_t end = std::min(printed.find('\n'), printed.size());
    text += labelled(label, printed.substr(0, end));
    printed.remove_prefix(std::min(end + 1, printed.size()));
  }
  return text;
}

std::string entry(const Result& result, Colour colour) {
  const Mark mark = mark_of(result.outcome.verdict);
  std::string text = "  " + coloured(mark.word, mark.colour, colour) + "  " + words_of(result.name) + '\n';
  if (!result.outcome.skipped.empty()) text += labelled("because", result.outcome.skipped);
  for (const Shortcoming& shortcoming : result.outcome.shortcomings) {
    text += labelled("wanted", shortcoming.wanted);
    if (!shortcoming.seen.empty()) text += labelled("seen", shortcoming.seen);
  }
  if (result.outcome.shortcomings.empty()) return text;
  text += labelled("rule", place_of(result.outcome.rule));
  text += labelled("check", result.subject + '.' + result.name);
  return text + printed_lines(result.outcome.printed);
}

std::string heading(const Certificate& certificate) {
  if (!certificate.plugin) return certificate.file.string() + "\nno server would load it\n";
  const Description& plugin = *certificate.plugin;
  std::string ports;
  for (const OfferedPort& port : plugin.ports) ports += (ports.empty() ? "" : ", ") + std::string(port.access->id);
  return certificate.file.string() + '\n' + plugin.id + ' ' + plugin.version + " by " + plugin.vendor + " (" +
         plugin.license + ") offers " + (ports.empty() ? "nothing that this server knows" : ports) + '\n';
}

std::string summary(const Certificate& certificate, Colour colour) {
  std::chrono::milliseconds took{0};
  for (const Result& result : certificate.results) took += result.outcome.took;
  const auto count = [&](Verdict verdict, const char* word) {
    return std::to_string(certificate.count(verdict)) + ' ' + word;
  };
  const Mark mark = mark_of(certificate.is_passed() ? Verdict::Passed : Verdict::Failed);
  return '\n' + coloured(certificate.is_passed() ? "PASSED" : "FAILED", mark.colour, colour) + ": " +
         std::to_string(certificate.results.size()) + " checks, " + count(Verdict::Passed, "passed") + ", " +
         count(Verdict::Failed, "failed") + ", " + count(Verdict::Warned, "warned") + ", " +
         count(Verdict::Skipped, "skipped") + ", in " + seconds_of(took) + '\n';
}

}  // namespace

std::string text_report(const Certificate& certificate, Colour colour) {
  std::string text = heading(certificate);
  std::string_view subject;
  for (const Result& result : certificate.results) {
    if (result.subject != subject) text += '\n' + result.subject + '\n';
    subject = result.subject;
    text += entry(result, colour);
  }
  return text + summary(certificate, colour);
}

}  // namespace kbase::plugin_check
