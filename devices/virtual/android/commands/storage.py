"""Files: list, remove, hash, find, measure."""

import asyncio
import fnmatch
import hashlib
import os
import shutil
import stat
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from devices.virtual.android.call import Call, Command, encode

NO_SUCH_FILE = "No such file or directory"


def split_options(words: Sequence[str]) -> tuple[str, list[str]]:
    """(letters of the options, operands); `--` ends the options."""
    words = list(words)
    if "--" in words:
        cut = words.index("--")
        letters, operands = split_options(words[:cut])
        return letters, operands + words[cut + 1 :]
    letters = "".join(word[1:] for word in words if word.startswith("-") and word != "-")
    return letters, [word for word in words if not word.startswith("-") or word == "-"]


async def list_files(call: Call) -> int:
    """`ls [-1aAdlR] [PATH…]`"""
    letters, operands = split_options(call.arguments)
    if set(letters) - set("1aAdlRin"):
        return await call.unknown()
    code = 0
    for operand in operands or ["."]:
        place = call.phone.files.host(operand, call.session.cwd)
        if not place.exists():
            code = await call.complain(f"ls: {operand}: {NO_SUCH_FILE}")
        elif place.is_dir() and "d" not in letters:
            await _list_folder(call, operand, place, letters, named=len(operands) > 1 or "R" in letters)
        else:
            await call.say(_line(call, operand, place, letters))
    return code


async def _list_folder(call: Call, shown: str, place: Path, letters: str, *, named: bool) -> None:
    hidden = "a" in letters or "A" in letters
    entries = sorted((entry for entry in place.iterdir() if hidden or not entry.name.startswith(".")), key=lambda e: e.name)
    lines = [f"{shown}:"] if named else []
    if "l" in letters:
        lines.append(f"total {sum(entry.lstat().st_size for entry in entries) // 512}")
    lines += [_line(call, entry.name, entry, letters) for entry in entries]
    if lines:
        await call.say("\n".join(lines))
    if "R" in letters:
        for entry in entries:
            if entry.is_dir():
                await call.say("")
                await _list_folder(call, f"{shown.rstrip('/')}/{entry.name}", entry, letters, named=True)


def _line(call: Call, name: str, place: Path, letters: str) -> str:
    if "l" not in letters:
        return name
    found = place.lstat()
    when = datetime.fromtimestamp(found.st_mtime, ZoneInfo(call.phone.clock.timezone)).strftime("%Y-%m-%d %H:%M")
    return f"{stat.filemode(found.st_mode)} {found.st_nlink} u0_a1 media_rw {found.st_size} {when} {name}"


async def remove(call: Call) -> int:
    """`rm [-rf] PATH…`"""
    letters, operands = split_options(call.arguments)
    code = 0
    for operand in operands:
        place = call.phone.files.host(operand, call.session.cwd)
        if place.is_dir() and not place.is_symlink():
            if not set(letters) & set("rR"):
                code = await call.complain(f"rm: {operand}: is directory")
                continue
            await asyncio.to_thread(shutil.rmtree, place)
        elif place.exists():
            place.unlink()
        elif "f" not in letters:
            code = await call.complain(f"rm: {operand}: {NO_SUCH_FILE}")
    call.phone.files.count_again()
    return code


async def make_folder(call: Call) -> int:
    """`mkdir [-p] FOLDER…`"""
    letters, operands = split_options(call.arguments)
    return await _each(call, operands, lambda place: place.mkdir(parents="p" in letters, exist_ok="p" in letters))


async def remove_folder(call: Call) -> int:
    """`rmdir FOLDER…`"""
    return await _each(call, call.arguments, lambda place: place.rmdir())


async def _each(call: Call, operands: Sequence[str], work: Callable[[Path], None]) -> int:
    code = 0
    for operand in operands:
        try:
            work(call.phone.files.host(operand, call.session.cwd))
        except OSError as error:
            code = await call.complain(f"{call.argv[0]}: '{operand}': {error.strerror}")
    return code


