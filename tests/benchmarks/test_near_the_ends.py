"""What the tables of coverage say of kappa in clusters of ten items, on fewer samples with a fixed seed."""

import numpy as np
import pytest

from benchmarks.near_the_ends import SIMULATIONS, Cell, cell

CELLS = [("Cohen's kappa in clusters of ten", 30, 0.97), ("alpha of three in clusters of ten, nominal", 20, 0.95)]


def counted(name: str, clusters: int, level: float, kind: str) -> Cell:
    """The cell of one kind of interval in 2,000 samples."""
    simulation = SIMULATIONS[name]
    samples = simulation.draw(clusters, level, 2_000, np.random.default_rng(8))
    return cell(simulation, simulation.methods[kind], clusters, level, samples)


@pytest.mark.parametrize(("name", "clusters", "level"), CELLS)
def test_the_default_holds_in_few_clusters_of_ten_where_a_category_is_rare(name, clusters, level):
    usual, plain = (counted(name, clusters, level, kind) for kind in ("scattered", "adjusted"))

    assert usual.held >= 0.93 - 2 * np.sqrt(0.93 * 0.07 / 2_000)
    assert usual.held > plain.held
    assert (usual.without, usual.width <= 1.15 * plain.width) == (0.0, True)


def test_accuracy_in_very_unequal_clusters_holds_and_is_warned_of_where_few_are_large():
    few, many = (counted("accuracy in clusters of 1, 1, 1 and 40", *of, "score") for of in ((20, 0.9), (100, 0.9)))

    assert few.held > 0.9 and few.warned == 1.0
    assert many.held > 0.92 and many.warned == 0.0


def test_verdicts_of_a_cluster_are_as_many_as_its_items():
    samples = SIMULATIONS["Cohen's kappa in clusters of ten"].draw(20, 0.9, 50, np.random.default_rng(1))

    assert (samples.reshape(50, 20, 4).sum(axis=2) == 10).all()
