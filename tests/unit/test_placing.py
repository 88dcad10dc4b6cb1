"""Where photos lie in a grid's boxes: what all share, and what photos of one room share."""

import numpy as np
import pytest

from matching.placing import Placing, Room, Wish, room_of
from matching.registration import Geometry, Step


def wish(dx: float, dy: float, room: Room, weight: float = 1.0) -> Wish:
    return Wish(Step(np.array([dx, dy, 0.001, 0.002]), np.full(4, 1e-4)), weight, room)


def test_photos_have_room_along_their_longer_side() -> None:
    assert [room_of(4, 3), room_of(3, 4), room_of(3, 3)] == [Room.ACROSS, Room.DOWN, Room.NOWHERE]


def test_together_all_move_by_the_median_of_all() -> None:
    placing = Placing().together([wish(0.01, 0.0, Room.ACROSS), wish(0.02, 0.0, Room.DOWN), wish(0.05, 0.0, Room.NOWHERE)])
    assert placing.box == Geometry(0.02, 0.0, 0.001, 0.002)
    assert (placing.slide_x, placing.slide_y) == (0.0, 0.0)


def test_apart_photos_slide_along_their_longer_side_only() -> None:
    wishes = (
        [wish(0.006, 0.001, Room.ACROSS)] * 2 + [wish(0.002, -0.004, Room.DOWN)] * 2 + [wish(0.002, 0.001, Room.NOWHERE)] * 2
    )
    placing = Placing().apart(wishes)
    assert placing.of(Room.NOWHERE) == Geometry(0.002, 0.001, 0.001, 0.002)
    assert placing.of(Room.ACROSS).as_array() == pytest.approx([0.006, 0.001, 0.001, 0.002])
    assert placing.of(Room.DOWN).as_array() == pytest.approx([0.002, -0.004, 0.001, 0.002])
    assert placing.known == set(Room)


def test_where_only_photos_of_one_room_are_seen_no_slide_can_be_told_from_the_box() -> None:
    placing = Placing().apart([wish(0.006, 0.001, Room.ACROSS)] * 3)
    assert placing.of(Room.ACROSS).dx == pytest.approx(0.006)
    assert placing.slide_x == 0.0
    assert placing.known == {Room.ACROSS}


def test_a_slide_is_never_farther_than_a_crop_can_be_rounded() -> None:
    wishes = [wish(0.05, 0.0, Room.ACROSS)] * 2 + [wish(0.0, 0.0, Room.DOWN)] * 3
    assert Placing().apart(wishes).slide_x == 0.015


def test_square_photos_are_known_of_where_photos_of_both_other_rooms_are() -> None:
    assert Placing().apart([wish(0, 0, Room.ACROSS)] * 2 + [wish(0, 0, Room.DOWN)] * 2).known == set(Room)


@pytest.mark.parametrize(
    ("moves", "known"),
    [
        ([0.0, 0.0, 0.0], True),  # three frames of bursts that wish the same
        ([0.0, 0.004, -0.005], False),  # three that wish 0.8 px and 1 px apart: hands
        ([0.0, 0.0], False),  # two frames may be of one burst
    ],
)
def test_frames_of_bursts_tell_where_they_lie_only_by_agreeing(moves: list[float], known: bool) -> None:
    placing = Placing().apart([wish(move, 0.0, Room.DOWN, weight=0.25) for move in moves])
    assert (Room.DOWN in placing.known) is known


def test_without_wishes_nothing_moves() -> None:
    placing = Placing(Geometry(0.01))
    assert placing.together([]) == placing.apart([]) == placing
    assert placing.moved_from(Placing()) == pytest.approx(0.01)
