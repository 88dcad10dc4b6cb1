"""Rooms: a living room, an office, a café; and the cat that lives at home."""

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
    paste_flat,
    plane,
    polygon,
    rgb,
    shade,
    shadow,
    sheet,
    smooth,
    vary,
    vector,
)
from rig.album.synth.outdoors import sky
from rig.album.synth.town import bokeh, plain_wall

_WALLS = {
    "living": (rgb(216, 206, 190), rgb(190, 200, 202), rgb(222, 196, 168)),
    "office": (rgb(214, 218, 220), rgb(196, 204, 210)),
    "cafe": (rgb(130, 92, 66), rgb(96, 84, 76), rgb(160, 126, 96)),
}
_CLOTHS = (rgb(94, 108, 122), rgb(150, 70, 60), rgb(120, 130, 96), rgb(178, 160, 132), rgb(70, 82, 110))


def room(rng: Rng, height: int, width: int, mood: str) -> Canvas:
    """A room seen from one side; moods: living, office, cafe, birthday."""
    style = "living" if mood == "birthday" else mood
    walls = _WALLS[style]
    canvas = plain_wall(rng, height, width, walls[int(rng.integers(len(walls)))])
    floor = height * rng.uniform(0.62, 0.74)
    _floor(canvas, rng, floor, style)
    corner = width * float(rng.choice([rng.uniform(0.1, 0.25), rng.uniform(0.75, 0.9)]))
    _side_wall(canvas, corner, floor)
    spot = rng.permutation(3)
    places = [width * (0.2 + 0.3 * place) for place in spot]
    window_at = (places[0], floor * rng.uniform(0.42, 0.5))
    _window(canvas, rng, window_at, (width * rng.uniform(0.11, 0.17), floor * rng.uniform(0.26, 0.34)))
    _pictures(canvas, rng, (places[1], floor * 0.36), floor * 0.17)
    {"living": _living, "office": _office, "cafe": _cafe}[style](canvas, rng, floor, places[2])
    if mood == "birthday":
        _balloons(canvas, rng)
    # Light falls from the window and is lost in the corners.
    x = (np.arange(width, dtype=np.float32)[None, :] - np.float32(window_at[0])) / width
    y = (np.arange(height, dtype=np.float32)[:, None] - np.float32(window_at[1])) / height
    lighten(canvas, np.float32(0.70) + np.float32(0.5) * np.exp(-2.2 * (x * x + y * y)))
    return canvas


def _floor(canvas: Canvas, rng: Rng, floor: float, style: str) -> None:
    height, width = canvas.shape[:2]
    start = int(floor)
    tone = rgb(150, 108, 70) if style != "office" else rgb(122, 124, 126)
    ground = sheet(height, width, vary(rng, tone, 0.15))
    tile = boards(rng, 256) if style != "office" else cloud(rng, 256, 256, grain=4, octaves=2) * 0.25
    shade(ground, plane(ground, floor - height * 0.35, tile, scale=0.55, contrast=0.20), 1)
    canvas[start:] = ground[start:] * np.linspace(0.75, 1.05, height - start, dtype=np.float32)[:, None, None]
    polygon(
        canvas, [(0, floor - height * 0.018), (width, floor - height * 0.018), (width, floor), (0, floor)], rgb(232, 228, 220)
    )


def boards(rng: Rng, size: int) -> Field:
    """A tile of planks with grain and dark joints; mean about 0."""
    grain = cloud(rng, size, size, grain=5, octaves=3, stretch=0.12)
    plank = size // 8
    tone = rng.normal(0, 0.6, 8).astype(np.float32)
    field = 0.5 * grain + np.repeat(tone, plank)[None, :size]
    field[:, ::plank] -= 2.5
    return np.ascontiguousarray(field, np.float32)


