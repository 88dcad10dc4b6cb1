"""Papers photographed on a table: receipts, tickets, contracts, menus; and the whiteboard of a meeting. The text is real."""

import numpy as np

from rig.album.synth.canvas import (
    Canvas,
    Rng,
    cloud,
    lay,
    lighten,
    paste_flat,
    plane,
    polygon,
    rgb,
    shade,
    sheet,
    vary,
)
from rig.album.synth.indoors import boards
from rig.album.synth.lettering import page
from rig.album.synth.town import plain_wall

_Line = tuple[float, float, int, str]

_SHOPS = (
    "海风餐厅 SEA BREEZE",
    "万家便利店",
    "晨光书店 BOOKS",
    "老街火锅",
    "CITY PHARMACY 药房",
    "云杉酒店 HOTEL",
    "绿叶超市",
    "蓝鲸咖啡 COFFEE",
)
_GOODS = (
    ("矿泉水 Water", 2, 6), ("面条 Noodles", 18, 36), ("虾 Prawns", 58, 128), ("咖啡 Latte", 22, 38),
    ("面包 Bread", 8, 22), ("水果 Fruit", 12, 40),
    ("笔记本 Notebook", 9, 30), ("电池 Batteries", 15, 32), ("米饭 Rice", 2, 5),
    ("住宿 Room", 260, 680), ("打印 Prints", 3, 20), ("茶 Tea", 10, 48),
)  # fmt: skip
# Invented: a phone that reads the ticket must not find a city or a day that the photo is not of.
_STATIONS = ("云溪东", "鹭洲北", "青石桥", "望江亭", "柳湾", "梅坞西", "枫林渡")
_CLAUSES = (
    "甲方应于签约后三十日内付款。", "双方对本合同内容负保密义务。", "乙方保证所交付资料真实、完整。",
    "本合同一式两份，双方各执一份。",
    "The supplier delivers within 45 days.", "Either party may end this agreement in writing.",
    "Disputes are settled by negotiation first.", "Payment is due upon receipt of invoice.",
)  # fmt: skip
_DISHES = (
    "牛肉面 Beef noodles",
    "水饺 Dumplings",
    "清蒸鱼 Steamed fish",
    "炒青菜 Greens",
    "麻婆豆腐 Mapo tofu",
    "炸鸡 Fried chicken",
    "味噌汤 Miso soup",
    "米饭 Rice",
    "绿茶 Green tea",
    "啤酒 Beer",
)
_TOPICS = (
    "Q3 目标",
    "预算 480k",
    "TODO",
    "方案 A / B",
    "用户反馈",
    "上线 6/18",
    "Roadmap",
    "风险?",
    "test → ship",
    "下周二评审",
)


def paper(rng: Rng, height: int, width: int, mood: str) -> Canvas:
    """The paper that `mood` names: receipt, ticket, contract, menu or whiteboard."""
    if mood == "whiteboard":
        return _whiteboard(rng, height, width)
    canvas = _desk(rng, height, width)
    flat, tall = {"receipt": _receipt, "ticket": _ticket, "contract": _contract, "menu": _menu}[mood](rng)
    _lay_sheet(canvas, rng, flat, tall)
    # The hand that holds the phone takes some of the light.
    x = np.linspace(-1, 1, width, dtype=np.float32)[None, :]
    y = np.linspace(-1, 1, height, dtype=np.float32)[:, None]
    lean = rng.uniform(-0.14, 0.14, 2)
    lighten(canvas, 1 + np.float32(lean[0]) * x + np.float32(lean[1]) * y - np.float32(0.06) * (x * x + y * y))
    return canvas


def _desk(rng: Rng, height: int, width: int) -> Canvas:
    kind = int(rng.integers(3))
    canvas = sheet(height, width, vary(rng, (rgb(134, 90, 56), rgb(70, 74, 80), rgb(196, 174, 146))[kind], 0.15))
    tile = boards(rng, 256) if kind != 1 else cloud(rng, 256, 256, grain=5, octaves=3)
    shade(canvas, plane(canvas, -height * 1.6, tile, scale=0.5, contrast=0.13), 1)
    shade(canvas, cloud(rng, height, width, grain=height * 0.5), 0.05)
    return canvas


