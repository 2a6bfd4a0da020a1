-- One application's objects, accounts and sessions.
--
-- Every change of an application has a number, its sequence, which rises and is never reused.
-- object.row = (class number << 44) + the sequence of the object's creation: a class's objects lie
-- side by side in the order of their creation, a scan of one class reads nothing else, and a
-- creation needs no row in the change log: the object itself is that row.

CREATE TABLE meta (
    name TEXT NOT NULL PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE class (
    number INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    relay TEXT NOT NULL,
    default_acl TEXT NOT NULL
) STRICT;

-- The document comes last: a scan that stops before it reads little.
CREATE TABLE object (
    row INTEGER PRIMARY KEY,
    class INTEGER NOT NULL,
    id TEXT NOT NULL,
    created INTEGER NOT NULL,
    updated INTEGER NOT NULL,
    public_read INTEGER NOT NULL,
    acl TEXT NOT NULL,
    doc TEXT NOT NULL
) STRICT;

CREATE UNIQUE INDEX object_id ON object (class, id);

-- Each index ends with the row by itself: (class, created, row).
CREATE INDEX object_public ON object (class, created) WHERE public_read = 1;

-- Readers other than everybody, and only of objects that everybody may not read: a list merges the
-- public index with its asker's ranges here.
CREATE TABLE "grant" (
    class INTEGER NOT NULL,
    principal TEXT NOT NULL,
    created INTEGER NOT NULL,
    row INTEGER NOT NULL,
    PRIMARY KEY (class, principal, created, row)
) STRICT, WITHOUT ROWID;

-- Updates (kind 2) and deletes (kind 3), with the object as it was before. The image after a change
-- is the image before the row's next change, or the object itself.
CREATE TABLE change (
    sequence INTEGER PRIMARY KEY,
    time INTEGER NOT NULL,
    kind INTEGER NOT NULL,
    row INTEGER NOT NULL,
    id TEXT NOT NULL,
    created INTEGER NOT NULL,
    updated INTEGER NOT NULL,
    acl TEXT NOT NULL,
    doc TEXT NOT NULL
) STRICT;

-- What no query can name (rulings 15): the tables below.
CREATE TABLE account (
    user INTEGER PRIMARY KEY,
    user_name TEXT NOT NULL UNIQUE,
    password_hash TEXT,
    mail_address TEXT,
    mail_key TEXT UNIQUE,
    mail_confirmed INTEGER NOT NULL
) STRICT;

CREATE TABLE auth (
    provider TEXT NOT NULL,
    provider_id TEXT NOT NULL,
    user INTEGER NOT NULL,
    json TEXT NOT NULL,
    PRIMARY KEY (provider, provider_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX auth_user ON auth (user, provider);

CREATE TABLE session (
    token_hash BLOB NOT NULL PRIMARY KEY,
    user INTEGER NOT NULL,
    user_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    created INTEGER NOT NULL,
    expires INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX session_user ON session (user);
CREATE INDEX session_expires ON session (expires);
