#pragma once
// SQLite, and what Swift cannot call of it: variadic functions and macros with casts.
#include <sqlite3.h>
#include <stdint.h>

/// Settings for the whole process, before the first connection: no global memory statistics, which cost a mutex per
/// allocation. Returns an SQLite result code.
int csqlite_configure_process(void);
/// The errno with which the folder of a database could not be synced after a new log was made, or 0. SQLite itself does
/// not look at that.
int csqlite_folder_sync_failure(void);
/// `sqlite3_db_config` for the options that take an `int`. Returns an SQLite result code.
int csqlite_configure(sqlite3 *_Nonnull database, int option, int value);
/// Binds bytes that SQLite copies. A null pointer binds an empty blob. Returns an SQLite result code.
int csqlite_bind_blob(sqlite3_stmt *_Nonnull statement, int index, const void *_Nullable bytes, int count);
/// Binds UTF-8 text that SQLite copies. Returns an SQLite result code.
int csqlite_bind_text(sqlite3_stmt *_Nonnull statement, int index, const char *_Nullable bytes, int count);
/// After each commit of this connection, `*pages` is the number of pages in the write-ahead log. Replaces automatic
/// checkpoints. `pages` must live as long as the connection.
void csqlite_watch_log(sqlite3 *_Nonnull database, int *_Nonnull pages);
