"""A study's runs of LLM judges, and the form that imports another."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pandas as pd
import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from components.calibration.sealed_view import draw_split
from components.notice import notify
from components.problems import draw_problems
from components.progress_bar import progress_bar
from components.session import current_actor, database
from services.errors import InputRefused, Refused
from services.judging import asked_fields, import_runs, judged_pairs, sources
from services.judging.slices import Progress
from services.studies.catalogue import StudyLine

_EXAMPLE = """item,candidate,verdict,error,explanation
i1,k1,correct,,Same side.
i1,k2,,timeout,"""

_EXAMPLE_OF_PAIRS = """item,candidate_a,candidate_b,verdict,shown_first,explanation
i1,k1,k2,a,a,Names the side.
i1,k1,k3,tie,b,"""


def draw_judges(line: StudyLine) -> None:
    """Draw the runs of LLM judges and the form that imports one."""
    draw_split(line)
    runs = import_runs.judge_runs_of(database(), current_actor(), line.key)
    if runs:
        _draw_runs(runs)
    if line.state == "draft":
        st.info("A judge's verdicts can be imported after the freeze.")
        return
    with st.container(width=560, border=True):
        _draw_form(line.key)


def _draw_runs(runs: Sequence[import_runs.JudgeRunLine]) -> None:
    columns = {
        "run": [run.name for run in runs],
        "judge": [run.judge for run in runs],
        "what it says": [run.says for run in runs],
        "model": [run.model for run in runs],
        "prompt": [run.prompt_version for run in runs],
        "judged": [run.judged for run in runs],
        "without a verdict": [run.unresolved for run in runs],
        "missing from the file": [run.not_judged for run in runs],
    }
    st.dataframe(pd.DataFrame(columns), hide_index=True, width="stretch")


def _draw_form(study_key: str) -> None:
    """Ask for the files of a run, and for what they do not say themselves."""
    st.markdown("**Import a judge's verdicts** on the candidates")
    # After an import, new keys give the form empty fields.
    imported = st.session_state.setdefault("runs-imported", 0)
    name = st.text_input("Name of the run", key=f"run-name-{imported}")
    judge = st.text_input("Judge", key=f"run-judge-{imported}", help="Model and version, as figures name it.")
    field = _choose_field(study_key, imported)
    on_pairs = asked_fields.is_on_pairs(database(), current_actor(), study_key, field)
    named = "candidate_a, candidate_b" if on_pairs else "candidate"
    files = st.file_uploader(
        f"{import_runs.FORMATS_IN_WORDS}: item, {named}, verdict, and error and explanation where there are any",
        type=import_runs.ENDINGS,
        accept_multiple_files=True,
        help="Several files are one run: they are checked and stored together.",
        key=f"run-file-{imported}",
    )
    st.caption("Without a verdict, say in error why. For example, as CSV:")
    st.code(_EXAMPLE_OF_PAIRS if on_pairs else _EXAMPLE, language=None)
    order = _ask_order(imported) if on_pairs else None
    asked, skip = ask_columns(f"run-{imported}")
    asked["confidence_of"] = _ask_confidence(imported)
    identity = _ask_identity(imported)
    if st.button("Import", disabled=not files) and files:
        _import_judge(study_key, name, judge, field, identity, files, asked, skip, order)


def _choose_field(study_key: str, imported: int) -> str:
    """Ask which field the judge fills in, if people fill in more than right or wrong."""
    fields = asked_fields.fields_for_judges(database(), current_actor(), study_key)
    if not fields:
        return ""
    chosen = st.selectbox(
        "What the judge says",
        list(fields),
        format_func=lambda key: f"{fields[key]} ({key})",
        key=f"run-field-{imported}",
        help="The field that people fill in; the verdicts of the file are on its scale.",
    )
    return str(chosen)


def _ask_order(imported: int) -> judged_pairs.OrderRead:
    """Ask which lines are read of a file in which each pair was judged in both orders."""
    return st.selectbox(
        "Which lines are read",
        list(judged_pairs.ORDERS),
        format_func=lambda order: judged_pairs.ORDERS[order],
        key=f"run-order-{imported}",
        help="A judge that was shown each pair in both orders has two verdicts on it: two runs, imported one by one "
        "from the same file, whose difference panel 7 of the calibration counts. shown_first says on each line which "
        "of the two came first.",
    )


def _ask_confidence(imported: int) -> str:
    """Ask what a file's confidences refer to, which panel 6 of a calibration needs to know."""
    chosen = st.selectbox(
        "What its confidences are of",
        ["", *import_runs.CONFIDENCES_OF],
        format_func=lambda key: import_runs.CONFIDENCES_OF.get(key, "as its format says"),
        key=f"run-confidence-{imported}",
        help="Our own columns hold how sure the judge is of the verdict that it gives. Of mapped columns this is "
        "not known: thresholds are computed only if it is chosen here.",
    )
    return chosen or ""


