"""A study becomes an export that holds every number and no identity."""

import csv
import io
import json
import platform
import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree as Xml

import pytest
from made_runs import ask, identity, make_album, make_run
from PIL import Image as Picture
from typer.testing import CliRunner

from reports.documents import as_json, as_junit, schema_text
from reports.leaks import Secret
from reports.plots import plots
from reports.publication import Case, Column, Kind, Publication, Row, Section, Suite, Table
from reports.sheets import as_csv, as_latex, as_markdown, latex_text
from rig.cli import app
from rig.errors import GateFailed, RigError
from rig.model import Depth, Language, Query
from rig.publish.secrets import secrets_of
from rig.publish.writing import write_export
from rig.run import open_run

HOSTILE = "=cmd|'/C calc'!A0</script><img src=x onerror=alert(1)> & | ]]> $\\input{/etc/passwd}$ 海"
QUERIES = [
    ask(0, ["p0.png"], dimensions={"Location": Depth.FACT}),
    ask(1, ["p1.png", "p2.png"], dimensions={"Time": Depth.COGNITIVE}),
    ask(2, ["p3.png"]),
    ask(3),
    ask(4, ["p4.png"]),
]


def shows(letter: str, query: Query, _language: Language) -> Sequence[str] | str | None:
    """A is always right, B finds one wrong photo for q0 and q3, C has a dialog at q4."""
    if letter == "B" and query.id in ("q0", "q3"):
        return ["p9.png"]
    if letter == "C" and query.id == "q4":
        return "dialog"
    return sorted(query.relevant)


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("lab")


@pytest.fixture(scope="module")
def run(lab: Path) -> Path:
    album = make_album(lab / "album", QUERIES, drawn=True)
    made = make_run(lab, album, "ABC", shows, drawn=True, languages=("zh", "en"))
    made.ledger.close()
    return made.folder


@pytest.fixture(scope="module")
def small(lab: Path, run: Path) -> Path:
    """One phone, one language, the same questions."""
    made = make_run(lab / "small", lab / "album", "A", shows, drawn=True)
    made.ledger.close()
    return made.folder


def rig(*words: object) -> str:
    result = CliRunner().invoke(app, [str(word) for word in words], catch_exceptions=False)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.stdout


@pytest.fixture(scope="module")
def export(run: Path, lab: Path) -> Path:
    predictions = lab / "agent.json"
    predictions.write_text(json.dumps({"q0": ["p0.png"], "q1": ["p1.png"], "q2": [], "q3": [], "q4": ["p4.png"]}))
    systems = lab / f"{'x' * 3}agent.json"
    predictions.rename(systems)
    rig(
        "publish",
        f"{run}",
        "--study",
        "autumn",
        "--to",
        lab / "export",
        "--predictions",
        systems,
        "--language",
        "zh",
        "--published",
    )
    return lab / "export"


def letters_of(lab: Path, study: str = "autumn") -> Mapping[str, str]:
    """The operator's name → the study's letter."""
    content = json.loads((lab / "private" / "studies" / f"{study}.json").read_text())
    return {phone["name"]: phone["letter"] for phone in content["phones"]}


def table_of(export: Path, language: str, key: str) -> dict[str, dict[str, str]]:
    with (export / "tables" / f"{language}-{key}.csv").open(encoding="utf-8") as file:
        return {row["name"]: row for row in csv.DictReader(file)}


def test_an_export_has_every_form(export: Path) -> None:
    names = {path.relative_to(export).as_posix() for path in export.rglob("*") if path.is_file()}
    assert {"index.html", "tables.md", "tables.tex", "publication.json", "publication.schema.json", "junit.xml"} <= names
    for key in ("main", "ranking", "types", "depth", "dimensions", "coverage"):
        assert {f"tables/zh-{key}.csv", f"tables/en-{key}.csv"} <= names


def test_a_phone_has_its_scores_under_its_study_letter(export: Path, lab: Path) -> None:
    main, letters = table_of(export, "zh", "main"), letters_of(lab)
    a, b = main[f"Phone {letters['bench-A-left']}"], main[f"Phone {letters['bench-B-left']}"]
    assert (a["f1"], a["rej_f1"], a["rank"], a["A"]) == ("100.0", "100.0", "1", "1")
    # B: q0 0, q1 q2 q4 1: 3/4; its zero-ground-truth query is missed
    assert (b["f1"], b["C"], b["complete"]) == ("75.0", "1", "yes")


