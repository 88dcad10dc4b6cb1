"""The virtual WebDriverAgent, seen by the unmodified facebook-wda over a forward, as it sees a real one."""

import io
from collections.abc import Iterator
from typing import Any

import pytest
import wda
from iphones import NEW, OLD, IPhones, running_iphones
from PIL import Image
from wda.exceptions import WDARequestError

from devices.virtual.ios.wda.elements import XElement
from devices.virtual.ios.wda.errors import WdaError
from devices.virtual.ios.wda.query import find
from drivers.ios.agent import Agent

PHOTOS = "com.apple.mobileslideshow"


@pytest.fixture(scope="module")
def phones(tmp_path_factory: pytest.TempPathFactory) -> Iterator[IPhones]:
    with running_iphones(tmp_path_factory.mktemp("iphones")) as phones:
        for name in (OLD, NEW):
            with phones.driver(name) as driver:
                phones.with_album(driver, name)
        yield phones


@pytest.fixture(params=[OLD, NEW])
def client(phones: IPhones, request: pytest.FixtureRequest) -> Iterator[Any]:
    """facebook-wda with Photos in front, past what is shown to a new user."""
    with phones.services(request.param) as services:
        client = wda.Client(f"http://{services.forward(8100)}").session(PHOTOS)
        if client(predicate="label IN {'Continue', '继续'}").exists:
            client(predicate="label IN {'Continue', '继续'}").click()
        if client.alert.exists:
            client.alert.dismiss()
        client.unregister_callback()  # by its own, it would make a new session of each that is lost, without end
        yield client
        client.http.post("/wda/apps/terminate", {"bundleId": PHOTOS})


def open_search(client: Any) -> Any:
    client(predicate="name IN {'magnifyingglass', 'SearchTab'}").click()
    return client(predicate="type == 'XCUIElementTypeTextView'").get()


def test_the_client_reads_who_it_is_talking_to(client: Any) -> None:
    assert client.status()["build"]["version"] == "16.12.9"
    assert client.app_current()["bundleId"] == PHOTOS
    assert client.app_state(PHOTOS).value == 4
    assert client.scale == 2


def test_a_screenshot_has_the_screens_pixels(client: Any) -> None:
    width, height = client.window_size()
    assert client.screenshot(format="pillow").size == (width * 2, height * 2)


def test_text_that_is_set_is_read_back_exactly(client: Any) -> None:
    field = open_search(client)
    field.set_text("It's 海边 👨‍👩‍👧 \\ 50%")
    assert client(predicate="type == 'XCUIElementTypeTextView'").get().value == "It's 海边 👨‍👩‍👧 \\ 50%"
    field.clear_text()
    assert client(predicate="type == 'XCUIElementTypeTextView'").get().value in (
        "Search your library...",
        "照片、人物、地点…",
    )


def test_elements_are_found_in_each_way_clients_ask(client: Any) -> None:
    ways = [
        {"predicate": "name BEGINSWITH 'PXGGridLayout-I' AND type == 'XCUIElementTypeImage'"},
        {"classChain": "**/XCUIElementTypeImage[`name == 'PXGGridLayout-Info'`]"},
        {"id": "PXGGridLayout-Info"},
        {"xpath": "//XCUIElementTypeImage[@name='PXGGridLayout-Info']"},
    ]
    counts = {len(client(**way).find_elements()) for way in ways}
    assert len(counts) == 1
    assert counts.pop() > 3


def test_tiles_of_ios_26_claim_not_to_be_hit_and_open_when_their_centre_is_touched(phones: IPhones) -> None:
    with phones.services(NEW) as services:
        client = wda.Client(f"http://{services.forward(8100)}").session(PHOTOS)
        tile = client(predicate="name == 'PXGGridLayout-Info'").get()
        with pytest.raises(WDARequestError, match="hit point"):
            tile.tap()
        before = len(client(predicate="name == 'PXGGridLayout-Info'").find_elements())
        tile.click()
        assert len(client(predicate="name == 'PXGGridLayout-Info'").find_elements()) < before
        client.app_terminate(PHOTOS)


def test_keys_without_a_keyboard_are_refused(client: Any) -> None:
    with pytest.raises(WDARequestError, match="keyboard must be present"):
        client.send_keys("x")


