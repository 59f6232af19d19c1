/* SPDX-License-Identifier: Apache-2.0 */
/* kbase/http_client.h: host extension kbase.http_client/1, an HTTP client for plugins. The server manages connections,
 * TLS, proxies, redirects (within the origin only), sizes and times; a plugin describes the request and reads the
 * response on the thread that called it. Only the origins of `base_url` and `url` in the settings of the instance are
 * allowed, whatever a redirect or a link contains.
 *
 * An exchange belongs to the call that it was opened for: the deadline and cancellation of that call end every wait,
 * and the exchange ends before the call returns. Several may be open at once, and all of them start before the first
 * one is read. A body that is not read pauses the transfer. Any thread may open an exchange; only one thread at a time
 * may use it. Failures are explained on the call, so the plugin can return their status as it is, except
 * KB_INVALID_ARGUMENT: that is not a mistake of the plugin's caller, but of the plugin, or of the service if the URL
 * came from it.
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
  uint32_t max_redirects; /* 0: redirects are not followed */
  kb_view method;         /* "GET"; GET and HEAD may be sent again after a failure, other methods never */
  kb_view url;
  const kb_http_field* fields; /* except those of the connection: Host, Content-Length, Transfer-Encoding */
  size_t field_count;
  kb_view body;
  uint64_t max_body_bytes; /* of the decompressed response; more is KB_BAD_UPSTREAM. 0: the server's own limit */
  uint64_t deadline_ns;    /* by kb_host.monotonic_ns, if earlier than the call's; 0: the call's */
  uint32_t max_attempts;   /* how often it may be sent in total, including failures and redirects. 0: as often as the
                              server and max_redirects allow */
  uint32_t reserved;
} kb_http_request;

typedef struct kb_http_head {
  uint32_t struct_size;
  uint32_t status;             /* 200 */
  const kb_http_field* fields; /* names in lower case */
  size_t field_count;
  uint32_t attempts; /* how often the request was sent for this response */
  uint32_t reserved;
} kb_http_head;

typedef struct kb_http_exchange kb_http_exchange;

typedef struct kb_http_client_v1 {
  uint32_t struct_size;
  uint32_t reserved;

  /* Starts an exchange without blocking; the request is copied. `call` is the one that the server passed, never a copy.
   * KB_INVALID_ARGUMENT: this request is not allowed, for example to another origin. KB_UNAVAILABLE with
   * retry_after_ms: too many exchanges at once, or the service failed too often recently. */
  kb_status (*open)(const kb_host* host, kb_call* call, const kb_http_request* request, kb_http_exchange** exchange);

  /* Blocks until the final status and its fields are there; they are valid until close. KB_UNAVAILABLE: there is no
   * connection, or it broke. */
  kb_status (*head)(kb_http_exchange* exchange, const kb_http_head** head);

  /* Blocks until a part of the body is there and copies up to `capacity` bytes of it into `buffer`; `*size` 0 on KB_OK:
   * the body has ended. */
  kb_status (*read)(kb_http_exchange* exchange, char* buffer, size_t capacity, size_t* size);

  /* Ends the exchange, whether it was read or not. Close every exchange before its call returns; the server closes the
   * ones that are left. */
  void (*close)(kb_http_exchange* exchange);

  /* Gives the reason of the last failure of these functions on this thread, as it was explained on the call: `*why`,
   * whose struct_size is set, is valid until the next failure on this thread. */
  void (*failure)(kb_explanation* why);
} kb_http_client_v1;

#ifdef __cplusplus
}
#endif

#endif
