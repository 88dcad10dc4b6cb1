"""Passive signals of on-device indexing: reading them wakes nothing."""

from collections.abc import Mapping

from drivers.ios.condition import percent, temperature
from drivers.ios.services import Services

_FILES = {
    "photos_database_bytes": "/PhotoData/Photos.sqlite",
    "photos_journal_bytes": "/PhotoData/Photos.sqlite-wal",
    "search_index_bytes": "/PhotoData/Caches/search/psi.sqlite",
    "analysis_bytes": "/MediaAnalysis/mediaanalysis.db",
}
"""Seen over AFC on stock phones; newer iOS may deny some folders, and then the signal is left out."""


def read_signals(services: Services) -> Mapping[str, str]:
    """Sizes of the databases that grow while it indexes, photos on the disk, battery and start of the phone."""
    found = {name: str(size) for name, path in _FILES.items() if (size := services.size(path)) is not None}
    gauge, values = services.gauge(), services.values()
    readings = {"battery_percent": percent(gauge), "battery_temperature_c": temperature(gauge)}
    found |= {name: str(value) for name, value in readings.items() if value is not None}
    found["boot_session"] = str(values.get("BootSessionID", ""))
    found["photos_on_disk"] = str(count_photos(services))
    return found


def count_photos(services: Services) -> int:
    """Files in the folders of DCIM."""
    folders = services.listing("/DCIM")
    return sum(len(services.listing(f"/DCIM/{folder}")) for folder in folders if not folder.startswith("."))
