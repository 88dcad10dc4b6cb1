"""`pm` and `cmd package`."""

from devices.virtual.android.apk import BadApk, read_manifest
from devices.virtual.android.call import Call, Command
from devices.virtual.android.condition import Package
from devices.virtual.android.phone import AndroidPhone
from devices.virtual.gallery.system import SURROUNDINGS

MAIN = ".MainActivity"
"""What the one activity of every app but the gallery is called."""
VERSION_CODE = 1000
"""A version code has to be a number; it follows from the version's own first digits."""


def version_code(version: str) -> int:
    """10.4.2 → 10004002: grows as versions do."""
    code = 0
    for part in [*version.split("."), "0", "0"][:3]:
        code = code * VERSION_CODE + int("".join(char for char in part if char.isdigit()) or 0)
    return code


def code_of(package: Package) -> int:
    """A package's version code."""
    return version_code(package.version) if package.code is None else package.code


def activity(phone: AndroidPhone, package: str) -> str:
    """The full name of the activity that an app starts with."""
    name = phone.make.gallery.activity if package == phone.make.gallery.name else MAIN
    return package + name if name.startswith(".") else name


def component(phone: AndroidPhone, package: str) -> str:
    """`package/activity`, shortened as Android shortens it."""
    return f"{package}/{activity(phone, package).removeprefix(package)}"


async def package_manager(call: Call) -> int:
    """`pm VERB …`"""
    verb = call.arguments[0] if call.arguments else ""
    if verb not in VERBS:
        return await call.unknown()
    return await VERBS[verb](call)


def _operands(call: Call) -> list[str]:
    words, kept = list(call.arguments[1:]), []
    while words:
        word = words.pop(0)
        if word == "--user":
            words[:1] = []
        elif not word.startswith("-"):
            kept.append(word)
    return kept


async def _list(call: Call) -> int:
    operands = _operands(call)
    if operands[:1] == ["instrumentation"]:
        testing = [package for package in call.phone.packages() if package.runner]
        return await call.say(
            "\n".join(f"instrumentation:{package.name}/{package.runner} (target={package.target})" for package in testing)
        )
    if operands[:1] == ["users"]:
        return await call.say("Users:\n\tUserInfo{0:Owner:4c13} running")
    if operands[:1] != ["packages"]:
        return await call.unknown()
    flags, wanted = set(call.arguments), "".join(operands[1:2])
    lines = []
    for package in call.phone.packages():
        if wanted not in package.name or ("-3" in flags and not package.third_party) or ("-s" in flags and package.third_party):
            continue
        place = f"/data/app/{package.name}/base.apk=" if "-f" in flags else ""
        code = f" versionCode:{code_of(package)}" if "--show-versioncode" in flags else ""
        lines.append(f"package:{place}{package.name}{code}")
    return await call.say("\n".join(lines))


async def _path(call: Call) -> int:
    name = "".join(_operands(call)[:1])
    if call.phone.package(name) is None:
        return 1
    return await call.say(f"package:/data/app/{name}/base.apk")


async def _clear(call: Call) -> int:
    name = "".join(_operands(call)[:1])
    if call.phone.package(name) is None:
        return await call.complain("Failed")
    if name == call.phone.make.gallery.name:
        call.phone.clear_gallery()
    return await call.say("Success")


async def _grant(call: Call) -> int:
    return 0 if call.phone.package("".join(_operands(call)[:1])) else await call.complain("Failure: unknown package", 255)


async def _uninstall(call: Call) -> int:
    name = "".join(_operands(call)[:1])
    package = call.phone.installed.packages.get(name)
    if package is None or not package.third_party:
        return await call.say("Failure [DELETE_FAILED_INTERNAL_ERROR]") or 1
    del call.phone.installed.packages[name]
    return await call.say("Success")


async def _resolve(call: Call) -> int:
    wanted = _operands(call)
    words = set(wanted)
    gallery = call.phone.make.gallery.name
    named = next((word for word in wanted if call.phone.package(word)), None)
    known = {"android.intent.category.APP_GALLERY": gallery, "android.intent.category.HOME": SURROUNDINGS["android"].launcher}
    name = named or next((known[word] for word in wanted if word in known), None)
    if name is None and "android.intent.action.MAIN" not in words:
        return await call.unknown()
    if name is None:
        return await call.say("No activity found") or 1
    head = "priority=0 preferredOrder=0 match=0x108000 specificIndex=-1 isDefault=true"
    if "--brief" in call.arguments:
        return await call.say(f"{head}\n{component(call.phone, name)}")
    return await call.say(
        f"{head}\nActivityInfo:\n  name={activity(call.phone, name)}\n  packageName={name}\n  enabled=true exported=true"
    )


async def _install(call: Call) -> int:
    """`install [-r] [-g] … -S SIZE` with the APK on standard input, or `install … PATH`."""
    words = list(call.arguments[1:])
    if "-S" in words[:-1]:
        apk = await _stream(call, int(words[words.index("-S") + 1]))
    else:
        place = call.phone.files.host("".join(_operands(call)[-1:]), call.session.cwd)
        apk = place.read_bytes() if place.is_file() else b""
    try:
        manifest = read_manifest(apk)
    except BadApk as error:
        return await call.say(f"Failure [INSTALL_PARSE_FAILED_NOT_APK: {error}]") or 1
    call.phone.installed.add(
        Package(
            manifest.package,
            manifest.version,
            third_party=True,
            code=manifest.version_code,
            runner=manifest.runner,
            target=manifest.target,
        )
    )
    return await call.say("Success")


async def _stream(call: Call, size: int) -> bytes:
    """The next `size` bytes of standard input; fewer when the host hung up."""
    read = bytearray()
    while len(read) < size:
        chunk = await call.stdin.read(size - len(read))
        if not chunk:
            break
        read += chunk
    return bytes(read)


VERBS: dict[str, Command] = {
    "list": _list,
    "path": _path,
    "clear": _clear,
    "install": _install,
    "grant": _grant,
    "revoke": _grant,
    "uninstall": _uninstall,
    "resolve-activity": _resolve,
}
COMMANDS: dict[str, Command] = {"pm": package_manager}
