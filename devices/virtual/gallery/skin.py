"""How one maker's gallery looks and behaves: data, read from `skins/<name>.toml`.

Names (resource ids, identifiers) and texts are the real galleries' own where they are known publicly; the rest are stand-ins
of the same kind. The rig's device profiles are written for the real galleries, and these skins exercise them.
"""

import tomllib
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from importlib.resources import files

from devices.virtual.gallery.elements import Colour
from devices.virtual.gallery.indexer import IndexCosts
from devices.virtual.gallery.search import Engine
from devices.virtual.gallery.tables import TableError, build


class Order(StrEnum):
    """How a list of results is ordered."""

    NEWEST = "newest"
    OLDEST = "oldest"
    RELEVANCE = "relevance"


class Entry(StrEnum):
    """Where the search is opened from the home page."""

    TAB = "tab"
    TOP_BAR = "top_bar"
    BOTTOM_BAR = "bottom_bar"
    ICON = "icon"


class Place(StrEnum):
    """Where the search field stands."""

    TOP = "top"
    BOTTOM = "bottom"


class Waiting(StrEnum):
    """What is shown between a submitted search and its results."""

    STALE = "stale"
    """What was there before."""
    SPINNER = "spinner"
    BOTH = "both"
    """What was there before, with a spinner over it."""


class DateHeaders(StrEnum):
    """Whether dates stand between the rows of a grid."""

    NONE = "none"
    MONTH = "month"
    DAY = "day"


class Kernel(StrEnum):
    """How a thumbnail is scaled down."""

    BOX = "box"
    BILINEAR = "bilinear"
    BICUBIC = "bicubic"
    LANCZOS = "lanczos"
    GPU = "gpu"
    """Bilinear without filtering, as a graphics chip samples a texture."""
    NEAREST = "nearest"
    """Whole pixels skipped, then bilinear."""


@dataclass(frozen=True, slots=True)
class Words:
    """A text in both languages of the rig."""

    zh: str = ""
    en: str = ""

    def told(self, locale: str) -> str:
        """In the language of `locale`."""
        return self.zh if locale.startswith("zh") else self.en


@dataclass(frozen=True, slots=True)
class ScreenLook:
    """Pixels of the screen and its bars; `scale` is pixels a point (iOS)."""

    width_px: int = 720
    height_px: int = 1600
    status_bar_px: int = 48
    navigation_px: int = 32
    scale: float = 2.0
    keyboard_share: float = 0.38
    """Part of the height that the keyboard covers."""


@dataclass(frozen=True, slots=True)
class Colours:
    """The palette."""

    background: Colour = (255, 255, 255)
    surface: Colour = (242, 242, 245)
    text: Colour = (24, 24, 26)
    muted: Colour = (120, 120, 126)
    accent: Colour = (30, 100, 230)
    placeholder: Colour = (228, 228, 232)


@dataclass(frozen=True, slots=True)
class GridLook:
    """The grid of thumbnails."""

    columns: int = 4
    gap_px: int = 4
    side_px: int = 0
    """Margin left and right."""
    radius_px: int = 0
    date_headers: DateHeaders = DateHeaders.NONE
    video_share: float = 0.0
    """Share of the thumbnails that carry a video badge."""
    heart_share: float = 0.0
    cells_in_tree: bool = True
    """False for a gallery drawn on a GL surface."""
    placeholder_s: tuple[float, float] = (0.1, 0.3)
    """How long a thumbnail takes to replace its placeholder, from, to."""


@dataclass(frozen=True, slots=True)
class ThumbnailLook:
    """How this phone makes thumbnails."""

    kernel: Kernel = Kernel.BILINEAR
    format: str = "JPEG"
    """JPEG, WEBP or "" for no re-encoding."""
    quality: int = 85
    gamma: float = 1.0
    sharpen_percent: int = 0
    saturation: float = 1.0
    rgb565: bool = False
    shift_x_px: int = 0
    """The crop's distance from the photo's true centre, in pixels of the thumbnail."""
    shift_y_px: int = 0


@dataclass(frozen=True, slots=True)
class SearchLook:
    """The way from a text to its results."""

    entry: Entry = Entry.TOP_BAR
    field_place: Place = Place.TOP
    focus_on_open: bool = True
    live: bool = False
    """True when results appear while typing."""
    keyboard_stays: bool = False
    """True when `enter` leaves the keyboard open."""
    has_cancel: bool = False
    latency_s: tuple[float, float] = (0.15, 0.4)
    waiting: Waiting = Waiting.STALE
    suggestions: tuple[Words, ...] = ()
    tokens: bool = False
    """True when suggestions are offered under the field while typing, which change the query's meaning when taken (iOS)."""


@dataclass(frozen=True, slots=True)
class ResultLook:
    """The page of results."""

    order: Order = Order.NEWEST
    top_count: int = 0
    """Photos in a section of the most relevant before the rest; 0 for no such section."""
    top_repeats: bool = True
    """True when the rest has the top photos again."""
    view_all: bool = False
    view_all_in_title: bool = False
    """True when "view all" stands at the right end of the list's title, not below its first photos."""
    preview_count: int = 0
    """Photos shown before "view all" is tapped; 0 for whole lists."""
    page_size: int = 0
    """Photos loaded at a time; 0 for all at once."""
    page_s: tuple[float, float] = (0.2, 0.4)
    """How long the next page takes, from, to."""
    counts: bool = False
    """True when a header tells how many were found."""
    ends: bool = False
    """True when a line marks the end of the list."""


