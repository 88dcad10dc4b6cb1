"""Names of places: from a position to the names of city, province and country that a gallery knows, in English and Chinese."""

import math
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

EARTH_RADIUS_KM = 6371.0


@dataclass(frozen=True, slots=True)
class Place:
    """A city, province or country."""

    key: str
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _City:
    place: Place
    latitude_deg: float
    longitude_deg: float
    regions: tuple[Place, ...]


@dataclass(frozen=True, slots=True)
class Atlas:
    """All places a phone knows. One table serves all phones: how well a phone uses it is its search's affair."""

    radius_km: float
    cities: tuple[_City, ...]
    places: tuple[Place, ...]

    def places_at(self, latitude_deg: float, longitude_deg: float) -> tuple[Place, ...]:
        """The nearest city within the radius and what it lies in; empty in the wilderness."""
        nearest = min(self.cities, key=lambda city: _distance_km(city, latitude_deg, longitude_deg))
        if _distance_km(nearest, latitude_deg, longitude_deg) > self.radius_km:
            return ()
        return (nearest.place, *nearest.regions)


@cache
def load_atlas() -> Atlas:
    """The atlas that comes with the gallery."""
    raw = tomllib.loads((files(__package__) / "places.toml").read_text(encoding="utf-8"))
    regions = {key: Place(key, tuple(names)) for key, names in raw["regions"].items()}
    cities = tuple(
        _City(Place(key, tuple(city["name"])), city["at"][0], city["at"][1], tuple(regions[region] for region in city["in"]))
        for key, city in raw["cities"].items()
    )
    return Atlas(raw["radius_km"], cities, (*(city.place for city in cities), *regions.values()))


def _distance_km(city: _City, latitude_deg: float, longitude_deg: float) -> float:
    """Great-circle distance by the haversine formula."""
    a, b = math.radians(city.latitude_deg), math.radians(latitude_deg)
    half_latitude, half_longitude = (b - a) / 2, math.radians(longitude_deg - city.longitude_deg) / 2
    chord = math.sin(half_latitude) ** 2 + math.cos(a) * math.cos(b) * math.sin(half_longitude) ** 2
    return 2 * EARTH_RADIUS_KM * math.asin(math.sqrt(min(1.0, chord)))
