// SPDX-License-Identifier: Apache-2.0
#include "app/plugin_check/store_rules.hpp"

namespace kbase::plugin_check {
namespace {

using Line = RuledLine;
using Entry = RuledCheck;

namespace activity {
constexpr Line kPort{"kbase.activity_store/1, the counted views by item and UTC day.", "kb_activity_store_v1"};
constexpr Line kAdd{"/* Adds all of `counts` or none, durably.", "kb_activity_store_v1.add"};
constexpr Line kSequence{"bits); a sequence not above the one remembered changes nothing", "kb_activity_store_v1.add"};
constexpr Line kSet{"/* Replaces every counted day of `item`", "kb_activity_store_v1.set"};
constexpr Line kTotals{"/* The total of each item whose views changed after revision", "kb_activity_store_v1.totals"};
constexpr Line kTop{"/* Items with views from day `first` to `last`", "kb_activity_store_v1.top"};
constexpr Line kDays{"/* Every count there is, by item id, then day. */", "kb_activity_store_v1.days"};
constexpr Line kSnapshot{"/* Every journal that is remembered, then every count as days",
                         "kb_activity_store_v1.snapshot"};
constexpr Line kSink{"typedef int32_t (*kb_view_count_sink)", "kb_view_count_sink"};

constexpr Entry kEntries[] = {
    {"StartsEmpty", kDays},
    {"AddsUpByItemAndDay", kPort},
    {"ASequenceCountsOnce", kSequence},
    {"AnAddIsSeenWhole", kAdd},
    {"CountsOfManyThreadsAreExact", kAdd},
    {"TopOrdersByViewsThenId", kTop},
    {"SetReplacesAllDays", kSet},
    {"TotalsTellWhatChanged", kTotals},
    {"TakesAnyId", kPort},
    {"SurvivesAReopen", kAdd},
    {"StopsWhenTheVisitorSaysSo", kSink},
    {"ASnapshotTellsJournalsThenCounts", kSnapshot},
    {"ASnapshotIsOfOneState", kSnapshot},
    {"CountsOnFromASnapshot", kSnapshot},
};
}  // namespace activity

namespace keys {
constexpr Line kPort{"kbase.key_store/1, the API keys", "kb_key_store_v1"};
constexpr Line kJudges{"it is given and judges nothing", "kb_key_store_v1"};
constexpr Line kKey{"typedef struct kb_key {", "kb_key"};
constexpr Line kRevision{"/* Grows with every change, whoever made it", "kb_key_store_v1.revision"};
constexpr Line kFind{"/* The key whose digest or previous digest this is.", "kb_key_store_v1.find"};
constexpr Line kList{"/* Every key, by id. */", "kb_key_store_v1.list"};
constexpr Line kCreate{"/* KB_CONFLICT: the id, or a digest, is there already.", "kb_key_store_v1.create_key"};
constexpr Line kUpdate{"/* Replaces the key of the same id.", "kb_key_store_v1.update_key"};
constexpr Line kAddUsage{"/* Adds to the counts of keys and days,", "kb_key_store_v1.add_usage"};
constexpr Line kUsage{"by id, then day. */", "kb_key_store_v1.usage"};
constexpr Line kLastUsed{"/* The last day that has a count of", "kb_key_store_v1.last_used"};
constexpr Line kForgetUsage{"/* Drops the counts of the days before", "kb_key_store_v1.forget_usage"};

constexpr Entry kEntries[] = {
    {"StartsEmpty", kPort},
    {"ReturnsEveryMember", kKey},
    {"AStoreJudgesNothing", kJudges},
    {"ListsById", kList},
    {"RefusesAnEqualIdOrDigest", kCreate},
    {"UpdateReplacesTheKey", kUpdate},
    {"ARotatedKeyIsFoundByBothDigests", kFind},
    {"TheRevisionGrowsWithEveryChange", kRevision},
    {"OfEqualKeysOneIsCreated", kCreate},
    {"SurvivesAReopen", kCreate},
    {"UsageAddsUpByKeyAndDay", kUsage},
    {"TheLastUseIsTheLastDayWithACount", kLastUsed},
    {"UsageOfEarlierDaysIsForgotten", kForgetUsage},
    {"UsageOfManyThreadsIsExact", kAddUsage},
    {"UsageSurvivesAReopen", kAddUsage},
};
}  // namespace keys

namespace items {
constexpr Line kOrders{"Orders: ids and names by their bytes", "kb_item_store_v1"};
constexpr Line kSlices{"A slice past the end is empty.", "kb_item_store_v1"};
constexpr Line kSnapshots{"one snapshot; a batch shows whole or not at all", "kb_item_store_v1"};
constexpr Line kTexts{"/* Ids: 1 to 256 bytes without control characters", "kb_item"};
constexpr Line kItem{"typedef struct kb_item {", "kb_item"};
constexpr Line kCategory{"typedef struct kb_category {", "kb_category"};
constexpr Line kCount{"uint64_t item_count; /* the category's own items", "kb_category.item_count"};
constexpr Line kSinks{"typedef int32_t (*kb_item_sink)", "kb_item_sink"};
constexpr Line kLineage{"/* 128 random bits, made once when the store is created", "kb_item_store_v1.lineage"};
constexpr Line kRevision{"/* The newest committed revision, 0 in a store that never changed.",
                         "kb_item_store_v1.revision"};
constexpr Line kGet{"/* The whole item. KB_NOT_FOUND. */", "kb_item_store_v1.get"};
constexpr Line kSummaries{"/* The summaries of `ids` in the order asked for", "kb_item_store_v1.summaries"};
constexpr Line kRecent{"/* Summaries, newest updated_day first", "kb_item_store_v1.recent"};
constexpr Line kCategories{"/* Ordered by name, then id. */", "kb_item_store_v1.categories"};
constexpr Line kTotals{"typedef struct kb_store_totals {", "kb_item_store_v1.totals"};
constexpr Line kViews{"/* The imported views of each category, in any order. */", "kb_item_store_v1.category_views"};
constexpr Line kChanges{"/* Each record that changed after revision `after`, once", "kb_item_store_v1.changes"};
constexpr Line kTombstones{"tombstones after `after` were dropped (they live at least 30 days).",
                           "kb_item_store_v1.changes"};
constexpr Line kBegin{"/* Starts the one batch over all processes that share the store.", "kb_item_store_v1.begin"};
constexpr Line kRead{"/* The items, or the category, as the batch would leave them. */", "kb_item_store_v1.read"};
constexpr Line kPut{"/* Inserts or replaces whole records; each gets the next revision", "kb_item_store_v1.put"};
constexpr Line kRemove{"/* Leaves a tombstone with the next revision.", "kb_item_store_v1.remove"};
constexpr Line kRemoveCategory{"KB_INVALID_ARGUMENT: the category still has items.",
                               "kb_item_store_v1.remove_category"};
constexpr Line kCommit{"/* Makes the batch durable, where the store persists", "kb_item_store_v1.commit"};
constexpr Line kAbort{"/* Ends the writer, whatever the call comes to", "kb_item_store_v1.abort"};
constexpr Line kWait{"/* Waits until revision() is above `after`", "kb_item_store_v1.wait"};
constexpr Line kLease{"/* Takes or renews the lease of `name` for `owner`", "kb_item_store_v1.try_lease"};
constexpr Line kHeld{"uint32_t is_held; /* 1: by the owner who asked", "kb_lease.is_held"};
constexpr Line kGivenBack{"A `ttl_ms` of 0 gives back what `owner` holds.", "kb_item_store_v1.try_lease"};

constexpr Entry kEntries[] = {
    {"StartsEmpty", kRevision},
    {"ReturnsEveryMemberOfAnItem", kItem},
    {"ReturnsContentOfEverySize", kGet},
    {"ReturnsAllOfUnicodeInEveryText", kTexts},
    {"KeepsListsEntryByEntry", kItem},
    {"KeepsDaysAndCountsOfTheirWholeRange", kItem},
    {"TellsIdsApartByTheirBytes", kOrders},
    {"ReplacesTheWholeItem", kPut},
    {"ReturnsEveryMemberOfACategory", kCategory},
    {"GivesSummariesInTheOrderAskedFor", kSummaries},
    {"KeepsNothingOfItsInputs", kPut},
    {"SurvivesAReopen", kLineage},
    {"RecentIsNewestUpdatedThenNewestCreatedThenId", kRecent},
    {"OrdersIdsAndNamesByTheirBytes", kOrders},
    {"CategoriesOfOneNameOrderById", kCategories},
    {"SlicesJoinWithoutOverlapOrHole", kSlices},
    {"StopsWhenTheVisitorSaysSo", kSinks},
    {"CategoriesAddUp", kCount},
    {"TotalsCountEverything", kTotals},
    {"CategoryViewsAddUp", kViews},
    {"EachChangedRecordTakesOneRevision", kPut},
    {"ABatchShowsAtCommit", kCommit},
    {"AnAbortedBatchLeavesNothing", kAbort},
    {"ABatchReadsItsOwnWrites", kRead},
    {"RemovingWhatIsNotThereChangesNothing", kRemove},
    {"ACategoryWithItemsStays", kRemoveCategory},
    {"ThereIsOneWriter", kBegin},
    {"ACancelledBatchKeepsNothing", kCommit},
    {"ReadersSeeWholeBatches", kSnapshots},
    {"TellsEachRecordOnceAsItsNewestState", kChanges},
    {"TellsTheWholeRecord", kChanges},
    {"TellsNoTombstonesFrom0", kChanges},
    {"AnItemAndACategoryMayShareAnId", kChanges},
    {"MovingAnItemIsNoChangeOfItsCategories", kCategory},
    {"AStopEndsTheFeedWithCancelled", kSinks},
    {"ACancelledFeedEnds", kChanges},
    {"TombstonesLive30Days", kTombstones},
    {"ARecordThatCameBackLeavesNoGap", kChanges},
    {"AWaitForWhatIsThereEndsAtOnce", kWait},
    {"AWaitEndsWithACommit", kWait},
    {"AWaitEndsWithItsDeadline", kWait},
    {"ACancelledWaitEnds", kWait},
    {"OneOwnerHoldsALease", kHeld},
    {"LeasesOfOtherNamesAreApart", kLease},
    {"ALeaseEndsWithItsTime", kLease},
    {"ALeaseIsGivenBack", kGivenBack},
    {"RacingOwnersGetOneLease", kHeld},
    {"ALeaseIsNoChange", kRevision},
};
}  // namespace items

}  // namespace

std::span<const RuledCheck> item_store_rules() {
  return items::kEntries;
}

std::span<const RuledCheck> activity_store_rules() {
  return activity::kEntries;
}

std::span<const RuledCheck> key_store_rules() {
  return keys::kEntries;
}

}  // namespace kbase::plugin_check
