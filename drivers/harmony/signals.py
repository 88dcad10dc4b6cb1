"""Passive signals of on-device indexing: reading them over hdc does not wake the screen."""

import re
from collections.abc import Mapping, Sequence

from drivers.harmony.phone import Phone
from drivers.readings import cpu_seconds, parse_temperature


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
