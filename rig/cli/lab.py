"""`rig lab …`: virtual phones for people and tests."""

import asyncio
import json
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from devices.virtual.control import CONTROL_FILE, Control, as_options, read_address
from devices.virtual.description import LabError, load_lab
from devices.virtual.lab import LAB_FILE, Lab, serve
from rig.cli.plain import AsJson
from rig.errors import RigError

STATE = Path("runs/lab")
"""Beside the runs, which are never part of the project."""

lab_app = typer.Typer(help="Virtual phones: start them, look at them, break them.", no_args_is_help=True, rich_markup_mode=None)

StateOption = Annotated[Path, typer.Option("--state", help="The lab's folder: its lab.toml, control file and phones.")]


@lab_app.command()
def up(
    lab: Annotated[str, typer.Option(help="A lab's TOML file, or the name of one that comes with the rig.")] = "demo",
    state: StateOption = STATE,
    base_port: Annotated[int, typer.Option(help="First phone's port, the others follow; 0 lets the system choose.")] = 0,
    attached: Annotated[bool, typer.Option(help="Ends when standard input does.")] = False,
    as_json: AsJson = False,
) -> None:
    """Serves the phones of a lab until Ctrl-C."""

    def ready(served: Lab) -> None:
        phones = [
            {"name": worker.phone.name, "platform": worker.phone.platform, "address": worker.address}
            for worker in served.workers.values()
        ]
        if as_json:
            told = {"lab": str(state / LAB_FILE), "control": str(state / CONTROL_FILE), "phones": phones}
            typer.echo(json.dumps(told))
            return
        typer.echo(f"{len(phones)} virtual phones are up. Lab file: {state / LAB_FILE}  control: {state / CONTROL_FILE}")
        for phone in phones:
            hint = f"  adb connect {phone['address']}" if phone["platform"] == "android" else ""
            typer.echo(f"  {phone['name']:<12} {phone['platform']:<8} {phone['address']}{hint}")
        typer.echo("End with Ctrl-C.", err=True)

    try:
        asyncio.run(serve(Lab(load_lab(lab), state, base_port), ready, attached=attached))
    except (LabError, OSError) as error:
        raise RigError(str(error)) from error


@lab_app.command()
def status(state: StateOption = STATE, as_json: AsJson = False) -> None:
    """How each phone of the lab is."""
    told = _ask(state, "status")["phones"]
    if as_json:
        typer.echo(json.dumps(told))
        return
    table = Table("phone", "address", "front", "photos", "battery", "faults")
    for name, phone in told.items():
        cells = [str(phone.get(key, "")) for key in ("address", "front", "photos", "battery_percent")]
        table.add_row(name, *cells, str(phone.get("error") or ", ".join(phone.get("faults", ()))))
    Console().print(table)


@lab_app.command()
def fault(
    phone: str,
    name: str,
    options: Annotated[list[str] | None, typer.Argument(help="KEY=VALUE …, e.g. seconds=20")] = None,
    state: StateOption = STATE,
) -> None:
    """A fault begins on a phone; the name `clear` ends all of them, `swap other=PHONE` changes two cables."""
    told = dict(option.partition("=")[::2] for option in options or ())
    if name == "clear":
        _ask(state, "clear", phone)
    elif name == "swap":
        _ask(state, "swap", phone, other=told.get("other", ""))
    else:
        _ask(state, "fault", phone, name=name, options=as_options(told))


@lab_app.command()
def shown(phone: str, state: StateOption = STATE) -> None:
    """What a phone has truly shown, as JSON."""
    typer.echo(json.dumps(_ask(state, "shown", phone), ensure_ascii=False))


def _ask(state: Path, do: str, phone: str = "", **more: object) -> dict[str, Any]:
    try:
        return Control(read_address(state / CONTROL_FILE)).ask(do, phone, **more)
    except LabError as error:
        raise RigError(str(error)) from error
