"""Landscapes: beach, sea at sunset, mountains, lake, woods, blossom, snow."""

import cv2
import numpy as np

from rig.album.synth.canvas import (
    Canvas,
    Colour,
    Field,
    Rng,
    ball,
    blur,
    cloud,
    disc,
    glow,
    gradient,
    lay,
    lighten,
    plane,
    polygon,
    relief,
    rgb,
    shade,
    shadow,
    sheet,
    smooth,
    soft_field,
    stretched,
    tinted,
    vary,
    vector,
)

SKIES: dict[str, tuple[Colour, Colour, Colour, float]] = {
    # zenith, horizon, cloud, how cloudy (higher is clearer)
    "clear": (rgb(58, 110, 178), rgb(176, 208, 230), rgb(250, 250, 252), 1.3),
    "fair": (rgb(84, 136, 196), rgb(200, 220, 234), rgb(248, 248, 250), 0.3),
    "grey": (rgb(150, 160, 170), rgb(205, 210, 214), rgb(225, 228, 232), -0.4),
    "sunset": (rgb(72, 84, 132), rgb(248, 168, 96), rgb(250, 150, 110), 0.2),
    "dusk": (rgb(28, 36, 74), rgb(206, 128, 110), rgb(120, 84, 104), 0.4),
    "night": (rgb(12, 14, 30), rgb(74, 62, 76), rgb(30, 30, 44), 0.6),
}


def sky(rng: Rng, height: int, width: int, kind: str, horizon: float) -> Canvas:
    """A sky whose colours meet the horizon at that row, with clouds that flatten towards it."""
    zenith, low, cloud_colour, clear = SKIES[kind]
    zenith, low = vary(rng, zenith, 0.08), vary(rng, low, 0.05)
    place = float(np.clip(horizon / height, 0.05, 1))
    canvas = gradient(height, width, [(0, zenith), (place * 0.6, _between(zenith, low, 0.55)), (place, low), (1, low)])
    # Clouds are soft: half the size is enough.
    rows, columns = height // 2, width // 2
    lumps = cloud(rng, rows, columns, grain=rows * 0.28, octaves=5, stretch=2.6)
    lumps += np.linspace(0.2, -0.6, rows, dtype=np.float32)[:, None]
    lit = np.clip(0.92 + 0.12 * relief(soft_field(lumps, 3), 6), 0.5, 1.06)
    mask = smooth(lumps, clear, clear + 1.4) * np.float32(0.85)
    white = tinted(cloud_colour, lit)
    lay(canvas, stretched(white, height, width), stretched(mask, height, width))
    return canvas


def beach(rng: Rng, height: int, width: int, mood: str) -> Canvas:
    """Sea, surf and sand."""
    horizon, shore = height * rng.uniform(0.30, 0.42), height * rng.uniform(0.56, 0.68)
    light = "sunset" if mood == "sunset" else str(rng.choice(["clear", "fair", "fair", "grey"]))
    canvas = sky(rng, height, width, light, horizon)
    sun_x = width * rng.uniform(0.25, 0.75)
    if light == "sunset":
        glow(canvas, (sun_x, horizon - height * 0.05), height * 0.2, (1.0, 0.62, 0.28), 0.9)
        disc(canvas, (sun_x, horizon - height * 0.05), (height * 0.03, height * 0.03), (1.0, 0.93, 0.72), soft=0.2)
    sea(canvas, rng, horizon, light, sun_x)
    _sand(canvas, rng, horizon, shore, light)
    for _ in range(int(rng.integers(0, 4))):
        parasol(canvas, rng, (width * rng.uniform(0.05, 0.95), shore + height * rng.uniform(0.08, 0.25)), height * 0.11)
    for _ in range(int(rng.integers(2, 9))):
        walker(canvas, rng, (width * rng.uniform(0.03, 0.97), shore + height * rng.uniform(0.01, 0.1)), height * 0.055)
    for _ in range(int(rng.integers(0, 7))):
        at = (width * rng.uniform(0, 1), height * rng.uniform(0.78, 0.98))
        size = height * rng.uniform(0.015, 0.06)
        shadow(canvas, (at[0] + size * 0.3, at[1] + size * 0.5), (size * 1.4, size * 0.5), 0.4)
        ball(canvas, rng, at, (size * 1.3, size * 0.8), vary(rng, rgb(112, 100, 90), 0.1), rough=0.14, edge=0.3)
    return canvas


