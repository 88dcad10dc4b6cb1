"""From a run folder to its report: scores by phone and language, phase times, every search with its pictures."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from reports.model import Coverage, Honesty, PhaseTime, PhoneRow, Report, ResultCard, Score, SearchCard, Section
from rig.analysis import answered_searches, answers
from rig.metrics.averages import Averaging, QueryScore
from rig.metrics.bounded import Bounded
from rig.metrics.scoring import METRIC_VERSION, Scores, score
from rig.model import Answer, Language, Outcome, Query, Result, Verdict
from rig.phases.trust import UNCALIBRATED
from rig.pictures import Pictures
from rig.records import PhoneRecord, SearchKey
from rig.run import Run, final_tries, latest_attempt, phase_seconds, unsettled

AVERAGING = Averaging.POOLED
"""Over queries, as the paper's Table 3 seems to be formed; the page says so."""


def build_report(run: Run, folder: Path, *, honesty: Sequence[Honesty] = ()) -> Report:
    """The report of a matched run; its pictures are written below `folder`. Raises RigError when it is not matched yet."""
    found = answers(run)
    queries = [query for material in run.materials.values() for query in material.queries if query.truth_known]
    scores = {
        (letter, language): _score(run, queries, given, language)
        for letter, given in found.items()
        for language in run.protocol.languages
    }
    return Report(
        title=f"Run {run.record.id}",
        protocol=run.protocol.name,
        album=" + ".join(run.materials),
        photos=sum(len(material.album.photos) for material in run.materials.values()),
        virtual=all(virtual_phones(run).values()),
        sections=tuple(_section(run, language, queries, scores) for language in run.protocol.languages),
        honesty=tuple(honesty),
        times=tuple(_times(run)),
        searches=tuple(_cards(run, found, scores, Pictures(folder, run.folder))),
        footnotes=_footnotes(run),
    )


def virtual_phones(run: Run) -> dict[str, bool]:
    """By letter: whether the phone said of itself that it is made of software. A phone never reached counts as not."""
    met = {phone.letter: run.ledger.identities(phone.letter) for phone in run.ledger.phones()}
    return {letter: bool(seen) and all(identity.virtual for identity in seen) for letter, seen in met.items()}


def _score(run: Run, queries: Sequence[Query], given: Sequence[Answer], language: Language) -> Scores:
    names = {name: [photo.id for photo in material.album.photos] for name, material in run.materials.items()}
    asked = {query.id for query in queries}
    return score(queries, [a for a in given if a.language is language and a.query in asked], albums=names)


def _section(run: Run, language: Language, queries: Sequence[Query], scores: Mapping[tuple[str, Language], Scores]) -> Section:
    virtual = virtual_phones(run)
    rejection = sum(query.is_rejection for query in queries)
    rows = [
        _row(phone.letter, scores[phone.letter, language], virtual=virtual[phone.letter], note=_note(run, phone))
        for phone in run.ledger.phones()
    ]
    return Section(language, len(queries) - rejection, rejection, tuple(rows))


def _note(run: Run, phone: PhoneRecord) -> str:
    notes = ["uncalibrated"] if run.ledger.evidence(phone.letter, UNCALIBRATED) else []
    notes += [f"parked: {phone.parked.replace('_', ' ')}"] if phone.parked is not None else []
    return "; ".join([*notes, *unsettled(run, phone.letter)])


def _row(letter: str, scores: Scores, *, virtual: bool, note: str) -> PhoneRow:
    means = scores.overall[AVERAGING].sets
    covered = scores.coverage
    not_run = sum(count for reason, count in covered.reasons if reason == "not run")
    return PhoneRow(
        letter=letter,
        virtual=virtual,
        precision=as_score(means.precision),
        recall=as_score(means.recall),
        f1=as_score(means.f1),
        reject_precision=as_score(scores.rejection.precision),
        reject_recall=as_score(scores.rejection.recall),
        reject_f1=as_score(scores.rejection.f1),
        coverage=Coverage(
            planned=covered.asked,
            answered=covered.answered,
            invalid=covered.asked - covered.answered - not_run,
            not_run=not_run,
            retried=covered.retried,
        ),
        note=note,
    )


def as_score(bounded: Bounded) -> Score | None:
    """The report's form of a bounded number; None when it is undefined whatever was left open."""
    if bounded.low is None or bounded.high is None:
        return None
    return Score(bounded.value, bounded.low, bounded.high)


def _times(run: Run) -> Iterator[PhaseTime]:
    for (letter, _album), phases in phase_seconds(run).items():
        for phase, seconds in phases.items():
            yield PhaseTime(letter, phase, seconds)


