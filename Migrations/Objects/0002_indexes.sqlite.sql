-- Indexes over fields of objects, as ordered keys.

-- One index of one field of a class. Objects up to the row `built` are in it; the greatest integer
-- says that it is whole. `state` 0: in use or being built, 1: being dropped, no longer kept.
-- A number is used again only when no key of it is left.
CREATE TABLE field_index (
    number INTEGER PRIMARY KEY,
    class INTEGER NOT NULL,
    field TEXT NOT NULL,
    declared INTEGER NOT NULL,
    state INTEGER NOT NULL,
    built INTEGER NOT NULL
) STRICT;

CREATE UNIQUE INDEX field_index_field ON field_index (class, field) WHERE state = 0;

-- Kind 0: one key for each object, the one it is ordered by, null for a missing field. Kind 1: each
-- further key that a condition could meet, of an array's elements and of a path through arrays.
-- Kind 2: places on the globe, by cell. Row order is the order of creation, so ties need no date.
CREATE TABLE field_key (
    field INTEGER NOT NULL,
    kind INTEGER NOT NULL,
    key BLOB NOT NULL,
    row INTEGER NOT NULL,
    public_read INTEGER NOT NULL,
    PRIMARY KEY (field, kind, key, row)
) STRICT, WITHOUT ROWID;
