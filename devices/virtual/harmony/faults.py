"""What a test can make go wrong with a HarmonyOS phone, beside what can with any.

hang                    connected, never answers    slow seconds=…           each answer of uitest waits
free_space bytes=…      almost full                 timezone name=…
uitest_killed           its daemon dies             uitest_garbage count=…   answers that are not JSON
uitest_half count=…     answers that break off      uitest_fragments bytes=… answers in small pieces
blank_start count=…     a white page after a cold start
screenshot kind=black|crlf|text|truncated|none
push_cut files=…        the transfer is cut         push_lost count=…        said to be there, and not kept
"""

from collections.abc import Callable, Mapping

from devices.virtual.faults import OF_ANY_PHONE, Options, screenshot, setting
from devices.virtual.harmony.phone import HarmonyPhone

Fault = Callable[[HarmonyPhone, Options], None]


def _free_space(phone: HarmonyPhone, options: Options) -> None:
    phone.files.capacity_bytes = phone.files.used_bytes + int(options["bytes"])


def _timezone(phone: HarmonyPhone, options: Options) -> None:
    phone.parameters["persist.time.timezone"] = phone.clock.timezone = str(options["name"])


FAULTS: Mapping[str, Fault] = {
    **OF_ANY_PHONE,
    "blank_start": setting("blank_starts", "count", 1),
    "free_space": _free_space,
    "hang": lambda phone, _options: phone.flowing.clear(),
    "push_cut": setting("cut_after_files", "files", 1),
    "push_lost": setting("lost_files", "count", 1),
    "screenshot": screenshot("black", "crlf", "text", "truncated", "none"),
    "slow": setting("delay_s", "seconds", 0.2),
    "timezone": _timezone,
    "uitest_fragments": setting("fragment", "bytes", 1000),
    "uitest_garbage": setting("garbage", "count", 1),
    "uitest_half": setting("half", "count", 1),
    "uitest_killed": lambda phone, _options: phone.kill_uitest(),
}
