"""What on a page may be the element that no selector of the profile finds. Guesses for a person to choose from. Pure."""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from drivers.profile import Certainty, Selector
from drivers.screens.tree import Element, Tree
from rig.desk.probing import EXPECTED, Finding, Found, selector_words
from rig.desk.walk import NONSENSE, Visit

MOST = 4
"""Suggestions an element: a person reads them."""

CELLS = 3
"""As many alike elements make a grid."""

_SEARCH = re.compile(r"(?i).*(search|搜).*", re.DOTALL)
_CLEAR = re.compile(r"(?i).*(clear|close|cancel_search|清除|清空).*", re.DOTALL)
_FIELDS = re.compile(r"EditText|AutoCompleteTextView|TextInput|Search|.*(SearchField|TextField|TextView)$")


def suggest(
    findings: Sequence[Finding], visits: Sequence[Visit], package: str, language: str
) -> dict[str, tuple[Selector, ...]]:
    """By element, selectors that would fit, likeliest first; for elements that the profile names and that were not found."""
    found: dict[str, tuple[Selector, ...]] = {}
    for element, find in _FINDERS.items():
        ours = [finding.found for finding in findings if finding.element == element]
        if not ours or Found.FOUND in ours:
            continue
        trees = [visit.sight.tree for visit in visits if visit.stage in EXPECTED[element] and visit.sight is not None]
        selectors = [selector for tree in trees for selector in find(tree, package, language)]
        if selectors:
            found[element] = tuple(dict.fromkeys(selectors))[:MOST]
    return found


def as_toml(suggested: Mapping[str, Sequence[Selector]]) -> str:
    """The suggestions as lines to be put into a profile's `[elements]`."""
    lines = ["# Seen on the phone where no selector of the profile fits. Keep what is right, likeliest first.", "[elements]"]
    for element, selectors in suggested.items():
        entries = ", ".join(f'{{ {selector_words(selector)}, sure = "{selector.sure}" }}' for selector in selectors)
        lines.append(f"{element} = [{entries}]")
    return "\n".join(lines) + "\n"


def _visible(tree: Tree, package: str) -> list[Element]:
    return [element for element in tree.elements if element.area and element.package == package]


def _named(element: Element, language: str) -> Selector:
    """The surest way to say which element is meant: its id, else its label, its text, its kind."""
    if element.id:
        return Selector(id=element.id, sure=Certainty.SEEN)
    if element.label:
        return Selector(label=element.label, language=language, sure=Certainty.SEEN)
    if element.text:
        return Selector(text=element.text.strip(), language=language, sure=Certainty.SEEN)
    return Selector(kind=element.kind, sure=Certainty.SEEN)


def _fields(tree: Tree, package: str, language: str) -> list[Selector]:
    shown = [element for element in _visible(tree, package) if _FIELDS.fullmatch(element.kind)]
    return [_named(element, language) for element in sorted(shown, key=lambda element: not element.focused)]


def _speaking_of(pattern: re.Pattern[str]) -> Callable[[Tree, str, str], list[Selector]]:
    def find(tree: Tree, package: str, language: str) -> list[Selector]:
        shown = [
            element
            for element in _visible(tree, package)
            if any(pattern.fullmatch(words) for words in (element.id, element.label, element.text))
        ]
        return [_named(element, language) for element in sorted(shown, key=lambda element: not element.clickable)]

    return find


def _containers(tree: Tree, package: str, language: str) -> list[Selector]:
    shown = [element for element in _visible(tree, package) if element.scrollable]
    return [_named(element, language) for element in sorted(shown, key=lambda element: -element.area)]


def _cells(tree: Tree, package: str, _language: str) -> list[Selector]:
    """Ids, else kinds, that stand on several elements of one size, the most frequent first."""
    alike = Counter(
        (element.id, "" if element.id else element.kind, element.box[2] - element.box[0])
        for element in _visible(tree, package)
        if element.id or element.kind
    )
    return [
        Selector(id=name, kind=kind, sure=Certainty.SEEN)
        for (name, kind, _width), count in alike.most_common()
        if count >= CELLS
    ]


def _words_alone(tree: Tree, package: str, language: str) -> list[Selector]:
    """Texts of the page but for the query's own."""
    said = NONSENSE.split()[0]
    shown = [element for element in _visible(tree, package) if element.text and said not in element.text]
    middle = tree.size()[1] / 2
    shown.sort(key=lambda element: abs(element.centre[1] - middle))
    return [Selector(text=element.text.strip(), language=language, sure=Certainty.SEEN) for element in shown]


_FINDERS: Mapping[str, Callable[[Tree, str, str], list[Selector]]] = {
    "search_entry": _speaking_of(_SEARCH),
    "field": _fields,
    "clear": _speaking_of(_CLEAR),
    "submit": _speaking_of(_SEARCH),
    "results": _containers,
    "cell": _cells,
    "no_results": _words_alone,
}
