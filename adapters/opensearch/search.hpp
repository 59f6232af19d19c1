// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "adapters/opensearch/contents.hpp"
#include "adapters/opensearch/page.hpp"
#include "adapters/text/analyzer.hpp"
#include "adapters/text/excerpt.hpp"
#include "adapters/text/query.hpp"

namespace kbase::opensearch {

/// One search. It can need several requests: the matches of all words and, if these are few, of any word; the languages
/// of the index; long contents in parts. All responses must be of one state; if another state is published in between,
/// the search starts again.
class Search {
 public:
  /// Dependencies; they must outlive the search.
  struct Parts {
    const Server& server;
    Reader& reader;
    const std::string& alias;
    text::Analyzer& analyzer;
  };

  Search(const Parts& parts, ports::Call& call, const ports::SearchRequest& request)
      : parts_(parts), call_(call), request_(request) {}

  /// InvalidArgument: matches beyond the limit of OpenSearch were requested. Unavailable: there is no complete state.
  model::Result<ports::SearchAnswer> run(model::Visitor<ports::SearchHit> visitor);

 private:
  /// A response, raw and parsed.
  struct Found {
    Json answer;
    Page page;
    bool has_contents = true;  // `page` includes the contents
  };

  struct Excerpt {
    std::string text;
    text::HitHighlights highlights;  // empty unless requested
  };
  using Excerpts = std::vector<Excerpt>;  // of a page's hits, in order

  model::Result<std::optional<ports::SearchAnswer>> answer_from(const Contents& contents,
                                                                model::Visitor<ports::SearchHit> visitor);
  model::Result<std::optional<Found>> find_by_rule(const Contents& contents, const text::Query& query,
                                                   model::MatchRule& rule);
  model::Result<std::optional<Found>> find(const Contents& contents, const Json& query, std::uint64_t limit);
  model::Result<std::optional<Excerpts>> excerpts_of(const Contents& contents, const Found& found,
                                                     const text::Query& query);
  model::Result<std::optional<Json>> read_contents(const Contents& contents, std::span<const PageHit> hits);
  void show(const Page& page, const Excerpts& excerpts, model::Visitor<ports::SearchHit> visitor);

  const Parts parts_;
  ports::Call& call_;
  const ports::SearchRequest& request_;
};

}  // namespace kbase::opensearch
