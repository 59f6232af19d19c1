// SPDX-License-Identifier: Apache-2.0
#include "app/plugin_check/report.hpp"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "app/plugin_check/port_driver.hpp"
#include "domain/base/text.hpp"

namespace kbase::plugin_check {
namespace {

using Json = nlohmann::ordered_json;

/// Returns true if a word begins at `at`: a capital letter, or the first digit of a number.
bool begins_word(std::string_view name, std::size_t at) {
  return ascii::is_upper(name[at]) || (ascii::is_digit(name[at]) && !ascii::is_digit(name[at - 1]));
}

std::string decimal_of(std::chrono::milliseconds span, int digits) {
  char text[32];
  std::snprintf(text, sizeof text, "%.*f", digits, static_cast<double>(span.count()) / 1000);
  return text;
}

std::string name_of(const Rule& rule) { return rule.header + ", " + rule.about; }

// ---- text --------------------------------------------------------------------------------------------------------

constexpr std::size_t kWidth = 100;  // of wrapped text

struct Mark {
  const char* word;
  const char* colour;
};

Mark mark_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::Passed: return {"pass", "\x1b[32m"};
    case Verdict::Warned: return {"WARN", "\x1b[33m"};
    case Verdict::Failed: return {"FAIL", "\x1b[31m"};
    case Verdict::Skipped: return {"skip", "\x1b[36m"};
  }
  return {"", ""};
}

std::string coloured(std::string_view text, const char* colour, Colour mode) {
  return mode == Colour::Ansi ? colour + std::string(text) + "\x1b[0m" : std::string(text);
}

/// Formats `text` after a label, wrapped at spaces and indented. Control characters from the plugin become '?'.
std::string labelled(std::string_view label, std::string_view text) {
  const std::string indent(18, ' ');
  std::string lines = "        " + std::string(label) + std::string(10 - label.size(), ' ');
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

std::string entry(const CheckResult& result, Colour colour) {
  const Mark mark = mark_of(result.outcome.verdict);
  std::string text = "  " + coloured(mark.word, mark.colour, colour) + "  " + words_of(result.name) + '\n';
  if (!result.outcome.skipped.empty()) text += labelled("because", result.outcome.skipped);
  for (const Violation& violation : result.outcome.violations) {
    text += labelled("expected", violation.expected);
    if (!violation.observed.empty()) text += labelled("observed", violation.observed);
  }
  if (result.outcome.violations.empty()) return text;
  text += labelled("rule", name_of(result.outcome.rule));
  text += labelled("check", result.subject + '.' + result.name);
  return text + printed_lines(result.outcome.printed);
}

std::string heading(const Certificate& certificate) {
  if (!certificate.plugin) return certificate.file.string() + "\nno server would load it\n";
  const Description& plugin = *certificate.plugin;
  std::string ports;
  for (const OfferedPort& port : plugin.ports) ports += (ports.empty() ? "" : ", ") + std::string(port.driver->id);
  return certificate.file.string() + '\n' + plugin.id + ' ' + plugin.version + " by " + plugin.vendor + " (" +
         plugin.license + ") offers " + (ports.empty() ? "no port that this server knows" : ports) + '\n';
}

std::string summary(const Certificate& certificate, Colour colour) {
  std::chrono::milliseconds took{0};
  for (const CheckResult& result : certificate.results) took += result.outcome.took;
  const auto count = [&](Verdict verdict, const char* word) {
    return std::to_string(certificate.count(verdict)) + ' ' + word;
  };
  const Mark mark = mark_of(certificate.is_passed() ? Verdict::Passed : Verdict::Failed);
  return '\n' + coloured(certificate.is_passed() ? "PASSED" : "FAILED", mark.colour, colour) + ": " +
         std::to_string(certificate.results.size()) + " checks, " + count(Verdict::Passed, "passed") + ", " +
         count(Verdict::Failed, "failed") + ", " + count(Verdict::Warned, "warned") + ", " +
         count(Verdict::Skipped, "skipped") + ", in " + decimal_of(took, 1) + " s" + '\n';
}

// ---- JSON --------------------------------------------------------------------------------------------------------

const char* name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::Passed: return "passed";
    case Verdict::Warned: return "warned";
    case Verdict::Failed: return "failed";
    case Verdict::Skipped: return "skipped";
  }
  return "";
}

Json plugin_of(const Description& plugin) {
  Json ports = Json::array();
  for (const OfferedPort& port : plugin.ports) ports.push_back(port.driver->id);
  return {{"id", plugin.id},
          {"version", plugin.version},
          {"vendor", plugin.vendor},
          {"license", plugin.license},
          {"ports", ports}};
}

