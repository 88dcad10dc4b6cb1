"""Checks of this computer: Python and its packages, tools, disk, clock, fonts, profiles. Reads only."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Collection, Iterator
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

from drivers.discovery import Tool, adb_tool, find_tool, rigs_adb, users_adb
from drivers.interface import DriverError
from rig.config import HOME, load_profile
from rig.desk.calibrations import calibrations_file, read_calibrations
from rig.desk.checks import Check, Level
from rig.disk import free_bytes
from rig.errors import RigError
from rig.host_locks import default_folder

LITTLE_BYTES = 5_000_000_000
"""A night of six phones and a thousand queries each takes more (4 screens of 1.5 MB a search)."""
NOTHING_BYTES = 500_000_000
"""Runs pause below this."""

LEAST_PYTHON = (3, 11)
FONT = "cvttf_NotoSansCJK_Regular"
"""Import name of the font package in the extra `lab`."""
PIP = "pip install --constraint constraints.txt --editable '.[lab]'"
CLOCK_S = 10.0


def check_host(runs: Path, platforms: Collection[str], hdc: str = "") -> Iterator[Check]:
    """Everything that needs no phone. `platforms` are those of the lab's phones: their tools are needed, others optional."""
    yield check_python()
    yield check_packages(HOME / "constraints.txt")
    yield from check_adb(needed="android" in platforms)
    yield check_tool(find_tool("hdc", ("-v",), hdc), "harmony" in platforms, "install HarmonyOS' command line tools")
    tool = find_tool("pymobiledevice3", ("version",))
    yield check_tool(tool, needed=False, fix="only real iPhones need it: pipx install pymobiledevice3")
    for name in ("node", "appium"):
        yield check_tool(find_tool(name, ("--version",)), needed=False, fix=f"only labs with platform appium need {name}")
    yield check_disk(runs)
    yield check_folders((runs, default_folder(), calibrations_file().parent))
    yield check_clock()
    yield check_font()
    yield check_profiles()


def check_python() -> Check:
    """This interpreter."""
    found = sys.version.split()[0]
    if sys.version_info[:2] < LEAST_PYTHON:
        return Check("host.python", Level.FAIL, f"Python {found}", "run the rig with Python 3.11 or newer")
    return Check("host.python", Level.OK, f"Python {found} at {sys.executable}")


def check_packages(constraints: Path) -> Check:
    """Installed packages against the versions that the tests run with; those that are not installed are not missed."""
    if not constraints.is_file():
        return Check("host.packages", Level.OK, "installed without a checkout: no constraints to compare with")
    pinned = re.findall(r"^([\w.-]+)==(\S+)", constraints.read_text(encoding="utf-8"), re.MULTILINE)
    installed = [(name, wanted, found) for name, wanted in pinned if (found := _installed(name))]
    other = [f"{name} {found} instead of {wanted}" for name, wanted, found in installed if found != wanted]
    if other:
        more = f" and {len(other) - 3} more" if len(other) > 3 else ""
        return Check("host.packages", Level.WARN, f"{', '.join(other[:3])}{more}", f"in the checkout: {PIP}")
    return Check("host.packages", Level.OK, f"{len(installed)} packages are those of constraints.txt")


def check_adb(*, needed: bool) -> Iterator[Check]:
    """The rig's adb, its server's port, and the user's server beside it."""
    yield check_tool(adb_tool(), needed, "install adb (Debian: apt install adb) or reinstall adbutils, which brings one")
    try:
        yield Check("host.adb-port", Level.OK, rigs_adb())
    except DriverError as error:
        yield Check("host.adb-port", Level.FAIL, str(error), "set ANDROID_ADB_SERVER_PORT to a free port")
    beside = users_adb()
    if beside:
        fix = "if a USB phone of the lab is missing here, end that server by hand when nobody needs it"
        yield Check("host.adb-others", Level.WARN, beside, fix)


def check_tool(tool: Tool, needed: bool, fix: str) -> Check:
    """A program. One that is not there is only missed where a phone of the lab needs it."""
    if tool.fault:
        return Check(f"host.{tool.name}", Level.FAIL, tool.fault, fix)
    if not tool.path:
        missing = f"no {tool.name} on PATH"
        return Check(f"host.{tool.name}", Level.FAIL, missing, fix) if needed else Check(f"host.{tool.name}", Level.OK, missing)
    return Check(f"host.{tool.name}", Level.OK, f"{tool.version or 'version unknown'} at {tool.path}")


def check_disk(runs: Path) -> Check:
    """The disk that runs are written to."""
    free = free_bytes(_existing(runs))
    told = f"{free / 1e9:.1f} GB free for {runs}"
    if free < NOTHING_BYTES:
        return Check("host.disk", Level.FAIL, told, "free some space: runs pause below 0.5 GB")
    if free < LITTLE_BYTES:
        return Check("host.disk", Level.WARN, told, "free some space: a search takes about 6 MB")
    return Check("host.disk", Level.OK, told)


def check_folders(folders: Collection[Path]) -> Check:
    """Where runs, locks and calibrations are written; a folder that is not there yet is made when it is needed."""
    closed = [str(folder) for folder in folders if not os.access(_existing(folder), os.W_OK | os.X_OK)]
    if closed:
        return Check(
            "host.folders", Level.FAIL, f"may not be written: {', '.join(closed)}", "give this user the right to write"
        )
    return Check("host.folders", Level.OK, f"{len(folders)} folders may be written")


def check_clock() -> Check:
    """Whether this computer's clock is kept right: phones' clocks and photos' dates are held against it."""
    if shutil.which("timedatectl") is None:
        return Check("host.clock", Level.WARN, "nothing here says whether the clock is synchronised", "compare it with a watch")
    try:
        done = subprocess.run(
            ["timedatectl", "show", "--property=NTPSynchronized", "--value"],
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=CLOCK_S, check=False,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return Check("host.clock", Level.WARN, "timedatectl does not answer", "compare the clock with a watch")
    if done.stdout.strip() == "yes":
        return Check("host.clock", Level.OK, "synchronised")
    return Check("host.clock", Level.WARN, "not synchronised", "turn time synchronisation on: timedatectl set-ntp true")


def check_font() -> Check:
    """A font with Chinese glyphs; only virtual phones and drawn albums need it."""
    if find_spec(FONT) is None:
        return Check("host.font", Level.WARN, "no font with Chinese glyphs for virtual phones and drawn albums", PIP)
    return Check("host.font", Level.OK, "a font with Chinese glyphs is there")


def check_profiles() -> Check:
    """Every profile that comes with the rig can be read, and so can the calibrations."""
    files = sorted((HOME / "devices").glob("*.toml"))
    try:
        names = [load_profile(file).name for file in files]
        known = read_calibrations(calibrations_file())
    except RigError as error:
        return Check("host.profiles", Level.FAIL, str(error), "put the file right")
    return Check("host.profiles", Level.OK, f"{len(names)} profiles, {len(known)} calibrations")


def _installed(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""


def _existing(folder: Path) -> Path:
    """The folder, or the nearest above it that is there."""
    here = folder.resolve()
    return here if here.exists() else _existing(here.parent)
