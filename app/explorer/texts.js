// SPDX-License-Identifier: Apache-2.0
// Every word that the page says. To translate it, translate this file.

import { number } from "./format.js";

/** @param {number} count @param {string} one @param {string} many */
const plural = (count, one, many) => `${number(count)} ${count === 1 ? one : many}`;

export const T = {
  // The frame
  search: "Search",
  search_label: "Search the knowledge base",
  placeholder: "Words, “phrases”, -exclusions",
  hint_typing: "Results appear as you type.",
  hint_enter: "Press Enter to search.",
  hint_enter_plan: (limit) =>
    `Press Enter to search: your plan has ${plural(limit, "request", "requests")} a minute.`,
  hint_enter_low: "Few requests are left for now. Press Enter to search.",
  hint_short: "Type at least two characters.",
  hint_long: "At most 512 characters can be searched for.",
  clear: "Clear the search",
  categories: "Categories",
  popular: "Popular",
  recent: "Recent",
  stats: "Statistics",
  theme: { auto: "Colours: as the device", light: "Colours: light", dark: "Colours: dark" },
  quota_button: "Key and quota",
  requests_button: "Requests of this page",
  help_button: "Keys of the keyboard",
  close: "Close",
  suggestions: "Suggestions",
  suggestion_title: "article",
  suggestions_found: (count) => `${plural(count, "suggestion", "suggestions")}. Use the arrow keys.`,
  opened: (title) => `${title}. Opened.`,

  // Search
  results_for: (q) => `Results for ${q}`,
  range: (from, to, total) =>
    `${number(from)} to ${number(to)} of ${number(total)}`,
  found: (total) => (total === 0 ? "No results" : plural(total, "result", "results")),
  nothing: "Nothing has these words.",
  nothing_tips: ["Try fewer or more general words.", "Check how the words are written.",
                 "A star finds every word that begins so: config*"],
  nothing_filtered: "Nothing has these words and passes the filters.",
  past_the_end: "There are no results this far on.",
  first_page: "To the first results",
  match_all: "with all words",
  match_any: "with any of the words",
  corrected: "Showing results for ",
  corrected_why: (words) => ` (the knowledge base has no ${words})`,
  did_you_mean: "Did you mean ",
  sort: "Sort",
  sorts: { relevance: "Relevance", date: "Date", popularity: "Popularity" },
  match: "Words",
  matches: { auto: "Best", all: "All", any: "Any" },
  filters: "Filters",
  filters_used: (count) => `Filters (${count})`,
  filter_category: "Category",
  filter_tag: "Tag",
  filter_date: "Updated",
  date_from: "From",
  date_to: "To",
  date_apply: "Apply",
  date_wrong: "The first day comes after the last.",
  remove_filter: (what) => `Remove filter: ${what}`,
  clear_filters: "Remove all filters",
  from_to: (from, to) =>
    (from && to ? `${from} to ${to}` : from ? `since ${from}` : `until ${to}`),
  previous: "Previous",
  next: "Next",
  pages: "Pages",
  page: (page, pages) => `Page ${number(page)} of ${number(pages)}`,
  window_end: "Only the first 100,000 results can be paged through. Narrow the search to see others.",

  // Articles
  by: (author) => `By ${author}`,
  updated: "Updated",
  created: "Created",
  views: (count) => plural(count, "view", "views"),
  period_views: (count) => `${plural(count, "view", "views")} in this time`,
  tags: "Tags",
  related: "Related",
  contents: "On this page",
  details: "About this article",
  source: "Show as written",
  rendered: "Show formatted",
  print: "Print",
  empty_article: "This article has no text.",
  code_scrolls: "Code, scrolls sideways",
  table_scrolls: "Table, scrolls sideways",
  image: "Image",
  task_done: "Done",
  task_open: "Not done",

  // Lists
  home_title: "Browse by category",
  home_empty: "Search, or look at what is popular and recent.",
  items: (count) => plural(count, "article", "articles"),
  items_in_all: (count) => `${number(count)} with its parts`,
  no_categories: "There are no categories yet.",
  no_items: "There are no articles here yet.",
  more_categories: "Show more categories",
  subcategories: "Parts",
  popular_title: "Most read",
  recent_title: "New and changed",
  period: "Time",
  periods: { day: "Today", week: "7 days", month: "30 days", all: "Always" },

  // Statistics
  stats_items: "articles",
  stats_categories: "categories",
  stats_views: "views",
  stats_new: "new in 7 days",
  activity: "Views on each of the last 30 days",
  activity_said: (total, top_day, top) =>
    `${plural(total, "view", "views")} in 30 days; most on ${top_day}: ${number(top)}.`,
  activity_none: "No views in the last 30 days.",
  activity_table: "Show the figures",
  day: "Day",
  views_column: "Views",
  most_read_categories: "Most read categories",

  // Health
  health: { healthy: "The service is well", degraded: "Something optional is down",
            unhealthy: "The service is down", unknown: "No word from the service" },
  version: (version) => `kbase ${version}`,
  api_page: "API reference",

  // Key and quota
  key_title: "Your key",
  key_text: "Search works without a key. A key gives you more requests. It stays in this browser and is sent to this " +
            "server only.",
  key_label: "API key",
  key_show: "Show what I type",
  key_remember: "Remember on this device",
  key_use: "Use this key",
  key_forget: "Forget it",
  key_kept_session: "A key is in use until this tab is closed.",
  key_kept_device: "A key is in use and remembered on this device.",
  key_forgotten: "The key is forgotten.",
  key_taken: "The key is in use from now on.",
  key_not_whole: "This is not a whole key. A key begins with kb_ and has 41 characters; one of them may be mistyped or " +
                 "missing.",
  quota_title: "Your quota",
  quota_unknown: "Not known yet: the next answer will tell.",
  quota_none: "Your plan has no limit.",
  quota_left: "left",
  quota_short: (left) => `${number(left)} left`,
  quota_unlimited: "No limit",
  quota_line: (left, limit, window) =>
    `${number(left)} of ${number(limit)} ${window}`,
  quota_back: (when) => `some come back in ${when}`,
  quota_anew: (when) => `all come back in ${when}`,
  window_name: (name) =>
    ({ minute: "this minute", day: "today" })[name] ?? `in the window “${name}”`,

  // Requests
  requests_text: "What this page asked the API, newest first. Each line can be asked again from a terminal; a key is " +
                 "written as $KBASE_KEY.",
  requests_none: "No requests yet.",
  requests_copy: "Copy as curl",
  requests_copied: "Copied.",
  requests_select: "Selected: copy it with Ctrl+C.",
  requests_failed: "no answer",
  requests_free: "free",

  // Keyboard
  help_title: "Keyboard",
  help: [["/", "to the search field"], ["j  k", "to the next, the previous result"],
         ["↓  ↑", "the same, from the field or a result"], ["Enter", "open it"], ["Esc", "close, or go back"],
         ["?", "this list"]],
  help_keys: "Use single keys ( / j k ? )",

  // What went wrong
  errors: {
    offline: { title: "You are offline", text: "This will be tried again when the connection is back." },
    unreachable: { title: "The server does not answer", text: "It may be restarting, or the connection is broken." },
    slow: { title: "The server takes too long", text: "No answer came within 20 seconds." },
    nonsense: { title: "The answer could not be read", text: "Something between you and the server changed it." },
    bad: { title: "This cannot be asked", text: "The server does not understand the request." },
    key: { title: "A key is needed", text: "There is none, or the one in use is not valid any more." },
    scope: { title: "Your key does not allow this", text: "Ask the operator for a key with this scope." },
    missing: { title: "There is no such page", text: "It may have been removed, or the link is wrong." },
    long: { title: "This is too long", text: "Shorten the search or the filters." },
    minute: { title: "Wait a moment", text: "The requests of your plan for this minute are used up." },
    day: { title: "Enough for today", text: "The requests of your plan for this day (UTC) are used up." },
    not_ready: { title: "The server is not ready", text: "It is starting, busy or being looked after." },
    internal: { title: "The server made a mistake", text: "It is not your fault. The operator can look it up." },
  },
  request_id: "Request",
  to_home: "To the first page",
  retry: "Try again",
  retry_at: (time) => `It works again at ${time}`,
  retry_in: (wait) => `in ${wait}`,
  retry_then: "Do it for me then",
  retry_waiting: "Will be done then. Stop",
  retry_now: "It can be tried again now.",
  enter_key: "Enter a key",
};
