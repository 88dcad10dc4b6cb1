"""Runs of one study, and other systems beside them, as one publication. Identities stop here."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from reports.publication import ANSWERED, Case, CropStrip, Kind, Publication, Row, Section, Suite, Table
from rig.compare.pairing import check_asked, check_comparable
from rig.config import Protocol
from rig.errors import RigError
from rig.metrics.averages import Averaging
from rig.metrics.returned import why_unanswered
from rig.metrics.scoring import METRIC_VERSION
from rig.model import Answer, Language, Outcome
from rig.publish.reviewing import COLUMNS, KEY, TITLE, Review, review_cells, review_lines, review_note, review_of
from rig.publish.study import Study, Subject
from rig.publish.tables import section_of
from rig.questions import Questions
from rig.records import Search
from rig.run import Run, latest_attempt, unsettled
from rig.run_sides import Named, questions_of, sides_of
from rig.scoreboard import Scoreboard, make_scoreboard
from rig.sides import EYES, Side

_AVERAGING = {
    Averaging.POOLED: "means over queries, pooled over albums",
    Averaging.ALBUMS: "means over albums of each album's mean over queries",
}


@dataclass(frozen=True, slots=True)
class Wanted:
    """How to publish."""

    averaging: Averaging = Averaging.POOLED
    with_published: bool = False
    private_queries: bool = False
    """Digests of the query set are sealed with the study's key: nobody else can check them against a query set."""
    with_review: bool = False
    """What annotators judged is stated: their agreement, and the scores after review."""


@dataclass(frozen=True, slots=True)
class Measured:
    """One phone in one run: its sides by language, and who it is."""

    run: Run
    subject: Subject
    letter: str
    """In the run."""
    sides: Mapping[Language, Side]


def measured_phones(runs: Sequence[Run]) -> tuple[Measured, ...]:
    """Every phone of every run. RigError when a run is not matched, or a run is given twice."""
    ids = [run.record.id for run in runs]
    if len(set(ids)) < len(ids):
        raise RigError("publish: a run is given twice; give each once")
    return tuple(phone for run in runs for phone in _phones(run))


def _phones(run: Run) -> Iterator[Measured]:
    sides = sides_of(run, Named(run.folder))
    for phone in run.ledger.phones():
        met = [identity.serial for identity in run.ledger.identities(phone.letter, "met") if identity.serial]
        subject = Subject(phone.name, met[0] if met else "", run.record.id)
        own = {side.language: side for side in sides if side.letter == phone.letter and side.language is not None}
        yield Measured(run, subject, phone.letter, own)


def gather(
    phones: Sequence[Measured],
    systems: Sequence[Side],
    study: Study,
    wanted: Wanted,
    *,
    crops: Sequence[CropStrip] = (),
) -> Publication:
    """The publication. RigError with the reason when the runs are not about the same questions and photos."""
    questions = questions_of(phones[0].run)
    labels = label_phones(phones, study)
    languages = [language for language in Language if any(language in phone.sides for phone in phones)]
    _refuse_unspoken(systems, languages)
    boards = {
        language: _board(phones, labels, systems, language=language, questions=questions, wanted=wanted)
        for language in languages
    }
    reviews = {phone.run.record.id: review_of(phone.run) for phone in phones} if wanted.with_review else {}
    sections = tuple(
        _reviewed(
            section_of(board, language, _kinds(board), with_published=wanted.with_published),
            language,
            [phone for phone in zip(labels, phones, strict=True) if language in phone[1].sides],
            reviews,
            wanted.averaging,
        )
        for language, board in boards.items()
    )
    return Publication(
        study=study.name,
        virtual=all(side.virtual for phone in phones for side in phone.sides.values()),
        sections=sections,
        method=_method(phones, wanted),
        footnotes=(
            *_footnotes(questions, sections, wanted),
            *_asked_too_early(phones, labels),
            *_said_of_reviews(phones, labels, reviews, study),
        ),
        stamps=_stamps(phones, questions, study, wanted),
        relevant_counts=tuple(len(query.relevant) for query in questions.queries),
        suites=tuple(_suites(phones, labels)),
        crops=tuple(crops),
    )


