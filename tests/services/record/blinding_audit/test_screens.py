"""What of a payload is searched: the address of a scan without the program's path, a fact apart from its heading."""

from __future__ import annotations

import pytest

from services.record.blinding_audit.screens import addresses_in, pieces_of


@pytest.mark.parametrize("own", ["0123456789abcdef0123456789abcdef01234567", "sub-01/volume.nii.gz"])
def test_of_the_address_of_a_scan_only_what_names_the_scan_is_searched(own: str) -> None:
    payload = {"images": {"panes": [{"volumes": [{"url": f"reading/volume/{own}", "label": "T1"}]}]}}

    texts = {piece.where: piece.text for piece in pieces_of(payload)}

    assert texts == {"images.panes.volumes.url": own, "images.panes.volumes.label": "T1"}
    assert addresses_in(payload) == 1


def test_the_heading_of_a_fact_is_searched_apart_from_what_it_says() -> None:
    payload = {"context": {"facts": [["Opinion of model-a", "No lesion."]]}}

    pieces = [(piece.where, piece.text, piece.sort) for piece in pieces_of(payload)]

    assert pieces == [("context.headings", "Opinion of model-a", "asks"), ("context.facts", "No lesion.", "tells")]
