"""A publication's tables for other programs: CSV, Markdown, and LaTeX with booktabs. Foreign text is data in each of them."""

import csv
import io
import re
from collections.abc import Iterable

from reports.model import Score
from reports.publication import Cell, Column, Kind, Publication, Row, Section, Table
from reports.words import UNDEFINED, value_and_ends, visible

_FORMULA = "=+-@＝＋－＠|%"
"""What makes a spreadsheet run a cell."""
_MARKDOWN = re.compile(r"([\\`*_{}\[\]()#+\-.!|~$^:@])")
_LANGUAGES = {"zh": "Chinese", "en": "English"}


def spoken(language: str) -> str:
    """The language's English name."""
    return _LANGUAGES.get(language, language)


def as_csv(table: Table) -> str:
    """The table with value, low and high of each score in columns of their own, per cent with one decimal."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(["name", "kind", "complete", *(key for column in table.columns for key in _keys(column, table))])
    for row in table.rows:
        cells = [cell for column in table.columns for cell in _csv_cells(row, column, table)]
        writer.writerow([_no_formula(row.name), row.kind, "yes" if row.complete else "no", *cells])
    return file.getvalue()


def _keys(column: Column, table: Table) -> list[str]:
    return [column.key, f"{column.key}_low", f"{column.key}_high"] if _is_score(column, table) else [column.key]


def _is_score(column: Column, table: Table) -> bool:
    return any(isinstance(cell, Score) for cell in table.column(column.key))


def _csv_cells(row: Row, column: Column, table: Table) -> list[str]:
    cell = row.cells[table.columns.index(column)]
    if not _is_score(column, table):
        return ["" if cell is None else _no_formula(str(cell))]
    if not isinstance(cell, Score):
        return ["" if cell is None else str(cell), "", ""]
    return ["" if value is None else f"{100 * value:.1f}" for value in (cell.value, cell.low, cell.high)]


def _no_formula(text: str) -> str:
    """A text that a spreadsheet takes for a formula gets an apostrophe, which spreadsheets hide; numbers stay numbers."""
    said = visible(text)
    is_number = re.fullmatch(r"[-+]?\d+(\.\d+)?", said) is not None
    return f"'{said}" if said.lstrip()[:1] in tuple(_FORMULA) and not is_number else said


def as_markdown(publication: Publication) -> str:
    """Every table, its note, and the footnotes."""
    lines = [f"# {markdown_text(publication.study)}", ""]
    for section in publication.sections:
        lines += [f"## {_heading(section)}", ""]
        for table in section.tables:
            lines += [f"### {markdown_text(table.title)}", "", *_markdown_table(table), "", markdown_text(table.note), ""]
    lines += ["## Method", "", *(f"- {markdown_text(line)}" for line in publication.method), ""]
    lines += ["## Notes", "", *(f"- {markdown_text(line)}" for line in publication.footnotes), ""]
    return "\n".join(lines)


def _heading(section: Section) -> str:
    return (
        f"Searched in {spoken(section.language)}: {section.normal_queries} normal and "
        f"{section.rejection_queries} zero-ground-truth queries"
    )


def _markdown_table(table: Table) -> Iterable[str]:
    yield f"| |{'|'.join(markdown_text(_title(column)) for column in table.columns)}|"
    yield f"|---|{'|'.join('---:' for _ in table.columns)}|"
    for row in table.rows:
        cells = (markdown_text(cell_text(cell, column)) for cell, column in zip(row.cells, table.columns, strict=True))
        yield f"|{markdown_text(row_name(row))}|{'|'.join(cells)}|"


def markdown_text(text: str) -> str:
    """The text with nothing left that Markdown or HTML would act on."""
    said = visible(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return _MARKDOWN.sub(r"\\\1", said)


def _title(column: Column) -> str:
    return f"{column.group} {column.title}" if column.group else column.title


def row_name(row: Row) -> str:
    """The row's name with what a reader must know of it."""
    said = {Kind.VIRTUAL: " (virtual)", Kind.PUBLISHED: " (as published)"}.get(row.kind, "")
    return f"{row.name}{said}{'' if row.complete else ' (incomplete)'}"


