/* SPDX-License-Identifier: Apache-2.0 */
/* kbase/code_host.h: port kbase.code_host/1. Generated from ports/definitions/code_host.port.
 *
 * A code-hosting service. Results contain only what an anonymous visitor of the service could see, whatever the
 * token in the settings can see. The server never calls it on a thread that handles requests; it caches results and
 * revalidates them with their validator. */
#ifndef KBASE_CODE_HOST_H
#define KBASE_CODE_HOST_H

#include "kbase/http_client.h"

#ifdef __cplusplus
extern "C" {
#endif

#define KB_PORT_CODE_HOST "kbase.code_host/1"

#define KB_UNKNOWN_NUMBER UINT64_MAX /* A number that the service does not give. */

/* A text with a null `data` is one that the service does not give. Times are "YYYY-MM-DDTHH:MM:SSZ". */
typedef struct kb_profile {
  uint32_t struct_size;
  uint32_t reserved;
  kb_view username;
  kb_view name;
  kb_view bio;
  kb_view company;
  kb_view location;
  kb_view website;
  kb_view avatar_url;
  kb_view profile_url;
  kb_view created;
  uint64_t followers;
  uint64_t following;
  uint64_t public_repositories;
} kb_profile;

typedef struct kb_repository {
  uint32_t struct_size;
  int32_t is_fork; /* 0, 1, or -1: not given */
  int32_t is_archived; /* 0, 1, or -1: not given */
  uint32_t reserved;
  kb_view name;
  kb_view full_name;
  kb_view description;
  kb_view url;
  kb_view language;
  kb_view created;
  kb_view updated;
  const kb_view* topics; /* NULL: not given */
  size_t topic_count;
  uint64_t stars;
  uint64_t forks;
} kb_repository;

typedef struct kb_contributions {
  uint32_t struct_size;
  int32_t first_day; /* days since 1970-01-01, both included; at most 732 */
  int32_t last_day;
  uint32_t reserved;
  kb_view source; /* where the numbers come from */
} kb_contributions;

/* The parts of a look-up, in the order of the members: the profile once, repositories with the most recently updated
 * first, contributions at most once, then their days ascending within the period, and each language once. User
 * names, names of repositories and languages, and a source are never empty. All texts together are at most 8 MiB, a
 * validator 64 KiB. The plugin calls the members; each belongs to the server and copies. Not 0: stop, the rest is
 * not wanted. */
typedef struct kb_code_host_sink {
  uint32_t struct_size;
  uint32_t reserved;
  void* data;
  int32_t (*profile)(void* data, const kb_profile* profile);
  int32_t (*repository)(void* data, const kb_repository* repository);
  int32_t (*contributions)(void* data, const kb_contributions* contributions);
  int32_t (*contribution_day)(void* data, int32_t day, uint64_t count);
  int32_t (*language)(void* data, kb_view name, double share); /* shares are fractions that sum to 1 */
  void (*validator)(void* data, kb_view validator); /* for the next look-up of this user */
} kb_code_host_sink;

typedef struct kb_code_host kb_code_host;

typedef struct kb_code_host_v1 {
  uint32_t struct_size;
  uint32_t inline_calls;
  uint32_t flags;
  uint32_t capabilities;
  const char* config_schema;
  kb_status (*create)(const kb_host* host, kb_call* call, kb_view config, kb_code_host** instance);
  void (*destroy)(kb_code_host* code_host);
  kb_status (*health)(kb_code_host* code_host, kb_call* call);

  /* Not 0: the service could have a user of this name. Any thread; never blocks. */
  int32_t (*is_username)(kb_code_host* code_host, kb_view username);

  /* `validator`: what the last look-up of this user passed, or empty. `*unchanged` 1: the last result is still
   * valid, and the sink was not called. KB_NOT_FOUND: no such user. KB_UNAVAILABLE with retry_after_ms: the
   * service's own rate limit. KB_BAD_UPSTREAM. */
  kb_status (*look_up)(kb_code_host* code_host, kb_call* call, kb_view username, kb_view validator,
                       const kb_code_host_sink* sink, int32_t* unchanged);
} kb_code_host_v1;

#ifdef __cplusplus
}
#endif

#endif
