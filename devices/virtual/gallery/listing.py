"""One list that scrolls: what stands in it, how far it is scrolled, how much of it is loaded yet."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from zoneinfo import ZoneInfo

from devices.virtual.gallery.chance import between
from devices.virtual.gallery.finder import Outcome
from devices.virtual.gallery.flow import CellGeometry, Flow, FlowBuilder, RowKind
from devices.virtual.gallery.library import LibraryPhoto
from devices.virtual.gallery.scroll import Scroller
from devices.virtual.gallery.skin import DateHeaders, Order, Skin, Words
from devices.virtual.gallery.truth import ShownList

BAR_DP = 40
"""Height of the rows between the cells, for a screen 360 wide."""


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of a list: a bar of text, or photos."""

    kind: RowKind
    text: str = ""
    photos: tuple[LibraryPhoto, ...] = ()
    by_date: bool = True
    """False for photos in an order of relevance, among which dates would make no headings."""


class Listing:
    """The state of one list. `day` and `month` write date headings; times are seconds of the phone's clock."""

    def __init__(
        self,
        parts: Sequence[Part],
        skin: Skin,
        *,
        seed: int,
        heading: Callable[[LibraryPhoto], str],
        page_size: int = 0,
        speed: float = 1.0,
        log: ShownList | None = None,
    ) -> None:
        self.log = log
        self.photos = tuple(photo for part in parts for photo in part.photos)
        self._parts = parts
        self._skin = skin
        self._seed = seed
        self._speed = speed
        self._heading = heading
        self._page_size = page_size
        self._loaded = page_size or len(self.photos)
        self._ready_at_s: float | None = None
        self._flow: Flow | None = None
        self._cells = CellGeometry.fit(skin.grid, skin.screen.width_px)
        self._bar_px = max(1, round(BAR_DP * skin.screen.width_px / 360))
        self.scroller = Scroller(skin.scroll, seed, self._cells.pitch_px)

    @property
    def flow(self) -> Flow:
        """The rows as far as they are loaded."""
        if self._flow is None:
            self._flow = self._lay_out()
        return self._flow

    def limit_px(self, viewport_px: int) -> int:
        """How far the list scrolls in a viewport of that height."""
        return max(0, self.flow.height_px - viewport_px)

    def offset_px(self, now_s: float, viewport_px: int) -> int:
        """How far it is scrolled now."""
        return self.scroller.offset(now_s, self.limit_px(viewport_px))

    def advance(self, now_s: float, viewport_px: int) -> None:
        """The next page begins to load when its spinner comes into view, and is there when its time has come."""
        if self._loaded >= len(self.photos):
            return
        spinner_top = self.flow.height_px - self._bar_px
        if self._ready_at_s is None:
            if self.offset_px(now_s, viewport_px) + viewport_px > spinner_top:
                low, high = self._skin.results.page_s
                self._ready_at_s = now_s + between(low, high, self._seed, "page", self._loaded) / self._speed
        elif now_s >= self._ready_at_s:
            self._ready_at_s = None
            self._loaded += self._page_size
            self._flow = None

    def _lay_out(self) -> Flow:
        builder = FlowBuilder(
            self._cells, gap_px=self._skin.grid.gap_px, bar_px=self._bar_px, limit=self._loaded, heading=self._heading
        )
        complete = self._loaded >= len(self.photos)
        for part in self._parts:
            if part.kind is RowKind.CELLS:
                builder.photos(part.photos, headings=part.by_date)
            elif complete or part.kind not in (RowKind.END, RowKind.VIEW_ALL):
                builder.bar(part.kind, part.text)
        if not complete:
            builder.bar(RowKind.SPINNER, "")
        return builder.done()


def result_parts(outcome: Outcome, skin: Skin, told: Callable[[Words], str]) -> tuple[Part, ...]:
    """The first page of results: counts, sections, and "view all" where this gallery hides the rest."""
    look, texts = skin.results, skin.texts
    parts: list[Part] = []
    hidden = False
    if look.counts:
        words = texts.count_one if outcome.found == 1 else texts.count
        parts.append(Part(RowKind.COUNT, told(words).format(n=outcome.found)))
    for section in outcome.sections:
        top = section.title == "top"
        title = told(texts.top if top else texts.rest)
        hides = look.view_all and not top and len(section.photos) > look.preview_count
        if title or (hides and look.view_all_in_title):
            in_title = hides and look.view_all_in_title
            parts.append(Part(RowKind.TITLE_VIEW_ALL if in_title else RowKind.TITLE, title))
        shown = section.photos[: look.preview_count] if hides else section.photos
        parts.append(Part(RowKind.CELLS, photos=shown, by_date=not top and look.order is not Order.RELEVANCE))
        if hides and not look.view_all_in_title:
            parts.append(Part(RowKind.VIEW_ALL, told(texts.view_all)))
        hidden = hidden or hides
    return (*parts, *(() if hidden else _end(skin, told)))


def all_parts(outcome: Outcome, skin: Skin, told: Callable[[Words], str]) -> tuple[Part, ...]:
    """The page behind "view all": the whole last section."""
    return (
        Part(RowKind.CELLS, photos=outcome.sections[-1].photos, by_date=skin.results.order is not Order.RELEVANCE),
        *_end(skin, told),
    )


def _end(skin: Skin, told: Callable[[Words], str]) -> tuple[Part, ...]:
    return (Part(RowKind.END, told(skin.texts.end)),) if skin.results.ends else ()


def date_heading(skin: Skin, locale: str) -> Callable[[LibraryPhoto], str]:
    """What writes the date headings of this skin's grids."""
    zone, zh = ZoneInfo(skin.zone), locale.startswith("zh")

    def month(photo: LibraryPhoto) -> str:
        moment = photo.wall_time(zone)
        return f"{moment.year}年{moment.month}月" if zh else moment.strftime("%B %Y")

    def day(photo: LibraryPhoto) -> str:
        moment = photo.wall_time(zone)
        return f"{moment.year}年{moment.month}月{moment.day}日" if zh else f"{moment.day} {moment.strftime('%b %Y')}"

    headers = skin.grid.date_headers
    return {DateHeaders.NONE: lambda _photo: "", DateHeaders.MONTH: month, DateHeaders.DAY: day}[headers]