def _side_wall(canvas: Canvas, corner: float, floor: float) -> None:
    height, width = canvas.shape[:2]
    edge = 0 if corner < width / 2 else width
    shape = [(corner, 0), (edge, 0), (edge, floor + height * 0.16), (corner, floor)]
    polygon(canvas, shape, (0.25, 0.22, 0.2), soft=2, opacity=0.22)


def _window(canvas: Canvas, rng: Rng, at: tuple[float, float], half: tuple[float, float]) -> None:
    (x, y), (w, h) = at, half
    outside = sky(rng, 120, 100, "fair", 80)
    outside[84:] = vector(rgb(120, 140, 100))
    outside = blur(outside, 2.5) * 1.18 + 0.08
    frame = rgb(236, 234, 228)
    polygon(
        canvas,
        [(x - w * 1.1, y - h * 1.08), (x + w * 1.1, y - h * 1.08), (x + w * 1.1, y + h * 1.08), (x - w * 1.1, y + h * 1.08)],
        frame,
        soft=1.2,
    )
    paste_flat(canvas, outside, [(x - w, y - h), (x + w, y - h), (x + w, y + h), (x - w, y + h)])
    polygon(canvas, [(x - 3, y - h), (x + 3, y - h), (x + 3, y + h), (x - 3, y + h)], frame)
    cloth = vary(rng, _CLOTHS[int(rng.integers(len(_CLOTHS)))], 0.1)
    for side in (-1, 1):
        for fold in range(5):
            inner = x + side * w * (1.35 - 0.10 * fold)
            tone = 0.8 + 0.35 * (fold % 2)
            polygon(
                canvas,
                [
                    (inner, y - h * 1.2),
                    (inner + side * w * 0.10, y - h * 1.2),
                    (inner + side * w * 0.12, y + h * 1.35),
                    (inner, y + h * 1.35),
                ],
                (cloth[0] * tone, cloth[1] * tone, cloth[2] * tone),
                soft=1.5,
            )


def _pictures(canvas: Canvas, rng: Rng, at: tuple[float, float], size: float) -> None:
    for number in range(int(rng.integers(1, 4))):
        x, y = at[0] + (number - 1) * size * 1.5, at[1] + rng.normal(0, 0.08) * size
        w, h = size * rng.uniform(0.4, 0.6), size * rng.uniform(0.45, 0.65)
        polygon(
            canvas,
            [(x - w + 5, y - h + 6), (x + w + 5, y - h + 6), (x + w + 5, y + h + 6), (x - w + 5, y + h + 6)],
            (0, 0, 0),
            soft=4,
            opacity=0.35,
        )
        polygon(canvas, [(x - w, y - h), (x + w, y - h), (x + w, y + h), (x - w, y + h)], rgb(44, 36, 30))
        art = gradient(60, 60, [(0, vary(rng, rgb(200, 170, 130), 0.4)), (1, vary(rng, rgb(80, 110, 130), 0.4))])
        shade(art, cloud(rng, 60, 60, grain=20), 0.25)
        paste_flat(
            canvas,
            art,
            [
                (x - w * 0.85, y - h * 0.85),
                (x + w * 0.85, y - h * 0.85),
                (x + w * 0.85, y + h * 0.85),
                (x - w * 0.85, y + h * 0.85),
            ],
        )


def _living(canvas: Canvas, rng: Rng, floor: float, x: float) -> None:
    height, width = canvas.shape[:2]
    sofa(canvas, rng, (width * rng.uniform(0.35, 0.65), floor + height * 0.17), width * rng.uniform(0.24, 0.32))
    lamp_x, top = x, floor - height * 0.32
    polygon(canvas, [(lamp_x - 3, top), (lamp_x + 3, top), (lamp_x + 3, floor + 12), (lamp_x - 3, floor + 12)], rgb(60, 52, 46))
    polygon(
        canvas,
        [(lamp_x - 28, top - 46), (lamp_x + 28, top - 46), (lamp_x + 46, top + 12), (lamp_x - 46, top + 12)],
        (1.0, 0.9, 0.7),
    )
    glow(canvas, (lamp_x, top), height * 0.16, (1.0, 0.75, 0.42), 0.45)
    plant(canvas, rng, (width * float(rng.choice([0.06, 0.94])), floor + height * 0.12), height * 0.34)


