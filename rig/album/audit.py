"""What in an album will limit a measurement: photos that no thumbnail can tell apart, or at all, and files no phone shows."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

from matching.index import SourceIndex
from rig.album.names import key_of


@dataclass(frozen=True, slots=True)
class Audit:
    """The findings; names are photo ids."""

    photos: int
    twins: tuple[tuple[str, ...], ...]
    """Classes of photos closer than a thumbnail can show: scored as one."""
    watched: tuple[tuple[str, str, float], ...]
    """Pairs that are nearly twins, with their RMS distance in grey levels: a harsh phone may confuse them."""
    flat: tuple[str, ...]
    """Photos with too little detail to be matched."""
    unreadable: Mapping[str, str]
    """File → reason."""
    collisions: tuple[tuple[str, ...], ...]
    """Photos whose file names are one name on a phone."""

    @property
    def clean(self) -> bool:
        """True when nothing limits the measurement."""
        return not (self.twins or self.flat or self.unreadable or self.collisions)


def audit(index: SourceIndex) -> Audit:
    """The findings on an indexed album."""
    return Audit(
        photos=len(index),
        twins=index.twins,
        watched=index.watched,
        flat=index.flat,
        unreadable=index.unusable,
        collisions=_collisions([*index.names, *index.unusable]),
    )


def _collisions(names: list[str]) -> tuple[tuple[str, ...], ...]:
    same: dict[str, list[str]] = {}
    for name in sorted(names):
        same.setdefault(key_of(PurePosixPath(name).name), []).append(name)
    return tuple(tuple(group) for group in same.values() if len(group) > 1)
