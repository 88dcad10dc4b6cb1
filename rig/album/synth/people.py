"""Portraits of the album's invented people: each keeps a face, hair and clothes; the place behind them is out of focus."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rig.album.synth.canvas import (
    Canvas,
    Colour,
    Rng,
    ball,
    blur,
    cloud,
    disc,
    lighten,
    polygon,
    rgb,
    shade,
    shadow,
    vary,
)
from rig.album.synth.words import Person


@dataclass(frozen=True, slots=True)
class _Face:
    """Where somebody's face is: `at` its middle, `r` half its height, in pixels; `turn` how far it looks aside, -1 to 1."""

    person: Person
    at: tuple[float, float]
    r: float
    turn: float


_LIGHT = (-0.42, -0.5, 0.76)
_WARDROBE = (rgb(226, 222, 212), rgb(48, 50, 58), rgb(150, 120, 92), rgb(96, 128, 150), rgb(136, 52, 60), rgb(86, 104, 72))


def pose(canvas: Canvas, rng: Rng, people: Sequence[Person]) -> None:
    """Puts the people in front of the canvas, side by side."""
    height, width = canvas.shape[:2]
    count = len(people)
    head = min(height * 0.17, width * (0.19 if count == 1 else 0.36 / count)) * rng.uniform(0.88, 1.1)
    order = rng.permutation(count)
    for place, number in enumerate(order):
        person = people[int(number)]
        x = width * ((place + 0.5) / count if count > 1 else rng.uniform(0.40, 0.60))
        x += (0.5 - (place + 0.5) / count) * width * 0.22
        crown = height * (0.30 + 0.40 * (1.0 - person.tall)) + rng.normal(0, 0.012) * height
        turn = float(rng.uniform(-0.22, 0.22))
        _figure(canvas, rng, _Face(person, (x, crown + head * 0.6), head * (0.90 + 0.10 * person.tall), turn))


def _figure(canvas: Canvas, rng: Rng, face: _Face) -> None:
    person, at, r = face.person, face.at, face.r
    skin = rgb(*person.skin)
    if person.style in ("long", "bob", "tails"):
        _hair_behind(canvas, rng, face)
    _body(canvas, rng, face)
    shadow(canvas, (at[0], at[1] + r * 1.12), (r * 0.5, r * 0.25), 0.35)
    for side in (-1, 1):
        ear = (at[0] + side * r * 0.78 * person.wide, at[1] + r * 0.02)
        ball(canvas, rng, ear, (r * 0.13, r * 0.22), skin, rough=0.01, light=_LIGHT)
    ball(canvas, rng, at, (r * 0.80 * person.wide, r * 1.02), skin, rough=0.012, grain=r * 0.3, shine=0.05, light=_LIGHT)
    polygon(canvas, _face_outline(at, r, person.wide), skin, soft=r * 0.12, opacity=0.35)
    _features(canvas, face)
    _nose_and_mouth(canvas, rng, face)
    _hair_front(canvas, rng, face)
    if person.glasses:
        _glasses(canvas, face)


def _face_outline(at: tuple[float, float], r: float, wide: float) -> list[tuple[float, float]]:
    shape = ((-0.66, -0.3), (-0.62, 0.35), (-0.3, 0.85), (0.0, 0.97), (0.3, 0.85), (0.62, 0.35), (0.66, -0.3), (0.0, -0.6))
    return [(at[0] + x * r * wide, at[1] + y * r) for x, y in shape]


def _body(canvas: Canvas, rng: Rng, face: _Face) -> None:
    """Neck, shoulders and a garment with folds, down to the lower edge."""
    person, at, r = face.person, face.at, face.r
    height, width = canvas.shape[:2]
    x, y = at
    skin = rgb(*person.skin)
    neck = (skin[0] * 0.82, skin[1] * 0.80, skin[2] * 0.80)
    polygon(
        canvas,
        [(x - r * 0.34, y + r * 0.6), (x + r * 0.34, y + r * 0.6), (x + r * 0.44, y + r * 1.55), (x - r * 0.44, y + r * 1.55)],
        neck,
        soft=r * 0.05,
    )
    # People change their clothes; half of the time it is the favourite one.
    wear = vary(rng, rgb(*person.wear) if rng.random() < 0.5 else _WARDROBE[int(rng.integers(len(_WARDROBE)))], 0.05)
    half = r * 1.75 * person.wide
    bottom = height + 20
    slope = [(0.24, 1.24), (0.5, 1.38), (0.72, 1.50), (0.86, 1.66), (0.95, 1.9), (1.0, 2.25)]
    right = [(x + part * half, y + down * r) for part, down in slope] + [(x + half * 1.10, bottom)]
    outline = [*((2 * x - px, py) for px, py in reversed(right)), *right]
    x0, x1 = int(max(x - half * 1.2, 0)), int(min(x + half * 1.2, width))
    y0 = int(np.clip(y + r * 1.2, 0, height - 1))
    view = canvas[y0:, x0:x1]
    if view.size == 0:
        return
    old = view.copy()
    polygon(canvas, outline, wear, soft=2.0)
    covered = np.clip(np.abs(view - old).sum(axis=2) * 40, 0, 1)
    folds = cloud(rng, view.shape[0], view.shape[1], grain=r * 0.9, octaves=4, stretch=0.5)
    weave = cloud(rng, view.shape[0], view.shape[1], grain=3, octaves=1)
    across = (np.arange(x0, x1, dtype=np.float32)[None, :] - np.float32(x)) / np.float32(half)
    form = 0.98 - 0.30 * across - 0.34 * across * across
    lighten(view, 1 + covered * (form * (1 + np.float32(0.045) * folds + np.float32(0.02) * weave) - 1))
    polygon(
        canvas, [(x - r * 0.42, y + r * 1.24), (x, y + r * 1.55), (x + r * 0.42, y + r * 1.24), (x, y + r * 1.38)], neck, soft=2
    )


