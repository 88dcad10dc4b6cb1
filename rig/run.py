"""A run folder: what went in, and the ledger of what came out.

runs/<utc>-<name>-<random>/
  inputs/            protocol, profiles, album manifests and queries as used; versions
  run.sqlite         the truth
  events.jsonl       history for people
  phones/<letter>/<album>/attempt-N/<query>/<language>-<repeat>/try-N/000.png …
"""

import json
import platform
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from random import Random

from drivers.profile import GalleryProfile
from rig.album.manifest import ALBUM_FILE, QUERIES_FILE, load_album, load_probes, load_queries, write_album, write_queries
from rig.config import FixedIndex, Protocol, find_toml, load_profile, load_protocol
from rig.disk import make_run_folder, safe_name, write_file
from rig.errors import RigError
from rig.model import Album, Outcome, Phone, Query
from rig.records import (
    NOT_CONVERGED,
    AlbumRecord,
    Attempt,
    Coverage,
    Phase,
    PhoneRecord,
    RunRecord,
    Search,
    SearchKey,
    Trial,
)
from rig.sampling import sample_queries
from rig.store import Ledger

LEDGER = "run.sqlite"
PROTOCOL = "protocol.toml"
SEEING = ("numpy", "opencv-python-headless", "pillow", "ImageHash")
"""Packages whose version can change what is seen."""


@dataclass(frozen=True)
class Material:
    """One album with what is asked of it."""

    folder: Path
    """The album folder; in a run, the copy of its manifest and queries."""
    queries: tuple[Query, ...]
    probes: tuple[Query, ...]

    @cached_property
    def album(self) -> Album:
        """The photos. Raises RigError when they are gone; only pushing and matching need them."""
        return load_album(self.folder)


@dataclass(frozen=True, slots=True)
class Run:
    """An open run folder."""

    folder: Path
    ledger: Ledger
    protocol: Protocol
    materials: Mapping[str, Material]
    """By album name, in the order of the run."""

    @property
    def record(self) -> RunRecord:
        """The run's own row: id, name, when, protocol hash, rig version."""
        return self.ledger.run()


def rig_version() -> str:
    """This rig's version."""
    try:
        return version("gallery-rig")
    except PackageNotFoundError:
        return "0+unknown"


def load_materials(folders: Sequence[Path], protocol: Protocol) -> dict[str, Material]:
    """The albums of a sweep with their queries. Raises RigError where one cannot serve the protocol."""
    materials: dict[str, Material] = {}
    seen: dict[str, str] = {}
    for folder in folders:
        if not (folder / QUERIES_FILE).is_file():
            raise RigError(f"album {folder}: has no {QUERIES_FILE}; make an album with: rig album import DIR --queries FILE")
        queries = sample_queries(load_queries(folder), protocol.queries, protocol.seed)
        material = Material(folder, queries, load_probes(folder))
        name = material.album.name
        if name in materials:
            raise RigError(f'album {folder}: another album of this sweep is also called "{name}"; give it another name')
        for query in material.queries:
            if query.id in seen:
                raise RigError(
                    f'album {folder}: query "{query.id}" is also in album "{seen[query.id]}"; ids must be unique in a sweep'
                )
            seen[query.id] = name
        _check_material(folder, material, protocol)
        materials[name] = material
    return materials


def _check_material(folder: Path, material: Material, protocol: Protocol) -> None:
    if not material.album.photos:
        raise RigError(f"album {folder}: has no usable photo; see: rig album audit DIR")
    if not material.queries:
        raise RigError(f"album {folder}: has no query to ask")
    for language in protocol.languages:
        mute = [query.id for query in material.queries if not query.text.get(language, "").strip()]
        if mute:
            raise RigError(f'album {folder}: query "{mute[0]}" has no {language} text, which protocol {protocol.name} asks for')
    if not isinstance(protocol.index, FixedIndex):
        probes = probe_texts(protocol, material)
        if not probes:
            raise RigError(
                f"album {folder}: has no probe queries, and protocol {protocol.name} waits by probes; add index.probes"
            )
        scored = {text for query in material.queries for text in query.text.values()} & set(probes)
        if scored:
            raise RigError(
                f'album {folder}: the probe "{min(scored)}" is also a scored query; a probe must be outside the scored set'
            )


