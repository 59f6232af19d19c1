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
         MEMBER(host_data), MEMBER(flags), MEMBER(reserved2));
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
  NUMBER(KB_CALL_IS_QUICK);
  NUMBER(KB_LOG_DEBUG);
  NUMBER(KB_LOG_INFO);
  NUMBER(KB_LOG_WARNING);
  NUMBER(KB_LOG_ERROR);
  printf("KB_LOG_FIELD %d\n", KB_LOG_FIELD[0]);
  NUMBER(KB_METRIC_COUNTER);
  NUMBER(KB_METRIC_GAUGE);
  NUMBER(KB_TABLE_SERIAL);
  NUMBER(KB_NOTE_TYPE);
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

#include "layout_ports.h"

int main(void) {
  print_base();
  print_http_client();
  print_ports();
  return 0;
}
