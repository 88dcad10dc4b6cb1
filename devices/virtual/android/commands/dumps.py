"""`dumpsys`: what the services of the phone say of themselves, in the lines that hosts look for."""

from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta

from devices.virtual.android.call import Call, Command
from devices.virtual.android.commands.packages import activity, code_of
from devices.virtual.android.phone import AndroidPhone

CHARGING, DISCHARGING, FULL = 2, 3, 5
"""BatteryManager.BATTERY_STATUS_*"""
THROTTLING = ((45, 3), (41, 2), (37, 1))
"""Battery °C from which a phone says Thermal Status severe, moderate, light."""

ZEN_MODES = ("OFF", "IMPORTANT_INTERRUPTIONS", "NO_INTERRUPTIONS", "ALARMS")
"""Settings.Global zen_mode 0 to 3, as the notification service spells them."""


async def dumpsys(call: Call) -> int:
    """`dumpsys SERVICE [ARGUMENT…]`"""
    words = [word for word in call.arguments if word not in ("-t", "-T")]
    service = words[0] if words else ""
    if service == "battery" and words[1:]:
        return await _set_battery(call, words[1:])
    if service not in SERVICES:
        call.phone.unhandled.append(" ".join(call.argv))
        return await call.complain(f"Can't find service: {service}")
    return await call.say(SERVICES[service](call.phone, words[1:]))


async def _set_battery(call: Call, words: Sequence[str]) -> int:
    battery = call.phone.battery
    if list(words[:2]) == ["set", "level"] and len(words) == 3:
        battery.percent = int(words[2])
    elif list(words) == ["unplug"]:
        battery.plugged = False
    elif list(words) == ["reset"]:
        battery.plugged = True
    else:
        return await call.unknown()
    return 0


def _battery(phone: AndroidPhone, _words: Sequence[str]) -> str:
    battery = phone.battery
    status = DISCHARGING if not battery.plugged else FULL if battery.percent == 100 else CHARGING
    lines = [
        "Current Battery Service state:",
        "  AC powered: false",
        f"  USB powered: {str(battery.plugged).lower()}",
        "  Wireless powered: false",
        "  Max charging current: 500000",
        f"  status: {status}",
        "  health: 2",
        "  present: true",
    ]
    if battery.percent is not None:
        lines += [f"  level: {battery.percent}", "  scale: 100"]
    lines.append("  voltage: 4321")
    if battery.temperature_c is not None:
        lines.append(f"  temperature: {round(battery.temperature_c * 10)}")  # tenths of a degree
    return "\n".join([*lines, "  technology: Li-ion"])


def _thermal(phone: AndroidPhone, _words: Sequence[str]) -> str:
    celsius = phone.battery.temperature_c
    status = 0 if celsius is None else next((level for limit, level in THROTTLING if celsius >= limit), 0)
    lines = ["IsStatusOverride: false", f"Thermal Status: {status}", "Cached temperatures:"]
    if celsius is not None:
        lines.append(f"\tTemperature{{mValue={celsius}, mType=2, mName=battery, mStatus={status}}}")
    return "\n".join([*lines, "HAL Ready: true"])


def _front(phone: AndroidPhone) -> str:
    package = phone.gallery.front_package()
    return f"{package}/{activity(phone, package)}"


def _window(phone: AndroidPhone, _words: Sequence[str]) -> str:
    locked = str(phone.gallery.locked).lower()
    keyguard = f"mShowingLockscreen={locked} mShowingDream=false mDreamingLockscreen={locked}"
    # On a real phone NotificationShade holds the focus while the phone is locked.
    focus = "NotificationShade" if phone.gallery.locked else _front(phone)
    return "\n".join(
        [
            "WINDOW MANAGER WINDOWS (dumpsys window windows)",
            f"  mCurrentFocus=Window{{41b3757 u0 {focus}}}",
            f"  mFocusedApp=ActivityRecord{{1a2b3c4 u0 {_front(phone)} t12}}",
            f"  {keyguard}",
            "  KeyguardServiceDelegate",
            f"    showing={locked}",
            f"  screenState={'SCREEN_STATE_ON' if phone.gallery.screen_on else 'SCREEN_STATE_OFF'}",
            f"  mIsShowing={locked}",
            "  mRotation=ROTATION_0",
        ]
    )


def _services(phone: AndroidPhone, package: str) -> str:
    """`package` without its service's name; a package that serves has one service, named as the package."""
    running = [name for name in sorted(phone.processes.services) if package in ("", name)]
    lines = [f"  * ServiceRecord{{1a2b3c4 u0 {name}/.Service}}\n    isForeground=true foregroundId=1" for name in running]
    return "\n".join(["ACTIVITY MANAGER SERVICES (dumpsys activity services)", *(lines or ["  (nothing)"])])


def _activity(phone: AndroidPhone, words: Sequence[str]) -> str:
    if words[:1] == ["services"]:
        return _services(phone, "".join(words[1:2]))
    if words[:1] == ["top"]:
        return f"TASK {phone.gallery.front_package()} id=12\n  ACTIVITY {_front(phone)} 1a2b3c4 pid=2001"
    record = f"ActivityRecord{{1a2b3c4 u0 {_front(phone)} t12}}"
    head = "ACTIVITY MANAGER ACTIVITIES (dumpsys activity activities)"
    return f"{head}\n  mResumedActivity: {record}\n  topResumedActivity={record}"


