/* SPDX-License-Identifier: Apache-2.0 */
/* kbase/language_model.h: port kbase.language_model/1, a service that completes a prompt. Never runs on a thread that
 * answers requests.
 */
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
  uint32_t has_temperature; /* 0: none is sent */
  uint32_t is_stream;       /* 1: pieces are told as they come */
  double temperature;       /* 0 to 2 */
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
  kb_view model; /* that answered; not empty */
} kb_completion;

/* A piece of the completion's text, whole UTF-8 and not empty; an empty completion has none. It may wait for a slow
 * reader. Not 0: stop, nobody reads on. */
typedef int32_t (*kb_text_sink)(void* data, kb_view text);
typedef void (*kb_completion_sink)(void* data, const kb_completion* completion);

typedef struct kb_language_model kb_language_model;

typedef struct kb_language_model_v1 {
  uint32_t struct_size;
  uint32_t inline_calls; /* none are defined */
  uint32_t flags;
  uint32_t capabilities; /* none are defined */
  const char* config_schema;
  kb_status (*create)(const kb_host* host, kb_call* call, kb_view config, kb_language_model** instance);
  void (*destroy)(kb_language_model* model);
  kb_status (*health)(kb_language_model* model, kb_call* call);

  /* Tells the text, then how it ended, once, on KB_OK. KB_STOPPED: the sink asked for no more. KB_INVALID_ARGUMENT,
   * parameter "model": the service does not know the model; "prompt", "max_tokens" or "temperature": it does not take
   * the value. KB_BAD_UPSTREAM: it refused our key, failed, or answered nonsense. KB_UNAVAILABLE with retry_after_ms:
   * its rate limit. A failure may come after some text. Is never sent twice. */
  kb_status (*complete)(kb_language_model* model, kb_call* call, const kb_completion_request* request,
                        kb_text_sink text, kb_completion_sink completion, void* data);
} kb_language_model_v1;

#ifdef __cplusplus
}
#endif

#endif