Json check_of(const CheckResult& result) {
  Json violations = Json::array();
  for (const Violation& violation : result.outcome.violations)
    violations.push_back({{"wanted", violation.expected}, {"seen", violation.observed}});
  Json check{{"subject", result.subject},
             {"name", result.name},
             {"verdict", name_of(result.outcome.verdict)},
             {"milliseconds", result.outcome.took.count()},
             {"header", result.outcome.rule.header},
             {"about", result.outcome.rule.about},
             {"shortcomings", violations}};
  if (!result.outcome.skipped.empty()) check["skipped"] = result.outcome.skipped;
  if (!result.outcome.printed.empty()) check["printed"] = result.outcome.printed;
  return check;
}

// ---- JUnit -------------------------------------------------------------------------------------------------------

/// Escapes text for an element or attribute of XML 1.0. Control characters, which XML does not allow, become '?'.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\n': out += "&#10;"; break;
      default: out += static_cast<unsigned char>(c) < 0x20 ? '?' : c;
    }
  }
  return utf8::is_valid(out) ? out : "(not UTF-8)";
}

std::string description_of(const CheckResult& result) {
  std::string text;
  for (const Violation& violation : result.outcome.violations)
    text += "expected: " + violation.expected + "\nobserved: " + violation.observed + '\n';
  text += "rule: " + name_of(result.outcome.rule) + '\n';
  return result.outcome.printed.empty() ? text : text + "printed: " + result.outcome.printed;
}

std::string content_of(const CheckResult& result) {
  switch (result.outcome.verdict) {
    case Verdict::Passed: return {};
    case Verdict::Warned:
      return "      <system-out>" + escaped("warning\n" + description_of(result)) + "</system-out>\n";
    case Verdict::Failed:
      return "      <failure message=\"" + escaped(result.outcome.violations.front().observed) + "\">" +
             escaped(description_of(result)) + "</failure>\n";
    case Verdict::Skipped: return "      <skipped message=\"" + escaped(result.outcome.skipped) + "\"/>\n";
  }
  return {};
}

std::string test_case(const CheckResult& result) {
  const std::string start = "    <testcase classname=\"" + escaped(result.subject) + "\" name=\"" +
                            escaped(result.name) + "\" time=\"" + decimal_of(result.outcome.took, 3) + "\"";
  const std::string content = content_of(result);
  return content.empty() ? start + "/>\n" : start + ">\n" + content + "    </testcase>\n";
}

/// Formats the results of one subject, from `first` to before `end`.
std::string test_suite(const CheckResult* first, const CheckResult* end) {
  std::size_t failures = 0;
  std::size_t skipped = 0;
  std::string cases;
  for (const CheckResult* result = first; result != end; ++result) {
    failures += result->outcome.verdict == Verdict::Failed ? 1 : 0;
    skipped += result->outcome.verdict == Verdict::Skipped ? 1 : 0;
    cases += test_case(*result);
  }
  return "  <testsuite name=\"" + escaped(first->subject) + "\" tests=\"" + std::to_string(end - first) +
         "\" failures=\"" + std::to_string(failures) + "\" skipped=\"" + std::to_string(skipped) + "\">\n" + cases +
         "  </testsuite>\n";
}

}  // namespace

std::size_t Certificate::count(Verdict verdict) const {
  return static_cast<std::size_t>(std::count_if(
      results.begin(), results.end(), [&](const CheckResult& result) { return result.outcome.verdict == verdict; }));
}

std::string words_of(std::string_view name) {
  std::string words;
  for (std::size_t at = 0; at < name.size(); ++at) {
    if (at > 0 && begins_word(name, at)) words += ' ';
    words += ascii::to_lower(name[at]);
  }
  return words;
}

std::string text_report(const Certificate& certificate, Colour colour) {
  std::string text = heading(certificate);
  std::string_view subject;
  for (const CheckResult& result : certificate.results) {
    if (result.subject != subject) text += '\n' + result.subject + '\n';
    subject = result.subject;
    text += entry(result, colour);
  }
  return text + summary(certificate, colour);
}

std::string json_report(const Certificate& certificate) {
  Json checks = Json::array();
  for (const CheckResult& result : certificate.results) checks.push_back(check_of(result));
  Json summary;
  for (const Verdict verdict : {Verdict::Passed, Verdict::Failed, Verdict::Warned, Verdict::Skipped})
    summary[name_of(verdict)] = certificate.count(verdict);
  const Json report{{"file", certificate.file.string()},
                    {"plugin", certificate.plugin ? plugin_of(*certificate.plugin) : Json()},
                    {"passed", certificate.is_passed()},
                    {"summary", summary},
                    {"checks", checks}};
  return report.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

std::string junit_report(const Certificate& certificate) {
  std::string text =
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"" + escaped(certificate.file.string()) + "\">\n";
  const CheckResult* const end = certificate.results.data() + certificate.results.size();
  for (const CheckResult* first = certificate.results.data(); first != end;) {
    const CheckResult* next = first;
    while (next != end && next->subject == first->subject) ++next;
    text += test_suite(first, next);
    first = next;
  }
  return text + "</testsuites>\n";
}

}  // namespace kbase::plugin_check