def sofa(canvas: Canvas, rng: Rng, foot: tuple[float, float], half: float) -> None:
    """A sofa with cushions; `half` is half its width."""
    x, y = foot
    cloth = vary(rng, _CLOTHS[int(rng.integers(len(_CLOTHS)))], 0.12)
    shadow(canvas, (x, y), (half * 1.15, half * 0.16), 0.55)
    for shape, tone in (
        ((0.0, -0.62, 1.0, 0.36), 0.92),
        ((0.0, -0.27, 0.86, 0.24), 1.08),
        ((-0.98, -0.36, 0.19, 0.36), 1.0),
        ((0.98, -0.36, 0.19, 0.36), 0.85),
    ):
        dx, dy, rx, ry = shape
        _cushion(
            canvas,
            rng,
            (x + dx * half, y + dy * half),
            (rx * half, ry * half),
            (cloth[0] * tone, cloth[1] * tone, cloth[2] * tone),
        )
    for side in (-0.5, 0.45):
        _cushion(
            canvas,
            rng,
            (x + side * half, y - half * 0.55),
            (half * 0.2, half * 0.2),
            vary(rng, _CLOTHS[int(rng.integers(len(_CLOTHS)))], 0.2),
        )


def _cushion(canvas: Canvas, rng: Rng, centre: tuple[float, float], radii: tuple[float, float], paint: Colour) -> None:
    """A box with round edges and a woven surface: the corners of a superellipse."""
    turn = np.linspace(0, 2 * np.pi, 48, endpoint=False)
    c, s = np.cos(turn), np.sin(turn)
    xs = centre[0] + radii[0] * np.sign(c) * np.abs(c) ** 0.35
    ys = centre[1] + radii[1] * np.sign(s) * np.abs(s) ** 0.35
    outline = list(zip(xs.tolist(), ys.tolist(), strict=True))
    polygon(canvas, [(px + 4, py + 7) for px, py in outline], (0, 0, 0), soft=7, opacity=0.35)
    polygon(canvas, outline, paint, soft=1.5)
    upper = [(px, centre[1] - radii[1] * 0.55 + (py - centre[1]) * 0.4) for px, py in outline]
    polygon(
        canvas,
        upper,
        (min(paint[0] * 1.25, 1), min(paint[1] * 1.25, 1), min(paint[2] * 1.25, 1)),
        soft=radii[1] * 0.22,
        opacity=0.55,
    )
    x0, x1 = int(max(centre[0] - radii[0], 0)), int(max(centre[0] + radii[0], 0))
    y0, y1 = int(max(centre[1] - radii[1], 0)), int(max(centre[1] + radii[1], 0))
    view = canvas[y0:y1, x0:x1]
    if view.size:
        shade(view, cloud(rng, view.shape[0], view.shape[1], grain=5, octaves=2), 0.035)


def plant(canvas: Canvas, rng: Rng, foot: tuple[float, float], tall: float) -> None:
    """A potted plant with long leaves."""
    x, y = foot
    shadow(canvas, (x, y), (tall * 0.25, tall * 0.06), 0.5)
    for _ in range(22):
        angle = rng.uniform(-2.7, -0.45)
        reach = tall * rng.uniform(0.35, 0.75)
        centre = (x + np.cos(angle) * reach * 0.5, y - tall * 0.3 + np.sin(angle) * reach * 0.5)
        ball(
            canvas,
            rng,
            centre,
            (reach * 0.5, tall * 0.035),
            vary(rng, rgb(58, 104, 56), 0.2),
            angle=angle,
            rough=0.05,
            shine=0.12,
        )
    polygon(
        canvas,
        [(x - tall * 0.13, y - tall * 0.3), (x + tall * 0.13, y - tall * 0.3), (x + tall * 0.09, y), (x - tall * 0.09, y)],
        vary(rng, rgb(176, 106, 76), 0.15),
    )


