// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "app/plugin_check/port_driver.hpp"
#include "app/plugin_check/report.hpp"

namespace kbase::tests {
namespace {

using namespace plugin_check;
using std::chrono::milliseconds;

/// Certificate with a result of each kind.
Certificate sample() {
  Certificate certificate;
  certificate.file = "/plugins/kbase-sample.so";
  certificate.plugin = Description{"org.example.sample", "1.2", "Example", "MIT", {}};
  for (const PortDriver* const port : port_drivers())
    if (port->id == "kbase.cache/1") certificate.plugin->ports.push_back({port, std::nullopt});
  const Rule rule{"kbase/cache.h", "kb_cache_v1.get"};
  const auto add = [&](const char* subject, const char* name, Outcome outcome) {
    outcome.rule = rule;
    certificate.results.push_back({subject, name, std::move(outcome)});
  };
  add("plugin", "ExportsOneSymbol", {Verdict::Passed, {}, {}, {}, {}, milliseconds(12)});
  add("plugin", "LoadsWithin100Ms",
      {Verdict::Warned, {{"it is quick", "it took <1 s>"}}, {}, {}, {}, milliseconds(1000)});
  add("kbase.cache/1", "AnErasedValueIsGone",
      {Verdict::Failed,
       {{"erase succeeds", "get was killed by SIGSEGV"}},
       {},
       {},
       "a line\nand \x01 more\n",
       milliseconds(40)});
  add("kbase.cache/1", "PersistsAcrossReopen", {Verdict::Skipped, {}, {}, "it stores nothing", {}, milliseconds(0)});
  return certificate;
}

TEST(CheckReport, IsText) {
  EXPECT_EQ(text_report(sample(), Colour::None),
            R"(/plugins/kbase-sample.so
org.example.sample 1.2 by Example (MIT) offers kbase.cache/1

plugin
  pass  exports one symbol
  WARN  loads within 100 ms
        expected  it is quick
        observed  it took <1 s>
        rule      kbase/cache.h, kb_cache_v1.get
        check     plugin.LoadsWithin100Ms

kbase.cache/1
  FAIL  an erased value is gone
        expected  erase succeeds
        observed  get was killed by SIGSEGV
        rule      kbase/cache.h, kb_cache_v1.get
        check     kbase.cache/1.AnErasedValueIsGone
        printed   a line
                  and ? more
  skip  persists across reopen
        because   it stores nothing

FAILED: 4 checks, 1 passed, 1 failed, 1 warned, 1 skipped, in 1.1 s
)");
}

TEST(CheckReport, ReportsAPluginThatCouldNotBeLoaded) {
  Certificate certificate = sample();
  certificate.plugin.reset();
  certificate.results.erase(certificate.results.begin() + 1, certificate.results.end());
  EXPECT_EQ(text_report(certificate, Colour::None),
            "/plugins/kbase-sample.so\nno server would load it\n\nplugin\n  pass  exports one symbol\n\n"
            "PASSED: 1 checks, 1 passed, 0 failed, 0 warned, 0 skipped, in 0.0 s\n");
}

TEST(CheckReport, ColoursVerdictsOnATerminal) {
  const std::string text = text_report(sample(), Colour::Ansi);
  EXPECT_NE(text.find("  \x1b[32mpass\x1b[0m  exports one symbol\n"), std::string::npos) << text;
  EXPECT_NE(text.find("\x1b[31mFAILED\x1b[0m: 4 checks"), std::string::npos) << text;
}

TEST(CheckReport, WrapsLongLines) {
  Certificate certificate = sample();
  std::string sentence;
  for (int i = 0; i < 30; ++i) sentence += "a word ";
  certificate.results[2].outcome.violations = {{"short", sentence}};
  const std::string text = text_report(certificate, Colour::None);
  for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1)
    EXPECT_LE(text.find('\n', at) - at, 100U) << text.substr(at, 120);
}

TEST(CheckReport, IsOneJsonObject) {
  EXPECT_EQ(json_report(sample()), R"({
  "file": "/plugins/kbase-sample.so",
  "plugin": {
    "id": "org.example.sample",
    "version": "1.2",
    "vendor": "Example",
    "license": "MIT",
    "ports": [
      "kbase.cache/1"
    ]
  },
  "passed": false,
  "summary": {
    "passed": 1,
    "failed": 1,
    "warned": 1,
    "skipped": 1
  },
  "checks": [
    {
      "subject": "plugin",
      "name": "ExportsOneSymbol",
      "verdict": "passed",
      "milliseconds": 12,
      "header": "kbase/cache.h",
      "about": "kb_cache_v1.get",
      "shortcomings": []
    },
    {
      "subject": "plugin",
      "name": "LoadsWithin100Ms",
      "verdict": "warned",
      "milliseconds": 1000,
      "header": "kbase/cache.h",
      "about": "kb_cache_v1.get",
      "shortcomings": [
        {
          "wanted": "it is quick",
          "seen": "it took <1 s>"
        }
      ]
    },
    {
      "subject": "kbase.cache/1",
      "name": "AnErasedValueIsGone",
      "verdict": "failed",
      "milliseconds": 40,
      "header": "kbase/cache.h",
      "about": "kb_cache_v1.get",
      "shortcomings": [
        {
          "wanted": "erase succeeds",
          "seen": "get was killed by SIGSEGV"
        }
      ],
      "printed": "a line\nand \u0001 more\n"
    },
    {
      "subject": "kbase.cache/1",
      "name": "PersistsAcrossReopen",
      "verdict": "skipped",
      "milliseconds": 0,
      "header": "kbase/cache.h",
      "about": "kb_cache_v1.get",
      "shortcomings": [],
      "skipped": "it stores nothing"
    }
  ]
}
)");
}

TEST(CheckReport, IsJunitXml) {
  EXPECT_EQ(junit_report(sample()), R"(<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="/plugins/kbase-sample.so">
  <testsuite name="plugin" tests="2" failures="0" skipped="0">
    <testcase classname="plugin" name="ExportsOneSymbol" time="0.012"/>
    <testcase classname="plugin" name="LoadsWithin100Ms" time="1.000">
      <system-out>warning&#10;expected: it is quick&#10;observed: it took &lt;1 s&gt;&#10;rule: kbase/cache.h, kb_cache_v1.get&#10;</system-out>
    </testcase>
  </testsuite>
  <testsuite name="kbase.cache/1" tests="2" failures="1" skipped="1">
    <testcase classname="kbase.cache/1" name="AnErasedValueIsGone" time="0.040">
      <failure message="get was killed by SIGSEGV">expected: erase succeeds&#10;observed: get was killed by SIGSEGV&#10;rule: kbase/cache.h, kb_cache_v1.get&#10;printed: a line&#10;and ? more&#10;</failure>
    </testcase>
    <testcase classname="kbase.cache/1" name="PersistsAcrossReopen" time="0.000">
      <skipped message="it stores nothing"/>
    </testcase>
  </testsuite>
</testsuites>
)");
}

TEST(CheckReport, ConvertsNamesToWords) {
  EXPECT_EQ(words_of("ReturnsWhatWasPutOrMisses"), "returns what was put or misses");
  EXPECT_EQ(words_of("TombstonesAreKeptFor30Days"), "tombstones are kept for 30 days");
  EXPECT_EQ(words_of("ALimitOf0MeansUnlimited"), "a limit of 0 means unlimited");
}

}  // namespace
}  // namespace kbase::tests
