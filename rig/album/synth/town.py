"""Streets by day and by night, skylines and fireworks."""

from itertools import pairwise

import cv2
import numpy as np

from rig.album.synth.canvas import (
    Canvas,
    Colour,
    Field,
    Rng,
    blur,
    cloud,
    disc,
    glow,
    paste_flat,
    plane,
    polygon,
    rgb,
    shade,
    shadow,
    sheet,
    soft_field,
    vary,
    vector,
)
from rig.album.synth.lettering import page
from rig.album.synth.outdoors import SKIES, sky, tree, walker

_WALLS = (rgb(186, 166, 142), rgb(150, 112, 92), rgb(196, 190, 178), rgb(128, 132, 138), rgb(172, 128, 96), rgb(210, 200, 170))
_SIGNS = ("面馆", "书店 BOOKS", "CAFE", "药房", "超市 24H", "BAKERY", "茶", "HOTEL", "花店", "理发", "RAMEN", "银行 BANK")
_LAMPS = ((1.0, 0.72, 0.36), (1.0, 0.86, 0.62), (0.9, 0.3, 0.3), (0.35, 0.7, 1.0), (0.95, 0.35, 0.75), (0.4, 0.95, 0.6))


def street(rng: Rng, height: int, width: int, mood: str) -> Canvas:
    """Looking down a street between two rows of houses; moods: day, night."""
    night = mood == "night"
    eye = (width * rng.uniform(0.38, 0.62), height * rng.uniform(0.42, 0.52))
    canvas = sky(rng, height, width, "night" if night else str(rng.choice(["clear", "fair", "grey"])), eye[1])
    _road(canvas, rng, eye, night)
    for side in (-1, 1):
        _houses(canvas, rng, eye, side, night)
    if not night:
        for near in sorted(rng.uniform(0.15, 0.7, int(rng.integers(1, 4)))):
            x, y = _at(canvas, eye, 1 if rng.random() < 0.5 else -1, 0.62, near)
            tree(canvas, rng, (x, y), height * (0.10 + 0.55 * near), rgb(84, 112, 56))
    bare = canvas.copy()
    for near in sorted(rng.uniform(0.06, 0.62, int(rng.integers(2, 6)))):
        side = 1 if rng.random() < 0.6 else -1
        car(canvas, rng, _at(canvas, eye, side, 0.26, near), height * 0.26 * near + 6, night=night)
    for near in sorted(rng.uniform(0.08, 0.7, int(rng.integers(3, 10)))):
        side = 1 if rng.random() < 0.5 else -1
        walker(canvas, rng, _at(canvas, eye, side, rng.uniform(0.52, 0.78), near), height * 0.34 * near + 6)
    if night:
        # Cars and people stand on the damp road and do not mirror the lamps themselves.
        ground = (np.abs(canvas - bare).max(axis=2) < 0.004).astype(np.float32)
        canvas *= vector((0.50, 0.47, 0.52))
        _lights(canvas, rng, eye, ground)
    return canvas


def _at(canvas: Canvas, eye: tuple[float, float], side: int, across: float, near: float) -> tuple[float, float]:
    """A point on the ground: `across` 0 is the middle of the road, 1 the wall; `near` 0 is the horizon, 1 the lower edge."""
    height, width = canvas.shape[:2]
    return eye[0] + side * across * width * 0.62 * near, eye[1] + (height - eye[1]) * near


def _road(canvas: Canvas, rng: Rng, eye: tuple[float, float], night: bool) -> None:
    height, width = canvas.shape[:2]
    start = int(eye[1])
    ground = sheet(height, width, vary(rng, rgb(96, 96, 100), 0.1))
    tile = cloud(rng, 256, 256, grain=6, octaves=3)
    shade(ground, plane(ground, eye[1], tile, scale=0.9, contrast=0.07), 1)
    shade(ground, cloud(rng, height, width, grain=height * 0.2, octaves=3, stretch=3), 0.05)
    canvas[start:] = ground[start:]
    pavement = vary(rng, rgb(150, 144, 136), 0.06)
    for side in (-1, 1):
        reach = side * width * 1.4
        polygon(
            canvas,
            [eye, (eye[0] + side * width * 0.30, height), (eye[0] + reach, height), (eye[0] + reach, eye[1])],
            pavement,
            opacity=0.75,
        )
        polygon(
            canvas, [eye, (eye[0] + side * width * 0.30, height), (eye[0] + side * width * 0.32, height)], rgb(190, 188, 182)
        )
    for step in range(9):
        near, far = 0.9 ** (2.6 * step), 0.9 ** (2.6 * step + 1.2)
        y0, y1 = eye[1] + (height - eye[1]) * near, eye[1] + (height - eye[1]) * far
        half = width * 0.011
        polygon(
            canvas,
            [(eye[0] - half * near, y0), (eye[0] + half * near, y0), (eye[0] + half * far, y1), (eye[0] - half * far, y1)],
            rgb(216, 212, 200),
        )


