"""Meals, from above and a little to the side, sharp in the middle and soft towards the back."""

import cv2
import numpy as np

from rig.album.synth.canvas import (
    Canvas,
    Colour,
    Rng,
    ball,
    blur,
    cloud,
    disc,
    glow,
    lay,
    lighten,
    plane,
    polygon,
    rgb,
    shade,
    shadow,
    sheet,
    smooth,
    vary,
)
from rig.album.synth.indoors import boards

_WITH_STICKS = ("noodles", "dumplings", "hotpot", "seafood")
_TILT = 0.62  # how round a plate still looks: height to width


def meal(rng: Rng, height: int, width: int, mood: str) -> Canvas:
    """A table with one dish and what belongs to it; `mood` names the dish."""
    canvas = _table_top(rng, height, width, dark=mood in ("hotpot", "cake"))
    centre = (width * rng.uniform(0.42, 0.58), height * rng.uniform(0.48, 0.58))
    size = min(height, width) * rng.uniform(0.30, 0.38)
    for _ in range(int(rng.integers(1, 4)) if mood in _WITH_STICKS else 0):
        side_at = (width * float(rng.choice([rng.uniform(0, 0.2), rng.uniform(0.8, 1)])), height * rng.uniform(0.1, 0.9))
        _side_dish(canvas, rng, side_at, size * rng.uniform(0.28, 0.42))
    _DISHES[mood](canvas, rng, centre, size)
    if mood in _WITH_STICKS:
        _chopsticks(canvas, rng, (centre[0] + size * 1.15, centre[1] + size * 0.1), size)
    return _focused(canvas, centre[1] / height)


def _table_top(rng: Rng, height: int, width: int, *, dark: bool) -> Canvas:
    kind = int(rng.integers(3))
    tone = (rgb(142, 96, 58), rgb(206, 204, 198), rgb(188, 160, 128))[kind]
    canvas = sheet(height, width, vary(rng, rgb(84, 56, 38) if dark else tone, 0.12))
    tile = cloud(rng, 256, 256, grain=3, octaves=2) * 0.2 if kind == 1 else boards(rng, 256)
    shade(canvas, plane(canvas, -height * 0.9, tile, scale=0.6, contrast=0.17), 1)
    shade(canvas, cloud(rng, height, width, grain=height * 0.5), 0.06)
    x = np.linspace(-1, 1, width, dtype=np.float32)[None, :]
    y = np.linspace(-1, 1, height, dtype=np.float32)[:, None]
    lamp = 1.12 - 0.24 * ((x + rng.uniform(-0.5, 0.5)) ** 2 + (y + 0.4) ** 2)
    lighten(canvas, lamp.astype(np.float32))
    return canvas


def _focused(canvas: Canvas, at: float) -> Canvas:
    """Blurs what is nearer or farther than the row `at` (0 to 1)."""
    height = canvas.shape[0]
    away = np.abs(np.linspace(0, 1, height, dtype=np.float32) - np.float32(at))
    soft = smooth(away, 0.24, 0.55)[:, None] * np.ones((1, canvas.shape[1]), np.float32)
    lay(canvas, blur(canvas, height * 0.008), soft)
    return canvas


def plate(canvas: Canvas, rng: Rng, centre: tuple[float, float], size: float, paint: Colour, *, deep: bool = False) -> None:
    """A plate, or a bowl when `deep`; `size` is half its width."""
    x, y = centre
    shadow(canvas, (x + size * 0.10, y + size * (0.32 if deep else 0.14)), (size * 1.08, size * _TILT * 1.08), 0.5)
    dim = (paint[0] * 0.72, paint[1] * 0.72, paint[2] * 0.74)
    if deep:
        ball(canvas, rng, (x, y + size * 0.22), (size * 0.94, size * _TILT * 1.08), dim, rough=0.01, shine=0.2)
    else:
        disc(canvas, (x, y + size * 0.05), (size, size * _TILT), dim, soft=0.015)
    disc(canvas, centre, (size, size * _TILT), paint, soft=0.012)
    disc(
        canvas,
        centre,
        (size * 0.965, size * _TILT * 0.96),
        (min(paint[0] * 1.06, 1), min(paint[1] * 1.06, 1), min(paint[2] * 1.06, 1)),
        soft=0.015,
    )
    disc(
        canvas,
        (x + size * 0.02, y + size * 0.03),
        (size * 0.80, size * _TILT * 0.78),
        (paint[0] * 0.88, paint[1] * 0.88, paint[2] * 0.89),
        soft=0.08,
    )


