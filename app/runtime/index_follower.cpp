// SPDX-License-Identifier: Apache-2.0
#include "app/runtime/index_follower.hpp"

namespace kbase::runtime {

using Build = ports::SearchIndex::Build;

model::Result<IndexFollower::Outcome> IndexFollower::follow(ports::Call& call) {
  const auto state = index_.state(call);
  if (!state) return state.error();
  const auto revision = items_.revision(call);
  if (!revision) return revision.error();

  const bool usable = state->complete && state->lineage == items_.lineage() && state->revision <= *revision;
  if (usable && state->revision == *revision) return Outcome::UpToDate;
  if (usable) {
    const auto updated = apply(call, Build::Update, state->revision);
    if (updated) return Outcome::Updated;
    if (updated.error().code != model::ErrorCode::Gone) return updated.error().during("update the index");
  }
  if (auto rebuilt = rebuild(call); !rebuilt) return rebuilt.error();
  return Outcome::Rebuilt;
}

model::Status IndexFollower::rebuild(ports::Call& call) {
  auto rebuilt = apply(call, Build::Rebuild, 0);
  return rebuilt ? rebuilt : rebuilt.error().during("rebuild the index");
}

model::Status IndexFollower::apply(ports::Call& call, Build build, model::Revision after) {
  auto writer = index_.begin(call, build, items_.lineage());
  if (!writer) return writer.error();
  model::Status failure;
  std::uint64_t records = 0;
  const auto up_to = items_.changes(call, after, [&](const ports::Change& change) {
    if (change.kind == ports::Change::Kind::ItemPut) {
      const model::ItemView* const items[] = {change.item};
      failure = (*writer)->put(call, items);
    } else if (change.kind == ports::Change::Kind::ItemRemoved) {
      failure = (*writer)->remove(call, change.id);
    }
    if (progress_ && ++records % 1000 == 0) progress_(records);
    return failure ? model::Visit::Continue : model::Visit::Stop;
  });
  if (!failure) return failure;
  if (!up_to) return up_to.error();
  return (*writer)->commit(call, *up_to);
}

}  // namespace kbase::runtime
