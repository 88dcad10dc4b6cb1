"""`rig review RUN --as NAME`: annotators settle what matching left undecided; agreement, adjudication, rescoring."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

from rig.cli.match_run import RunOrCommand
from rig.cli.plain import AsJson, print_json, wide_console
from rig.run import open_run

# What needs aiohttp or SciPy is imported when a command runs, so that the other commands start at once.
if TYPE_CHECKING:
    from rig.review.desk import Desk

review_app = typer.Typer(cls=RunOrCommand, no_args_is_help=True, help="Two annotators: rig review RUN --as NAME, then status.")

Folder = Annotated[Path, typer.Argument(metavar="RUN", help="A run folder that was matched.")]
Name = Annotated[str, typer.Option("--as", metavar="NAME", help="Who judges.")]
Port = Annotated[int, typer.Option(min=0, max=65535, help="Of the page on 127.0.0.1; a free one when not given.")]
Idle = Annotated[float, typer.Option("--idle-minutes", min=0.01, help="Without a request for so long, the server ends.")]
Relevance = Annotated[bool, typer.Option("--relevance", help="Also verify each returned photo, whatever the protocol says.")]


@review_app.command("run")
def run_command(folder: Folder, name: Name, *, port: Port = 0, relevance: Relevance = False, idle_minutes: Idle = 60) -> None:
    """Serves the page on which NAME judges: undecided matches and, as the protocol asks, relevance. Can be left at any time."""
    from rig.review.opening import annotating, asks_relevance

    run = open_run(folder)
    with annotating(run, name, relevance=asks_relevance(run, wanted=relevance)) as desk:
        _serve(desk, port, idle_minutes, "nothing to review: matching left nothing undecided (--relevance asks more)")


@review_app.command("adjudicate")
def adjudicate_command(folder: Folder, name: Name, *, port: Port = 0, idle_minutes: Idle = 60) -> None:
    """Serves the page on which NAME, a third, settles what annotators judged differently; what they said stays."""
    from rig.review.opening import adjudicating

    with adjudicating(open_run(folder), name) as desk:
        _serve(desk, port, idle_minutes, "nothing to adjudicate: no question was judged differently")


@review_app.command("status")
def status_command(folder: Folder, *, relevance: Relevance = False, as_json: AsJson = False) -> None:
    """Shows how far annotators have come, and how far they agree."""
    from rig.cli.review_tables import status_tables
    from rig.review.documents import status_document

    told: Any = status_document(open_run(folder), relevance=relevance)
    if as_json:
        print_json(told)
    else:
        wide_console().print(status_tables(told))


@review_app.command("scores")
def scores_command(folder: Folder, *, as_json: AsJson = False) -> None:
    """Shows the scores before review, under each annotator, and as settled together."""
    from rig.cli.review_tables import score_tables
    from rig.review.documents import scores_before_and_after
    from rig.review.opening import adjudicators, annotators
    from rig.review.questions import plan_review
    from rig.review.rescoring import rescore

    run = open_run(folder)
    plan = plan_review(run)
    rescoring = rescore(run, plan, annotators(run), adjudicators(run))
    if as_json:
        print_json(scores_before_and_after(run, plan, rescoring))
    else:
        wide_console().print(score_tables(rescoring), crop=False)


def _serve(desk: "Desk", port: int, idle_minutes: float, nothing: str) -> None:
    """The address goes to stdout, everything else to stderr; nothing is served when there is nothing to judge."""
    from rig.review.server import serve

    console = Console(stderr=True, soft_wrap=True)
    if not desk.session.questions:
        console.print(nothing, markup=False, highlight=False)
        return
    console.print("open this address; end with Finish on the page, or with Ctrl-C", markup=False, highlight=False)
    why = serve(desk, port=port, idle_s=60 * idle_minutes, ready=typer.echo)
    progress = desk.session.progress
    told = f"{ENDED.get(why, why)}: {progress.done} of {progress.total} judged, all stored"
    console.print(told, markup=False, highlight=False)


ENDED = {"finished": "finished", "idle": "ended, nobody was there", "SIGINT": "stopped", "SIGTERM": "stopped"}
"""How a server's end is told."""
