"""Who may talk to the review page, what it tells, and how it ends."""

import asyncio
import io
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from aiohttp import ClientSession, CookieJar
from aiohttp.test_utils import TestServer
from PIL import Image as Picture
from review_lab import make_run
from yarl import URL

from rig.errors import InfrastructureDown
from rig.review.desk import Desk
from rig.review.opening import annotating, annotators
from rig.review.server import make_app, serve
from rig.run import Run


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Run]:
    made = make_run(tmp_path_factory.mktemp("review"))
    yield made
    made.ledger.close()


@asynccontextmanager
async def visited(desk: Desk, *, enter: bool = True) -> Any:
    """A client that has opened the printed address, and the page's origin."""
    async with TestServer(make_app(desk)) as server:
        origin = str(server.make_url("/"))
        async with ClientSession(origin, cookie_jar=CookieJar(unsafe=True)) as client:
            if enter:
                assert (await client.get(f"/enter/{desk.guard.token}")).status == 200
            yield client, origin.rstrip("/")


def talk(run: Run, name: str, act: Callable[[Desk, ClientSession, str], Awaitable[None]], *, enter: bool = True) -> None:
    async def talking() -> None:
        with annotating(run, name, relevance=True) as desk:
            async with visited(desk, enter=enter) as (client, origin):
                await act(desk, client, origin)

    asyncio.run(talking())


def posting(desk: Desk, origin: str) -> dict[str, str]:
    return {"Origin": origin, "X-Review-Key": desk.guard.key, "Content-Type": "application/json"}


JUDGED = json.dumps({"place": 0, "choice": "cannot_tell"})


def test_nothing_is_told_without_the_token(run: Run) -> None:
    async def act(desk: Desk, client: ClientSession, origin: str) -> None:
        for path in ("/", "/api/now", "/api/at/0", "/review.js", "/picture/" + "0" * 32, "/enter/", "/enter/wrong", "/nowhere"):
            answer = await client.get(path)
            assert answer.status == 403 or (path == "/enter/" and answer.status in (403, 404)), path
        assert (await client.post("/api/judge", data=JUDGED, headers=posting(desk, origin))).status == 403

    talk(run, "out", act, enter=False)


def test_the_cookie_is_out_of_reach_of_scripts_and_other_sites(run: Run) -> None:
    async def act(desk: Desk, client: ClientSession, _origin: str) -> None:
        answer = await client.get(f"/enter/{desk.guard.token}", allow_redirects=False)
        cookie = answer.headers["Set-Cookie"]
        assert "HttpOnly" in cookie
        assert "SameSite=Strict" in cookie
        assert desk.guard.token not in cookie

    talk(run, "cookie", act)


@pytest.mark.parametrize("path", ["/", "/api/now", "/nowhere", "/picture/" + "0" * 32])
def test_every_answer_carries_the_policy(run: Run, path: str) -> None:
    async def act(_desk: Desk, client: ClientSession, _origin: str) -> None:
        answer = await client.get(path)
        policy = answer.headers["Content-Security-Policy"]
        assert policy.startswith("default-src 'none'; script-src 'self'")
        assert "unsafe" not in policy
        assert answer.headers["X-Content-Type-Options"] == "nosniff"

    talk(run, "policy", act)


