"""The packages around the gallery on each platform: launcher, keyboard, system screens."""

from dataclasses import dataclass

from devices.virtual.gallery.skin import Words


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Package (bundle) names of one platform."""

    launcher: str
    system_ui: str
    keyboard: str
    permission: str
    settings: str
    camera: str


SURROUNDINGS = {
    "android": Surroundings(
        launcher="com.android.launcher3",
        system_ui="com.android.systemui",
        keyboard="com.google.android.inputmethod.latin",
        permission="com.android.permissioncontroller",
        settings="com.android.settings",
        camera="com.android.camera",
    ),
    "ios": Surroundings(
        launcher="com.apple.springboard",
        system_ui="com.apple.springboard",
        keyboard="com.apple.keyboard",
        permission="com.apple.springboard",
        settings="com.apple.Preferences",
        camera="com.apple.camera",
    ),
    "harmony": Surroundings(
        launcher="com.ohos.sceneboard",
        system_ui="com.ohos.sceneboard",
        keyboard="com.huawei.hmos.inputmethod",
        permission="com.ohos.permissionmanager",
        settings="com.huawei.hmos.settings",
        camera="com.huawei.hmos.camera",
    ),
}

SETTINGS_TITLE = Words("设置", "Settings")
CAMERA_TITLE = Words("相机", "Camera")
