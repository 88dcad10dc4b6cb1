"""Faults as they look on the screen, over whatever is there."""

from dataclasses import dataclass

from devices.virtual.gallery.elements import Do, Element
from devices.virtual.gallery.faults import FaultName, Faults
from devices.virtual.gallery.overlays import dialog, notification
from devices.virtual.gallery.skin import Words
from devices.virtual.gallery.stage import Stage


@dataclass(frozen=True, slots=True)
class TroubleDialog:
    """A system dialog; every button of it dismisses the fault, the first may also close the app."""

    title: Words
    text: Words
    buttons: tuple[tuple[Words, str], ...]
    first_closes_app: bool = False
    from_permissions: bool = False


TROUBLE_DIALOGS = {
    FaultName.ANR_DIALOG: TroubleDialog(
        Words("“{app}”没有响应", "{app} isn't responding"),
        Words("", ""),
        ((Words("关闭应用", "Close app"), "aerr_close"), (Words("等待", "Wait"), "aerr_wait")),
        first_closes_app=True,
    ),
    FaultName.PERMISSION_PROMPT: TroubleDialog(
        Words("要允许“{app}”访问此设备的位置信息吗？", "Allow {app} to access this device's location?"),
        Words("", ""),
        (
            (Words("仅在使用该应用时允许", "While using the app"), "permission_allow_foreground_only_button"),
            (Words("不允许", "Don't allow"), "permission_deny_button"),
        ),
        from_permissions=True,
    ),
    FaultName.SYSTEM_UPDATE_DIALOG: TroubleDialog(
        Words("系统更新已就绪", "System update ready"),
        Words("重启以完成安装。", "Restart to finish installing."),
        ((Words("稍后", "Later"), "button2"), (Words("立即重启", "Restart now"), "button1")),
    ),
}
"""System dialogs by fault, in the order in which they lie over each other."""

NOTIFICATION = (Words("妈妈", "Mum"), Words("给我打电话", "call me"))
"""Who writes what in the `notification` fault (as in a report of private messages in published screenshots)."""


def dialog_fault(faults: Faults) -> FaultName | None:
    """The fault whose dialog is in front."""
    return next((name for name in TROUBLE_DIALOGS if faults.holds(name)), None)


def trouble_elements(stage: Stage, faults: Faults) -> tuple[Element, ...]:
    """Dialog and notification of the faults in force."""
    elements: tuple[Element, ...] = ()
    name = dialog_fault(faults)
    if name is not None:
        elements += _dialog(stage, TROUBLE_DIALOGS[name])
    if faults.holds(FaultName.NOTIFICATION):
        sender, text = NOTIFICATION
        elements += notification(stage, stage.told(sender), stage.told(text))
    return elements


def _dialog(stage: Stage, look: TroubleDialog) -> tuple[Element, ...]:
    app = stage.told(stage.texts.title)
    package = stage.around.permission if look.from_permissions else "android" if stage.skin.platform == "android" else ""
    buttons = [(stage.told(words), name) for words, name in look.buttons]
    lines = (stage.told(look.title).format(app=app), stage.told(look.text))
    return dialog(stage, lines, buttons, package or stage.around.system_ui, do=Do.DISMISS_FAULT)
