"""Text from outside becomes a type here, strictly, or one sentence that names the key.

The only file that knows pydantic. An unknown key is an error that names the nearest right one: a misspelt safety
setting must not be silently ignored in the middle of a night.
"""

import json
import tomllib
from collections.abc import Mapping
from difflib import get_close_matches
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar, cast

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError, model_validator
from pydantic_core import ErrorDetails

from drivers.profile import GalleryProfile
from rig.errors import RigError
from rig.model import Language, Phone

HOME = Path(__file__).resolve().parent.parent
"""Where `protocols/` and `devices/` lie, in a checkout and when installed."""

T = TypeVar("T")
Positive = Annotated[float, Field(gt=0)]
Count = Annotated[int, Field(ge=1)]
Share = Annotated[float, Field(ge=0, le=1)]
Percent = Annotated[int, Field(ge=0, le=100)]


class _Strict(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class ResetRules(_Strict):
    """How clean a phone must be before an album goes in."""

    require_factory: bool = True
    """False also accepts a soft clean, which is recorded and reported as one."""
    operator: bool = True
    """Whether a person may be asked for help where a phone cannot reset itself. False for runs that nobody attends."""


class ImportRules(_Strict):
    """How an album goes in."""

    batch: Count = 500
    """Files a push; the rig can be stopped between two."""
    rounds: Count = 2
    """Times that what is missing after verification is pushed again, first push included."""
    free_space_factor: Positive = 1.2
    """The phone needs this many times the album's size free."""


class FixedIndex(_Strict):
    """Wait a fixed time, as Appendix F does."""

    mode: Literal["fixed"]
    hours: Annotated[float, Field(ge=0)]
    signal_every_s: Positive = 600.0
    """How often the phone is read, without waking it, while it indexes."""


class AdaptiveIndex(_Strict):
    """Wait until probe queries outside the scored set stop changing."""

    mode: Literal["adaptive"]
    floor_s: Annotated[float, Field(ge=0)]
    """No probe before this."""
    spacing_s: Positive
    """Between probe rounds. A probe wakes the screen and restarts Android's 31 min idle clock: 75 min and more on phones."""
    cap_s: Positive
    """After this the wait ends as `not_converged`, and the report says so."""
    probes: tuple[str, ...] = ()
    """Texts asked besides the album's own probes; none of them may be a scored query."""
    album_probes: Count | None = None
    """Ask only the first so many of each album's own probes; all of them when not given."""
    stable_rounds: Annotated[int, Field(ge=2)] = 3
    """Rounds in a row that must agree."""
    jaccard: Share = 0.98
    """Mean overlap of the probes' results between two rounds that counts as agreement."""
    count_change: Share = 0.01
    """Change of the total number of results between two rounds that still counts as agreement."""
    signal_every_s: Positive = 600.0


class QueryRules(_Strict):
    """How searches are asked."""

    attempts: Count = 3
    """Tries of one search in one session; only infrastructure is retried, never an answer."""
    deadline_s: Positive = 120.0
    """For one try, all its screens included."""
    slice: Count = 20
    """Searches between two checks of who answers; what was seen since the last good check is void when it fails."""
    reconnect_s: Positive = 120.0
    """How long a lost phone may take to come back."""
    park_after: Count = 10
    """Searches in a row without an answer after which the phone is parked."""


class HealthRules(_Strict):
    """When a phone rests. Each pair is a hysteresis: pause at the first value, go on at the second."""

    every_s: Positive = 60.0
    poll_s: Positive = 30.0
    battery_low: Percent = 20
    battery_high: Percent = 80
    temperature_high_c: float = 45.0
    temperature_low_c: float = 34.0
    pause_cap_s: Positive = 7200.0
    """A phone that rests longer is parked. Heat has its own, shorter cap."""
    heat_cap_s: Positive = 1200.0
    clock_skew_s: Positive = 5.0
    """Phone against host; more is flagged, a day or more refuses the import: date queries would be meaningless."""

    @model_validator(mode="after")
    def _is_hysteresis(self) -> "HealthRules":
        if self.battery_low >= self.battery_high:
            raise ValueError(f"battery_low {self.battery_low} must be below battery_high {self.battery_high}")
        if self.temperature_low_c >= self.temperature_high_c:
            raise ValueError(
                f"temperature_low_c {self.temperature_low_c} must be below temperature_high_c {self.temperature_high_c}"
            )
        return self


class DiskRules(_Strict):
    """What a run needs of the host's disk."""

    screen_bytes: Count = 1_500_000
    """Mean size of a lossless screenshot of photos at 1080 × 2400 px, for the estimate before the run."""
    screens_per_search: Positive = 4.0
    keep_free_bytes: Annotated[int, Field(ge=0)] = 500_000_000
    """Below this the run pauses between two searches."""
    pause_cap_s: Positive = 3600.0


class MatchRules(_Strict):
    """What is done, while the phone is searched, about thumbnails that cannot be told by themselves."""

    escalate: bool = False
    """Whether a thumbnail is opened in full when its candidates differ in relevance. Needs the photos at hand."""
    escalations_per_search: Count = 5
    """Openings in one search at most, failed ones included; each takes a second or two."""


class ReviewRules(_Strict):
    """What annotators are asked after the run (Appendix F, step 6). Undecided matches are always asked."""

    relevance: bool = False
    """Whether each returned photo is also verified to answer its query."""


class Protocol(_Strict):
    """A written test procedure."""

    schema_version: Literal[1]
    name: Annotated[str, Field(min_length=1)]
    description: str = ""
    languages: Annotated[tuple[Language, ...], Field(min_length=1)]
    max_results: Count = 100
    """Results recorded a search (Appendix F, step 5)."""
    queries: Count | None = None
    """Ask only this many of each album's queries, a fair sample drawn by `seed`; all of them when not given."""
    repeats: Count = 1
    seed: int = 0
    """Of the order in which each phone is asked."""
    attempts: Count = 2
    """Tries of reset, import and index that may fail before the phone is parked."""
    reset: ResetRules = ResetRules()
    import_: ImportRules = Field(default=ImportRules(), alias="import")
    index: Annotated[FixedIndex | AdaptiveIndex, Field(discriminator="mode")]
    query: QueryRules = QueryRules()
    health: HealthRules = HealthRules()
    disk: DiskRules = DiskRules()
    match: MatchRules = MatchRules()
    review: ReviewRules = ReviewRules()

    @property
    def digest(self) -> str:
        """A sha256 over what is done to a phone, whatever the spacing and comments; what people do afterwards is not part."""
        unsaid: dict[str, bool | set[str]] = {"description": True, "review": True}
        # Runs older than these two keys keep their digest.
        if self.reset.operator:
            unsaid["reset"] = {"operator"}
        if not self.match.escalate:
            unsaid["match"] = True
        said = self.model_dump(mode="json", by_alias=True, exclude=unsaid)
        return sha256(json.dumps(said, sort_keys=True, ensure_ascii=False).encode()).hexdigest()


class _PhoneEntry(_Strict):
    name: Annotated[str, Field(min_length=1)]
    platform: Annotated[str, Field(min_length=1)]
    address: Annotated[str, Field(min_length=1)]
    profile: Annotated[str, Field(min_length=1)]
    options: Mapping[str, str] = {}


class _Lab(_Strict):
    schema_version: Literal[1] = 1
    """May be left out: a lab file is short-lived, and a virtual lab writes a new one each time."""
    phone: Annotated[tuple[_PhoneEntry, ...], Field(min_length=1)]


PROFILE = "profile"
"""A plain dataclass takes the strictness of the model around it; this is its key there, which no sentence mentions."""


class _ProfileFile(_Strict):
    profile: GalleryProfile


def load_protocol(path_or_name: str | Path) -> Protocol:
    """The protocol in a TOML file, or of that name in `protocols/`. Raises RigError."""
    return _read_toml(find_toml(path_or_name, "protocols"), TypeAdapter(Protocol))


def load_lab(path: Path) -> tuple[Phone, ...]:
    """The phones of a lab file, names unique; profile paths are relative to the file. Raises RigError."""
    lab = _read_toml(path, TypeAdapter(_Lab))
    names = [phone.name for phone in lab.phone]
    for name in names:
        if names.count(name) > 1:
            raise RigError(f'{path}: two phones are called "{name}"; give each its own name')
    return tuple(
        Phone(phone.name, phone.platform, phone.address, _profile_reference(phone.profile, path.parent), dict(phone.options))
        for phone in lab.phone
    )


def load_profile(path_or_name: str | Path) -> GalleryProfile:
    """The gallery profile in a TOML file, or of that name in `devices/`. Raises RigError."""
    path = find_toml(path_or_name, "devices")
    said = _parse_toml(path)
    if said.pop("schema_version", None) != 1:
        raise RigError(f'{path}: key "schema_version": expected 1, the only form of profile this rig reads')
    profile = _validated(path, {PROFILE: said}, TypeAdapter(_ProfileFile)).profile
    faults = profile.faults()
    if faults:
        raise RigError(f"{path}: {faults[0]}{f' (and {len(faults) - 1} more)' if len(faults) > 1 else ''}")
    return profile


def find_toml(path_or_name: str | Path, room: str) -> Path:
    """The file meant: a path as it is, or a name in one of the house's rooms. Raises RigError naming what there is."""
    path = Path(path_or_name)
    if path.suffix == ".toml" or path.is_file():
        if path.is_file():
            return path
        raise RigError(f"{path}: no such file")
    kept = HOME / room / f"{path_or_name}.toml"
    if kept.is_file():
        return kept
    there = sorted(file.stem for file in (HOME / room).glob("*.toml"))
    near = _nearest(str(path_or_name), there)
    raise RigError(f'{room}: there is no "{path_or_name}"{near or "; there are: " + ", ".join(there)}')


def _profile_reference(profile: str, folder: Path) -> str:
    return str((folder / profile).resolve()) if profile.endswith(".toml") else profile


def _read_toml(path: Path, adapter: TypeAdapter[T]) -> T:
    return _validated(path, _parse_toml(path), adapter)


def _parse_toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise RigError(f"{path}: no such file") from error
    except (OSError, UnicodeDecodeError) as error:
        raise RigError(f"{path}: cannot be read ({error})") from error
    except tomllib.TOMLDecodeError as error:
        raise RigError(f"{path}: not TOML: {error}") from error


def _validated(path: Path, said: Mapping[str, Any], adapter: TypeAdapter[T]) -> T:
    try:
        # Through JSON, so that strict still takes TOML's arrays for tuples and its strings for enums.
        return adapter.validate_json(json.dumps(said, ensure_ascii=False, default=str))
    except ValidationError as error:
        raise RigError(f"{path}: {_sentence(error.errors(), said, adapter.json_schema(mode='validation'))}") from error


UNKNOWN_KEY = frozenset({"extra_forbidden", "unexpected_keyword_argument"})
"""How pydantic calls it in a model and in a dataclass."""


def _sentence(errors: list[ErrorDetails], said: Mapping[str, Any], schema: Mapping[str, Any]) -> str:
    """The fault that most likely causes the others, as one sentence."""
    first = min(errors, key=lambda error: error["type"] not in UNKNOWN_KEY)
    keys = _spoken_keys(first["loc"], said)
    key = ".".join(keys).removeprefix(f"{PROFILE}.")
    more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
    if first["type"] in UNKNOWN_KEY:
        allowed = _allowed_keys(keys[:-1], schema, said)
        near = _nearest(keys[-1], allowed)
        return f'unknown key "{key}"{near or "; known here: " + ", ".join(allowed)}{more}'
    if first["type"] == "missing":
        return f'key "{key}" is missing{more}'
    expected = first["msg"].removeprefix("Input should be ").removeprefix("Value error, ")
    if first["type"] == "value_error":
        return f'"{key}": {expected}{more}' if key else f"{expected}{more}"
    return f'key "{key}": expected {expected}, found {json.dumps(first["input"], ensure_ascii=False, default=str)}{more}'


def _spoken_keys(location: tuple[int | str, ...], said: Mapping[str, Any]) -> list[str]:
    """The keys as they stand in the file: without the names that a union puts between them."""
    keys: list[str] = []
    here: Any = said
    for place, part in enumerate(location):
        if isinstance(part, int) and isinstance(here, list):
            keys.append(str(part))
            here = here[part]
        elif isinstance(here, dict) and part in here:
            keys.append(str(part))
            here = here[str(part)]
        elif place == len(location) - 1:
            keys.append(str(part))
    return keys


def _allowed_keys(keys: list[str], schema: Mapping[str, Any], said: Mapping[str, Any]) -> list[str]:
    """What may stand at a place of the file, by the type's own JSON schema."""
    node: Mapping[str, Any] = _resolved(schema, schema, said)
    here: Any = said
    for key in keys:
        here = here[int(key)] if isinstance(here, list) else here.get(key)
        below = node.get("items") if key.isdigit() and "items" in node else node.get("properties", {}).get(key)
        below = below if below is not None else node.get("additionalProperties", {})
        node = _resolved(cast("Mapping[str, Any]", below), schema, here if isinstance(here, dict) else {})
    return sorted(node.get("properties", {}))


def _resolved(node: Mapping[str, Any], schema: Mapping[str, Any], here: Mapping[str, Any]) -> Mapping[str, Any]:
    """Follows references, and of a union takes the member that the file's own tag names, else the first that has keys."""
    if "$ref" in node:
        return _resolved(schema["$defs"][node["$ref"].rsplit("/", 1)[1]], schema, here)
    if "discriminator" in node:
        mapping = node["discriminator"]["mapping"]
        tag = here.get(node["discriminator"]["propertyName"])
        return _resolved({"$ref": mapping.get(tag, next(iter(mapping.values())))}, schema, here)
    for member in node.get("anyOf", ()):
        found = _resolved(member, schema, here)
        if "properties" in found:
            return found
    return node


def _nearest(word: str, known: list[str]) -> str:
    folded = {name.casefold(): name for name in known}
    near = get_close_matches(word.casefold(), folded, n=1, cutoff=0.5)
    return f'; did you mean "{folded[near[0]]}"?' if near else ""
