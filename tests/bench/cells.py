"""How well thumbnails are found on the real gallery screens of ../shared, per source project.

Run with `python -m tests.bench.cells`; name screens to see only them. Cells less than half visible, or of unknown extent, are neither asked for nor held
against the reading (the data set's own rule, "ignore").
"""

import json
import sys
import time
from collections import defaultdict
from pathlib import Path

import cv2

from matching.cells import find_grid
from matching.decode import load_image
from matching.model import Box, Grid

SCREENS = Path(__file__).parents[2].parent / "shared" / "data" / "gallery-screens"


def overlap(one: Box, other: Box) -> float:
    """Intersection over union."""
    wide = min(one[2], other[2]) - max(one[0], other[0])
    high = min(one[3], other[3]) - max(one[1], other[1])
    if wide <= 0 or high <= 0:
        return 0.0
    both = wide * high
    return both / ((one[2] - one[0]) * (one[3] - one[1]) + (other[2] - other[0]) * (other[3] - other[1]) - both)


def inside(one: Box, other: Box) -> float:
    """The share of `one` that lies in `other`."""
    wide = min(one[2], other[2]) - max(one[0], other[0])
    high = min(one[3], other[3]) - max(one[1], other[1])
    return max(0, wide) * max(0, high) / ((one[2] - one[0]) * (one[3] - one[1]))


def judge(grid: Grid, truth: dict) -> tuple[int, int, int, list[Box], list[Box]]:
    """(cells found, cells asked for, false cells, the missed, the false)."""
    wanted = [tuple(cell["box"]) for cell in truth["cells"]] if truth["usable_result_grid"] else []
    pardoned = [tuple(item["box"]) for item in truth["ignore"]] + [tuple(item["full_box"]) for item in truth["ignore"]]
    pardoned += [tuple(c["full_box"]) for c in truth["cells"] if c["partial"] and c["visible"] < 0.5]
    free = [cell.box for cell in grid.cells]
    missed = []
    for box in wanted:
        best = max(free, key=lambda b: overlap(b, box), default=None)
        if best is not None and overlap(best, box) >= 0.9:
            free.remove(best)
        else:
            missed.append(box)
    false = [box for box in free if not any(inside(box, p) >= 0.7 or overlap(box, p) >= 0.5 for p in pardoned)]
    return len(wanted) - len(missed), len(wanted), len(false), missed, false


def main(names: list[str]) -> None:
    """Prints recall, precision, hard negatives and time per project."""
    cv2.setNumThreads(1)
    truths = json.loads((SCREENS / "annotations.json").read_text())["images"]
    tally: dict[str, list[float]] = defaultdict(lambda: [0, 0, 0, 0, 0])
    times = []
    for truth in truths:
        if names and truth["id"] not in names:
            continue
        image = load_image(SCREENS / truth["file"])
        start = time.process_time()
        grid = find_grid(image)
        times.append((time.process_time() - start) * 1000)
        found, asked, false, missed, wrong = judge(grid, truth)
        row = tally[truth["source"]["repo"]]
        row[0] += found
        row[1] += asked
        row[2] += false
        row[3] += not truth["usable_result_grid"]
        row[4] += grid.found and not truth["usable_result_grid"]
        if missed or wrong or names or not truth["usable_result_grid"]:
            print(
                f"{truth['id']} {truth['label']:24} found {found}/{asked} false {false} {times[-1]:.0f} ms  {grid.reason} {grid.flags}"
            )
            if missed or wrong:
                print("     missed", missed[:8], "false", wrong[:8])
    print(f"{'project':44} recall           precision        negatives read as a grid")
    for repo, (found, asked, false, negatives, fooled) in [
        *tally.items(),
        ("all", [sum(c) for c in zip(*tally.values(), strict=True)]),
    ]:
        recall = f"{found:.0f}/{asked:.0f} {100 * found / max(asked, 1):6.2f} %"
        precision = f"{100 * found / max(found + false, 1):6.2f} % (-{false:.0f})"
        print(f"{repo:44} {recall:16} {precision:16} {fooled:.0f}/{negatives:.0f}")
    times.sort()
    print(f"ms a screen, one core: median {times[len(times) // 2]:.0f}, worst {times[-1]:.0f}")


if __name__ == "__main__":
    main(sys.argv[1:])
