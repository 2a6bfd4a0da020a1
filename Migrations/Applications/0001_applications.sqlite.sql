-- The applications, and what must be found without knowing the application.

CREATE TABLE application (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL UNIQUE,
    application_key TEXT NOT NULL UNIQUE,
    client_key TEXT NOT NULL,
    relay_key TEXT NOT NULL UNIQUE,
    relay_secret TEXT NOT NULL,
    created INTEGER NOT NULL,
    requires_signature INTEGER NOT NULL,
    timestamp_window_seconds INTEGER,
    hides_unreadable INTEGER NOT NULL,
    allows_anonymous INTEGER NOT NULL,
    session_lifetime_seconds INTEGER NOT NULL
) STRICT;
