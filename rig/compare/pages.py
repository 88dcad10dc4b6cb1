"""The private page of a comparison: crops are cut from the runs' own screens; prediction files have none."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from matching.model import UnreadableImage
from reports.comparison import ChangedCard, ComparisonPage, Half, MetricLine, PairCard, Shown, write_comparison_page
from rig.analysis import answered_searches
from rig.compare.comparing import Compared, Comparison, Judged
from rig.compare.measuring import Measured
from rig.errors import RigError
from rig.metrics.averages import QueryScore
from rig.model import Answer, Language, Result
from rig.pictures import Pictures
from rig.records import Search
from rig.run import LEDGER, Run, open_run
from rig.sides import Side

MOST_QUERIES = 100
"""Cards on a page; the table and the JSON have every query."""
MOST_RESULTS = 18
"""Results a side and card: two to three rows of a page."""
COLUMNS = ("queries", "old", "new", "points", "95 % interval", "p", "p Holm", "better/same/worse", "no worse")
_DASH = "—"


def write_comparison(comparison: Comparison, folder: Path) -> Path:
    """The page is written into `folder`, which is new or empty; returns its path. RigError when it is neither."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise RigError(f"--page {folder}: is there already; give a new folder")
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    with ExitStack() as open_runs:
        looks = _Looks(folder, open_runs)
        cards = tuple(_pair(compared, looks) for compared in comparison.compared)
    return write_comparison_page(ComparisonPage("Comparison", COLUMNS, cards), folder)


class _Looks:
    """Crops of sides that are phones of runs; each run is opened once."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self._folder = folder
        self._stack = stack
        self._runs: dict[Path, _Searched] = {}

    def crops(self, side: Side, answer: Answer) -> Sequence[str]:
        """The crop of each result that is shown; empty where there are no pictures."""
        if side.letter is None or not (side.source / LEDGER).is_file():
            return ()
        if side.source not in self._runs:
            run = open_run(side.source)
            self._stack.callback(run.ledger.close)
            self._runs[side.source] = _Searched(run, Pictures(self._folder, run.folder, f"crops/{len(self._runs)}"), {})
        return self._runs[side.source].crops(side.letter, answer)


@dataclass(slots=True)
class _Searched:
    run: Run
    pictures: Pictures
    searches: dict[str, dict[tuple[str, Language], Search]]

    def crops(self, letter: str, answer: Answer) -> Sequence[str]:
        if letter not in self.searches:
            trials = [trial for trial in self.run.ledger.trials() if trial.letter == letter]
            self.searches[letter] = {
                (key.query, key.language): search
                for trial in trials
                for key, search in answered_searches(self.run, trial).items()
                if key.repeat == 1
            }
        search = self.searches[letter].get((answer.query, answer.language))
        if search is None:
            return ()
        placed = self.run.ledger.placed(search.id)[:MOST_RESULTS]
        try:
            return self.pictures.crops(search.id, self.run.ledger.screens(search.id), placed)
        except (UnreadableImage, IndexError):  # the screens were taken away; what they showed stays in the ledger
            return ()


def _pair(compared: Compared, looks: _Looks) -> PairCard:
    spoken = f", {compared.new.language}" if compared.new.language is not None else ""
    excluded = compared.pairs.excluded
    return PairCard(
        title=f"{compared.old.name} → {compared.new.name}{spoken}",
        lines=tuple(_line(judged) for judged in compared.family),
        notes=(f"{len(compared.pairs.old)} queries answered by both; {excluded} left out, unanswered by one or both.",),
        changed=tuple(_cards(compared, looks)),
        changed_in_all=len(compared.changed),
    )


def _line(judged: Judged) -> MetricLine:
    m = judged.measured
    p = None if m.p_value is None else m.p_value.p
    cells = (
        str(m.queries), _percent(m.old), _percent(m.new), _points(m.difference), _interval(m), _p(p), _p(judged.p_holm),
        f"{m.wins}/{m.ties}/{m.losses}", {True: "yes", False: "no", None: _DASH}[judged.non_inferior],
    )  # fmt: skip
    return MetricLine(m.metric, cells, worse=judged.non_inferior is False)


def _interval(m: Measured) -> str:
    return _DASH if m.interval is None else f"{_points(m.interval.low)} to {_points(m.interval.high)}"


def _percent(value: float | None) -> str:
    return _DASH if value is None else f"{100 * value:.1f}"


def _points(value: float | None) -> str:
    return _DASH if value is None else f"{100 * value:+.1f}"


def _p(value: float | None) -> str:
    return _DASH if value is None else f"{value:.4f}"


def _cards(compared: Compared, looks: _Looks) -> Iterator[ChangedCard]:
    old, new = ({answer.query: answer for answer in side.answers} for side in (compared.old, compared.new))
    for change in compared.changed[:MOST_QUERIES]:
        query = change.old.query
        before, after = old[query.id], new[query.id]
        yield ChangedCard(
            query=query.id,
            text=query.text.get(before.language) or next(iter(query.text.values()), query.id),
            source_type=query.source_type,
            relevant=len(query.relevant),
            points=None if change.difference is None else 100 * change.difference,
            old=_half(change.old, before, _names(after), looks.crops(compared.old, before)),
            new=_half(change.new, after, _names(before), looks.crops(compared.new, after)),
        )


def _half(q: QueryScore, answer: Answer, others: frozenset[str], crops: Sequence[str]) -> Half:
    shown = answer.results[:MOST_RESULTS]
    returned = len(answer.results)
    return Half(
        f1=_percent(None if q.sets is None else q.sets.f1.value),
        returned="nothing found" if q.empty else f"{returned} returned",
        shown=tuple(_shown(result, q, others, crops[i] if i < len(crops) else "") for i, result in enumerate(shown)),
        left_out=returned - len(shown),
    )


def _shown(result: Result, q: QueryScore, others: frozenset[str], crop: str) -> Shown:
    names = {result.photo} if result.photo is not None else set(result.candidates)
    told = {name in q.query.relevant for name in names}
    relevant = told.pop() if len(told) == 1 else None
    changed = bool(names) and not names & others
    return Shown(result.rank, result.photo or result.verdict, crop, relevant, changed=changed)


def _names(answer: Answer) -> frozenset[str]:
    return frozenset(name for result in answer.results for name in (result.photo, *result.candidates) if name is not None)
