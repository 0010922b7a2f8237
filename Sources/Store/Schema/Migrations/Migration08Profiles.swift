/// Version 8: a picture has two sizes: the whole one, and one for lists.
let migration08Profiles = Migration(
    version: 8,
    sql: """
        -- avatar_small: the address of the small size of what avatar names; NULL for none.
        ALTER TABLE user ADD COLUMN avatar_small TEXT;
        """)