def _cards(
    run: Run, found: Mapping[str, Sequence[Answer]], scores: Mapping[tuple[str, Language], Scores], pictures: Pictures
) -> Iterator[SearchCard]:
    for trial in run.ledger.trials():
        material = run.materials[trial.album]
        attempt = latest_attempt(run, trial)
        tries = final_tries(run.ledger.searches(attempt.id)) if attempt else {}
        by_query = {query.id: query for query in material.queries if query.truth_known}
        for answer in found[trial.letter]:
            if answer.query not in by_query:
                continue
            query = by_query[answer.query]
            seen = next(q for q in scores[trial.letter, answer.language].queries if q.query.id == query.id)
            search = tries.get(SearchKey(query.id, answer.language, 1))
            card = _card(trial.letter, query, answer, seen)
            if search is not None and answer.outcome is Outcome.ANSWERED:
                placed = run.ledger.placed(search.id)
                crops = pictures.crops(search.id, run.ledger.screens(search.id), placed)
                returned = {name for result in answer.results for name in _names(result)}
                sources = pictures.photos(material.album, returned | query.relevant)
                missing = tuple((name, sources.get(name, "")) for name in sorted(query.relevant - returned))
                results = tuple(
                    _result(result, crop, sources, query) for result, crop in zip(answer.results, crops, strict=True)
                )
                card = replace(card, ending=search.ending or "", results=results, missing=missing)
            yield card


def _card(letter: str, query: Query, answer: Answer, seen: QueryScore) -> SearchCard:
    sets = seen.sets
    return SearchCard(
        letter=letter,
        query=query.id,
        text=query.text[answer.language],
        language=answer.language,
        source_type=query.source_type,
        outcome=answer.outcome,
        ending=answer.reason or answer.outcome,
        relevant=len(query.relevant),
        precision=as_score(sets.precision) if sets else None,
        recall=as_score(sets.recall) if sets else None,
        f1=as_score(sets.f1) if sets else None,
        results=(),
        missing=(),
    )


def _names(result: Result) -> set[str]:
    """The photos that a result is, or may be."""
    return {name for name in (result.photo, *result.candidates) if name is not None}


def _result(result: Result, crop: str, sources: Mapping[str, str], query: Query) -> ResultCard:
    return ResultCard(
        rank=result.rank,
        verdict=result.verdict,
        crop=crop,
        photo=result.photo,
        source=sources.get(result.photo or "") or sources.get(next(iter(result.candidates), "")),
        relevant=_relevant(result, query),
        candidates=result.candidates,
    )


def _relevant(result: Result, query: Query) -> bool | None:
    """Whether a result answers the query; None when its candidates disagree, or there are none."""
    if result.verdict is Verdict.STRANGER:
        return None
    told = {name in query.relevant for name in _names(result)}
    return told.pop() if len(told) == 1 else None


def _footnotes(run: Run) -> tuple[str, ...]:
    record = run.record
    return (
        "P, R, F1: means of the per-query scores over normal queries; an empty answer to a normal query scores 0.",
        "Rej-P, Rej-R, Rej-F1: pooled counts over all queries (PhotoBench, Appendix B.2). A dash is undefined, not 0.",
        "value [low–high]: what undecided thumbnails, lists cut at the maximum and searches without an answer leave open.",
        f"Up to {run.protocol.max_results} results a search · protocol sha256 {record.protocol_sha256[:12]}"
        f" · metric version {METRIC_VERSION} · rig {record.rig_version}",
        *_unknown(run),
        *_opened(run),
    )


def _unknown(run: Run) -> tuple[str, ...]:
    """How many queries nobody knows the right answer of."""
    blank = [query.id for material in run.materials.values() for query in material.queries if not query.truth_known]
    return (
        (f"{len(blank)} queries whose right answer is not known are left out of the scores: {', '.join(blank)}.",)
        if blank
        else ()
    )


def _opened(run: Run) -> tuple[str, ...]:
    """How many results were opened in full, in a run whose protocol asks for it."""
    if not run.protocol.match.escalate:
        return ()
    searches = [search for trial in run.ledger.trials() for search in answered_searches(run, trial).values()]
    views = [view for search in searches for view in run.ledger.opened(search.id)]
    failed = sum(view.path is None for view in views)
    return (
        f"{len(views) - failed} results that their thumbnails left undecided were opened in full, up to "
        f"{run.protocol.match.escalations_per_search} a search; {failed} more did not open.",
    )
