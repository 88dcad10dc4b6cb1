"""The pages of the gallery: home, search with its results, "view all", one photo."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from devices.virtual.gallery.elements import Do, Element, Paint, Picture
from devices.virtual.gallery.flow import Flow
from devices.virtual.gallery.library import LibraryPhoto
from devices.virtual.gallery.lists import list_element, spinner, wall_time
from devices.virtual.gallery.skin import Entry, Place, TabLook
from devices.virtual.gallery.stage import Stage
from devices.virtual.interface import Box, Role

BAR_DP = 48
"""Height of a title bar, a search bar or a tab bar: Android's own measure."""


@dataclass(frozen=True, slots=True)
class ListView:
    """A list as it stands: its flow and how far it is scrolled."""

    flow: Flow
    offset_px: int


def home_viewport(stage: Stage) -> Box:
    """Where the photos of the home page scroll."""
    top = stage.ceiling + stage.dp(BAR_DP) * (2 if stage.skin.search.entry is Entry.TOP_BAR else 1)
    bottom_bar = stage.skin.tabs or stage.skin.search.entry is Entry.BOTTOM_BAR
    return 0, top, stage.width, stage.floor - (stage.dp(BAR_DP) if bottom_bar else 0)


def home(stage: Stage, view: ListView, *, cells_in_tree: bool) -> tuple[Element, ...]:
    """All photos, and the way into the search."""
    viewport = home_viewport(stage)
    title = (0, stage.ceiling, stage.width, stage.ceiling + stage.dp(BAR_DP))
    words = stage.told(stage.texts.title)
    return (
        list_element(stage, view.flow, viewport, view.offset_px, name=stage.skin.ids.home_grid, cells_in_tree=cells_in_tree),
        Element(Role.TEXT, title, name=stage.skin.ids.title, text=words, paint=_bar_text(stage, 20)),
        *_home_entry(stage, viewport),
        *_tab_bar(stage, viewport[3]),
    )


def _bar_text(stage: Stage, size_dp: float) -> Paint:
    text = stage.paint(size_dp, bold=True, pad_dp=16)
    return Paint(fill=stage.skin.colours.background, ink=text.ink, text_px=text.text_px, bold=True, pad_px=text.pad_px)


def _home_entry(stage: Stage, viewport: Box) -> Iterator[Element]:
    entry, words, bar = stage.skin.search.entry, stage.told(stage.texts.entry), stage.dp(BAR_DP)
    name = stage.skin.ids.entry
    if entry is Entry.ICON:
        box = (stage.width - bar, stage.ceiling, stage.width, stage.ceiling + bar)
        yield stage.icon(box, "search", Do.OPEN_SEARCH, name=name, label=words)
    if entry in (Entry.TOP_BAR, Entry.BOTTOM_BAR):
        top = stage.ceiling + bar if entry is Entry.TOP_BAR else viewport[3]
        yield _ground(stage, (0, top, stage.width, top + bar))
        box = (stage.dp(14), top + stage.dp(5), stage.width - stage.dp(14), top + bar - stage.dp(5))
        look = Paint(
            fill=stage.skin.colours.surface,
            radius_px=stage.dp(19),
            ink=stage.skin.colours.muted,
            text_px=stage.dp(14),
            pad_px=stage.dp(16),
        )
        yield Element(Role.BUTTON, box, name=name, text=words, paint=look, do=Do.OPEN_SEARCH)


def _ground(stage: Stage, box: Box) -> Element:
    return Element(Role.GROUP, box, paint=Paint(fill=stage.skin.colours.background), do=Do.NOTHING, in_tree=False)


