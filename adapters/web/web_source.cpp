// SPDX-License-Identifier: Apache-2.0
#include "adapters/web/web_source.hpp"

#include <algorithm>
#include <atomic>
#include <optional>
#include <set>
#include <unordered_set>
#include <utility>
#include <variant>
#include <vector>

#include "adapters/content/byte_stream.hpp"
#include "adapters/content/dates.hpp"
#include "adapters/content/file_tree.hpp"
#include "adapters/content/folder_categories.hpp"
#include "adapters/content/glob.hpp"
#include "adapters/content/page_links.hpp"
#include "adapters/content/page_paths.hpp"
#include "adapters/content/page_reader.hpp"
#include "adapters/content/readable_names.hpp"
#include "adapters/web/charset.hpp"
#include "adapters/web/fetcher.hpp"
#include "adapters/web/page_cache.hpp"
#include "adapters/web/site.hpp"
#include "adapters/web/sitemap.hpp"
#include "adapters/web/web_address.hpp"
#include "domain/base/text.hpp"
#include "domain/model/ids.hpp"
#include "domain/model/page_path.hpp"

namespace kbase::web {
namespace {

constexpr std::size_t kMaxSitemaps = 1'000;

std::string_view folder_of(std::string_view path) { return path.substr(0, path.rfind('/') + 1); }

/// Whether the page at `path` is at `top` or below it: `/docs` is not above `/docs-old`.
bool is_below(std::string_view path, std::string_view top) {
  if (top.ends_with('/')) top.remove_suffix(1);
  return path.starts_with(top) && (path.size() == top.size() || path[top.size()] == '/');
}

/// Reads the address in an attribute of HTML that a library has written, which escapes `&` alone.
std::string attribute_text(std::string_view value) {
  constexpr std::string_view kRest = "amp;";  // of the escape
  std::string text;
  while (!value.empty()) {
    text += value.front();
    value.remove_prefix(1);
    if (text.back() == '&' && value.starts_with(kRest)) value.remove_prefix(kRest.size());
  }
  return text;
}

/// Returns the format of a page with this content type; nullopt: it is no page.
std::optional<model::Format> format_of(std::string_view content_type) {
  const std::string type = ascii::to_lower(utf8::trimmed(content_type.substr(0, content_type.find(';'))));
  if (type == "text/html" || type == "application/xhtml+xml") return model::Format::Html;
  if (type == "text/markdown") return model::Format::Markdown;
  if (type == "text/plain") return model::Format::Text;
  return std::nullopt;
}

/// A sitemap may have any type but that of a page.
bool is_sitemap(const Response& response) {
  if (format_of(response.validator.type) == model::Format::Html) return false;
  return is_xml(response.body) || response.validator.type.find("xml") != std::string::npos;
}

class WebSource final : public ports::ContentSource {
 public:
  WebSource(std::string name, Address start, Address limit, const content::SourceOptions& options,
            const CrawlOptions& crawl, CrawlServices services)
      : name_(std::move(name)),
        start_(std::move(start)),
        limit_(std::move(limit)),
        options_(options),
        crawl_(crawl),
        services_(std::move(services)),
        prefix_(options_.prefix.empty() ? std::string() : options_.prefix + '/'),
        root_id_(options_.prefix.empty() ? std::string(start_.host()) : options_.prefix),
        owner_(owner_of(start_)),
        categories_(root_id_, prefix_),
        reader_(services_.markup, model::day_of(services_.clock.now()), options_.keeps_drafts) {}

  std::string_view name() const override { return name_; }
  std::string_view owner() const override { return owner_; }
  std::string_view expected_content() const override { return expected_; }
  std::optional<double> progress() const override {
    const std::uint64_t pages = pages_;
    if (pages == 0) return std::nullopt;
    return static_cast<double>(visited_) / static_cast<double>(pages);
  }
  ports::SourceNotes notes() const override { return notes_; }

  Status read(ports::Call& call, Visitor<ports::ContentRecord> visitor) override {
    const auto client = KBASE_TRY(services_.client(start_.origin));
    PageCache cache(services_.cache_file);
    Fetcher fetcher(*client, cache, services_.clock, services_.pause, interval_of(crawl_.requests_per_second));
    Site site(fetcher, start_.origin);
    const auto outcome = read_site(call, site, visitor);
    cache.finish(/*keeps_others=*/!outcome || *outcome == Visit::Stop);
    if (!cache.defect().empty()) notes_.remarks.push_back("the pages are not kept for the next run: " + cache.defect());
    return outcome ? Status() : Status(outcome.error());
  }