def sea(canvas: Canvas, rng: Rng, horizon: float, light: str, sun_x: float) -> None:
    """Water from the horizon down, with waves that grow towards the viewer and the sun's path on it."""
    height, width = canvas.shape[:2]
    near, far = (
        (rgb(38, 92, 112), rgb(110, 160, 184)) if light not in ("sunset", "night") else (rgb(52, 52, 78), rgb(214, 140, 104))
    )
    near = vary(rng, near, 0.12)
    start = int(horizon)
    canvas[start:] = gradient(height - start, width, [(0, far), (0.25, _between(far, near, 0.7)), (1, near)])
    tile = cloud(rng, 512, 512, grain=26, octaves=4, stretch=3.2)
    waves = plane(canvas, horizon, tile, scale=0.5, contrast=0.16)
    shade(canvas, waves, 1.0)
    if light == "sunset":
        x = np.abs(np.arange(width, dtype=np.float32) - np.float32(sun_x))[None, :]
        y = np.arange(height, dtype=np.float32)[:, None]
        path = np.exp(-x / (width * 0.05 + 0.2 * np.maximum(y - np.float32(horizon), 0))) * (y > horizon)
        sparkle = smooth(waves / 0.16, 0.1, 1.6)
        canvas += (path * (0.18 + 0.8 * sparkle))[..., None] * vector((1.0, 0.66, 0.36))


def _sand(canvas: Canvas, rng: Rng, horizon: float, shore: float, light: str) -> None:
    height, width = canvas.shape[:2]
    x = np.linspace(0, 1, width, dtype=np.float32)
    bend = rng.uniform(-0.10, 0.10) * height
    edge = shore + bend * (x - 0.5) * 2 + cloud(rng, 4, width, grain=width / 5, octaves=4)[1] * height * 0.012
    below = np.arange(height, dtype=np.float32)[:, None] - edge[None, :]
    base = vary(rng, rgb(208, 184, 142) if light != "sunset" else rgb(150, 112, 90), 0.06)
    ground = sheet(height, width, base)
    tile = cloud(rng, 512, 512, grain=10, octaves=3)
    shade(ground, plane(canvas, horizon, tile, scale=0.8, contrast=0.10), 1)
    shade(ground, cloud(rng, height, width, grain=height * 0.2, octaves=4, stretch=2), 0.05)
    wet = np.exp(-np.maximum(below, 0) / (height * 0.05))
    lighten(ground, 1 - np.float32(0.38) * wet)
    lay(canvas, ground, smooth(below, -2, 2))
    foam = cloud(rng, height, width, grain=30, octaves=4, stretch=3)
    surf = np.exp(-((below + height * 0.012) ** 2) / (height * 0.010) ** 2) + 0.6 * np.exp(
        -((below + height * 0.06) ** 2) / (height * 0.008) ** 2
    )
    lay(canvas, (0.95, 0.96, 0.96), np.clip(surf * smooth(foam, -1.0, 0.6), 0, 0.92))


def hills(
    canvas: Canvas, rng: Rng, foot: float, rise: float, paint: Colour, *, haze: float = 0.0, jag: float = 0.5, snow: float = 2.0
) -> None:
    """A range whose crest lies about `rise` above `foot` (rows). `snow` is the part of the height that is bare."""
    height, width = canvas.shape[:2]
    line = np.zeros(width, np.float32)
    step, weight = width / 2.2, 1.0
    while step > 3:
        knots = rng.standard_normal((1, max(2, int(width / step) + 2)), dtype=np.float32)
        line += weight * cv2.resize(knots, (width, 1), interpolation=cv2.INTER_CUBIC)[0]
        step, weight = step / 2, weight * jag
    crest = foot - rise * (0.75 + 0.38 * line / (line.std() + 1e-6))
    top = int(np.clip(crest.min() - 2, 0, height - 4))
    view = canvas[top:]
    y = np.arange(top, height, dtype=np.float32)[:, None] - crest[None, :]
    body = _rock(rng, y, rise, paint, snow)
    horizon_colour = tuple(float(value) for value in canvas[min(int(foot), height - 1)].mean(axis=0))
    part = np.clip(y / max(rise, 1), 0, 1)
    lay(
        body,
        (horizon_colour[0], horizon_colour[1], horizon_colour[2]),
        np.float32(haze) + np.float32((1 - haze) * 0.35 * haze) * part,
    )
    lay(view, body, smooth(y, -0.8, 1.2))