def _lay_sheet(canvas: Canvas, rng: Rng, flat: Canvas, tall: float) -> None:
    """Lays the sheet on the desk, turned a little, seen a little from below; `tall` is its height to width."""
    height, width = canvas.shape[:2]
    crumple = cloud(rng, flat.shape[0], flat.shape[1], grain=flat.shape[0] / 5, octaves=3)
    shade(flat, crumple, 0.025)
    half_h = min(height * 0.44, width * 0.44 * tall)
    half_w = half_h / tall
    turn = rng.normal(0, 0.09)
    centre = (width / 2 + rng.normal(0, 0.02) * width, height / 2 + rng.normal(0, 0.02) * height)
    corners = []
    for sx, sy in ((-1, -1), (1, -1), (1, 1), (-1, 1)):
        far = 1 - 0.06 * (sy < 0) + rng.normal(0, 0.008)
        dx, dy = sx * half_w * far, sy * half_h
        corners.append((centre[0] + dx * np.cos(turn) - dy * np.sin(turn), centre[1] + dx * np.sin(turn) + dy * np.cos(turn)))
    polygon(canvas, [(x + 8, y + 11) for x, y in corners], (0, 0, 0), soft=9, opacity=0.5)
    paste_flat(canvas, flat, corners)


def _receipt(rng: Rng) -> tuple[Canvas, float]:
    lines: list[_Line] = [
        (-1, 0.03, 30, _SHOPS[int(rng.integers(len(_SHOPS)))]),
        (-1, 0.09, 19, f"电话 0{rng.integers(10, 999)}-{rng.integers(10**7, 10**8 - 1)}"),
    ]
    lines += [
        (-1, 0.125, 19, f"No. {rng.integers(10**5, 10**6 - 1)}  收银 {rng.integers(1, 30):02d}"),
        (-1, 0.16, 20, "- " * 22),
    ]
    total, y = 0.0, 0.20
    for item in rng.permutation(len(_GOODS))[: int(rng.integers(4, 11))]:
        name, low, high = _GOODS[int(item)]
        count, price = int(rng.integers(1, 4)), round(float(rng.uniform(low, high)), 1)
        total += count * price
        lines += [(0.07, y, 23, name), (0.62, y, 23, f"x{count}"), (0.74, y, 23, f"{count * price:.2f}")]
        y += 0.046
    lines += [(-1, y, 20, "- " * 22), (0.07, y + 0.04, 33, "合计 TOTAL"), (0.62, y + 0.04, 33, f"¥{total:.2f}")]
    lines += [(0.07, y + 0.11, 22, "微信支付 WeChat"), (-1, y + 0.16, 22, "谢谢惠顾  THANK YOU")]
    flat = page(900, 420, vary(rng, rgb(240, 238, 230), 0.02), rgb(50, 48, 56), lines)
    x = 60
    while x < 360:
        bar = int(rng.integers(2, 7))
        flat[int((y + 0.22) * 900) : min(890, int((y + 0.28) * 900)), x : x + bar] = 0.15
        x += bar + int(rng.integers(2, 6))
    return flat, 900 / 420


def _ticket(rng: Rng) -> tuple[Canvas, float]:
    start, end = (_STATIONS[int(i)] for i in rng.permutation(len(_STATIONS))[:2])
    train = f"G{rng.integers(10, 9999)}"
    lines: list[_Line] = [
        (0.06, 0.06, 20, f"{rng.integers(10**6, 10**7)}"),
        (0.08, 0.17, 46, start), (0.43, 0.16, 40, train), (0.66, 0.17, 46, end),
        (0.44, 0.30, 30, "→→→"),
        (0.08, 0.42, 28, f"{rng.integers(6, 23):02d}:{rng.integers(0, 60):02d} 开  Departure"),
        (0.68, 0.42, 28, f"{rng.integers(1, 17):02d}车{rng.integers(1, 20):02d}{'ABCDF'[int(rng.integers(5))]}号"),
        (0.08, 0.54, 28, f"¥{rng.uniform(50, 900):.1f}元"), (0.68, 0.54, 28, "二等座"),
        (0.08, 0.68, 24, "限乘当日当次车  Valid for this train only"),
        (0.08, 0.80, 24, f"{rng.integers(10**9, 10**10)}****{rng.integers(1000, 9999)}"),
    ]  # fmt: skip
    flat = page(
        420, 660, vary(rng, (rgb(196, 222, 236), rgb(240, 212, 208))[int(rng.integers(2))], 0.03), rgb(28, 30, 44), lines
    )
    cells = np.repeat(np.repeat(rng.random((21, 21)) < 0.5, 5, axis=0), 5, axis=1)
    flat[290:395, 530:635] = np.where(cells[..., None], 0.12, 0.95)
    return flat, 420 / 660


