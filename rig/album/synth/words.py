"""The words of the drawn albums: what can be seen, whom, and where, each in English and Chinese.

These words, EXIF time and GPS are written into the photos' files; the queries are put together from the same ones.
"""

from dataclasses import dataclass

KEYWORDS: dict[str, str] = {
    "animal": "动物",
    "autumn leaves": "红叶",
    "beach": "海滩",
    "birthday": "生日",
    "building": "建筑",
    "cafe": "咖啡馆",
    "cake": "蛋糕",
    "car": "汽车",
    "cat": "猫",
    "cherry blossom": "樱花",
    "city": "城市",
    "coffee": "咖啡",
    "computer": "电脑",
    "contract": "合同",
    "desk": "书桌",
    "document": "文件",
    "dumplings": "饺子",
    "fireworks": "烟花",
    "flower": "花",
    "food": "美食",
    "forest": "森林",
    "fruit": "水果",
    "group photo": "合影",
    "hot pot": "火锅",
    "lake": "湖",
    "living room": "客厅",
    "menu": "菜单",
    "mountain": "山",
    "night view": "夜景",
    "noodles": "面条",
    "office": "办公室",
    "portrait": "人像",
    "receipt": "收据",
    "room": "室内",
    "sea": "大海",
    "seafood": "海鲜",
    "snow": "雪",
    "sofa": "沙发",
    "street": "街道",
    "sunset": "日落",
    "ticket": "车票",
    "tree": "树",
    "whiteboard": "白板",
}
"""Everything that can be seen in a drawn photo, English to Chinese."""


@dataclass(frozen=True, slots=True)
class Place:
    """A real city: its names, centre (degrees, WGS 84) and its clocks' offset in hours (no visit meets a change)."""

    en: str
    zh: str
    latitude_deg: float
    longitude_deg: float
    offset_h: float


PLACES: dict[str, Place] = {
    "Hangzhou": Place("Hangzhou", "杭州", 30.2741, 120.1551, 8),
    "Qingdao": Place("Qingdao", "青岛", 36.0671, 120.3826, 8),
    "Beijing": Place("Beijing", "北京", 39.9042, 116.4074, 8),
    "Shanghai": Place("Shanghai", "上海", 31.2304, 121.4737, 8),
    "Chengdu": Place("Chengdu", "成都", 30.5728, 104.0668, 8),
    "Tokyo": Place("Tokyo", "东京", 35.6762, 139.6503, 9),
    "Paris": Place("Paris", "巴黎", 48.8566, 2.3522, 1),
}


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody invented: both spellings of the name, and a look that stays the same in every photo. Colours are 0 to 255."""

    en: str
    zh: str
    skin: tuple[int, int, int]
    hair: tuple[int, int, int]
    style: str
    """long, short, bun, bob or tails."""
    wear: tuple[int, int, int]
    tall: float = 1.0
    wide: float = 1.0
    glasses: bool = False
    beard: bool = False


PEOPLE: dict[str, Person] = {
    "lin": Person("Lin Yue", "林悦", (232, 190, 164), (34, 26, 24), "long", (196, 64, 70)),
    "wang": Person("Wang Hao", "王浩", (206, 160, 128), (28, 26, 28), "short", (58, 84, 130), 1.08, 1.10, glasses=True),
    "mom": Person("Mom", "妈妈", (222, 178, 150), (120, 114, 112), "bun", (112, 74, 120), 0.96, 1.05),
    "duoduo": Person("Duoduo", "朵朵", (240, 200, 176), (48, 34, 28), "tails", (240, 196, 70), 0.74, 0.90),
    "chen": Person("Chen Bo", "陈博", (188, 140, 108), (40, 34, 32), "short", (70, 112, 84), 1.04, 1.0, beard=True),
}
