"""The accessibility tree as Android tells it: class names, resource ids and the XML of a uiautomator dump."""

from dataclasses import dataclass
from xml.sax.saxutils import quoteattr

from devices.virtual.interface import Box, Node, Role

CLASSES = {
    Role.WINDOW: "android.widget.FrameLayout",
    Role.GROUP: "android.view.ViewGroup",
    Role.LIST: "androidx.recyclerview.widget.RecyclerView",
    Role.TEXT: "android.widget.TextView",
    Role.BUTTON: "android.widget.Button",
    Role.IMAGE: "android.widget.ImageView",
    Role.FIELD: "android.widget.EditText",
    Role.SPINNER: "android.widget.ProgressBar",
    Role.DIALOG: "android.widget.LinearLayout",
    Role.KEYBOARD: "android.inputmethodservice.SoftInputWindow",
}
ENTITIES = {"\n": "&#10;", "\r": "&#13;", "\t": "&#9;"}


@dataclass(frozen=True, slots=True)
class View:
    """A node with what its place in the tree adds."""

    node: Node
    package: str
    index: int
    """Among its parent's children."""
    children: tuple["View", ...]

    @property
    def class_name(self) -> str:
        """The widget's Java class."""
        return CLASSES[self.node.role]

    @property
    def resource_id(self) -> str:
        """`package:id/name`, "" for a node without a name."""
        return f"{self.package}:id/{self.node.name}" if self.node.name else ""

    @property
    def bounds(self) -> Box:
        """(left, top, right, bottom) px, half-open."""
        return self.node.box

    @property
    def center(self) -> tuple[float, float]:
        """Where a click goes."""
        left, top, right, bottom = self.node.box
        return (left + right) / 2, (top + bottom) / 2

    def walk(self) -> list["View"]:
        """This view and all below it, depth first."""
        return [self, *(view for child in self.children for view in child.walk())]


def as_view(node: Node, package: str = "", index: int = 0) -> View:
    """The tree with packages handed down."""
    package = node.package or package
    return View(node, package, index, tuple(as_view(child, package, number) for number, child in enumerate(node.children)))


def without_surrogates(text: str) -> str:
    """As u2.jar writes text into XML: each UTF-16 surrogate becomes a dot, so an emoji becomes two."""
    return "".join(".." if ord(char) > 0xFFFF else char for char in text)


def attributes(view: View) -> dict[str, str]:
    """A node's XML attributes, in uiautomator's order."""
    node = view.node
    left, top, right, bottom = node.box
    flags = {
        "checkable": False,
        "checked": False,
        "clickable": node.clickable,
        "enabled": node.enabled,
        "focusable": node.editable or node.clickable,
        "focused": node.focused,
        "scrollable": node.scrollable,
        "long-clickable": node.editable,
        "password": False,
        "selected": node.selected,
        "visible-to-user": True,
    }
    return {
        "index": str(view.index),
        "text": without_surrogates(node.text),
        "resource-id": view.resource_id,
        "class": view.class_name,
        "package": view.package,
        "content-desc": without_surrogates(node.label),
        **{name: str(value).lower() for name, value in flags.items()},
        "bounds": f"[{left},{top}][{right},{bottom}]",
        "drawing-order": str(view.index + 1),
        "hint": "",
        "display-id": "0",
    }


def hierarchy_xml(tree: Node, max_depth: int = 50) -> str:
    """What `dumpWindowHierarchy` answers."""
    body = _element(as_view(tree), max_depth)
    return f"<?xml version='1.0' encoding='UTF-8' standalone='yes' ?>\r\n<hierarchy rotation=\"0\">{body}</hierarchy>"


def _element(view: View, depth: int) -> str:
    told = " ".join(f"{name}={quoteattr(value, ENTITIES)}" for name, value in attributes(view).items())
    below = "".join(_element(child, depth - 1) for child in view.children) if depth > 1 else ""
    return f"<node {told}>{below}</node>" if below else f"<node {told} />"


def source_xml(root: View, only_package: str = "") -> str:
    """What appium-uiautomator2-server answers as the source: a tag is a class; `only_package` leaves other windows out."""
    left, top, right, bottom = root.bounds
    size = f'width="{right - left}" height="{bottom - top}"'
    body = _source(root, only_package)
    return f"<?xml version='1.0' encoding='UTF-8' standalone='yes' ?>\r\n<hierarchy rotation=\"0\" {size}>{body}</hierarchy>"


def _source(view: View, only_package: str) -> str:
    below = "".join(_source(child, only_package) for child in view.children)
    if only_package and view.package != only_package:
        return below
    told = attributes(view) | {"text": view.node.text, "content-desc": view.node.label}
    written = " ".join(f"{name}={quoteattr(value, ENTITIES)}" for name, value in told.items())
    tag = view.class_name.replace("$", ".")
    return f"<{tag} {written}>{below}</{tag}>"
