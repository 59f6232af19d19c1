// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <string>

#include "domain/model/document.hpp"
#include "plugins/conformance/search_index_checks.hpp"

// Checks of hits that describe their item: its row, and the section that matches best. They apply only if the index
// declares that.
namespace kbase::conformance {
namespace {

bool describes(SearchIndexFixture& fixture, Report& report) {
  const bool declared = fixture.port().capabilities().describes;
  if (!declared) report.skip("its hits have no rows");
  return declared;
}

std::string row_of(SearchIndexFixture& fixture, const Query& query) {
  const QueryResult result = run_query(fixture.port(), all_words(query));
  return result.rows.size() == 1 ? result.rows.front() : std::to_string(result.rows.size()) + " rows";
}

void returns_the_row_of_the_item(SearchIndexFixture& fixture, Report& report) {
  if (!describes(fixture, report)) return;
  if (!fill(fixture, report,
            {{.id = "full",
              .content = "granite",
              .tags = {"rock", "old"},
              .updated = 20'001,
              .views = 7,
              .url = "https://example.org/full",
              .language = "de",
              .version = "2.1"},
             {.id = "bare", .content = "slate"},
             {.id = "repeated", .content = "marble", .tags = {"rock", "old", "rock"}}}))
    return;
  report.equal(row_of(fixture, {.q = "granite"}), "2024-10-05 rock old 7 https://example.org/full - - de 2.1",
               "a hit has the members of its item");
  report.equal(row_of(fixture, {.q = "slate"}), "2024-10-04 0 - - - - -", "a member that the item lacks is empty");
  report.equal(row_of(fixture, {.q = "marble"}), "2024-10-04 rock old rock 0 - - - - -", "a repeated tag is repeated");
}

void names_the_section_of_the_best_match(SearchIndexFixture& fixture, Report& report) {
  if (!describes(fixture, report)) return;
  std::string content = "Before granite.\n\n";
  std::vector<std::string> sections;
  for (const auto& [heading, anchor, text] : {std::array{"Harbour of the east", "harbour-of-the-east", "slate"},
                                              std::array{"Valley", "valley", "basalt, then nothing but basalt"}}) {
    sections.push_back(
        model::encode_section({.level = 2, .heading = heading, .anchor = anchor, .begin = content.size()}));
    content.append(heading).append("\n\n").append(text).append(" ").append(300, 'x').append(".\n\n");
  }
  if (!fill(fixture, report, {{.id = "a", .content = content, .sections = {sections.begin(), sections.end()}}})) return;
  report.equal(row_of(fixture, {.q = "basalt"}), "2024-10-04 0 - Valley valley - -", "the section has the match");
  report.equal(row_of(fixture, {.q = "slate"}), "2024-10-04 0 - Harbour of the east harbour-of-the-east - -",
               "it is the section that the match is in, not the first or the last");
  report.equal(row_of(fixture, {.q = "granite"}), "2024-10-04 0 - - - - -",
               "a match before the first section is in none");
}

void finds_an_item_by_its_other_names(SearchIndexFixture& fixture, Report& report) {
  if (!describes(fixture, report)) return;
  if (!fill(fixture, report,
            {{.id = "by-alias", .title = "Gate", .content = "x", .aliases = {"Portcullis", "Iron door"}},
             {.id = "by-text", .title = "Wall", .content = "the portcullis of the wall is behind another gate"},
             {.id = "other", .title = "Moat", .content = "water"}}))
    return;
  report.equal(run_query(fixture.port(), all_words({.q = "portcullis"})).ids, "by-alias|by-text",
               "an alias matches, and counts more than the content");
  report.equal(search_ids(fixture.port(), "iron door"), "by-alias", "each alias is searched");
}

}  // namespace

Suite<SearchIndexFixture> search_index_descriptions() {
  return {
      {"ReturnsRows", "kb_hit.has_row", returns_the_row_of_the_item},
      {"NamesTheSectionOfTheMatch", "kb_hit.section_heading", names_the_section_of_the_best_match},
      {"FindsAliases", "kb_search_index_v1.put", finds_an_item_by_its_other_names},
  };
}

}  // namespace kbase::conformance