def test_an_incomplete_phone_has_no_rank_and_shows_its_bounds(export: Path, lab: Path) -> None:
    c = table_of(export, "zh", "main")[f"Phone {letters_of(lab)['bench-C-left']}"]
    # three of four normal queries at 1; the fourth is anything
    assert (c["rank"], c["complete"], c["f1"], c["f1_low"], c["f1_high"]) == ("", "no", "100.0", "75.0", "100.0")
    assert c["answered"] == "4/5"


def test_other_systems_and_the_papers_rows_stand_beside(export: Path) -> None:
    zh = table_of(export, "zh", "main")
    assert zh["xxxagent"]["kind"] == "system"
    assert "xxxagent" not in table_of(export, "en", "main")
    printed = [row for row in zh.values() if row["kind"] == "published"]
    assert printed
    assert "as published" in (export / "index.html").read_text()


def test_the_json_keeps_its_schema(export: Path) -> None:
    document = json.loads((export / "publication.json").read_text())
    schema = json.loads((export / "publication.schema.json").read_text())
    assert problems(document, schema, schema) == []
    assert problems({**document, "serial": "x"}, schema, schema) == [": serial is not allowed"]


def problems(value: object, schema: Mapping, root: Mapping, at: str = "") -> list[str]:
    """What of the JSON Schema words that our schema uses does not hold."""
    if "$ref" in schema:
        return problems(value, root["$defs"][schema["$ref"].rsplit("/", 1)[1]], root, at)
    if "anyOf" in schema:
        return [] if any(not problems(value, one, root, at) for one in schema["anyOf"]) else [f"{at}: none fits"]
    kinds = {
        "object": dict,
        "array": list,
        "string": str,
        "integer": int,
        "number": (int, float),
        "boolean": bool,
        "null": type(None),
    }
    wanted = schema.get("type", [])
    wanted = [wanted] if isinstance(wanted, str) else wanted
    if wanted and not any(isinstance(value, kinds[kind]) for kind in wanted):
        return [f"{at}: {value!r} is no {wanted}"]
    if "const" in schema and value != schema["const"]:
        return [f"{at}: {value!r}"]
    if "enum" in schema and value not in schema["enum"]:
        return [f"{at}: {value!r}"]
    found = []
    if isinstance(value, list):
        found += [p for i, one in enumerate(value) for p in problems(one, schema.get("items", {}), root, f"{at}/{i}")]
    if isinstance(value, dict):
        known, more = schema.get("properties", {}), schema.get("additionalProperties", {})
        found += [f"{at}: {key} is missing" for key in schema.get("required", []) if key not in value]
        for key, one in value.items():
            if key not in known and more is False:
                found.append(f"{at}: {key} is not allowed")
            else:
                found += problems(one, known.get(key, more), root, f"{at}/{key}")
    return found


def test_junit_counts_queries_and_lists_attempts(export: Path, lab: Path) -> None:
    root = Xml.parse(export / "junit.xml").getroot()
    suites = {suite.get("name"): suite for suite in root}
    c = suites[f"Phone {letters_of(lab)['bench-C-left']}, zh"]
    assert (c.get("tests"), c.get("errors"), c.get("skipped")) == ("5", "1", "0")
    (error,) = c.iter("error")
    assert error.get("message") == "dialog"


def test_retries_are_told_in_their_query_and_are_no_further_tests() -> None:
    """Ten queries, three of them tried twice: ten tests, seven right at the first attempt."""
    cases = tuple(Case(f"q{i}", ("dialog", "answered") if i < 3 else ("answered",)) for i in range(10))
    suite = Xml.fromstring(as_junit(replace(hostile_publication(), suites=(Suite("Phone A", "zh", cases),))))[0]
    assert (suite.get("tests"), suite.get("errors"), suite.get("failures")) == ("10", "0", "0")
    told = {p.get("name"): p.get("value") for p in suite.find("properties")}
    assert told == {"first_attempt_ok": "7", "retried": "3"}


