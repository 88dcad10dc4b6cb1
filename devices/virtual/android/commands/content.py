"""`content`: the media library and the settings as content providers."""

import re
from collections.abc import Callable, Mapping, Sequence
from urllib.parse import urlsplit

from devices.virtual.android.call import Call, Command
from devices.virtual.android.settings import NAMESPACES
from devices.virtual.gallery.library import MediaRow

Row = Mapping[str, str | int | None]
IMAGES = re.compile(r"/(external|external_primary|internal)/images/media(/\d+)?")
CONDITION = re.compile(
    r"\s*(\w+)\s*(=|!=|<>|>=|<=|>|<|\bLIKE\b|\bIS\s+NOT\s+NULL\b|\bIS\s+NULL\b)\s*('(?:[^']|'')*'|-?\d+)?\s*", re.IGNORECASE
)


class Refused(Exception):
    """The provider would throw: the message is what it throws."""


async def content(call: Call) -> int:
    """`content query|call|insert --uri URI …`"""
    verb, *words = list(call.arguments) or [""]
    options = _options(words)
    uri = options.get("--uri", [""])[0]
    parts = urlsplit(uri)
    try:
        if verb == "query":
            return await _query(call, parts.netloc, parts.path, options)
        if verb == "call" and parts.netloc == "media":
            return await _media_call(call, options)
        if verb == "insert" and parts.netloc == "settings":
            return await _put_setting(call, parts.path, options)
    except Refused as error:
        return await call.complain(f"Error while accessing provider:{parts.netloc}\n{error}")
    return await call.unknown()


def _options(words: Sequence[str]) -> dict[str, list[str]]:
    options: dict[str, list[str]] = {}
    for name, value in zip(words[::2], words[1::2], strict=False):
        options.setdefault(name, []).append(value)
    return options


async def _query(call: Call, provider: str, path: str, options: Mapping[str, list[str]]) -> int:
    if provider == "media":
        rows = _media_rows(call, path)
    elif provider == "settings" and path.strip("/") in NAMESPACES:
        stored = call.phone.settings.items(path.strip("/"))
        rows = [{"_id": number, "name": name, "value": value} for number, (name, value) in enumerate(stored, 1)]
    else:
        return await call.unknown()
    for condition in options.get("--where", []):
        rows = [row for row in rows if _holds(condition, row)]
    rows = _sorted(rows, options.get("--sort", [""])[0])
    columns = options.get("--projection", [":".join(rows[0]) if rows else ""])[0].split(":")
    if not rows:
        return await call.say("No result found.")
    return await call.say("\n".join(f"Row: {number} {_shown(row, columns)}" for number, row in enumerate(rows)))


def _shown(row: Row, columns: Sequence[str]) -> str:
    for column in columns:
        if column not in row:
            raise Refused(f"java.lang.IllegalArgumentException: Invalid column {column}")
    return ", ".join(f"{column}={'NULL' if row[column] is None else row[column]}" for column in columns)


def _sorted(rows: list[Row], order: str) -> list[Row]:
    for part in reversed([part.split() for part in order.split(",") if part.strip()]):
        rows = sorted(rows, key=lambda row: _order_key(row.get(part[0])), reverse=part[-1].upper() == "DESC")
    return rows


def _order_key(value: str | int | None) -> tuple[bool, str | int]:
    return value is not None, value or 0


def _media_rows(call: Call, path: str) -> list[Row]:
    if IMAGES.fullmatch(path):
        rows = [_media_row(row) for row in call.phone.gallery.rows()]
        number = path.rsplit("/", 1)[-1]
        return [row for row in rows if str(row["_id"]) == number] if number.isdigit() else rows
    if re.fullmatch(r"/(external|external_primary)/(video|audio)/media", path):
        return []
    raise Refused(f"java.lang.IllegalStateException: Unknown URL: content://media{path} is hidden API")


