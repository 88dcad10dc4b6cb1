"""Files on the phone: list, find, hash, measure, remove."""

import asyncio
import hashlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from devices.virtual.harmony.shell import Call, Command

MISSING = "No such file or directory"


async def list_files(call: Call) -> int:
    """`ls [-a1] PATH…`"""
    code = 0
    hidden = any("a" in word for word in call.arguments if word.startswith("-"))
    for operand in _operands(call):
        place = call.phone.files.host(operand, call.cwd)
        if place.is_dir():
            call.say("\n".join(sorted(entry.name for entry in place.iterdir() if hidden or entry.name[0] != ".")))
        elif place.exists():
            call.say(operand)
        else:
            code = call.say(f"ls: {operand}: {MISSING}", 1)
    return code


async def remove(call: Call) -> int:
    """`rm [-rf] PATH…`"""
    forced = any("f" in word for word in call.arguments if word.startswith("-"))
    code = 0
    for operand in _operands(call):
        place = call.phone.files.host(operand, call.cwd)
        if place.is_dir():
            for path in sorted(place.rglob("*"), reverse=True):
                path.rmdir() if path.is_dir() else path.unlink()
            place.rmdir()
        elif place.exists():
            place.unlink()
        elif not forced:
            code = call.say(f"rm: {operand}: {MISSING}", 1)
    return code


async def make_folder(call: Call) -> int:
    """`mkdir -p PATH…`"""
    for operand in _operands(call):
        call.phone.files.host(operand, call.cwd).mkdir(parents=True, exist_ok=True)
    return 0


async def digest(call: Call) -> int:
    """`md5sum`, `sha256sum` of FILE…"""
    return await _digest(call, call.argv[0], _operands(call))


async def _digest(call: Call, command: str, names: Sequence[str]) -> int:
    code = 0
    for name in names:
        place = call.phone.files.host(name, call.cwd)
        if place.is_file():
            call.say(f"{await asyncio.to_thread(_hash, place, command.removesuffix('sum'))}  {name}")
        else:
            code = call.say(f"{command}: {name}: {MISSING}", 1)
    return code


def _hash(place: Path, algorithm: str) -> str:
    with place.open("rb") as file:
        return hashlib.file_digest(file, algorithm).hexdigest()


async def find(call: Call) -> int:
    """`find PATH -type f [-exec md5sum|sha256sum|stat … {} +]`"""
    words = list(call.arguments)
    place = call.phone.files.host(words[0], call.cwd)
    if not place.exists():
        return call.say(f"find: {words[0]}: {MISSING}", 1)
    names = list(_files(place, words[0]))
    if words[1:] == ["-type", "f"]:
        return call.say("\n".join(names))
    if words[1:4] != ["-type", "f", "-exec"] or words[-2:] != ["{}", "+"]:
        return call.unknown()
    if not names:
        return 0
    inner = Call(call.phone, [*words[4:-2], *names], call.cwd, call.said)
    work = COMMANDS.get(words[4])
    return await work(inner) if work is not None else call.unknown()


def _files(place: Path, shown: str) -> Iterator[str]:
    for path in sorted(place.rglob("*")):
        if path.is_file():
            yield f"{shown.rstrip('/')}/{path.relative_to(place).as_posix()}"


async def status(call: Call) -> int:
    """`stat -c '%s %n' FILE…`"""
    if list(call.arguments[:2]) != ["-c", "%s %n"]:
        return call.unknown()
    code = 0
    for name in call.arguments[2:]:
        place = call.phone.files.host(name, call.cwd)
        code = call.say(f"{place.stat().st_size} {name}") if place.exists() else call.say(f"stat: {name}: {MISSING}", 1)
    return code


async def echo(call: Call) -> int:
    """`echo WORD…`"""
    return call.say(" ".join(call.arguments) + "\n")


async def show(call: Call) -> int:
    """`cat FILE…`, generated ones included."""
    phone = call.phone
    generated = {
        "/proc/uptime": f"{phone.clock.uptime_s():.2f} {phone.clock.uptime_s():.2f}",
        "/proc/sys/kernel/random/boot_id": phone.boot_id,
    }
    for name in call.arguments:
        place = phone.files.host(name, call.cwd)
        if name in generated:
            call.say(generated[name])
        elif place.is_file():
            call.said += place.read_bytes()
        else:
            return call.say(f"cat: {name}: {MISSING}", 1)
    return 0


async def disk_free(call: Call) -> int:
    """`df -k PATH`"""
    files = call.phone.files
    total, used = files.capacity_bytes // 1024, -(-files.used_bytes // 1024)
    share = round(100 * used / total) if total else 0
    head = "Filesystem     1K-blocks     Used Available Use% Mounted on"
    return call.say(f"{head}\n/dev/block/dm-8 {total} {used} {files.free_bytes // 1024} {share}% /data")


async def succeed(_call: Call) -> int:
    """`true`, `chmod`: nothing to be done here."""
    return 0


def _operands(call: Call) -> list[str]:
    return [word for word in call.arguments if not word.startswith("-")]


COMMANDS: Mapping[str, Command] = {
    "ls": list_files,
    "rm": remove,
    "mkdir": make_folder,
    "md5sum": digest,
    "sha256sum": digest,
    "find": find,
    "stat": status,
    "echo": echo,
    "cat": show,
    "df": disk_free,
    "true": succeed,
    "chmod": succeed,
}
