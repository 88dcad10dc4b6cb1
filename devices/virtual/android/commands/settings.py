"""`settings`, `getprop`, `setprop`, `date`, `uptime`: what the phone is set to."""

from devices.virtual.android.call import Call, Command
from devices.virtual.android.settings import NAMESPACES


async def settings(call: Call) -> int:
    """`settings [--user N] get|put|delete|list NAMESPACE [KEY] [VALUE]`"""
    words = list(call.arguments)
    if words[:1] == ["--user"]:
        words = words[2:]
    verb, *rest = words or [""]
    if not rest or rest[0] not in NAMESPACES:
        return await call.unknown()
    namespace, *rest = rest
    store = call.phone.settings
    if verb == "list" and not rest:
        return await call.say("\n".join(f"{key}={value}" for key, value in store.items(namespace)))
    if verb == "get" and len(rest) == 1:
        value = store.get(namespace, rest[0])
        return await call.say("null" if value is None else value or "\n")
    if verb == "put" and len(rest) >= 2:
        store.put(namespace, rest[0], rest[1])
        return 0
    if verb == "delete" and len(rest) == 1:
        return await call.say(f"Deleted {int(store.delete(namespace, rest[0]))} rows")
    return await call.unknown()


async def getprop(call: Call) -> int:
    """`getprop [NAME [DEFAULT]]`"""
    props = call.phone.props
    if not call.arguments:
        return await call.say("\n".join(f"[{name}]: [{value}]" for name, value in sorted(props.items())))
    name, default = (*call.arguments, "")[:2]
    return await call.say(props.get(name, default) or "\n")


async def setprop(call: Call) -> int:
    """`setprop NAME VALUE`; read-only properties stay."""
    if len(call.arguments) != 2:
        return await call.unknown()
    name, value = call.arguments
    if name.startswith("ro."):
        return await call.complain(f"Failed to set property '{name}' to '{value}'.")
    call.phone.props[name] = value
    if name == "persist.sys.timezone":
        call.phone.clock.timezone = value
    return 0


async def date(call: Call) -> int:
    """`date [+FORMAT]`, in the phone's zone; as root it could be set, the shell may not."""
    now = call.phone.clock.now()
    if not call.arguments:
        return await call.say(now.strftime("%a %b %e %H:%M:%S %Z %Y"))
    form = call.arguments[0]
    if not form.startswith("+"):
        return await call.complain("date: cannot set date: Operation not permitted")
    form = form[1:].replace("%s", str(int(now.timestamp()))).replace("%N", f"{now.microsecond * 1000:09d}")
    return await call.say(now.strftime(form))


async def uptime(call: Call) -> int:
    """`uptime`"""
    seconds = int(call.phone.clock.uptime_s())
    now = call.phone.clock.now().strftime("%H:%M:%S")
    return await call.say(f" {now} up {seconds // 60} min,  0 users,  load average: 1.00, 1.00, 1.00")


COMMANDS: dict[str, Command] = {"settings": settings, "getprop": getprop, "setprop": setprop, "date": date, "uptime": uptime}
