"""The review page in real headless Chromium: mouse and keyboard, Chinese and English, hostile text, two people at once."""

import asyncio
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import Queue
from shutil import which
from threading import Thread

import pytest
from aiohttp.test_utils import TestServer

from rig.review.opening import adjudicating, annotating
from rig.review.server import make_app
from rig.run import open_run

sync_api = pytest.importorskip("playwright.sync_api", reason="Playwright for Python is not installed")
from playwright.sync_api import Browser, Page, expect, sync_playwright  # noqa: E402 - only where it is installed

# The made-up run is shared with the unit tests.
sys.path.insert(0, str(Path(__file__).parents[1] / "unit"))
from review_lab import PHONES, make_run  # noqa: E402 - from the folder above

CHROMIUM = which("chromium") or which("chromium-browser") or which("google-chrome")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no chromium on this host")

HOSTILE = "<img src=x onerror=\"document.title='owned'\"><script>document.title='owned'</script>"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        flags = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=flags)
        yield started
        started.close()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    run = make_run(tmp_path, languages=("en", "zh"))
    run.ledger.close()
    return run.folder


@contextmanager
def served(folder: Path, name: str, *, relevance: bool = False, adjudicate: bool = False) -> Iterator[str]:
    """The page's address, served by a thread of this process: a process a test would take most of the time."""
    run = open_run(folder)
    held = adjudicating(run, name) if adjudicate else annotating(run, name, relevance=relevance)
    with held as desk:
        address: Queue[str] = Queue()
        loop = asyncio.new_event_loop()

        async def serving() -> None:
            async with TestServer(make_app(desk)) as server:
                address.put(str(server.make_url(f"/enter/{desk.guard.token}")))
                await desk.stop.wait()

        thread = Thread(target=lambda: loop.run_until_complete(serving()))
        thread.start()
        try:
            yield address.get(timeout=30)
        finally:
            loop.call_soon_threadsafe(desk.stop.set)
            thread.join()
            loop.close()
    run.ledger.close()


@contextmanager
def opened(browser: Browser, address: str, **options: object) -> Iterator[Page]:
    """The page; anything that its console complains of fails the test."""
    context = browser.new_context(viewport={"width": 1280, "height": 800}, **{"locale": "en-US", **options})
    page = context.new_page()
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(address)
    expect(page.locator("#count")).not_to_be_empty()
    yield page
    context.close()
    assert complaints == []


def judged(folder: Path, name: str, role: str = "annotators") -> list[tuple[str, str | None]]:
    lines = (folder / "review" / role / f"{name}.jsonl").read_text().splitlines()
    return [(line["choice"], line["photo"]) for line in map(json.loads, lines)]