def cell_text(cell: Cell, column: Column) -> str:
    """The cell as one text: `41.7`, `41.7 [40.2–43.1]`, a count, a text or a dash."""
    if isinstance(cell, Score):
        value, ends = value_and_ends(cell, signed=column.signed)
        return f"{value} {ends}" if ends else value
    return UNDEFINED if cell is None else str(cell)


_LATEX = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "%": r"\%", "_": r"\_",
    "^": r"\textasciicircum{}", "~": r"\textasciitilde{}", "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}",
    '"': r"\textquotedbl{}", "'": r"\textquotesingle{}", "`": r"\textasciigrave{}", "-": "-{}", "[": "{[}", "]": "{]}",
    "–": "--", "—": "---", "−": "$-$", "Δ": r"$\Delta$", "·": r"\textperiodcentered{}", "×": r"$\times$", "→": r"$\rightarrow$",
}  # fmt: skip
"""`-{}` keeps two hyphens from becoming a dash; `{[}` keeps a bracket at a row's start from becoming an argument."""

_PREAMBLE = r"""% Compiles with pdflatex, xelatex and lualatex.
\documentclass[10pt]{article}
\usepackage[a4paper,landscape,margin=15mm]{geometry}
\usepackage[T1]{fontenc}
\usepackage{textcomp}
\usepackage{booktabs}
\usepackage{graphicx}
% Characters beyond ASCII: as they are where the engine has them, by number where it does not.
\ifdefined\Umathcode\newcommand{\rigchar}[1]{\char"#1 }\else\newcommand{\rigchar}[1]{\texttt{U+#1}}\fi
\newcommand{\rigfit}[1]{\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{#1}}
\setlength{\parindent}{0pt}
\begin{document}
"""


def as_latex(publication: Publication) -> str:
    """A document of one table a float."""
    parts = [_PREAMBLE, rf"\section*{{{latex_text(publication.study)}}}", ""]
    for section in publication.sections:
        for table in section.tables:
            parts += [*_latex_table(table, section), ""]
    parts += [
        r"\clearpage",
        r"\begin{itemize}",
        *(rf"\item {latex_text(line)}" for line in publication.footnotes),
        r"\end{itemize}",
    ]
    return "\n".join([*parts, r"\end{document}", ""])


def _latex_table(table: Table, section: Section) -> Iterable[str]:
    yield r"\begin{table}[!htbp]\centering\footnotesize"
    yield rf"\caption{{{latex_text(f'{table.title} ({spoken(section.language)}). {table.note}')}}}"
    yield rf"\rigfit{{\begin{{tabular}}{{l{'r' * len(table.columns)}}}"
    yield r"\toprule"
    yield " & ".join(["", *(latex_text(_title(column)) for column in table.columns)]) + r" \\"
    yield r"\midrule"
    for before, row in zip([None, *table.rows], table.rows, strict=False):
        if before is not None and (before.kind is Kind.PUBLISHED) != (row.kind is Kind.PUBLISHED):
            yield r"\midrule"
        cells = (_latex_cell(cell, column) for cell, column in zip(row.cells, table.columns, strict=True))
        yield " & ".join([latex_text(row_name(row)), *cells]) + r" \\"
    yield r"\bottomrule"
    yield r"\end{tabular}}\end{table}"


def _latex_cell(cell: Cell, column: Column) -> str:
    """Bounds are small: they are read after the value."""
    if not isinstance(cell, Score):
        return latex_text(cell_text(cell, column))
    value, ends = value_and_ends(cell, signed=column.signed)
    return f"{latex_text(value)} {{\\tiny {latex_text(ends)}}}" if ends else latex_text(value)


def latex_text(text: str) -> str:
    """The text with nothing left that TeX would act on, in ASCII."""
    return "".join(_LATEX.get(c, c if " " <= c <= "~" else rf"\rigchar{{{ord(c):04X}}}") for c in visible(text))
