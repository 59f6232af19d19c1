// SPDX-License-Identifier: Apache-2.0
#include "app/plugin_check/store_rules.hpp"

namespace kbase::plugin_check {
namespace {

using Entry = RuledCheck;

namespace activity {
constexpr Rule kPort{"kb_activity_store_v1"};
constexpr Rule kAdd{"kb_activity_store_v1.add"};
constexpr Rule kSequence{"kb_activity_store_v1.add"};
constexpr Rule kSet{"kb_activity_store_v1.set"};
constexpr Rule kTotals{"kb_activity_store_v1.totals"};
constexpr Rule kTop{"kb_activity_store_v1.top"};
constexpr Rule kDays{"kb_activity_store_v1.days"};
constexpr Rule kSnapshot{"kb_activity_store_v1.snapshot"};
constexpr Rule kSink{"kb_view_count_sink"};

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
constexpr Rule kPort{"kb_key_store_v1"};
constexpr Rule kJudges{"kb_key_store_v1"};
constexpr Rule kKey{"kb_key"};
constexpr Rule kRevision{"kb_key_store_v1.revision"};
constexpr Rule kFind{"kb_key_store_v1.find"};
constexpr Rule kList{"kb_key_store_v1.list"};
constexpr Rule kCreate{"kb_key_store_v1.create_key"};
constexpr Rule kUpdate{"kb_key_store_v1.update_key"};
constexpr Rule kAddUsage{"kb_key_store_v1.add_usage"};
constexpr Rule kUsage{"kb_key_store_v1.usage"};
constexpr Rule kLastUsed{"kb_key_store_v1.last_used"};
constexpr Rule kForgetUsage{"kb_key_store_v1.forget_usage"};

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
constexpr Rule kOrders{"kb_item_store_v1"};
constexpr Rule kSlices{"kb_item_store_v1"};
constexpr Rule kSnapshots{"kb_item_store_v1"};
constexpr Rule kTexts{"kb_item"};
constexpr Rule kItem{"kb_item"};
constexpr Rule kCategory{"kb_category"};
constexpr Rule kCount{"kb_category.item_count"};
constexpr Rule kSinks{"kb_item_sink"};
constexpr Rule kLineage{"kb_item_store_v1.lineage"};
constexpr Rule kRevision{"kb_item_store_v1.revision"};
constexpr Rule kGet{"kb_item_store_v1.get"};
constexpr Rule kSummaries{"kb_item_store_v1.summaries"};
constexpr Rule kRecent{"kb_item_store_v1.recent"};
constexpr Rule kCategories{"kb_item_store_v1.categories"};
constexpr Rule kTotals{"kb_item_store_v1.totals"};
constexpr Rule kViews{"kb_item_store_v1.category_views"};
constexpr Rule kChanges{"kb_item_store_v1.changes"};
constexpr Rule kTombstones{"kb_item_store_v1.changes"};
constexpr Rule kBegin{"kb_item_store_v1.begin"};
constexpr Rule kRead{"kb_item_store_v1.read"};
constexpr Rule kPut{"kb_item_store_v1.put"};
constexpr Rule kRemove{"kb_item_store_v1.remove"};
constexpr Rule kRemoveCategory{"kb_item_store_v1.remove_category"};
constexpr Rule kCommit{"kb_item_store_v1.commit"};
constexpr Rule kAbort{"kb_item_store_v1.abort"};
constexpr Rule kWait{"kb_item_store_v1.wait"};
constexpr Rule kLease{"kb_item_store_v1.try_lease"};
constexpr Rule kHeld{"kb_lease.is_held"};
constexpr Rule kGivenBack{"kb_item_store_v1.try_lease"};

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