def _features(canvas: Canvas, face: _Face) -> None:
    r, turn = face.r, face.turn
    x, y = face.at[0] + turn * r * 0.5, face.at[1]
    skin, hair = rgb(*face.person.skin), rgb(*face.person.hair)
    flush = (min(skin[0] * 1.02, 1), skin[1] * 0.78, skin[2] * 0.76)
    for side in (-1, 1):
        ex, ey = x + side * r * 0.33, y - r * 0.07
        disc(canvas, (ex + side * r * 0.08, y + r * 0.30), (r * 0.2, r * 0.14), flush, opacity=0.35, soft=0.9)
        disc(
            canvas,
            (ex, ey - r * 0.02),
            (r * 0.19, r * 0.12),
            (skin[0] * 0.72, skin[1] * 0.66, skin[2] * 0.64),
            opacity=0.5,
            soft=0.6,
        )
        disc(canvas, (ex, ey), (r * 0.145, r * 0.072), (0.95, 0.94, 0.92), soft=0.15)
        disc(canvas, (ex + turn * r * 0.1, ey), (r * 0.068, r * 0.070), rgb(58, 38, 26), soft=0.15)
        disc(canvas, (ex + turn * r * 0.1, ey), (r * 0.034, r * 0.036), (0.02, 0.02, 0.02), soft=0.2)
        disc(canvas, (ex + turn * r * 0.1 - r * 0.022, ey - r * 0.024), (r * 0.014, r * 0.014), (1, 1, 1), soft=0.3)
        lash = [(ex - r * 0.16, ey - r * 0.02), (ex, ey - r * 0.085), (ex + r * 0.16, ey - r * 0.02), (ex, ey - r * 0.055)]
        polygon(canvas, lash, rgb(30, 22, 20), soft=0.6)
        brow = [
            (ex - r * 0.18, ey - r * 0.17 - side * r * 0.02),
            (ex, ey - r * 0.235),
            (ex + r * 0.18, ey - r * 0.17 + side * r * 0.02),
            (ex, ey - r * 0.19),
        ]
        polygon(canvas, brow, hair, soft=1.0, opacity=0.85)


def _nose_and_mouth(canvas: Canvas, rng: Rng, face: _Face) -> None:
    person, r = face.person, face.r
    x, y = face.at[0] + face.turn * r * 0.62, face.at[1]
    skin = rgb(*person.skin)
    dim = (skin[0] * 0.80, skin[1] * 0.72, skin[2] * 0.68)
    polygon(
        canvas,
        [(x + r * 0.02, y - r * 0.05), (x + r * 0.13, y + r * 0.30), (x + r * 0.03, y + r * 0.32)],
        dim,
        soft=r * 0.04,
        opacity=0.6,
    )
    disc(
        canvas,
        (x - r * 0.02, y + r * 0.25),
        (r * 0.07, r * 0.06),
        (min(skin[0] * 1.1, 1), min(skin[1] * 1.1, 1), min(skin[2] * 1.1, 1)),
        opacity=0.6,
        soft=0.8,
    )
    for side in (-1, 1):
        disc(
            canvas,
            (x + side * r * 0.07, y + r * 0.335),
            (r * 0.032, r * 0.018),
            (skin[0] * 0.5, skin[1] * 0.4, skin[2] * 0.38),
            soft=0.5,
        )
    smile = float(rng.uniform(0.02, 0.08))
    if person.beard:
        jaw = [
            (x - r * 0.62, y + r * 0.36),
            (x - r * 0.40, y + r * 0.80),
            (x, y + r * 1.0),
            (x + r * 0.40, y + r * 0.80),
            (x + r * 0.62, y + r * 0.36),
            (x, y + r * 0.44),
        ]
        polygon(canvas, jaw, rgb(*person.hair), soft=r * 0.06, opacity=0.75)
    lips = rgb(190, 88, 88) if person.style in ("long", "bun", "tails") else rgb(168, 98, 88)
    mouth = y + r * 0.56
    polygon(
        canvas,
        [
            (x - r * 0.25, mouth - smile * r),
            (x - r * 0.06, mouth - r * 0.03),
            (x + r * 0.06, mouth - r * 0.03),
            (x + r * 0.25, mouth - smile * r),
            (x, mouth + r * 0.10),
        ],
        lips,
        soft=1.2,
    )
    polygon(
        canvas,
        [
            (x - r * 0.20, mouth - smile * r * 0.7),
            (x, mouth + r * 0.01),
            (x + r * 0.20, mouth - smile * r * 0.7),
            (x, mouth + r * 0.035),
        ],
        (0.93, 0.91, 0.88) if smile > 0.05 else (0.36, 0.14, 0.14),
        soft=1.0,
    )


