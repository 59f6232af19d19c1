// SPDX-License-Identifier: Apache-2.0

#include "adapters/http/insight_routes.hpp"
#include "adapters/http/negotiation.hpp"
#include "adapters/http/parameters.hpp"
#include "adapters/http/representation.hpp"
#include "adapters/http/routes.hpp"
#include "domain/base/result.hpp"

namespace kbase::http {
namespace {

constexpr std::size_t kCommonItemBytes = 512;  // JSON of an item except its content

/// Returns the decoded id of the path. Returns NotFound if it cannot be a valid id.
ports::Slice read_slice(Parameters& parameters, std::uint64_t default_limit) {
  ports::Slice slice;
  slice.limit = parameters.read_integer("limit", default_limit, 1);
  slice.offset = parameters.read_integer("offset", 0);
  return slice;
}

/// Returns an error if the offset of the slice exceeds the limit.
std::optional<Error> check_offset(const ports::Slice& slice) {
  if (slice.offset <= ports::kMaxOffset) return std::nullopt;
  return invalid_argument("offset", "offset must be at most " + std::to_string(ports::kMaxOffset));
}

/// Returns a visitor that writes each row with `write`.
template <class Row>
auto make_row_writer(void (*write)(JsonWriter&, const Row&, const Fields&), JsonWriter& json, const Fields& fields) {
  return [write, &json, &fields](const Row& row) {
    write(json, row, fields);
    return Visit::Continue;
  };
}

}  // namespace

Result<std::string> read_path_id(const EndpointContext& context, Parameters& parameters, std::string_view thing) {
  std::string id = parameters.read_path_segment("id", context.segment);
  if (parameters.error()) return *parameters.error();
  if (model::id_defect(id).empty()) return id;
  return Error{ErrorCode::NotFound, "There is no such " + std::string(thing) + "."};
}

std::string make_item_tag(const EndpointContext& context, const Parameters& parameters, model::Revision revision) {
  return make_entity_tag(context, {context.services.catalog.store_id(), revision, 0}, parameters.canonical());
}

Result<Reply> get_categories(const EndpointContext& context) {
  Parameters parameters("categories", context.query);
  const Counts counts = parameters.read_boolean("include_counts", true) ? Counts::Shown : Counts::Hidden;
  const ports::Slice slice = read_slice(parameters, ports::kDefaultCategoriesLimit);
  if (parameters.error()) return *parameters.error();
  ports::Catalog& catalog = context.services.catalog;
  const auto write_categories = [&](JsonWriter& json) {
    json.begin_array();
    Status listed = catalog.categories(context.call, slice, [&](const model::CategoryView& category) {
      begin_category(json, category, counts);
      json.end_object();
      return Visit::Continue;
    });
    json.end_array();
    return listed;
  };
  return make_data_reply(context, catalog.content_validator(context.call), parameters.canonical(), write_categories);
}

Result<Reply> get_category(const EndpointContext& context) {
  Parameters parameters("category", context.query);
  const auto id = KBASE_TRY(read_path_id(context, parameters, "category"));
  const bool include_items = parameters.read_boolean("include_items", false);
  const auto subcategories =
      parameters.read_boolean("subcategories", false) ? ports::Subcategories::Included : ports::Subcategories::Excluded;
  const ports::Slice slice = read_slice(parameters, ports::kDefaultCategoryItemsLimit);
  const Fields fields = Fields::read(parameters, kSummaryFields);
  if (parameters.error()) return *parameters.error();
  if (const auto error = check_offset(slice)) return *error;  // also if no items are requested
  ports::Catalog& catalog = context.services.catalog;
  const auto write_category = [&](JsonWriter& json) {
    Status read = catalog.category(context.call, id, [&](const model::CategoryView& category) {
      begin_category(json, category, Counts::Shown);
      return Visit::Stop;
    });
    if (read && include_items) {
      json.key("items").begin_array();
      read =
          catalog.category_items(context.call, id, subcategories, slice, make_row_writer(write_summary, json, fields));
      json.end_array();
    }
    json.end_object();
    return read;
  };
  return make_data_reply(context, catalog.content_validator(context.call), parameters.canonical(), write_category);
}

Result<Reply> get_item(const EndpointContext& context) {
  Parameters parameters("item", context.query);
  const auto id = KBASE_TRY(read_path_id(context, parameters, "item"));
  const Fields fields = Fields::read(parameters, kItemFields);
  if (parameters.error()) return *parameters.error();
  ports::Catalog& catalog = context.services.catalog;
  std::string tag;
  std::string body;
  const Status read = catalog.item(context.call, id, [&](const model::ItemView& item) {
    tag = make_item_tag(context, parameters, item.revision);
    if (is_cached_by_client(context, tag)) return Visit::Stop;
    body.reserve(item.content.size() + kCommonItemBytes);
    JsonWriter json(body);
    json.begin_object().key("success").boolean(true).key("data");
    write_item(json, item, fields);
    json.end_object();
    return Visit::Stop;
  });
  if (!read) return read.error();
  Reply reply = make_ok_reply(context, std::move(body), std::move(tag));
  if (reply.status == HttpStatus::Ok && !context.is_head) catalog.count_view(id);
  note_click(context);
  return reply;
}

Result<Reply> get_related(const EndpointContext& context) {
  Parameters parameters("related", context.query);
  const auto id = KBASE_TRY(read_path_id(context, parameters, "item"));
  const std::uint64_t limit = parameters.read_integer("limit", ports::kDefaultShortListLimit);
  const Fields fields = Fields::read(parameters, kRelatedFields);
  if (parameters.error()) return *parameters.error();
  ports::Catalog& catalog = context.services.catalog;
  const auto write_items = [&](JsonWriter& json) {
    json.begin_array();
    Status listed = catalog.related(context.call, id, limit, make_row_writer(write_related, json, fields));
    json.end_array();
    return listed;
  };
  return make_data_reply(context, catalog.related_validator(context.call), parameters.canonical(), write_items);
}

Result<Reply> get_popular(const EndpointContext& context) {
  Parameters parameters("popular", context.query);
  const std::uint64_t limit = parameters.read_integer("limit", ports::kDefaultShortListLimit);
  const ports::Period period = parameters.read_period(ports::Period::Week);
  const Fields fields = Fields::read(parameters, kPopularFields);
  if (parameters.error()) return *parameters.error();
  ports::Catalog& catalog = context.services.catalog;
  const auto write_items = [&](JsonWriter& json) {
    json.begin_array();
    Status listed = catalog.popular(context.call, period, limit, make_row_writer(write_popular, json, fields));
    json.end_array();
    return listed;
  };
  // The period depends on the current day, so the day is part of the ETag.
  const std::string canonical = parameters.canonical() + model::format_day(model::day_of(context.now));
  return make_data_reply(context, catalog.views_validator(context.call), canonical, write_items);
}

Result<Reply> get_recent(const EndpointContext& context) {
  Parameters parameters("recent", context.query);
  const std::uint64_t limit = parameters.read_integer("limit", ports::kDefaultShortListLimit);
  const Fields fields = Fields::read(parameters, kSummaryFields);
  if (parameters.error()) return *parameters.error();
  ports::Catalog& catalog = context.services.catalog;
  const auto write_items = [&](JsonWriter& json) {
    json.begin_array();
    Status listed = catalog.recent(context.call, limit, make_row_writer(write_summary, json, fields));
    json.end_array();
    return listed;
  };
  return make_data_reply(context, catalog.content_validator(context.call), parameters.canonical(), write_items);
}

}  // namespace kbase::http
