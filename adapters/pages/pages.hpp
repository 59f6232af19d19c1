// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/pages/addresses.hpp"
#include "adapters/pages/category_tree.hpp"
#include "adapters/templates/templates.hpp"
#include "domain/base/function_ref.hpp"
#include "domain/base/result.hpp"
#include "domain/model/day.hpp"
#include "ports/driven/markup.hpp"
#include "ports/driven/page_markup.hpp"
#include "ports/driving/catalog.hpp"
#include "ports/driving/search.hpp"

/// The pages of the site for readers, as HTML that needs no script.
namespace kbase::pages {

/// A link that the operator puts in the head or the foot of each page.
struct SiteLink {
  std::string text, address;
};

/// What all pages have in common.
struct SiteOptions {
  std::string name = "Knowledge base";
  std::string description;            ///< of the whole site, in a sentence
  std::string base_path = "/api/v1";  ///< of the API
  std::string language = "en";        ///< of items that have none (BCP 47)
  std::string logo;                   ///< address of a picture; empty: the name alone
  std::vector<SiteLink> links;        ///< in the head
  std::vector<SiteLink> footer;       ///< in the foot
  std::string script, style, icon;    ///< addresses of the files of the site
  std::string theme_script;           ///< address of the script that runs before a page is drawn
  std::string api_description;        ///< an OpenAPI document
  bool has_accounts = false;          ///< readers can sign up for keys
  bool has_insights = false;          ///< searches and feedback are noted
};

struct ApiReference;
struct ReferenceOperation;

/// A request for a page.
struct PageRequest {
  ports::Call& call;
  std::string_view origin;  ///< scheme and authority of the site: "https://docs.example.org"
  model::Instant now;
  std::string_view search_id = {};  ///< is in the links to results, see ports::Insights; empty: none
};

/// An article of a category, in the list of them next to each.
struct Neighbor {
  double place = 0;
  std::string id, title;
};

/// Why there is no page.
struct PageProblem {
  unsigned status = 500;
  std::string title, message;
  std::chrono::seconds retry_after{0};  ///< the page asks again by itself then; 0: it does not
};

/// A page of results.
struct FoundPage {
  std::string html;
  std::optional<bool> has_result;  ///< nullopt: there was nothing to search for
};

/// Makes the pages. Thread-safe. Errors of all functions: those of the ports.
class Pages {
 public:
  /// They must outlive the pages.
  struct Dependencies {
    ports::Catalog& catalog;
    ports::Search& search;
    const ports::Markup& markup;
    const ports::PageMarkup& page_markup;
  };

  /// `folder`: of the templates. Errors: those of Templates::open().
  static Result<std::unique_ptr<Pages>> open(const std::filesystem::path& folder, SiteOptions options,
                                             const Dependencies& deps);

  Result<std::string> home(const PageRequest& request);
  Result<FoundPage> search(const PageRequest& request, const Question& question);
  /// Returns the rows and the suggestions for a query that is being typed, as a part of a page.
  Result<FoundPage> typed(const PageRequest& request, std::string_view q);
  Result<std::string> item(const PageRequest& request, std::string_view id);
  /// The names of all categories, kListedCategories on a page.
  Result<std::string> categories(const PageRequest& request, std::uint64_t page);
  static constexpr std::uint64_t kListedCategories = 500;
  Result<std::string> category(const PageRequest& request, std::string_view id, std::uint64_t page);
  Result<std::string> popular(const PageRequest& request, ports::Period period);
  Result<std::string> recent(const PageRequest& request);
  std::string problem(const PageRequest& request, const PageProblem& problem);
  /// The page of a reader's own account, and the one to which the link in a mail leads. What they show is fetched by
  /// their script.
  Result<std::string> account(const PageRequest& request) const;
  Result<std::string> confirmation(const PageRequest& request) const;
  Result<std::string> reference(const PageRequest& request) const;
  /// The page of an operation of the API. `name`: "search-items" for `searchItems`.
  Result<std::string> operation(const PageRequest& request, std::string_view name);

  /// Changes with the templates and the options: another edition makes other pages of the same content.
  const std::string& edition() const { return edition_; }

  ~Pages();

  /// Returns the item as Markdown, as it was written if it is Markdown, with what describes it.
  Result<std::string> item_markdown(const PageRequest& request, std::string_view id);

  // What programs read.

  /// Returns a sitemap (sitemaps.org 0.9) of the items from `number` * kSitemapItems on. nullopt: the sitemap of all,
  /// or an index of sitemaps if they are more.
  Result<std::string> sitemap(const PageRequest& request, std::optional<std::uint64_t> number);
  static constexpr std::uint64_t kSitemapItems = 50'000;
  /// Returns a feed of the newest items (RFC 4287).
  Result<std::string> feed(const PageRequest& request);
  /// Returns how browsers search the site (OpenSearch 1.1).
  std::string opensearch_description(const PageRequest& request) const;
  std::string robots(const PageRequest& request) const;
  /// Returns what language models should read (llmstxt.org).
  Result<std::string> llms(const PageRequest& request);

 private:
  using Dictionary = ctemplate::TemplateDictionary;

  /// What the head of a page says.
  struct Head {
    std::string title, description;
    std::string path;            ///< address of the page
    std::string canonical = {};  ///< empty: `path` at the origin of the request
    std::string language = {};   ///< empty: that of the site
    bool is_article = false;
    bool is_hidden = false;               ///< from search engines
    std::vector<std::string> facts = {};  ///< JSON-LD
  };

  Pages(Templates templates, SiteOptions options, const Dependencies& deps);

  std::string account_page(const PageRequest& request, const char* name, std::string title, std::string path) const;
  std::string in_layout(const PageRequest& request, const Head& head, Dictionary& layout,
                        std::string_view q = {}) const;
  Result<std::string> list(const PageRequest& request, std::string title, std::string path,
                           FunctionRef<Status(Dictionary& page, ports::SummaryVisitor visitor)> read);
  void add_tree(Dictionary& page, const CategoryTree& tree, std::string_view category,
                std::span<const Neighbor> articles = {}, std::string_view article = {}) const;
  void add_path(Dictionary& page, const CategoryTree& tree, std::string_view category) const;
  void add_row(Dictionary& rows, const CategoryTree& tree, const model::ItemSummaryView& item) const;
  std::string described(std::string_view markdown) const;
  void set_known_ids(const PageRequest& request, ReferenceOperation& operation);

  const Templates templates_;
  const SiteOptions options_;
  const std::string edition_;
  const Dependencies deps_;
  const std::unique_ptr<const ApiReference> reference_;
  CategoryCache categories_;
};

}  // namespace kbase::pages