def test_all_is_judged_by_keyboard_and_the_page_finishes(browser: Browser, folder: Path) -> None:
    command = [sys.executable, "-m", "rig", "review", str(folder), "--as", "ann"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert server.stdout is not None
    with opened(browser, server.stdout.readline().strip()) as page:
        for done, key in enumerate(("1", "0", "c", "2", "1", "0")):
            expect(page.locator("#count")).to_have_text(f"{done} of 6")
            page.keyboard.press(key)
        expect(page.locator("#ask")).to_have_text("Everything is judged.")
        page.get_by_role("button", name="Finish").click()
        expect(page.locator("#ask")).to_contain_text("you may close this page")
        _, told = server.communicate(timeout=60)
    assert server.returncode == 0
    assert "finished: 6 of 6 judged, all stored" in told
    assert [choice for choice, _ in judged(folder, "ann")] == ["photo", "none", "cannot_tell", "photo", "photo", "none"]


def test_a_click_on_a_candidate_chooses_that_photo(browser: Browser, folder: Path) -> None:
    with served(folder, "ann") as address, opened(browser, address) as page:
        page.get_by_role("button", name="Candidate 2").click()
        expect(page.locator("#told")).to_have_text("Saved.")
        page.get_by_role("button", name="Back").click()
        expect(page.get_by_role("button", name="Candidate 2")).to_have_attribute("aria-pressed", "true")
        expect(page.get_by_role("button", name="Candidate 1")).to_have_attribute("aria-pressed", "false")
    assert len(judged(folder, "ann")) == 1
    assert judged(folder, "ann")[0][0] == "photo"


def test_undo_goes_back_and_keeps_the_history(browser: Browser, folder: Path) -> None:
    with served(folder, "ann") as address, opened(browser, address) as page:
        page.keyboard.press("0")
        expect(page.locator("#count")).to_have_text("1 of 6")
        page.keyboard.press("u")
        expect(page.locator("#count")).to_have_text("0 of 6")
        page.keyboard.press("c")
        expect(page.locator("#count")).to_have_text("1 of 6")
    assert [choice for choice, _ in judged(folder, "ann")] == ["none", "withdrawn", "cannot_tell"]


def test_work_goes_on_where_it_was_left(browser: Browser, folder: Path) -> None:
    with served(folder, "ann") as address, opened(browser, address) as page:
        page.keyboard.press("0")
        expect(page.locator("#count")).to_have_text("1 of 6")
    with served(folder, "ann") as address, opened(browser, address) as page:
        expect(page.locator("#count")).to_have_text("1 of 6")
        page.keyboard.press("ArrowLeft")
        expect(page.get_by_role("button", name="None of these")).to_have_attribute("aria-pressed", "true")


def test_a_key_held_down_judges_one_question(browser: Browser, folder: Path) -> None:
    with served(folder, "ann") as address, opened(browser, address) as page:
        for _ in range(5):
            page.keyboard.down("0")
        page.keyboard.up("0")
        expect(page.locator("#count")).to_have_text("1 of 6")
    assert len(judged(folder, "ann")) == 1


def test_the_next_questions_pictures_are_there_before_it_comes(browser: Browser, folder: Path) -> None:
    fetched = "performance.getEntriesByType('resource').map((entry) => entry.name).filter((name) => name.includes('/picture/'))"
    shown = "[...document.querySelectorAll('#match img')].map((img) => img.src)"
    with served(folder, "ann") as address, opened(browser, address) as page:
        page.wait_for_load_state("networkidle")
        early = set(page.evaluate(fetched))
        first = set(page.evaluate(shown))
        page.keyboard.press("0")
        expect(page.locator("#count")).to_have_text("1 of 6")
        second = set(page.evaluate(shown))
    assert second != first
    assert second <= early


def test_every_picture_is_shown_and_tab_and_enter_choose_too(browser: Browser, folder: Path) -> None:
    with served(folder, "ann") as address, opened(browser, address) as page:
        page.wait_for_load_state("networkidle")
        assert page.evaluate("[...document.querySelectorAll('#match img')].every((img) => img.naturalWidth > 0)")
        page.get_by_role("button", name="Candidate 1").focus()
        page.keyboard.press("Enter")
        expect(page.locator("#count")).to_have_text("1 of 6")
    assert judged(folder, "ann")[0][0] == "photo"


def test_the_page_speaks_chinese_to_a_chinese_browser_and_switches(browser: Browser, folder: Path) -> None:
    with served(folder, "李", relevance=True) as address, opened(browser, address, locale="zh-CN") as page:
        expect(page.locator("html")).to_have_attribute("lang", "zh")
        expect(page.locator("#ask")).to_have_text("这张缩略图是哪张照片？")
        page.get_by_role("button", name="无法判断").click()
        expect(page.locator("#told")).to_have_text("已保存。")
        page.locator("#language").click()
        expect(page.locator("html")).to_have_attribute("lang", "en")
        expect(page.locator("#ask")).to_have_text("Which photo is this thumbnail?")
        page.reload()
        expect(page.locator("html")).to_have_attribute("lang", "en")


def test_relevance_shows_the_query_in_the_languages_asked(browser: Browser, folder: Path) -> None:
    with served(folder, "ann", relevance=True) as address, opened(browser, address) as page:
        for done in range(6):
            page.keyboard.press("c")
            expect(page.locator("#count")).to_have_text(f"{done + 1} of 12")
        expect(page.locator("#ask")).to_have_text("Does this photo answer the query?")
        expect(page.locator("blockquote[lang=zh] p")).to_have_text(re.compile("红色的船|海边散步"))
        expect(page.locator("blockquote[lang=en] p")).to_have_text(re.compile("the red boat|a walk by the sea"))
        page.keyboard.press("1")
        expect(page.locator("#count")).to_have_text("7 of 12")
        page.get_by_role("button", name="Not relevant").click()
        expect(page.locator("#count")).to_have_text("8 of 12")
    assert [choice for choice, _ in judged(folder, "ann")][6:] == ["relevant", "not_relevant"]


def test_markup_in_queries_file_names_and_names_is_text(browser: Browser, tmp_path: Path) -> None:
    names = ("p0.jpg", "p1.jpg", "p2' onload=owned &lt;b&gt;.jpg", "p3.jpg", "p4.jpg", "p5.jpg")
    renamed = {
        letter: {
            query: [(verdict, photo, tuple(names[int(name[1])] for name in candidates)) for verdict, photo, candidates in shown]
            for query, shown in searches.items()
        }
        for letter, searches in PHONES.items()
    }
    run = make_run(tmp_path, renamed, texts=(HOSTILE, HOSTILE), names=names)
    run.ledger.close()
    name = "<b onclick=1>ann</b>"
    with served(run.folder, name, relevance=True) as address, opened(browser, address) as page:
        expect(page.locator("#name")).to_have_text(name)
        for done in range(3):
            page.keyboard.press("c")
            expect(page.locator("#count")).to_have_text(f"{done + 1} of 9")
        expect(page.locator("blockquote p")).to_have_text(HOSTILE)
        assert page.locator("blockquote img, blockquote script, h1 b").count() == 0
        assert page.title() == f"Review · {name}"


def test_a_judgement_that_could_not_be_stored_is_told_and_the_question_stays(browser: Browser, folder: Path) -> None:
    context = browser.new_context(locale="en-US")
    page = context.new_page()
    with served(folder, "ann") as address:
        page.goto(address)
        expect(page.locator("#count")).to_have_text("0 of 6")
    page.keyboard.press("0")
    expect(page.locator("#told")).to_contain_text("Not saved.")
    expect(page.locator("#count")).to_have_text("0 of 6")
    context.close()


def test_two_people_judge_at_once_in_one_browser_and_a_third_settles(browser: Browser, folder: Path) -> None:
    with served(folder, "ann") as one, served(folder, "bob") as other:
        context = browser.new_context(locale="en-US")
        for address, key in ((one, "0"), (other, "c")):
            page = context.new_page()
            page.goto(address)
            for done in range(6):
                expect(page.locator("#count")).to_have_text(f"{done} of 6")
                page.keyboard.press(key)
            expect(page.locator("#ask")).to_have_text("Everything is judged.")
        context.close()
    with served(folder, "cho", adjudicate=True) as address, opened(browser, address) as page:
        expect(page.locator("#count")).to_have_text("0 of 6")
        expect(page.locator("#opinions b")).to_have_text(["Cannot tell", "None of these"])
        assert not {"ann", "bob"} & set(page.locator("body").inner_text().lower().split())
        page.keyboard.press("1")
        expect(page.locator("#count")).to_have_text("1 of 6")
    assert judged(folder, "cho", "adjudicators")[0][0] == "photo"
    assert len(judged(folder, "ann")) == len(judged(folder, "bob")) == 6


def test_the_page_fits_a_small_window_and_a_dark_one(browser: Browser, folder: Path) -> None:
    with served(folder, "ann") as address, opened(browser, address, color_scheme="dark") as page:
        page.set_viewport_size({"width": 480, "height": 800})
        assert page.evaluate("document.documentElement.scrollWidth <= 480")
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(21, 23, 27)"
