"""Where a scrolling list stands, as a function of time: drags follow the finger, flings run out, ends bounce."""

from dataclasses import dataclass

from devices.virtual.gallery.chance import between
from devices.virtual.gallery.skin import ScrollLook

FLING_BELOW_S = 0.25
"""A drag shorter than this is let go while moving, and the list runs on."""

_FLING_REACH_S = 0.3  # a fling runs as far as its speed would take it in this time
_BOUNCE_S = 0.25
_BOUNCE_SHARE = 0.3  # how much of the finger's way shows beyond the end


@dataclass(slots=True)
class Scroller:
    """The offset of one list, in pixels from its top."""

    look: ScrollLook
    seed: int
    row_px: int
    """Height of one row of the grid: the unit of jitter."""
    start_px: float = 0.0
    target_px: float = 0.0
    began_s: float = 0.0
    lasts_s: float = 0.0
    drags: int = 0

    def offset(self, now_s: float, limit_px: int) -> int:
        """Pixels scrolled now; beyond 0..limit only while a bounce runs."""
        if now_s >= self.began_s + self.lasts_s:
            return round(min(max(0.0, self.target_px), limit_px))
        share = (now_s - self.began_s) / self.lasts_s
        eased = 1 - (1 - share) ** 3
        value = self.start_px + (min(max(0.0, self.target_px), limit_px) - self.start_px) * eased
        return round(value if self.look.bounces else min(max(0.0, value), limit_px))

    def drag(self, moved_px: float, duration_s: float, now_s: float, limit_px: int, *, jitter_rows: float = 0.0) -> None:
        """The finger moved up by `moved_px` (down when negative) and was lifted now."""
        position = float(self.offset(now_s, limit_px))
        way = max(0.0, abs(moved_px) - self.look.slop_px) * (1 if moved_px > 0 else -1)
        self.drags += 1
        rows = jitter_rows or self.look.jitter_rows
        if rows and way:
            way += between(-rows, rows, self.seed, "drag", self.drags) * self.row_px
        finger = position + way
        ran_on = way / duration_s * _FLING_REACH_S if 0 < duration_s < FLING_BELOW_S else 0.0
        self.began_s, self.target_px = now_s, min(max(0.0, finger + ran_on), limit_px)
        beyond = finger - min(max(0.0, finger), limit_px)
        if ran_on:
            self.start_px, self.lasts_s = min(max(0.0, finger), limit_px), self.look.fling_s
        elif beyond and self.look.bounces:
            self.start_px, self.lasts_s = self.target_px + beyond * _BOUNCE_SHARE, _BOUNCE_S
        else:
            self.start_px, self.lasts_s = self.target_px, 0.0

    def moving(self, now_s: float) -> bool:
        """True while a fling or bounce runs."""
        return now_s < self.began_s + self.lasts_s

    def stop(self, now_s: float, limit_px: int) -> None:
        """A finger laid on a running list stops it."""
        self.start_px = self.target_px = float(self.offset(now_s, limit_px))
        self.lasts_s = 0.0