def _office(canvas: Canvas, rng: Rng, floor: float, _x: float) -> None:
    height, width = canvas.shape[:2]
    top = floor + height * 0.06
    polygon(
        canvas,
        [
            (width * 0.04, top + height * 0.05),
            (width * 0.96, top + height * 0.05),
            (width * 0.9, top - height * 0.02),
            (width * 0.1, top - height * 0.02),
        ],
        vary(rng, rgb(188, 156, 116), 0.1),
    )
    polygon(
        canvas,
        [
            (width * 0.04, top + height * 0.05),
            (width * 0.96, top + height * 0.05),
            (width * 0.96, top + height * 0.08),
            (width * 0.04, top + height * 0.08),
        ],
        rgb(120, 96, 70),
    )
    for x in np.linspace(0.24, 0.76, int(rng.integers(2, 4))):
        _monitor(canvas, rng, (width * (x + rng.normal(0, 0.02)), top), height * 0.2)
    for _ in range(int(rng.integers(3, 7))):
        at = (width * rng.uniform(0.1, 0.9), top + height * rng.uniform(0.0, 0.03))
        stack = height * rng.uniform(0.01, 0.05)
        polygon(
            canvas,
            [(at[0] - 30, at[1] - stack), (at[0] + 34, at[1] - stack), (at[0] + 34, at[1]), (at[0] - 30, at[1])],
            vary(rng, rgb(226, 222, 210), 0.1),
        )
    for x in (0.3, 0.68):
        at = (width * (x + rng.normal(0, 0.04)), height * 0.93)
        _cushion(canvas, rng, at, (width * 0.085, height * 0.14), vary(rng, rgb(52, 56, 64), 0.15))


def _monitor(canvas: Canvas, rng: Rng, foot: tuple[float, float], tall: float) -> None:
    x, y = foot
    w = tall * 0.8
    polygon(canvas, [(x - 8, y - tall * 0.3), (x + 8, y - tall * 0.3), (x + 22, y), (x - 22, y)], rgb(60, 62, 66))
    polygon(
        canvas,
        [(x - w, y - tall * 1.25), (x + w, y - tall * 1.25), (x + w, y - tall * 0.25), (x - w, y - tall * 0.25)],
        rgb(26, 27, 30),
    )
    screen = np.empty((90, 150, 3), np.float32)
    screen[:] = vector((0.93, 0.95, 0.97)) if rng.random() < 0.6 else vector((0.10, 0.12, 0.16))
    for row in range(8, 84, 9):
        end = int(rng.uniform(40, 140))
        screen[row : row + 4, 12:end] = vector(vary(rng, rgb(110, 140, 180), 0.4))
    paste_flat(
        canvas,
        screen,
        [
            (x - w * 0.94, y - tall * 1.2),
            (x + w * 0.94, y - tall * 1.2),
            (x + w * 0.94, y - tall * 0.31),
            (x - w * 0.94, y - tall * 0.31),
        ],
    )


