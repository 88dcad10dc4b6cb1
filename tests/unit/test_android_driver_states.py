"""What a UI tree says, on trees as uiautomator dumps them."""

import pytest

from drivers.android.states import classify
from drivers.android.tree import as_dumped, parse_tree
from drivers.interface import Invalid
from drivers.profile import Certainty, Dialog, Elements, GalleryProfile, Selector
from drivers.screens.states import Shown
from drivers.screens.tree import find_all

GALLERY = "com.example.gallery"
PROFILE = GalleryProfile(
    name="example",
    title="Example",
    platform="android",
    package=GALLERY,
    elements=Elements(
        field=(Selector(id="query", sure=Certainty.SEEN),),
        results=(Selector(id="grid"),),
        cell=(Selector(id="thumb"),),
        no_results=(Selector(text="No results", language="en"), Selector(text="没有结果", language="zh")),
        spinner=(Selector(id="progress"),),
        suggestions=(Selector(id="ideas"),),
        retry=(Selector(text="Try again"),),
    ),
    dialogs=(Dialog(name="terms", sign=(Selector(text="Terms of use"),), press=(Selector(text="Agree"),)),),
)
WHOLE = (0, 0, 1080, 2400)


def node(
    name: str = "",
    box: tuple[int, int, int, int] = WHOLE,
    *inner: str,
    package: str = GALLERY,
    kind: str = "android.view.View",
    text: str = "",
    label: str = "",
) -> str:
    full = f"{package}:id/{name}" if name and ":" not in name else name
    bounds = "[{},{}][{},{}]".format(*box)
    return (
        f'<node text="{text}" resource-id="{full}" class="{kind}" package="{package}" content-desc="{label}" '
        f'clickable="true" scrollable="false" focused="false" bounds="{bounds}">{"".join(inner)}</node>'
    )


def dump(*windows: str) -> str:
    return f'<?xml version="1.0" encoding="UTF-8"?><hierarchy rotation="0">{"".join(windows)}</hierarchy>'


FIELD = node("query", (60, 100, 1000, 200), kind="android.widget.EditText", text="beach")
CELLS = node("grid", (0, 300, 1080, 2300), node("thumb", (540, 300, 1080, 840)), node("thumb", (0, 300, 540, 840)))
GRID = node("", WHOLE, FIELD, CELLS)
SYSTEM = "com.android.systemui"


@pytest.mark.parametrize(
    ("windows", "shown"),
    [
        pytest.param([GRID], Shown.RESULTS, id="cells in the results"),
        pytest.param(
            [node("", WHOLE, FIELD, node(text="No results", box=(0, 600, 1080, 700)))], Shown.NO_RESULTS, id="sign, English"
        ),
        pytest.param(
            [node("", WHOLE, FIELD, node(text="没有结果", box=(0, 600, 1080, 700)))], Shown.NO_RESULTS, id="sign, Chinese"
        ),
        pytest.param([node("", WHOLE, FIELD, CELLS, node("progress"))], Shown.SPINNER, id="a spinner over cells"),
        pytest.param([node("", WHOLE, FIELD, node("ideas"))], Shown.SUGGESTIONS, id="suggestions"),
        pytest.param([node("", WHOLE, FIELD)], Shown.SEARCH_PAGE, id="an empty search page"),
        pytest.param([node("", WHOLE, CELLS.replace("thumb", "other"))], Shown.GALLERY, id="another page of the gallery"),
        pytest.param([node("", WHOLE, node(text="Terms of use"))], Shown.KNOWN_DIALOG, id="a dialog of the profile"),
    ],
)
def test_the_screen_is_named_by_what_the_gallery_shows(windows: list[str], shown: Shown) -> None:
    assert classify(parse_tree(dump(*windows)), PROFILE).shown is shown


