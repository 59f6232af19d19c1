/* SPDX-License-Identifier: Apache-2.0 */
/* kbase/key_store.h: port kbase.key_store/1. Generated from ports/definitions/key_store.port.
 *
 * The API keys, by id and by the SHA-256 of their text. A store keeps what it is given; the server decides whether a
 * key is expired or revoked. */
#ifndef KBASE_KEY_STORE_H
#define KBASE_KEY_STORE_H

#include "kbase/base.h"

#ifdef __cplusplus
extern "C" {
#endif

#define KB_PORT_KEY_STORE "kbase.key_store/1"

#define KB_KEY_STORE_INLINE_READS 1u /* revision, find and get never block. */

#define KB_KEY_STORE_CAN_PERSIST 1u /* Keys survive the process. */
/* The members of kb_key from `account` on are kept; list_of, usage_of and remove_key are available. */
#define KB_KEY_STORE_CAN_ACCOUNTS 2u

#define KB_SCOPE_READ 1u
#define KB_SCOPE_LLM 2u
#define KB_SCOPE_CODEHOST 4u
#define KB_SCOPE_WRITE 8u

#define KB_NEVER INT64_MAX

/* Instants are milliseconds since 1970-01-01T00:00:00Z. */
typedef struct kb_key {
  uint32_t struct_size;
  uint32_t scopes; /* KB_SCOPE_ bits */
  kb_view id;
  kb_view name;
  kb_view plan;
  uint8_t digest[32]; /* SHA-256 of the key's text (FIPS 180-4) */
  uint8_t previous_digest[32]; /* the digest before the last rotation, if has_previous */
  int64_t previous_expires; /* end of the time in which the previous digest is accepted */
  int64_t expires; /* KB_NEVER: the key does not expire */
  int64_t created;
  uint32_t has_previous;
  uint32_t revoked;
  kb_view account; /* id of the account that owns the key; empty: none */
  uint32_t suspended; /* the account is not active */
  uint32_t reserved;
} kb_key;

typedef int32_t (*kb_key_sink)(void* data, const kb_key* key);

/* Requests that were charged to one key on one day (days since 1970-01-01, UTC). */
typedef struct kb_key_usage {
  uint32_t struct_size;
  int32_t day;
  kb_view id;
  uint64_t requests;
} kb_key_usage;

typedef int32_t (*kb_key_usage_sink)(void* data, const kb_key_usage* usage);

typedef struct kb_key_store kb_key_store;

typedef struct kb_key_store_v1 {
  uint32_t struct_size;
  uint32_t inline_calls;
  uint32_t flags;
  uint32_t capabilities;
  const char* config_schema;
  kb_status (*create)(const kb_host* host, kb_call* call, kb_view config, kb_key_store** instance);
  void (*destroy)(kb_key_store* store);
  kb_status (*health)(kb_key_store* store, kb_call* call);

  /* Grows with every change by any server; called each second. */
  kb_status (*revision)(kb_key_store* store, kb_call* call, uint64_t* out);

  /* The key with this digest or previous digest. KB_NOT_FOUND. */
  kb_status (*find)(kb_key_store* store, kb_call* call, const uint8_t digest[32], kb_key_sink sink, void* data);

  /* KB_NOT_FOUND. */
  kb_status (*get)(kb_key_store* store, kb_call* call, kb_view id, kb_key_sink sink, void* data);

  /* Every key, by id. */
  kb_status (*list)(kb_key_store* store, kb_call* call, kb_key_sink sink, void* data);

  /* KB_CONFLICT: the id or a digest exists already. Durable on KB_OK. */
  kb_status (*create_key)(kb_key_store* store, kb_call* call, const kb_key* key);

  /* Replaces the key of the same id. KB_NOT_FOUND. KB_CONFLICT: another key has the digest. */
  kb_status (*update_key)(kb_key_store* store, kb_call* call, const kb_key* key);

  /* Adds to the counts of keys and days, all or nothing, durably; the revision stays. Ids are not checked against
   * the keys. NULL, like usage: the store keeps no usage. */
  kb_status (*add_usage)(kb_key_store* store, kb_call* call, const kb_key_usage* const* usage, size_t count);

  /* Every count of the days from `first` to `last`, both included, by id, then day. */
  kb_status (*usage)(kb_key_store* store, kb_call* call, int32_t first, int32_t last, kb_key_usage_sink sink,
                     void* data);

  /* The last day with a count for `id`. KB_NOT_FOUND: no day has one. NULL: the server shows no last use. */
  kb_status (*last_used)(kb_key_store* store, kb_call* call, kb_view id, int32_t* out);

  /* Deletes the counts of the days before `first`, durably; the revision stays. NULL: counts are kept permanently. */
  kb_status (*forget_usage)(kb_key_store* store, kb_call* call, int32_t first);

  /* Every key of an account, by id. NULL, like the functions below: the store keeps no accounts. */
  kb_status (*list_of)(kb_key_store* store, kb_call* call, kb_view account, kb_key_sink sink, void* data);

  /* Every count of a key for the days from `first` to `last`, both included, by day. */
  kb_status (*usage_of)(kb_key_store* store, kb_call* call, kb_view id, int32_t first, int32_t last,
                        kb_key_usage_sink sink, void* data);

  /* Deletes a key and its counts. KB_NOT_FOUND. */
  kb_status (*remove_key)(kb_key_store* store, kb_call* call, kb_view id);
} kb_key_store_v1;

#ifdef __cplusplus
}
#endif

#endif