 private:
  /// The name of a site as a source: its host and the folder of the sitemap, or those and the path of the one page. The
  /// slash at the end separates the page of a folder (`h/docs/`) from the site below it (`h/docs`).
  static std::string owner_of(const Address& start) {
    const bool is_sitemap = start.path.ends_with(".xml") || start.path.ends_with(".xml.gz");
    std::string owner = std::string(start.host()) + start.path;
    if (is_sitemap) owner.resize(owner.rfind('/'));
    return owner;
  }

  static std::chrono::milliseconds interval_of(double requests_per_second) {
    constexpr double kLongest = 3'600'000;  // milliseconds
    if (!(requests_per_second > 0)) return std::chrono::milliseconds(0);
    return std::chrono::milliseconds(static_cast<std::int64_t>(std::min(1000 / requests_per_second, kLongest)));
  }

  std::string id_of(const std::string& path) const { return path.empty() ? root_id_ : prefix_ + path; }

  Result<Visit> read_site(ports::Call& call, Site& site, Visitor<ports::ContentRecord> visitor) {
    KBASE_TRY(site.read_robots(call));
    auto first = KBASE_TRY(site.fetch(call, start_));
    if (!first.defect.empty()) return content::unreadable(name_, first.defect);
    if (!first.skipped.empty()) return content::unreadable(name_, "the page is not read: " + first.skipped);
    if (content::is_gzip(first.response.body)) KBASE_TRY(unpack(first));
    if (!is_sitemap(first.response)) {
      for (const std::string& address : site.robots().sitemaps())
        if (notes_.remarks.size() < 3)
          notes_.remarks.push_back("the site has a sitemap, for all of its pages: kbase import " + address);
      pages_ = 1;
      return pass(first, {}, visitor) == Visit::Stop ? Visit::Stop : pass_categories(visitor);
    }
    auto visited = KBASE_TRY(list_pages(call, site, std::move(first), visitor));
    for (std::size_t i = 0; i < listed_.size() && visited == Visit::Continue; ++i) {
      if (call.cancelled()) return Error{ErrorCode::Cancelled, "the import was interrupted"};
      const auto& [address, modified] = listed_[i];
      auto page = KBASE_TRY(site.fetch(call, address));
      if (page.skipped.empty() && page.defect.empty()) page.skipped = reason_to_skip(page.address);
      visited = pass(page, modified, visitor);
      ++visited_;
    }
    return visited == Visit::Stop ? visited : pass_categories(visitor);
  }

  static Status unpack(Fetched& fetched) {
    auto plain = KBASE_TRY(content::gunzip(fetched.response.body, fetched.address.text(), content::kMaxRecordBytes));
    fetched.response.body = std::move(plain);
    return {};
  }

  static std::variant<Sitemap, SitemapDefect> read_sitemap(Fetched& fetched) {
    if (!fetched.defect.empty()) return SitemapDefect{0, fetched.defect};
    if (!fetched.skipped.empty()) return SitemapDefect{0, "the sitemap is not read: " + fetched.skipped};
    if (content::is_gzip(fetched.response.body) && !unpack(fetched))
      return SitemapDefect{0, "cannot be decompressed, or has more than 64 MiB"};
    return parse_sitemap(fetched.response.body);
  }

  /// Lists the pages of the sitemap and of those that it names, each once. An unreadable sitemap is a bad record, but
  /// for the first.
  Result<Visit> list_pages(ports::Call& call, Site& site, Fetched first, Visitor<ports::ContentRecord> visitor) {
    std::vector<Address> sitemaps = {first.address};
    const auto top = read_sitemap(first);
    if (const auto* defect = std::get_if<SitemapDefect>(&top))
      return content::unreadable(first.address.text(), defect->reason, defect->line);
    add_entries(std::get<Sitemap>(top), first.address, sitemaps);
    for (std::size_t i = 1; i < sitemaps.size(); ++i) {
      auto fetched = KBASE_TRY(site.fetch(call, sitemaps[i]));
      const auto sitemap = read_sitemap(fetched);
      if (const auto* defect = std::get_if<SitemapDefect>(&sitemap)) {
        const std::string place = fetched.address.text();
        if (visitor({{place, defect->line}, ports::Reject{defect->reason}}) == Visit::Stop) return Visit::Stop;
      } else {
        add_entries(std::get<Sitemap>(sitemap), fetched.address, sitemaps);
      }
    }
    pages_ = listed_.size();
    if (beyond_ != 0) {
      notes_.is_incomplete = true;
      notes_.remarks.push_back(std::to_string(beyond_) + " more pages are listed; --max-pages " +
                               std::to_string(crawl_.max_pages + beyond_) + " reads them too");
    }
    return Visit::Continue;
  }

