"""A whole study on a generated run: 1,188 queries × 6 phones × 100 results, from match table to full publication.

    python tests/bench/publishing.py [--queries 1188] [--keep DIR]

Bounds: 60 s and 2 GiB on 2 cores for the publication, 2 s for Chromium to open its page (where there is a Chromium).
"""

import argparse
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).parents[1] / "unit"))

from made_runs import ask, make_album, make_run
from playwright.sync_api import sync_playwright

from rig.model import Depth, Language, Query, Verdict
from rig.records import Placed

PHONES = "ABCDEF"
PHOTOS = 3582
"""As many as the three albums of PhotoBench have."""
RESULTS = 100
ZERO_SHARE = 0.1
SECONDS, BYTES, OPENS_S = 60.0, 2 * 2**30, 2.0
SKILL = dict(zip(PHONES, (0.75, 0.35, 0.55, 0.2, 0.45, 0.65), strict=True))


def questions(count: int) -> list[Query]:
    random = Random(1)
    made = []
    for number in range(count):
        size = 0 if random.random() < ZERO_SHARE else min(120, int(random.paretovariate(0.9)))
        relevant = [f"p{random.randrange(PHOTOS)}.png" for _ in range(size)]
        depths = {"Location": random.choice(list(Depth)), "Time": Depth.FACT} if random.random() < 0.8 else {}
        made.append(ask(number, relevant, dimensions=depths))
    return made


def shown(letter: str, query: Query, language: Language) -> Sequence[str | Placed] | str:
    """Some of the right photos first, then wrong ones up to a hundred; now and then undecided, invalid or nothing."""
    random = Random(f"{letter}{query.id}{language}")
    if letter == "D" and random.random() < 0.02:
        return "still_loading"
    if random.random() < (0.6 if not query.relevant else 0.06):
        return []
    right = [photo for photo in sorted(query.relevant) if random.random() < SKILL[letter]]
    wrong = [f"p{random.randrange(PHOTOS)}.png" for _ in range(RESULTS - len(right))]
    names = [*right, *wrong][:RESULTS]
    return [_placed(rank, name, random) for rank, name in enumerate(names)]


def _placed(rank: int, name: str, random: Random) -> Placed:
    box = (rank % 3 * 240, rank // 3 * 240, rank % 3 * 240 + 236, rank // 3 * 240 + 236)
    evidence = {"inliers": 40.0, "correlation": 0.97}
    if random.random() < 0.005:
        others = (name, f"p{random.randrange(PHOTOS)}.png")
        return Placed(rank, Verdict.AMBIGUOUS, None, others, evidence, rank // 12, box)
    return Placed(rank, Verdict.MATCHED, name, (), evidence, rank // 12, box)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--queries", type=int, default=1188)
    parser.add_argument("--keep", type=Path)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        home = asked.keep or Path(scratch)
        run = _generated(home, asked.queries)
        failed = _publish(run, home / "export", asked.queries) + _open(home / "export" / "index.html")
    sys.exit(1 if failed else 0)


def _generated(home: Path, queries: int) -> Path:
    began = time.perf_counter()
    album = make_album(home / "album", questions(queries), photos=PHOTOS)
    run = make_run(home, album, PHONES, shown)
    run.ledger.close()
    sys.stdout.write(f"generated in {time.perf_counter() - began:.0f} s: {run.folder}\n")
    return run.folder


def _publish(run: Path, export: Path, queries: int) -> bool:
    """Measured from the command line, imports and leak scan included, on two cores."""
    command = [sys.executable, "-m", "rig", "publish", str(run), "--study", "bench", "--to", str(export), "--published"]
    cores = sorted(os.sched_getaffinity(0))[:2]
    began = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, preexec_fn=lambda: os.sched_setaffinity(0, cores))
    took = time.perf_counter() - began
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    peak, cpu = 1024 * used.ru_maxrss, used.ru_utime + used.ru_stime
    size = sum(file.stat().st_size for file in export.rglob("*") if file.is_file())
    what = f"{queries} queries × {len(PHONES)} phones × {RESULTS} results"
    sys.stdout.write(f"published {what} in {took:.1f} s (CPU {cpu:.1f} s), "
          f"peak {peak / 2**20:.0f} MiB, {size / 2**10:.0f} KiB written\n")  # fmt: skip
    return took > SECONDS or peak > BYTES


def _open(page: Path) -> bool:
    """What the browser itself says: from the navigation's start until everything is loaded and the first paint is done."""
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    if chromium is None:
        sys.stdout.write("page not opened: no chromium here\n")
        return False
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        tab = browser.new_page()
        tab.goto(page.as_uri())
        tab.screenshot()
        took_s = float(tab.evaluate(_TIMES)) / 1000
        browser.close()
    sys.stdout.write(f"page of {page.stat().st_size >> 10} KiB opens in {took_s:.2f} s\n")
    return took_s > OPENS_S


_TIMES = """() => Math.max(performance.getEntriesByType("navigation")[0].loadEventEnd,
                       ...performance.getEntriesByType("paint").map(entry => entry.startTime))"""


if __name__ == "__main__":
    main()
