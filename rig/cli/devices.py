"""`rig devices`: what is attached, who it is, and which profile it would be measured with."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from drivers.discovery import attached_phones
from rig.cli.plain import AsJson, cell, print_json, wide_console
from rig.config import load_lab
from rig.desk.phones import Met, meet_attached, meet_lab


def devices_command(
    lab: Annotated[Path | None, typer.Option(metavar="FILE", help="Also the phones of this lab file.")] = None,
    as_json: AsJson = False,
) -> None:
    """Lists phones with identity, OS and gallery version, health, matching profile, and whether it was calibrated."""
    phones = load_lab(lab) if lab else ()
    met = meet_lab(phones)
    known = {phone.address for phone in phones} | {phone.identity.serial for phone in met if phone.identity}
    others = [phone for phone in attached_phones() if phone.address not in known and phone.serial not in known]
    everything = (*met, *meet_attached(others))
    if as_json:
        print_json({"schema_version": 1, "devices": [asdict(phone) for phone in everything]})
        return
    if not everything:
        typer.echo("no phone is attached; check cables and USB debugging, or see: rig doctor", err=True)
    wide_console().print(_table(everything))


def _table(met: tuple[Met, ...]) -> Table:
    titles = ("name", "platform", "address", "phone", "system", "gallery", "language", "health", "profile", "calibrated", "")
    table = Table(*titles, box=None, pad_edge=False)
    for phone in met:
        identity = phone.identity
        gallery = f"{identity.gallery_package} {identity.gallery_version}" if identity and identity.gallery_version else "—"
        table.add_row(
            *map(cell, (phone.name or "—", phone.platform, phone.address)),
            cell(f"{identity.model} {identity.serial}" if identity else "—"),
            cell(identity.os_version if identity else "—"),
            cell(gallery),
            cell(identity.locale if identity else "—"),
            cell(_health(phone)),
            cell(phone.profile or "—"),
            cell(_calibrated(phone)),
            cell("; ".join(filter(None, (phone.problem, phone.about)))),
        )
    return table


def _health(phone: Met) -> str:
    if phone.health is None:
        return "—"
    battery, warmth = phone.health.battery_percent, phone.health.temperature_c
    told = [f"{battery} %" if battery is not None else "", f"{warmth:.0f} °C" if warmth is not None else ""]
    told += ["locked"] if phone.health.locked else []
    return " ".join(filter(None, told)) or "unknown"


def _calibrated(phone: Met) -> str:
    if phone.identity is None or not phone.profile:
        return "—"
    if phone.identity.virtual:
        return "virtual"
    return "no" if phone.uncalibrated else "yes"