def probe_texts(protocol: Protocol, material: Material) -> tuple[str, ...]:
    """What is asked while waiting for the index: the protocol's probes and the album's, each once."""
    if isinstance(protocol.index, FixedIndex):
        return ()
    probes = material.probes[: protocol.index.album_probes]
    of_album = [probe.text[language] for probe in probes for language in protocol.languages if language in probe.text]
    return tuple(dict.fromkeys((*protocol.index.probes, *of_album)))


def plan_run(
    *,
    runs: Path,
    protocol_file: Path,
    letters: Mapping[str, Phone],
    album_folders: Sequence[Path],
    confirm_erase: Sequence[str],
    now: datetime,
) -> Run:
    """A new run folder with everything that goes in, and its trials. Raises RigError before anything is made.

    `letters` are the phones by letter.
    """
    protocol = load_protocol(protocol_file)
    materials = load_materials(album_folders, protocol)
    for phone in letters.values():
        load_profile(phone.profile)
    folder = make_run_folder(runs, protocol.name, now)
    _write_inputs(folder, protocol_file, letters.values(), materials)
    ledger = Ledger(folder / LEDGER, create=True)
    with ledger.transaction():
        ledger.add_run(RunRecord(folder.name, protocol.name, now, protocol.digest, rig_version(), tuple(confirm_erase)))
        for place, (name, material) in enumerate(materials.items()):
            source = str(album_folders[place].resolve())
            ledger.add_album(AlbumRecord(name, source, material.album.digest, _inputs_hash(folder, name)), place)
        for letter, phone in sorted(letters.items()):
            ledger.add_phone(letter, phone)
            for name in materials:
                ledger.add_trial(letter, name)
    ledger.close()
    return open_run(folder)


def index_folder(run: Run, album: str) -> Path:
    """Where the index of an album's photos lies in the run folder."""
    return run.folder / "index" / safe_name(album)


def open_run(folder: Path) -> Run:
    """The run in a folder, by its own inputs. Raises RigError when it is none, or its inputs are not those it began with."""
    ledger = Ledger(folder / LEDGER)
    try:
        return _checked(folder, ledger)
    except BaseException:
        ledger.close()
        raise


def _checked(folder: Path, ledger: Ledger) -> Run:
    protocol = load_protocol(folder / "inputs" / PROTOCOL)
    if protocol.digest != ledger.run().protocol_sha256:
        raise RigError(
            f"{folder}: its protocol was changed after the run began; put back inputs/{PROTOCOL}, or begin anew with rig sweep"
        )
    materials = {}
    for record in ledger.albums():
        home = _album_home(folder, record.name)
        if _inputs_hash(folder, record.name) != record.inputs_sha256:
            raise RigError(f"{folder}: album {record.name} was changed after the run began; put back {home}")
        materials[record.name] = Material(home, load_queries(home), load_probes(home))
    return Run(folder, ledger, protocol, materials)


def profile_of(run: Run, phone: PhoneRecord) -> GalleryProfile:
    """The phone's gallery profile as it was when the run began."""
    return load_profile(_profile_home(run.folder, phone.profile))


def planned(protocol: Protocol, material: Material) -> tuple[SearchKey, ...]:
    """Every search of a trial: by repeat, then in the order of the query file, then by language."""
    return tuple(
        SearchKey(query.id, language, repeat)
        for repeat in range(1, protocol.repeats + 1)
        for query in material.queries
        for language in protocol.languages
    )


def asked_order(protocol: Protocol, material: Material, seed_words: str) -> tuple[SearchKey, ...]:
    """The same searches in the order in which a phone is asked them: shuffled within each repeat, the same at every start.

    `seed_words` make the order this phone's and album's own.
    """
    ordered: list[SearchKey] = []
    keys = planned(protocol, material)
    for repeat in range(1, protocol.repeats + 1):
        part = [key for key in keys if key.repeat == repeat]
        Random(f"{protocol.seed}/{seed_words}/{repeat}").shuffle(part)
        ordered += part
    return tuple(ordered)


def final_tries(searches: Sequence[Search]) -> dict[SearchKey, Search]:
    """The try that counts of each search: the answer where there is one, else the last that ended."""
    final: dict[SearchKey, Search] = {}
    for search in searches:
        if search.outcome is None:
            continue
        if search.key not in final or final[search.key].outcome is not Outcome.ANSWERED:
            final[search.key] = search
    return final


