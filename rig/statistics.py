"""The statistics of a paired comparison; SciPy and statsmodels do the work, the choices are made here.

Two systems answered the same queries, so every test is paired. Random tests are seeded, never give p = 0 (the observed
arrangement counts as one of the random ones: Phipson and Smyth), and are exact where all arrangements can be tried.
"""

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.multitest import multipletests

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

RESAMPLES = 9_999
"""With the observed one 10,000, so that p = 0.0001 is the smallest; sign flips of up to 13 differences are all tried."""
CONFIDENCE = 0.95
_BATCH = 256
"""Resamples at a time; 256 x 1,188 queries x 8 bytes keep a comparison within a few megabytes."""


class Procedure(StrEnum):
    """How a p value came about."""

    SIGN_FLIP = "sign-flip permutation"
    SIGN_FLIP_EXACT = "sign-flip permutation, exact"
    SWAP = "paired swap permutation"
    SWAP_EXACT = "paired swap permutation, exact"
    MCNEMAR = "exact McNemar"
    NO_DIFFERENCE = "no differing query"


class IntervalMethod(StrEnum):
    """How a confidence interval came about."""

    BCA = "paired bootstrap, BCa"
    PERCENTILE = "paired bootstrap, percentile"
    CONSTANT = "every difference is the same"


@dataclass(frozen=True, slots=True)
class PValue:
    """A two-sided p value and how it came about."""

    p: float
    procedure: Procedure


@dataclass(frozen=True, slots=True)
class Interval:
    """A 95 % confidence interval."""

    low: float
    high: float
    method: IntervalMethod


def sign_flip_test(differences: Floats, *, seed: int) -> PValue:
    """Is the mean of these paired differences 0? Two-sided; flips the sign of each difference that is not 0.

    A difference of 0 has no sign to flip and so does not count towards the exact limit.
    """
    moving = differences[differences != 0]
    if not moving.size:
        return PValue(1.0, Procedure.NO_DIFFERENCE)
    if moving.size == 1:  # both signs are equally far from 0; SciPy wants two differences
        return PValue(1.0, Procedure.SIGN_FLIP_EXACT)
    result = stats.permutation_test(
        (moving,),
        np.sum,
        permutation_type="samples",
        n_resamples=RESAMPLES,
        batch=_BATCH,
        vectorized=True,
        axis=-1,
        rng=np.random.default_rng(seed),
    )
    return PValue(float(result.pvalue), Procedure.SIGN_FLIP_EXACT if 2**moving.size <= RESAMPLES else Procedure.SIGN_FLIP)


def mean_interval(differences: Floats, *, seed: int) -> Interval | None:
    """The interval of the mean difference; None below two differences."""
    if differences.size < 2:
        return None
    if np.all(differences == differences[0]):
        return Interval(float(differences[0]), float(differences[0]), IntervalMethod.CONSTANT)
    return _bootstrap((differences,), _mean, seed)


def _mean(differences: Floats, axis: int) -> Floats:
    return np.asarray(np.mean(differences, axis=axis), dtype=np.float64)


def effect_size(differences: Floats) -> float | None:
    """Cohen's d_z: the mean difference in standard deviations of the differences; None where these are all the same."""
    if differences.size < 2:
        return None
    spread = float(np.std(differences, ddof=1))
    return None if np.isclose(spread, 0.0) else float(np.mean(differences)) / spread


def mcnemar_test(only_old: int, only_new: int) -> PValue:
    """Do the two sides decide alike? From the counts of queries that only one side got right; exact binomial, two-sided."""
    if only_old + only_new == 0:
        return PValue(1.0, Procedure.NO_DIFFERENCE)
    result = mcnemar([[0, only_old], [only_new, 0]], exact=True)
    return PValue(min(1.0, float(result.pvalue)), Procedure.MCNEMAR)


Ratio = Callable[[Bools, Bools], Floats]
"""(answered nothing, is zero-ground-truth), both of shape (..., queries) → the ratio, NaN where it is undefined."""


