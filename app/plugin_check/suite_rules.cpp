// SPDX-License-Identifier: Apache-2.0
#include "app/plugin_check/suite_rules.hpp"

#include <kbase/plugin.h>

#include <span>

namespace kbase::plugin_check {
namespace {

/// The line of a header that several checks are about.
struct Line {
  std::string_view anchor;
  std::string_view about;
};
struct Entry {
  std::string_view check;
  Line line;
};

namespace cache {
constexpr Line kPort{"kbase.cache/1, values remembered for a while.", "kb_cache_v1"};
constexpr Line kValues{"value never is. Keys are 1 to 512 bytes", "kb_cache_v1"};
constexpr Line kGet{"/* Lends the value to the sink, once.", "kb_cache_v1.get"};
constexpr Line kPut{"/* Keeps a copy for at most `time_to_live_ms`", "kb_cache_v1.put"};
constexpr Line kPutReplaces{"never be taken. Replaces what the key had.", "kb_cache_v1.put"};
constexpr Line kErase{"/* No value of the key put before is lent after this.", "kb_cache_v1.erase"};

constexpr Entry kEntries[] = {
    {"ReturnsWhatWasPutOrMisses", kGet},
    {"AnOverwrittenValueIsGone", kPutReplaces},
    {"AnErasedValueIsGone", kErase},
    {"AValueEndsWithItsTime", kPut},
    {"KeysAndValuesAreBytes", kValues},
    {"AWallClockThatStepsBackRevivesNothing", kPut},
    {"AFullCacheForgetsButNeverErrs", kPutReplaces},
    {"ValuesOfEverySizeComeBackWhole", kValues},
    {"RacingThreadsSeeWholeValues", kPort},
};
}  // namespace cache

namespace code_host {
constexpr Line kIsUsername{"/* Not 0: the service could have a user of this name.", "kb_code_host_v1.is_username"};
constexpr Line kLookUp{"KB_NOT_FOUND: no such user.", "kb_code_host_v1.look_up"};
constexpr Line kHealth{"(*health)(kb_code_host* code_host", "kb_code_host_v1.health"};
constexpr Line kPort{"kbase.code_host/1, a code-hosting service.", "kb_code_host_v1"};

constexpr Entry kEntries[] = {
    {"TakesNamesThatUsersHave", kIsUsername},
    {"FindsNobodyWhereTheServiceDoesNot", kLookUp},
    {"TellsARefusedTokenFromAnUnknownUser", kLookUp},
    {"HandsOnTheRateLimitOfTheService", kLookUp},
    {"TakesNoFailureForAnAnswer", kLookUp},
    {"TakesNoStrangeStatusForAnAnswer", kLookUp},
    {"TakesNoNonsenseForAnAnswer", kLookUp},
    {"TakesNoHalfForAnAnswer", kLookUp},
    {"HandsOnWhyTheServiceWasNotReached", kLookUp},
    {"IsNotHealthyWithoutTheService", kHealth},
    {"ServesManyThreads", kPort},
};
}  // namespace code_host

namespace language_model {
constexpr Line kPort{"kbase.language_model/1, a service that completes a prompt.", "kb_language_model_v1"};
constexpr Line kStream{"uint32_t is_stream;       /* 1: pieces", "kb_completion_request.is_stream"};
constexpr Line kPiece{"/* A piece of the completion's text, whole UTF-8", "kb_text_sink"};
constexpr Line kStop{"reader. Not 0: stop, nobody reads on.", "kb_text_sink"};
constexpr Line kCompletion{"typedef struct kb_completion {", "kb_completion"};
constexpr Line kComplete{"/* Tells the text, then how it ended, once, on KB_OK.", "kb_language_model_v1.complete"};
constexpr Line kModel{"parameter \"model\": the service does not know", "kb_language_model_v1.complete"};
constexpr Line kRefusal{"the value. KB_BAD_UPSTREAM: it refused our key", "kb_language_model_v1.complete"};
constexpr Line kRateLimit{"its rate limit. A failure may come after some text.", "kb_language_model_v1.complete"};
constexpr Line kCall{"(*complete)(kb_language_model* model, kb_call* call", "kb_language_model_v1.complete"};
constexpr Line kHealth{"(*health)(kb_language_model* model", "kb_language_model_v1.health"};

constexpr Entry kEntries[] = {
    {"TellsTheWholeText", kComplete},
    {"TellsAStreamInPieces", kStream},
    {"PiecesAreWholeCharacters", kPiece},
    {"AnEmptyCompletionHasNoPieces", kPiece},
    {"TellsHowItEnded", kCompletion},
    {"AnUnknownModelIsTheCallersMistake", kModel},
    {"ARefusedKeyIsTheServicesFailure", kRefusal},
    {"ARateLimitSaysWhenToComeBack", kRateLimit},
    {"NonsenseIsABadUpstream", kRefusal},
    {"AStreamThatBreaksOffFails", kRateLimit},
    {"StopsWhenTheVisitorSaysSo", kStop},
    {"ADeadlineEndsTheWait", kCall},
    {"NobodyWaitsForACancelledCall", kCall},
    {"ServesSeveralAtATime", kPort},
    {"IsHealthyWhileItsServiceIs", kHealth},
};
}  // namespace language_model

namespace limits {
constexpr Line kWindows{"kbase.rate_limit_store/1, the ledger of requests.", "kb_rate_limit_store_v1"};
constexpr Line kMinute{"seconds (a request counts while now - t < 60,000 ms) and the UTC day.",
                       "kb_rate_limit_store_v1"};
constexpr Line kExact{"one more than a limit, whoever asks at the same time.", "kb_rate_limit_store_v1"};
constexpr Line kClock{"A clock that steps back keeps what is counted in the", "kb_rate_limit_store_v1"};
constexpr Line kCost{"uint32_t cost;       /* 0: only look, at the account", "kb_take.cost"};
constexpr Line kPlan{"uint32_t per_minute; /* limits of the subject's plan now; 0: no such limit.",
                     "kb_take.per_minute"};
constexpr Line kSubject{"uint8_t subject[16]; /* a hash", "kb_take.subject"};
constexpr Line kAllowed{"uint32_t allowed; /* 0: nothing was charged", "kb_taken.allowed"};
constexpr Line kMinuteReset{"int64_t minute_reset_ms;", "kb_taken.minute_reset_ms"};
constexpr Line kDayReset{"int64_t day_reset_ms;", "kb_taken.day_reset_ms"};
constexpr Line kBound{"A store may bound how many subjects it remembers.", "kb_rate_limit_store_v1"};
constexpr Line kAccount{"uint32_t account;", "kb_taken.account"};
constexpr Line kSettle{"* Makes of a charge that was an estimate what was `used`", "kb_rate_limit_store_v1.settle"};
constexpr Line kSettledDay{"answered. The count of the day that ends at", "kb_rate_limit_store_v1.settle"};
constexpr Line kUnsettled{"either where the take was denied, was a look,", "kb_rate_limit_store_v1.settle"};
constexpr Line kTake{"/* Answers takes[i] in taken[i], each atomic by itself", "kb_rate_limit_store_v1.take"};

constexpr Entry kEntries[] = {
    {"TheFirstTakeLeavesOneLess", kWindows},
    {"GrantsExactlyTheLimit", kExact},
    {"ADenialChangesNoWindow", kAllowed},
    {"AnExhaustedDayLeavesTheMinute", kAllowed},
    {"APlanMayChangeInMidWindow", kPlan},
    {"CostsCountAsManyRequests", kCost},
    {"PeekingChargesNothing", kCost},
    {"ALimitOf0IsNone", kPlan},
    {"SubjectsNeverCollide", kSubject},
    {"CountsManySubjectsApart", kSubject},
    {"ABatchIsAnsweredInOrder", kTake},
    {"RacingThreadsGetExactlyTheLimit", kExact},
    {"RacingThreadsGetExactlyTheLimitOverAnEdge", kExact},
    {"ARequestCountsFor60Seconds", kMinute},
    {"ABurstOverTheEdgeOfAMinuteIsOneBurst", kMinute},
    {"RequestsLeaveOneByOne", kMinuteReset},
    {"ABurstLeavesAsAWhole", kMinute},
    {"AnEmptyWindowIsResetInAMinuteOrAtMidnight", kMinuteReset},
    {"AFullStoreForgetsNobodyWhoHasNothingLeft", kBound},
    {"NewcomersToAFullStoreShareAnAccountByGroup", kAccount},
    {"AFullStoreHasRoomAgainWhenWindowsAreEmpty", kBound},
    {"ALookShowsWhatAChargeWouldFind", kCost},
    {"NobodyLosesAPlaceByALook", kCost},
    {"ASettlementLeavesWhatWasUsed", kSettle},
    {"MoreThanWasEstimatedIsChargedToo", kSettledDay},
    {"ASettlementIsOfTheDayItWasChargedTo", kSettledDay},
    {"AnEstimateThatIsNotSettledStands", kSettle},
    {"OnlyWhatWasChargedToTheDayIsSettled", kUnsettled},
    {"RacingEstimatesNeverUseMoreThanTheLimit", kExact},
    {"AResetDoesNotGoBack", kMinuteReset},
    {"ADayEndsAtUtcMidnight", kDayReset},
    {"ANewDayLeavesTheMinute", kDayReset},
    {"AClockThatStepsBackFreesNoMinute", kClock},
    {"AClockThatStepsForwardFreesTheMinute", kClock},
    {"AClockThatStepsBackOverMidnightKeepsTheNewDay", kClock},
    {"AClockThatStepsBackByHoursKeepsNoDayAhead", kClock},
};
}  // namespace limits

namespace activity {
constexpr Line kPort{"kbase.activity_store/1, the counted views by item and UTC day.", "kb_activity_store_v1"};
constexpr Line kAdd{"/* Adds all of `counts` or none, durably.", "kb_activity_store_v1.add"};
constexpr Line kSequence{"bits); a sequence not above the one remembered changes nothing", "kb_activity_store_v1.add"};
constexpr Line kSet{"/* Replaces every counted day of `item`", "kb_activity_store_v1.set"};
constexpr Line kTotals{"/* The total of each item whose views changed after revision", "kb_activity_store_v1.totals"};
constexpr Line kTop{"/* Items with views from day `first` to `last`", "kb_activity_store_v1.top"};
constexpr Line kDays{"/* Every count there is, by item id, then day. */", "kb_activity_store_v1.days"};
constexpr Line kSink{"typedef int32_t (*kb_view_count_sink)", "kb_view_count_sink"};

constexpr Entry kEntries[] = {
    {"StartsEmpty", kDays},       {"AddsUpByItemAndDay", kPort},         {"ASequenceCountsOnce", kSequence},
    {"AnAddIsSeenWhole", kAdd},   {"CountsOfManyThreadsAreExact", kAdd}, {"TopOrdersByViewsThenId", kTop},
    {"SetReplacesAllDays", kSet}, {"TotalsTellWhatChanged", kTotals},    {"TakesAnyId", kPort},
    {"SurvivesAReopen", kAdd},    {"StopsWhenTheVisitorSaysSo", kSink},
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
constexpr Line kSinks{"/* Sinks are the server's.", "kb_item_sink"};
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
constexpr Line kAbort{"/* Leaves the store as it was and ends the writer. */", "kb_item_store_v1.abort"};

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
};
}  // namespace items

namespace search {
constexpr Line kMatching{"Matching: an item matches when it has every WORD", "kb_search_index_v1.search"};
constexpr Line kFields{"in its title, tags or content; where fewer than `fallback_below` items",
                       "kb_search_index_v1.search"};
constexpr Line kAnyWord{"filter, any one of them is enough.", "kb_search_index_v1.search"};
constexpr Line kNoWords{"none but NOTs is left, nothing matches.", "kb_search_index_v1.search"};
constexpr Line kSnapshot{"index alone, and a batch shows whole or not at all.", "kb_search_index_v1"};
constexpr Line kStem{"#define KB_SEARCH_INDEX_CAN_STEM", "KB_SEARCH_INDEX_CAN_STEM"};
constexpr Line kSegment{"#define KB_SEARCH_INDEX_CAN_SEGMENT", "KB_SEARCH_INDEX_CAN_SEGMENT"};
constexpr Line kCorrect{"#define KB_SEARCH_INDEX_CAN_CORRECT", "KB_SEARCH_INDEX_CAN_CORRECT"};
constexpr Line kCorrection{"/* Told of each word that the index lacks and the one", "kb_correction_sink"};
constexpr Line kPersist{"#define KB_SEARCH_INDEX_CAN_PERSIST", "KB_SEARCH_INDEX_CAN_PERSIST"};
constexpr Line kAnyOf{"#define KB_QUERY_ANY_OF", "KB_QUERY_ANY_OF"};
constexpr Line kNot{"#define KB_QUERY_NOT", "KB_QUERY_NOT"};
constexpr Line kWord{"#define KB_QUERY_WORD", "KB_QUERY_WORD"};
constexpr Line kPrefix{"#define KB_QUERY_PREFIX", "KB_QUERY_PREFIX"};
constexpr Line kPhrase{"#define KB_QUERY_PHRASE", "KB_QUERY_PHRASE"};
constexpr Line kTexts{"/* At most 512 nodes, three levels deep.", "kb_query_node"};
constexpr Line kRelevanceSort{"#define KB_SORT_RELEVANCE", "KB_SORT_RELEVANCE"};
constexpr Line kPopularity{"#define KB_SORT_POPULARITY", "KB_SORT_POPULARITY"};
constexpr Line kEverything{"const kb_query_node* query; /* NULL: every item matches", "kb_search_request.query"};
constexpr Line kLimit{"uint64_t limit; /* 0: only the total */", "kb_search_request.limit"};
constexpr Line kRelevance{"double relevance; /* score divided by the best score", "kb_hit.relevance"};
constexpr Line kExcerpt{"kb_view excerpt; /* plain text around the best match", "kb_hit.excerpt"};
constexpr Line kRule{"uint32_t any_word;", "kb_search_answer.any_word"};
constexpr Line kState{"typedef struct kb_index_state {", "kb_search_index_v1.state"};
constexpr Line kSearch{"/* Hits in the order of `sort`, from `offset` on.", "kb_search_index_v1.search"};
constexpr Line kRebuild{"#define KB_BUILD_REBUILD", "KB_BUILD_REBUILD"};
constexpr Line kViews{"/* Replaces the counted totals of the named items", "kb_search_index_v1.set_views"};
constexpr Line kBatch{"/* --- a batch: one thread at a time, unseen before commit", "kb_search_index_v1.put"};

constexpr Entry kEntries[] = {
    {"FindsWordsInTitleTagsAndContent", kFields},
    {"IgnoresCaseAndAccents", kMatching},
    {"KeepsPhrasesWithinOneFieldAndOneTag", kPhrase},
    {"ExcludesWordsAndPhrases", kNot},
    {"TakesEitherSideOfAnOr", kAnyOf},
    {"FindsPrefixes", kPrefix},
    {"LeavesOutNodesWithoutWords", kNoWords},
    {"SplitsTheWordsOfQueriesAsThoseOfItems", kWord},
    {"TakesHostileTextForText", kTexts},
    {"ComparesInflectedFormsAndPrefersTheExactOne", kStem},
    {"CutsLanguagesWithoutSpaces", kSegment},
    {"TakesTheNearestWordForOneThatNoItemHas", kCorrect},
    {"LeavesOtherWordsAsTheyAre", kCorrect},
    {"PrefersFewerMistakesThenMoreItems", kCorrect},
    {"CountsACorrectedWordAsItsReplacement", kCorrection},
    {"TakesAnyWordWhereNineItemsHaveAll", kAnyWord},
    {"WantsAllWordsWhereTenItemsHaveThem", kAnyWord},
    {"WantsAllWordsWhereElevenItemsHaveThem", kAnyWord},
    {"TakesTheOverridesOfTheRule", kAnyWord},
    {"NamesAllWordsWhereBothRulesMatchTheSame", kRule},
    {"CountsWordsJoinedByOrAsOne", kAnyOf},
    {"DecidesTheRuleBeforeTheCategoryFilter", kAnyWord},
    {"DecidesTheRuleWhateverTheSort", kAnyWord},
    {"GivesRelevanceAsAFractionOfTheBest", kRelevance},
    {"WeighsTitleBeforeTagsBeforeContent", kFields},
    {"BreaksTiesByDateThenId", kRelevanceSort},
    {"MatchesEverythingWithoutAQuery", kEverything},
    {"AddsCountedViewsToImportedOnes", kPopularity},
    {"JoinsPagesWithoutOverlapOrHole", kSearch},
    {"KeepsToLimitOffsetAndStop", kLimit},
    {"MakesExcerptsAroundTheMatch", kExcerpt},
    {"AnswersNothingBeforeItsFirstState", kSearch},
    {"TellsItsState", kState},
    {"ReplacesAndRemovesItems", kBatch},
    {"KeepsTheLastOfSeveralStatesInABatch", kBatch},
    {"HidesABatchUntilItsCommit", kBatch},
    {"AnswersFromTheOldStateWhileItRebuilds", kRebuild},
    {"ShowsBatchesWholeToReaders", kSnapshot},
    {"RemembersItsState", kPersist},
    {"KeepsCountedViewsOverBatches", kViews},
};
}  // namespace search

struct PortRules {
  std::string_view port;
  std::string_view header;
  std::span<const Entry> entries;
};
constexpr PortRules kPorts[] = {
    {KB_PORT_ITEM_STORE, "kbase/item_store.h", items::kEntries},
    {KB_PORT_ACTIVITY_STORE, "kbase/activity_store.h", activity::kEntries},
    {KB_PORT_KEY_STORE, "kbase/key_store.h", keys::kEntries},
    {KB_PORT_SEARCH_INDEX, "kbase/search_index.h", search::kEntries},
    {KB_PORT_RATE_LIMIT_STORE, "kbase/rate_limit_store.h", limits::kEntries},
    {KB_PORT_CACHE, "kbase/cache.h", cache::kEntries},
    {KB_PORT_CODE_HOST, "kbase/code_host.h", code_host::kEntries},
    {KB_PORT_LANGUAGE_MODEL, "kbase/language_model.h", language_model::kEntries},
};

}  // namespace

Rule rule_of(std::string_view port_id, std::string_view check) {
  for (const PortRules& port : kPorts) {
    if (port.port != port_id) continue;
    for (const Entry& entry : port.entries)
      if (entry.check == check) return {port.header, entry.line.anchor, entry.line.about};
    return {port.header, "#ifndef KBASE_", "the port"};
  }
  return {};
}

}  // namespace kbase::plugin_check
