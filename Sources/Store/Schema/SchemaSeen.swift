/// What a person has looked at beside messages.
enum SchemaSeen {
    static let sql = """
        -- seen: 1 when who was asked has opened the list of requests since this one came.
        ALTER TABLE friend_request ADD COLUMN seen INTEGER NOT NULL DEFAULT 0;
        """
}
