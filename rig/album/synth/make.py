"""Draws an album: tells its life, paints every scene, writes the files, the manifest and the queries.

Every scene has its own random numbers, made from the seed and its place in the story, so that the files are the same however
many processes draw them.
"""

import os
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

import cv2
import numpy as np

from rig.album.look import Look, look_at
from rig.album.manifest import ALBUM_FILE, write_album, write_queries
from rig.album.scan import Progress, album_of
from rig.album.synth.camera import MARGIN, develop, expose, shake_of
from rig.album.synth.files import write_photo
from rig.album.synth.naming import Frame, frames_of
from rig.album.synth.questions import ask
from rig.album.synth.scenes import paint
from rig.album.synth.story import Shot, tell
from rig.errors import RigError
from rig.model import Album

PHOTOS_FOLDER = "photos"
# Paintings are finished at this long side and enlarged by the lens, which is as sharp as a small phone's is.
_PAINTED_PX = 860


@dataclass(frozen=True, slots=True)
class _Job:
    """All photos of one scene."""

    folder: Path
    seed: int
    shots: tuple[Shot, ...]
    frames: tuple[Frame, ...]


def synth_album(
    folder: Path, *, photos: int = 120, seed: int = 7, workers: int | None = None, progress: Progress | None = None
) -> Album:
    """Draws photos into `folder`/photos, with album.json and queries.json beside them; RigError when it holds an album."""
    if photos < 1:
        raise RigError(f"album {folder}: {photos} photos cannot be drawn; ask for at least 1")
    if (folder / ALBUM_FILE).exists() or (folder / PHOTOS_FOLDER).exists():
        raise RigError(f"album {folder}: the folder already holds an album; give a new one, or remove it first")
    (folder / PHOTOS_FOLDER).mkdir(parents=True)
    shots = tell(photos, seed)
    frames = frames_of(shots, seed)
    looks: dict[str, Look] = {}
    for batch in _run(_jobs(folder / PHOTOS_FOLDER, seed, shots, frames), workers):
        looks |= batch
        if progress:
            progress(len(looks), photos)
    album = album_of(folder / PHOTOS_FOLDER, folder.resolve().name, looks)
    queries, probes = ask(album.name, {frame.name: shot for frame, shot in zip(frames, shots, strict=True)})
    write_queries(queries, folder, probes=probes)
    # Last, because a folder with an album.json is a finished album.
    write_album(album, folder)
    return album


def _jobs(folder: Path, seed: int, shots: Sequence[Shot], frames: Sequence[Frame]) -> list[_Job]:
    scenes: dict[int, list[tuple[Shot, Frame]]] = {}
    for shot, frame in zip(shots, frames, strict=True):
        scenes.setdefault(shot.scene, []).append((shot, frame))
    # The longest first, so that no process ends alone with a burst or with a slow encoder.
    ordered = sorted(scenes.values(), key=lambda scene: (scene[0][1].name.endswith(".HEIC"), len(scene)), reverse=True)
    return [_Job(folder, seed, tuple(s for s, _ in scene), tuple(f for _, f in scene)) for scene in ordered]


def _run(jobs: Sequence[_Job], workers: int | None) -> Iterable[dict[str, Look]]:
    workers = workers or os.cpu_count() or 1
    if workers == 1 or len(jobs) < 4:
        yield from map(_draw, jobs)
        return
    # Spawned, not forked: OpenCV's threads do not survive a fork.
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        yield from pool.map(_draw, jobs)


def _draw(job: _Job) -> dict[str, Look]:
    """Paints the scene once and photographs it once for each of its shots."""
    threads = cv2.getNumThreads()
    cv2.setNumThreads(1)
    try:
        return _draw_scene(job)
    finally:
        cv2.setNumThreads(threads)


def _draw_scene(job: _Job) -> dict[str, Look]:
    first, size = job.shots[0], job.frames[0].size
    scale = _PAINTED_PX / max(size) * (1 + 2 * MARGIN)
    rng = np.random.default_rng([job.seed, 2, first.scene])
    painting = develop(paint(rng, round(size[1] * scale), round(size[0] * scale), first))
    grain = 5.5 if "night view" in first.keywords else 2.4
    looks = {}
    for shot, frame in zip(job.shots, job.frames, strict=True):
        # A shot saved again is the same exposure, written by another program.
        lens = np.random.default_rng([job.seed, 3, shot.scene, shot.frame])
        picture = expose(painting, lens, frame.size, shake_of(lens, shot.frame), grain=grain)
        path = job.folder / frame.name
        write_photo(path, picture, shot, frame.device, orientation=frame.orientation, quality=frame.quality)
        looks[frame.name] = look_at(path, decode=False)
    return looks