async def touch(call: Call) -> int:
    """`touch [-d @SECONDS] FILE…`"""
    words = list(call.arguments)
    when = call.phone.clock.epoch_s()
    if words[:1] == ["-d"]:
        if not words[1:2] or not words[1].startswith("@"):
            return await call.unknown()
        when, words = float(words[1][1:]), words[2:]

    def set_time(place: Path) -> None:
        place.touch()
        os.utime(place, (when, when))

    return await _each(call, words, set_time)


async def move(call: Call) -> int:
    """`mv [-f] FROM TO`"""
    _, operands = split_options(call.arguments)
    return await _two(call, operands, lambda source, target: shutil.move(source, target))


async def copy(call: Call) -> int:
    """`cp [-p] FROM TO`"""
    letters, operands = split_options(call.arguments)
    return await _two(call, operands, shutil.copy2 if "p" in letters else shutil.copy)


async def _two(call: Call, operands: Sequence[str], work: Callable[[str, str], object]) -> int:
    if len(operands) != 2:
        return await call.unknown()
    source, target = (call.phone.files.host(operand, call.session.cwd) for operand in operands)
    try:
        work(str(source), str(target))
    except OSError as error:
        return await call.complain(f"{call.argv[0]}: '{operands[0]}': {error.strerror}")
    call.phone.files.count_again()
    return 0


async def change_mode(_call: Call) -> int:
    """`chmod`: accepted; the phone's shell owns everything here."""
    return 0


async def file_status(call: Call) -> int:
    """`stat [-c FORMAT] FILE…` with %n %s %Y %X %Z %F %a %h %i."""
    words = list(call.arguments)
    form = "%n %s %Y"
    if words[:1] == ["-c"]:
        form, words = words[1], words[2:]
    code = 0
    for operand in [word for word in words if word != "--"]:
        place = call.phone.files.host(operand, call.session.cwd)
        if not place.exists():
            code = await call.complain(f"stat: '{operand}': {NO_SUCH_FILE}")
            continue
        await call.say(_formatted(form, operand, place.stat()))
    return code


def _formatted(form: str, name: str, found: os.stat_result) -> str:
    values = {
        "%n": name,
        "%s": found.st_size,
        "%Y": int(found.st_mtime),
        "%X": int(found.st_atime),
        "%Z": int(found.st_ctime),
        "%F": "directory" if stat.S_ISDIR(found.st_mode) else "regular file",
        "%a": oct(stat.S_IMODE(found.st_mode))[2:],
        "%h": found.st_nlink,
        "%i": found.st_ino,
    }
    for mark, value in values.items():
        form = form.replace(mark, str(value))
    return form


async def digest(call: Call) -> int:
    """`md5sum`, `sha1sum`, `sha256sum` of FILE…"""
    code = 0
    for operand in split_options(call.arguments)[1]:
        place = call.phone.files.host(operand, call.session.cwd)
        try:
            told = await asyncio.to_thread(_hash, place, call.argv[0].removesuffix("sum"))
        except OSError as error:
            code = await call.complain(f"{call.argv[0]}: {operand}: {error.strerror}")
            continue
        await call.out(encode(f"{told}  {operand}\n"))
    return code


def _hash(place: Path, algorithm: str) -> str:
    with place.open("rb") as file:
        return hashlib.file_digest(file, algorithm).hexdigest()


async def disk_free(call: Call) -> int:
    """`df [-k] [PATH…]`: kilobytes of /data, which shared storage is part of."""
    files = call.phone.files
    total, used = files.capacity_bytes // 1024, -(-files.used_bytes // 1024)
    free = files.free_bytes // 1024
    share = round(100 * used / total) if total else 0
    _, operands = split_options(call.arguments)
    shared = bool(operands) and str(files.host(operands[0])).startswith(str(files.root / "sdcard"))
    place, mount = ("/dev/fuse", "/storage/emulated") if shared else ("/dev/block/dm-9", "/data")
    head = "Filesystem     1K-blocks     Used Available Use% Mounted on"
    return await call.say(f"{head}\n{place} {total} {used} {free} {share}% {mount}")


