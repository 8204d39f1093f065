"""Totals of resamples of units that all differ, where counting each unit that is drawn would take most of the time."""

from __future__ import annotations

import numpy as np

from agreement.coding import Floats
from agreement.drawing import drawn_times, drawn_units, in_one_thread

_DRAWN = 2_500_000  # numbers drawn at once: larger blocks are reallocated each time, which is slower
_LAID = 24_000_000  # numbers laid out in permuted orders at once
_GATHERED = 32_768  # numbers picked at once, which stay in the nearest cache with their places


def totals_of_one(rows: Floats, resamples: int, generator: np.random.Generator) -> Floats:
    """Totals of resamples of units that differ in their first column only.

    The numbers of the units that are drawn are added up without counting the units, in two thirds of the time.

    Parameters
    ----------
    rows : ndarray of float, shape (units, k)
    resamples : int
    generator : numpy.random.Generator

    Returns
    -------
    ndarray of float, shape (resamples, k)
    """
    totals = np.empty((resamples, rows.shape[1]))
    totals[:, 1:] = len(rows) * rows[0, 1:]
    varying = np.ascontiguousarray(rows[:, 0])
    start = 0
    for drawn in drawn_units(generator, len(rows), resamples, _GATHERED):
        totals[start : start + len(drawn), 0] = varying.take(drawn.astype(np.intp), mode="clip").sum(axis=1)
        start += len(drawn)
    return totals


def totals_in_orders(rows: Floats, resamples: int, generator: np.random.Generator, orders: int) -> Floats:
    """Totals of resamples of many units, with each draw applied to several random orders.

    Drawing takes most of the time. How often the first, second ... unit is drawn gives another resample when the units
    are in a different order. Each is an ordinary resample, and the totals of any two are uncorrelated: over random
    orders, the products of the deviations of two units that are matched have mean 0.

    Parameters
    ----------
    rows : ndarray of float, shape (units, k)
    resamples : int
    generator : numpy.random.Generator
    orders : int
        The most resamples that one draw makes.

    Returns
    -------
    ndarray of float, shape (resamples, k)
    """
    units, k = rows.shape
    orders = max(1, min(orders, resamples, _LAID // (units * k)))
    varying = np.flatnonzero((rows != rows[0]).any(axis=0))
    columns = np.ascontiguousarray(rows[:, varying].T)
    laid = np.empty((orders, varying.size, units))
    for order in laid:
        np.take(columns, generator.permutation(units), axis=1, out=order, mode="clip")
    laid_out = laid.reshape(orders * varying.size, units).T
    drawn = np.empty((-(-resamples // orders), orders * varying.size))
    start = 0
    with in_one_thread():
        for times in drawn_times(generator, units, len(drawn), _DRAWN):
            np.matmul(times, laid_out, out=drawn[start : start + len(times)])
            start += len(times)
    # constant columns, such as the count of units, are the same in every resample
    totals = np.tile(units * rows[0], (resamples, 1))
    totals[:, varying] = drawn.reshape(-1, varying.size)[:resamples]
    return totals
