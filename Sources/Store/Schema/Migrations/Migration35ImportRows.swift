/// Version 35: what of a person was verified at the source, sign-ins by other services, and which people and devices an import
/// has brought.
let migration35ImportRows = Migration(
    version: 35,
    sql: """
        ALTER TABLE app_user ADD COLUMN email_verified INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE app_user ADD COLUMN phone_verified INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE app_user ADD COLUMN auth_data TEXT;
        CREATE TABLE import_row (
            kind INTEGER NOT NULL,
            id INTEGER NOT NULL,
            import INTEGER NOT NULL REFERENCES import (number),
            PRIMARY KEY (kind, id)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX import_row_by_import ON import_row (import, kind);
        """)
