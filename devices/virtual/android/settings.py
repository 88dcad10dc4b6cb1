"""`settings`: the three tables of a phone, as they are on a new one."""

from collections.abc import Iterator, Mapping

NAMESPACES = ("global", "secure", "system")


class Settings:
    """Text by (namespace, key)."""

    def __init__(self, android_id: str, keyboard: str) -> None:
        self._tables: dict[str, dict[str, str]] = {
            "global": {
                "boot_count": "0",
                "device_provisioned": "1",
                "adb_enabled": "1",
                "auto_time": "1",
                "auto_time_zone": "1",
                "stay_on_while_plugged_in": "0",
                "window_animation_scale": "1.0",
                "transition_animation_scale": "1.0",
                "animator_duration_scale": "1.0",
                "zen_mode": "0",
                "low_power": "0",
                "airplane_mode_on": "0",
                "wifi_on": "1",
            },
            "secure": {
                "android_id": android_id,
                "user_setup_complete": "1",
                "default_input_method": keyboard,
                "enabled_input_methods": keyboard,
                "show_ime_with_hard_keyboard": "0",
                "spell_checker_enabled": "1",
                "location_mode": "3",
            },
            "system": {
                "accelerometer_rotation": "1",
                "user_rotation": "0",
                "screen_off_timeout": "60000",
                "screen_brightness": "102",
                "screen_brightness_mode": "1",
                "font_scale": "1.0",
            },
        }

    def get(self, namespace: str, key: str) -> str | None:
        """The value; None where nothing is stored."""
        return self._tables[namespace].get(key)

    def put(self, namespace: str, key: str, value: str) -> None:
        """The value is stored."""
        self._tables[namespace][key] = value

    def delete(self, namespace: str, key: str) -> bool:
        """Nothing is stored; True when something was."""
        return self._tables[namespace].pop(key, None) is not None

    def items(self, namespace: str) -> Iterator[tuple[str, str]]:
        """All (key, value) of a table, by key."""
        yield from sorted(self._tables[namespace].items())

    def replace(self, namespace: str, table: Mapping[str, str]) -> None:
        """A whole table is as given."""
        self._tables[namespace] = dict(table)
