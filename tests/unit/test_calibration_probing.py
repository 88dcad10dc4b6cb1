"""Each selector tried on each page: found, not found, ambiguous; and what would fit instead."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from drivers.interface import Ending, Invalid, SearchFailed, Sight
from drivers.profile import Dialog, Elements, GalleryProfile, Selector
from drivers.screens.tree import Element, Tree
from rig.desk.probing import Found, probe, problems
from rig.desk.suggestions import as_toml, suggest
from rig.desk.walk import NONSENSE, Stage, Visit, walk

PACKAGE = "own.gallery"
PROFILE = GalleryProfile(
    name="own",
    title="Own",
    platform="android",
    package=PACKAGE,
    elements=Elements(
        search_entry=(Selector(text="搜索", language="zh"), Selector(text="Search", language="en")),
        field=(Selector(id="field"),),
        results=(Selector(id="list"),),
        cell=(Selector(id="thumb"),),
        no_results=(Selector(id="empty"),),
        spinner=(Selector(kind="ProgressBar"),),
    ),
)


def element(name: str = "", kind: str = "View", text: str = "", box: tuple[int, int, int, int] = (0, 0, 100, 50)) -> Element:
    return Element(
        name, PACKAGE, text, "", kind, PACKAGE, box, clickable=True, scrollable=kind == "RecyclerView",
        focused=False, window=0, depth=1, parent=-1,
    )  # fmt: skip


def visit(stage: Stage, *elements: Element, problem: str = "") -> Visit:
    return Visit(stage, Sight(b"png", Tree(elements), "page"), problem)


FIELD = element("field", "EditText")
CELLS = tuple(element("thumb", "ImageView", box=(100 * n, 100, 100 * n + 90, 190)) for n in range(4))
LIST = element("list", "RecyclerView", box=(0, 60, 400, 800))
GOOD = (
    visit(Stage.GALLERY, element(text="Search")),
    visit(Stage.SEARCH, FIELD),
    visit(Stage.TYPED, FIELD),
    visit(Stage.RESULTS, FIELD, LIST, *CELLS),
    visit(Stage.NOTHING, FIELD, element("empty", text="Nothing here")),
)


def judged(profile: GalleryProfile, visits: tuple[Visit, ...]) -> dict[str, Found]:
    return {f"{finding.element}/{finding.number}": finding.found for finding in probe(profile, visits, "en")}


def test_a_profile_that_fits_has_no_problems() -> None:
    assert judged(PROFILE, GOOD) == {
        "search_entry/0": Found.OTHER_LANGUAGE,
        "search_entry/1": Found.FOUND,
        "field/0": Found.FOUND,
        "results/0": Found.FOUND,
        "cell/0": Found.FOUND,
        "no_results/0": Found.FOUND,
        "spinner/0": Found.NOT_MET,
    }
    assert problems(probe(PROFILE, GOOD, "en"), GOOD) == ()


def test_two_fields_are_ambiguous() -> None:
    visits = (GOOD[0], visit(Stage.SEARCH, FIELD, FIELD), *GOOD[2:])
    assert judged(PROFILE, visits)["field/0"] is Found.AMBIGUOUS


def test_a_sign_of_nothing_that_also_stands_over_results_is_a_problem() -> None:
    visits = (*GOOD[:3], visit(Stage.RESULTS, LIST, *CELLS, element("empty")), GOOD[4])
    assert judged(PROFILE, visits)["no_results/0"] is Found.AMBIGUOUS
    assert problems(probe(PROFILE, visits, "en"), visits) == ('no_results: id = "empty" also fits on results',)


def test_a_dialog_s_sign_that_fits_the_gallery_itself_is_a_problem() -> None:
    profile = replace(PROFILE, dialogs=(Dialog("promo", sign=(Selector(id="field"),)),))
    assert any("dialog promo: sign" in problem for problem in problems(probe(profile, GOOD, "en"), GOOD))


def test_cells_that_are_not_found_are_a_problem_and_are_suggested() -> None:
    profile = replace(PROFILE, elements=replace(PROFILE.elements, cell=(Selector(id="gone"),)))
    findings = probe(profile, GOOD, "en")
    assert problems(findings, GOOD) == ("cell: none of its 1 selectors fits on results",)
    suggested = suggest(findings, GOOD, PACKAGE, "en")
    assert suggested["cell"][0].id == "thumb"
    assert set(suggested) == {"cell"}
    assert 'cell = [{ id = "thumb", sure = "C" }]' in as_toml(suggested)


def test_the_words_of_an_unknown_empty_page_are_suggested() -> None:
    profile = replace(PROFILE, elements=replace(PROFILE.elements, no_results=(Selector(id="gone"),)))
    visits = (*GOOD[:4], visit(Stage.NOTHING, element("", "EditText", NONSENSE), element(text="Nothing here"), problem="lost"))
    assert suggest(probe(profile, visits, "en"), visits, PACKAGE, "en")["no_results"] == (
        Selector(text="Nothing here", language="en", sure="C"),
    )


class PaperGallery:
    """A gallery of four pages that keeps `DeskDriver` as far as a walk goes."""

    def __init__(self, answers: dict[str, object]) -> None:
        self.answers = answers
        self.page = "first"
        self.asked: list[str] = []

    def inspect(self) -> Sight:
        return Sight(b"png", Tree(()), self.page)

    def show_gallery(self) -> Iterator[Sight]:
        self.page = "consent"
        yield self.inspect()
        self.page = "first"
        yield self.inspect()

    def show_search_page(self) -> Sight:
        self.page = "search"
        return self.inspect()

    def enter(self, text: str) -> str:
        self.page = f"typed {text}"
        return text

    def search(self, text: str):
        self.asked.append(text)
        answer = self.answers.get(text, Ending.NO_RESULTS)
        self.page = f"answer to {text}"
        if isinstance(answer, SearchFailed):
            raise answer
        if answer is not Ending.NO_RESULTS:
            yield answer
        return Ending.NO_RESULTS


@contextmanager
def walked(**answers: object) -> Iterator[tuple[PaperGallery, dict[Stage, Visit]]]:
    gallery = PaperGallery(answers)
    yield gallery, {visit.stage: visit for visit in walk(gallery, ("one", "two"))}


def test_a_walk_shows_every_page_in_its_order() -> None:
    with walked(two=object()) as (gallery, visits):
        assert [(stage, visit.sight.shown) for stage, visit in visits.items() if visit.sight] == [
            (Stage.DIALOG, "consent"),
            (Stage.GALLERY, "first"),
            (Stage.SEARCH, "search"),
            (Stage.TYPED, "typed one"),
            (Stage.RESULTS, "answer to two"),
            (Stage.NOTHING, f"answer to {NONSENSE}"),
        ]
        assert gallery.asked == ["one", "two", NONSENSE]


def test_a_phone_without_photos_is_asked_for_a_query_that_finds_one() -> None:
    with walked() as (_, visits):
        assert visits[Stage.RESULTS].problem == "none of 'one', 'two' finds a photo; give --query TEXT that does, or --album"


def test_a_page_that_is_not_understood_is_kept_with_what_stands_on_it() -> None:
    with walked(one=SearchFailed(Invalid.UNKNOWN_SCREEN, "neither results nor none")) as (_, visits):
        assert visits[Stage.RESULTS].sight is not None
        assert visits[Stage.RESULTS].problem == "'one': unknown_screen: neither results nor none"


def test_a_gallery_that_never_says_nothing_can_be_calibrated() -> None:
    photos = object()
    with walked(one=photos, **{NONSENSE: photos}) as (_, visits):
        assert visits[Stage.NOTHING].sight is None
        assert problems((), tuple(visits.values())) == ()