def _display(phone: AndroidPhone, _words: Sequence[str]) -> str:
    width, height = phone.gallery.size
    state = "ON" if phone.gallery.screen_on else "OFF"
    viewport = f"DisplayViewport{{type=INTERNAL, valid=true, orientation=0, deviceWidth={width}, deviceHeight={height}}}"
    return f"DISPLAY MANAGER (dumpsys display)\n  mScreenState={state}\n  mViewports=[{viewport}]\n  Display State={state}"


def _power(phone: AndroidPhone, _words: Sequence[str]) -> str:
    on = phone.gallery.screen_on
    return "\n".join(
        [
            "POWER MANAGER (dumpsys power)",
            f"  mWakefulness={'Awake' if on else 'Asleep'}",
            f"  mIsPowered={str(phone.battery.plugged).lower()}",
            f"  mHoldingDisplaySuspendBlocker={str(on).lower()}",
            f"  Display Power: state={'ON' if on else 'OFF'}",
        ]
    )


def _package(phone: AndroidPhone, words: Sequence[str]) -> str:
    package = phone.package(words[0]) if words else None
    if package is None:
        return f"Unable to find package: {' '.join(words)}"
    return "\n".join(
        [
            "Packages:",
            f"  Package [{package.name}] (1a2b3c):",
            f"    versionCode={code_of(package)} minSdk=26 targetSdk={phone.make.plate.sdk}",
            f"    versionName={package.version}",
            "    signatures=PackageSignatures{1a2b3c version:3, signatures:[a1b2c3d4]}",
            f"    pkgFlags=[ {'' if package.third_party else 'SYSTEM '}HAS_CODE ALLOW_BACKUP ]",
            "    firstInstallTime=2026-01-01 08:00:00",
            "    lastUpdateTime=2026-01-01 08:00:00",
        ]
    )


def _accounts(phone: AndroidPhone, _words: Sequence[str]) -> str:
    lines = [f"  Accounts: {len(phone.accounts)}"]
    lines += [f"    Account {{name={name}, type=com.virtual}}" for name in phone.accounts]
    return "\n".join(["User UserInfo{0:Owner:4c13}:", *lines])


def _jobs(phone: AndroidPhone, _words: Sequence[str]) -> str:
    lines = [f"  JOB #u0a101/1: {phone.make.gallery.name}/.IndexJob"] if phone.gallery.index_signals().working else []
    return "\n".join(["JOB SCHEDULER (dumpsys jobscheduler)", f"Registered {len(lines)} jobs:", *lines])


def _idle(phone: AndroidPhone, _words: Sequence[str]) -> str:
    screen = str(phone.gallery.screen_on).lower()
    charging = str(phone.battery.plugged).lower()
    return f"  Settings:\n  mScreenOn={screen}\n  mCharging={charging}\n  mState=ACTIVE\n  mLightState=ACTIVE"


def _cpu(phone: AndroidPhone, _words: Sequence[str]) -> str:
    return f"Load: 1.0 / 1.0 / 1.0\n  {phone.gallery.index_signals().cpu_s:.1f}s {phone.make.gallery.name}"


def _input_method(phone: AndroidPhone, _words: Sequence[str]) -> str:
    keyboard = phone.settings.get("secure", "default_input_method")
    shown = str(phone.gallery.keyboard_shown).lower()
    return f"Current Input Method Manager state:\n  mCurMethodId={keyboard}\n  mInputShown={shown}"


def _notification(phone: AndroidPhone, _words: Sequence[str]) -> str:
    mode = phone.settings.get("global", "zen_mode") or "0"
    return f"Current Notification Manager state:\n  mZenMode={ZEN_MODES[int(mode)]}"


def _surfaces(_phone: AndroidPhone, _words: Sequence[str]) -> str:
    return 'Display 4619827259835644672 (HWC display 0): port=0 pnpId=VRT displayName="virtual"'


def _uptime(phone: AndroidPhone) -> str:
    return str(timedelta(seconds=int(phone.clock.uptime_s())))


def _alarm(phone: AndroidPhone, _words: Sequence[str]) -> str:
    return f"nowRTC={int(phone.clock.epoch_s() * 1000)}\nelapsed={_uptime(phone)}"


def _data_bases(phone: AndroidPhone, words: Sequence[str]) -> str:
    pages = phone.gallery.index_signals().database_bytes // 4096
    return f"Applications Database Info:\n** Database info for {' '.join(words)} **\n  page size: 4096\n  pages: {pages}"


def _trust(phone: AndroidPhone, _words: Sequence[str]) -> str:
    locked = int(phone.gallery.locked)
    user = 'User "Owner" (id=0, flags=0x4c13)'
    return f"Trust manager state:\n {user}: trusted=0, trustManaged=0, deviceLocked={locked}, strongAuthRequired=0x0"


SERVICES: Mapping[str, Callable[[AndroidPhone, Sequence[str]], str]] = {
    "account": _accounts,
    "activity": _activity,
    "alarm": _alarm,
    "battery": _battery,
    "cpuinfo": _cpu,
    "dbinfo": _data_bases,
    "deviceidle": _idle,
    "display": _display,
    "input_method": _input_method,
    "jobscheduler": _jobs,
    "notification": _notification,
    "package": _package,
    "power": _power,
    "SurfaceFlinger": _surfaces,
    "thermalservice": _thermal,
    "trust": _trust,
    "window": _window,
}
COMMANDS: dict[str, Command] = {"dumpsys": dumpsys}
