// SPDX-License-Identifier: Apache-2.0
#include "app/composition/first_content.hpp"

#include <memory>
#include <utility>

#include "adapters/content/content_source.hpp"
#include "domain/usecases/transfer_content.hpp"

namespace kbase::composition {
namespace {

/// Discards all import events: an import at startup reports only its error.
class QuietImport final : public ports::ImportObserver {
 public:
  void on_progress(const ports::ContentSource&, std::uint64_t) override {}
  void on_reject(const ports::Place&, const ports::Reject&) override {}
  void on_duplicate(const ports::Place&, std::string_view) override {}
  void on_unknown(const ports::ContentRecord&) override {}
  void on_nothing(const ports::ContentSource&) override {}
  void on_batch(const ports::ImportReport&) override {}
};

}  // namespace

model::Status load_content(const std::vector<std::string>& names, Stores& stores, const ports::Clock& clock) {
  if (names.empty()) return {};
  std::vector<std::unique_ptr<ports::ContentSource>> sources;
  std::vector<ports::ContentSource*> views_of_sources;
  for (const std::string& name : names) {
    auto source = content::open_source(name);
    if (!source) return source.error();
    views_of_sources.push_back(source->get());
    sources.push_back(*std::move(source));
  }
  ports::Call call;
  ports::ImportReport report;
  QuietImport observer;
  usecases::TransferContent transfer(*stores.items, *stores.activity, clock);
  return transfer.import(call, views_of_sources, {}, observer, report);
}

}  // namespace kbase::composition
