/* SPDX-License-Identifier: Apache-2.0 */
/* kbase/account_store.h: port kbase.account_store/1. Generated from ports/definitions/account_store.port.
 *
 * The accounts of developers, the secrets by which their owners sign in, and the queue of mails to them. A store
 * keeps what it is given; the server decides what has expired. Addresses are compared by their bytes. Each call is
 * atomic among all processes that share the store, and durable on KB_OK. */
#ifndef KBASE_ACCOUNT_STORE_H
#define KBASE_ACCOUNT_STORE_H

#include "kbase/base.h"

#ifdef __cplusplus
extern "C" {
#endif

#define KB_PORT_ACCOUNT_STORE "kbase.account_store/1"

#define KB_ACCOUNT_STORE_CAN_PERSIST 1u /* Accounts survive the process. */

#define KB_ACCOUNT_PENDING 0
#define KB_ACCOUNT_ACTIVE 1
#define KB_ACCOUNT_BLOCKED 2

#define KB_MAIL_KIND_SIGN_UP 0
#define KB_MAIL_KIND_SIGN_IN 1
#define KB_MAIL_KIND_APPROVED 2

#define KB_MAIL_STATE_WAITING 0
#define KB_MAIL_STATE_SENT 1
#define KB_MAIL_STATE_FAILED 2
#define KB_MAIL_STATE_WITHHELD 3
#define KB_MAIL_STATE_SURPLUS 4

/* Instants are milliseconds since 1970-01-01T00:00:00Z. */
typedef struct kb_account {
  uint32_t struct_size;
  int32_t state;
  kb_view id;
  kb_view email; /* in ASCII */
  kb_view plan; /* of new keys */
  int64_t created;
} kb_account;

typedef int32_t (*kb_account_sink)(void* data, const kb_account* account);

/* The right to sign in once. */
typedef struct kb_sign_in_token {
  uint32_t struct_size;
  uint32_t signs_up; /* signing in creates the account */
  uint8_t digest[32]; /* SHA-256 of the token */
  kb_view email;
  int64_t expires;
} kb_sign_in_token;

typedef int32_t (*kb_sign_in_token_sink)(void* data, const kb_sign_in_token* token);

/* A signed-in browser. */
typedef struct kb_session {
  uint32_t struct_size;
  uint8_t digest[32]; /* SHA-256 of the secret in the browser's cookie */
  uint32_t reserved;
  kb_view account; /* id */
  int64_t created;
  int64_t expires;
} kb_session;

typedef int32_t (*kb_session_sink)(void* data, const kb_session* session);

/* A mail that waits, or that was created within the last hour. It has no text: that is written when the mail is
 * sent. */
typedef struct kb_queued_mail {
  uint32_t struct_size;
  int32_t kind;
  int32_t state;
  uint32_t attempts;
  uint8_t client[16]; /* hash of who asked for the mail */
  uint8_t recipient[16]; /* hash of the address */
  kb_view id;
  kb_view email;
  int64_t created;
  int64_t due; /* of the next attempt */
} kb_queued_mail;

typedef int32_t (*kb_queued_mail_sink)(void* data, const kb_queued_mail* mail);

/* How many mails created after `since` allow another one. */
typedef struct kb_mail_limits {
  uint32_t struct_size;
  uint32_t most_to_address;
  uint32_t most_sign_ups_of_client;
  uint32_t reserved;
  int64_t since;
} kb_mail_limits;

/* Filled in by the plugin, as far as struct_size reaches. */
typedef struct kb_mail_added {
  uint32_t struct_size;
  uint32_t is_added; /* 0: a limit is reached, and the mail is never sent */
} kb_mail_added;

typedef struct kb_account_store kb_account_store;

typedef struct kb_account_store_v1 {
  uint32_t struct_size;
  uint32_t inline_calls;
  uint32_t flags;
  uint32_t capabilities;
  const char* config_schema;
  kb_status (*create)(const kb_host* host, kb_call* call, kb_view config, kb_account_store** instance);
  void (*destroy)(kb_account_store* store);
  kb_status (*health)(kb_account_store* store, kb_call* call);

  /* KB_NOT_FOUND. */
  kb_status (*get)(kb_account_store* store, kb_call* call, kb_view id, kb_account_sink sink, void* data);

  /* KB_NOT_FOUND. */
  kb_status (*find)(kb_account_store* store, kb_call* call, kb_view email, kb_account_sink sink, void* data);

  /* Every account, by id. */
  kb_status (*list)(kb_account_store* store, kb_call* call, kb_account_sink sink, void* data);

  /* KB_CONFLICT: the id or the address exists already. */
  kb_status (*create_account)(kb_account_store* store, kb_call* call, const kb_account* account);

  /* Replaces state and plan of the account of the same id. KB_NOT_FOUND. */
  kb_status (*update_account)(kb_account_store* store, kb_call* call, const kb_account* account);

  /* Deletes the account with its sessions, and the tokens of its address. Its mails lose their address, and those
   * that wait are KB_MAIL_STATE_WITHHELD, so that the limits still count them. KB_NOT_FOUND. */
  kb_status (*remove_account)(kb_account_store* store, kb_call* call, kb_view id);

  /* Adds a mail unless a limit is reached. The first limit counts the mails to the recipient; the second counts the
   * mails of the kind KB_MAIL_KIND_SIGN_UP of the client, and applies to such a mail alone. Both count mails in any
   * state except KB_MAIL_STATE_SURPLUS. Beyond a limit the call takes as long as below: it stores the mail as a
   * surplus one, without its id and in place of the last surplus mail of the client. KB_CONFLICT: the id exists
   * already. */
  kb_status (*add_mail)(kb_account_store* store, kb_call* call, const kb_queued_mail* mail,
                        const kb_mail_limits* limits, kb_mail_added* out);

  /* Up to `most` waiting mails that are due at `now`, the longest due first. Before its row is passed, a mail is due
   * at `until`, and `attempts` is one higher: no other caller gets it until then. */
  kb_status (*claim_mails)(kb_account_store* store, kb_call* call, int64_t now, int64_t until, uint32_t most,
                           kb_queued_mail_sink sink, void* data);

  /* Sets the state and the due time of a mail. KB_NOT_FOUND. */
  kb_status (*update_mail)(kb_account_store* store, kb_call* call, kb_view id, int32_t state, int64_t due);

  /* KB_CONFLICT: the digest exists already. */
  kb_status (*add_token)(kb_account_store* store, kb_call* call, const kb_sign_in_token* token);

  /* Deletes the token and passes it to the sink. KB_NOT_FOUND. One of several callers gets it. */
  kb_status (*take_token)(kb_account_store* store, kb_call* call, const uint8_t digest[32], kb_sign_in_token_sink sink,
                          void* data);

  /* KB_CONFLICT: the digest exists already. */
  kb_status (*add_session)(kb_account_store* store, kb_call* call, const kb_session* session);

  /* KB_NOT_FOUND. */
  kb_status (*find_session)(kb_account_store* store, kb_call* call, const uint8_t digest[32], kb_session_sink sink,
                            void* data);

  /* Sets the end of a session. KB_OK where it does not exist. */
  kb_status (*extend_session)(kb_account_store* store, kb_call* call, const uint8_t digest[32], int64_t expires);

  /* Deletes a session. KB_OK where it does not exist. */
  kb_status (*remove_session)(kb_account_store* store, kb_call* call, const uint8_t digest[32]);

  /* Deletes the sessions of an account. KB_OK where it has no session. */
  kb_status (*remove_sessions)(kb_account_store* store, kb_call* call, kb_view account);

  /* Deletes the tokens and sessions that expired before `now`, and the mails that were created before `mails_since`
   * and do not wait. */
  kb_status (*delete_expired)(kb_account_store* store, kb_call* call, int64_t now, int64_t mails_since);
} kb_account_store_v1;

#ifdef __cplusplus
}
#endif

#endif
