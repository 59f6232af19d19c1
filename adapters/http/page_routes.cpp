// SPDX-License-Identifier: Apache-2.0
// The pages of the site, whose addresses are below the root.

#include "adapters/http/insight_routes.hpp"
#include "adapters/http/negotiation.hpp"
#include "adapters/http/parameters.hpp"
#include "adapters/http/routes.hpp"
#include "adapters/http/syntax.hpp"
#include "adapters/pages/pages.hpp"
#include "domain/base/result.hpp"

namespace kbase::http {
namespace {

constexpr std::string_view kHtml = "text/html; charset=utf-8";
constexpr std::string_view kMarkdown = "text/markdown; charset=utf-8";
constexpr std::string_view kPlainText = "text/plain; charset=utf-8";
constexpr std::string_view kXml = "application/xml; charset=utf-8";
constexpr std::string_view kMarkdownEnding = ".md";

pages::PageRequest make_request(const EndpointContext& context) { return {context.call, context.origin, context.now}; }

Reply make_page(Reply reply, std::string_view type) {
  reply.format = Reply::Format::Page;
  reply.content_type = type;
  return reply;
}

std::string make_page_tag(const EndpointContext& context, const ports::Validator& validator, std::string canonical) {
  canonical.append("\n").append(context.origin).append("\n").append(context.services.pages->edition());
  return make_entity_tag(context, validator, canonical);
}

/// Returns a page, or 304 if the client has it. `make` is called only if the page is needed.
Result<Reply> make_page_reply(const EndpointContext& context, std::string_view type, const ports::Validator& validator,
                              std::string canonical, FunctionRef<Result<std::string>()> make) {
  std::string tag = make_page_tag(context, validator, std::move(canonical));
  if (is_cached_by_client(context, tag)) return make_page(make_not_modified(std::move(tag)), type);
  auto body = KBASE_TRY(make());
  return make_page(make_ok_reply(context, std::move(body), std::move(tag)), type);
}

/// Returns a page that depends on the content alone.
Result<Reply> make_content_reply(const EndpointContext& context, std::string_view type, std::string canonical,
                                 FunctionRef<Result<std::string>()> make) {
  const auto validator = KBASE_TRY(context.services.catalog.content_validator(context.call));
  return make_page_reply(context, type, validator, std::move(canonical), make);
}

/// Redirects for good.
Reply make_redirect(const std::string& address) {
  Reply reply;
  reply.status = HttpStatus::Moved_Permanently;
  reply.format = Reply::Format::Page;
  add_field(reply.fields, "Location", address);
  return reply;
}

Result<std::string> read_id(const EndpointContext& context, Parameters& parameters) {
  std::string id = parameters.read_path_segment("id", context.segment);
  if (parameters.error()) return *parameters.error();
  if (model::id_defect(id).empty()) return id;
  return Error{ErrorCode::NotFound, "There is no such page."};
}

/// Returns the page that an address of version 1.0 means: `/?item=ID`, `/?category=ID`, `/?q=WORDS`, `/?view=NAME`.
std::optional<std::string> address_since_1_1(Parameters& parameters) {
  if (const auto id = parameters.read_text("item")) return pages::item_address(*id);
  const auto category = parameters.read_text("category");
  if (auto q = parameters.read_text("q")) {
    pages::Question question;
    question.q = *std::move(q);
    if (category) question.categories = {*category};
    return pages::search_address(question);
  }
  if (category) return pages::category_address(*category);
  const auto view = parameters.read_text("view");
  if (view == "popular" || view == "recent") return '/' + *view;
  return std::nullopt;
}

}  // namespace

Result<Reply> get_home_page(const EndpointContext& context) {
  Parameters parameters("page of the site", context.query);
  const auto address = address_since_1_1(parameters);
  if (parameters.error()) return *parameters.error();
  if (address) return make_redirect(*address);
  const auto validator = KBASE_TRY(context.services.catalog.views_validator(context.call));
  const std::string canonical = "page" + model::format_day(model::day_of(context.now));
  return make_page_reply(context, kHtml, validator, canonical,
                         [&] { return context.services.pages->home(make_request(context)); });
}

Result<Reply> get_search_page(const EndpointContext& context) {
  Parameters parameters("page search", context.query);
  pages::Question question;
  question.q = parameters.read_text("q").value_or(std::string());
  question.categories = parameters.read_texts("category");
  question.tags = parameters.read_texts("tag");
  if (auto language = parameters.read_text("language")) question.languages = {*std::move(language)};
  if (auto version = parameters.read_text("version")) question.versions = {*std::move(version)};
  question.sort = parameters.read_sort();
  question.page = parameters.read_integer("page", 1, 1);
  const bool is_typed = parameters.read_boolean("typed", false);
  if (parameters.error()) return *parameters.error();
  const auto validator = KBASE_TRY(context.services.search.validator(context.call, question.sort));
  ports::Insights* const insights = context.services.insights;
  const std::string normalized = insights != nullptr ? insights->normalize(question.q) : std::string();
  const std::string_view noted = question.page == 1 ? std::string_view(normalized) : std::string_view();
  const std::string tag = make_page_tag(context, validator, parameters.canonical());
  if (auto cached = find_cached_search(context, tag, noted)) return make_page(*std::move(cached), kHtml);

  pages::PageRequest request = make_request(context);
  const std::string search_id = normalized.empty() ? std::string() : insights->search_id(normalized);
  request.search_id = search_id;
  pages::Pages& site = *context.services.pages;
  auto found = KBASE_TRY(is_typed ? site.typed(request, question.q) : site.search(request, question));
  if (found.has_result) note_search(context, noted, *found.has_result);
  return make_page(make_ok_reply(context, std::move(found.html), search_tag(tag, found.has_result.value_or(true))),
                   kHtml);
}

/// `/item/ID`, and `/item/ID.md` for its Markdown.
Result<Reply> get_item_page(const EndpointContext& context) {
  Parameters parameters("page item", context.query);
  std::string id = KBASE_TRY(read_id(context, parameters));
  pages::Pages& site = *context.services.pages;
  // An index that is not ready has no related items.
  auto related = context.services.catalog.related_validator(context.call);
  const auto validator = related ? *related : KBASE_TRY(context.services.catalog.content_validator(context.call));
  const pages::PageRequest request = make_request(context);
  auto reply =
      make_page_reply(context, kHtml, validator, parameters.canonical(), [&] { return site.item(request, id); });
  if (!reply && reply.error().code == ErrorCode::NotFound && id.ends_with(kMarkdownEnding)) {
    id.resize(id.size() - kMarkdownEnding.size());
    reply = make_page_reply(context, kMarkdown, validator, parameters.canonical(),
                            [&] { return site.item_markdown(request, id); });
  }
  if (reply && reply->status == HttpStatus::Ok && !context.is_head) context.services.catalog.count_view(id);
  if (reply) note_click(context);
  return reply;
}

Result<Reply> get_categories_page(const EndpointContext& context) {
  Parameters parameters("page categories", context.query);
  const std::uint64_t page = parameters.read_integer("page", 1, 1);
  if (parameters.error()) return *parameters.error();
  return make_content_reply(context, kHtml, parameters.canonical(),
                            [&] { return context.services.pages->categories(make_request(context), page); });
}

Result<Reply> get_category_page(const EndpointContext& context) {
  Parameters parameters("page category", context.query);
  const auto id = KBASE_TRY(read_id(context, parameters));
  const std::uint64_t page = parameters.read_integer("page", 1, 1);
  if (parameters.error()) return *parameters.error();
  return make_content_reply(context, kHtml, parameters.canonical(),
                            [&] { return context.services.pages->category(make_request(context), id, page); });
}

Result<Reply> get_popular_page(const EndpointContext& context) {
  Parameters parameters("page popular", context.query);
  const ports::Period period = parameters.read_period(ports::Period::Month);
  if (parameters.error()) return *parameters.error();
  const auto validator = KBASE_TRY(context.services.catalog.views_validator(context.call));
  const std::string canonical = parameters.canonical() + model::format_day(model::day_of(context.now));
  return make_page_reply(context, kHtml, validator, canonical,
                         [&] { return context.services.pages->popular(make_request(context), period); });
}

Result<Reply> get_recent_page(const EndpointContext& context) {
  return make_content_reply(context, kHtml, "page recent",
                            [&] { return context.services.pages->recent(make_request(context)); });
}

Result<Reply> get_feed(const EndpointContext& context) {
  return make_content_reply(context, "application/atom+xml; charset=utf-8", "feed",
                            [&] { return context.services.pages->feed(make_request(context)); });
}

Result<Reply> get_sitemap(const EndpointContext& context) {
  Parameters parameters("sitemap", context.query);
  const std::uint64_t number = parameters.read_integer("number", 0);
  if (parameters.error()) return *parameters.error();
  const std::optional<std::uint64_t> part = number == 0 ? std::nullopt : std::optional(number - 1);
  return make_content_reply(context, kXml, parameters.canonical(),
                            [&] { return context.services.pages->sitemap(make_request(context), part); });
}

Result<Reply> get_llms_text(const EndpointContext& context) {
  return make_content_reply(context, kPlainText, "llms.txt",
                            [&] { return context.services.pages->llms(make_request(context)); });
}

Result<Reply> get_robots_text(const EndpointContext& context) {
  return make_page_reply(context, kPlainText, {}, "robots.txt", [&]() -> Result<std::string> {
    return context.services.pages->robots(make_request(context));
  });
}

Result<Reply> get_reference_page(const EndpointContext& context) {
  return make_page_reply(context, kHtml, {}, "docs",
                         [&] { return context.services.pages->reference(make_request(context)); });
}

/// The page of an operation has ids of the content as examples.
Result<Reply> get_operation_page(const EndpointContext& context) {
  Parameters parameters("page docs", context.query);
  const auto name = KBASE_TRY(read_id(context, parameters));
  return make_content_reply(context, kHtml, parameters.canonical(),
                            [&] { return context.services.pages->operation(make_request(context), name); });
}

Result<Reply> get_account_page(const EndpointContext& context) {
  if (context.services.accounts == nullptr) return Error{ErrorCode::NotFound, "There is no such page."};
  return make_page_reply(context, kHtml, {}, "account",
                         [&] { return context.services.pages->account(make_request(context)); });
}

Result<Reply> get_confirmation_page(const EndpointContext& context) {
  if (context.services.accounts == nullptr) return Error{ErrorCode::NotFound, "There is no such page."};
  return make_page_reply(context, kHtml, {}, "confirmation",
                         [&] { return context.services.pages->confirmation(make_request(context)); });
}

Result<Reply> get_opensearch_description(const EndpointContext& context) {
  return make_page_reply(
      context, "application/opensearchdescription+xml; charset=utf-8", {}, "opensearch.xml",
      [&]() -> Result<std::string> { return context.services.pages->opensearch_description(make_request(context)); });
}

}  // namespace kbase::http