def latest_attempt(run: Run, trial: Trial) -> Attempt | None:
    """The attempt that counts: the last one. What an earlier one saw was seen of another import."""
    attempts = run.ledger.attempts(trial.id)
    return attempts[-1] if attempts else None


def coverage(run: Run) -> tuple[Coverage, ...]:
    """How the searches of every trial ended."""
    return tuple(_coverage(run, trial) for trial in run.ledger.trials())


def _coverage(run: Run, trial: Trial) -> Coverage:
    attempt = latest_attempt(run, trial)
    searches = run.ledger.searches(attempt.id) if attempt else ()
    final = final_tries(searches)
    total = len(planned(run.protocol, run.materials[trial.album]))
    answered = [search for search in final.values() if search.outcome is Outcome.ANSWERED]
    invalid = Counter(search.reason or "" for search in final.values() if search.outcome is Outcome.INVALID)
    counted = {search.id for search in final.values()}
    retries = Counter(
        search.reason or "" for search in searches if search.outcome is Outcome.INVALID and search.id not in counted
    )
    first = sum(search.number == 1 for search in answered)
    return Coverage(trial.letter, trial.album, total, len(answered), first, dict(invalid), total - len(final), dict(retries))


def phase_seconds(run: Run) -> dict[tuple[str, str], dict[Phase, float]]:
    """Wall seconds of each finished phase of the attempt that counts, by (letter, album)."""
    times: dict[tuple[str, str], dict[Phase, float]] = {}
    for trial in run.ledger.trials():
        attempt = latest_attempt(run, trial)
        times[trial.letter, trial.album] = {
            phase: (record.ended_at - record.started_at).total_seconds()
            for phase, record in (attempt.phases.items() if attempt else ())
            if record.ended_at is not None
        }
    return times


def unsettled(run: Run, letter: str) -> Iterator[str]:
    """That a phone was asked while its index still changed, or when no probe had found anything: once an album it is so of."""
    for trial in run.ledger.trials():
        attempt = latest_attempt(run, trial) if trial.letter == letter else None
        waited = attempt.phases.get(Phase.INDEX) if attempt else None
        if attempt and waited and waited.detail.startswith(NOT_CONVERGED):
            found = any(seen for each in run.ledger.probe_rounds(attempt.id) for seen in each.values())
            yield "index not converged" if found else "index not converged: no probe found anything"


def _write_inputs(folder: Path, protocol: Path, phones: Iterable[Phone], materials: Mapping[str, Material]) -> None:
    inputs = folder / "inputs"
    write_file(inputs / PROTOCOL, protocol.read_bytes())
    for reference in {phone.profile for phone in phones}:
        write_file(_profile_home(folder, reference), find_toml(reference, "devices").read_bytes())
    for name, material in materials.items():
        home = _album_home(folder, name)
        # An absolute root: the photos stay where they are and are not copied into the run.
        root = material.album.root.resolve()
        photos = tuple(replace(photo, path=root / photo.id) for photo in material.album.photos)
        write_album(replace(material.album, root=root, photos=photos), home)
        write_queries(material.queries, home, probes=material.probes)
    write_file(inputs / "versions.json", (json.dumps(_versions(), indent=2) + "\n").encode())


def _versions() -> dict[str, str]:
    packages = {name: version(name) for name in SEEING}
    return {"rig": rig_version(), "python": sys.version.split()[0], "system": platform.platform(), **packages}


def _album_home(folder: Path, name: str) -> Path:
    return folder / "inputs" / "albums" / safe_name(name)


def _inputs_hash(folder: Path, name: str) -> str:
    home = _album_home(folder, name)
    try:
        return sha256((home / ALBUM_FILE).read_bytes() + (home / QUERIES_FILE).read_bytes()).hexdigest()
    except OSError as error:
        raise RigError(f"{folder}: its copy of album {name} cannot be read ({error.strerror}); put the inputs back") from error


def _profile_home(folder: Path, reference: str) -> Path:
    """Two profiles of one file name from two folders are kept apart by a hash of the whole reference."""
    short = sha256(reference.encode()).hexdigest()[:8]
    return folder / "inputs" / "profiles" / f"{safe_name(Path(reference).stem)}-{short}.toml"
