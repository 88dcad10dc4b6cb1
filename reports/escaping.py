"""Pages come from templates in which everything from outside is escaped and nothing is left undefined."""

from jinja2 import Environment, PackageLoader, StrictUndefined


def pages() -> Environment:
    """The templates of `reports/templates`, as HTML."""
    return Environment(
        loader=PackageLoader("reports"), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