  void skip(const std::string& why) { ++notes_.skipped[why]; }

  void add_entries(const Sitemap& sitemap, const Address& base, std::vector<Address>& sitemaps) {
    for (const Sitemap::Entry& entry : sitemap.entries)
      if (sitemap.is_index)
        add_sitemap(entry, base, sitemaps);
      else
        add_page(entry, base);
  }

  void add_sitemap(const Sitemap::Entry& entry, const Address& base, std::vector<Address>& sitemaps) {
    const auto address = resolve(base, entry.address);
    if (!address || address->origin != start_.origin) return skip("sitemaps of another site");
    const auto is_same = [&](const Address& other) { return other.text() == address->text(); };
    if (std::any_of(sitemaps.begin(), sitemaps.end(), is_same)) return skip("sitemaps named twice");
    if (sitemaps.size() == kMaxSitemaps) {
      notes_.is_incomplete = true;
      return skip("sitemaps beyond the first " + std::to_string(kMaxSitemaps));
    }
    sitemaps.push_back(*address);
  }

  /// Why a page of the site is not read, as the summary counts it; empty: it is read.
  std::string reason_to_skip(const Address& address) const {
    if (!is_below(address.path, limit_.path)) return "outside of " + limit_.text();
    const std::string path = address.path.substr(1);
    const bool is_included = options_.include.empty() || content::is_selected(options_.include, path);
    return is_included && !content::is_selected(options_.exclude, path) ? std::string() : "excluded";
  }

  void add_page(const Sitemap::Entry& entry, const Address& base) {
    const auto address = resolve(base, entry.address);
    if (!address || address->origin != start_.origin) return skip("of another site");
    if (const std::string reason = reason_to_skip(*address); !reason.empty()) return skip(reason);
    if (!listed_addresses_.insert(address->text()).second) return;
    if (listed_.size() == crawl_.max_pages) {
      ++beyond_;
      return;
    }
    listed_.push_back({*address, entry.modified});
    ids_.insert(id_of(page_path(*address)));
  }

  Visit pass(Fetched& page, std::optional<model::Day> modified, Visitor<ports::ContentRecord> visitor) {
    const std::string place = page.address.text();
    const auto reject = [&](std::string_view reason, std::uint64_t line = 0) {
      return visitor({{place, line}, ports::Reject{reason}});
    };
    if (!page.defect.empty()) return reject(page.defect);
    const Validator& validator = page.response.validator;
    if (page.skipped.empty() && validator.robots.find("noindex") != std::string::npos)
      page.skipped = "hidden from searches by X-Robots-Tag";
    const auto format = format_of(validator.type);
    if (page.skipped.empty() && !format)
      page.skipped = validator.type.empty() ? "without a type" : "of the type " + validator.type;
    if (!page.skipped.empty()) {
      skip(page.skipped);
      return Visit::Continue;
    }
    const std::string text = to_utf8(std::move(page.response.body), validator.type);
    const model::PageHead head = services_.markup.head(text);
    const auto canonical = head.canonical.empty() ? std::nullopt : resolve(page.address, head.canonical);
    const Address& named = canonical && canonical->origin == start_.origin ? *canonical : page.address;
    const std::string path = page_path({named.origin, named.path, {}});
    const std::string id = id_of(page_path(named));
    if (!passed_.insert(id).second) {
      skip("read at another address");
      return Visit::Continue;
    }
    const std::string folder(model::path_folder(path));
    content::PageFile file;
    file.id = id;
    file.category = categories_.id_of(folder);
    file.name = head.title.empty() ? content::readable_name(model::path_name(path.empty() ? id : path))
                                   : services_.markup.line(head.title);
    file.format = *format;
    const content::PathFacts facts = content::facts_of(path);
    file.language = facts.language;
    file.version = facts.version;
    file.day = modified ? modified : content::parse_any_date(validator.modified);
    std::string main;
    const auto outcome = reader_.read(text, file, [&](std::string_view body) {
      if (*format != model::Format::Html) return body;
      main = services_.markup.main_part(body, page.address.text());
      return std::string_view(main);
    });
    if (const auto* defect = std::get_if<content::PageReader::Defect>(&outcome))
      return reject(defect->reason, defect->line);
    if (std::holds_alternative<content::PageReader::LeftOut>(outcome)) {
      notes_.leave_out(page.address.text());
      return Visit::Continue;
    }
    categories_.add(folder);
    auto item = std::get<ports::ItemRecord>(outcome);
    const std::string url = canonical ? canonical->text() : page.address.text();
    item.url = url;
    // A page without a date of modification may have changed since it was published.
    if (modified && item.created == item.updated && item.updated < modified) item.updated = modified;
    const std::vector<std::string> linked = linked_pages(item.content, id);
    const std::vector<std::string_view> related(linked.begin(), linked.end());
    item.related = related;
    std::vector<ports::IgnoredValue> ignored;
    for (const auto& warning : reader_.warnings()) ignored.push_back({warning.line, warning.reason});
    return visitor({{place, 0}, item, {{}, reader_.unknown()}, ignored});
  }

