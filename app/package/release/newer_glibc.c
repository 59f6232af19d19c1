// SPDX-License-Identifier: Apache-2.0
/* Functions of glibc 2.36 that libraries of a release call, for systems with glibc 2.35. Linux 3.17 has the system call.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/random.h>

__attribute__((visibility("default"))) void arc4random_buf(void* to, size_t size) {
  char* at = to;
  while (size > 0) {
    const ssize_t done = getrandom(at, size, 0);
    if (done < 0 && errno != EINTR) abort();
    if (done <= 0) continue;
    at += done;
    size -= (size_t)done;
  }
}

__attribute__((visibility("default"))) uint32_t arc4random(void) {
  uint32_t number = 0;
  arc4random_buf(&number, sizeof number);
  return number;
}