def swap_test(zero: Bools, old: Bools, new: Bools, ratio: Ratio, *, seed: int) -> PValue | None:
    """Is a ratio over all queries the same on both sides? Swaps the two answers of each query that differ.

    An arrangement in which the ratio is undefined counts against the difference. None when the observed one is undefined.
    """
    observed = float(ratio(new, zero) - ratio(old, zero))
    if np.isnan(observed):
        return None
    differing = np.flatnonzero(old != new)
    if not differing.size:
        return PValue(1.0, Procedure.NO_DIFFERENCE)
    exact = 2**differing.size <= RESAMPLES
    extreme = tried = 0
    for swaps in _swaps(differing.size, exact=exact, seed=seed):
        swap = np.zeros((len(swaps), zero.size), dtype=bool)
        swap[:, differing] = swaps
        wide = np.broadcast_to(zero, swap.shape)
        difference = ratio(np.where(swap, old, new), wide) - ratio(np.where(swap, new, old), wide)
        extreme += int(np.sum(~(np.abs(difference) < abs(observed) - 1e-12)))  # NaN counts too
        tried += len(swaps)
    if exact:
        return PValue(extreme / tried, Procedure.SWAP_EXACT)
    return PValue((extreme + 1) / (tried + 1), Procedure.SWAP)


def _swaps(size: int, *, exact: bool, seed: int) -> Sequence[Bools]:
    """All arrangements of `size` swaps, or 9,999 random ones, in batches of shape (batch, size)."""
    if exact:
        numbers = np.arange(2**size)
        every = (numbers[:, None] >> np.arange(size)) & 1 == 1
        return [every[i : i + _BATCH] for i in range(0, len(every), _BATCH)]
    random = np.random.default_rng(seed)
    sizes = [min(_BATCH, RESAMPLES - i) for i in range(0, RESAMPLES, _BATCH)]
    return [random.random((n, size)) < 0.5 for n in sizes]


def ratio_interval(zero: Bools, old: Bools, new: Bools, ratio: Ratio, *, seed: int) -> Interval | None:
    """The interval of the difference of a ratio, resampling queries; None where the ratio is undefined on a side."""
    observed = float(ratio(new, zero) - ratio(old, zero))
    if np.isnan(observed) or zero.size < 2:
        return None
    if np.array_equal(old, new):
        return Interval(0.0, 0.0, IntervalMethod.CONSTANT)

    def difference(z: Floats, o: Floats, n: Floats, axis: int) -> Floats:
        was_zero, was_old, was_new = (np.moveaxis(side, axis, -1) > 0 for side in (z, o, n))
        return ratio(was_new, was_zero) - ratio(was_old, was_zero)

    return _bootstrap((zero.astype(float), old.astype(float), new.astype(float)), difference, seed)


def _bootstrap(data: Sequence[Floats], statistic: Callable[..., Floats], seed: int) -> Interval | None:
    """BCa; percentile where BCa is undefined, over the resamples in which the statistic is defined."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # SciPy warns of a degenerate BCa, which is met below
        result = stats.bootstrap(
            data,
            statistic,
            n_resamples=RESAMPLES,
            batch=_BATCH,
            vectorized=True,
            paired=True,
            axis=-1,
            confidence_level=CONFIDENCE,
            method="BCa",
            rng=np.random.default_rng(seed),
        )
        low, high = (float(end) for end in result.confidence_interval)
        if np.isfinite(low) and np.isfinite(high):
            return Interval(low, high, IntervalMethod.BCA)
        tail = (1 - CONFIDENCE) / 2
        low, high = (float(end) for end in np.nanquantile(result.bootstrap_distribution, [tail, 1 - tail]))
    return Interval(low, high, IntervalMethod.PERCENTILE) if np.isfinite(low) and np.isfinite(high) else None


def rejection_precision(empty: Bools, zero: Bools) -> Floats:
    """A / (A + B) along the last axis (Appendix B.2)."""
    return _divide(np.sum(empty & zero, axis=-1), np.sum(empty, axis=-1))


def rejection_recall(empty: Bools, zero: Bools) -> Floats:
    """A / (A + C) along the last axis."""
    return _divide(np.sum(empty & zero, axis=-1), np.sum(zero, axis=-1))


def rejection_f1(empty: Bools, zero: Bools) -> Floats:
    """2A / (2A + B + C) along the last axis; 2A + B + C is the number of empty answers and of empty ground truths."""
    return _divide(2 * np.sum(empty & zero, axis=-1), np.sum(empty, axis=-1) + np.sum(zero, axis=-1))


def _divide(part: NDArray[np.int_], whole: NDArray[np.int_]) -> Floats:
    undefined = np.full(np.shape(whole), np.nan)
    return np.asarray(np.divide(part, whole, out=undefined, where=np.asarray(whole) != 0), dtype=np.float64)


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's adjusted p values: the family's error rate is controlled whatever the dependence."""
    return [float(p) for p in multipletests(list(p_values), method="holm")[1]] if p_values else []


def benjamini_hochberg(p_values: Sequence[float]) -> list[float]:
    """Benjamini and Hochberg's adjusted p values, for exploratory slices."""
    return [float(p) for p in multipletests(list(p_values), method="fdr_bh")[1]] if p_values else []
