"""Screenshots, encoded off the event loop so that a phone answers other calls meanwhile."""

import asyncio

import cv2
import numpy as np
from numpy.typing import NDArray

from devices.virtual.android.phone import AndroidPhone

PNG_EFFORT = 1  # of 9: a phone is in a hurry, too, and a loopback has room


async def screenshot_png(phone: AndroidPhone) -> bytes:
    """What is on the screen, lossless."""
    return await asyncio.to_thread(_encode, ".png", _frame(phone), (cv2.IMWRITE_PNG_COMPRESSION, PNG_EFFORT))


async def screenshot_jpeg(phone: AndroidPhone, quality: int) -> bytes:
    """What is on the screen, as JPEG of quality 0 to 100."""
    return await asyncio.to_thread(_encode, ".jpg", _frame(phone), (cv2.IMWRITE_JPEG_QUALITY, quality))


def _frame(phone: AndroidPhone) -> NDArray[np.uint8]:
    frame = phone.gallery.frame()
    return np.zeros_like(frame) if phone.faults.screenshot == "black" else frame.copy()


def _encode(kind: str, frame: NDArray[np.uint8], options: tuple[int, int]) -> bytes:
    _, encoded = cv2.imencode(kind, cv2.cvtColor(frame, cv2.COLOR_RGB2BGR), options)
    return encoded.tobytes()
