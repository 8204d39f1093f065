"""Drawing a sample: what a source selects and how many, the draw itself, and each unit's inclusion probability.

`units` defines what can be drawn, `selection` which of it, `planning` how many of each stratum (or, with `remarks`,
every reason why that is impossible), `pool` the plan in numbers, `completion` whether part of a sample can still be
completed, `drawing` the draw, `inclusion` the probabilities, and `sample` all of it in one call. Nothing here uses a
database, a clock, or any randomness except the generator passed in.

This package is part of the services and not of `protocol`, although it only computes: deciding whether crossing limits
can be met at all takes an integer program, and hence the solver in scipy, which `protocol` does not depend on.

The rule of the draw
    The places of the sample (so many of each stratum) are put in random order. Each in turn is filled with a unit drawn
    with equal chances from those of its stratum with which the sample can still be completed.
If no limit bites, this is simple random sampling within strata. With limits, every admissible sample can be drawn, the
wanted size is reached whenever an admissible sample of that size exists, and units alike (in the same stratum and the
same limited groups) have equal chances. Admissible samples are *not* all equally likely, and units that get in the way
of many others are drawn less often, which is why inclusion probabilities are then simulated.
"""