def _inside(rng: Rng, centre: tuple[float, float], size: float) -> tuple[float, float]:
    """A random point on a plate."""
    turn, reach = rng.uniform(0, 2 * np.pi), size * np.sqrt(rng.uniform(0, 1))
    return centre[0] + np.cos(turn) * reach, centre[1] + np.sin(turn) * reach * _TILT


def _soup(canvas: Canvas, rng: Rng, centre: tuple[float, float], size: float, paint: Colour) -> None:
    disc(canvas, centre, (size * 0.86, size * _TILT * 0.84), paint, soft=0.03)
    for _ in range(30):
        at = _inside(rng, centre, size * 0.78)
        drop = size * rng.uniform(0.012, 0.05)
        disc(
            canvas,
            at,
            (drop, drop * _TILT),
            (min(paint[0] * 1.35, 1), min(paint[1] * 1.3, 1), paint[2]),
            opacity=0.4,
            soft=0.25,
        )
    disc(
        canvas,
        (centre[0] - size * 0.4, centre[1] - size * 0.25),
        (size * 0.22, size * 0.07),
        (1, 1, 1),
        opacity=0.22,
        soft=0.7,
        angle=-0.4,
    )


def _noodles(canvas: Canvas, rng: Rng, centre: tuple[float, float], size: float) -> None:
    plate(
        canvas,
        rng,
        centre,
        size,
        vary(rng, (rgb(230, 226, 216), rgb(60, 80, 120), rgb(150, 50, 44))[int(rng.integers(3))], 0.05),
        deep=True,
    )
    _soup(canvas, rng, centre, size, vary(rng, rgb(150, 96, 44), 0.15))
    t = np.linspace(0, 1, 24)
    for _ in range(150):
        x, y = _inside(rng, centre, size * 0.52)
        turn, bend = rng.uniform(0, 2 * np.pi), rng.normal(0, 2.2)
        along = (t - 0.5) * size * rng.uniform(0.4, 0.9)
        px = x + np.cos(turn + bend * t) * along
        py = y + np.sin(turn + bend * t) * along * _TILT
        strand = np.stack([px, py], axis=1).round().astype(np.int32)
        tone = vary(rng, rgb(232, 200, 130), 0.10)
        width = max(2, int(size * 0.016))
        cv2.polylines(
            canvas,
            [strand + np.array((0, 2), np.int32)],
            False,
            (tone[0] * 0.55, tone[1] * 0.5, tone[2] * 0.4),
            width,
            cv2.LINE_AA,
        )
        cv2.polylines(canvas, [strand], False, tone, width, cv2.LINE_AA)
    egg = _inside(rng, centre, size * 0.3)
    ball(canvas, rng, (egg[0] + size * 0.3, egg[1] - size * 0.1), (size * 0.2, size * 0.15), rgb(250, 246, 236), rough=0.01)
    ball(
        canvas,
        rng,
        (egg[0] + size * 0.3, egg[1] - size * 0.11),
        (size * 0.105, size * 0.08),
        rgb(240, 150, 40),
        rough=0.03,
        shine=0.4,
    )
    for _ in range(4):
        at = _inside(rng, (centre[0] - size * 0.28, centre[1] + size * 0.05), size * 0.22)
        ball(
            canvas,
            rng,
            at,
            (size * 0.19, size * 0.09),
            vary(rng, rgb(150, 84, 56), 0.1),
            angle=float(rng.normal(0, 0.5)),
            rough=0.12,
            grain=8,
        )
    _greens(canvas, rng, centre, size * 0.5, 40)


def _greens(canvas: Canvas, rng: Rng, centre: tuple[float, float], reach: float, count: int) -> None:
    """Chopped spring onion."""
    for _ in range(count):
        at = _inside(rng, centre, reach)
        size = reach * rng.uniform(0.025, 0.06)
        disc(canvas, at, (size, size * 0.7), vary(rng, rgb(96, 160, 60), 0.2), soft=0.2)
        disc(canvas, at, (size * 0.45, size * 0.3), rgb(60, 104, 40), soft=0.2)


