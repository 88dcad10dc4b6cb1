"""Run folders as sides of tables and comparisons: `RUN` is every phone of a run, `RUN:B` one, `RUN:B:zh` one in one language.

What must agree for a comparison to be fair goes along as stamps: query set, ground truth, each album's photos, metric
version, and which eyes matched the screens.
"""

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

from rig.album.manifest import read_album
from rig.analysis import answered_searches, answers
from rig.errors import RigError
from rig.metrics.identity import identify
from rig.metrics.scoring import METRIC_VERSION
from rig.model import Language, Query
from rig.questions import Questions, load_questions
from rig.run import LEDGER, Run, open_run
from rig.run_report import virtual_phones
from rig.sides import EYES, GROUND_TRUTH, METRICS, QUERY_SET, Reading, Side, load_side


@dataclass(frozen=True, slots=True)
class Named:
    """What the user named: a run folder, and which of its phones and languages; None for all."""

    folder: Path
    letter: str | None = None
    language: Language | None = None


@dataclass(frozen=True, slots=True)
class Loaded:
    """The queries that scores are taken over, and the sides that each given source holds."""

    questions: Questions
    sides: tuple[tuple[Side, ...], ...]


def named_run(text: str) -> Named | None:
    """The run, phone and language that `text` names; None when no run folder lies there. RigError for no such language."""
    parts = text.split(":")
    for kept in range(len(parts), 0, -1):
        folder = Path(":".join(parts[:kept]))
        if (folder / LEDGER).is_file():
            return _named(folder, parts[kept:], text)
    return None


def _named(folder: Path, words: Sequence[str], text: str) -> Named:
    """A lone word is a language where there is such a language, else a letter."""
    languages = set(Language)
    if len(words) == 1 and words[0] in languages:
        return Named(folder, None, Language(words[0]))
    letter, language, *rest = [*words, "", ""][: max(2, len(words))]
    if rest or (language and language not in languages):
        raise RigError(f"{text}: expected RUN, RUN:B or RUN:B:zh, with a language of {', '.join(Language)}")
    return Named(folder, letter or None, Language(language) if language else None)


def questions_of(run: Run) -> Questions:
    """The run's own queries with known ground truth. RigError when there are none."""
    queries = [query for material in run.materials.values() for query in material.queries]
    known = tuple(query for query in queries if query.truth_known)
    if not known:
        raise RigError(f"{run.folder}: none of its {len(queries)} queries has a ground truth; give some with --queries FILE")
    blank = tuple(query.id for query in queries if not query.truth_known)
    return Questions(known, {}, blank, photo_ids(run), (), identify(known))


def photo_ids(run: Run) -> dict[str, frozenset[str]]:
    """The ids of each album's photos, whether or not the photos still lie where they were."""
    return {
        name: frozenset(photo.id for photo in read_album(material.folder, photos_needed=False).photos)
        for name, material in run.materials.items()
    }


def sides_of(run: Run, named: Named, *, across_eyes: bool = False) -> tuple[Side, ...]:
    """One side a phone and language that `named` means, by letter, then in the run's languages' order.

    `across_eyes` leaves out which eyes matched: they are then what is compared. RigError for no such phone or language, or
    when the run is not matched.
    """
    letters = [phone.letter for phone in run.ledger.phones()]
    _refuse_unknown(run, "phone", named.letter, letters)
    _refuse_unknown(run, "language", named.language, run.protocol.languages)
    stamps, virtual, given = _stamps(run), virtual_phones(run), answers(run)
    eyes = {} if across_eyes else _eyes(run)
    return tuple(
        Side(
            name=f"Phone {letter}",
            source=run.folder,
            language=language,
            answers=tuple(answer for answer in given[letter] if answer.language is language),
            stamps={**stamps, **({EYES: eyes[letter]} if letter in eyes else {})},
            letter=letter,
            virtual=virtual[letter],
        )
        for letter in letters
        if named.letter in (None, letter)
        for language in run.protocol.languages
        if named.language in (None, language)
    )


def _refuse_unknown(run: Run, what: str, wanted: str | None, there: Sequence[str]) -> None:
    if wanted is not None and wanted not in there:
        raise RigError(f"{run.folder}: has no {what} {wanted}; there are: {', '.join(there)}")


