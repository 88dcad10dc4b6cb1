"""What phones with a Linux shell print in one form, Android and HarmonyOS alike. What is not there is None, never a default."""

import re
from collections.abc import Sequence


def parse_free(disk: str) -> int | None:
    """Free bytes of the last line of `df -k` (filesystem, 1K-blocks, used, available, …)."""
    lines = disk.splitlines()
    words = lines[-1].split() if lines else []
    return int(words[3]) * 1024 if len(words) >= 5 and words[3].isdigit() else None


def parse_uptime(text: str) -> float | None:
    """Seconds since the start, from `/proc/uptime`."""
    found = re.match(r"(\d+\.\d+) ", f"{text} ")
    return float(found[1]) if found else None


def parse_temperature(battery: str) -> float | None:
    """Tenths of a degree. 0 and below mean that the gauge has no reading, not that the phone is cold."""
    found = re.search(r"^\s*temperature: (-?\d+)\s*$", battery, re.MULTILINE)
    return int(found[1]) / 10 if found and int(found[1]) > 0 else None


def cpu_seconds(processes: str, packages: Sequence[str]) -> dict[str, int]:
    """CPU seconds by package from `ps -A -o PID,TIME,NAME`; a process `package:name` belongs to its package."""
    found: dict[str, int] = {}
    for line in processes.splitlines():
        words = line.split()
        package = words[2].partition(":")[0] if len(words) > 2 else ""
        seconds = _seconds(words[1]) if package in packages else None
        if seconds is not None:
            found[package] = found.get(package, 0) + seconds
    return found


def _seconds(time: str) -> int | None:
    """`[days-]hours:minutes:seconds` or `minutes:seconds`."""
    found = re.fullmatch(r"(?:(?:(\d+)-)?(\d+):)?(\d+):(\d+)(?:\.\d+)?", time)
    if found is None:
        return None
    days, hours, minutes, seconds = (int(part or 0) for part in found.groups())
    return ((days * 24 + hours) * 60 + minutes) * 60 + seconds