def test_everything_the_ledger_and_the_host_know_is_a_secret(small: Path) -> None:
    run = open_run(small)
    hidden = {secret.text: secret.kind for secret in secrets_of([run])}
    run.ledger.close()
    who = identity("A")
    wanted = {
        who.serial: "serial of a phone",
        who.model: "model of a phone",
        who.build: "build of a phone",
        "build.4711A": "build of a phone",
        who.os_version: "system version of a phone",
        who.gallery_package: "gallery of a phone",
        who.gallery_version: "gallery version of a phone",
        who.locale: "locale of a phone",
        "bench-A-left": "lab name of a phone",
        "10.77.0.1:5555": "address of a phone",
        "10.77.0.1": "address of a phone",
        small.name: "run",
        str(small): "path of a run",
        platform.node(): "name of this host",
        str(Path.home()): "home of the user",
    }
    assert wanted.items() <= hidden.items()


def test_publishing_again_gives_the_same_bytes(small: Path, tmp_path: Path) -> None:
    for name in ("one", "two"):
        rig("publish", small, "--study", "autumn", "--to", tmp_path / name)
    for file in (tmp_path / "one").rglob("*.*"):
        if file.is_file():
            assert file.read_bytes() == (tmp_path / "two" / file.relative_to(tmp_path / "one")).read_bytes()
            assert file.stat().st_mtime == 315_532_800


def test_no_identity_is_in_any_file(export: Path) -> None:
    told = "\n".join(path.read_text(encoding="utf-8") for path in export.rglob("*") if path.is_file()).casefold()
    for letter in "ABC":
        for secret in (identity(letter).serial, identity(letter).model, "galaxoid", "bench-", "10.77.0", "14.5.06", "hans-cn"):
            assert secret.casefold() not in told


def test_the_page_asks_nobody_for_anything(export: Path) -> None:
    page = (export / "index.html").read_text()
    assert "<script" not in page
    assert not re.search(r"""(?:src|href)=["'](?!data:|#)""", page)
    assert "default-src 'none'" in page


def test_crops_come_only_on_request_and_carry_nothing_but_pixels(small: Path, tmp_path: Path, export: Path) -> None:
    from base64 import b64decode

    assert "data:image" not in (export / "index.html").read_text()
    rig("publish", small, "--study", "autumn", "--to", tmp_path / "with", "--with-crops", "1")
    pictures = re.findall(r"data:image/jpeg;base64,([^\"]+)", (tmp_path / "with" / "index.html").read_text())
    assert pictures
    for picture in pictures:
        opened = Picture.open(io.BytesIO(b64decode(picture)))
        assert opened.size == (112, 112)
        assert set(opened.info) <= {"jfif", "jfif_version", "jfif_unit", "jfif_density"}


def test_a_leak_deletes_the_export_and_names_the_kind_not_the_secret(lab: Path, tmp_path: Path) -> None:
    named = [replace(query, id=f"bench-A-left {query.id}") for query in QUERIES]
    made = make_run(tmp_path, make_album(tmp_path / "album", named), "A", lambda *_: [])
    made.ledger.close()
    with pytest.raises(GateFailed, match=r"lab name of a phone in junit.xml") as failed:
        rig("publish", made.folder, "--study", "leaky", "--to", tmp_path / "export")
    assert "bench-A-left" not in str(failed.value)
    assert failed.value.exit_code == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["album", "fake.toml", "made.toml", "private", "runs"]


