// SPDX-License-Identifier: Apache-2.0
#include <cstdio>

#include "app/plugin_check/report.hpp"
#include "domain/model/utf8.hpp"

namespace kbase::plugin_check {
namespace {

/// Escapes text for an element or attribute of XML 1.0. Control characters, which XML does not allow, become '?'.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\n':
        out += "&#10;";
        break;
      default:
        out += static_cast<unsigned char>(c) < 0x20 ? '?' : c;
    }
  }
  return model::utf8::is_valid(out) ? out : "(not UTF-8)";
}

std::string seconds_of(std::chrono::milliseconds span) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3f", static_cast<double>(span.count()) / 1000);
  return text;
}

std::string told(const Result& result) {
  std::string text;
  for (const Shortcoming& shortcoming : result.outcome.shortcomings)
    text += "wanted: " + shortcoming.wanted + "\nseen: " + shortcoming.seen + '\n';
  text += "rule: " + place_of(result.outcome.rule) + '\n';
  return result.outcome.printed.empty() ? text : text + "printed: " + result.outcome.printed;
}

std::string content_of(const Result& result) {
  switch (result.outcome.verdict) {
    case Verdict::Passed:
      return {};
    case Verdict::Warned:
      return "      <system-out>" + escaped("warning\n" + told(result)) + "</system-out>\n";
    case Verdict::Failed:
      return "      <failure message=\"" + escaped(result.outcome.shortcomings.front().seen) + "\">" +
             escaped(told(result)) + "</failure>\n";
    case Verdict::Skipped:
      return "      <skipped message=\"" + escaped(result.outcome.skipped) + "\"/>\n";
  }
  return {};
}

std::string test_case(const Result& result) {
  const std::string start = "    <testcase classname=\"" + escaped(result.subject) + "\" name=\"" +
                            escaped(result.name) + "\" time=\"" + seconds_of(result.outcome.took) + "\"";
  const std::string content = content_of(result);
  return content.empty() ? start + "/>\n" : start + ">\n" + content + "    </testcase>\n";
}

/// Formats the results of one subject, from `first` to before `end`.
std::string test_suite(const Result* first, const Result* end) {
  std::size_t failures = 0;
  std::size_t skipped = 0;
  std::string cases;
  for (const Result* result = first; result != end; ++result) {
    failures += result->outcome.verdict == Verdict::Failed ? 1 : 0;
    skipped += result->outcome.verdict == Verdict::Skipped ? 1 : 0;
    cases += test_case(*result);
  }
  return "  <testsuite name=\"" + escaped(first->subject) + "\" tests=\"" + std::to_string(end - first) +
         "\" failures=\"" + std::to_string(failures) + "\" skipped=\"" + std::to_string(skipped) + "\">\n" + cases +
         "  </testsuite>\n";
}

}  // namespace

std::string junit_report(const Certificate& certificate) {
  std::string text =
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"" + escaped(certificate.file.string()) + "\">\n";
  const Result* const end = certificate.results.data() + certificate.results.size();
  for (const Result* first = certificate.results.data(); first != end;) {
    const Result* next = first;
    while (next != end && next->subject == first->subject) ++next;
    text += test_suite(first, next);
    first = next;
  }
  return text + "</testsuites>\n";
}

}  // namespace kbase::plugin_check
