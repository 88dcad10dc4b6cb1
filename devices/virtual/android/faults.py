"""What a test can make go wrong with an Android phone, beside what can with any.

hang                    connected, never answers    slow seconds=…           each packet waits
unauthorized / allow    the host's key              account name=…           somebody is logged in
free_space bytes=…      almost full                 timezone name=…
ui_server_killed        uiautomator dies once       automation_broken        and does not come back
screenshot kind=black|crlf|text|truncated|none
push_cut bytes=…        the next file is cut        push_lost count=…        OKAY, and not kept
"""

from collections.abc import Callable, Mapping

from devices.virtual.android.phone import AndroidPhone
from devices.virtual.faults import OF_ANY_PHONE, Options, screenshot, setting

Fault = Callable[[AndroidPhone, Options], None]


def _slow(phone: AndroidPhone, options: Options) -> None:
    phone.wire.delay_s = float(options.get("seconds", 0.2))


def _unauthorized(phone: AndroidPhone, _options: Options) -> None:
    phone.wire.forbid()
    phone.adb.cut()


def _free_space(phone: AndroidPhone, options: Options) -> None:
    phone.files.capacity_bytes = phone.files.used_bytes + int(options["bytes"])


def _timezone(phone: AndroidPhone, options: Options) -> None:
    phone.props["persist.sys.timezone"] = phone.clock.timezone = str(options["name"])


FAULTS: Mapping[str, Fault] = {
    **OF_ANY_PHONE,
    "account": lambda phone, options: phone.accounts.append(str(options.get("name", "somebody@example.com"))),
    "allow": lambda phone, _options: phone.wire.allow(),
    "automation_broken": setting("automation_broken", "on", True),
    "free_space": _free_space,
    "hang": lambda phone, _options: phone.wire.flowing.clear(),
    "push_cut": setting("cut_push_after", "bytes", 1000),
    "push_lost": setting("lost_pushes", "count", 1),
    "screenshot": screenshot("black", "crlf", "text", "truncated", "none"),
    "slow": _slow,
    "timezone": _timezone,
    "ui_server_killed": lambda phone, _options: phone.kill_ui_server(),
    "unauthorized": _unauthorized,
}
