"""What every painter uses: fractal texture, gradients, soft masks, shaded bodies and perspective.

A canvas is float32, shape (height, width, 3), RGB in display space, 0 to 1; masks and textures are float32, shape
(height, width). Everything is drawn in place and random only through the generator passed in.
"""

import math
from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

Canvas = NDArray[np.float32]
"""RGB, shape (height, width, 3), 0 to 1."""
Field = NDArray[np.float32]
"""One channel, shape (height, width)."""
Colour = tuple[float, float, float]
Rng = np.random.Generator
Point = tuple[float, float]


def cloud(rng: Rng, height: int, width: int, *, grain: float, octaves: int = 4, stretch: float = 1.0) -> Field:
    """Fractal noise, mean 0, spread 1; `grain` is the size in pixels of its largest lumps, `stretch` their width to height.

    Lumps over 12 px are summed at a quarter of the size, where they look the same and cost a sixteenth.
    """
    reduced = 4 if grain > 12 and min(height, width) > 32 else 1
    size = (-(-height // reduced), -(-width // reduced))
    total = np.zeros(size, np.float32)
    weight = 1.0
    for number in range(octaves):
        if reduced == 4 and grain <= 12 and number:
            size, reduced = (height, width), 1
            total = stretched(total, height, width)
        rows, columns = max(2, round(height / grain) + 2), max(2, round(width / (grain * stretch)) + 2)
        small = rng.standard_normal((min(rows, size[0]), min(columns, size[1])), dtype=np.float32)
        total += np.float32(weight) * cv2.resize(small, (size[1], size[0]), interpolation=cv2.INTER_CUBIC)
        grain, weight = grain / 2.1, weight * 0.55
        if grain < 1:
            break
    field = total if reduced == 1 else stretched(total, height, width)
    mean, spread = cv2.meanStdDev(field)
    return (field - np.float32(mean[0, 0])) * np.float32(1 / (spread[0, 0] + 1e-6))


def stretched(field: NDArray[np.float32], height: int, width: int) -> NDArray[np.float32]:
    """The field or canvas at another size."""
    return np.asarray(cv2.resize(field, (width, height), interpolation=cv2.INTER_LINEAR), np.float32)


def soft_field(field: Field, sigma: float) -> Field:
    """The field with its edges spread over about `sigma` pixels."""
    return np.asarray(cv2.GaussianBlur(field, (0, 0), sigma), np.float32)


def vector(paint: Colour) -> NDArray[np.float32]:
    """The colour as an array of shape (3,)."""
    return np.array(paint, np.float32)


def tinted(paint: Colour, field: Field) -> Canvas:
    """The colour, as bright as the field."""
    return np.asarray(cv2.merge([np.float32(value) * field for value in paint]), np.float32)


def smooth(field: Field, low: float, high: float) -> Field:
    """0 below `low`, 1 above `high`, an S between."""
    t = np.clip((field - np.float32(low)) * np.float32(1 / (high - low)), 0, 1)
    return np.asarray(t * t * (3 - 2 * t), np.float32)


def relief(field: Field, strength: float = 1.0, angle: float = -0.8) -> Field:
    """How much light a surface of this height catches from the side of `angle` (radians): around 0, both signs."""
    dx = cv2.Sobel(field, cv2.CV_32F, 1, 0, ksize=3)
    dy = cv2.Sobel(field, cv2.CV_32F, 0, 1, ksize=3)
    return np.tanh(strength * (math.cos(angle) * dx + math.sin(angle) * dy))


def gradient(height: int, width: int, stops: Sequence[tuple[float, Colour]]) -> Canvas:
    """Colours from top to bottom; each stop is (place from 0 to 1, colour)."""
    y = np.linspace(0, 1, height, dtype=np.float32)
    places = [place for place, _ in stops]
    column = np.stack([np.interp(y, places, [colour[i] for _, colour in stops]) for i in range(3)], axis=1)
    return np.repeat(column[:, None, :].astype(np.float32), width, axis=1)


def sheet(height: int, width: int, paint: Colour) -> Canvas:
    """A canvas of one colour."""
    dot = np.array([[paint]], np.float32)
    return np.asarray(cv2.copyMakeBorder(dot, 0, height - 1, 0, width - 1, cv2.BORDER_REPLICATE), np.float32)


def threefold(field: Field) -> Canvas:
    """The field as a grey canvas; OpenCV multiplies two of a kind several times faster than NumPy spreads one over three."""
    return np.asarray(cv2.merge([field, field, field]), np.float32)


def lay(canvas: Canvas, paint: Canvas | Colour, mask: Field) -> None:
    """Paints over the canvas where the mask is."""
    layer = sheet(canvas.shape[0], canvas.shape[1], paint) if isinstance(paint, tuple) else np.asarray(paint, np.float32)
    mask = np.ascontiguousarray(mask, np.float32)
    cv2.blendLinear(layer, canvas, mask, 1 - mask, canvas)


def shade(canvas: Canvas, light: Field, amount: float) -> None:
    """Lightens and darkens by `1 + amount * light`."""
    lighten(canvas, np.maximum(1 + np.float32(amount) * light, 0))


def lighten(canvas: Canvas, gain: Field) -> None:
    """Multiplies the canvas by the field."""
    cv2.multiply(canvas, threefold(np.asarray(gain, np.float32)), canvas)


def window(canvas: Canvas, left: float, top: float, right: float, bottom: float) -> tuple[Canvas, int, int]:
    """The part of the canvas inside the box, as a view, with its own (x, y) origin; empty when outside."""
    height, width = canvas.shape[:2]
    x0, x1 = sorted((int(min(max(left, 0), width)), int(min(max(right, 0), width))))
    y0, y1 = sorted((int(min(max(top, 0), height)), int(min(max(bottom, 0), height))))
    return canvas[y0:y1, x0:x1], x0, y0


def polygon(canvas: Canvas, points: Sequence[Point], paint: Colour, *, soft: float = 0.8, opacity: float = 1.0) -> None:
    """A filled polygon with edges `soft` pixels wide."""
    xs, ys = [p[0] for p in points], [p[1] for p in points]
    margin = 3 * soft + 2
    view, x0, y0 = window(canvas, min(xs) - margin, min(ys) - margin, max(xs) + margin, max(ys) + margin)
    if view.size:
        lay(view, paint, _polygon_mask(view, points, (x0, y0), soft) * np.float32(opacity))


def _polygon_mask(view: Canvas, points: Sequence[Point], origin: tuple[int, int], soft: float) -> Field:
    mask = np.zeros(view.shape[:2], np.uint8)
    corners = np.round((np.array(points, np.float64) - origin) * 16).astype(np.int32)
    cv2.fillPoly(mask, [corners], 255, cv2.LINE_AA, 4)
    field = mask.astype(np.float32) * np.float32(1 / 255)
    return soft_field(field, soft) if soft > 0.3 else field


def shadow(canvas: Canvas, centre: Point, radii: Point, strength: float, *, soft: float | None = None) -> None:
    """A soft dark ellipse, as under a thing on a table."""
    (cx, cy), (rx, ry) = centre, radii
    soft = soft or 0.4
    reach = 1 + soft
    view, x0, y0 = window(canvas, cx - rx * reach, cy - ry * reach, cx + rx * reach, cy + ry * reach)
    if view.size:
        distance = _distance(view, (x0, y0), centre, radii)
        lighten(view, 1 - np.float32(strength) * (1 - smooth(distance, 1 - soft, 1 + soft)))


def _distance(view: Canvas, origin: tuple[int, int], centre: Point, radii: Point, angle: float = 0.0) -> Field:
    """1 on the ellipse, 0 at its centre."""
    u, v = _axes(view, origin, centre, radii, angle)
    return np.asarray(np.sqrt(u * u + v * v), np.float32)


def _axes(view: Canvas, origin: tuple[int, int], centre: Point, radii: Point, angle: float) -> tuple[Field, Field]:
    """Coordinates along the ellipse's own axes, 1 at its edge; `origin` is the view's place on the canvas."""
    x = np.arange(view.shape[1], dtype=np.float32)[None, :] + np.float32(origin[0] - centre[0])
    y = np.arange(view.shape[0], dtype=np.float32)[:, None] + np.float32(origin[1] - centre[1])
    c, s = np.float32(math.cos(angle)), np.float32(math.sin(angle))
    u, v = (c * x + s * y) / np.float32(radii[0]), (c * y - s * x) / np.float32(radii[1])
    return np.asarray(u, np.float32), np.asarray(v, np.float32)


def disc(
    canvas: Canvas, centre: Point, radii: Point, paint: Colour, *, soft: float = 0.06, opacity: float = 1.0, angle: float = 0
) -> None:
    """A flat ellipse; `soft` is the width of its edge as a part of its radius."""
    reach = max(radii) * (1 + soft) + 1
    view, x0, y0 = window(canvas, centre[0] - reach, centre[1] - reach, centre[0] + reach, centre[1] + reach)
    if view.size:
        distance = _distance(view, (x0, y0), centre, radii, angle)
        lay(view, paint, np.float32(opacity) * (1 - smooth(distance, 1 - soft, 1 + soft)))


def ball(
    canvas: Canvas,
    rng: Rng,
    centre: Point,
    radii: Point,
    paint: Colour,
    *,
    angle: float = 0.0,
    rough: float = 0.05,
    grain: float = 12,
    shine: float = 0.1,
    light: tuple[float, float, float] = (-0.5, -0.65, 0.57),
    edge: float = 0.0,
) -> None:
    """A shaded ellipsoid lit from the upper left: skin, fruit, fur, foliage. `rough` is the contrast of its
    texture, `edge` its raggedness.
    """
    reach = max(radii) * (1.05 + edge) + 2
    view, x0, y0 = window(canvas, centre[0] - reach, centre[1] - reach, centre[0] + reach, centre[1] + reach)
    if not view.size:
        return
    u, v = _axes(view, (x0, y0), centre, radii, angle)
    c, s = math.cos(angle), math.sin(angle)
    texture = cloud(rng, view.shape[0], view.shape[1], grain=grain, octaves=3)
    d2 = u * u + v * v
    shrink = np.float32(1 / (1 + edge))  # a ragged edge lies outside the ellipse and must not turn black
    mask = 1 - smooth(np.sqrt(d2) + edge * 0.3 * texture, 1 - 1.5 / max(min(radii), 2), 1 + 1.5 / max(min(radii), 2))
    normal_z = np.sqrt(np.clip(1 - d2 * shrink * shrink, 0, 1))
    across, down = (c * u - s * v) * shrink, (s * u + c * v) * shrink
    lit = np.clip(light[0] * across + light[1] * down + light[2] * normal_z, 0, 1)
    tone = 0.42 + 0.68 * lit + rough * texture
    gleam = np.float32(shine) * lit**24
    surface = tinted(paint, tone) + threefold(gleam)
    lay(view, np.clip(surface, 0, 1.2), mask)


def glow(canvas: Canvas, centre: Point, radius: float, paint: Colour, strength: float = 1.0) -> None:
    """Adds light that falls off around a point."""
    view, x0, y0 = window(
        canvas, centre[0] - 3 * radius, centre[1] - 3 * radius, centre[0] + 3 * radius, centre[1] + 3 * radius
    )
    if view.size:
        distance = _distance(view, (x0, y0), centre, (radius, radius))
        light = np.float32(strength) * np.exp(np.float32(-1.6) * distance) * smooth(-distance, -3.0, -1.5)
        view += tinted(paint, light)


def blur(canvas: Canvas, sigma: float) -> Canvas:
    """Blurred; large blurs are done at a reduced size, where they look the same and cost little."""
    if sigma < 0.3:
        return canvas
    if sigma < 6:
        return np.asarray(cv2.GaussianBlur(canvas, (0, 0), sigma), np.float32)
    height, width = canvas.shape[:2]
    step = int(sigma / 2.5)
    small = cv2.resize(canvas, (max(2, width // step), max(2, height // step)), interpolation=cv2.INTER_AREA)
    return stretched(np.asarray(cv2.GaussianBlur(small, (0, 0), sigma / step), np.float32), height, width)


def plane(canvas: Canvas, horizon: float, tile: Field, *, scale: float, contrast: float, shift: Point = (0, 0)) -> Field:
    """A texture lying on the ground below the horizon (in pixels), fading with distance; zero above it.

    `tile` is repeated; at the lower edge one of its pixels covers `1 / scale` pixels of the canvas.
    """
    height, width = canvas.shape[:2]
    out = np.zeros((height, width), np.float32)
    first = int(max(0, np.ceil(horizon + 2)))
    y = np.arange(first, height, dtype=np.float32)[:, None]
    depth = np.float32(height - horizon) / (y - np.float32(horizon))
    x = np.arange(width, dtype=np.float32)[None, :] - np.float32(width / 2)
    map_x = _mirrored(x * depth * np.float32(scale) + np.float32(shift[0] + tile.shape[1] / 2), tile.shape[1])
    rows = _mirrored(depth * np.float32(height * scale * 0.8) + np.float32(shift[1]), tile.shape[0])
    map_y = np.repeat(rows, width, axis=1)
    fade = np.float32(contrast) / np.maximum(1, depth * np.float32(scale) * 0.5)
    out[first:] = cv2.remap(tile, map_x, map_y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE) * fade
    return out


def _mirrored(place: NDArray[np.float32], size: int) -> NDArray[np.float32]:
    """Places folded into 0 to `size`, every second repeat mirrored, so that a tile's edges meet without a seam."""
    return np.asarray(np.abs((place % np.float32(2 * size)) - np.float32(size)), np.float32)


def paste_flat(canvas: Canvas, flat: Canvas, corners: Sequence[Point], *, soft: float = 0.7) -> None:
    """Lays a flat picture onto the quadrilateral `corners` (upper left, upper right, lower right, lower left)."""
    xs, ys = [p[0] for p in corners], [p[1] for p in corners]
    view, x0, y0 = window(canvas, min(xs) - 2, min(ys) - 2, max(xs) + 3, max(ys) + 3)
    if not view.size:
        return
    height, width = flat.shape[:2]
    source = np.array([(0, 0), (width, 0), (width, height), (0, height)], np.float32)
    target = (np.array(corners, np.float64) - (x0, y0)).astype(np.float32)
    turn = cv2.getPerspectiveTransform(source, target)
    size = (view.shape[1], view.shape[0])
    seen = cv2.warpPerspective(flat, turn, size, flags=cv2.INTER_AREA, borderMode=cv2.BORDER_REPLICATE)
    lay(view, np.asarray(seen, np.float32), _polygon_mask(view, corners, (x0, y0), soft))


def rgb(red: int, green: int, blue: int) -> Colour:
    """A colour given as 0 to 255."""
    return (red / 255, green / 255, blue / 255)


def vary(rng: Rng, paint: Colour, amount: float = 0.06) -> Colour:
    """A colour near this one."""
    gain = 1 + rng.normal(0, amount)
    red, green, blue = (float(np.clip(value * gain + rng.normal(0, amount / 7), 0, 1)) for value in paint)
    return (red, green, blue)