def test_a_folder_with_something_in_it_is_left_alone(small: Path, tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(RigError, match="is there already"):
        rig("publish", small, "--study", "autumn", "--to", tmp_path)
    assert (tmp_path / "mine.txt").read_text() == "mine"


def test_runs_over_other_questions_are_refused(run: Path, tmp_path: Path) -> None:
    made = make_run(tmp_path, make_album(tmp_path / "album", QUERIES[1:], drawn=True), "A", shows, languages=("zh", "en"))
    made.ledger.close()
    with pytest.raises(RigError, match="differs"):
        rig("publish", run, made.folder, "--study", "autumn", "--to", tmp_path / "export")


def test_a_phone_in_two_runs_has_two_rows_under_one_letter(small: Path, lab: Path, tmp_path: Path) -> None:
    again = make_run(tmp_path, lab / "album", "AC", shows)
    again.ledger.close()
    rig("publish", small, again.folder, "--study", "twice", "--to", tmp_path / "export", "--private", lab / "private")
    letters = letters_of(lab, "twice")
    a, c = letters["bench-A-left"], letters["bench-C-left"]
    rows = {name for name in table_of(tmp_path / "export", "zh", "main") if name.startswith("Phone")}
    assert {f"Phone {a}.1", f"Phone {a}.2", f"Phone {c}"} <= rows
    assert len(rows) == 3


def test_private_queries_have_a_digest_that_only_the_study_can_make(small: Path, export: Path, tmp_path: Path) -> None:
    rig("publish", small, "--study", "autumn", "--to", tmp_path / "sealed", "--private-queries")
    plain, sealed = (
        json.loads((folder / "publication.json").read_text())["stamps"]["query set"] for folder in (export, tmp_path / "sealed")
    )
    assert plain != sealed
    assert len(sealed) == 64


def hostile_publication() -> Publication:
    columns = (Column("album", "album"), Column("count", HOSTILE))
    table = Table(
        "main", HOSTILE, HOSTILE, columns, (Row(HOSTILE, Kind.SYSTEM, ("-1+1\x07\u202e", 3)), Row("[a]", Kind.PHONE, ("+5", 1)))
    )
    return Publication(HOSTILE, False, (Section("zh", 1, 0, (table,)),), (HOSTILE,), (HOSTILE,), {"x": HOSTILE}, (1,))


def test_hostile_text_is_inert_in_the_page() -> None:
    from reports.public_page import render_publication

    page = render_publication(without_plots())
    assert "<img src=x" not in page
    assert "</script>" not in page
    assert "\x07" not in page
    assert "\u202e" not in page


def without_plots() -> Publication:
    publication = hostile_publication()
    return replace(publication, sections=(Section("zh", 1, 0, (replace(publication.sections[0].tables[0], key="albums"),)),))


def test_hostile_text_is_inert_in_a_spreadsheet() -> None:
    rows = list(csv.reader(io.StringIO(as_csv(hostile_publication().sections[0].tables[0]))))
    assert rows[1][0] == f"'{HOSTILE}"
    assert rows[1][3] == r"'-1+1\x07\u202e"
    assert rows[2][3] == "+5"  # a number is no formula


def test_hostile_text_is_inert_in_markdown() -> None:
    lines = as_markdown(hostile_publication()).splitlines()
    row = next(line for line in lines if line.startswith(r"|\="[:1]) and "cmd" in line and "3" in line)
    assert "<img" not in row
    assert len(re.findall(r"(?<!\\)\|", row)) == 4  # name and two cells


@pytest.mark.parametrize(
    ("text", "tex"),
    [
        ("50% & $x_1$", r"50\% \& \$x\_1\$"),
        (r"\input{a}", r"\textbackslash{}input\{a\}"),
        ("a--b", "a-{}-{}b"),
        ("海", r"\rigchar{6D77}"),
        ("[x]", "{[}x{]}"),
        ("a\nb", r"a\textbackslash{}nb"),
    ],
)
def test_text_is_inert_in_tex(text: str, tex: str) -> None:
    assert latex_text(text) == tex


def test_hostile_text_compiles(tmp_path: Path) -> None:
    if shutil.which("pdflatex") is None:
        pytest.skip("no pdflatex here")
    (tmp_path / "tables.tex").write_text(as_latex(hostile_publication()))
    done = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "tables.tex"],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-2000:]


def test_hostile_text_stays_data_in_json_and_xml() -> None:
    publication = replace(
        hostile_publication(), suites=(Suite(HOSTILE, "zh", (Case("q\x00\x1b]]>", ("dialog", "answered")),)),)
    )
    case = next(Xml.fromstring(as_junit(publication)).iter("testcase"))
    assert case.get("name") == r"q\x00\x1b]]>"
    assert [p.get("value") for p in case.iter("property")] == ["dialog", "answered"]
    schema = json.loads(schema_text())
    assert problems(json.loads(json.dumps(as_json(publication))), schema, schema) == []


def test_a_plot_survives_labels_that_its_font_lacks() -> None:
    table = hostile_publication().sections[0].tables[0]
    columns = tuple(Column(key, key) for key in ("precision", "recall", *"ABCD"))
    rows = (Row("$\\frac$ 海边\x07", Kind.SYSTEM, (None, None, 1, 1, 1, 1)),)
    drawn = plots(Section("zh", 1, 1, (replace(table, columns=columns, rows=rows),)))
    assert len(drawn) == 2
    assert all("currentColor" in plot.svg for plot in drawn)


def test_a_secret_in_the_study_name_is_found(tmp_path: Path) -> None:
    with pytest.raises(GateFailed, match="model of a phone"):
        write_export(replace(without_plots(), study="of Galaxoid"), tmp_path / "out", [Secret("model of a phone", "Galaxoid")])
    assert not (tmp_path / "out").exists()
