"""Passive signals of on-device indexing: reading them over adb does not wake the screen."""

import re
from collections.abc import Mapping, Sequence

from drivers.android.transport import Transport
from drivers.readings import cpu_seconds, parse_temperature


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
    temperature = parse_temperature(battery)
    if level:
        found["battery_percent"] = level[1]
    if temperature is not None:
        found["battery_temperature_c"] = str(temperature)
    found["uptime_s"] = uptime.split(" ")[0]
    found["library_rows"] = str(len(re.findall(r"^Row: ", images, re.MULTILINE)))
    return found


def pending_jobs(dump: str) -> int:
    """Jobs registered for a package in `dumpsys jobscheduler PACKAGE`."""
    return len(re.findall(r"^\s*JOB #", dump, re.MULTILINE))