def _cafe(canvas: Canvas, rng: Rng, floor: float, x: float) -> None:
    height, width = canvas.shape[:2]
    shelf = floor * 0.72
    for number in range(14):
        at = x - width * 0.16 + number * width * 0.024
        polygon(
            canvas, [(at, shelf - 34), (at + 14, shelf - 34), (at + 14, shelf), (at, shelf)], vary(rng, rgb(150, 110, 80), 0.5)
        )
    polygon(
        canvas,
        [(x - width * 0.19, shelf), (x + width * 0.19, shelf), (x + width * 0.19, shelf + 9), (x - width * 0.19, shelf + 9)],
        rgb(74, 50, 34),
    )
    for _ in range(3):
        at = (width * rng.uniform(0.1, 0.9), height * rng.uniform(0.14, 0.24))
        polygon(canvas, [(at[0] - 1, 0), (at[0] + 1, 0), (at[0] + 1, at[1]), (at[0] - 1, at[1])], (0.1, 0.1, 0.1))
        glow(canvas, at, height * 0.13, (1.0, 0.72, 0.38), 0.55)
        disc(canvas, at, (15, 17), (1.3, 1.15, 0.85), soft=0.3)
    for at_x in (width * rng.uniform(0.12, 0.35), width * rng.uniform(0.6, 0.88)):
        _table(canvas, rng, (at_x, floor + height * rng.uniform(0.14, 0.24)), width * 0.14)
    bokeh(canvas, rng, 3)


def _table(canvas: Canvas, rng: Rng, foot: tuple[float, float], half: float) -> None:
    x, y = foot
    top = y - half * 1.1
    shadow(canvas, (x, y), (half, half * 0.2), 0.5)
    polygon(canvas, [(x - 5, top), (x + 5, top), (x + 7, y), (x - 7, y)], rgb(40, 36, 34))
    disc(canvas, (x, top + 6), (half, half * 0.24), rgb(66, 44, 30), soft=0.02)
    disc(canvas, (x, top), (half, half * 0.24), vary(rng, rgb(126, 86, 54), 0.1), soft=0.02)
    ball(canvas, rng, (x - half * 0.2, top - 12), (15, 14), rgb(236, 232, 224), rough=0.01)


def _balloons(canvas: Canvas, rng: Rng) -> None:
    height, width = canvas.shape[:2]
    for _ in range(int(rng.integers(6, 12))):
        at = (width * rng.uniform(0.02, 0.98), height * rng.uniform(0.03, 0.36))
        size = height * rng.uniform(0.04, 0.065)
        paint = vary(
            rng, (rgb(226, 70, 80), rgb(250, 190, 60), rgb(80, 150, 220), rgb(240, 150, 190))[int(rng.integers(4))], 0.08
        )
        polygon(
            canvas,
            [(at[0], at[1]), (at[0] + 1.5, at[1]), (at[0] + size * 0.3, at[1] + size * 5)],
            (0.85, 0.85, 0.85),
            opacity=0.6,
        )
        ball(canvas, rng, at, (size, size * 1.2), paint, rough=0.01, shine=0.5)


def cat(rng: Rng, height: int, width: int, mood: str) -> Canvas:
    """The ginger cat on a sofa or a desk."""
    canvas = blur(room(rng, height, width, "living" if mood == "sofa" else "office"), height * 0.009)
    base = height * rng.uniform(0.74, 0.82)
    seat = sheet(
        height, width, vary(rng, _CLOTHS[int(rng.integers(len(_CLOTHS)))] if mood == "sofa" else rgb(176, 140, 100), 0.12)
    )
    weave = cloud(rng, 256, 256, grain=6, octaves=3) if mood == "sofa" else boards(rng, 256)
    shade(seat, plane(seat, base - height * 0.35, weave, scale=0.7, contrast=0.13), 1)
    shade(seat, cloud(rng, height, width, grain=height * 0.4), 0.08)
    lay(
        canvas,
        seat,
        smooth(np.arange(height, dtype=np.float32)[:, None] - np.float32(base - height * 0.1), -8, 8)
        * np.ones((1, width), np.float32),
    )
    x, size = width * rng.uniform(0.36, 0.64), min(height, width) * rng.uniform(0.20, 0.27)
    side = 1 if rng.random() < 0.5 else -1
    _cat_at(canvas, rng, (x, base + size * 0.3), size, side)
    return canvas