def _dumplings(canvas: Canvas, rng: Rng, centre: tuple[float, float], size: float) -> None:
    plate(canvas, rng, centre, size, vary(rng, rgb(224, 228, 232), 0.04))
    spots = [(np.cos(a) * 0.56 * size, np.sin(a) * 0.56 * size * _TILT) for a in np.linspace(0, 2 * np.pi, 9)[:-1]]
    for dx, dy in sorted([*spots, (0.0, 0.0), (size * 0.2, -size * 0.1), (-size * 0.2, size * 0.06)], key=lambda spot: spot[1]):
        at = (centre[0] + dx + rng.normal(0, size * 0.02), centre[1] + dy + rng.normal(0, size * 0.02))
        turn = float(rng.uniform(-0.7, 0.7))
        shadow(canvas, (at[0] + 4, at[1] + size * 0.07), (size * 0.22, size * 0.10), 0.4)
        ball(
            canvas,
            rng,
            at,
            (size * 0.22, size * 0.115),
            vary(rng, rgb(246, 232, 204), 0.03),
            angle=turn,
            rough=0.025,
            grain=14,
            shine=0.35,
        )
        for pleat in np.linspace(-0.7, 0.7, 7):
            px = at[0] + np.cos(turn) * pleat * size * 0.2 + np.sin(turn) * size * 0.06
            py = at[1] + np.sin(turn) * pleat * size * 0.2 - np.cos(turn) * size * 0.075 * (1 - pleat**2 * 0.5)
            disc(canvas, (px, py), (size * 0.010, size * 0.035), rgb(206, 184, 146), opacity=0.7, soft=0.5, angle=turn)
    sauce = (centre[0] - size * 1.05, centre[1] - size * 0.62)
    plate(canvas, rng, sauce, size * 0.32, rgb(240, 238, 232), deep=True)
    _soup(canvas, rng, sauce, size * 0.32, rgb(64, 30, 18))


def _hotpot(canvas: Canvas, rng: Rng, centre: tuple[float, float], size: float) -> None:
    steel = rgb(170, 172, 176)
    plate(canvas, rng, centre, size * 1.1, steel, deep=True)
    _soup(canvas, rng, centre, size * 1.14, rgb(168, 44, 24))
    for _ in range(34):
        at = _inside(rng, centre, size * 0.8)
        turn = float(rng.uniform(0, 3.1))
        ball(canvas, rng, at, (size * 0.11, size * 0.028), vary(rng, rgb(190, 26, 20), 0.15), angle=turn, shine=0.5, rough=0.02)
    for _ in range(16):
        at = _inside(rng, centre, size * 0.7)
        paint = (rgb(196, 130, 110), rgb(238, 230, 210), rgb(104, 150, 66), rgb(214, 190, 150))[int(rng.integers(4))]
        ball(
            canvas,
            rng,
            at,
            (size * rng.uniform(0.07, 0.15), size * rng.uniform(0.05, 0.09)),
            vary(rng, paint, 0.1),
            angle=float(rng.uniform(0, 3)),
            rough=0.08,
            grain=9,
            edge=0.2,
        )
    for _ in range(40):
        at = _inside(rng, centre, size * 0.8)
        disc(canvas, at, (size * 0.012, size * 0.012), rgb(92, 40, 24))
    for _ in range(5):
        glow(
            canvas,
            (centre[0] + rng.normal(0, 0.4) * size, centre[1] - size * rng.uniform(0.1, 0.7)),
            size * 0.4,
            (0.9, 0.88, 0.86),
            0.07,
        )


