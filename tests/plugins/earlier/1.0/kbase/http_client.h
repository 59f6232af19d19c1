/* SPDX-License-Identifier: Apache-2.0 */
/* kbase/http_client.h: host extension kbase.http_client/1, HTTP lent to plugins. The server keeps connections, TLS,
 * proxies, redirects (within the origin only), sizes and times in check; a plugin says what to ask and reads the answer
 * on the thread that called it. Allowed are the origins of `base_url` and `url` in the instance's own settings and no
 * other, whatever a redirect or a link says.
 *
 * An exchange belongs to the call it was opened for: its deadline and cancellation end every wait, and it ends before
 * the call returns. Several may be open at once, and all are begun before the first is read. What is not read pauses
 * the transfer. Any thread may open; an exchange is for one thread at a time. What fails is explained on the call, so
 * that its status can be returned as it is, save KB_INVALID_ARGUMENT: that is no mistake of whoever called the plugin,
 * but its own, or the service's where that gave the URL.
 */
#ifndef KBASE_HTTP_CLIENT_H
#define KBASE_HTTP_CLIENT_H

#include "kbase/base.h"

#ifdef __cplusplus
extern "C" {
#endif

#define KB_EXTENSION_HTTP_CLIENT "kbase.http_client/1"

/* Fixed for good. */
typedef struct kb_http_field {
  kb_view name;
  kb_view value;
} kb_http_field;

typedef struct kb_http_request {
  uint32_t struct_size;
  uint32_t max_redirects; /* 0: none is followed */
  kb_view method;         /* "GET"; GET and HEAD may be sent again after a failure, others never */
  kb_view url;
  const kb_http_field* fields; /* without those of the connection: Host, Content-Length, Transfer-Encoding */
  size_t field_count;
  kb_view body;
  uint64_t max_body_bytes; /* of the answer, unpacked; more is KB_BAD_UPSTREAM. 0: the server's own limit */
  uint64_t deadline_ns;    /* by kb_host.monotonic_ns, where it is earlier than the call's; 0: that one */
  uint32_t max_attempts;   /* how often it may be sent in all, after failures and redirects too. 0: as often as the
                              server and max_redirects allow */
  uint32_t reserved;
} kb_http_request;

typedef struct kb_http_head {
  uint32_t struct_size;
  uint32_t status;             /* 200 */
  const kb_http_field* fields; /* names in lower case */
  size_t field_count;
  uint32_t attempts; /* how often the request was sent for this answer */
  uint32_t reserved;
} kb_http_head;

typedef struct kb_http_exchange kb_http_exchange;

typedef struct kb_http_client_v1 {
  uint32_t struct_size;
  uint32_t reserved;

  /* Begins an exchange without waiting; the request is copied. `call` is the one that the server made, never a copy.
   * KB_INVALID_ARGUMENT: this plugin is not lent such a request, such as one to another origin. KB_UNAVAILABLE with
   * retry_after_ms: too many at once, or the service has failed too often lately. */
  kb_status (*open)(const kb_host* host, kb_call* call, const kb_http_request* request, kb_http_exchange** exchange);

  /* Waits for the final status and its fields, a loan until close. KB_UNAVAILABLE: no connection, or it broke. */
  kb_status (*head)(kb_http_exchange* exchange, const kb_http_head** head);

  /* Waits for some of the body and puts up to `capacity` bytes of it into `buffer`; `*size` 0 on KB_OK: that was all.
   */
  kb_status (*read)(kb_http_exchange* exchange, char* buffer, size_t capacity, size_t* size);

  /* Ends the exchange, read or not. Every one that was opened is closed before its call returns; the server closes what
   * was forgotten. */
  void (*close)(kb_http_exchange* exchange);

  /* Puts into words why the last of the functions above that failed on this thread did so, as it was explained on the
   * call: `*why`, whose struct_size is set, is a loan until the next of them fails on this thread. */
  void (*failure)(kb_explanation* why);
} kb_http_client_v1;

#ifdef __cplusplus
}
#endif

#endif
