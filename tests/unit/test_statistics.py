"""Paired tests against numbers worked by hand and rules that must hold."""

from itertools import product
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rig.statistics import (
    IntervalMethod,
    Procedure,
    benjamini_hochberg,
    effect_size,
    holm,
    mcnemar_test,
    mean_interval,
    ratio_interval,
    rejection_f1,
    rejection_precision,
    rejection_recall,
    sign_flip_test,
    swap_test,
)

SEED = 1


def array(*values: float) -> np.ndarray:  # type: ignore[type-arg]
    return np.array(values, dtype=float)


def bools(text: str) -> np.ndarray:  # type: ignore[type-arg]
    return np.array([c == "1" for c in text])


def test_few_differences_are_tried_out_in_full() -> None:
    # three equal differences: of 8 sign patterns, +++ and --- are as far from 0 as the observed: 2/8
    tested = sign_flip_test(array(0.5, 0.5, 0.5, 0.0), seed=SEED)
    assert tested.p == 0.25
    assert tested.procedure is Procedure.SIGN_FLIP_EXACT


def test_differences_of_zero_do_not_count_towards_the_exact_limit() -> None:
    thirteen = sign_flip_test(np.concatenate([np.full(13, 0.1), np.zeros(500)]), seed=SEED)
    assert thirteen.procedure is Procedure.SIGN_FLIP_EXACT
    assert thirteen.p == pytest.approx(2 / 2**13)
    assert sign_flip_test(np.full(14, 0.1), seed=SEED).procedure is Procedure.SIGN_FLIP


@given(st.lists(st.sampled_from([-0.75, -0.5, -0.25, 0.25, 0.5, 1.0]), min_size=1, max_size=7))
@settings(max_examples=60, deadline=None)
def test_the_exact_test_is_what_trying_every_sign_gives(differences: list[float]) -> None:
    observed = abs(sum(differences))
    sums = [
        abs(sum(s * d for s, d in zip(signs, differences, strict=True))) for signs in product((1, -1), repeat=len(differences))
    ]
    expected = sum(s >= observed - 1e-12 for s in sums) / len(sums)
    assert sign_flip_test(array(*differences), seed=SEED).p == pytest.approx(expected)


def test_a_random_test_never_gives_zero_and_is_the_same_again() -> None:
    differences = np.full(200, 0.2)
    tested = sign_flip_test(differences, seed=SEED)
    assert tested.p == pytest.approx(2 / 10_000)  # SciPy doubles the one-sided (0 + 1) / (9999 + 1)
    noisy = np.random.default_rng(3).normal(0.02, 0.3, 300)
    assert sign_flip_test(noisy, seed=SEED) == sign_flip_test(noisy, seed=SEED)


@pytest.mark.parametrize("differences", [(), (0.0, 0.0)])
def test_without_a_difference_p_is_one(differences: tuple[float, ...]) -> None:
    assert sign_flip_test(array(*differences), seed=SEED).p == 1.0


def test_one_difference_says_nothing() -> None:
    assert sign_flip_test(array(0.4, 0.0), seed=SEED).p == 1.0


def test_the_interval_is_bca_and_holds_the_mean() -> None:
    differences = np.random.default_rng(5).normal(0.05, 0.2, 400)
    interval = mean_interval(differences, seed=SEED)
    assert interval is not None
    assert interval.method is IntervalMethod.BCA
    assert interval.low < differences.mean() < interval.high
    # normal theory: ± 1.96 standard errors; 0.2 / sqrt(400) = 0.01
    assert interval.high - interval.low == pytest.approx(2 * 1.96 * differences.std(ddof=1) / 20, rel=0.05)


def test_equal_differences_have_an_interval_without_width_and_no_effect_size() -> None:
    interval = mean_interval(array(0.1, 0.1, 0.1), seed=SEED)
    assert interval is not None
    assert (interval.low, interval.high, interval.method) == (0.1, 0.1, IntervalMethod.CONSTANT)
    assert effect_size(array(0.1, 0.1, 0.1)) is None
    assert mean_interval(array(0.1), seed=SEED) is None


def test_the_effect_size_is_in_standard_deviations_of_the_differences() -> None:
    # mean 1, deviations -1, 0, 1: sd 1
    assert effect_size(array(0.0, 1.0, 2.0)) == pytest.approx(1.0)


def test_mcnemar_is_the_exact_binomial() -> None:
    # 1 against 5: 2 * (C(6,0) + C(6,1)) / 2^6
    assert mcnemar_test(1, 5).p == pytest.approx(2 * (comb(6, 0) + comb(6, 1)) / 2**6)
    assert mcnemar_test(3, 3).p == 1.0
    assert mcnemar_test(0, 0).procedure is Procedure.NO_DIFFERENCE


def test_rejection_ratios_are_those_of_appendix_b2() -> None:
    zero, empty = bools("11100"), bools("11010")  # A 2, B 1, C 1
    assert rejection_precision(empty, zero) == pytest.approx(2 / 3)
    assert rejection_recall(empty, zero) == pytest.approx(2 / 3)
    assert rejection_f1(empty, zero) == pytest.approx(4 / 6)
    assert np.isnan(rejection_precision(bools("000"), bools("110")))


def test_swapping_few_answers_is_tried_out_in_full() -> None:
    # queries 0, 1 are zero-ground-truth; only the new side rejects them: Rej-F1 0 → 1, and none or both swapped is as far
    tested = swap_test(bools("110"), bools("000"), bools("110"), rejection_f1, seed=SEED)
    assert tested is not None
    assert tested.p == pytest.approx(2 / 4)
    assert tested.procedure is Procedure.SWAP_EXACT


def test_many_swaps_are_random_never_zero_and_the_same_again() -> None:
    zero, old, new = bools("1" * 40 + "0" * 40), bools("0" * 80), bools("1" * 40 + "0" * 40)
    first = swap_test(zero, old, new, rejection_f1, seed=SEED)
    assert first is not None
    assert first.procedure is Procedure.SWAP
    assert first.p == pytest.approx(1 / 10_000)
    assert first == swap_test(zero, old, new, rejection_f1, seed=SEED)


def test_a_ratio_that_is_undefined_on_a_side_is_not_tested() -> None:
    zero, nothing, some = bools("110"), bools("000"), bools("100")
    assert swap_test(zero, nothing, some, rejection_precision, seed=SEED) is None
    assert ratio_interval(zero, nothing, some, rejection_precision, seed=SEED) is None


def test_the_interval_of_a_ratio_holds_its_difference() -> None:
    random = np.random.default_rng(7)
    zero, old = random.random(600) < 0.1, random.random(600) < 0.3
    new = np.where(random.random(600) < 0.1, ~old, old)
    interval = ratio_interval(zero, old, new, rejection_f1, seed=SEED)
    assert interval is not None
    assert interval.low < float(rejection_f1(new, zero) - rejection_f1(old, zero)) < interval.high


def test_holm_and_benjamini_hochberg_by_hand() -> None:
    # sorted .01 .02 .04: Holm 3*.01, max(2*.02), max(.04) ; BH 3*.01/1, 3*.02/2, 3*.04/3
    assert holm([0.04, 0.01, 0.02]) == pytest.approx([0.04, 0.03, 0.04])
    assert benjamini_hochberg([0.04, 0.01, 0.02]) == pytest.approx([0.04, 0.03, 0.03])
    assert holm([]) == []