def _seafood(canvas: Canvas, rng: Rng, centre: tuple[float, float], size: float) -> None:
    plate(canvas, rng, centre, size * 1.05, vary(rng, rgb(214, 224, 230), 0.05))
    for _ in range(int(rng.integers(10, 15))):
        at = _inside(rng, centre, size * 0.62)
        turn, paint = float(rng.uniform(0, 6.28)), vary(rng, rgb(226, 104, 62), 0.08)
        for ring in range(6):
            bend = turn + ring * 0.42
            part = (at[0] + np.cos(bend) * size * 0.13, at[1] + np.sin(bend) * size * 0.13 * _TILT)
            fat = size * (0.075 - 0.007 * ring)
            ball(
                canvas,
                rng,
                part,
                (fat, fat * 0.85),
                paint if ring % 2 else (paint[0] * 1.08, paint[1] * 1.35, paint[2] * 1.5),
                rough=0.05,
                shine=0.5,
            )
        for feeler in (-0.2, 0.2):
            start = (at[0] + np.cos(turn) * size * 0.13, at[1] + np.sin(turn) * size * 0.13 * _TILT)
            end = (start[0] + np.cos(turn - 1.2 + feeler) * size * 0.3, start[1] + np.sin(turn - 1.2 + feeler) * size * 0.2)
            polygon(canvas, [start, end, (start[0] + 2, start[1] + 2)], rgb(150, 50, 30))
    for _ in range(3):
        at = _inside(rng, centre, size * 0.75)
        disc(canvas, at, (size * 0.15, size * 0.11), rgb(236, 206, 70))
        disc(canvas, at, (size * 0.125, size * 0.09), rgb(250, 236, 150), soft=0.1)
    _greens(canvas, rng, centre, size * 0.7, 26)


def _cake(canvas: Canvas, rng: Rng, centre: tuple[float, float], size: float) -> None:
    plate(canvas, rng, centre, size * 1.05, rgb(230, 228, 224))
    x, y = centre
    cream = vary(rng, (rgb(250, 240, 226), rgb(244, 200, 206), rgb(110, 70, 48))[int(rng.integers(3))], 0.03)
    rise = size * 0.42
    for level in np.linspace(0, 1, 24):
        tone = 0.68 + 0.2 * level
        disc(
            canvas,
            (x, y - rise * level),
            (size * 0.74, size * 0.74 * _TILT),
            (cream[0] * tone, cream[1] * tone, cream[2] * tone),
            soft=0.01,
        )
    disc(canvas, (x, y - rise), (size * 0.74, size * 0.74 * _TILT), cream, soft=0.02)
    for turn in np.linspace(0, 2 * np.pi, 15)[:-1]:
        at = (x + np.cos(turn) * size * 0.64, y - rise + np.sin(turn) * size * 0.64 * _TILT)
        ball(
            canvas,
            rng,
            at,
            (size * 0.085, size * 0.075),
            (min(cream[0] * 1.1, 1), min(cream[1] * 1.1, 1), min(cream[2] * 1.1, 1)),
            rough=0.03,
        )
        ball(
            canvas,
            rng,
            (at[0], at[1] - size * 0.05),
            (size * 0.052, size * 0.055),
            rgb(204, 36, 44),
            rough=0.08,
            grain=3,
            shine=0.5,
        )
    for _ in range(int(rng.integers(4, 8))):
        at = _inside(rng, (x, y - rise), size * 0.36)
        polygon(
            canvas,
            [(at[0] - 4, at[1]), (at[0] + 4, at[1]), (at[0] + 4, at[1] - size * 0.24), (at[0] - 4, at[1] - size * 0.24)],
            vary(rng, rgb(110, 160, 220), 0.4),
        )
        flame = (at[0], at[1] - size * 0.28)
        glow(canvas, flame, size * 0.14, (1.0, 0.62, 0.22), 0.7)
        disc(canvas, flame, (4, 9), (1.5, 1.3, 0.8), soft=0.5)


def _fruit(canvas: Canvas, rng: Rng, centre: tuple[float, float], size: float) -> None:
    plate(canvas, rng, centre, size, vary(rng, rgb(216, 220, 214), 0.1), deep=True)
    kinds = (
        (rgb(206, 46, 40), 1.0),
        (rgb(240, 150, 40), 0.95),
        (rgb(130, 170, 60), 1.0),
        (rgb(236, 206, 70), 1.1),
        (rgb(96, 50, 90), 0.7),
    )
    for ring, count in ((0.55, 8), (0.28, 5), (0.0, 1)):
        for turn in np.linspace(0, 2 * np.pi, count + 1)[:-1] + rng.uniform(0, 3):
            paint, fat = kinds[int(rng.integers(len(kinds)))]
            at = (
                centre[0] + np.cos(turn) * size * ring,
                centre[1] - size * (0.36 - 0.5 * ring) + np.sin(turn) * size * ring * _TILT,
            )
            radius = size * 0.2 * fat
            shadow(canvas, (at[0] + 4, at[1] + radius * 0.5), (radius, radius * 0.7), 0.4)
            ball(canvas, rng, at, (radius, radius * 0.95), vary(rng, paint, 0.07), rough=0.035, grain=8, shine=0.45)
            disc(
                canvas, (at[0] + radius * 0.1, at[1] - radius * 0.62), (radius * 0.10, radius * 0.05), rgb(70, 50, 30), soft=0.4
            )