def _tab_bar(stage: Stage, top: int) -> Iterator[Element]:
    tabs = stage.skin.tabs
    if not tabs:
        return
    yield _ground(stage, (0, top, stage.width, stage.floor))
    for index, tab in enumerate(tabs):
        box = (stage.width * index // len(tabs), top, stage.width * (index + 1) // len(tabs), stage.floor)
        chosen = tab.opens == "home"
        colours = stage.skin.colours
        look = stage.paint(12, ink=colours.accent if chosen else colours.muted, bold=chosen, centred=True)
        yield Element(
            Role.BUTTON, box, name=tab.name, text=stage.told(tab.text), paint=look, do=_tab_does(tab), selected=chosen
        )


def _tab_does(tab: TabLook) -> Do:
    return {"home": Do.OPEN_HOME, "search": Do.OPEN_SEARCH}.get(tab.opens, Do.NOTHING)


@dataclass(frozen=True, slots=True)
class SearchView:
    """The search page as it stands."""

    text: str
    focused: bool
    keyboard_top: int
    """Top of the keyboard, or of the navigation bar when it is closed."""
    results: ListView | None
    nothing: bool
    """True when the gallery says that it found nothing."""
    banner: str
    """What stands in place of results; "" for nothing."""
    turning: bool
    """True when a spinner shows that a search is on its way."""
    recent: Sequence[str]
    cells_in_tree: bool


def results_viewport(stage: Stage) -> Box:
    """Where results scroll; the keyboard, when open, lies over it."""
    bar = stage.dp(BAR_DP + 8)
    if stage.skin.search.field_place is Place.TOP:
        return 0, stage.ceiling + bar, stage.width, stage.floor
    return 0, stage.ceiling, stage.width, stage.floor - bar


def search(stage: Stage, view: SearchView) -> tuple[Element, ...]:
    """The field, and below it what the search has to show."""
    viewport = results_viewport(stage)
    return (*_search_body(stage, view, viewport), *_field_bar(stage, view))


def _search_body(stage: Stage, view: SearchView, viewport: Box) -> Iterator[Element]:
    ids = stage.skin.ids
    if view.banner:
        box = _line_box(stage, viewport, 0)
        yield Element(Role.TEXT, box, text=view.banner, paint=stage.paint(14, ink=stage.skin.colours.muted, centred=True))
    elif view.results is not None:
        flow, offset = view.results.flow, view.results.offset_px
        yield list_element(
            stage, flow, viewport, offset, name=ids.grid, cells_in_tree=view.cells_in_tree, header_name=ids.section
        )
        if ids.floating:
            yield _floating(stage, viewport)
    elif view.nothing:
        yield from _nothing(stage, viewport)
    elif not view.turning:
        yield from _suggestions(stage, view, viewport)
    if view.turning:
        middle, half = (viewport[1] + min(viewport[3], view.keyboard_top)) // 2, stage.dp(24)
        yield spinner(stage, (stage.width // 2 - half, middle - half, stage.width // 2 + half, middle + half))


def _floating(stage: Stage, viewport: Box) -> Element:
    side, edge = stage.dp(52), stage.dp(16)
    box = (stage.width - edge - side, viewport[3] - edge - side, stage.width - edge, viewport[3] - edge)
    look = Paint(fill=stage.skin.colours.surface, radius_px=side // 2, ink=stage.skin.colours.text, icon="search")
    return Element(Role.BUTTON, box, name=stage.skin.ids.floating, paint=look, do=Do.NOTHING)


def _line_box(stage: Stage, viewport: Box, line: int) -> Box:
    top = viewport[1] + stage.dp(120 + 30 * line)
    return 0, top, stage.width, top + stage.dp(30)


def _nothing(stage: Stage, viewport: Box) -> Iterator[Element]:
    ids, muted = stage.skin.ids, stage.skin.colours.muted
    sign = Element(
        Role.TEXT,
        _line_box(stage, viewport, 0),
        name=ids.empty_text,
        text=stage.told(stage.texts.nothing),
        paint=stage.paint(17, centred=True),
    )
    lines = [sign]
    more = stage.told(stage.texts.nothing_more)
    if more:
        lines.append(
            Element(Role.TEXT, _line_box(stage, viewport, 1), text=more, paint=stage.paint(13, ink=muted, centred=True))
        )
    if ids.empty:
        yield Element(Role.GROUP, (0, lines[0].box[1], stage.width, lines[-1].box[3]), name=ids.empty, children=tuple(lines))
    else:
        yield from lines


def _suggestions(stage: Stage, view: SearchView, viewport: Box) -> Iterator[Element]:
    """Recent searches, then the gallery's own ideas; while typing, what the text could be taken for."""
    ids, row = stage.skin.ids, stage.dp(44)
    lines: list[Element] = []

    def line(text: str, *, index: int | None) -> None:
        box = (0, viewport[1] + row * len(lines), stage.width, viewport[1] + row * (len(lines) + 1))
        heading = index is None
        look = stage.paint(13 if heading else 15, ink=stage.skin.colours.muted if heading else None, pad_dp=18)
        name = "" if heading else ids.suggestion
        do = None if heading else Do.PICK_SUGGESTION
        lines.append(Element(Role.TEXT, box, name=name, text=text, paint=look, do=do, index=index or 0))

    choices = suggestion_texts(stage, view.text, view.recent)
    if view.recent and not view.text:
        line(stage.told(stage.texts.recent), index=None)
    if view.text and choices:
        line(stage.told(stage.texts.suggested), index=None)
    for index, choice in enumerate(choices):
        if not view.text and index == len(view.recent) and stage.skin.search.suggestions:
            line(stage.told(stage.texts.suggested), index=None)
        line(choice, index=index)
    yield Element(Role.LIST, viewport, name=ids.suggestions, children=tuple(lines))


def suggestion_texts(stage: Stage, text: str, recent: Sequence[str]) -> tuple[str, ...]:
    """What the suggestion page offers: `Element.index` counts these."""
    own = tuple(stage.told(words) for words in stage.skin.search.suggestions)
    if text:
        return tuple(f"{text} · {words}" for words in own) if stage.skin.search.tokens else ()
    return (*recent, *own)


def _field_bar(stage: Stage, view: SearchView) -> Iterator[Element]:
    skin, bar = stage.skin, stage.dp(BAR_DP + 8)
    top = stage.ceiling if skin.search.field_place is Place.TOP else view.keyboard_top - bar
    left = stage.dp(44)
    right = stage.width - (stage.dp(64) if skin.search.has_cancel else stage.dp(12))
    box = (0, top, stage.width, top + bar)
    pieces = [
        stage.icon((0, top, left, top + bar), "back", Do.LEAVE_SEARCH, name=skin.ids.back, label=stage.told(stage.texts.back))
    ]
    pieces += _field(stage, view, (left, top + stage.dp(8), right, top + bar - stage.dp(8)))
    if skin.search.has_cancel:
        words = stage.told(stage.texts.cancel)
        pieces.append(stage.button((right, top, stage.width, top + bar), words, Do.LEAVE_SEARCH, name=skin.ids.cancel))
    yield Element(
        Role.GROUP, box, name=skin.ids.header, paint=Paint(fill=skin.colours.background), do=Do.NOTHING, children=tuple(pieces)
    )


def _field(stage: Stage, view: SearchView, box: Box) -> Iterator[Element]:
    colours, hint = stage.skin.colours, stage.told(stage.texts.hint)
    look = Paint(
        fill=colours.surface,
        radius_px=stage.dp(20),
        ink=colours.text if view.text else colours.muted,
        text_px=stage.dp(15),
        pad_px=stage.dp(14),
    )
    yield Element(
        Role.FIELD,
        box,
        name=stage.skin.ids.field,
        kind=stage.skin.ids.field_kind,
        text=view.text,
        hint=hint,
        drawn=view.text or hint,
        paint=look,
        do=Do.FOCUS_FIELD,
        focused=view.focused,
        editable=True,
    )
    if view.text:
        side = box[3] - box[1]
        clear = (box[2] - side, box[1], box[2], box[3])
        words = stage.told(stage.texts.clear)
        yield stage.icon(clear, "clear", Do.CLEAR_FIELD, name=stage.skin.ids.clear, label=words, ink=colours.muted)


def all_viewport(stage: Stage) -> Box:
    """Where the list behind "view all" scrolls."""
    return 0, stage.ceiling + stage.dp(BAR_DP + 8), stage.width, stage.floor


def all_results(stage: Stage, view: ListView, *, cells_in_tree: bool) -> tuple[Element, ...]:
    """The page behind "view all"."""
    viewport = all_viewport(stage)
    bar = (0, stage.ceiling, stage.width, viewport[1])
    words = stage.told(stage.texts.rest) or stage.told(stage.texts.title)
    back = (0, bar[1], stage.dp(44), bar[3])
    ids = stage.skin.ids
    return (
        list_element(
            stage, view.flow, viewport, view.offset_px, name=ids.grid, cells_in_tree=cells_in_tree, header_name=ids.section
        ),
        Element(
            Role.GROUP,
            bar,
            paint=Paint(fill=stage.skin.colours.background),
            do=Do.NOTHING,
            children=(
                stage.icon(back, "back", Do.BACK, name=ids.back, label=stage.told(stage.texts.back)),
                Element(Role.TEXT, (back[2], bar[1], stage.width, bar[3]), text=words, paint=stage.paint(17, bold=True)),
            ),
        ),
    )


def viewer(stage: Stage, photo: LibraryPhoto) -> tuple[Element, ...]:
    """One photo over the whole screen, its long side to the edge."""
    width, height = photo.row.width_px or 1, photo.row.height_px or 1
    if photo.row.orientation_deg in (90, 270):
        width, height = height, width
    scale = min(stage.width / width, stage.height / height)
    size = (max(1, round(width * scale)), max(1, round(height * scale)))
    left, top = (stage.width - size[0]) // 2, (stage.height - size[1]) // 2
    whole = (0, 0, stage.width, stage.height)
    back = (0, stage.ceiling, stage.dp(44), stage.ceiling + stage.dp(BAR_DP))
    white = (255, 255, 255)
    picture = Paint(picture=Picture(photo.row.id, whole=True))
    title = (back[2], back[1], stage.width, back[3])
    return (
        Element(Role.GROUP, whole, name=stage.skin.ids.viewer, paint=Paint(fill=(0, 0, 0)), do=Do.NOTHING),
        Element(Role.IMAGE, (left, top, left + size[0], top + size[1]), paint=picture),
        stage.icon(back, "back", Do.BACK, label=stage.told(stage.texts.back), ink=white),
        Element(Role.TEXT, title, text=stage.date(wall_time(stage, photo)), paint=stage.paint(14, ink=white)),
    )
