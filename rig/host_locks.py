"""One run a phone on this host: locks beside the host's other state, each remembering the run that held it last."""

from hashlib import sha256
from pathlib import Path

from platformdirs import user_state_path

from rig.disk import Lock
from rig.errors import LockedByAnother


def default_folder() -> Path:
    """Where this user's phone locks lie."""
    return user_state_path("gallery-rig") / "phones"


class HostLocks:
    """The locks one process holds on phones."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._held: dict[str, Lock] = {}

    def take(self, who: str, key: str, run: Path | None = None) -> Path | None:
        """Takes the phone known by `key` (an address, a serial) for `run`; returns the run that held it last, None for none.

        `who` is how a sentence calls the phone. Raises LockedByAnother, also when this process holds the key for another phone.
        """
        name = sha256(key.encode()).hexdigest()[:20]
        if name in self._held:
            raise LockedByAnother(
                f"{who} is the same phone as {self._held[name].what}; give each phone of the lab file its own address"
            )
        lock = Lock(self.folder / f"{name}.lock", who)
        left = lock.acquire("" if run is None else str(run))
        self._held[name] = lock
        return Path(left) if left else None

    def note(self, run: Path) -> None:
        """All remember that `run` held them."""
        for lock in self._held.values():
            lock.note(str(run))

    def release(self) -> None:
        """All are free."""
        for lock in self._held.values():
            lock.release()
        self._held.clear()