def _houses(canvas: Canvas, rng: Rng, eye: tuple[float, float], side: int, night: bool) -> None:
    """Fronts from far to near, each a flat picture laid into the perspective."""
    height, width = canvas.shape[:2]
    wall = width * rng.uniform(0.56, 0.82)
    edges = [0.10]
    while edges[-1] < 1.5:
        edges.append(edges[-1] * rng.uniform(1.35, 1.8))
    for far, near in pairwise(edges):
        tall = height * rng.uniform(0.55, 1.35)
        front = facade(rng, night=night, storeys=int(rng.integers(3, 7)))
        corners = []
        # Left to right as seen, else the signs on the left would be mirrored.
        left, right = (near, far) if side < 0 else (far, near)
        for depth, level in ((left, tall), (right, tall), (right, 0.0), (left, 0.0)):
            corners.append((eye[0] + side * wall * depth, eye[1] + (height - eye[1]) * depth - level * depth))
        # Distance takes colour out of a front; the far end of the street is nearly haze.
        haze = vector(SKIES["night" if night else "grey"][1])
        front += (haze - front) * np.float32(max(0.0, 0.55 - far))
        front *= np.float32(0.86 if side > 0 else 1.0)
        paste_flat(canvas, front, corners)


def facade(rng: Rng, *, night: bool, storeys: int) -> Canvas:
    """A house front, flat: plaster, rows of windows, a shop with a sign on the ground floor."""
    height, width = 260, 200
    front = sheet(height, width, vary(rng, _WALLS[int(rng.integers(len(_WALLS)))], 0.12))
    shade(front, cloud(rng, height, width, grain=50, octaves=4), 0.07)
    columns, shop = int(rng.integers(3, 6)), int(height * 0.22)
    rows = np.linspace(8, height - shop - 6, storeys + 1)
    for y0, y1 in pairwise(rows):
        for column in range(columns):
            x0 = width * (column + 0.22) / columns
            _pane(front, rng, (int(x0), int(y0 + 5), int(x0 + width * 0.56 / columns), int(y1 - 4)), night=night)
    awning = vary(rng, (rgb(150, 44, 40), rgb(36, 78, 66), rgb(40, 56, 92), rgb(180, 140, 60))[int(rng.integers(4))], 0.1)
    lit = vector((0.98, 0.82, 0.55)) if night else vector((0.22, 0.23, 0.25))
    front[height - shop + 18 :, 8 : width - 8] = lit * (
        0.8 + 0.25 * cloud(rng, shop - 18, width - 16, grain=14)[..., None].clip(-1, 1)
    )
    sign = page(22, width - 8, awning, (1.0, 0.95, 0.82), [(-1, 0.02, 15, _SIGNS[int(rng.integers(len(_SIGNS)))])])
    front[height - shop - 4 : height - shop + 18, 4 : width - 4] = sign * (1.7 if night else 1.0)
    return front


