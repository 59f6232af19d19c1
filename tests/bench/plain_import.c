/* SPDX-License-Identifier: Apache-2.0 */
/* Peer of `kbase import`: time of a plain C program that inserts the same items into SQLite with FTS5, in one
 * transaction. Its input has the values ready to bind, one row per line: id, title, category, content and tags,
 * separated by tabs. Only kbase parses JSON, validates and folds.
 * Usage: plain_import ROWS DATABASE */
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static sqlite3* db;

static void check(int code) {
  if (code == SQLITE_OK || code == SQLITE_DONE) return;
  fprintf(stderr, "plain_import: %s\n", sqlite3_errmsg(db));
  exit(1);
}

static void run(const char* sql) { check(sqlite3_exec(db, sql, NULL, NULL, NULL)); }

static sqlite3_stmt* prepare(const char* sql) {
  sqlite3_stmt* statement = NULL;
  check(sqlite3_prepare_v2(db, sql, -1, &statement, NULL));
  return statement;
}

static void insert(sqlite3_stmt* statement, char** columns, const int* order, int count) {
  for (int i = 0; i < count; ++i) check(sqlite3_bind_text(statement, i + 1, columns[order[i]], -1, SQLITE_STATIC));
  check(sqlite3_step(statement));
  check(sqlite3_reset(statement));
}

int main(int count, char** arguments) {
  if (count != 3) {
    fprintf(stderr, "usage: plain_import ROWS DATABASE\n");
    return 2;
  }
  FILE* rows = fopen(arguments[1], "r");
  if (rows == NULL) {
    perror(arguments[1]);
    return 1;
  }
  remove(arguments[2]);
  check(sqlite3_open(arguments[2], &db));
  run("CREATE TABLE item(id TEXT PRIMARY KEY, title, category, content, tags) WITHOUT ROWID");
  run("CREATE VIRTUAL TABLE search USING fts5(title, tags, content, tokenize = 'porter unicode61')");
  run("BEGIN");
  sqlite3_stmt* item = prepare("INSERT OR REPLACE INTO item VALUES(?, ?, ?, ?, ?)");
  sqlite3_stmt* search = prepare("INSERT INTO search VALUES(?, ?, ?)");
  static const int kItemColumns[] = {0, 1, 2, 3, 4}, kSearchColumns[] = {1, 4, 3};
  char* line = NULL;
  size_t size = 0;
  while (getline(&line, &size, rows) > 0) {
    char* columns[5] = {"", "", "", "", ""};
    char* rest = line;
    for (int i = 0; i < 5 && rest != NULL; ++i) {
      columns[i] = strsep(&rest, "\t\n");
    }
    insert(item, columns, kItemColumns, 5);
    insert(search, columns, kSearchColumns, 3);
  }
  run("COMMIT");
  sqlite3_finalize(item);
  sqlite3_finalize(search);
  check(sqlite3_close(db));
  free(line);
  return fclose(rows) == 0 ? 0 : 1;
}
