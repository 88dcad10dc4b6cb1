"""What a test can make go wrong with an iPhone, beside what can with any phone.

hang                    attached, nothing answers   wda_hang                 only WebDriverAgent
slow seconds=…          each call of it waits       wda_session_lost         its session is gone
wda_killed              its runner has ended        untrusted / trusted      "Trust this computer?"
free_space bytes=…      almost full                 apple_id                 somebody is signed in
screenshot kind=black|text|truncated|none|empty
push_cut bytes=…        the next file is cut        push_lost count=…        imported, and not there
asset_refused count=…   the photo library refuses
"""

from collections.abc import Callable, Mapping

from devices.virtual.faults import OF_ANY_PHONE, Options, screenshot, setting
from devices.virtual.ios.phone import WDA_RUNNER, IPhone

Fault = Callable[[IPhone, Options], None]


def _wda_killed(phone: IPhone, _options: Options) -> None:
    phone.apps.pop(WDA_RUNNER, None)
    phone.wda_session = ""
    phone.mux.cut()


def _wda_session_lost(phone: IPhone, _options: Options) -> None:
    phone.wda_session = ""


def _untrusted(phone: IPhone, _options: Options) -> None:
    phone.hosts.clear()
    phone.asks_for_trust = True


def _trusted(phone: IPhone, _options: Options) -> None:
    phone.asks_for_trust = False


def _free_space(phone: IPhone, options: Options) -> None:
    phone.capacity_bytes = phone.used_bytes + int(options["bytes"])


def _apple_id(phone: IPhone, options: Options) -> None:
    phone.apple_id = str(options.get("name", "somebody@example.com"))


FAULTS: Mapping[str, Fault] = {
    **OF_ANY_PHONE,
    "apple_id": _apple_id,
    "asset_refused": setting("broken_assets", "count", 1),
    "free_space": _free_space,
    "hang": setting("hangs", "on", True),
    "push_cut": setting("cut_push_after", "bytes", 1000),
    "push_lost": setting("lost_imports", "count", 1),
    "screenshot": screenshot("black", "text", "truncated", "none", "empty"),
    "slow": setting("slow_s", "seconds", 0.2),
    "trusted": _trusted,
    "untrusted": _untrusted,
    "wda_hang": setting("wda_hangs", "on", True),
    "wda_killed": _wda_killed,
    "wda_session_lost": _wda_session_lost,
}
