// SPDX-License-Identifier: Apache-2.0
/* Prints the layout of every struct of <kbase/plugin.h> and the value of every constant, one per line. layout.txt
 * has the output on x86-64. */
#include <inttypes.h>
#include <kbase/plugin.h>
#include <stddef.h>
#include <stdio.h>

typedef struct member {
  const char* name;
  size_t offset;
  size_t size;
} member;

static void print_struct(const char* name, size_t size, const member* members, size_t count) {
  size_t i;
  printf("%s size %zu\n", name, size);
  for (i = 0; i < count; ++i)
    printf("%s.%s offset %zu size %zu\n", name, members[i].name, members[i].offset, members[i].size);
}

/* STRUCT(kb_view, MEMBER(data), MEMBER(size)); */
#define STRUCT(type, ...)                                                            \
  do {                                                                               \
    typedef type printed;                                                            \
    const member members[] = {__VA_ARGS__};                                          \
    print_struct(#type, sizeof(printed), members, sizeof members / sizeof *members); \
  } while (0)
#define MEMBER(name) \
  { #name, offsetof(printed, name), sizeof(((printed*)0)->name) }

#define NUMBER(constant) printf("%s %" PRId64 "\n", #constant, (int64_t)(constant))
#define TEXT(constant) printf("%s \"%s\"\n", #constant, constant)

static void print_base(void) {
  STRUCT(kb_view, MEMBER(data), MEMBER(size));
  STRUCT(kb_explanation, MEMBER(struct_size), MEMBER(retry_after_ms), MEMBER(message), MEMBER(detail),
         MEMBER(parameter));
  STRUCT(kb_call, MEMBER(struct_size), MEMBER(reserved), MEMBER(deadline_ns), MEMBER(trace_id), MEMBER(host),
         MEMBER(host_data));
  STRUCT(kb_host, MEMBER(struct_size), MEMBER(abi_minor), MEMBER(name), MEMBER(version), MEMBER(host_data), MEMBER(log),
         MEMBER(explain), MEMBER(cancelled), MEMBER(monotonic_ns), MEMBER(wall_ms), MEMBER(metric), MEMBER(metric_add),
         MEMBER(get_extension));
  STRUCT(kb_plugin, MEMBER(struct_size), MEMBER(abi_major), MEMBER(abi_minor), MEMBER(id), MEMBER(version),
         MEMBER(vendor), MEMBER(license), MEMBER(get_port));
  STRUCT(kb_elf_note, MEMBER(name_size), MEMBER(descriptor_size), MEMBER(type), MEMBER(name), MEMBER(descriptor));
  NUMBER(KB_OK);
  NUMBER(KB_NOT_FOUND);
  NUMBER(KB_STOPPED);
  NUMBER(KB_INVALID_ARGUMENT);
  NUMBER(KB_CONFLICT);
  NUMBER(KB_UNAVAILABLE);
  NUMBER(KB_NO_MEMORY);
  NUMBER(KB_DEADLINE);
  NUMBER(KB_BAD_UPSTREAM);
  NUMBER(KB_CANCELLED);
  NUMBER(KB_UNSUPPORTED);
  NUMBER(KB_GONE);
  NUMBER(KB_CORRUPT);
  NUMBER(KB_INTERNAL);
  NUMBER(KB_LOG_DEBUG);
  NUMBER(KB_LOG_INFO);
  NUMBER(KB_LOG_WARNING);
  NUMBER(KB_LOG_ERROR);
  NUMBER(KB_METRIC_COUNTER);
  NUMBER(KB_METRIC_GAUGE);
  NUMBER(KB_TABLE_SERIAL);
  NUMBER(KB_NOTE_TYPE);
}

static void print_activity_store(void) {
  STRUCT(kb_view_count, MEMBER(item), MEMBER(views), MEMBER(day), MEMBER(reserved));
  STRUCT(kb_journal_mark, MEMBER(struct_size), MEMBER(reserved), MEMBER(journal), MEMBER(sequence));
  STRUCT(kb_activity_store_v1, MEMBER(struct_size), MEMBER(inline_calls), MEMBER(flags), MEMBER(capabilities),
         MEMBER(config_schema), MEMBER(create), MEMBER(destroy), MEMBER(health), MEMBER(add), MEMBER(set),
         MEMBER(revision), MEMBER(totals), MEMBER(top), MEMBER(daily), MEMBER(days), MEMBER(snapshot));
  TEXT(KB_PORT_ACTIVITY_STORE);
  NUMBER(KB_ACTIVITY_STORE_CAN_PERSIST);
}

static void print_cache(void) {
  STRUCT(kb_cache_v1, MEMBER(struct_size), MEMBER(inline_calls), MEMBER(flags), MEMBER(capabilities),
         MEMBER(config_schema), MEMBER(create), MEMBER(destroy), MEMBER(health), MEMBER(get), MEMBER(put),
         MEMBER(erase));
  TEXT(KB_PORT_CACHE);
  NUMBER(KB_CACHE_INLINE_CALLS);
}

static void print_code_host(void) {
  STRUCT(kb_profile, MEMBER(struct_size), MEMBER(reserved), MEMBER(username), MEMBER(name), MEMBER(bio),
         MEMBER(company), MEMBER(location), MEMBER(website), MEMBER(avatar_url), MEMBER(profile_url), MEMBER(created),
         MEMBER(followers), MEMBER(following), MEMBER(public_repositories));
  STRUCT(kb_repository, MEMBER(struct_size), MEMBER(is_fork), MEMBER(is_archived), MEMBER(reserved), MEMBER(name),
         MEMBER(full_name), MEMBER(description), MEMBER(url), MEMBER(language), MEMBER(created), MEMBER(updated),
         MEMBER(topics), MEMBER(topic_count), MEMBER(stars), MEMBER(forks));
  STRUCT(kb_contributions, MEMBER(struct_size), MEMBER(first_day), MEMBER(last_day), MEMBER(reserved), MEMBER(source));
  STRUCT(kb_code_host_sink, MEMBER(struct_size), MEMBER(reserved), MEMBER(data), MEMBER(profile), MEMBER(repository),
         MEMBER(contributions), MEMBER(contribution_day), MEMBER(language), MEMBER(validator));
  STRUCT(kb_code_host_v1, MEMBER(struct_size), MEMBER(inline_calls), MEMBER(flags), MEMBER(capabilities),
         MEMBER(config_schema), MEMBER(create), MEMBER(destroy), MEMBER(health), MEMBER(is_username), MEMBER(look_up));
  TEXT(KB_PORT_CODE_HOST);
  NUMBER(KB_UNKNOWN_NUMBER);
}

static void print_http_client(void) {
  STRUCT(kb_http_field, MEMBER(name), MEMBER(value));
  STRUCT(kb_http_request, MEMBER(struct_size), MEMBER(max_redirects), MEMBER(method), MEMBER(url), MEMBER(fields),
         MEMBER(field_count), MEMBER(body), MEMBER(max_body_bytes), MEMBER(deadline_ns), MEMBER(max_attempts),
         MEMBER(reserved));
  STRUCT(kb_http_head, MEMBER(struct_size), MEMBER(status), MEMBER(fields), MEMBER(field_count), MEMBER(attempts),
         MEMBER(reserved));
  STRUCT(kb_http_client_v1, MEMBER(struct_size), MEMBER(reserved), MEMBER(open), MEMBER(head), MEMBER(read),
         MEMBER(close), MEMBER(failure));
  TEXT(KB_EXTENSION_HTTP_CLIENT);
}

static void print_item_store(void) {
  STRUCT(kb_item, MEMBER(struct_size), MEMBER(reserved), MEMBER(id), MEMBER(title), MEMBER(category), MEMBER(lead),
         MEMBER(tags), MEMBER(tag_count), MEMBER(author), MEMBER(created_day), MEMBER(updated_day), MEMBER(views),
         MEMBER(further), MEMBER(revision), MEMBER(content), MEMBER(related), MEMBER(related_count));
  STRUCT(kb_category, MEMBER(struct_size), MEMBER(reserved), MEMBER(id), MEMBER(name), MEMBER(description),
         MEMBER(icon), MEMBER(subcategories), MEMBER(subcategory_count), MEMBER(item_count), MEMBER(revision));
  STRUCT(kb_change, MEMBER(struct_size), MEMBER(kind), MEMBER(id), MEMBER(revision), MEMBER(item), MEMBER(category));
  STRUCT(kb_store_totals, MEMBER(struct_size), MEMBER(reserved), MEMBER(items), MEMBER(categories), MEMBER(views),
         MEMBER(recent_additions));
  STRUCT(kb_lease, MEMBER(struct_size), MEMBER(is_held));
  STRUCT(kb_item_store_v1, MEMBER(struct_size), MEMBER(inline_calls), MEMBER(flags), MEMBER(capabilities),
         MEMBER(config_schema), MEMBER(create), MEMBER(destroy), MEMBER(health), MEMBER(lineage), MEMBER(revision),
         MEMBER(wait), MEMBER(get), MEMBER(summaries), MEMBER(recent), MEMBER(category), MEMBER(categories),
         MEMBER(totals), MEMBER(category_views), MEMBER(changes), MEMBER(begin), MEMBER(read), MEMBER(read_category),
         MEMBER(put), MEMBER(put_category), MEMBER(remove), MEMBER(remove_category), MEMBER(commit), MEMBER(abort),
         MEMBER(try_lease));
  TEXT(KB_PORT_ITEM_STORE);
  NUMBER(KB_ITEM_STORE_INLINE_READS);
  NUMBER(KB_ITEM_STORE_CAN_PERSIST);
  NUMBER(KB_ITEM_STORE_CAN_WAIT);
  NUMBER(KB_ITEM_STORE_CAN_LEASE);
  NUMBER(KB_CHANGE_ITEM_PUT);
  NUMBER(KB_CHANGE_ITEM_REMOVED);
  NUMBER(KB_CHANGE_CATEGORY_PUT);
  NUMBER(KB_CHANGE_CATEGORY_REMOVED);
}

static void print_key_store(void) {
  STRUCT(kb_key, MEMBER(struct_size), MEMBER(scopes), MEMBER(id), MEMBER(name), MEMBER(plan), MEMBER(digest),
         MEMBER(previous_digest), MEMBER(previous_expires), MEMBER(expires), MEMBER(created), MEMBER(has_previous),
         MEMBER(revoked));
  STRUCT(kb_key_store_v1, MEMBER(struct_size), MEMBER(inline_calls), MEMBER(flags), MEMBER(capabilities),
         MEMBER(config_schema), MEMBER(create), MEMBER(destroy), MEMBER(health), MEMBER(revision), MEMBER(find),
         MEMBER(get), MEMBER(list), MEMBER(create_key), MEMBER(update_key), MEMBER(add_usage), MEMBER(usage),
         MEMBER(last_used), MEMBER(forget_usage));
  STRUCT(kb_key_usage, MEMBER(struct_size), MEMBER(day), MEMBER(id), MEMBER(requests));
  TEXT(KB_PORT_KEY_STORE);
  NUMBER(KB_KEY_STORE_CAN_PERSIST);
  NUMBER(KB_SCOPE_READ);
  NUMBER(KB_SCOPE_LLM);
  NUMBER(KB_SCOPE_CODEHOST);
  NUMBER(KB_NEVER);
  NUMBER(KB_KEY_STORE_INLINE_READS);
}

static void print_language_model(void) {
  STRUCT(kb_completion_request, MEMBER(struct_size), MEMBER(max_tokens), MEMBER(has_temperature), MEMBER(is_stream),
         MEMBER(temperature), MEMBER(model), MEMBER(prompt));
  STRUCT(kb_completion, MEMBER(struct_size), MEMBER(finish_reason), MEMBER(prompt_tokens), MEMBER(completion_tokens),
         MEMBER(model));
  STRUCT(kb_language_model_v1, MEMBER(struct_size), MEMBER(inline_calls), MEMBER(flags), MEMBER(capabilities),
         MEMBER(config_schema), MEMBER(create), MEMBER(destroy), MEMBER(health), MEMBER(complete));
  TEXT(KB_PORT_LANGUAGE_MODEL);
  NUMBER(KB_FINISH_STOP);
  NUMBER(KB_FINISH_LENGTH);
  NUMBER(KB_FINISH_CONTENT_FILTER);
  NUMBER(KB_FINISH_OTHER);
}

static void print_rate_limit_store(void) {
  STRUCT(kb_take, MEMBER(struct_size), MEMBER(reserved), MEMBER(cost), MEMBER(per_minute), MEMBER(per_day),
         MEMBER(subject), MEMBER(group));
  STRUCT(kb_taken, MEMBER(struct_size), MEMBER(allowed), MEMBER(minute_remaining), MEMBER(day_remaining),
         MEMBER(minute_reset_ms), MEMBER(day_reset_ms), MEMBER(account), MEMBER(reserved));
  STRUCT(kb_rate_limit_store_v1, MEMBER(struct_size), MEMBER(inline_calls), MEMBER(flags), MEMBER(capabilities),
         MEMBER(config_schema), MEMBER(create), MEMBER(destroy), MEMBER(health), MEMBER(take), MEMBER(settle));
  TEXT(KB_PORT_RATE_LIMIT_STORE);
  NUMBER(KB_RATE_LIMIT_INLINE_TAKE);
  NUMBER(KB_RATE_LIMIT_CAN_SHARE);
  NUMBER(KB_ACCOUNT_OWN);
  NUMBER(KB_ACCOUNT_SHARED);
}

static void print_search_index(void) {
  STRUCT(kb_query_node, MEMBER(struct_size), MEMBER(kind), MEMBER(text), MEMBER(first_child), MEMBER(next));
  STRUCT(kb_search_request, MEMBER(struct_size), MEMBER(sort), MEMBER(query), MEMBER(category), MEMBER(offset),
         MEMBER(limit), MEMBER(fallback_below), MEMBER(tag), MEMBER(updated_from), MEMBER(updated_to), MEMBER(wants),
         MEMBER(reserved), MEMBER(facet));
  STRUCT(kb_mark, MEMBER(begin), MEMBER(end));
  STRUCT(kb_hit, MEMBER(struct_size), MEMBER(reserved), MEMBER(relevance), MEMBER(id), MEMBER(title), MEMBER(category),
         MEMBER(excerpt), MEMBER(title_marks), MEMBER(title_mark_count), MEMBER(excerpt_marks),
         MEMBER(excerpt_mark_count));
  STRUCT(kb_search_answer, MEMBER(struct_size), MEMBER(any_word), MEMBER(total), MEMBER(revision),
         MEMBER(views_revision), MEMBER(lineage));
  STRUCT(kb_index_state, MEMBER(struct_size), MEMBER(complete), MEMBER(revision), MEMBER(views_revision),
         MEMBER(documents), MEMBER(lineage));
  STRUCT(kb_search_index_v1, MEMBER(struct_size), MEMBER(inline_calls), MEMBER(flags), MEMBER(capabilities),
         MEMBER(config_schema), MEMBER(create), MEMBER(destroy), MEMBER(health), MEMBER(fingerprint), MEMBER(search),
         MEMBER(state), MEMBER(begin), MEMBER(set_views), MEMBER(verify), MEMBER(put), MEMBER(remove), MEMBER(commit),
         MEMBER(abort), MEMBER(complete));
  TEXT(KB_PORT_SEARCH_INDEX);
  NUMBER(KB_SEARCH_INDEX_INLINE_SEARCH);
  NUMBER(KB_SEARCH_INDEX_CAN_PERSIST);
  NUMBER(KB_SEARCH_INDEX_CAN_STEM);
  NUMBER(KB_SEARCH_INDEX_CAN_SEGMENT);
  NUMBER(KB_SEARCH_INDEX_CAN_CORRECT);
  NUMBER(KB_SEARCH_INDEX_HAS_POPULARITY_LAG);
  NUMBER(KB_SEARCH_INDEX_IS_SHARED);
  NUMBER(KB_SEARCH_INDEX_CAN_FILTER);
  NUMBER(KB_SEARCH_INDEX_CAN_COUNT);
  NUMBER(KB_SEARCH_INDEX_CAN_MARK);
  NUMBER(KB_SEARCH_INDEX_CAN_COMPLETE);
  NUMBER(KB_FACET_CATEGORY);
  NUMBER(KB_FACET_TAG);
  NUMBER(KB_MAX_FACET_VALUES);
  NUMBER(KB_WANTS_MARKS);
  NUMBER(KB_WANTS_CATEGORIES);
  NUMBER(KB_WANTS_TAGS);
  NUMBER(KB_QUERY_ALL_OF);
  NUMBER(KB_QUERY_ANY_OF);
  NUMBER(KB_QUERY_NOT);
  NUMBER(KB_QUERY_WORD);
  NUMBER(KB_QUERY_PREFIX);
  NUMBER(KB_QUERY_PHRASE);
  NUMBER(KB_SORT_RELEVANCE);
  NUMBER(KB_SORT_DATE);
  NUMBER(KB_SORT_POPULARITY);
  NUMBER(KB_FALLBACK_NEVER);
  NUMBER(KB_FALLBACK_ALWAYS);
  NUMBER(KB_BUILD_UPDATE);
  NUMBER(KB_BUILD_REBUILD);
}

int main(void) {
  print_base();
  print_activity_store();
  print_cache();
  print_code_host();
  print_http_client();
  print_item_store();
  print_key_store();
  print_language_model();
  print_rate_limit_store();
  print_search_index();
  return 0;
}
