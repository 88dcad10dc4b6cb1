"""The phone's own commands: parameters, bundles, abilities, dumps, uitest, screenshots, media library."""

import json
import re
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path

from devices.virtual.harmony import filecommands
from devices.virtual.harmony.layout import layout
from devices.virtual.harmony.make import ADMIN
from devices.virtual.harmony.shell import Call, Command
from devices.virtual.harmony.storage import PHOTOS

UITEST_VERSION = "5.1.1.3"
GALLERY_PID = 2001


async def parameter(call: Call) -> int:
    """`param get NAME`"""
    words = list(call.arguments)
    if words[:1] != ["get"] or len(words) != 2:
        return call.unknown()
    value = call.phone.parameters.get(words[1])
    return call.say(f'Get parameter "{words[1]}" fail! errNum is:106!', 1) if value is None else call.say(value + "\n")


async def bundles(call: Call) -> int:
    """`bm get --udid`, `bm dump -a`, `bm dump -n BUNDLE`, `bm clean -n BUNDLE -d`"""
    phone, words = call.phone, list(call.arguments)
    if words in (["get", "-u"], ["get", "--udid"]):
        return call.say(f"udid of current device is :\n{phone.make.udid}")
    if words == ["dump", "-a"]:
        return call.say("ID: 100:\n" + "\n".join(f"\t{name}" for name in phone.bundles))
    name = "".join(words[2:3])
    if words[:2] not in (["dump", "-n"], ["clean", "-n"]):
        return call.unknown()
    if name not in phone.bundles:
        return call.say("error: failed to get information and the parameters may be wrong.", 1)
    if words[0] == "clean":
        if name == phone.make.bundle:
            phone.stop_gallery()
            phone.gallery.reset()
            phone.gallery.scan()
        return call.say("clean bundle data files successfully.")
    version = phone.gallery_version if name == phone.make.bundle else phone.make.os_version
    told = {"name": name, "versionName": version, "versionCode": int("".join(re.findall(r"\d", version)) or 1)}
    return call.say(f"{name}:\n" + json.dumps({"applicationInfo": told, **told}, indent=4))


async def abilities(call: Call) -> int:
    """`aa start -b BUNDLE -a ABILITY`, `aa force-stop BUNDLE`"""
    phone, words = call.phone, list(call.arguments)
    if words[:1] == ["force-stop"] and len(words) == 2:
        phone.stop_gallery() if words[1] == phone.make.bundle else phone.gallery.stop(words[1])
        return call.say("force stop process successfully.")
    if words[:1] != ["start"]:
        return call.unknown()
    options = dict(zip(words[1::2], words[2::2], strict=False))
    bundle = options.get("-b", "")
    if bundle not in phone.bundles:
        return call.say(
            "error: failed to start ability.\nError Code:10104001  Error Message:The specified ability does not exist"
        )
    if bundle == ADMIN:
        phone.wipe()
    elif bundle == phone.make.bundle:
        phone.start_gallery()
    else:
        phone.gallery.launch(bundle)
    return call.say("start ability successfully.")


async def dump(call: Call) -> int:
    """`hidumper -s SERVICE -a ARGUMENTS`"""
    words = list(call.arguments)
    services = {"BatteryService": _battery, "PowerManagerService": _power, "ScreenlockService": _lock}
    work = services.get(words[1]) if words[:1] == ["-s"] and len(words) > 1 else None
    return call.unknown() if work is None else call.say(work(call))


def _battery(call: Call) -> str:
    battery = call.phone.battery
    lines = ["-------------------------------[ability]-------------------------------", "Current time: 0"]
    if battery.percent is not None:
        lines.append(f"capacity: {battery.percent}")
    lines += [f"chargingStatus: {1 if battery.plugged else 2}", f"pluggedType: {2 if battery.plugged else 0}"]
    if battery.temperature_c is not None:
        lines.append(f"temperature: {round(battery.temperature_c * 10)}")
    return "\n".join(lines)


def _power(call: Call) -> str:
    state = "AWAKE" if call.phone.gallery.screen_on else "SLEEP"
    return f"POWER STATE DUMP:\nCurrent State: {state}  Reason: 0\nScreenOffTime: Timeout={call.phone.processes.timeout_ms}ms"


def _lock(call: Call) -> str:
    locked = str(call.phone.gallery.locked).lower()
    return f" * screenLocked  \t\t{locked}\tscreen lock status, true: locked, false: unlocked"


async def power(call: Call) -> int:
    """`power-shell wakeup`, `suspend`, `timeout -o MS`, `timeout -r`"""
    phone, words = call.phone, list(call.arguments)
    if words == ["wakeup"]:
        phone.gallery.key("wake")
    elif words == ["suspend"]:
        phone.gallery.key("sleep")
    elif words[:2] == ["timeout", "-o"] and len(words) == 3:
        phone.processes.timeout_ms = int(words[2])
    elif words == ["timeout", "-r"]:
        phone.processes.timeout_ms = 30_000
    else:
        return call.unknown()
    return call.say("No Error")