def _media_row(row: MediaRow) -> Row:
    return {
        "_id": row.id,
        "_size": row.size_bytes,
        "date_modified": row.modified_s,
        "datetaken": row.date_taken_ms,
        "mime_type": row.mime_type,
        "width": row.width_px,
        "height": row.height_px,
        "orientation": row.orientation_deg,
        "is_pending": 0,
        "is_trashed": 0,
        "is_favorite": 0,
        "volume_name": "external_primary",
        "bucket_display_name": row.relative_path.rstrip("/").rpartition("/")[2],
        "relative_path": row.relative_path,
        "_display_name": row.name,
        "_data": f"/storage/emulated/0/{row.relative_path}{row.name}",
    }


def _holds(where: str, row: Row) -> bool:
    """Conditions joined by AND, each `column operator literal`."""
    at = 0
    while True:
        found = CONDITION.match(where, at)
        if found is None:
            raise Refused(f'android.database.sqlite.SQLiteException: near "{where[at:]}": syntax error')
        if found[1] not in row:
            raise Refused(f"java.lang.IllegalArgumentException: Invalid column {found[1]}")
        if not _condition(row[found[1]], " ".join(found[2].upper().split()), found[3]):
            return False
        at = found.end()
        if at == len(where):
            return True
        if where[at : at + 3].upper() != "AND":
            raise Refused(f'android.database.sqlite.SQLiteException: near "{where[at:]}": syntax error')
        at += 3


def _condition(value: str | int | None, operator: str, literal: str | None) -> bool:
    if operator in ("IS NULL", "IS NOT NULL"):
        return (value is None) == (operator == "IS NULL")
    if value is None or literal is None:
        return False
    if literal.startswith("'"):
        text: str | int = literal[1:-1].replace("''", "'")
    else:
        text = int(literal)
    if operator == "LIKE":
        pattern = re.escape(str(text)).replace("%", ".*").replace("_", ".")
        return re.fullmatch(pattern, str(value), re.IGNORECASE | re.DOTALL) is not None
    if isinstance(text, int) != isinstance(value, int):
        value, text = str(value), str(text)
    compare: Mapping[str, Callable[[object, object], bool]] = {
        "=": lambda a, b: a == b,
        "!=": lambda a, b: a != b,
        "<>": lambda a, b: a != b,
        ">": lambda a, b: a > b,  # type: ignore[operator]  # both int or both str, see above
        "<": lambda a, b: a < b,  # type: ignore[operator]
        ">=": lambda a, b: a >= b,  # type: ignore[operator]
        "<=": lambda a, b: a <= b,  # type: ignore[operator]
    }
    return compare[operator](value, text)


async def _media_call(call: Call, options: Mapping[str, list[str]]) -> int:
    method, argument = (options.get(name, [""])[0] for name in ("--method", "--arg"))
    if method == "scan_volume" and argument in ("external_primary", "external"):
        call.phone.gallery.scan()
        return await call.say("Result: Bundle[{}]")
    if method == "scan_file":
        inside = call.phone.files.phone_path(call.phone.files.host(argument)).removeprefix("/storage/emulated/0/")
        rows = call.phone.gallery.scan()
        found = next((row.id for row in rows if row.relative_path + row.name == inside), None)
        uri = "null" if found is None else f"content://media/external_primary/images/media/{found}"
        return await call.say(f"Result: Bundle[{{android.intent.extra.STREAM={uri}}}]")
    if method == "wait_for_idle":
        return await call.say("Result: Bundle[{}]")
    return await call.unknown()


async def _put_setting(call: Call, path: str, options: Mapping[str, list[str]]) -> int:
    namespace = path.strip("/")
    bound = dict(_bound(item) for item in options.get("--bind", []))
    if namespace not in NAMESPACES or set(bound) != {"name", "value"}:
        return await call.unknown()
    call.phone.settings.put(namespace, bound["name"], bound["value"])
    return 0


def _bound(item: str) -> tuple[str, str]:
    name, _kind, value = item.split(":", 2)
    return name, value


COMMANDS: dict[str, Command] = {"content": content}
