// SPDX-License-Identifier: Apache-2.0
#include "app/plugin_check/suite_rules.hpp"

#include <kbase/plugin.h>

#include "app/plugin_check/store_rules.hpp"

namespace kbase::plugin_check {
namespace {

using Line = RuledLine;
using Entry = RuledCheck;

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
constexpr Line kCost{"uint64_t cost;       /* 0: only look, at the account", "kb_take.cost"};
constexpr Line kPlan{"uint64_t per_minute; /* limits of the subject's plan now; 0: no such limit.",
                     "kb_take.per_minute"};
constexpr Line kSubject{"uint8_t subject[16]; /* a hash", "kb_take.subject"};
constexpr Line kAllowed{"uint32_t allowed; /* 0: nothing was charged", "kb_taken.allowed"};
constexpr Line kMinuteReset{"int64_t minute_reset_ms;", "kb_taken.minute_reset_ms"};
constexpr Line kDayReset{"int64_t day_reset_ms;", "kb_taken.day_reset_ms"};
constexpr Line kBound{"A store may bound how many subjects it remembers.", "kb_rate_limit_store_v1"};
constexpr Line kAccount{"uint32_t account;", "kb_taken.account"};
constexpr Line kSettle{"/* Makes of a charge that was an estimate what was `used`", "kb_rate_limit_store_v1.settle"};
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
constexpr Line kTag{"const kb_view* tag;", "kb_search_request.tag"};
constexpr Line kDays{"const int32_t* updated_from;", "kb_search_request.updated_from"};
constexpr Line kFilter{"#define KB_SEARCH_INDEX_CAN_FILTER", "KB_SEARCH_INDEX_CAN_FILTER"};
constexpr Line kFacets{"/* Told of each value of a facet that was asked for", "kb_facet_sink"};
constexpr Line kMarks{"/* Where KB_WANTS_MARKS was asked:", "kb_hit.excerpt_marks"};
constexpr Line kComplete{"/* Words that begin with `beginning`", "kb_search_index_v1.complete"};
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
      if (entry.check == check) return {port.header, entry.line.anchor, entry.line.about};
    return {port.header, "#ifndef KBASE_", "the port"};
  }
  return {};
}

}  // namespace kbase::plugin_check
