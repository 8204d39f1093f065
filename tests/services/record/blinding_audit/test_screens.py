"""An address is searched without the words of the program's own path, which are in the address of every scan."""

from __future__ import annotations

import pytest

from services.record.blinding_audit.screens import addresses_in, pieces_of


@pytest.mark.parametrize("own", ["0123456789abcdef0123456789abcdef01234567", "sub-01/volume.nii.gz"])
def test_of_the_address_of_a_scan_only_what_names_the_scan_is_searched(own: str) -> None:
    payload = {"images": {"panes": [{"volumes": [{"url": f"reading/volume/{own}", "label": "T1"}]}]}}

    texts = {piece.where: piece.text for piece in pieces_of(payload)}

    assert texts == {"images.panes.volumes.url": own, "images.panes.volumes.label": "T1"}
    assert addresses_in(payload) == 1
