/* SPDX-License-Identifier: Apache-2.0 */
/* kbase/mailer.h: port kbase.mailer/1. Generated from ports/definitions/mailer.port.
 *
 * A way to send mails. The server never calls it on a thread that handles requests. */
#ifndef KBASE_MAILER_H
#define KBASE_MAILER_H

#include "kbase/base.h"

#ifdef __cplusplus
extern "C" {
#endif

#define KB_PORT_MAILER "kbase.mailer/1"

/* A mail to one recipient. */
typedef struct kb_mail {
  uint32_t struct_size;
  uint32_t reserved;
  kb_view id; /* letters and digits; the same for each attempt; part of the mail's Message-ID */
  kb_view to; /* address in ASCII */
  kb_view subject;
  kb_view text;
  kb_view html;
} kb_mail;

typedef struct kb_mailer kb_mailer;

typedef struct kb_mailer_v1 {
  uint32_t struct_size;
  uint32_t inline_calls;
  uint32_t flags;
  uint32_t capabilities;
  const char* config_schema;
  kb_status (*create)(const kb_host* host, kb_call* call, kb_view config, kb_mailer** instance);
  void (*destroy)(kb_mailer* mailer);
  kb_status (*health)(kb_mailer* mailer, kb_call* call);

  /* Hands a mail to the mail server. KB_INVALID_ARGUMENT: it refuses the mail for good, and the server does not send
   * it again. After any other failure the server sends it again later, with the same id. */
  kb_status (*send)(kb_mailer* mailer, kb_call* call, const kb_mail* mail);
} kb_mailer_v1;

#ifdef __cplusplus
}
#endif

#endif
