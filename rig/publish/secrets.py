"""What must not leave: what the ledgers know of the phones, who reviewed them, what this host knows of itself and its user."""

import getpass
import os
import platform
import pwd
import re
import socket
from collections.abc import Iterator, Sequence
from dataclasses import fields
from pathlib import Path

from drivers.interface import Identity
from reports.leaks import Secret
from rig.records import PhoneRecord
from rig.review.judgements import Role, names_in
from rig.review.opening import review_folder
from rig.run import Run

_KINDS = {
    "serial": "serial of a phone",
    "model": "model of a phone",
    "build": "build of a phone",
    "os_version": "system version of a phone",
    "gallery_package": "gallery of a phone",
    "gallery_version": "gallery version of a phone",
    "locale": "locale of a phone",
    "boot_count": "boot count of a phone",
}
_PIECE = 6
"""Characters of a build's part (`vendor/device/build.4711`) that are searched for by themselves, if it has a digit."""


def secrets_of(runs: Sequence[Run]) -> tuple[Secret, ...]:
    """Every secret, each text once; those too short to search for are left to the scan to tell."""
    found = [*(secret for run in runs for secret in _of_run(run)), *_of_host()]
    return tuple({secret.text: secret for secret in found if secret.text.strip()}.values())


def _of_run(run: Run) -> Iterator[Secret]:
    for phone in run.ledger.phones():
        yield from _of_phone(phone)
        for identity in run.ledger.identities(phone.letter):
            yield from _of_identity(identity)
    for role in Role:
        for name in names_in(review_folder(run), role):
            yield Secret("name of a reviewer", name)
    yield Secret("run", run.record.id)
    yield Secret("path of a run", str(run.folder.resolve()))
    for album in run.ledger.albums():
        yield Secret("path of an album", album.folder)


def _of_phone(phone: PhoneRecord) -> Iterator[Secret]:
    yield Secret("lab name of a phone", phone.name)
    yield Secret("address of a phone", phone.address)
    yield Secret("address of a phone", re.sub(r"^\w+://|:\d+$", "", phone.address))
    yield Secret("profile of a phone", phone.profile)
    yield Secret("platform of a phone", phone.platform)
    for value in phone.options.values():
        yield Secret("option of a phone", value)


def _of_identity(identity: Identity) -> Iterator[Secret]:
    for field in fields(identity):
        value = getattr(identity, field.name)
        if field.name in _KINDS and value:
            yield Secret(_KINDS[field.name], str(value))
    for piece in re.split(r"[/:\s]+", identity.build):
        if len(piece) >= _PIECE and any(c.isdigit() for c in piece):
            yield Secret(_KINDS["build"], piece)


def _of_host() -> Iterator[Secret]:
    for name in {platform.node(), socket.gethostname(), socket.getfqdn()}:
        yield Secret("name of this host", name)
    yield Secret("home of the user", str(Path.home()))
    yield Secret("folder of the user", str(Path.cwd()))
    yield Secret("name of the user", _user())
    yield Secret("name of the user", _full_name())
    for variable in ("EMAIL", "GIT_AUTHOR_EMAIL", "GIT_AUTHOR_NAME"):
        yield Secret("name of the user", os.environ.get(variable, ""))


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a container may run under a number without a name
        return ""


def _full_name() -> str:
    try:
        return pwd.getpwuid(os.getuid()).pw_gecos.split(",")[0]
    except KeyError:
        return ""