CHANGES = {
    "another origin": {"Origin": "http://evil.example"},
    "the other loopback name": {"Origin": "http://localhost:1"},
    "no origin": {"Origin": None},
    "sent by another site": {"Sec-Fetch-Site": "cross-site"},
    "sent by another port": {"Sec-Fetch-Site": "same-site"},
    "another host": {"Host": "rebound.example"},
    "without the key": {"X-Review-Key": None},
    "a wrong key": {"X-Review-Key": "wrong"},
    "a form": {"Content-Type": "text/plain"},
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_post_from_elsewhere_is_refused_and_stores_nothing(run: Run, change: dict[str, str | None]) -> None:
    async def act(desk: Desk, client: ClientSession, origin: str) -> None:
        headers = {key: value for key, value in (posting(desk, origin) | change).items() if value is not None}
        answer = await client.post("/api/judge", data=JUDGED.encode(), headers=headers)
        assert answer.status in (403, 415)
        assert desk.session.progress.done == 0

    talk(run, "elsewhere", act)


def test_a_name_pointed_at_the_loopback_reads_nothing(run: Run) -> None:
    async def act(_desk: Desk, client: ClientSession, _origin: str) -> None:
        assert (await client.get("/api/now", headers={"Host": "rebound.example"})).status == 403

    talk(run, "rebound", act)


TRICKS = ["/picture/../../run.sqlite", "/picture/..%2f..%2frun.sqlite", "/%2e%2e/run.sqlite", "/page/review.js", "/picture/"]


@pytest.mark.parametrize("path", TRICKS)
def test_a_path_leads_nowhere(run: Run, path: str) -> None:
    async def act(_desk: Desk, client: ClientSession, origin: str) -> None:
        assert (await client.get(URL(origin + path, encoded=True))).status == 404

    talk(run, "paths", act)


NONSENSE = {
    "no json": ("{", 400),
    "a list": ("[]", 400),
    "no place": ('{"choice": "none"}', 404),
    "a place beyond": ('{"place": 99, "choice": "none"}', 404),
    "a true place": ('{"place": true, "choice": "none"}', 404),
    "no choice": ('{"place": 0}', 400),
    "withdrawn by hand": ('{"place": 0, "choice": "withdrawn"}', 400),
    "relevance of a thumbnail": ('{"place": 0, "choice": "relevant"}', 400),
    "a candidate beyond": ('{"place": 0, "choice": "photo", "candidate": 7}', 400),
    "a candidate by name": ('{"place": 0, "choice": "photo", "candidate": "p1.jpg"}', 400),
    "too long": ('{"place": 0, "choice": "' + "x" * 5000 + '"}', 413),
}


@pytest.mark.parametrize(("body", "status"), NONSENSE.values(), ids=NONSENSE)
def test_nonsense_is_refused_and_stores_nothing(run: Run, body: str, status: int) -> None:
    async def act(desk: Desk, client: ClientSession, origin: str) -> None:
        assert (await client.post("/api/judge", data=body, headers=posting(desk, origin))).status == status
        assert desk.session.progress.done == 0

    talk(run, "nonsense", act)


def test_a_judgement_is_stored_before_the_next_question_comes(run: Run) -> None:
    async def act(desk: Desk, client: ClientSession, origin: str) -> None:
        answer = await client.post("/api/judge", data=JUDGED, headers=posting(desk, origin))
        told = await answer.json()
        assert (told["done"], told["question"]["place"]) == (1, 1)
        assert len(annotators(run)["stored"]) == 1

    talk(run, "stored", act)


def test_the_page_is_never_told_phone_file_name_or_search(run: Run) -> None:
    async def act(desk: Desk, client: ClientSession, _origin: str) -> None:
        for place in range(desk.session.progress.total):
            told = await (await client.get(f"/api/at/{place}")).text()
            assert ".jpg" not in told
            assert "phone" not in told
            question = json.loads(told)["question"]
            common = {"place", "kind", "said"}
            kinds = {"match": {"crop", "shape", "candidates"}, "relevance": {"picture", "texts", "taken", "where"}}
            assert question.keys() == common | kinds[question["kind"]]

    talk(run, "blind", act)


def test_thumbnails_of_all_phones_come_in_one_size_without_metadata(run: Run) -> None:
    sizes = set()

    async def act(desk: Desk, client: ClientSession, _origin: str) -> None:
        for place in range(3):
            question = (await (await client.get(f"/api/at/{place}")).json())["question"]
            picture = Picture.open(io.BytesIO(await (await client.get(f"/picture/{question['crop']}")).read()))
            sizes.add(picture.size)
            assert not picture.getexif()

    talk(run, "sizes", act)
    assert sizes == {(720, 720)}


def serving(run: Run, name: str, **options: Any) -> str:
    with annotating(run, name, relevance=False) as desk:
        return serve(desk, **{"port": 0, "ready": lambda _address: None, **options})


def test_a_server_that_nobody_uses_ends_by_itself(run: Run) -> None:
    assert serving(run, "idle", idle_s=0.05) == "idle"


def test_a_port_that_is_taken_is_told(run: Run) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken, pytest.raises(InfrastructureDown, match="give another with --port"):
        serving(run, "port", port=taken.getsockname()[1])


def rig(*arguments: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "rig", "review", *arguments]
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, "NO_COLOR": "1"}
    )


def test_ctrl_c_ends_the_command_and_a_second_one_of_the_same_name_is_refused(run: Run) -> None:
    first = rig(str(run.folder), "--as", "ann")
    try:
        assert first.stdout is not None
        address = first.stdout.readline()
        assert address.startswith("http://127.0.0.1:")
        second = rig(str(run.folder), "--as", "ann")
        _, told = second.communicate(timeout=60)
        assert second.returncode == 5
        assert "is held by process" in told
    finally:
        first.send_signal(signal.SIGINT)
        _, told = first.communicate(timeout=60)
    assert first.returncode == 0
    assert "stopped: 0 of 3 judged, all stored" in told