def _contract(rng: Rng) -> tuple[Canvas, float]:
    lines: list[_Line] = [
        (-1, 0.05, 34, str(rng.choice(["服务合同", "租赁合同", "采购合同"]))),
        (-1, 0.10, 22, "AGREEMENT"),
        (0.66, 0.14, 15, f"No. {rng.integers(10**6, 10**7)}"),
    ]
    y = 0.19
    for number, clause in enumerate(rng.permutation(len(_CLAUSES)), start=1):
        lines += [
            (0.10, y, 19, f"{number}. {_CLAUSES[int(clause)]}"),
            (0.12, y + 0.036, 16, _CLAUSES[int(rng.integers(len(_CLAUSES)))]),
        ]
        y += 0.08
    lines += [(0.10, 0.88, 18, "甲方 Party A: ________"), (0.55, 0.88, 18, "乙方 Party B: ________")]
    flat = page(848, 600, rgb(246, 245, 241), rgb(36, 36, 42), lines)
    # The red seal.
    yy, xx = np.ogrid[:848, :600]
    away = np.sqrt((xx - 430.0) ** 2 + (yy - 735.0) ** 2)
    ring = ((away > 50) & (away < 57)) | (away < 14)
    lay(flat, (0.80, 0.12, 0.12), ring.astype(np.float32) * np.float32(0.7))
    return flat, 848 / 600


def _menu(rng: Rng) -> tuple[Canvas, float]:
    lines: list[_Line] = [(-1, 0.05, 44, "菜单 MENU")]
    for row, dish in enumerate(rng.permutation(len(_DISHES))):
        lines += [(0.09, 0.19 + 0.075 * row, 25, _DISHES[int(dish)]), (0.80, 0.19 + 0.075 * row, 25, f"{rng.integers(8, 98)}")]
    dark = rng.random() < 0.5
    return page(
        760, 560, rgb(44, 40, 38) if dark else rgb(232, 216, 184), rgb(236, 220, 180) if dark else rgb(90, 30, 24), lines
    ), 760 / 560


def _whiteboard(rng: Rng, height: int, width: int) -> Canvas:
    canvas = plain_wall(rng, height, width, rgb(196, 200, 204))
    upright = height > width
    flat_h, flat_w = (900, 640) if upright else (600, 900)
    topics = rng.permutation(len(_TOPICS))
    pens = (rgb(24, 50, 140), rgb(170, 30, 36), rgb(20, 20, 24))
    flat = sheet(flat_h, flat_w, (0.95, 0.96, 0.97))
    for number, topic in enumerate(topics[:8]):
        line = (0.06 + 0.46 * (number % 2), 0.06 + 0.22 * (number // 2), int(rng.integers(34, 52)), _TOPICS[int(topic)])
        flat = np.minimum(
            flat, page(flat_h, flat_w, (1, 1, 1), pens[int(rng.integers(3))], [line], slant=float(rng.normal(0, 0.10)))
        )
    for _ in range(4):
        x, y = rng.uniform(0.1, 0.7) * flat_w, rng.uniform(0.15, 0.85) * flat_h
        polygon(flat, [(x, y), (x + rng.uniform(60, 180), y + rng.uniform(-40, 40)), (x, y + 4)], pens[int(rng.integers(3))])
    shade(flat, cloud(rng, flat_h, flat_w, grain=160), 0.02)
    lean = width * rng.uniform(-0.03, 0.03)
    box = (width * 0.07, height * 0.10, width * 0.93, height * 0.84)
    frame = [
        (box[0] - 12, box[1] - 12 + lean),
        (box[2] + 12, box[1] - 12 - lean),
        (box[2] + 12, box[3] + 12 + lean),
        (box[0] - 12, box[3] + 12 - lean),
    ]
    polygon(canvas, [(x + 5, y + 9) for x, y in frame], (0, 0, 0), soft=8, opacity=0.4)
    polygon(canvas, frame, rgb(150, 154, 160))
    paste_flat(
        canvas, flat, [(box[0], box[1] + lean), (box[2], box[1] - lean), (box[2], box[3] + lean), (box[0], box[3] - lean)]
    )
    return canvas
