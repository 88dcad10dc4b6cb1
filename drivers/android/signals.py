"""Passive signals of on-device indexing: reading them over adb does not wake the screen."""

import re
from collections.abc import Mapping, Sequence

from drivers.android.transport import Transport


def read_signals(phone: Transport, packages: Sequence[str]) -> Mapping[str, str]:
    """CPU seconds of each watched package's processes, its pending jobs, photos in the library, battery and uptime.

    A package without a process has no CPU entry: its time is unknown, not zero.
    """
    processes, battery, uptime, images, *jobs = phone.texts(
        [
            "ps -A -o PID,TIME,NAME",
            "dumpsys battery",
            "cat /proc/uptime",
            "content query --uri content://media/external/images/media --projection _id",
            *(f"dumpsys jobscheduler {package}" for package in packages),
        ],
        seconds=60,
    )
    found = {f"cpu_s/{name}": str(seconds) for name, seconds in sorted(cpu_seconds(processes, packages).items())}
    found |= {f"jobs/{name}": str(pending_jobs(dump)) for name, dump in zip(packages, jobs, strict=True)}
    level = re.search(r"^\s*level: (\d+)", battery, re.MULTILINE)
    temperature = re.search(r"^\s*temperature: (\d+)", battery, re.MULTILINE)
    if level:
        found["battery_percent"] = level[1]
    if temperature and int(temperature[1]) > 0:
        found["battery_temperature_c"] = str(int(temperature[1]) / 10)
    found["uptime_s"] = uptime.split(" ")[0]
    found["library_rows"] = str(len(re.findall(r"^Row: ", images, re.MULTILINE)))
    return found


def cpu_seconds(processes: str, packages: Sequence[str]) -> dict[str, int]:
    """CPU seconds by package from `ps -A -o PID,TIME,NAME`; a process `package:name` belongs to its package."""
    found: dict[str, int] = {}
    for line in processes.splitlines():
        words = line.split()
        if len(words) < 3:
            continue
        package = words[2].partition(":")[0]
        seconds = _seconds(words[1])
        if package in packages and seconds is not None:
            found[package] = found.get(package, 0) + seconds
    return found


def pending_jobs(dump: str) -> int:
    """Jobs registered for a package in `dumpsys jobscheduler PACKAGE`."""
    return len(re.findall(r"^\s*JOB #", dump, re.MULTILINE))


def _seconds(time: str) -> int | None:
    """`[days-]hours:minutes:seconds` or `minutes:seconds`."""
    found = re.fullmatch(r"(?:(?:(\d+)-)?(\d+):)?(\d+):(\d+)(?:\.\d+)?", time)
    if found is None:
        return None
    days, hours, minutes, seconds = (int(part or 0) for part in found.groups())
    return ((days * 24 + hours) * 60 + minutes) * 60 + seconds