def _cat_at(canvas: Canvas, rng: Rng, at: tuple[float, float], size: float, side: int) -> None:
    x, y = at
    ginger, pale, dark = rgb(208, 134, 66), rgb(240, 214, 180), rgb(150, 84, 36)
    shadow(canvas, (x, y + size * 0.55), (size * 1.7, size * 0.35), 0.55)
    tail = np.linspace(0, 1, 9)
    for part in tail:
        bend = (x - side * size * (1.1 + 0.5 * np.sin(part * 2.6)), y + size * (0.42 - 0.9 * part))
        ball(
            canvas,
            rng,
            bend,
            (size * 0.15, size * 0.15),
            ginger if int(part * 8) % 2 else dark,
            edge=0.2,
            grain=4,
            rough=0.12,
            shine=0,
        )
    ball(canvas, rng, (x - side * size * 0.35, y), (size * 1.15, size * 0.68), ginger, edge=0.10, grain=5, rough=0.13, shine=0)
    for stripe in range(5):
        at_x = x - side * size * (0.05 + 0.22 * stripe)
        disc(canvas, (at_x, y - size * 0.30), (size * 0.045, size * 0.30), dark, opacity=0.5, soft=0.6, angle=0.15 * side)
    for leg in (0.25, 0.62):
        ball(
            canvas,
            rng,
            (x + side * size * leg, y + size * 0.5),
            (size * 0.20, size * 0.15),
            pale,
            edge=0.12,
            grain=4,
            rough=0.09,
            shine=0,
        )
    head = (x + side * size * 0.62, y - size * 0.62)
    _cat_head(canvas, rng, head, size * 0.52, (ginger, pale, dark))


def _cat_head(canvas: Canvas, rng: Rng, head: tuple[float, float], r: float, fur: tuple[Colour, Colour, Colour]) -> None:
    x, y = head
    ginger, pale, dark = fur
    for side in (-1, 1):
        polygon(
            canvas,
            [(x + side * r * 0.86, y - r * 0.2), (x + side * r * 0.78, y - r * 1.28), (x + side * r * 0.18, y - r * 0.72)],
            ginger,
            soft=1.5,
        )
        polygon(
            canvas,
            [(x + side * r * 0.74, y - r * 0.45), (x + side * r * 0.70, y - r * 1.08), (x + side * r * 0.34, y - r * 0.70)],
            rgb(226, 160, 140),
            soft=2,
        )
    ball(canvas, rng, head, (r, r * 0.88), ginger, edge=0.10, grain=4, rough=0.12, shine=0)
    for stripe in (-0.22, 0.0, 0.22):
        disc(canvas, (x + stripe * r, y - r * 0.58), (r * 0.05, r * 0.22), dark, opacity=0.6, soft=0.6)
    for side in (-1, 1):
        ball(
            canvas, rng, (x + side * r * 0.22, y + r * 0.38), (r * 0.30, r * 0.24), pale, edge=0.1, grain=4, rough=0.06, shine=0
        )
        disc(canvas, (x + side * r * 0.40, y - r * 0.06), (r * 0.20, r * 0.17), rgb(34, 26, 18))
        disc(canvas, (x + side * r * 0.40, y - r * 0.06), (r * 0.17, r * 0.145), rgb(196, 186, 70))
        disc(canvas, (x + side * r * 0.40, y - r * 0.06), (r * 0.055, r * 0.135), (0.02, 0.02, 0.02))
        disc(canvas, (x + side * r * 0.36, y - r * 0.11), (r * 0.03, r * 0.03), (1.0, 1.0, 1.0))
        for whisker in (-0.12, 0.0, 0.12):
            start, end = (
                (x + side * r * 0.35, y + r * (0.38 + whisker * 0.6)),
                (x + side * r * 1.35, y + r * (0.30 + whisker * 2.2)),
            )
            polygon(canvas, [start, end, (start[0], start[1] + 2)], (0.95, 0.93, 0.9), opacity=0.7)
    polygon(canvas, [(x - r * 0.09, y + r * 0.17), (x + r * 0.09, y + r * 0.17), (x, y + r * 0.27)], rgb(200, 110, 110), soft=1)
