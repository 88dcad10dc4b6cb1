"""A walk through a gallery, page by page, so that a profile can be tried on each. Changes no photo and no setting."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from drivers.interface import Ending, GalleryDriver, Inspectable, SearchFailed, Sight

NONSENSE = "zqxv wkj 7301"
"""No photo answers it, in any language; a gallery that never says "nothing" shows that here."""

USUAL_QUERIES = {"zh": ("2024年", "照片"), "en": ("2024", "photo")}
"""By language, asked until one finds something; most galleries know years."""


class Stage(StrEnum):
    """The pages of a gallery that a search goes through."""

    DIALOG = "dialog"
    GALLERY = "gallery"
    SEARCH = "search page"
    TYPED = "typed"
    RESULTS = "results"
    NOTHING = "nothing found"


@dataclass(frozen=True, slots=True)
class Visit:
    """One page as it was met, or why it was not."""

    stage: Stage
    sight: Sight | None
    problem: str = ""
    """Why the page was not reached, or is not what it should be; "" when it is."""


class DeskDriver(GalleryDriver, Inspectable, Protocol):
    """A driver that can be calibrated."""


def walk(driver: DeskDriver, queries: Sequence[str]) -> tuple[Visit, ...]:
    """Every page, in order. A page that cannot be reached is there with its problem. Raises PhoneLost, DriverError."""
    visits = list(_opened(driver))
    visits.append(_visited(driver, Stage.SEARCH, driver.show_search_page))
    if not visits[-1].problem:
        visits.append(_visited(driver, Stage.TYPED, lambda: _typed(driver, queries[0])))
    return (*visits, _results(driver, queries), _nothing(driver))


def _opened(driver: DeskDriver) -> Iterator[Visit]:
    sights: list[Sight] = []
    try:
        sights.extend(driver.show_gallery())
    except SearchFailed as failed:
        yield from (Visit(Stage.DIALOG, sight) for sight in sights)
        yield _failed(driver, Stage.GALLERY, failed)
        return
    yield from (Visit(Stage.DIALOG, sight) for sight in sights[:-1])
    yield Visit(Stage.GALLERY, sights[-1])


def _visited(driver: DeskDriver, stage: Stage, show: Callable[[], Sight]) -> Visit:
    try:
        return Visit(stage, show())
    except SearchFailed as failed:
        return _failed(driver, stage, failed)


def _typed(driver: DeskDriver, text: str) -> Sight:
    driver.enter(text)
    return driver.inspect()


def _results(driver: DeskDriver, queries: Sequence[str]) -> Visit:
    """The results of the first query that finds something."""
    problem = ""
    for text in queries:
        try:
            with closing(driver.search(text)) as screens:
                next(screens)
                return Visit(Stage.RESULTS, driver.inspect())
        except StopIteration:
            problem = f"none of {', '.join(map(repr, queries))} finds a photo; give --query TEXT that does, or --album"
        except SearchFailed as failed:
            return _failed(driver, Stage.RESULTS, failed, f"{text!r}: ")
    return Visit(Stage.RESULTS, None, problem)


def _nothing(driver: DeskDriver) -> Visit:
    try:
        with closing(driver.search(NONSENSE)) as screens:
            next(screens)
            return Visit(Stage.NOTHING, None, f"{NEVER_SAYS_NOTHING}: it answers {NONSENSE!r} with photos")
    except StopIteration as end:
        problem = "" if end.value is Ending.NO_RESULTS else f"{NONSENSE!r} ended as {end.value}"
        return Visit(Stage.NOTHING, driver.inspect(), problem)
    except SearchFailed as failed:
        return _failed(driver, Stage.NOTHING, failed, f"{NONSENSE!r}: ")


NEVER_SAYS_NOTHING = "this gallery never says that it found nothing"


def _failed(driver: DeskDriver, stage: Stage, failed: SearchFailed, asked: str = "") -> Visit:
    """The page as it is, all the same: what stands there tells which selector is wrong."""
    try:
        sight = driver.inspect()
    except SearchFailed:
        sight = None
    return Visit(stage, sight, f"{asked}{failed}")
