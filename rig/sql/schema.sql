-- The ledger of one run. Times are ISO 8601, UTC. Lists and mappings are JSON.

CREATE TABLE run (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    created_at TEXT NOT NULL,
    protocol_sha256 TEXT NOT NULL,
    rig_version TEXT NOT NULL,
    confirm_erase TEXT NOT NULL
) STRICT;

CREATE TABLE phone (
    letter TEXT PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    platform TEXT NOT NULL,
    address TEXT NOT NULL,
    profile TEXT NOT NULL,
    options TEXT NOT NULL,
    parked TEXT,
    cause TEXT NOT NULL DEFAULT '',
    parked_at TEXT
) STRICT;

CREATE TABLE album (
    name TEXT PRIMARY KEY,
    place INTEGER NOT NULL UNIQUE,
    folder TEXT NOT NULL,
    digest TEXT NOT NULL,
    inputs_sha256 TEXT NOT NULL
) STRICT;

CREATE TABLE trial (
    id INTEGER PRIMARY KEY,
    letter TEXT NOT NULL REFERENCES phone,
    album TEXT NOT NULL REFERENCES album,
    UNIQUE (letter, album)
) STRICT;

CREATE TABLE attempt (
    id INTEGER PRIMARY KEY,
    trial INTEGER NOT NULL REFERENCES trial,
    number INTEGER NOT NULL,
    started_at TEXT NOT NULL,
    UNIQUE (trial, number)
) STRICT;

CREATE TABLE phase (
    attempt INTEGER NOT NULL REFERENCES attempt,
    phase TEXT NOT NULL CHECK (phase IN ('reset', 'import', 'index', 'query')),
    status TEXT NOT NULL CHECK (status IN ('started', 'done', 'gaps', 'failed')),
    started_at TEXT NOT NULL,
    ended_at TEXT,
    due_at TEXT,
    detail TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (attempt, phase)
) STRICT, WITHOUT ROWID;

CREATE TABLE identity (
    id INTEGER PRIMARY KEY,
    letter TEXT NOT NULL REFERENCES phone,
    attempt INTEGER REFERENCES attempt,
    moment TEXT NOT NULL CHECK (moment IN ('met', 'baseline', 'check', 'refused')),
    at TEXT NOT NULL,
    serial TEXT NOT NULL,
    model TEXT NOT NULL,
    build TEXT NOT NULL,
    os_version TEXT NOT NULL,
    gallery_package TEXT NOT NULL,
    gallery_version TEXT NOT NULL,
    locale TEXT NOT NULL,
    boot_count TEXT NOT NULL,
    virtual INTEGER NOT NULL
) STRICT;

CREATE TABLE evidence (
    id INTEGER PRIMARY KEY,
    letter TEXT NOT NULL REFERENCES phone,
    attempt INTEGER REFERENCES attempt,
    kind TEXT NOT NULL,
    at TEXT NOT NULL,
    body TEXT NOT NULL
) STRICT;

CREATE TABLE settings_to_restore (
    id INTEGER PRIMARY KEY,
    letter TEXT NOT NULL REFERENCES phone,
    at TEXT NOT NULL,
    settings TEXT NOT NULL,
    settled_at TEXT,
    settled_by TEXT
) STRICT;

-- outcome is NULL while a search is under way; such rows are dropped when a later process takes over.
CREATE TABLE search (
    id INTEGER PRIMARY KEY,
    attempt INTEGER NOT NULL REFERENCES attempt,
    query TEXT NOT NULL,
    language TEXT NOT NULL,
    repeat INTEGER NOT NULL,
    number INTEGER NOT NULL,
    outcome TEXT CHECK (outcome IN ('answered', 'invalid')),
    reason TEXT,
    detail TEXT NOT NULL DEFAULT '',
    ending TEXT,
    started_at TEXT NOT NULL,
    elapsed_s REAL,
    confirmed INTEGER NOT NULL DEFAULT 0,
    UNIQUE (attempt, query, language, repeat, number),
    CHECK ((outcome = 'invalid') = (reason IS NOT NULL) OR outcome IS NULL)
) STRICT;

CREATE UNIQUE INDEX one_answer ON search (attempt, query, language, repeat) WHERE outcome = 'answered';

CREATE TABLE screen (
    search INTEGER NOT NULL REFERENCES search ON DELETE CASCADE,
    number INTEGER NOT NULL,
    path TEXT NOT NULL,
    sha256 TEXT NOT NULL,
    viewport TEXT NOT NULL,
    cells TEXT,
    labels TEXT,
    sections TEXT NOT NULL,
    PRIMARY KEY (search, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE reading (
    search INTEGER PRIMARY KEY REFERENCES search ON DELETE CASCADE,
    eyes TEXT NOT NULL,
    positions TEXT NOT NULL,
    end_proven INTEGER NOT NULL,
    capped INTEGER NOT NULL,
    fault TEXT
) STRICT;

-- One row a search that was matched, so that "matched, nothing shown" and "not matched yet" differ.
CREATE TABLE matched (
    search INTEGER PRIMARY KEY REFERENCES search ON DELETE CASCADE,
    at TEXT NOT NULL,
    eyes TEXT NOT NULL
) STRICT;

CREATE TABLE position (
    search INTEGER NOT NULL REFERENCES matched (search) ON DELETE CASCADE,
    rank INTEGER NOT NULL,
    verdict TEXT NOT NULL CHECK (verdict IN ('matched', 'ambiguous', 'stranger')),
    photo TEXT,
    candidates TEXT NOT NULL,
    evidence TEXT NOT NULL,
    screen INTEGER NOT NULL,
    box TEXT NOT NULL,
    PRIMARY KEY (search, rank),
    CHECK ((verdict = 'matched') = (photo IS NOT NULL))
) STRICT, WITHOUT ROWID;

CREATE TABLE probe (
    id INTEGER PRIMARY KEY,
    attempt INTEGER NOT NULL REFERENCES attempt,
    round INTEGER NOT NULL,
    text TEXT NOT NULL,
    at TEXT NOT NULL,
    reason TEXT,
    signature TEXT,
    UNIQUE (attempt, round, text),
    CHECK ((reason IS NULL) != (signature IS NULL))
) STRICT;
