"""house_arrest: an app's Documents over AFC, for apps that share them."""

import asyncio
from typing import TYPE_CHECKING

from devices.virtual.ios.afc import serve_folder
from devices.virtual.ios.importer import IMPORTER
from devices.virtual.ios.plists import read_plist, send_plist

if TYPE_CHECKING:
    from devices.virtual.ios.phone import IPhone


async def serve_house_arrest(phone: "IPhone", reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """One command, then AFC over the same connection."""
    asked = await read_plist(reader)
    if asked.get("Identifier") != IMPORTER or IMPORTER not in phone.apps:
        await send_plist(writer, {"Error": "ApplicationLookupFailed"})
    elif asked.get("Command") not in ("VendDocuments", "VendContainer"):
        await send_plist(writer, {"Error": "UnknownCommand"})
    else:
        await send_plist(writer, {"Status": "Complete"})
        await serve_folder(phone, phone.documents.parent, reader, writer)
