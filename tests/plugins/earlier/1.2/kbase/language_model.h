/* SPDX-License-Identifier: Apache-2.0 */
/* kbase/language_model.h: port kbase.language_model/1. Generated from ports/definitions/language_model.port.
 *
 * A service that completes a prompt. The server never calls it on a thread that handles requests. */
#ifndef KBASE_LANGUAGE_MODEL_H
#define KBASE_LANGUAGE_MODEL_H

#include "kbase/http_client.h"

#ifdef __cplusplus
extern "C" {
#endif

#define KB_PORT_LANGUAGE_MODEL "kbase.language_model/1"

typedef struct kb_completion_request {
  uint32_t struct_size;
  uint32_t max_tokens;
  uint32_t has_temperature; /* 0: send none */
  uint32_t is_stream; /* 1: pass each piece when it arrives */
  double temperature; /* 0 to 2 */
  kb_view model;
  kb_view prompt;
} kb_completion_request;

#define KB_FINISH_STOP 0
#define KB_FINISH_LENGTH 1
#define KB_FINISH_CONTENT_FILTER 2
#define KB_FINISH_OTHER 3

typedef struct kb_completion {
  uint32_t struct_size;
  int32_t finish_reason;
  uint64_t prompt_tokens;
  uint64_t completion_tokens;
  kb_view model; /* the model that answered */
} kb_completion;

/* A piece of the completion's text, complete UTF-8 and not empty; an empty completion has none. The sink may wait
 * for a slow reader. Not 0: stop, the rest is not wanted. */
typedef int32_t (*kb_text_sink)(void* data, kb_view text);

typedef void (*kb_completion_sink)(void* data, const kb_completion* completion);

typedef struct kb_language_model kb_language_model;

typedef struct kb_language_model_v1 {
  uint32_t struct_size;
  uint32_t inline_calls;
  uint32_t flags;
  uint32_t capabilities;
  const char* config_schema;
  kb_status (*create)(const kb_host* host, kb_call* call, kb_view config, kb_language_model** instance);
  void (*destroy)(kb_language_model* model);
  kb_status (*health)(kb_language_model* model, kb_call* call);

  /* Passes the text, then how it ended, once, on KB_OK. KB_STOPPED: the sink returned not 0. KB_INVALID_ARGUMENT,
   * parameter "model": the service does not know the model; "prompt", "max_tokens" or "temperature": it rejects the
   * value. KB_BAD_UPSTREAM: it rejected our key, failed, or sent an invalid response. KB_UNAVAILABLE with
   * retry_after_ms: its rate limit. A failure may follow some text. The prompt is never sent twice. */
  kb_status (*complete)(kb_language_model* model, kb_call* call, const kb_completion_request* request,
                        kb_text_sink text, kb_completion_sink completion, void* data);
} kb_language_model_v1;

#ifdef __cplusplus
}
#endif

#endif
