PRAGMA journal_mode = WAL;

CREATE TABLE sessions (
	-- The access point's address, and what it calls the session, in hexadecimal digits.
	nas TEXT NOT NULL,
	session TEXT NOT NULL,
	identity TEXT NOT NULL,
	-- When it was last heard of, in seconds since 1970.
	seen INTEGER NOT NULL,
	PRIMARY KEY (nas, session)
);
CREATE INDEX sessions_of_identity ON sessions (identity);
CREATE INDEX sessions_seen ON sessions (seen);