def _strands(
    canvas: Canvas, rng: Rng, centre: tuple[float, float], radii: tuple[float, float], hair: Colour, *, angle: float = 0.0
) -> None:
    """A lock: an ellipsoid whose texture runs along it."""
    ball(
        canvas,
        rng,
        centre,
        radii,
        hair,
        angle=angle,
        rough=0.10,
        grain=max(2.5, min(radii) * 0.12),
        shine=0.16,
        light=_LIGHT,
        edge=0.05,
    )


def _hair_behind(canvas: Canvas, rng: Rng, face: _Face) -> None:
    style, hair, r = face.person.style, rgb(*face.person.hair), face.r
    x, y = face.at
    if style == "tails":
        for side in (-1, 1):
            _strands(canvas, rng, (x + side * r * 1.05, y + r * 0.35), (r * 0.30, r * 0.72), hair, angle=-side * 0.25)
            disc(canvas, (x + side * r * 0.92, y - r * 0.25), (r * 0.12, r * 0.10), rgb(226, 60, 90))
        return
    reach = 1.75 if style == "long" else 0.8
    _strands(canvas, rng, (x, y + r * (reach - 0.75)), (r * 1.06, r * (0.5 + reach * 0.72)), hair)


def _hair_front(canvas: Canvas, rng: Rng, face: _Face) -> None:
    style, hair, wide, r = face.person.style, rgb(*face.person.hair), face.person.wide, face.r
    x, y = face.at
    if style == "bun":
        _strands(canvas, rng, (x, y - r * 1.22), (r * 0.38, r * 0.34), hair)
    top = 0.50 if style != "short" else 0.42
    _strands(canvas, rng, (x, y - r * 0.80), (r * 0.86 * wide, r * top), hair)
    for side in (-1, 1):
        _strands(canvas, rng, (x + side * r * 0.70 * wide, y - r * 0.50), (r * 0.17, r * 0.42), hair, angle=side * -0.15)
    if style in ("tails", "bob"):
        _strands(canvas, rng, (x, y - r * 0.62), (r * 0.66 * wide, r * 0.26), hair)
    if style == "long":
        _strands(canvas, rng, (x - r * 0.42, y - r * 0.66), (r * 0.40, r * 0.25), hair, angle=-0.6)
        _strands(canvas, rng, (x + r * 0.46, y - r * 0.66), (r * 0.38, r * 0.24), hair, angle=0.6)


def _glasses(canvas: Canvas, face: _Face) -> None:
    r = face.r
    x, y = face.at[0] + face.turn * r * 0.5, face.at[1] - r * 0.06
    angles = np.linspace(0, 2 * np.pi, 28, endpoint=False)
    for side in (-1, 1):
        centre = x + side * r * 0.34
        outer = [(centre + np.cos(a) * r * 0.25, y + np.sin(a) * r * 0.19) for a in angles]
        inner = [(centre + np.cos(a) * r * 0.22, y + np.sin(a) * r * 0.16) for a in angles]
        polygon(canvas, [*outer, outer[0], inner[0], *inner[::-1]], rgb(24, 22, 24), soft=0.6)
        polygon(canvas, inner, (0.85, 0.92, 1.0), opacity=0.10)
        polygon(
            canvas,
            [
                (centre + side * r * 0.24, y - r * 0.03),
                (centre + side * r * 0.50, y - r * 0.06),
                (centre + side * r * 0.50, y - r * 0.02),
                (centre + side * r * 0.24, y + r * 0.02),
            ],
            rgb(24, 22, 24),
        )
    polygon(
        canvas,
        [
            (x - r * 0.10, y - r * 0.03),
            (x + r * 0.10, y - r * 0.03),
            (x + r * 0.10, y + r * 0.01),
            (x - r * 0.10, y + r * 0.01),
        ],
        rgb(24, 22, 24),
    )


def behind(canvas: Canvas) -> Canvas:
    """The place behind a portrait: out of focus and a little brighter than in front."""
    height = canvas.shape[0]
    soft = blur(canvas, height * 0.010)
    shade(soft, np.ones(soft.shape[:2], np.float32), 0.04)
    return soft
