"""A flow of rows turned into elements: the part of a list that stands in its viewport now."""

from collections.abc import Iterator
from datetime import datetime
from zoneinfo import ZoneInfo

from devices.virtual.gallery.elements import Do, Element, Paint
from devices.virtual.gallery.flow import CellGeometry, Flow, FlowRow, RowKind
from devices.virtual.gallery.library import LibraryPhoto
from devices.virtual.gallery.stage import Stage
from devices.virtual.interface import Box, Role

_SPINNER_STEPS_PER_S = 10


def list_element(
    stage: Stage, flow: Flow, viewport: Box, offset_px: int, *, name: str, cells_in_tree: bool, header_name: str = ""
) -> Element:
    """The list in its viewport, with everything of it that can be seen as children."""
    cells = CellGeometry.fit(stage.skin.grid, stage.width)
    rows = tuple(flow.visible(offset_px, viewport[3] - viewport[1]))
    children: list[Element] = []
    for row in rows:
        top = viewport[1] + row.top_px - offset_px
        if row.kind is RowKind.CELLS:
            children += _cells(stage, row, top, cells, in_tree=cells_in_tree)
        else:
            children.append(_bar(stage, row, top, header_name))
    group = stage.skin.ids.grid_group
    inner = (Element(Role.GROUP, viewport, name=group, children=tuple(children)),) if group else tuple(children)
    scrollable = flow.height_px > viewport[3] - viewport[1]
    return Element(Role.LIST, viewport, name=name, scrollable=scrollable, children=inner)


def spinner(stage: Stage, box: Box) -> Element:
    """A turning spinner."""
    turn = int(stage.now_s * _SPINNER_STEPS_PER_S) % 12
    look = Paint(icon="spinner", ink=stage.skin.colours.accent, turn=turn)
    return Element(Role.SPINNER, box, name=stage.skin.ids.progress, paint=look)


def wall_time(stage: Stage, photo: LibraryPhoto) -> datetime:
    """When a photo was taken, as the gallery writes it."""
    return photo.wall_time(ZoneInfo(stage.skin.zone))


def _cells(stage: Stage, row: FlowRow, top: int, cells: CellGeometry, *, in_tree: bool) -> Iterator[Element]:
    ids = stage.skin.ids
    for column, photo in enumerate(row.photos):
        left = cells.left_px + column * cells.pitch_px
        box = (left, top, left + cells.side_px, top + cells.side_px)
        position = row.first + column
        picture = stage.picture(photo, position, box)
        label = stage.cell_label(photo, position, video=picture.video, taken=wall_time(stage, photo))
        framed = bool(ids.cell_frame)
        image = Element(
            Role.IMAGE,
            box,
            name=ids.cell,
            kind=ids.cell_kind,
            label="" if framed else label,
            paint=Paint(picture=picture),
            do=None if framed else Do.OPEN_PHOTO,
            index=position,
            in_tree=in_tree,
        )
        if framed:
            yield Element(
                Role.GROUP,
                box,
                name=ids.cell_frame,
                label=label,
                do=Do.OPEN_PHOTO,
                index=position,
                in_tree=in_tree,
                children=(image,),
            )
        else:
            yield image


def _bar(stage: Stage, row: FlowRow, top: int, header_name: str) -> Element:
    box = (0, top, stage.width, top + row.height_px)
    ids, colours = stage.skin.ids, stage.skin.colours
    if row.kind is RowKind.VIEW_ALL:
        return stage.button(box, row.text, Do.VIEW_ALL, name=ids.view_all)
    if row.kind is RowKind.TITLE_VIEW_ALL:
        return _title_with_view_all(stage, row, box, header_name)
    if row.kind is RowKind.SPINNER:
        return spinner(stage, box)
    if row.kind is RowKind.END:
        return Element(Role.TEXT, box, text=row.text, paint=stage.paint(12, ink=colours.muted, centred=True))
    if row.kind is RowKind.COUNT:
        return Element(Role.TEXT, box, name=ids.count, text=row.text, paint=stage.paint(13, ink=colours.muted, pad_dp=14))
    look = stage.paint(15 if row.kind is RowKind.TITLE else 13, bold=row.kind is RowKind.TITLE, pad_dp=14)
    return Element(Role.TEXT, box, name=header_name, text=row.text, paint=look)


def _title_with_view_all(stage: Stage, row: FlowRow, box: Box, header_name: str) -> Element:
    split = stage.width - stage.dp(110)
    title = (box[0], box[1], split, box[3])
    more = (split, box[1], box[2], box[3])
    words = stage.told(stage.texts.view_all)
    return Element(
        Role.GROUP,
        box,
        children=(
            Element(Role.TEXT, title, name=header_name, text=row.text, paint=stage.paint(15, bold=True, pad_dp=14)),
            stage.button(more, words, Do.VIEW_ALL, name=stage.skin.ids.view_all),
        ),
    )
