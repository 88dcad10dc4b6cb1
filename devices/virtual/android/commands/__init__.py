"""The phone's commands, one file a family; a command that is in none of them does not exist on the phone."""

from collections.abc import Mapping

from devices.virtual.android.call import Command
from devices.virtual.android.commands import (
    activities,
    content,
    device,
    display,
    dumps,
    packages,
    processes,
    settings,
    storage,
    text,
)

COMMANDS: Mapping[str, Command] = {
    **activities.COMMANDS,
    **content.COMMANDS,
    **device.COMMANDS,
    **display.COMMANDS,
    **dumps.COMMANDS,
    **packages.COMMANDS,
    **processes.COMMANDS,
    **settings.COMMANDS,
    **storage.COMMANDS,
    **text.COMMANDS,
}
