"""Gestures as uitest takes them: the points that one finger goes through, each with the time to the next."""

from collections.abc import Mapping, Sequence

_MOVES = 6
_MOVE_MS = 20
_REST_MS = 150  # longer than the 100 ms that a fling is computed from
_TIME_UNIT = 65536  # a point's x carries the time until the next point: x + 65536 × milliseconds

Point = Mapping[str, int]


def drag_points(x: int, y_from: int, y_to: int) -> Sequence[Point]:
    """A drag along a column that rests at its end, so that nothing flings."""
    ys = [round(y_from + (y_to - y_from) * step / _MOVES) for step in range(_MOVES + 1)]
    points = [_point(x, y, _MOVE_MS) for y in ys]
    return [*points[:-1], _point(x, y_to, _REST_MS), _point(x, y_to, 0)]


def _point(x: int, y: int, milliseconds: int) -> Point:
    return {"x": x + _TIME_UNIT * milliseconds, "y": y}