def _reviewed(
    section: Section,
    language: Language,
    phones: Sequence[tuple[str, Measured]],
    reviews: Mapping[str, Review],
    averaging: Averaging,
) -> Section:
    """The section with its table of what annotators made of it; the same section where none was wanted."""
    if not reviews:
        return section
    rows = tuple(
        Row(
            label,
            Kind.VIRTUAL if phone.sides[language].virtual else Kind.PHONE,
            review_cells(reviews[phone.run.record.id], phone.letter, language, averaging),
            complete=reviews[phone.run.record.id].is_complete(phone.letter, language),
        )
        for label, phone in sorted(phones, key=lambda pair: (len(pair[0].partition(".")[0]), pair[0]))
    )
    table = Table(KEY, TITLE, review_note(list(reviews.values())), COLUMNS, rows)
    return replace(section, tables=(*section.tables, table))


def _said_of_reviews(
    phones: Sequence[Measured], labels: Sequence[str], reviews: Mapping[str, Review], study: Study
) -> Iterator[str]:
    """Each run's review under the labels of its phones: a run's own name is a date."""
    for run, review in reviews.items():
        whose = sorted(label for label, phone in zip(labels, phones, strict=True) if phone.run.record.id == run)
        yield from review_lines(review, ", ".join(whose), study.seal)


def label_phones(phones: Sequence[Measured], study: Study) -> tuple[str, ...]:
    """`Phone A`, or `Phone A.2` for a phone that is here in several runs."""
    letters = [study.label(phone.subject, several=False) for phone in phones]
    return tuple(f"Phone {study.label(p.subject, several=letters.count(x) > 1)}" for p, x in zip(phones, letters, strict=True))


def _refuse_unspoken(systems: Sequence[Side], languages: Sequence[Language]) -> None:
    if len(languages) > 1 and (mute := [side.source for side in systems if side.language is None]):
        raise RigError(f"{mute[0]}: does not say its language, and the study has {' and '.join(languages)}; give --language")
    strange = [side for side in systems if side.language not in (None, *languages)]
    if strange:
        raise RigError(f"{strange[0].source}: is in {strange[0].language}, which no phone was asked in")


def _board(
    phones: Sequence[Measured],
    labels: Sequence[str],
    systems: Sequence[Side],
    *,
    language: Language,
    questions: Questions,
    wanted: Wanted,
) -> Scoreboard:
    asked = sorted(
        (
            replace(phone.sides[language], name=label)
            for phone, label in zip(phones, labels, strict=True)
            if language in phone.sides
        ),
        key=lambda side: (len(side.name.partition(".")[0]), side.name),
    )
    beside = [side for side in systems if side.language in (None, language)]
    for side in (*asked, *beside):
        check_comparable(asked[0], side)
        check_asked(side, questions)
    return make_scoreboard(questions, [*asked, *beside], averaging=wanted.averaging)


def _kinds(board: Scoreboard) -> list[Kind]:
    sides = [system.side for system in board.systems]
    return [Kind.SYSTEM if s.letter is None else Kind.VIRTUAL if s.virtual else Kind.PHONE for s in sides]


def _method(phones: Sequence[Measured], wanted: Wanted) -> tuple[str, ...]:
    protocol = phones[0].run.protocol
    devices = len({(phone.subject.name, phone.subject.serial) for phone in phones})
    photos = sum(len(ids) for ids in questions_of(phones[0].run).albums.values())
    return (
        f"{_counted(devices, 'phone')}, driven from outside through their own photo gallery, as a person would use it; "
        f"{photos} photos in {_counted(len(phones[0].run.materials), 'album')} were pushed to each after a reset, and indexed.",
        f"Every search was typed into the gallery's own search field, up to {protocol.max_results} results were captured by "
        "scrolling, and each thumbnail was traced to its source photo from the screenshots alone.",
        "A search that did not end on a result list, or on the gallery's own sign that nothing was found, is invalid: it is "
        "tried again as a fault of the bench, never scored, and counted. No search was repeated because its answer was bad.",
        *_opening(protocol),
        f"Scores are {_AVERAGING[wanted.averaging]}; an empty answer to a normal query scores 0. Rejection is pooled counts "
        "over all queries (PhotoBench, Appendix B.2).",
    )


