"""Status and scores of a review as JSON values with stable keys (docs/review.md); what is undefined is null."""

from collections.abc import Sequence

from rig.disk import Lock
from rig.metrics.document import scores_document
from rig.review.agreement import Agreement, agreements
from rig.review.consensus import By, consensus
from rig.review.judgements import Role, judgements_file
from rig.review.opening import adjudicators, annotators, asks_relevance, judged_kinds, review_folder
from rig.review.questions import Kind, Plan, Question, plan_review
from rig.review.rescoring import Rescored, Rescoring
from rig.run import Run

SCHEMA_VERSION = 1
Json = dict[str, object]


def status_document(run: Run, *, relevance: bool = False) -> Json:
    """How far everybody has come, and how far they agree."""
    plan, by, settling = plan_review(run), annotators(run), adjudicators(run)
    asked = judged_kinds(plan, by, relevance=asks_relevance(run, wanted=relevance))
    together = consensus(asked, by, settling)
    return {
        "kind": "review_status",
        "schema_version": SCHEMA_VERSION,
        "run": run.record.id,
        "questions": {kind: sum(question.kind is kind for question in asked) for kind in Kind},
        "undecided_without_candidates": plan.without_candidates,
        "annotators": [_person(run, Role.ANNOTATOR, name, by, asked) for name in by],
        "adjudicators": [_person(run, Role.ADJUDICATOR, name, settling, asked) for name in settling],
        "agreement": [agreement_document(one) for one in agreements(asked, by)],
        "agreed": together.agreed,
        "adjudicated": together.adjudicated,
        "disputed": len(together.disputed),
        "judged_by_one_only": together.single,
    }


def agreement_document(one: Agreement) -> Json:
    """Raw agreement and κ with what they rest on."""
    return {
        "kind": one.kind,
        "first": one.first,
        "second": one.second,
        "n": one.both,
        "only_first": one.only_first,
        "only_second": one.only_second,
        "neither": one.neither,
        "equal": one.equal,
        "raw_agreement": one.raw,
        "kappa": one.kappa,
        "table": [{"first": first, "second": second, "count": count} for first, second, count in one.table],
    }


def scores_before_and_after(run: Run, plan: Plan, rescoring: Rescoring) -> Json:
    """Every phone's scores under every view, and what each view changed."""
    return {
        "kind": "review_scores",
        "schema_version": SCHEMA_VERSION,
        "run": run.record.id,
        "undecided": len(plan.matches) + plan.without_candidates,
        "views": [
            {
                "view": view.words,
                "annotator": view.name,
                "adjudicated": view.together,
                "ground_truth": view.truth,
                "settled": change.settled,
                "left_undecided": change.left_undecided,
                "relevant_added": change.added,
                "relevant_removed": change.removed,
                "queries_turned": list(change.turned),
            }
            for view, change in rescoring.changes.items()
        ],
        "scores": [_row(row) for row in rescoring.rows],
    }


def _row(row: Rescored) -> Json:
    return {"phone": row.letter, "view": row.view.words, "ground_truth": row.view.truth, **scores_document(row.scores)}


def _person(run: Run, role: Role, name: str, by: By, asked: Sequence[Question]) -> Json:
    ids = {question.id: question.kind for question in asked}
    counts = dict.fromkeys(Kind, 0)
    said: dict[str, int] = {}
    for id_, judgement in by[name].items():
        if id_ in ids:
            counts[ids[id_]] += 1
            said[judgement.said.choice] = said.get(judgement.said.choice, 0) + 1
    return {
        "name": name,
        "at_work": Lock(judgements_file(review_folder(run), role, name).with_suffix(".lock"), name).held(),
        "judged": counts,
        "said": dict(sorted(said.items())),
        "of_questions_no_longer_asked": sum(id_ not in ids for id_ in by[name]),
    }
