"""Each selector of a profile tried on the pages of a walk. Pure: a bundle read back from the disk gives the same table."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from enum import StrEnum

from drivers.profile import Candidates, GalleryProfile, Selector
from drivers.screens.tree import Tree, fits
from rig.desk.walk import NEVER_SAYS_NOTHING, Stage, Visit


class Found(StrEnum):
    """What trying one selector gave."""

    FOUND = "found"
    NOT_FOUND = "not found"
    AMBIGUOUS = "ambiguous"
    """It fits more than the one element meant, or fits where it must not."""
    NOT_MET = "not met"
    """Where it would be was not on the screen: a dialog that did not come, a spinner that was quicker."""
    OTHER_LANGUAGE = "other language"


EXPECTED: Mapping[str, tuple[Stage, ...]] = {
    "search_entry": (Stage.GALLERY,),
    "field": (Stage.SEARCH, Stage.TYPED),
    "clear": (Stage.TYPED,),
    "submit": (Stage.TYPED,),
    "results": (Stage.RESULTS,),
    "cell": (Stage.RESULTS,),
    "no_results": (Stage.NOTHING,),
}
"""Where an element has to be; what stands here nowhere may be met or not."""

ONE = frozenset({"search_entry", "field", "clear", "submit", "cancel", "no_results", "view_all"})
"""Elements of which there is one: the first that fits is taken."""

FORBIDDEN: Mapping[str, tuple[Stage, ...]] = {
    "no_results": (Stage.GALLERY, Stage.SEARCH, Stage.TYPED, Stage.RESULTS),
    "spinner": (Stage.RESULTS, Stage.NOTHING),
    "indexing": (Stage.GALLERY, Stage.SEARCH, Stage.RESULTS, Stage.NOTHING),
    "retry": (Stage.GALLERY, Stage.SEARCH, Stage.RESULTS, Stage.NOTHING),
    "cell": (Stage.NOTHING,),
    "viewer": (Stage.RESULTS, Stage.NOTHING),
}
"""Pages on which a sign that fits would be taken for what it is not. "Nothing found" over results is the gravest of them."""

NEEDED = ("field", "results", "cell", "no_results")
"""Without these no search can be measured, where the profile names them and their page was met."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One selector of the profile, tried."""

    element: str
    number: int
    """Its place among the element's candidates, from 0."""
    selector: Selector
    found: Found
    counts: Mapping[Stage, int]
    """How many visible elements it fits, by page; pages without any are left out."""

    @property
    def words(self) -> str:
        """The selector as it stands in the profile."""
        return selector_words(self.selector)


def selector_words(selector: Selector) -> str:
    """A selector in TOML's words, without how sure it is."""
    told = {entry.name: getattr(selector, entry.name) for entry in fields(selector) if entry.name not in ("sure", "source")}
    return ", ".join(f'{key} = "{value}"' for key, value in told.items() if value)


def probe(profile: GalleryProfile, visits: Sequence[Visit], language: str) -> tuple[Finding, ...]:
    """Every selector of the profile, tried on every page, in the profile's order."""
    met = frozenset(visit.stage for visit in visits if visit.sight is not None)
    return tuple(
        _finding(element, number, selector, _counts(selector, profile.package, visits), _Walked(met, language))
        for element, candidates in _elements(profile)
        for number, selector in enumerate(candidates)
    )


def problems(findings: Sequence[Finding], visits: Sequence[Visit]) -> tuple[str, ...]:
    """Why the profile cannot be trusted on this gallery, in sentences; empty when it can."""
    found = [
        f"{visit.stage}: {visit.problem}"
        for visit in visits
        if visit.problem and not visit.problem.startswith(NEVER_SAYS_NOTHING)
    ]
    for element in NEEDED:
        ours = [finding for finding in findings if finding.element == element and finding.found is not Found.OTHER_LANGUAGE]
        first = next((finding for finding in ours if any(stage in finding.counts for stage in EXPECTED[element])), None)
        if ours and first is None and any(finding.found is Found.NOT_FOUND for finding in ours):
            found.append(f"{element}: none of its {len(ours)} selectors fits on {_pages(EXPECTED[element])}")
    found += [
        f"{finding.element}: {finding.words} also fits on {_pages(_wrong_places(finding.element, finding.counts))}"
        for finding in findings
        if _wrong_places(finding.element, finding.counts)
    ]
    return tuple(found)


def _elements(profile: GalleryProfile) -> Iterator[tuple[str, Candidates]]:
    for entry in fields(profile.elements):
        yield entry.name, getattr(profile.elements, entry.name)
    for dialog in profile.dialogs:
        yield f"dialog {dialog.name}: sign", dialog.sign
        yield f"dialog {dialog.name}: press", dialog.press


@dataclass(frozen=True, slots=True)
class _Walked:
    met: frozenset[Stage]
    language: str


def _counts(selector: Selector, package: str, visits: Sequence[Visit]) -> dict[Stage, int]:
    counts: dict[Stage, int] = {}
    for visit in visits:
        fitting = _count(visit.sight.tree, selector, package) if visit.sight else 0
        if fitting:
            counts[visit.stage] = max(fitting, counts.get(visit.stage, 0))
    return counts


def _finding(element: str, number: int, selector: Selector, counts: Mapping[Stage, int], walked: _Walked) -> Finding:
    expected = EXPECTED.get(element, ())
    seen = [counts[stage] for stage in expected or counts if stage in counts]
    if selector.language not in ("", walked.language):
        found = Found.OTHER_LANGUAGE
    elif _wrong_places(element, counts) or (element in ONE and any(count > 1 for count in seen)):
        found = Found.AMBIGUOUS
    elif seen:
        found = Found.FOUND
    else:
        found = Found.NOT_FOUND if walked.met & set(expected) else Found.NOT_MET
    return Finding(element, number, selector, found, counts)


def _wrong_places(element: str, counts: Mapping[Stage, int]) -> tuple[Stage, ...]:
    settled = (Stage.GALLERY, Stage.SEARCH, Stage.TYPED, Stage.RESULTS, Stage.NOTHING)
    forbidden = settled if element.startswith("dialog ") and element.endswith("sign") else FORBIDDEN.get(element, ())
    return tuple(stage for stage in forbidden if stage in counts)


def _count(tree: Tree, selector: Selector, package: str) -> int:
    return sum(element.area > 0 and fits(selector, element, package) for element in tree.elements)


def _pages(stages: Sequence[Stage]) -> str:
    return " and ".join(stages)
