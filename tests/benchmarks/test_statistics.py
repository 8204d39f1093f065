"""What the benchmark of the statistics measures is what it says."""

import numpy as np

from benchmarks.statistics import printed_by

OWN_PEAK = "import resource; print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)"


def test_the_peak_of_a_measured_program_is_its_own_and_not_that_of_who_starts_it() -> None:
    ballast = np.ones(40_000_000)  # 320 MB that are in use
    (most,) = printed_by(OWN_PEAK)

    assert most < ballast.nbytes / 2**20 / 4
