#include "CSQLite.h"
#include <errno.h>
#include <stdatomic.h>
#include <unistd.h>

static int (*open_directory)(const char *, int *);
static atomic_int folder_sync_failure;

// SQLite opens the folder of a new log to sync it, and drops the result of that sync. So it is synced here first, where
// the result counts; after an error the kernel may call a second sync good.
static int open_synced_directory(const char *path, int *descriptor) {
    int code = open_directory(path, descriptor);
    if (code == SQLITE_OK && fsync(*descriptor) != 0 && errno != EINVAL) atomic_store(&folder_sync_failure, errno);
    return code;
}

int csqlite_configure_process(void) {
    int code = sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
    sqlite3_vfs *system = sqlite3_vfs_find((void *)0);
    if (!system || system->iVersion < 3) return code;
    open_directory = (int (*)(const char *, int *))system->xGetSystemCall(system, "openDirectory");
    if (open_directory) system->xSetSystemCall(system, "openDirectory", (sqlite3_syscall_ptr)open_synced_directory);
    return code;
}

int csqlite_folder_sync_failure(void) { return atomic_load(&folder_sync_failure); }

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
