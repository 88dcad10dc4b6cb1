"""`cmd`, `reboot`, `svc`, `ime`, `logcat` and who the shell is."""

from dataclasses import replace

from devices.virtual.android.call import Call, Command
from devices.virtual.android.commands.activities import activity_manager
from devices.virtual.android.commands.packages import package_manager
from devices.virtual.android.commands.settings import settings

ZEN = {"on": "1", "all": "1", "priority": "1", "none": "2", "alarms": "3", "off": "0"}
"""`cmd notification set_dnd` → settings global zen_mode."""


async def command(call: Call) -> int:
    """`cmd SERVICE …`, `cmd -l`"""
    if list(call.arguments) == ["-l"]:
        return await call.say("Currently running services:\n" + "\n".join(f"  {name}" for name in sorted(SERVICES)))
    service = call.arguments[0] if call.arguments else ""
    if service not in SERVICES:
        call.phone.unhandled.append(" ".join(call.argv))
        return await call.complain(f"cmd: Can't find service: {service}", 20)
    return await SERVICES[service](replace(call, argv=call.arguments))


async def _test_harness(call: Call) -> int:
    if list(call.arguments) != ["enable"]:
        return await call.unknown()
    if call.phone.gallery.locked:
        return await call.complain("Test Harness Mode cannot be enabled if there is a lock screen", 2)
    if not call.phone.make.can_reset:
        return await call.complain("Failed to enable Test Harness Mode. No implementation of PersistentDataBlock was provided.")
    call.phone.wipe()
    return 0


async def _notification(call: Call) -> int:
    if len(call.arguments) == 2 and call.arguments[0] == "set_dnd" and call.arguments[1] in ZEN:
        call.phone.settings.put("global", "zen_mode", ZEN[call.arguments[1]])
        return 0
    if len(call.arguments) == 2 and call.arguments[0] == "allow_listener":
        return 0
    return await call.unknown()


async def appops(call: Call) -> int:
    """`appops set PACKAGE OPERATION MODE`: kept nowhere, because nothing on this phone asks for it."""
    words = list(call.arguments)
    if len(words) != 4 or words[0] != "set":
        return await call.unknown()
    if call.phone.package(words[1]) is None:
        return await call.complain(f"Error: No UID for {words[1]} in user 0", 255)
    return 0


async def _jobs(call: Call) -> int:
    if call.arguments[:1] == ["run"]:
        return await call.say("Running job [FORCED]")
    return await call.unknown()


async def reboot(call: Call) -> int:
    """`reboot`"""
    call.phone.reboot()
    return 0


async def service_control(call: Call) -> int:
    """`svc power stayon true|false|usb|ac`, `svc power reboot`, `svc wifi|data enable|disable`"""
    words = list(call.arguments)
    stay_on = {"true": "15", "usb": "2", "ac": "1", "wireless": "4", "false": "0"}
    if words[:2] == ["power", "stayon"] and "".join(words[2:]) in stay_on:
        call.phone.settings.put("global", "stay_on_while_plugged_in", stay_on[words[2]])
        return 0
    if words[:2] == ["power", "reboot"]:
        return await reboot(call)
    if words[:1] == ["wifi"] and words[1:] in (["enable"], ["disable"]):
        call.phone.settings.put("global", "wifi_on", str(int(words[1] == "enable")))
        return 0
    return await call.unknown()


async def ime(call: Call) -> int:
    """`ime list [-s] [-a]`, `ime set ID`, `ime enable|disable ID`, `ime reset`"""
    verb, *rest = list(call.arguments) or [""]
    store = call.phone.settings
    installed = (store.get("secure", "enabled_input_methods") or "").split(":")
    if verb == "list":
        return await call.say("\n".join(name if "-s" in rest else f"{name}:\n  mId={name}" for name in installed))
    if verb == "reset":
        verb, rest = "set", installed[:1]
    if verb not in ("set", "enable", "disable") or len(rest) != 1:
        return await call.unknown()
    if rest[0] not in installed:
        return await call.complain(f"Error: Unknown input method {rest[0]} for user #0", 255)
    if verb == "set":
        store.put("secure", "default_input_method", rest[0])
        return await call.say(f"Input method {rest[0]} selected for user #0")
    return await call.say(f"Input method {rest[0]}: already {verb}d for user #0")


async def logcat(call: Call) -> int:
    """`logcat -d`, `logcat -c`: this phone logs nothing but its boot."""
    if set(call.arguments) & {"-c", "--clear"}:
        return 0
    return await call.say("--------- beginning of main")


async def whoami(call: Call) -> int:
    """`whoami`, `id`"""
    if call.argv[0] == "id":
        return await call.say("uid=2000(shell) gid=2000(shell) groups=2000(shell),1015(sdcard_rw) context=u:r:shell:s0")
    return await call.say("shell")


async def uname(call: Call) -> int:
    """`uname [-a]`"""
    return await call.say("Linux localhost 6.1.0-virtual #1 SMP PREEMPT aarch64 Toybox" if call.arguments else "Linux")


async def lock_settings(call: Call) -> int:
    """`locksettings get-disabled`: true when no lock is set."""
    if list(call.arguments) == ["get-disabled"]:
        return await call.say(str(not call.phone.gallery.locked).lower())
    return await call.unknown()


SERVICES: dict[str, Command] = {
    "activity": activity_manager,
    "appops": appops,
    "input_method": ime,
    "jobscheduler": _jobs,
    "lock_settings": lock_settings,
    "notification": _notification,
    "package": package_manager,
    "settings": settings,
    "testharness": _test_harness,
}
COMMANDS: dict[str, Command] = {
    "appops": appops,
    "locksettings": lock_settings,
    "cmd": command,
    "reboot": reboot,
    "svc": service_control,
    "ime": ime,
    "logcat": logcat,
    "whoami": whoami,
    "id": whoami,
    "uname": uname,
}