  /// The pages of the site that the main part links to. Its links are absolute.
  std::vector<std::string> linked_pages(std::string_view html, std::string_view own_id) const {
    constexpr std::string_view kLink = "href=\"";
    std::vector<std::string> ids;
    for (std::size_t at = html.find(kLink); at != std::string_view::npos; at = html.find(kLink, at + 1)) {
      const std::size_t begin = at + kLink.size();
      const std::string target = attribute_text(html.substr(begin, html.find('"', begin) - begin));
      if (!target.starts_with(start_.origin)) continue;
      const auto address = parse_address(target);
      if (!address || address->origin != start_.origin) continue;
      std::string id = id_of(page_path(*address));
      if (id == own_id || !ids_.contains(id) || std::find(ids.begin(), ids.end(), id) != ids.end()) continue;
      ids.push_back(std::move(id));
      if (ids.size() == content::kMaxLinks) break;
    }
    return ids;
  }

  Result<Visit> pass_categories(Visitor<ports::ContentRecord> visitor) {
    return categories_.visit([&](const ports::CategoryRecord& category, model::TextList) {
      return visitor({{name_, 0}, category});
    });
  }

  struct Listed {
    Address address;
    std::optional<model::Day> modified;
  };

  const std::string name_;
  const Address start_, limit_;
  const std::string expected_ =
      "a page, or a sitemap with pages below " + limit_.text() + "; --limit-to ADDRESS takes pages of another folder";
  const content::SourceOptions options_;
  const CrawlOptions crawl_;
  const CrawlServices services_;
  const std::string prefix_, root_id_, owner_;  // the root is the page at the top, and its category
  content::FolderCategories categories_;
  content::PageReader reader_;
  std::vector<Listed> listed_;
  std::unordered_set<std::string> listed_addresses_;
  std::unordered_set<std::string> ids_;     // of the listed pages
  std::unordered_set<std::string> passed_;  // ids of the pages that were passed
  std::uint64_t beyond_ = 0;                // pages that the sitemap lists after the first max_pages
  std::atomic<std::uint64_t> pages_{0}, visited_{0};
  ports::SourceNotes notes_;
};

}  // namespace

Result<std::unique_ptr<ports::ContentSource>> open_site(std::string name, const content::SourceOptions& options,
                                                        const CrawlOptions& crawl, CrawlServices services) {
  auto start = parse_address(name);
  if (!start) return content::unreadable(name, "is not the address of a page; an address has a host, and no user name");
  Address limit{start->origin, std::string(folder_of(start->path)), {}};
  if (!crawl.limit_to.empty()) {
    const auto given = parse_address(crawl.limit_to);
    if (!given || given->origin != start->origin)
      return invalid_argument(
          "limit-to", "--limit-to " + crawl.limit_to + " is not an address that begins with " + start->origin + "/");
    limit.path = given->path;
  }
  return {std::make_unique<WebSource>(std::move(name), *std::move(start), std::move(limit), options, crawl,
                                      std::move(services))};
}

}  // namespace kbase::web
