"""Drawing a sample: what a source selects and how many, the draw itself, and how likely each unit was to be drawn.

`units` is what can be drawn, `selection` which of it, `planning` how many of each stratum (or, with `remarks`, every
reason why that cannot be), `pool` the plan in numbers, `completion` whether a part of a sample can still be completed,
`drawing` the draw, `inclusion` the probabilities, and `sample` all of it in one call. No database, no clock, and no
randomness but the generator that is handed in.

The room is among the services and not in `protocol`, although it only computes: whether limits that cross one another
can be met at all is a question for an integer program, and scipy has a solver. `protocol` takes no such package.

The rule of the draw
    The places of the sample (so many of each stratum) are put in random order. Each in turn is filled with a unit drawn
    with equal chances from those of its stratum with which the sample can still be completed.
Without limits that bite this is simple random sampling within strata. With limits every admissible sample can be drawn,
the wanted size is reached whenever an admissible sample of that size exists, and units alike (in the same stratum and
in the same limited groups) have equal chances. Admissible samples are *not* all equally likely, and units that stand in
the way of many others are drawn less often: that is why inclusion probabilities are then simulated.
"""
