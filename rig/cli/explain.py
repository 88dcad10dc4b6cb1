"""`rig explain RUN PHONE QUERY`: from a number back to screens, positions and photos."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Group
from rich.table import Table
from rich.text import Text

from rig.cli.plain import cell, inert, print_json, wide_console
from rig.explaining import Explained, Place, explain
from rig.metrics.bounded import Bounded
from rig.model import Language
from rig.run import open_run

_SAID = {True: "relevant", False: "not relevant", None: "open"}
_STYLE = {True: "green", False: "red", None: "yellow"}


def explain_command(
    folder: Annotated[Path, typer.Argument(metavar="RUN", help="A matched run folder.")],
    phone: Annotated[str, typer.Argument(metavar="PHONE", help="Its letter in the run.")],
    query: Annotated[str, typer.Argument(metavar="QUERY", help="The query's id, or its whole text.")],
    language: Annotated[Language | None, typer.Option(help="Needed when the run asked in several.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document on stdout.")] = False,
) -> None:
    """Shows one search: query, tries, screens, each position with its photo and evidence, scores. Private."""
    run = open_run(folder)
    with closing(run.ledger):
        explained = explain(run, phone, query, language)
    if as_json:
        print_json(_document(explained, folder))
    else:
        wide_console().print(Group(Text("\n".join(_lines(explained, folder))), _table(explained)), crop=False)


def _lines(e: Explained, folder: Path) -> Iterator[str]:
    query = e.query
    yield f"Phone {e.letter} · {inert(query.text.get(e.language, ''))} · {e.language} · query {inert(query.id)}"
    kinds = ", ".join(f"{inert(name)} {depth}" for name, depth in query.dimensions.items())
    yield f"album {inert(query.album)} · {query.source_type} · {len(query.relevant)} relevant{f' · {kinds}' if kinds else ''}"
    for search in e.tries:
        reason = f": {inert(search.reason)}, {inert(search.detail)}" if search.reason else ""
        yield f"try {search.number}: {search.outcome or 'cut short'}{reason}{f' ({search.ending})' if search.ending else ''}"
    if not e.tries:
        yield "not run"
    if e.answer.reason is not None and e.screens:
        yield f"no answer after all: {inert(e.answer.reason)}"
    for screen in e.screens:
        yield f"screen {screen.number}: {inert(folder / screen.path)}"
    for view in e.opened:
        found = inert(folder / view.path) if view.path else f"not shown: {inert(view.failure)}"
        yield f"opened in full from screen {view.screen} {view.box}: {found}"
    if e.missing:
        yield f"relevant, not returned: {inert(', '.join(e.missing))}"
    yield _scores(e)
    yield ""


def _scores(e: Explained) -> str:
    if e.score is None:
        return "no score: the right answer is not known"
    if e.score.unanswered is not None:
        return f"no score: {inert(e.score.unanswered)}"
    if e.score.sets is None:
        return "rejected, rightly" if e.score.empty else "not rejected: nothing of the album answers this query"
    sets, ranking = e.score.sets, e.score.ranking
    parts = {"P": sets.precision, "R": sets.recall, "F1": sets.f1, **{name: ranking[name] for name in ("recall@10", "ndcg@10")}}
    return " · ".join(f"{name} {_percent(score)}" for name, score in parts.items())


def _percent(score: Bounded) -> str:
    value, low, high = ("—" if x is None else f"{100 * x:.1f}" for x in (score.value, score.low, score.high))
    return value if low == value == high else f"{value} [{low}–{high}]"


def _table(e: Explained) -> Table:
    table = Table(title=f"{len(e.places)} positions, matched by {inert(e.eyes or 'nobody')}", title_justify="left")
    for name in ("#", "verdict", "photo", "relevance", "evidence", "screen", "crop"):
        table.add_column(name, overflow="fold")
    for place in e.places:
        p = place.placed
        said = p.photo if p.photo is not None else " or ".join(p.candidates) or "no photo of the album"
        twins = (
            f" (the same as {', '.join(sorted(set(p.candidates) - {p.photo}))})" if p.photo and len(p.candidates) > 1 else ""
        )
        evidence = ", ".join(f"{name} {value:.4g}" for name, value in p.evidence.items())
        table.add_row(
            str(p.rank + 1), p.verdict.value, cell(said + twins), cell(_SAID[place.relevant], _STYLE[place.relevant]),
            cell(evidence), f"{p.screen} {p.box}", cell(place.crop or "—"),
        )  # fmt: skip
    return table


def _document(e: Explained, folder: Path) -> dict[str, object]:
    return {
        "kind": "gallery-rig explanation",
        "schema_version": 1,
        "phone": e.letter,
        "query": {
            "id": e.query.id,
            "album": e.query.album,
            "text": e.query.text.get(e.language),
            "language": e.language,
            "source_type": e.query.source_type,
            "relevant": sorted(e.query.relevant),
        },
        "tries": [
            {"number": s.number, "outcome": s.outcome, "reason": s.reason, "detail": s.detail, "ending": s.ending}
            for s in e.tries
        ],
        "screens": [str(folder / screen.path) for screen in e.screens],
        "opened": [
            {
                "screen": view.screen,
                "box": list(view.box),
                "candidates": list(view.candidates),
                "file": None if view.path is None else str(folder / view.path),
                "failure": view.failure or None,
            }
            for view in e.opened
        ],
        "matching_version": e.eyes,
        "positions": [_place(place) for place in e.places],
        "not_returned": list(e.missing),
        "scores": _scores(e),
    }


def _place(place: Place) -> dict[str, object]:
    p = place.placed
    return {
        "rank": p.rank,
        "verdict": p.verdict,
        "photo": p.photo,
        "candidates": list(p.candidates),
        "relevant": place.relevant,
        "evidence": dict(p.evidence),
        "screen": p.screen,
        "box": list(p.box),
        "crop": None if place.crop is None else str(place.crop),
    }