def _coffee(canvas: Canvas, rng: Rng, centre: tuple[float, float], size: float) -> None:
    size *= 0.78
    china = vary(rng, (rgb(240, 238, 234), rgb(70, 96, 112), rgb(196, 110, 76))[int(rng.integers(3))], 0.05)
    plate(canvas, rng, (centre[0], centre[1] + size * 0.4), size * 1.25, china)
    disc(canvas, (centre[0] + size * 0.95, centre[1] + size * 0.1), (size * 0.3, size * 0.24), china, soft=0.04)
    disc(
        canvas,
        (centre[0] + size * 0.97, centre[1] + size * 0.1),
        (size * 0.18, size * 0.13),
        (china[0] * 0.5, china[1] * 0.5, china[2] * 0.5),
        soft=0.08,
    )
    plate(canvas, rng, centre, size * 0.82, china, deep=True)
    disc(canvas, centre, (size * 0.72, size * 0.72 * _TILT), rgb(122, 72, 36), soft=0.05)
    for leaf in range(5):
        at = (centre[0], centre[1] + size * (0.26 - 0.13 * leaf))
        disc(canvas, at, (size * (0.42 - 0.06 * leaf), size * 0.055), rgb(238, 216, 180), soft=0.35)
    disc(canvas, (centre[0], centre[1] - size * 0.05), (size * 0.025, size * 0.36), rgb(122, 72, 36), soft=0.5)
    spoon = (centre[0] - size * 1.05, centre[1] + size * 0.62)
    ball(canvas, rng, spoon, (size * 0.16, size * 0.09), rgb(190, 192, 198), angle=0.6, shine=0.8, rough=0.01)
    polygon(
        canvas,
        [
            (spoon[0], spoon[1]),
            (spoon[0] + 5, spoon[1] + 7),
            (spoon[0] + size * 0.75, spoon[1] + size * 0.45),
            (spoon[0] + size * 0.77, spoon[1] + size * 0.43),
        ],
        rgb(196, 198, 202),
    )


def _side_dish(canvas: Canvas, rng: Rng, centre: tuple[float, float], size: float) -> None:
    plate(
        canvas,
        rng,
        centre,
        size,
        vary(rng, (rgb(228, 226, 220), rgb(90, 110, 120), rgb(190, 150, 110))[int(rng.integers(3))], 0.08),
    )
    paint = (rgb(90, 140, 60), rgb(190, 80, 50), rgb(226, 190, 120), rgb(150, 100, 70))[int(rng.integers(4))]
    for _ in range(16):
        at = _inside(rng, centre, size * 0.5)
        ball(
            canvas,
            rng,
            at,
            (size * rng.uniform(0.1, 0.2), size * rng.uniform(0.06, 0.12)),
            vary(rng, paint, 0.15),
            angle=float(rng.uniform(0, 3)),
            rough=0.10,
            grain=6,
            edge=0.2,
        )


def _chopsticks(canvas: Canvas, rng: Rng, at: tuple[float, float], size: float) -> None:
    turn = rng.uniform(1.2, 1.9)
    for gap in (-9, 9):
        x, y = at[0] + gap, at[1]
        dx, dy = np.cos(turn) * size, np.sin(turn) * size * 0.9
        polygon(
            canvas,
            [(x - dx + 6, y - dy + 8), (x - dx + 10, y - dy + 8), (x + dx + 14, y + dy + 8), (x + dx + 6, y + dy + 8)],
            (0, 0, 0),
            soft=4,
            opacity=0.35,
        )
        polygon(
            canvas,
            [(x - dx, y - dy), (x - dx + 4, y - dy), (x + dx + 8, y + dy), (x + dx, y + dy)],
            vary(rng, rgb(140, 60, 40), 0.1),
        )


_DISHES = {
    "noodles": _noodles,
    "dumplings": _dumplings,
    "hotpot": _hotpot,
    "seafood": _seafood,
    "cake": _cake,
    "fruit": _fruit,
    "coffee": _coffee,
}