def _ask_identity(imported: int) -> import_runs.Identity:
    """Ask what produced the run: a certificate is valid for exactly this model and prompt."""
    with st.expander("Model, prompt and settings"):
        model = st.text_input("Model string of the provider", key=f"run-model-{imported}")
        version = st.text_input("Version of the prompt", key=f"run-version-{imported}")
        prompt = st.text_area("Text of the prompt", key=f"run-prompt-{imported}")
        settings = st.text_input("Settings", key=f"run-settings-{imported}", placeholder="temperature 0, seed 1")
        day = st.date_input("Day of the run", value=None, key=f"run-day-{imported}", format="YYYY-MM-DD")
        sample = st.number_input("Number of the sample", 1, None, value=None, step=1, key=f"run-sample-{imported}")
        examples = st.text_input("Items used as examples in the prompt", key=f"run-examples-{imported}")
    made_on = "" if day is None else day.isoformat()
    named = tuple(key.strip() for key in examples.split(",") if key.strip())
    number = None if sample is None else int(sample)
    return import_runs.Identity(model, prompt, version, settings, made_on, number, named)


def draw_import(store: Callable[[Progress], str], imported: str, remedy: str) -> None:
    """Draw an import's progress and its outcome.

    Parameters
    ----------
    store
        Does the import: takes a progress callback and returns the outcome in words.
    imported
        The session-state entry that counts imports, so that the form is empty after each.
    remedy
        What to do about problems in the file.
    """
    try:
        with progress_bar() as feed:
            notify("done", store(feed))
        st.session_state[imported] += 1
    except InputRefused as refusal:
        draw_problems(refusal, remedy)
        return
    except Refused as refusal:
        notify("error", str(refusal))
    st.rerun()


def ask_columns(form: str, *, of_people: bool = False) -> tuple[dict[str, Any], bool]:
    """Ask what the columns and words of another program's file mean. The service checks the answers.

    Parameters
    ----------
    form
        Prefix of the keys of the form's fields.
    of_people
        Whether the labels are people's rather than a judge's.
    """
    with st.expander("File of another program"):
        layout = st.selectbox(
            "Its format",
            ["", *import_runs.LAYOUTS],
            format_func=lambda key: import_runs.LAYOUTS.get(key, "recognised from the file"),
            key=f"{form}-layout",
        )
        columns = st.text_area(
            "Columns",
            key=f"{form}-columns",
            placeholder="question=prompt\nverdict=output.score",
            help="WHAT=COLUMN, or a path within a row, one per line. WHAT is item, candidate, model, question, "
            "answer, reference, case, a declared attribute, or what is said: "
            f"{'labeller, verdict, explanation' if of_people else 'verdict, explanation, confidence'}.",
        )
        words = st.text_area(
            "Words", key=f"{form}-words", placeholder="good=correct", help="WORD=VERDICT, one per line."
        )
        labelled = "were labelled" if of_people else "it judges"
        of_model = st.text_input(f"Model whose answers {labelled}", key=f"{form}-of-model")
        scorer = st.text_input("Which score, if the file has several", key=f"{form}-scorer")
        skip = st.checkbox(sources.SKIP_ROWS, key=f"{form}-skip")
    asked = {
        "layout": layout or "",
        "columns": columns.splitlines(),
        "says": words.splitlines(),
        "of_model": of_model.strip(),
        "scorer": scorer.strip(),
    }
    return asked, skip


def _import_judge(
    study_key: str,
    name: str,
    judge: str,
    field: str,
    identity: import_runs.Identity,
    files: Sequence[UploadedFile],
    asked: Mapping[str, Any],
    skip_unplaced: bool,
    only_order: judged_pairs.OrderRead,
) -> None:
    if not judge.strip():
        notify("error", "The name of the judge is missing; enter its model and version, as figures show it.")
        st.rerun()
    first, *further = (sources.RunFile(file.name, file.getvalue()) for file in files)

    def store(feed: Progress) -> str:
        return import_runs.import_judge_verdicts(
            database(),
            current_actor(),
            study_key,
            name=name,
            judge=judge,
            content=first.content,
            file_name=first.name,
            further=further,
            field=field,
            identity=identity,
            asked=sources.asked_of(**asked),
            skip_unplaced=skip_unplaced,
            only_order=only_order,
            progress=feed,
        ).in_words

    draw_import(
        store,
        "runs-imported",
        "Correct them in the judge's files, take out those uploaded before, and upload them again.",
    )
