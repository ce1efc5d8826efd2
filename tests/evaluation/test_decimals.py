"""Tests of the decimals that figures shown side by side need."""

import pytest

from promptuary.evaluation.decimals import count_change_decimals, count_decimals


@pytest.mark.parametrize(
    ("figures", "decimals"),
    [
        ((0.97,), 2),
        ((0.97, 0.85), 2),
        ((0.97, 0.975), 3),
        ((0.79996, 0.8), 5),
        ((0.001, 0.0), 3),
        ((0.97, 0.97), 2),
        ((0.1 + 0.2, 0.3), 2),
        ((0.5, 0.5000001), 2),
        ((12.34,), 1),
        ((12.34, 12.31), 2),
        ((12.3, 0.97), 2),
        ((None, 0.97), 2),
        ((None, None), 2),
        ((), 2),
    ],
)
def test_different_figures_look_different(figures: tuple[float | None, ...], decimals: int) -> None:
    assert count_decimals(figures) == decimals


@pytest.mark.parametrize(
    ("change", "decimals"),
    [
        (0.12, 2),
        (0.01, 2),
        (-0.0101, 2),
        (0.0051, 3),
        (-0.005, 3),
        (0.0004, 4),
        (0.000001, 6),
        (1e-9, 2),
        (0.0, 2),
        (12.5, 1),
    ],
)
def test_a_difference_shows_its_first_digit(change: float, decimals: int) -> None:
    assert count_change_decimals(change) == decimals