def _rock(rng: Rng, below: Field, rise: float, paint: Colour, snow: float) -> Canvas:
    """The surface of a range, `below` rows under its crest; made at half the size, as nothing on it is sharp."""
    rows, columns = below.shape
    size = (max(columns // 2, 2), max(rows // 2, 2))
    ground = cloud(rng, size[1], size[0], grain=max(rise * 0.25, 6), octaves=5)
    light = relief(soft_field(ground, 0.6) * 3, 1.2)
    tone = 0.86 + 0.30 * light + 0.06 * ground
    body = tinted(paint, tone)
    if snow < 1.5:
        part = np.clip(stretched(below, size[1], size[0]) / np.float32(max(rise, 1)), 0, 1)
        bright = 0.82 + 0.20 * light
        white = tinted((0.93, 0.95, 0.99), bright)
        lay(body, white, smooth(0.25 * ground + (np.float32(snow) - part) * 3, -0.4, 0.4))
    return stretched(body, rows, columns)


def mountains(rng: Rng, height: int, width: int, mood: str) -> Canvas:
    """Ranges behind ranges; moods: green, snow, autumn, lake."""
    foot = height * rng.uniform(0.60, 0.74)
    canvas = sky(rng, height, width, str(rng.choice(["clear", "fair", "fair", "grey"])), foot)
    far = rgb(112, 130, 156)
    near = {"autumn": rgb(128, 86, 44), "snow": rgb(96, 104, 112)}.get(mood, rgb(66, 92, 58))
    snow_line = 0.9 if mood == "snow" else float(rng.choice([0.25, 2.0]))
    for layer, (rise, haze) in enumerate(((0.40, 0.62), (0.29, 0.40), (0.18, 0.18))):
        tone = _between(far, near, layer / 2)
        hills(
            canvas, rng, foot, height * rise * rng.uniform(0.8, 1.2), vary(rng, tone), haze=haze, snow=snow_line - 0.15 * layer
        )
    if mood == "lake":
        lake(canvas, rng, foot)
    else:
        meadow(canvas, rng, foot, {"snow": rgb(226, 232, 240), "autumn": rgb(150, 116, 62)}.get(mood, rgb(104, 126, 62)))
    for _ in range(int(rng.integers(3, 9))):
        at = height * rng.uniform(0.80, 1.02)
        conifer(
            canvas,
            rng,
            (width * rng.uniform(0, 1), at),
            height * rng.uniform(0.16, 0.34) * (at / height) ** 2,
            snowy=mood == "snow",
        )
    return canvas


def lake(canvas: Canvas, rng: Rng, shore: float) -> None:
    """Still water that mirrors what is above the shore."""
    height, width = canvas.shape[:2]
    start = int(shore)
    rows = np.clip(2 * start - np.arange(start, height), 0, start - 1).astype(np.float32)
    ripple = cloud(rng, height - start, width, grain=16, octaves=3, stretch=5)
    depth = np.linspace(0.3, 5, height - start, dtype=np.float32)[:, None]
    map_y = rows[:, None] + ripple * depth * 2
    map_x = np.arange(width, dtype=np.float32)[None, :] + ripple * depth
    mirror = cv2.remap(
        canvas, map_x.astype(np.float32), map_y.astype(np.float32), cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT
    )
    canvas[start:] = np.asarray(mirror, np.float32) * vector((0.74, 0.80, 0.82)) + vector((0.01, 0.03, 0.04))
    shade(canvas[start:], ripple, 0.03)
    polygon(canvas, [(0, shore - 2), (width, shore - 3), (width, shore + 3), (0, shore + 2)], (0.30, 0.29, 0.22), soft=2)


def meadow(canvas: Canvas, rng: Rng, horizon: float, paint: Colour) -> None:
    """Grass, stubble or snow on the ground below the horizon."""
    height, width = canvas.shape[:2]
    ground = sheet(height, width, paint)
    shade(ground, plane(canvas, horizon - height * 0.04, cloud(rng, 512, 512, grain=7, octaves=3), scale=0.9, contrast=0.14), 1)
    shade(ground, cloud(rng, height, width, grain=height * 0.25, octaves=5, stretch=2.5), 0.10)
    edge = horizon + cloud(rng, 4, width, grain=width / 4)[1] * height * 0.012
    lay(canvas, ground, smooth(np.arange(height, dtype=np.float32)[:, None] - edge[None, :], -2, 3))


def conifer(canvas: Canvas, rng: Rng, foot: tuple[float, float], tall: float, *, snowy: bool) -> None:
    """A fir: ragged tiers that narrow upwards."""
    x, y = foot
    shadow(canvas, (x + tall * 0.1, y), (tall * 0.30, tall * 0.05), 0.4)
    polygon(canvas, [(x - tall * 0.02, y), (x + tall * 0.02, y), (x, y - tall * 0.5)], rgb(60, 46, 36))
    tiers = 9
    for tier in range(tiers):
        level = tier / tiers
        half = tall * 0.24 * (1 - level) + 2
        paint = vary(rng, rgb(38, 62, 44), 0.14)
        if snowy and rng.random() < 0.6:
            paint = vary(rng, rgb(206, 216, 224), 0.05)
        ball(
            canvas,
            rng,
            (x + rng.normal(0, 1), y - tall * (0.10 + 0.88 * level)),
            (half, tall * 0.075),
            paint,
            edge=0.5,
            grain=6,
            rough=0.16,
            shine=0,
        )


def tree(canvas: Canvas, rng: Rng, foot: tuple[float, float], tall: float, leaves: Colour) -> None:
    """A broad-leaved tree: trunk, branches, and clumps of leaves lit from the upper left."""
    x, y = foot
    shadow(canvas, (x + tall * 0.1, y), (tall * 0.35, tall * 0.05), 0.45)
    wide = tall * 0.035
    bark = vary(rng, rgb(74, 58, 46), 0.1)
    polygon(canvas, [(x - wide, y), (x + wide, y), (x + wide * 0.4, y - tall * 0.62), (x - wide * 0.4, y - tall * 0.62)], bark)
    for side in (-1, 1):
        polygon(
            canvas,
            [
                (x, y - tall * 0.40),
                (x + side * tall * 0.20, y - tall * 0.68),
                (x + side * tall * 0.19, y - tall * 0.70),
                (x, y - tall * 0.46),
            ],
            bark,
        )
    for _ in range(11):
        reach = rng.uniform(0, 0.26) * tall
        turn = rng.uniform(0, 2 * np.pi)
        at = (x + np.cos(turn) * reach, y - tall * 0.72 + np.sin(turn) * reach * 0.75)
        size = tall * rng.uniform(0.09, 0.16)
        ball(
            canvas,
            rng,
            at,
            (size, size * 0.85),
            vary(rng, leaves, 0.13),
            edge=0.8,
            grain=max(4.0, tall * 0.03),
            rough=0.2,
            shine=0,
        )


def woods(rng: Rng, height: int, width: int, mood: str) -> Canvas:
    """A path between trees; moods: autumn, green, blossom."""
    horizon = height * rng.uniform(0.44, 0.55)
    canvas = sky(rng, height, width, "fair" if mood != "autumn" else "clear", horizon)
    leaves = {
        "autumn": [rgb(206, 120, 36), rgb(186, 70, 34), rgb(218, 164, 52)],
        "blossom": [rgb(240, 190, 204), rgb(246, 214, 222)],
    }.get(mood, [rgb(74, 112, 46), rgb(98, 134, 58)])
    far = leaves[0] if mood == "autumn" else rgb(84, 106, 70)
    hills(canvas, rng, horizon, height * 0.12, vary(rng, far), haze=0.35, jag=0.8)
    meadow(canvas, rng, horizon, {"autumn": rgb(152, 112, 58)}.get(mood, rgb(104, 128, 60)))
    _path(canvas, rng, horizon)
    trees = sorted((rng.uniform(0.02, 1.0) ** 1.5, side) for side in (-1, 1) for _ in range(int(rng.integers(4, 7))))
    for near, side in trees:
        foot = horizon + (height - horizon) * near * 0.85 + height * 0.03
        x = width / 2 + side * width * (0.10 + 0.42 * near) * rng.uniform(0.8, 1.3)
        tree(canvas, rng, (x, foot), height * (0.18 + 0.72 * near), leaves[int(rng.integers(len(leaves)))])
    if mood == "autumn":
        _leaves_on_ground(canvas, rng, horizon, leaves)
    return canvas


def _path(canvas: Canvas, rng: Rng, horizon: float) -> None:
    height, width = canvas.shape[:2]
    x = width / 2 + rng.uniform(-0.1, 0.1) * width
    mask = np.zeros((height, width), np.float32)
    left, right = x - width * rng.uniform(0.22, 0.34), x + width * rng.uniform(0.22, 0.34)
    corners = np.array([(width / 2 - 6, horizon + 4), (width / 2 + 6, horizon + 4), (right, height), (left, height)], np.int32)
    cv2.fillPoly(mask, [corners], 1.0, cv2.LINE_AA)
    ground = sheet(height, width, vary(rng, rgb(170, 158, 140), 0.06))
    shade(ground, plane(canvas, horizon, cloud(rng, 256, 256, grain=8), scale=0.9, contrast=0.10), 1)
    lay(canvas, ground, soft_field(mask, 3))


def _leaves_on_ground(canvas: Canvas, rng: Rng, horizon: float, leaves: list[Colour]) -> None:
    height, width = canvas.shape[:2]
    for _ in range(420):
        near = rng.uniform(0.02, 1) ** 0.7
        at = (int(rng.uniform(0, width)), int(horizon + (height - horizon) * near))
        colour = vary(rng, leaves[int(rng.integers(len(leaves)))], 0.12)
        size = (max(1, int(7 * near)), max(1, int(3 * near)))
        cv2.ellipse(canvas, at, size, float(rng.uniform(0, 180)), 0, 360, colour, -1, cv2.LINE_AA)


def blossom(rng: Rng, height: int, width: int, mood: str) -> Canvas:
    """Flowers close up, sharp in the middle and melting away before and behind; `mood` is their colour."""
    paints = {"pink": rgb(232, 150, 178), "yellow": rgb(240, 200, 60), "red": rgb(200, 50, 52), "white": rgb(240, 238, 232)}
    paint = paints.get(mood, paints["pink"])
    canvas = gradient(height, width, [(0, vary(rng, rgb(120, 152, 96), 0.2)), (1, vary(rng, rgb(46, 72, 34), 0.2))])
    for _ in range(60):
        at = (rng.uniform(0, width), rng.uniform(0, height))
        size = height * rng.uniform(0.02, 0.07)
        disc(
            canvas, at, (size, size), vary(rng, paint if rng.random() < 0.45 else rgb(96, 130, 66), 0.2), opacity=0.55, soft=0.2
        )
    canvas = blur(canvas, height * 0.02)
    for layer, (count, size, softness) in enumerate(((26, 0.045, 5.0), (9, 0.095, 0.0), (2, 0.20, 12.0))):
        for _ in range(count):
            at = (rng.uniform(0, width), rng.uniform(0.05, 1.0) * height)
            flower(canvas, rng, at, height * size * rng.uniform(0.75, 1.25), paint)
        canvas = blur(canvas, softness) if layer < 1 else canvas
    return canvas


def flower(canvas: Canvas, rng: Rng, at: tuple[float, float], size: float, paint: Colour) -> None:
    """Five to eight petals around a yellow heart, on a stalk."""
    x, y = at
    polygon(
        canvas,
        [(x - size * 0.05, y), (x + size * 0.05, y), (x + size * 0.3, y + size * 3.2), (x + size * 0.2, y + size * 3.2)],
        rgb(64, 98, 44),
    )
    petals = int(rng.integers(5, 9))
    turn, tilt = rng.uniform(0, 6.28), rng.uniform(0.6, 1.0)
    tone = vary(rng, paint, 0.08)
    for petal in range(petals):
        angle = turn + petal * 2 * np.pi / petals
        centre = (x + np.cos(angle) * size * 0.52, y + np.sin(angle) * size * 0.52 * tilt)
        ball(
            canvas,
            rng,
            centre,
            (size * 0.52, size * 0.27),
            tone,
            angle=float(np.arctan2(np.sin(angle) * tilt, np.cos(angle))),
            rough=0.04,
            shine=0.03,
            grain=size * 0.3 + 2,
        )
    ball(canvas, rng, (x, y), (size * 0.23, size * 0.21 * tilt), rgb(222, 170, 40), rough=0.2, grain=4)


def parasol(canvas: Canvas, rng: Rng, foot: tuple[float, float], tall: float) -> None:
    """A beach umbrella with coloured wedges."""
    x, y = foot
    shadow(canvas, (x + tall * 0.4, y), (tall * 0.55, tall * 0.10), 0.4)
    polygon(canvas, [(x - 2, y), (x + 2, y), (x + 2, y - tall), (x - 2, y - tall)], rgb(220, 214, 204))
    first = vary(rng, (rgb(196, 50, 48), rgb(40, 96, 160), rgb(222, 170, 46), rgb(40, 130, 110))[int(rng.integers(4))], 0.1)
    edges = np.linspace(-0.62, 0.62, 7) * tall
    for wedge in range(6):
        paint = first if wedge % 2 else rgb(240, 236, 228)
        sun = 1.05 - 0.07 * wedge
        paint = (paint[0] * sun, paint[1] * sun, paint[2] * sun)
        sag = [tall * (0.70 + 0.10 * (1 - abs(edge) / (0.62 * tall))) for edge in edges]
        polygon(
            canvas,
            [(x, y - tall * 1.12), (x + edges[wedge], y - sag[wedge]), (x + edges[wedge + 1], y - sag[wedge + 1])],
            paint,
        )


def walker(canvas: Canvas, rng: Rng, foot: tuple[float, float], tall: float) -> None:
    """Somebody far away."""
    x, y = foot
    shadow(canvas, (x + tall * 0.2, y), (tall * 0.35, tall * 0.06), 0.45)
    top, legs = (
        vary(rng, (rgb(180, 60, 60), rgb(50, 70, 110), rgb(230, 226, 220), rgb(60, 60, 64))[int(rng.integers(4))], 0.2),
        rgb(52, 54, 66),
    )
    stride = tall * rng.uniform(0.02, 0.12)
    for side in (-1, 1):
        polygon(
            canvas,
            [
                (x - tall * 0.06, y - tall * 0.5),
                (x + tall * 0.06, y - tall * 0.5),
                (x + side * stride + tall * 0.03, y),
                (x + side * stride - tall * 0.03, y),
            ],
            legs,
        )
    ball(canvas, rng, (x, y - tall * 0.64), (tall * 0.12, tall * 0.21), top, rough=0.05, grain=6)
    ball(canvas, rng, (x, y - tall * 0.92), (tall * 0.065, tall * 0.08), rgb(186, 140, 112), rough=0.03, grain=6)
    disc(canvas, (x, y - tall * 0.955), (tall * 0.068, tall * 0.05), rgb(36, 28, 26))


def _between(first: Colour, second: Colour, part: float) -> Colour:
    a, b = np.array(first), np.array(second)
    red, green, blue = (float(value) for value in a + (b - a) * part)
    return (red, green, blue)
