"""Commands that turn text into text, and the shell's own words."""

import asyncio
import re
from collections.abc import Callable

from devices.virtual.android.call import Call, Command, Input

READ_SIZE = 1 << 20


async def read_all(stdin: Input) -> bytes:
    """Everything until the end of a command's input."""
    read = bytearray()
    while chunk := await stdin.read(READ_SIZE):
        read += chunk
    return bytes(read)


async def echo(call: Call) -> int:
    """`echo [-n] WORD…`"""
    words = list(call.arguments)
    end = "" if words[:1] == ["-n"] else "\n"
    text = " ".join(words[1:] if not end else words) + end
    await call.out(text.encode("utf-8", "surrogateescape"))
    return 0


async def printf(call: Call) -> int:
    """`printf FORMAT [WORD…]` with %s, %d and the usual backslashes."""
    form = call.arguments[0].replace("\\n", "\n").replace("\\t", "\t") if call.arguments else ""
    words = list(call.arguments[1:])
    filled = _fill(form, words)
    while words and "%" in form:  # the format is used again until no word is left
        filled += _fill(form, words)
    await call.out(filled.encode("utf-8", "surrogateescape"))
    return 0


def _fill(form: str, words: list[str]) -> str:
    return re.sub(r"%[sd]", lambda _: words.pop(0) if words else "", form)


async def cat(call: Call) -> int:
    """`cat [FILE…]`"""
    if not call.arguments:
        await call.out(await read_all(call.stdin))
    code = 0
    for name in call.arguments:
        try:
            await call.out(call.phone.files.read(name, call.session.cwd))
        except OSError as error:
            code = await call.complain(f"cat: {name}: {error.strerror}")
    return code


async def grep(call: Call) -> int:
    """`grep [-EFciqv] PATTERN [FILE…]`; exits 1 when nothing matches."""
    flags = {flag for word in call.arguments if word.startswith("-") for flag in word[1:]}
    if flags - set("EFciqv"):
        return await call.unknown()
    words = [word for word in call.arguments if not word.startswith("-")]
    if not words:
        return await call.complain("grep: no pattern", 2)
    pattern = re.compile(re.escape(words[0]) if "F" in flags else words[0], re.IGNORECASE if "i" in flags else 0)
    if words[1:]:
        data = b"".join(call.phone.files.read(name, call.session.cwd) for name in words[1:])
    else:
        data = await read_all(call.stdin)
    lines = data.decode("utf-8", "surrogateescape").splitlines()
    found = [line for line in lines if bool(pattern.search(line)) != ("v" in flags)]
    if "q" not in flags:
        await call.say(str(len(found)) if "c" in flags else "\n".join(found))
    return int(not found)


async def wc(call: Call) -> int:
    """`wc -l|-c` of its input."""
    data = await read_all(call.stdin)
    if list(call.arguments) == ["-l"]:
        return await call.say(str(data.count(b"\n")))
    if list(call.arguments) == ["-c"]:
        return await call.say(str(len(data)))
    return await call.unknown()


async def head(call: Call) -> int:
    """`head [-n N]` of its input."""
    return await _some_lines(call, first=True)


async def tail(call: Call) -> int:
    """`tail [-n N]` of its input."""
    return await _some_lines(call, first=False)


async def _some_lines(call: Call, *, first: bool) -> int:
    number = "".join(call.arguments).removeprefix("-n").removeprefix("-") or "10"
    if not number.isdigit():
        return await call.unknown()
    lines = (await read_all(call.stdin)).splitlines(keepends=True)
    count = int(number)
    await call.out(b"".join(lines[:count] if first else lines[max(0, len(lines) - count) :]))
    return 0


async def sort(call: Call) -> int:
    """`sort [-u]` of its input, by bytes."""
    lines = (await read_all(call.stdin)).splitlines()
    await call.out(b"".join(line + b"\n" for line in sorted(set(lines) if "-u" in call.arguments else lines)))
    return 0


async def true(_call: Call) -> int:
    """`true`, `:`"""
    return 0


async def false(_call: Call) -> int:
    """`false`"""
    return 1


async def sleep(call: Call) -> int:
    """`sleep SECONDS`"""
    await asyncio.sleep(float(call.arguments[0]) if call.arguments else 0)
    return 0


async def leave(call: Call) -> int:
    """`exit [CODE]`"""
    call.session.exited = True
    return int(call.arguments[0]) if call.arguments else call.session.status


async def change_folder(call: Call) -> int:
    """`cd [FOLDER]`"""
    folder = call.arguments[0] if call.arguments else "/"
    files = call.phone.files
    place = files.host(folder, call.session.cwd)
    if not place.is_dir():
        return await call.complain(f"/system/bin/sh: cd: {folder}: No such file or directory", 2)
    call.session.cwd = files.phone_path(place)
    return 0


async def pwd(call: Call) -> int:
    """`pwd`"""
    return await call.say(call.session.cwd)


async def export(call: Call) -> int:
    """`export NAME=VALUE…`"""
    call.session.variables.update(dict(word.split("=", 1) for word in call.arguments if "=" in word))
    return 0


async def test(call: Call) -> int:
    """`[ … ]` and `test …`: -e -f -d -s -n -z FILE or text, = and !=, -eq -ne -gt -lt."""
    words = [word for word in call.arguments if not (call.argv[0] == "[" and word == "]")]
    negated = words[:1] == ["!"]
    words = words[1:] if negated else words
    holds = _holds(call, words)
    if holds is None:
        return await call.unknown()
    return int(holds == negated)


def _holds(call: Call, words: list[str]) -> bool | None:
    if len(words) == 1:
        return bool(words[0])
    if len(words) == 2:
        place = call.phone.files.host(words[1], call.session.cwd)
        checks: dict[str, Callable[[], bool]] = {
            "-e": place.exists,
            "-f": place.is_file,
            "-d": place.is_dir,
            "-s": lambda: place.is_file() and place.stat().st_size > 0,
            "-n": lambda: bool(words[1]),
            "-z": lambda: not words[1],
        }
        return checks[words[0]]() if words[0] in checks else None
    if len(words) != 3:
        return None
    left, operator, right = words
    if operator in ("=", "==", "!="):
        return (left == right) != (operator == "!=")
    difference = int(left) - int(right)
    numbers = {
        "-eq": difference == 0,
        "-ne": difference != 0,
        "-gt": difference > 0,
        "-lt": difference < 0,
        "-ge": difference >= 0,
        "-le": difference <= 0,
    }
    return numbers.get(operator)


COMMANDS: dict[str, Command] = {
    "echo": echo,
    "printf": printf,
    "cat": cat,
    "grep": grep,
    "wc": wc,
    "head": head,
    "tail": tail,
    "sort": sort,
    "true": true,
    ":": true,
    "false": false,
    "sleep": sleep,
    "exit": leave,
    "cd": change_folder,
    "pwd": pwd,
    "export": export,
    "[": test,
    "test": test,
}
