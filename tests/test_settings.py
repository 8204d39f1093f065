"""The server's settings that safety or speed depend on, each with its reason."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from tests.contrast import contrast
from tests.harness.server import clean_environment

ROOT = Path(__file__).resolve().parents[1]
FILE = ROOT / ".streamlit/config.toml"
REASONS: dict[str, tuple[Any, str]] = {
    "server.address": ("127.0.0.1", "nobody else on the network reaches a server that was started to try it"),
    "server.headless": (True, "without it Streamlit's e-mail prompt can block the first start"),
    "server.fileWatcherType": ("none", "a changed file must not rerun a reader's page"),
    "server.enableStaticServing": (False, "every file goes through an authorised route"),
    "server.enableAgentApi": (False, "it would be a second way in"),
    "server.enableCORS": (True, "Streamlit's check of the Origin is what guards the websocket behind ours"),
    "server.enableXsrfProtection": (True, "an upload needs a token"),
    "server.trustedUserHeaders": (
        {"X-Blindread-Session": "login_session"},
        "without an identity in st.user a client can take over another tab's session by its id",
    ),
    "client.showErrorDetails": ("none", "an error trace could show a rater what is hidden"),
    "client.showErrorLinks": (False, "an error text must not be carried to a search engine"),
    "client.toolbarMode": ("minimal", "no rerun, clear-cache or deploy entries"),
    "client.showSidebarNavigation": (False, "pages are offered by role, never by lying in a folder"),
    "runner.postScriptGC": (False, "a full garbage collection per rerun costs several times the rerun"),
    "runner.magicEnabled": (False, "a bare expression in a page would be drawn"),
    "logger.enableRich": (False, "it would print an error's own words, which may quote an answer, past our log"),
    "browser.gatherUsageStats": (False, "nothing is reported to anybody"),
}


@pytest.fixture(scope="module")
def written() -> dict[str, Any]:
    return tomllib.loads(FILE.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def in_force() -> dict[str, Any]:
    """What Streamlit itself makes of the file, in a process of its own, without the developer's settings."""
    program = (
        "import json, sys; from streamlit import config; "
        "options = config.get_config_options(force_reparse=True); "
        "print(json.dumps({k: o.value for k, o in options.items()}, default=str))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=ROOT,
        env=clean_environment(ROOT / "var", {}),
        capture_output=True,
        text=True,
        check=True,
    )
    return dict(json.loads(done.stdout.splitlines()[-1]))


@pytest.mark.parametrize("option", REASONS)
def test_setting_is_in_force(option: str, in_force: dict[str, Any]) -> None:
    expected, reason = REASONS[option]

    assert in_force[option] == expected, reason


def test_every_written_setting_is_one_that_streamlit_knows(written: dict[str, Any], in_force: dict[str, Any]) -> None:
    names = set()
    for section, options in written.items():
        for name, value in options.items():
            nested = section == "theme" and isinstance(value, dict)
            names |= {f"{section}.{name}.{key}" for key in value} if nested else {f"{section}.{name}"}

    assert names - set(in_force) == set()


def test_uploads_are_bounded_because_they_are_held_in_memory(in_force: dict[str, Any]) -> None:
    assert 0 < in_force["server.maxUploadSize"] <= 1000


def test_theme_fetches_nothing_from_elsewhere() -> None:
    text = FILE.read_text(encoding="utf-8")

    assert "http:" not in text
    assert "https:" not in text
    assert "fontFaces" not in text


@pytest.mark.parametrize("mode", ["light", "dark"])
@pytest.mark.parametrize("ground", ["backgroundColor", "secondaryBackgroundColor"])
@pytest.mark.parametrize("drawn", ["textColor", "linkColor"])
def test_text_stands_out_from_its_ground(written: dict[str, Any], mode: str, ground: str, drawn: str) -> None:
    # WCAG 2.2, 1.4.3 (level AA): at least 4.5 to 1.
    colours = written["theme"][mode]

    assert contrast(colours[drawn], colours[ground]) >= 4.5


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_curves_and_controls_stand_out_from_the_ground(written: dict[str, Any], mode: str) -> None:
    # WCAG 2.2, 1.4.11 (level AA): at least 3 to 1.
    colours = written["theme"][mode]
    drawn = [colours["primaryColor"], *colours["chartCategoricalColors"]]

    weak = [colour for colour in drawn if contrast(colour, colours["backgroundColor"]) < 3]

    assert weak == []


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_the_words_on_a_button_stand_out(written: dict[str, Any], mode: str) -> None:
    # Streamlit writes them in white whatever the colour of the button.
    assert contrast(written["theme"][mode]["primaryColor"], "#ffffff") >= 4.5


def test_contrast_of_black_on_white_is_21() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
