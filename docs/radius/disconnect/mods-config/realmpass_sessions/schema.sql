PRAGMA journal_mode = WAL;

CREATE TABLE sessions (
	id INTEGER PRIMARY KEY,
	-- The access point's address, and what it calls the session.
	nas TEXT NOT NULL,
	session TEXT NOT NULL,
	identity TEXT NOT NULL,
	-- When it was last heard of, and when a Disconnect-Request was last sent for it, in seconds since 1970.
	seen INTEGER NOT NULL,
	asked INTEGER NOT NULL DEFAULT 0,
	UNIQUE (nas, session)
);
CREATE INDEX sessions_of_identity ON sessions (identity);
CREATE INDEX sessions_seen ON sessions (seen);
