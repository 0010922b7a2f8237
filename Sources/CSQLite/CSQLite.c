#include "CSQLite.h"

int csqlite_configure_process(void) { return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0); }

int csqlite_configure(sqlite3 *database, int option, int value) {
    return sqlite3_db_config(database, option, value, (int *)0);
}

int csqlite_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, int count) {
    if (!bytes || count == 0) return sqlite3_bind_zeroblob(statement, index, 0);
    return sqlite3_bind_blob(statement, index, bytes, count, SQLITE_TRANSIENT);
}

int csqlite_bind_text(sqlite3_stmt *statement, int index, const char *bytes, int count) {
    return sqlite3_bind_text(statement, index, bytes ? bytes : "", count, SQLITE_TRANSIENT);
}

static int log_grew(void *pages, sqlite3 *database, const char *name, int count) {
    (void)database;
    (void)name;
    *(int *)pages = count;
    return SQLITE_OK;
}

void csqlite_watch_log(sqlite3 *database, int *pages) { sqlite3_wal_hook(database, log_grew, pages); }
