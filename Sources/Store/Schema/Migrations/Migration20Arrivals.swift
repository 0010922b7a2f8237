/// Version 20: when people's devices got messages, and when they read them.
let migration20Arrivals = Migration(
    version: 20,
    sql: """
        -- at: when the position moved last, UTC milliseconds; 0 for before this column. from_sequence: where it was before
        -- that, so that every message above it arrived at that time; of those up to it, only that it was earlier.
        ALTER TABLE delivered ADD COLUMN at INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE delivered ADD COLUMN from_sequence INTEGER NOT NULL DEFAULT 0;
        -- read_from, acked_from: the same of read_at and acked_at. Of what was read or got before these columns, only the
        -- last message has its time.
        ALTER TABLE member ADD COLUMN read_from INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE member ADD COLUMN acked_from INTEGER NOT NULL DEFAULT 0;
        UPDATE member SET read_from = max(read_sequence - 1, 0), acked_from = max(acked_sequence - 1, 0);
        """)
