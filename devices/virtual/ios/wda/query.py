"""Elements found in a tree, in each of the ways that clients ask."""

import re

from devices.virtual.ios.wda.elements import TYPE, XElement
from devices.virtual.ios.wda.errors import invalid_selector
from devices.virtual.ios.wda.predicates import Test, predicate

_QUALIFIER = re.compile(r"\[(`(?:[^`]|``)*`|\$[^$]*\$|-?\d+)\]")
_STEP = re.compile(
    r"(?P<deep>\*\*)?/(?P<type>\*|XCUIElementType\w+)(?P<qualifiers>(?:\[(?:`(?:[^`]|``)*`|\$[^$]*\$|-?\d+)\])*)"
)


def find(root: XElement, using: str, value: str) -> list[XElement]:
    """What fits below `root`, in the order of the tree. Raises WdaError."""
    match using:
        case "predicate string" | "-ios predicate string":
            return _below(root, predicate(value))
        case "class chain" | "-ios class chain":
            return _class_chain(root, value)
        case "id" | "name" | "accessibility id":
            return _below(root, lambda element: element.attribute("name") == value)
        case "class name":
            return _below(root, lambda element: TYPE + element.type == value)
        case "link text" | "partial link text":
            return _link_text(root, value, whole=using == "link text")
        case "xpath":
            return _xpath(root, value)
    raise invalid_selector(f"{using} is no way to find elements")


def _below(root: XElement, test: Test) -> list[XElement]:
    return [element for element in root.walk() if element is not root and test(element)]


def _link_text(root: XElement, value: str, *, whole: bool) -> list[XElement]:
    key, _, wanted = value.partition("=")

    def test(element: XElement) -> bool:
        have = str(element.attribute(key) or "")
        return have == wanted if whole else wanted in have

    return _below(root, test)


def _class_chain(root: XElement, chain: str) -> list[XElement]:
    """`**/XCUIElementTypeX[`predicate`][$predicate of one below$][2]/…`."""
    text = chain if chain.startswith(("**", "/")) else f"/{chain}"
    current, place = [root], 0
    while place < len(text):
        step = _STEP.match(text, place)
        if step is None:
            raise invalid_selector(f"{chain!r} is no class chain")
        place = step.end()
        current = _unique([found for element in current for found in _step(element, step)])
    return current


def _step(element: XElement, step: re.Match[str]) -> list[XElement]:
    pool = _below(element, lambda _: True) if step["deep"] else list(element.children)
    if step["type"] not in ("*", f"{TYPE}Any"):
        pool = [found for found in pool if TYPE + found.type == step["type"]]
    for qualifier in _QUALIFIER.findall(step["qualifiers"]):
        pool = _qualified(pool, qualifier)
    return pool


def _qualified(pool: list[XElement], qualifier: str) -> list[XElement]:
    if qualifier[0] == "`":
        test = predicate(qualifier[1:-1].replace("``", "`"))
        return [element for element in pool if test(element)]
    if qualifier[0] == "$":
        return [element for element in pool if _below(element, predicate(qualifier[1:-1]))]
    number = int(qualifier)
    index = number - 1 if number > 0 else number
    return [pool[index]] if -len(pool) <= index < len(pool) else []


def _xpath(root: XElement, path: str) -> list[XElement]:
    """What Python's ElementTree understands of XPath: steps, `//`, `[@a='b']`, positions."""
    places = {}
    top = root.as_xml()
    for node, element in zip(top.iter(), root.walk(), strict=True):
        places[node] = element
    try:
        found = top.findall(path if path.startswith(".") else f".{path}")
    except SyntaxError as error:
        raise invalid_selector(f"{path!r} is no XPath: {error}") from error
    return [places[node] for node in found]


def _unique(elements: list[XElement]) -> list[XElement]:
    return list({id(element): element for element in elements}.values())
