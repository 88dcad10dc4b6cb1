"""`am instrument`: a test package runs inside the one that it tests, until it is stopped or its shell is closed."""

from devices.virtual.android.call import Call
from devices.virtual.android.commands.processes import run_ui_server
from devices.virtual.android.condition import Package
from devices.virtual.android.webdriver import PORT, WebDriverServer

APPIUM = "io.appium.uiautomator2.server"
ALREADY_REGISTERED = "java.lang.IllegalStateException: UiAutomationService already registered!"


async def instrument(call: Call, words: list[str]) -> int:
    """`am instrument -w [-e NAME VALUE …] PACKAGE/RUNNER`: appium-uiautomator2-server is the one that is known here."""
    package = _named(call, words[-1] if words else "")
    if package is None:
        return await call.complain(f"android.util.AndroidException: INSTRUMENTATION_FAILED: {' '.join(words[-1:])}")
    if package.target != APPIUM or call.phone.package(APPIUM) is None:
        return await call.unknown()
    if call.phone.processes.ui_server is not None:
        await call.say(f"INSTRUMENTATION_RESULT: longMsg={ALREADY_REGISTERED}\nINSTRUMENTATION_CODE: 0")
        return 0
    begun = f"INSTRUMENTATION_STATUS: class={APPIUM}.test.AppiumUiAutomator2Server\nINSTRUMENTATION_STATUS_CODE: 1"
    await run_ui_server(call, APPIUM, PORT, WebDriverServer(call.phone).serve, begun)
    return await call.say("INSTRUMENTATION_RESULT: shortMsg=Process crashed.\nINSTRUMENTATION_CODE: 0")


def _named(call: Call, component: str) -> Package | None:
    """The installed test package that `package/runner` names."""
    name, _, runner = component.partition("/")
    package = call.phone.package(name)
    return package if package is not None and package.runner and package.runner == runner else None
