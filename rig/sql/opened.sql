-- Thumbnails that were opened in full while their search went on (since version 2). Without a file where it failed.
CREATE TABLE IF NOT EXISTS opened (
    search INTEGER NOT NULL REFERENCES search ON DELETE CASCADE,
    number INTEGER NOT NULL,
    screen INTEGER NOT NULL,
    box TEXT NOT NULL,
    candidates TEXT NOT NULL,
    path TEXT,
    sha256 TEXT,
    viewport TEXT,
    failure TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (search, number),
    CHECK ((path IS NULL) = (failure != '') AND (path IS NULL) = (sha256 IS NULL) AND (path IS NULL) = (viewport IS NULL))
) STRICT, WITHOUT ROWID;
