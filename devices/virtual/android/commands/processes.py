"""`ps`, `pidof`, `kill`, `app_process`: what runs on the phone."""

import asyncio
from dataclasses import dataclass
from datetime import timedelta

from devices.virtual.android.call import Call, Command
from devices.virtual.android.phone import AndroidPhone, TcpService
from devices.virtual.android.uiautomator import UiServer

UI_SERVER = "com.wetest.uia2.Main"
GALLERY_PID = 2001
KILLED = 137
DEFAULT_COLUMNS = "USER,PID,PPID,VSZ,RSS,WCHAN,ADDR,S,NAME"
ALREADY_REGISTERED = (
    "java.lang.IllegalStateException: UiAutomationService "
    "android.accessibilityservice.IAccessibilityServiceClient$Stub$Proxy@5deffd5already registered!"
)


@dataclass(frozen=True, slots=True)
class Process:
    """A line of `ps`."""

    pid: int
    name: str
    user: str
    cpu_s: float


def processes(phone: AndroidPhone) -> list[Process]:
    """What runs now, by pid."""
    found = [
        Process(1, "init", "root", 3.0),
        Process(640, "system_server", "system", 40.0),
        Process(720, "com.android.systemui", "u0_a50", 9.0),
    ]
    found.append(Process(GALLERY_PID, phone.make.gallery.name, "u0_a101", phone.gallery.index_signals().cpu_s))
    if phone.processes.ui_server is not None:
        found.append(Process(phone.processes.ui_server_pid, phone.processes.ui_server_name, "shell", 1.0))
    return found


async def list_processes(call: Call) -> int:
    """`ps [-A|-e] [-o COLUMN,…]`, `ps --help`"""
    words = list(call.arguments)
    if words == ["--help"]:
        return await call.say("usage: ps [-AadefLlnwZ] [-o FIELD]\n\nList processes.\n\n-A\tAll")
    columns = DEFAULT_COLUMNS
    if "-o" in words:
        at = words.index("-o")
        columns = "".join(words[at + 1 : at + 2])
        del words[at : at + 2]
    if set(words) - {"-A", "-e", "-ef", "-f", "-w"}:
        return await call.unknown()
    names = columns.split(",")
    if any(name not in _cells(processes(call.phone)[0]) for name in names):
        return await call.complain(f"ps: bad -o {columns}")
    lines = [" ".join(names)]
    lines += [" ".join(_cells(process)[name] for name in names) for process in processes(call.phone)]
    return await call.say("\n".join(lines))


def _cells(process: Process) -> dict[str, str]:
    elapsed = timedelta(seconds=int(process.cpu_s))
    clock = f"{int(elapsed.total_seconds()) // 3600:02d}:{elapsed.seconds // 60 % 60:02d}:{elapsed.seconds % 60:02d}"
    return {
        "USER": process.user,
        "PID": str(process.pid),
        "PPID": "1",
        "VSZ": "1000000",
        "RSS": "100000",
        "WCHAN": "0",
        "ADDR": "0",
        "S": "S",
        "NAME": process.name,
        "CMD": process.name,
        "ARGS": process.name,
        "TIME": clock,
        "TIME+": f"{int(process.cpu_s) // 60}:{process.cpu_s % 60:05.2f}",
    }


async def process_id(call: Call) -> int:
    """`pidof NAME`"""
    found = [str(process.pid) for process in processes(call.phone) if process.name in call.arguments]
    return await call.say(" ".join(found)) if found else 1


async def kill(call: Call) -> int:
    """`kill [-SIGNAL] PID…`"""
    code = 0
    for word in call.arguments:
        if word.startswith("-"):
            continue
        process = next((process for process in processes(call.phone) if str(process.pid) == word), None)
        if process is None:
            code = await call.complain(f"kill: {word}: No such process")
        elif process.pid == call.phone.processes.ui_server_pid:
            call.phone.kill_ui_server()
        elif process.pid == GALLERY_PID:
            call.phone.gallery.stop(call.phone.make.gallery.name)
        else:
            code = await call.complain(f"kill: {word}: Operation not permitted")
    return code


async def app_process(call: Call) -> int:
    """`CLASSPATH=… app_process / com.wetest.uia2.Main [-p PORT]`: uiautomator2's server, until its shell is closed."""
    words = list(call.arguments)
    jar = call.variables.get("CLASSPATH", "")
    if UI_SERVER not in words:
        return await call.unknown()
    if not call.phone.files.host(jar).is_file():
        return await call.complain(f"Error: Could not find or load main class {UI_SERVER}")
    port = int(words[words.index("-p") + 1]) if "-p" in words[:-1] else 9008
    await call.say("[server] INFO: [UiAutomator2Server] Starting Server")
    if call.phone.processes.ui_server is not None:
        return await call.complain(ALREADY_REGISTERED)
    await run_ui_server(call, "app_process", port, UiServer(call.phone).serve)
    return KILLED


async def run_ui_server(call: Call, name: str, port: int, service: TcpService, said: str = "") -> None:
    """The process `name` serves the UI at `port`, and has `said` so, until it is killed or its shell is closed."""
    running, services = call.phone.processes, call.phone.tcp_services
    running.ui_server, running.ui_server_pid, running.ui_server_name = asyncio.Event(), running.new_pid(), name
    services[port] = service
    await call.say(said)
    waits = [asyncio.ensure_future(wait) for wait in (running.ui_server.wait(), call.stdin.wait_closed())]
    try:
        await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for wait in waits:
            wait.cancel()
        running.ui_server = None
        services.pop(port, None)


COMMANDS: dict[str, Command] = {"ps": list_processes, "pidof": process_id, "kill": kill, "app_process": app_process}
