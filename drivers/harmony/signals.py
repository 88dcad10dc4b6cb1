"""Passive signals of on-device indexing: reading them over hdc does not wake the screen."""

import re
from collections.abc import Mapping, Sequence

from drivers.harmony.condition import parse_temperature
from drivers.harmony.phone import Phone


def read_signals(phone: Phone, bundles: Sequence[str], library: str) -> Mapping[str, str]:
    """CPU seconds of each watched bundle's processes, photos in the folder `library`, battery and uptime.

    A bundle without a process has no CPU entry: its time is unknown, not zero.
    """
    processes, battery, uptime, photos = phone.texts(
        ["ps -A -o PID,TIME,NAME", "hidumper -s BatteryService -a -i", "cat /proc/uptime", f"find {library} -type f"],
        seconds=60,
    )
    found = {f"cpu_s/{name}": str(seconds) for name, seconds in sorted(cpu_seconds(processes, bundles).items())}
    level = re.search(r"^\s*capacity: (\d+)", battery, re.MULTILINE)
    temperature = parse_temperature(battery)
    if level:
        found["battery_percent"] = level[1]
    if temperature is not None:
        found["battery_temperature_c"] = str(temperature)
    if re.match(r"\d+\.\d+ ", uptime):
        found["uptime_s"] = uptime.split(" ")[0]
    found["library_rows"] = str(sum(line.startswith(library) for line in photos.splitlines()))
    return found


def cpu_seconds(processes: str, bundles: Sequence[str]) -> dict[str, int]:
    """CPU seconds by bundle from `ps -A -o PID,TIME,NAME`; a process `bundle:name` belongs to its bundle."""
    found: dict[str, int] = {}
    for line in processes.splitlines():
        words = line.split()
        bundle = words[2].partition(":")[0] if len(words) > 2 else ""
        seconds = _seconds(words[1]) if bundle in bundles else None
        if seconds is not None:
            found[bundle] = found.get(bundle, 0) + seconds
    return found


def _seconds(time: str) -> int | None:
    """`[days-]hours:minutes:seconds` or `minutes:seconds`."""
    found = re.fullmatch(r"(?:(?:(\d+)-)?(\d+):)?(\d+):(\d+)(?:\.\d+)?", time)
    if found is None:
        return None
    days, hours, minutes, seconds = (int(part or 0) for part in found.groups())
    return ((days * 24 + hours) * 60 + minutes) * 60 + seconds
