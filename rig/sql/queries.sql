-- name: add_run
INSERT INTO run (id, name, created_at, protocol_sha256, rig_version, confirm_erase) VALUES (?, ?, ?, ?, ?, ?);

-- name: run
SELECT id, name, created_at, protocol_sha256, rig_version, confirm_erase FROM run;

-- name: confirm_erase
UPDATE run SET confirm_erase = ?;

-- name: add_phone
INSERT INTO phone (letter, name, platform, address, profile, options) VALUES (?, ?, ?, ?, ?, ?);

-- name: phones
SELECT letter, name, platform, address, profile, options, parked, cause FROM phone ORDER BY letter;

-- name: park
UPDATE phone SET parked = ?, cause = ?, parked_at = ? WHERE letter = ? AND parked IS NULL;

-- name: unpark
UPDATE phone SET parked = NULL, cause = '', parked_at = NULL WHERE letter = ?;

-- name: add_album
INSERT INTO album (name, place, folder, digest, inputs_sha256) VALUES (?, ?, ?, ?, ?);

-- name: albums
SELECT name, folder, digest, inputs_sha256 FROM album ORDER BY place;

-- name: add_trial
INSERT INTO trial (letter, album) VALUES (?, ?);

-- name: trials
SELECT trial.id, trial.letter, trial.album FROM trial JOIN album ON album.name = trial.album ORDER BY trial.letter, album.place;

-- name: add_attempt
INSERT INTO attempt (trial, number, started_at) SELECT ?1, 1 + count(*), ?2 FROM attempt WHERE trial = ?1;

-- name: attempts
SELECT id, trial, number FROM attempt WHERE trial = ? ORDER BY number;

-- name: phases
SELECT phase, status, started_at, ended_at, due_at, detail FROM phase WHERE attempt = ? ORDER BY started_at;

-- name: start_phase
INSERT INTO phase (attempt, phase, status, started_at, due_at) VALUES (?, ?, 'started', ?, ?);

-- name: reopen_phase
UPDATE phase SET status = 'started', ended_at = NULL WHERE attempt = ? AND phase = ?;

-- name: end_phase
UPDATE phase SET status = ?, ended_at = ?, detail = ? WHERE attempt = ? AND phase = ?;

-- name: add_identity
INSERT INTO identity (letter, attempt, moment, at, serial, model, build, os_version, gallery_package, gallery_version, locale, boot_count, virtual)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- name: identities
SELECT attempt, moment, serial, model, build, os_version, gallery_package, gallery_version, locale, boot_count, virtual
FROM identity WHERE letter = ? ORDER BY id;

-- name: add_evidence
INSERT INTO evidence (letter, attempt, kind, at, body) VALUES (?, ?, ?, ?, ?);

-- name: evidence
SELECT kind, at, body FROM evidence WHERE letter = ? ORDER BY id;

-- name: save_settings
INSERT INTO settings_to_restore (letter, at, settings) VALUES (?, ?, ?);

-- name: unsettled
SELECT settings FROM settings_to_restore WHERE letter = ? AND settled_at IS NULL ORDER BY id;

-- name: settle
UPDATE settings_to_restore SET settled_at = ?, settled_by = ? WHERE letter = ? AND settled_at IS NULL;

-- name: begin_search
INSERT INTO search (attempt, query, language, repeat, number, started_at)
SELECT ?1, ?2, ?3, ?4, 1 + count(*), ?5 FROM search WHERE attempt = ?1 AND query = ?2 AND language = ?3 AND repeat = ?4;

-- name: search_number
SELECT number FROM search WHERE id = ?;

-- name: end_search
UPDATE search SET outcome = ?, reason = ?, detail = ?, ending = ?, elapsed_s = ? WHERE id = ? AND outcome IS NULL;

-- name: drop_unfinished
DELETE FROM search WHERE attempt = ? AND outcome IS NULL;

-- name: confirm
UPDATE search SET confirmed = 1 WHERE attempt = ? AND outcome IS NOT NULL AND confirmed = 0;

-- name: void_unconfirmed
-- A try that was no answer anyway keeps its own reason.
UPDATE search SET
    reason = CASE outcome WHEN 'invalid' THEN reason ELSE ? END,
    detail = CASE outcome WHEN 'invalid' THEN detail ELSE 'was ' || coalesce(outcome, 'under way') || '; void: ' || ? END,
    outcome = 'invalid',
    confirmed = 1
WHERE attempt = ? AND confirmed = 0;

-- name: searches
SELECT id, query, language, repeat, number, outcome, reason, detail, ending, started_at, elapsed_s
FROM search WHERE attempt = ? ORDER BY id;

-- name: add_screen
INSERT INTO screen (search, number, path, sha256, viewport, cells, labels, sections) VALUES (?, ?, ?, ?, ?, ?, ?, ?);

-- name: screens
SELECT number, path, sha256, viewport, cells, labels, sections FROM screen WHERE search = ? ORDER BY number;

-- name: add_opened
INSERT INTO opened (search, number, screen, box, candidates, path, sha256, viewport, failure)
SELECT ?1, count(*), ?2, ?3, ?4, ?5, ?6, ?7, ?8 FROM opened WHERE search = ?1;

-- name: opened
SELECT screen, box, candidates, path, sha256, viewport, failure FROM opened WHERE search = ? ORDER BY number;

-- name: save_reading
INSERT INTO reading (search, eyes, positions, end_proven, capped, fault) VALUES (?, ?, ?, ?, ?, ?)
ON CONFLICT (search) DO UPDATE SET eyes = excluded.eyes, positions = excluded.positions, end_proven = excluded.end_proven,
    capped = excluded.capped, fault = excluded.fault;

-- name: reading
SELECT eyes, positions, end_proven, capped, fault FROM reading WHERE search = ?;

-- name: forget_match
DELETE FROM matched WHERE search = ?;

-- name: add_match
INSERT INTO matched (search, at, eyes) VALUES (?, ?, ?);

-- name: matched
SELECT eyes FROM matched WHERE search = ?;

-- name: add_position
INSERT INTO position (search, rank, verdict, photo, candidates, evidence, screen, box) VALUES (?, ?, ?, ?, ?, ?, ?, ?);

-- name: positions
SELECT rank, verdict, photo, candidates, evidence, screen, box FROM position WHERE search = ? ORDER BY rank;

-- name: results
SELECT rank, verdict, photo, candidates FROM position WHERE search = ? ORDER BY rank;

-- name: add_probe
INSERT INTO probe (attempt, round, text, at, reason, signature) VALUES (?, ?, ?, ?, ?, ?);

-- name: probes
SELECT round, text, reason, signature FROM probe WHERE attempt = ? ORDER BY id;