def _opening(protocol: Protocol) -> tuple[str, ...]:
    """What is opened hangs on the ground truth, so it is said."""
    if not protocol.match.escalate:
        return ()
    return (
        "Results that their thumbnails left undecided between a relevant photo and another were opened in full during the "
        f"search, up to {protocol.match.escalations_per_search} each, and told at the screen's resolution, or left undecided.",
    )


def _counted(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _footnotes(questions: Questions, sections: Sequence[Section], wanted: Wanted) -> tuple[str, ...]:
    identity = questions.identity
    per_language = ", ".join(f"{_invalid(section)} in {section.language}" for section in sections)
    kept = "sealed with the study's key" if wanted.private_queries else "sha256"
    lines = [
        f"{identity.count - identity.zero} normal and {identity.zero} zero-ground-truth queries; searches without an answer: "
        f"{per_language}. They are left out of the values and spanned by the bounds; an incomplete phone is not ranked.",
        f"Averaging: {wanted.averaging}. Digests of query set and ground truth ({kept}) and protocol, and versions, are below.",
        "Letters are drawn by chance for this study and say nothing of maker, model, place or score. This hides names, not "
        "behaviour: whoever can measure a phone can compare its scores with these.",
        "Times are left out on purpose: how long a phone takes tells which it is.",
    ]
    if questions.without_truth:
        lines.append(f"{len(questions.without_truth)} queries without a known answer are left out.")
    if wanted.with_published:
        lines.append(
            "Rows marked as published are those printed in arXiv 2603.01493, over its own query set; its letters are its own."
        )
    return tuple(lines)


def _asked_too_early(phones: Sequence[Measured], labels: Sequence[str]) -> Iterator[str]:
    for phone, label in zip(phones, labels, strict=True):
        for said in sorted(set(unsettled(phone.run, phone.letter))):
            yield f"{label}: {said} by the end of its wait; what it did not find, it may not have looked at yet."


def _invalid(section: Section) -> int:
    table = section.table("coverage")
    if table is None:
        return 0
    counts = [*table.column("invalid"), *table.column("not_run")]
    return sum(count for count in counts if isinstance(count, int))


def _stamps(phones: Sequence[Measured], questions: Questions, study: Study, wanted: Wanted) -> dict[str, str]:
    digest = study.seal if wanted.private_queries else str
    runs = [phone.run for phone in phones]
    eyes = {side.stamps[EYES] for phone in phones for side in phone.sides.values() if EYES in side.stamps}
    return {
        "query set": digest(questions.identity.queries),
        "ground truth": digest(questions.identity.truth),
        "protocol": " + ".join(sorted({run.record.protocol_sha256 for run in runs})),
        "rig": " + ".join(sorted({run.record.rig_version for run in runs})),
        "metric version": METRIC_VERSION,
        "matching version": " + ".join(sorted(eyes)),
    }


def _suites(phones: Sequence[Measured], labels: Sequence[str]) -> Iterator[Suite]:
    for label, phone in sorted(zip(labels, phones, strict=True), key=lambda pair: pair[0]):
        tries = _tries(phone)
        for language, side in phone.sides.items():
            cases = tuple(_case(answer, tries.get((answer.query, language), [])) for answer in side.answers)
            yield Suite(label, language, cases)


def _tries(phone: Measured) -> dict[tuple[str, Language], list[Search]]:
    tries: dict[tuple[str, Language], list[Search]] = {}
    for trial in phone.run.ledger.trials():
        attempt = latest_attempt(phone.run, trial) if trial.letter == phone.letter else None
        for search in phone.run.ledger.searches(attempt.id) if attempt is not None else ():
            if search.key.repeat == 1 and search.outcome is not None:
                tries.setdefault((search.key.query, search.key.language), []).append(search)
    return tries


def _case(answer: Answer, tries: Sequence[Search]) -> Case:
    """The last word is what the score took: screens may turn out later to be no list."""
    words = [ANSWERED if search.outcome is Outcome.ANSWERED else _word(search.reason) for search in tries]
    if words and (reason := why_unanswered(answer)) is not None:
        words[-1] = _word(reason)
    return Case(answer.query, tuple(words))


def _word(reason: str | None) -> str:
    """The plain word that a reason begins with: what follows may name files."""
    found = re.match(r"[a-z_ ]+", reason or "")
    return found[0].strip() if found else "invalid"