@pytest.mark.parametrize(
    ("windows", "reason"),
    [
        pytest.param(
            [GRID, node("android:id/aerr_wait", (90, 1200, 990, 1300), package="android")], Invalid.NOT_RESPONDING, id="ANR"
        ),
        pytest.param([GRID, node(text="Photos isn't responding", package="android")], Invalid.NOT_RESPONDING, id="ANR by text"),
        pytest.param([GRID, node(text="相册没有响应", package="android")], Invalid.NOT_RESPONDING, id="ANR by text, Chinese"),
        pytest.param([node("keyguard_root_view", package=SYSTEM)], Invalid.LOCKED, id="lock screen"),
        pytest.param([GRID, node("grant", package="com.android.permissioncontroller")], Invalid.PERMISSION, id="permission"),
        pytest.param([node(package="com.android.settings")], Invalid.WRONG_APP, id="another app"),
        pytest.param(
            [GRID, node(box=(90, 900, 990, 1500), package="com.oem.update")], Invalid.DIALOG, id="another app's dialog"
        ),
        pytest.param(
            [node("", WHOLE, FIELD, node("android:id/button1", (90, 1200, 990, 1300)))], Invalid.DIALOG, id="own dialog"
        ),
        pytest.param(
            [GRID, node("expandableNotificationRow", (20, 60, 1060, 260), package=SYSTEM)], Invalid.NOTIFICATION, id="heads-up"
        ),
        pytest.param([node("", WHOLE, FIELD, node(text="Indexing 43 %"))], Invalid.INDEXING, id="indexing"),
        pytest.param([node("", WHOLE, FIELD, node(text="正在建立索引 43 %"))], Invalid.INDEXING, id="indexing, Chinese"),
        pytest.param([node("", WHOLE, FIELD, node(text="Try again"))], Invalid.UNKNOWN_SCREEN, id="the search itself failed"),
        pytest.param([], Invalid.UNKNOWN_SCREEN, id="an empty tree"),
    ],
)
def test_a_screen_that_is_not_an_answer_says_why(windows: list[str], reason: Invalid) -> None:
    state = classify(parse_tree(dump(*windows)), PROFILE)
    assert (state.shown, state.invalid) == (Shown.INVALID, reason)


def test_a_query_about_indexing_is_no_sign_of_indexing() -> None:
    typed = FIELD.replace("beach", "indexing")
    assert classify(parse_tree(dump(node("", WHOLE, typed, CELLS))), PROFILE).shown is Shown.RESULTS


def test_a_keyboard_is_no_dialog_and_its_place_is_known() -> None:
    keyboard = node(box=(0, 1500, 1080, 2400), package="com.oem.typing")
    state = classify(parse_tree(dump(GRID, keyboard)), PROFILE, keyboard_package="com.oem.typing")
    assert (state.shown, state.keyboard) == (Shown.RESULTS, (0, 1500, 1080, 2400))


def test_cells_come_in_reading_order() -> None:
    state = classify(parse_tree(dump(GRID)), PROFILE)
    assert [cell.box[0] for cell in state.cells] == [0, 540]


def test_a_status_bar_lies_over_nothing() -> None:
    bar = node("status_bar", (0, 0, 1080, 80), package=SYSTEM)
    assert classify(parse_tree(dump(GRID, bar)), PROFILE).shown is Shown.RESULTS


def test_a_window_hung_below_another_is_still_a_window_of_its_own() -> None:
    inside = node("", WHOLE, FIELD, CELLS, node(box=(90, 900, 990, 1500), package="com.oem.update"))
    assert classify(parse_tree(dump(inside)), PROFILE).invalid is Invalid.DIALOG


def test_the_first_candidate_that_fits_is_taken() -> None:
    tree = parse_tree(dump(GRID))
    found = find_all(tree, (Selector(id="absent"), Selector(id="thumb"), Selector(id="query")), GALLERY)
    assert [element.id for element in found] == ["thumb", "thumb"]


def test_an_element_of_another_package_does_not_fit() -> None:
    tree = parse_tree(dump(node("query", package="com.other")))
    assert find_all(tree, PROFILE.elements.field, GALLERY) == ()


@pytest.mark.parametrize(
    ("text", "dumped"),
    [("海边", "海边"), ("a😀b", "a..b"), ("e\u0301", "é")],
    ids=["plain", "each half of a surrogate pair", "composed"],
)
def test_text_is_compared_as_a_dump_shows_it(text: str, dumped: str) -> None:
    assert as_dumped(text) == dumped


def test_broken_xml_is_refused() -> None:
    with pytest.raises(ValueError, match="not XML"):
        parse_tree("<hierarchy><node")