def test_a_search_closes_the_keyboard_and_typing_brings_it_back(client: Any) -> None:
    keyboard = client(predicate="type == 'XCUIElementTypeKeyboard'")
    open_search(client).set_text("beach\n")
    assert not keyboard.exists
    client(predicate="type == 'XCUIElementTypeTextView'").get().set_text("sea")
    assert keyboard.exists


def test_a_drag_moves_the_list(client: Any) -> None:
    before = client.screenshot(format="raw")
    width, height = client.window_size()
    client.swipe(width // 2, height * 3 // 4, width // 2, height // 4, 0.8)
    assert client.screenshot(format="raw") != before


def test_a_new_session_has_forgotten_the_settings(client: Any) -> None:
    client.appium_settings({"snapshotMaxDepth": 33})
    assert client.appium_settings()["snapshotMaxDepth"] == 33
    assert client.session(PHOTOS).appium_settings()["snapshotMaxDepth"] == 50


@pytest.mark.parametrize(
    ("path", "error"),
    [("/session/nobody/source", "invalid session id"), ("/no/such/route", "unknown command"), ("/alert/text", "no such alert")],
)
def test_errors_are_named_as_webdriver_names_them(client: Any, path: str, error: str) -> None:
    with pytest.raises(WDARequestError) as failed:
        client.http.get(path)
    assert failed.value.value["error"] == error


def test_the_stream_shows_what_a_screenshot_shows(phones: IPhones) -> None:
    with phones.services(OLD) as services:
        agent = Agent("phone", services.forward, 1.0, (8100, 9100))
        frame, shot = Image.open(io.BytesIO(agent.frame())), Image.open(io.BytesIO(agent.screenshot()))
        assert frame.size == shot.size


TILE = XElement("Image", "tile", "Photo, 1 May", None, (0, 40, 5, 5))
TREE = XElement(
    "Application",
    "",
    "Photos",
    None,
    (0, 0, 100, 200),
    children=[
        XElement("Button", "ok", "Valentine's Day", None, (0, 0, 10, 10)),
        XElement("TextView", "field", "", "50 % off", (0, 20, 10, 10), is_field=True),
        XElement(
            "Other", "box", "", None, (0, 40, 50, 50), children=[XElement("Image", "tile", "Photo, 1 May", None, (0, 40, 5, 5))]
        ),
    ],
)


@pytest.mark.parametrize(
    ("using", "value", "names"),
    [
        ("predicate string", r"label == 'Valentine\'s Day'", ["ok"]),
        ("predicate string", "value CONTAINS[c] 'OFF' AND NOT name == 'ok'", ["field"]),
        ("predicate string", "name IN {'ok', 'tile'}", ["ok", "tile"]),
        ("predicate string", "(name == 'ok' OR name == 'box') && type != 'XCUIElementTypeOther'", ["ok"]),
        ("predicate string", "label MATCHES 'Photo, .*'", ["tile"]),
        ("predicate string", "label LIKE 'Photo*'", ["tile"]),
        ("predicate string", "label == nil", ["field", "box"]),
        ("class chain", "XCUIElementTypeOther/XCUIElementTypeImage", ["tile"]),
        ("class chain", "**/XCUIElementTypeOther[$name == 'tile'$]", ["box"]),
        ("class chain", "*[-1]", ["box"]),
        ("xpath", "//XCUIElementTypeImage[@name='tile']", ["tile"]),
        ("class name", "XCUIElementTypeButton", ["ok"]),
        ("link text", "label=Photo, 1 May", ["tile"]),
    ],
)
def test_selectors_find_what_they_describe(using: str, value: str, names: list[str]) -> None:
    assert [element.name for element in find(TREE, using, value)] == names


@pytest.mark.parametrize("value", ["label == ", "label ~ 'x'", "nonsense == 'x'", "label == 'Valentine's Day'", "(name == 'a'"])
def test_what_is_no_predicate_is_an_invalid_selector(value: str) -> None:
    with pytest.raises(WdaError) as failed:
        find(TREE, "predicate string", value)
    assert failed.value.error == "invalid selector"
