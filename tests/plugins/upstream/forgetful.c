// SPDX-License-Identifier: Apache-2.0
// Cache that requests the URL given as the key, reads the response head and never closes the exchange.
#include <kbase/http_client.h>

static void open_and_leak(const kb_host* host, kb_call* call, kb_view url);

#define AT_GET(cache, call, key) open_and_leak((cache)->host, call, key)
#define SCHEMA "{\"type\": \"object\", \"properties\": {\"url\": {\"type\": \"string\", \"default\": \"\"}}}"
#include "honest_cache.h"

static void open_and_leak(const kb_host* host, kb_call* call, kb_view url) {
  const kb_http_client_v1* client = host->get_extension(host, KB_EXTENSION_HTTP_CLIENT);
  kb_http_request request = {sizeof request, 0, {"GET", 3}, url, NULL, 0, {NULL, 0}, 0, 0, 0, 0};
  kb_http_exchange* exchange;
  const kb_http_head* head;
  if (client != NULL && client->open(host, call, &request, &exchange) == KB_OK) client->head(exchange, &head);
}