def _stamps(run: Run) -> dict[str, str]:
    identity = questions_of(run).identity
    albums = {f"album {record.name}": record.digest for record in run.ledger.albums()}
    return {QUERY_SET: identity.queries, GROUND_TRUTH: identity.truth, METRICS: METRIC_VERSION, **albums}


def _eyes(run: Run) -> dict[str, str]:
    """By letter, the versions of seeing that matched its answers; a phone without an answer has none."""
    versions: dict[str, set[str]] = {}
    for trial in run.ledger.trials():
        for search in answered_searches(run, trial).values():
            version = run.ledger.match_version(search.id)
            if version is not None:
                versions.setdefault(trial.letter, set()).add(version)
    return {letter: " + ".join(sorted(seen)) for letter, seen in versions.items()}


def load_sides(
    sources: Sequence[str | Path],
    *,
    queries: Sequence[Path] = (),
    albums: Sequence[Path] = (),
    reading: Reading | None = None,
    across_eyes: bool = False,
) -> Loaded:
    """Reads runs and prediction files over one set of queries: the given ones, else those of the first run.

    RigError when there is neither, or a source is no run and no prediction file.
    """
    reading = reading or Reading()
    named = [named_run(str(source)) for source in sources]
    first = next((run for run in named if run is not None), None)
    questions = _questions(queries, albums, first)
    sides = [
        (load_side(Path(source), questions, reading),)
        if run is None
        else open_sides(run, reading.language, across_eyes=across_eyes)
        for source, run in zip(sources, named, strict=True)
    ]
    return Loaded(questions, tuple(sides))


def _questions(files: Sequence[Path], albums: Sequence[Path], first: Named | None) -> Questions:
    if first is None:
        if not files:
            raise RigError("no queries: prediction files do not say what was asked; give it with --queries FILE")
        return load_questions(files, albums)
    run = open_run(first.folder)
    with closing(run.ledger):
        if not files:
            return questions_of(run)
        questions = load_questions(files, albums)
        asked = {query.album for query in questions.queries}
        known = {name: ids for name, ids in photo_ids(run).items() if name in asked}
        return replace(questions, albums={**known, **questions.albums})


def open_sides(named: Named, language: Language | None = None, *, across_eyes: bool = False) -> tuple[Side, ...]:
    """The sides that `named` means, in `language` where it names none; the run is closed again."""
    run = open_run(named.folder)
    with closing(run.ledger):
        return sides_of(run, replace(named, language=named.language or language), across_eyes=across_eyes)


def queries_asked(named: Named) -> tuple[Query, ...]:
    """Every query of the run, with ground truth or without."""
    run = open_run(named.folder)
    with closing(run.ledger):
        return tuple(query for material in run.materials.values() for query in material.queries)


def one_side(sides: Sequence[Side], source: str | Path) -> Side:
    """The only side of a source; RigError that says how to name one."""
    if len(sides) != 1:
        raise RigError(f"{source}: holds {len(sides)} phones and languages; name one, as in RUN:A:zh")
    return sides[0]


def matched_pairs(olds: Sequence[Side], news: Sequence[Side]) -> list[tuple[Side, Side]]:
    """The pairs to compare, within one language: each phone with itself where both hold it, else one with all of the other.

    RigError when nothing pairs.
    """
    shared = {side.letter for side in olds} & {side.letter for side in news} - {None}
    lone = not shared and 1 in (len({side.letter for side in olds}), len({side.letter for side in news}))
    alike = [(o, n) for o in olds for n in news if lone or (o.letter == n.letter and o.letter in shared)]
    pairs = [(old, new) for old, new in alike if _one_language(old, new)]
    if not pairs:
        raise RigError(
            f"compare: {_held(olds)} and {_held(news)} have no phone and language in common; name them, as in RUN:A:zh"
        )
    return pairs


def _one_language(old: Side, new: Side) -> bool:
    return old.language is None or new.language is None or old.language is new.language


def _held(sides: Sequence[Side]) -> str:
    return f"{sides[0].source.name} ({', '.join(f'{side.name} {side.language}' for side in sides)})"
