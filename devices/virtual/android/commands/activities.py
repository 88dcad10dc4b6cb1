"""`am` and `monkey`: apps are started and stopped."""

from devices.virtual.android.call import Call, Command
from devices.virtual.android.commands.instrumentation import APPIUM, instrument
from devices.virtual.android.commands.packages import activity, component
from devices.virtual.gallery.system import SURROUNDINGS

MONKEY_ABORTED = 252  # what monkey exits with when nothing can be started


async def activity_manager(call: Call) -> int:
    """`am start|start-activity|force-stop|kill|broadcast|instrument|get-current-user …`"""
    verb, *words = list(call.arguments) or [""]
    if verb in ("start", "start-activity"):
        return await _start(call, words)
    if verb in ("force-stop", "kill", "stop-app"):
        for name in words:
            if not name.startswith("-"):
                _stop(call, name)
        return 0
    if verb == "instrument":
        return await instrument(call, words)
    if verb == "broadcast":
        action = words[words.index("-a") + 1] if "-a" in words[:-1] else ""
        return await call.say(f"Broadcasting: Intent {{ act={action} flg=0x400000 }}\nBroadcast completed: result=0")
    if verb == "get-current-user":
        return await call.say("0")
    return await call.unknown()


def _stop(call: Call, package: str) -> None:
    call.phone.gallery.stop(package)
    call.phone.processes.services.discard(package)
    if package.startswith(APPIUM) and call.phone.processes.ui_server_name == APPIUM:
        call.phone.kill_ui_server()


async def _start(call: Call, words: list[str]) -> int:
    gallery = call.phone.gallery
    wanted = words[words.index("-n") + 1] if "-n" in words[:-1] else ""
    package = wanted.split("/")[0] or _by_intent(call, words)
    if "-S" in words:
        gallery.stop(package)
    await call.say(f"Starting: Intent {{ {f'cmp={wanted}' if wanted else 'act=android.intent.action.MAIN'} }}")
    full = f"{package}/{activity(call.phone, package)}"
    if _only_serves(call, package):
        call.phone.processes.services.add(package)
        return 0
    names = ("", full, component(call.phone, package))
    if not package or wanted not in names or not gallery.launch(package):
        return await call.complain(f"Error type 3\nError: Activity class {{{wanted}}} does not exist.")
    if "-W" in words:
        await call.say(f"Status: ok\nLaunchState: COLD\nActivity: {component(call.phone, package)}\nComplete")
    return 0


def _only_serves(call: Call, package: str) -> bool:
    """True for an app from outside: none of them has a screen here, as Appium's settings app, which closes its own at once."""
    installed = call.phone.installed.packages.get(package)
    return installed is not None and installed.third_party


def _by_intent(call: Call, words: list[str]) -> str:
    if "android.intent.category.APP_GALLERY" in words:
        return call.phone.make.gallery.name
    if "android.intent.category.HOME" in words:
        return SURROUNDINGS["android"].launcher
    return next((word for word in words if call.phone.package(word)), "")


async def monkey(call: Call) -> int:
    """`monkey -p PACKAGE -c CATEGORY 1`, as uiautomator2 starts apps."""
    words = list(call.arguments)
    package = words[words.index("-p") + 1] if "-p" in words[:-1] else ""
    if not package or not call.phone.gallery.launch(package):
        return await call.complain("** No activities found to run, monkey aborted.", MONKEY_ABORTED)
    return await call.say("Events injected: 1\n## Network stats: elapsed time=8ms (0ms mobile, 0ms wifi, 8ms not connected)")


COMMANDS: dict[str, Command] = {"am": activity_manager, "monkey": monkey}