async def disk_usage(call: Call) -> int:
    """`du [-s] [-k|-b] PATH…`"""
    letters, operands = split_options(call.arguments)
    unit = 1 if "b" in letters else 1024
    for operand in operands or ["."]:
        place = call.phone.files.host(operand, call.session.cwd)
        size = sum(file.lstat().st_size for file in place.rglob("*") if file.is_file())
        await call.say(f"{-(-size // unit)}\t{operand}")
    return 0


async def find(call: Call) -> int:
    """`find PATH… [-maxdepth N] [-type f|d] [-name|-iname PATTERN] [-exec COMMAND {} +|;]`"""
    words = list(call.arguments)
    cut = next((index for index, word in enumerate(words) if word.startswith("-")), len(words))
    places, tests = words[:cut] or ["."], words[cut:]
    command: list[str] | None = None
    if "-exec" in tests:
        start = tests.index("-exec")
        if tests[-1] not in ("+", ";"):
            return await call.complain("find: -exec needs ; or +")
        tests, command, together = tests[:start], tests[start + 1 : -1], tests[-1] == "+"
    options = dict(zip(tests[::2], tests[1::2], strict=False))
    if set(options) - {"-maxdepth", "-type", "-name", "-iname"} or len(tests) % 2:
        return await call.unknown()
    found = [name for place in places for name in _walk(call, place, options)]
    missing = [place for place in places if not call.phone.files.host(place, call.session.cwd).exists()]
    for place in missing:
        await call.complain(f"find: {place}: {NO_SUCH_FILE}")
    if command is None:
        await call.say("\n".join(found))
        return int(bool(missing))
    code = 0
    for names in ([found] if together else [[name] for name in found]) if found else []:
        code |= await _execute(call, command, names)
    return int(bool(missing)) or code


def _walk(call: Call, place: str, options: dict[str, str]) -> Iterator[str]:
    top = call.phone.files.host(place, call.session.cwd)
    deepest = int(options.get("-maxdepth", "1000"))
    paths = [top, *sorted(top.rglob("*"))] if top.is_dir() else [top] if top.exists() else []
    for path in paths:
        inside = path.relative_to(top).parts
        name = path.name
        wanted = {"f": path.is_file, "d": path.is_dir}[options["-type"]]() if "-type" in options else True
        wanted &= fnmatch.fnmatchcase(name, options.get("-name", "*"))
        wanted &= fnmatch.fnmatchcase(name.lower(), options.get("-iname", "*").lower())
        if wanted and len(inside) <= deepest:
            yield "/".join([place.rstrip("/") or "", *inside]) if inside else place


async def _execute(call: Call, command: list[str], names: list[str]) -> int:
    argv = [name for word in command for name in (names if word == "{}" else [word])]
    work = COMMANDS.get(argv[0])
    if work is None:
        call.phone.unhandled.append(" ".join(argv))
        return await call.complain(f"find: {argv[0]}: {NO_SUCH_FILE}")
    return await work(Call(call.phone, argv, call.session, call.stdin, call.out, call.err))


async def toybox(call: Call) -> int:
    """`toybox COMMAND …`: the same commands by their long way."""
    work = COMMANDS.get(call.arguments[0]) if call.arguments else None
    if work is None:
        return await call.complain(f"toybox: Unknown command {' '.join(call.arguments[:1])}", 127)
    return await work(Call(call.phone, call.arguments, call.session, call.stdin, call.out, call.err))


async def synchronise(_call: Call) -> int:
    """`sync`"""
    return 0


COMMANDS: dict[str, Command] = {
    "ls": list_files,
    "rm": remove,
    "mkdir": make_folder,
    "rmdir": remove_folder,
    "touch": touch,
    "mv": move,
    "cp": copy,
    "chmod": change_mode,
    "stat": file_status,
    "md5sum": digest,
    "sha1sum": digest,
    "sha256sum": digest,
    "df": disk_free,
    "du": disk_usage,
    "find": find,
    "toybox": toybox,
    "sync": synchronise,
}
