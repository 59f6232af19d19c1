// SPDX-License-Identifier: Apache-2.0
#include "app/plugin_check/suite_rules.hpp"

#include <kbase/plugin.h>

#include "app/plugin_check/store_rules.hpp"

namespace kbase::plugin_check {
namespace {

using Entry = RuledCheck;

namespace cache {
constexpr Rule kPort{"kb_cache_v1"};
constexpr Rule kValues{"kb_cache_v1"};
constexpr Rule kGet{"kb_cache_v1.get"};
constexpr Rule kPut{"kb_cache_v1.put"};
constexpr Rule kPutReplaces{"kb_cache_v1.put"};
constexpr Rule kErase{"kb_cache_v1.erase"};

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
constexpr Rule kIsUsername{"kb_code_host_v1.is_username"};
constexpr Rule kLookUp{"kb_code_host_v1.look_up"};
constexpr Rule kHealth{"kb_code_host_v1.health"};
constexpr Rule kPort{"kb_code_host_v1"};

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
constexpr Rule kPort{"kb_language_model_v1"};
constexpr Rule kStream{"kb_completion_request.is_stream"};
constexpr Rule kPiece{"kb_text_sink"};
constexpr Rule kStop{"kb_text_sink"};
constexpr Rule kCompletion{"kb_completion"};
constexpr Rule kComplete{"kb_language_model_v1.complete"};
constexpr Rule kModel{"kb_language_model_v1.complete"};
constexpr Rule kRefusal{"kb_language_model_v1.complete"};
constexpr Rule kRateLimit{"kb_language_model_v1.complete"};
constexpr Rule kCall{"kb_language_model_v1.complete"};
constexpr Rule kHealth{"kb_language_model_v1.health"};

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
constexpr Rule kWindows{"kb_rate_limit_store_v1"};
constexpr Rule kMinute{"kb_rate_limit_store_v1"};
constexpr Rule kExact{"kb_rate_limit_store_v1"};
constexpr Rule kClock{"kb_rate_limit_store_v1"};
constexpr Rule kCost{"kb_take.cost"};
constexpr Rule kPlan{"kb_take.per_minute"};
constexpr Rule kSubject{"kb_take.subject"};
constexpr Rule kAllowed{"kb_taken.allowed"};
constexpr Rule kMinuteReset{"kb_taken.minute_reset_ms"};
constexpr Rule kDayReset{"kb_taken.day_reset_ms"};
constexpr Rule kBound{"kb_rate_limit_store_v1"};
constexpr Rule kAccount{"kb_taken.account"};
constexpr Rule kSettle{"kb_rate_limit_store_v1.settle"};
constexpr Rule kSettledDay{"kb_rate_limit_store_v1.settle"};
constexpr Rule kUnsettled{"kb_rate_limit_store_v1.settle"};
constexpr Rule kTake{"kb_rate_limit_store_v1.take"};

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

namespace search {
constexpr Rule kMatching{"kb_search_index_v1.search"};
constexpr Rule kFields{"kb_search_index_v1.search"};
constexpr Rule kAnyWord{"kb_search_index_v1.search"};
constexpr Rule kNoWords{"kb_search_index_v1.search"};
constexpr Rule kSnapshot{"kb_search_index_v1"};
constexpr Rule kStem{"KB_SEARCH_INDEX_CAN_STEM"};
constexpr Rule kSegment{"KB_SEARCH_INDEX_CAN_SEGMENT"};
constexpr Rule kCorrect{"KB_SEARCH_INDEX_CAN_CORRECT"};
constexpr Rule kCorrection{"kb_correction_sink"};
constexpr Rule kPersist{"KB_SEARCH_INDEX_CAN_PERSIST"};
constexpr Rule kAnyOf{"KB_QUERY_ANY_OF"};
constexpr Rule kNot{"KB_QUERY_NOT"};
constexpr Rule kWord{"KB_QUERY_WORD"};
constexpr Rule kPrefix{"KB_QUERY_PREFIX"};
constexpr Rule kPhrase{"KB_QUERY_PHRASE"};
constexpr Rule kTexts{"kb_query_node"};
constexpr Rule kRelevanceSort{"KB_SORT_RELEVANCE"};
constexpr Rule kPopularity{"KB_SORT_POPULARITY"};
constexpr Rule kEverything{"kb_search_request.query"};
constexpr Rule kLimit{"kb_search_request.limit"};
constexpr Rule kRelevance{"kb_hit.relevance"};
constexpr Rule kExcerpt{"kb_hit.excerpt"};
constexpr Rule kRule{"kb_search_answer.any_word"};
constexpr Rule kState{"kb_search_index_v1.state"};
constexpr Rule kSearch{"kb_search_index_v1.search"};
constexpr Rule kRebuild{"KB_BUILD_REBUILD"};
constexpr Rule kViews{"kb_search_index_v1.set_views"};
constexpr Rule kTag{"kb_search_request.tag"};
constexpr Rule kDays{"kb_search_request.updated_from"};
constexpr Rule kFilter{"KB_SEARCH_INDEX_CAN_FILTER"};
constexpr Rule kFacets{"kb_facet_sink"};
constexpr Rule kMarks{"kb_hit.excerpt_marks"};
constexpr Rule kComplete{"kb_search_index_v1.complete"};
constexpr Rule kBatch{"kb_search_index_v1.put"};

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
    {"FiltersByTag", kTag},
    {"FiltersByDay", kDays},
    {"PagesWhatTheFilterLeft", kFilter},
    {"CountsFacets", kFacets},
    {"CountsFacetsByTheRuleThatHolds", kFacets},
    {"CountsOnlyTheMostFrequentValues", kFacets},
    {"MarksWhatMatched", kMarks},
    {"CompletesWords", kComplete},
    {"CompletesWordsThatWereWritten", kComplete},
    {"CompletesNoWordsOfRemovedItems", kComplete},
    {"StopsToCompleteWhenTold", kComplete},
};
}  // namespace search

struct PortRules {
  std::string_view port;
  std::string_view header;
  std::span<const Entry> entries;
};
const PortRules kPorts[] = {
    {KB_PORT_ITEM_STORE, "kbase/item_store.h", item_store_rules()},
    {KB_PORT_ACTIVITY_STORE, "kbase/activity_store.h", activity_store_rules()},
    {KB_PORT_KEY_STORE, "kbase/key_store.h", key_store_rules()},
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
      if (entry.check == check) return entry.rule;
    return {port.header};
  }
  return {};
}

}  // namespace kbase::plugin_check