async def processes(call: Call) -> int:
    """`ps -ef`, `ps -A -o PID,TIME,NAME`"""
    phone = call.phone
    running = [(1, 3.0, "init"), (640, 40.0, "com.ohos.sceneboard")]
    running.append((GALLERY_PID, phone.gallery.index_signals().cpu_s, phone.make.bundle))
    if phone.processes.uitest_pid:
        running.append((phone.processes.uitest_pid, 1.0, "uitest start-daemon singleness"))
    if list(call.arguments) == ["-ef"]:
        lines = ["UID PID PPID C STIME TTY TIME CMD"]
        lines += [f"shell {pid} 1 0 11:03:37 ? {timedelta(seconds=int(cpu))} {name}" for pid, cpu, name in running]
        return call.say("\n".join(lines))
    lines = ["PID TIME NAME", *(f"{pid} {timedelta(seconds=int(cpu))} {name}" for pid, cpu, name in running)]
    return call.say("\n".join(lines))


async def kill(call: Call) -> int:
    """`kill -9 PID…`"""
    if str(call.phone.processes.uitest_pid) in call.arguments:
        call.phone.kill_uitest()
    return 0


async def uitest(call: Call) -> int:
    """`uitest --version`, `start-daemon singleness`, `screenCap -p`, `dumpLayout -p`"""
    phone, words = call.phone, list(call.arguments)
    if words == ["--version"]:
        return call.say(UITEST_VERSION)
    if words[:1] == ["start-daemon"]:
        if not phone.processes.uitest_pid:
            phone.processes.last_pid += 7
            phone.processes.uitest_pid = phone.processes.last_pid
        return 0
    path = words[words.index("-p") + 1] if "-p" in words[:-1] else "/data/local/tmp/layout.json"
    if words[:1] == ["screenCap"]:
        phone.files.write(phone.files.host(path), await _screenshot(call))
        return call.say(f"ScreenCap saved to {path}")
    if words[:1] == ["dumpLayout"]:
        told = json.dumps(layout(phone.gallery.tree()), ensure_ascii=False)
        phone.files.write(phone.files.host(path), told.encode())
        return call.say(f"DumpLayout saved to:{path}")
    return call.unknown()


async def snapshot(call: Call) -> int:
    """`snapshot_display -f FILE [-t png]`"""
    words = list(call.arguments)
    if "-f" not in words[:-1]:
        return call.unknown()
    path = words[words.index("-f") + 1]
    if path.endswith(".png"):
        picture = await _screenshot(call)
    else:
        picture = await call.phone.camera.jpeg(call.phone.frame(), 90)
    call.phone.files.write(call.phone.files.host(path), picture)
    return call.say(f"process: display 0\nsuccess: snapshot display 0 , write to {path}")


async def _screenshot(call: Call) -> bytes:
    png = await call.phone.camera.png(call.phone.frame())
    match call.phone.faults.screenshot:
        case "crlf":
            return png.replace(b"\n", b"\r\n")
        case "text":
            return b"[Warning] more than one display was found\n" + png
        case "truncated":
            return png[: len(png) // 2]
        case "none":
            return b""
        case _:
            return png


async def media(call: Call) -> int:
    """`mediatool send DIR -tas -urf`, `mediatool query NAME -u`, `mediatool delete all`"""
    phone, words = call.phone, list(call.arguments)
    photos = phone.files.photos
    if words[:2] == ["delete", "all"]:
        for path in [path for path in photos.rglob("*") if path.is_file()]:
            path.unlink()
        phone.gallery.scan()
        return call.say("[SUCCESS]delete all media success")
    if words[:1] == ["send"] and len(words) > 1:
        return _import(call, phone.files.host(words[1]), photos)
    if words[:1] == ["query"] and len(words) > 1:
        found = [path for path in photos.rglob("*") if path.name == words[1]]
        lines = [f'"file://media/Photo/{number}/{path.stem}/{path.name}"' for number, path in enumerate(found, 1)]
        return call.say(f"find {len(found)} result\nuri\n" + "\n".join(lines))
    return call.unknown()


def _import(call: Call, source: Path, photos: Path) -> int:
    if not source.is_dir():
        return call.say(f"[FAIL]path not found: {source.name}", 1)
    target = photos / "1"
    target.mkdir(exist_ok=True)
    files = [path for path in source.iterdir() if path.is_file()]
    moved = [path.replace(target / path.name) for path in files]
    call.phone.imported(moved)
    return call.say(f"[SUCCESS]Table Name: Photos\nimport {len(moved)} files to {PHOTOS}")


async def date(call: Call) -> int:
    """`date +%s`"""
    return call.say(str(int(call.phone.clock.epoch_s()))) if list(call.arguments) == ["+%s"] else call.unknown()


COMMANDS: Mapping[str, Command] = {
    **filecommands.COMMANDS,
    "param": parameter,
    "bm": bundles,
    "aa": abilities,
    "hidumper": dump,
    "power-shell": power,
    "ps": processes,
    "kill": kill,
    "uitest": uitest,
    "snapshot_display": snapshot,
    "mediatool": media,
    "date": date,
}