def _pane(front: Canvas, rng: Rng, box: tuple[int, int, int, int], *, night: bool) -> None:
    x0, y0, x1, y1 = box
    if x1 <= x0 + 2 or y1 <= y0 + 2:
        return
    glass = vary(rng, rgb(70, 84, 100), 0.25)
    if night:
        lit = vary(rng, rgb(250, 206, 130), 0.15)
        glass = (lit[0] * 1.2, lit[1] * 1.2, lit[2] * 1.2) if rng.random() < 0.45 else (0.10, 0.11, 0.15)
    front[y0 - 2 : y1 + 2, x0 - 2 : x1 + 2] *= 0.72
    front[y0:y1, x0:x1] = vector(glass) * np.linspace(1.25, 0.75, y1 - y0, dtype=np.float32)[:, None, None]
    front[y0:y1, (x0 + x1) // 2] *= 0.5
    front[y1 : y1 + 2, x0 - 3 : x1 + 3] *= 1.5


def car(canvas: Canvas, rng: Rng, foot: tuple[float, float], size: float, *, night: bool) -> None:
    """A car seen from behind: body, rear window, lamps, wheels; `size` is its height in pixels."""
    x, y = foot
    paint = vary(
        rng,
        (rgb(170, 30, 34), rgb(216, 216, 220), rgb(36, 38, 44), rgb(52, 82, 132), rgb(120, 124, 130))[int(rng.integers(5))],
        0.1,
    )
    wide = size * 0.72
    shadow(canvas, (x, y), (wide * 1.15, size * 0.12), 0.65)
    for side in (-1, 1):
        disc(canvas, (x + side * wide * 0.74, y - size * 0.10), (size * 0.10, size * 0.13), rgb(22, 22, 24))
    body = [
        (x - wide, y - size * 0.14),
        (x - wide * 1.02, y - size * 0.48),
        (x - wide * 0.92, y - size * 0.58),
        (x + wide * 0.92, y - size * 0.58),
    ]
    polygon(canvas, [*body, (x + wide * 1.02, y - size * 0.48), (x + wide, y - size * 0.14)], paint)
    darker = (paint[0] * 0.7, paint[1] * 0.7, paint[2] * 0.7)
    polygon(
        canvas,
        [
            (x - wide * 0.9, y - size * 0.56),
            (x - wide * 0.66, y - size),
            (x + wide * 0.66, y - size),
            (x + wide * 0.9, y - size * 0.56),
        ],
        darker,
    )
    polygon(
        canvas,
        [
            (x - wide * 0.76, y - size * 0.60),
            (x - wide * 0.58, y - size * 0.94),
            (x + wide * 0.58, y - size * 0.94),
            (x + wide * 0.76, y - size * 0.60),
        ],
        rgb(74, 92, 108),
    )
    polygon(
        canvas,
        [
            (x - wide * 0.3, y - size * 0.26),
            (x + wide * 0.3, y - size * 0.26),
            (x + wide * 0.3, y - size * 0.38),
            (x - wide * 0.3, y - size * 0.38),
        ],
        rgb(220, 222, 226),
    )
    polygon(
        canvas,
        [
            (x - wide, y - size * 0.12),
            (x + wide, y - size * 0.12),
            (x + wide * 0.98, y - size * 0.22),
            (x - wide * 0.98, y - size * 0.22),
        ],
        rgb(38, 38, 42),
    )
    for side in (-1, 1):
        lamp = (1.6, 0.3, 0.22) if night else (0.66, 0.08, 0.08)
        disc(canvas, (x + side * wide * 0.82, y - size * 0.44), (size * 0.11, size * 0.07), lamp, soft=0.2)


def _lights(canvas: Canvas, rng: Rng, eye: tuple[float, float], ground: Field) -> None:
    """Lamps along the street, lights far off, and what the damp road gives back of them where `ground` is 1."""
    height = canvas.shape[0]
    lamps = canvas.copy()
    for side in (-1, 1):
        for near in (0.12, 0.2, 0.34, 0.58):
            x, y = _at(canvas, eye, side, 0.66, near)
            top = y - height * 0.62 * near
            polygon(lamps, [(x - 4 * near, y), (x + 4 * near, y), (x + 3 * near, top), (x - 3 * near, top)], rgb(26, 26, 30))
            glow(lamps, (x, top), height * 0.11 * near, _LAMPS[int(rng.integers(2))], 1.3)
            glow(lamps, (x, top), height * 0.5 * near, _LAMPS[int(rng.integers(2))], 0.22)
    for _ in range(26):
        at = (eye[0] + rng.normal(0, 0.12) * canvas.shape[1], eye[1] + rng.normal(-0.02, 0.04) * height)
        radius = height * rng.uniform(0.004, 0.012)
        disc(lamps, at, (radius, radius), _LAMPS[int(rng.integers(len(_LAMPS)))], opacity=0.8, soft=0.25)
    start = int(eye[1]) + 1
    below = height - start
    above = lamps[max(0, start - below) : start][::-1]
    mirror = cv2.GaussianBlur(above, (0, 0), sigmaX=5, sigmaY=height * 0.035)
    road = np.zeros((height, canvas.shape[1]), np.float32)
    corners = [eye, (eye[0] + canvas.shape[1] * 0.45, height), (eye[0] - canvas.shape[1] * 0.45, height)]
    cv2.fillPoly(road, [np.array(corners, np.int32)], 1.0)
    damp = (soft_field(road, 9) * soft_field(ground, 2))[start : start + mirror.shape[0], :, None]
    lamps[start : start + mirror.shape[0]] += 0.55 * mirror * damp
    canvas[:] = lamps


def skyline(rng: Rng, height: int, width: int, mood: str) -> Canvas:
    """A city across the water after dark; moods: night, fireworks."""
    shore = int(height * rng.uniform(0.60, 0.70))
    canvas = sky(rng, height, width, str(rng.choice(["night", "night", "dusk"])) if mood == "night" else "night", shore)
    for layer in range(3):
        _towers(canvas, rng, shore, layer)
    if mood == "fireworks":
        for _ in range(int(rng.integers(3, 6))):
            _firework(
                canvas,
                rng,
                (width * rng.uniform(0.12, 0.88), height * rng.uniform(0.10, 0.36)),
                height * rng.uniform(0.10, 0.2),
            )
    below = height - shore
    mirror = cv2.GaussianBlur(canvas[shore - min(below, shore) : shore][::-1], (0, 0), sigmaX=2.5, sigmaY=height * 0.02)
    ripple = cloud(rng, below, width, grain=14, octaves=3, stretch=5)
    x = np.arange(width, dtype=np.float32)[None, :] + ripple * np.linspace(1, 7, below, dtype=np.float32)[:, None]
    y = np.repeat(np.arange(below, dtype=np.float32)[:, None], width, axis=1)
    water = cv2.remap(mirror, x.astype(np.float32), y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT)
    canvas[shore:] = np.asarray(water, np.float32) * np.float32(0.8) + vector((0.008, 0.012, 0.022))
    shade(canvas[shore:], ripple, 0.16)
    return canvas


def _towers(canvas: Canvas, rng: Rng, shore: int, layer: int) -> None:
    height, width = canvas.shape[:2]
    x = -20.0
    while x < width:
        wide = width * rng.uniform(0.025, 0.075) * (0.7 + 0.25 * layer)
        tall = height * rng.uniform(0.12, 0.5) * (1.0 - 0.22 * layer) + 12
        if rng.random() < 0.06 and layer == 0:
            tall, wide = height * 0.5, width * 0.02
        _tower(canvas, rng, (int(x), int(shore - tall), int(x + wide), shore), layer)
        x += wide * rng.uniform(0.8, 1.5)


def _tower(canvas: Canvas, rng: Rng, box: tuple[int, int, int, int], layer: int) -> None:
    x0, y0, x1, y1 = max(box[0], 0), max(box[1], 0), min(box[2], canvas.shape[1]), box[3]
    if x1 - x0 < 6 or y1 - y0 < 8:
        return
    view = canvas[y0:y1, x0:x1]
    tone = vector(vary(rng, (rgb(38, 38, 54), rgb(24, 25, 36), rgb(15, 16, 24))[layer], 0.15))
    view[:] = tone * np.linspace(0.8, 1.3, y1 - y0, dtype=np.float32)[:, None, None]
    rows, columns = (y1 - y0) // 7, (x1 - x0) // 6
    lit = (rng.random((rows, columns)) < rng.uniform(0.3, 0.75)) * rng.uniform(0.35, 1.1, (rows, columns))
    colour = vector(_LAMPS[int(rng.choice([0, 1, 1, 3]))])
    grid = np.zeros((rows * 7, columns * 6), np.float32)
    for dy in (2, 3, 4):
        for dx in (1, 2, 3):
            grid[dy::7, dx::6] = lit
    view[: rows * 7, : columns * 6] += grid[..., None] * colour * np.float32(1.25 + 0.2 * layer)
    if rng.random() < 0.3:
        view[:3] += vector(_LAMPS[int(rng.integers(len(_LAMPS)))]) * 0.8


def _firework(canvas: Canvas, rng: Rng, at: tuple[float, float], radius: float) -> None:
    """A chrysanthemum: curved trails that end in sparks, and the smoke it lights."""
    colour = _LAMPS[int(rng.integers(len(_LAMPS)))]
    glow(canvas, at, radius * 0.9, colour, 0.35)
    sparks = np.zeros_like(canvas)
    for angle in rng.uniform(0, 2 * np.pi, 70):
        reach = radius * rng.uniform(0.6, 1.05)
        t = np.linspace(0.15, 1, 12)
        x = at[0] + np.cos(angle) * reach * t
        y = at[1] + np.sin(angle) * reach * t + 0.28 * radius * t**2
        trail = np.stack([x, y], axis=1).round().astype(np.int32)
        cv2.polylines(sparks, [trail], False, colour, 1 if rng.random() < 0.6 else 2, cv2.LINE_AA)
        cv2.circle(sparks, (int(x[-1]), int(y[-1])), 2, (1.4, 1.3, 1.1), -1, cv2.LINE_AA)
    canvas += sparks + 0.6 * blur(sparks, 4)


def plain_wall(rng: Rng, height: int, width: int, paint: Colour) -> Canvas:
    """A plastered wall with light falling off from one side."""
    canvas = sheet(height, width, vary(rng, paint, 0.08))
    shade(canvas, cloud(rng, height, width, grain=height * 0.5, octaves=5), 0.03)
    side = np.linspace(1.12, 0.82, width, dtype=np.float32)
    canvas *= (side if rng.random() < 0.5 else side[::-1])[None, :, None]
    return canvas


def bokeh(canvas: Canvas, rng: Rng, count: int) -> None:
    """Lights so far out of focus that each is a disc."""
    height, width = canvas.shape[:2]
    for _ in range(count):
        radius = height * rng.uniform(0.015, 0.05)
        at = (rng.uniform(0, width), rng.uniform(0, 0.75) * height)
        disc(
            canvas,
            at,
            (radius, radius),
            _LAMPS[int(rng.integers(len(_LAMPS)))],
            opacity=float(rng.uniform(0.2, 0.55)),
            soft=0.1,
        )