@dataclass(frozen=True, slots=True)
class ScrollLook:
    """How the screen follows a finger."""

    slop_px: int = 12
    """What the finger moves before the content does."""
    fling_s: float = 0.35
    """How long a fling runs out."""
    bounces: bool = False
    jitter_rows: float = 0.0
    """Every drag goes up to this many rows too far or too short."""


@dataclass(frozen=True, slots=True)
class ButtonLook:
    """A button of a dialog."""

    text: Words
    name: str = ""
    accepts: bool = True
    """False when it ends the app instead of going on."""


@dataclass(frozen=True, slots=True)
class DialogLook:
    """A dialog of the first run."""

    title: Words
    buttons: tuple[ButtonLook, ...]
    text: Words = Words()
    package: str = ""
    """Whose dialog it is; "" for the gallery's own."""
    name: str = ""
    sheet: bool = False
    """True when it covers the whole page (What's New)."""


@dataclass(frozen=True, slots=True)
class TabLook:
    """An item of the home page's tab bar."""

    text: Words
    name: str = ""
    opens: str = ""
    """`home`, `search` or "" for a page of no interest here."""


@dataclass(frozen=True, slots=True)
class Ids:
    """Resource ids (Android), identifiers (iOS), ids (HarmonyOS). "" where the element has none."""

    entry: str = ""
    field: str = ""
    field_kind: str = ""
    """The field's own class, where it is not the platform's usual one."""
    clear: str = ""
    cancel: str = ""
    back: str = ""
    header: str = ""
    """The bar around the field."""
    home_grid: str = ""
    grid: str = ""
    grid_group: str = ""
    """A group between grid and cells; "" for none."""
    cell: str = ""
    cell_kind: str = ""
    cell_frame: str = ""
    """A group around each cell's image; "" for none."""
    section: str = ""
    view_all: str = ""
    count: str = ""
    empty: str = ""
    """The group around the no-results sign; "" for none."""
    empty_text: str = ""
    progress: str = ""
    suggestions: str = ""
    suggestion: str = ""
    viewer: str = ""
    title: str = ""
    floating: str = ""
    """A round button that floats over the grid; "" for none."""


@dataclass(frozen=True, slots=True)
class Texts:
    """What the gallery says."""

    title: Words = Words("照片", "Photos")
    entry: Words = Words("搜索", "Search")
    hint: Words = Words("搜索", "Search")
    cancel: Words = Words("取消", "Cancel")
    clear: Words = Words("清除", "Clear")
    back: Words = Words("返回", "Back")
    nothing: Words = Words("无结果", "No results")
    nothing_more: Words = Words()
    """A second line below the no-results sign."""
    count: Words = Words("{n} 项", "{n} items")
    count_one: Words = Words("1 项", "1 item")
    top: Words = Words("最相关", "Most relevant")
    rest: Words = Words()
    """Title of the list itself; "" for none."""
    view_all: Words = Words("查看全部", "View all")
    end: Words = Words("没有更多了", "No more photos")
    indexing: Words = Words("正在建立索引 {p} %", "Indexing {p} %")
    recent: Words = Words("最近搜索", "Recent searches")
    suggested: Words = Words("您可以尝试搜索", "You can try to search")
    photo: Words = Words()
    """Label of a cell: {when}, {n} (1-based position); "" for none."""
    video: Words = Words()
    """Label of a cell with a video badge; "" for that of a photo."""
    when: Words = Words("{y}年{m}月{d}日 {H:02}:{M:02}", "{mon} {d}, {y} {h}:{M:02}:{S:02} {AP}")


@dataclass(frozen=True, slots=True)
class Skin:
    """One gallery. `package`, `activity` and `version` are what the phone reports of it."""

    name: str
    platform: str
    """android, ios or harmony."""
    package: str
    version: str
    model: str
    activity: str = ""
    locale: str = "en-US"
    zone: str = "Asia/Shanghai"
    screen: ScreenLook = ScreenLook()
    colours: Colours = Colours()
    grid: GridLook = GridLook()
    thumbnail: ThumbnailLook = ThumbnailLook()
    search: SearchLook = SearchLook()
    results: ResultLook = ResultLook()
    scroll: ScrollLook = ScrollLook()
    ids: Ids = Ids()
    texts: Texts = Texts()
    engine: Engine = field(default_factory=Engine)
    indexing: IndexCosts = field(default_factory=IndexCosts)
    first_run: tuple[DialogLook, ...] = ()
    tabs: tuple[TabLook, ...] = ()


def skin_names() -> tuple[str, ...]:
    """The skins that come with the gallery."""
    names = (entry.name for entry in (files(__package__) / "skins").iterdir())
    return tuple(sorted(name.removesuffix(".toml") for name in names if name.endswith(".toml")))


@cache
def load_skin(name: str) -> Skin:
    """The skin of that name. Raises TableError when there is none or its file does not fit."""
    if name not in skin_names():
        raise TableError(f"no skin {name!r}; there are {', '.join(skin_names())}")
    text = (files(__package__) / "skins" / f"{name}.toml").read_text(encoding="utf-8")
    return build(Skin, {"name": name, **tomllib.loads(text)}, f"skin {name}")
