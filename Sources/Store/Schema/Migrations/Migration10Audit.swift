/// Version 10: what operators did.
let migration10Audit = Migration(
    version: 10,
    sql: """
        -- stage: 0 written with the change, 1 written before something that is no change of the database alone.
        -- asked, state_before, state_after: JSON text. hash: see AuditChain.
        CREATE TABLE audit (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            at INTEGER NOT NULL,
            uid INTEGER NOT NULL,
            operator TEXT,
            source TEXT NOT NULL,
            reason TEXT,
            word TEXT NOT NULL,
            subject TEXT COLLATE BINARY,
            stage INTEGER NOT NULL,
            asked TEXT NOT NULL,
            state_before TEXT,
            state_after TEXT,
            hash BLOB NOT NULL
        ) STRICT;

        -- Entries are added and nothing else: neither this server nor a tool that respects the schema rewrites them.
        CREATE TRIGGER audit_is_not_changed BEFORE UPDATE ON audit
        BEGIN SELECT RAISE(ABORT, 'the audit log only grows'); END;
        CREATE TRIGGER audit_is_not_removed BEFORE DELETE ON audit
        BEGIN SELECT RAISE(ABORT, 'the audit log only grows'); END;
        """)
