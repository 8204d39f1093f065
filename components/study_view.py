"""One study for its admins: freeze, people and progress, judge runs."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from components import verification_view
from components.frame import script_of
from components.invitations import draw_invitations
from components.problems import draw_problems
from components.session import current_actor, database
from components.study_list import STATE_BADGE
from services.adjudication import review_queue
from services.errors import InputRefused, Refused
from services.judging import import_runs
from services.reading import member_progress
from services.reading.member_progress import MemberProgress
from services.record import daily_verification, verification
from services.studies import freezing
from services.studies.catalogue import StudyLine


def draw_head(line: StudyLine) -> None:
    """Draw title, state and the ways on."""
    st.title(line.title)
    label, color, icon = STATE_BADGE[line.state]
    with st.container(horizontal=True, vertical_alignment="center"):
        st.badge(label, color=color, icon=icon)  # type: ignore[arg-type]
        if line.simulated_readers:
            st.badge("Simulated readers", color="orange", icon=":material/smart_toy:")
        st.page_link(
            script_of("preview"),
            label="Preview items",
            icon=":material/visibility:",
            query_params={"study": line.key},
        )
        st.page_link(script_of("report"), label="Report", icon=":material/bar_chart:", query_params={"study": line.key})
    # Always one element, empty or not: what comes and goes above the tabs would lead back to the first of them.
    with st.container():
        _draw_notice()
        verification_view.draw_alarm(line)


def draw_freeze(line: StudyLine) -> None:
    """Draw the freeze: the button before it, the manifest after it."""
    frozen = freezing.freeze_of(database(), current_actor(), line.key)
    if frozen is None:
        st.markdown(
            "A freeze fixes protocol, items, volumes, candidates and references in a manifest with their SHA-256, "
            "draws every rater's own order, and opens the study for reading. **It cannot be undone.** "
            "Look at the items in the preview first."
        )
        st.info(freezing.standing_of(database(), current_actor(), line.key).sentence)
        sure = st.checkbox("I have looked at the preview; the items are as they should be.")
        st.button("Freeze and open", type="primary", disabled=not sure, on_click=_freeze, args=(line.key,))
        return
    st.markdown(f"Frozen {frozen.created_at[:16].replace('T', ' ')} UTC. SHA-256 of the manifest:")
    st.code(frozen.sha256, language=None)
    with st.container(horizontal=True):
        st.button("Verify now", on_click=_verify, args=(line.key,))
        st.link_button("Download the manifest", f"/download/{line.key}/manifest.json")
    verification_view.draw_last_verification(line)
    st.caption(f"On the command line: `python manage.py verify {line.key}`")
    with st.expander("What the manifest covers"):
        st.dataframe(_manifest_table(frozen.manifest), hide_index=True, width="stretch")


def _manifest_table(manifest: dict[str, object]) -> pd.DataFrame:
    rows = []
    for part, content in manifest.items():
        if isinstance(content, dict):
            rows.append((part.replace("_", " "), f"{len(content)} entries"))
        else:
            rows.append((part.replace("_", " "), str(content)))
    return pd.DataFrame(rows, columns=["part", "content"])


def draw_people(line: StudyLine) -> None:
    """Draw progress without any answer, and the forms that invite."""
    progress = member_progress.progress_of_members(database(), current_actor(), line.key)
    if progress:
        st.dataframe(
            _progress_table(progress),
            hide_index=True,
            width="stretch",
            column_config={
                "done": st.column_config.ProgressColumn("done", min_value=0, max_value=100, format="%d %%"),
            },
        )
    else:
        st.info("Nobody is invited yet.")
    _draw_queue_button(line, progress)
    draw_invitations(line)


def _progress_table(progress: list[MemberProgress]) -> pd.DataFrame:
    table = pd.DataFrame(
        [
            (
                member.pseudonym,
                member.name,
                member.queue.done_as,
                100 * member.done // member.total if member.total else 0,
                f"{member.done} of {member.total}",
                member.technical_failures,
                f"{member.last_saved:%Y-%m-%d %H:%M}" if member.last_saved else "–",
            )
            for member in progress
        ],
        columns=["pseudonym", "name", "what", "done", "count", "technical failures", "last saved (UTC)"],
    )
    # Most studies have neither; an empty column would only be wide.
    if any(member.revised for member in progress):
        table["revised"] = [member.revised for member in progress]
    if any(member.practice for member in progress):
        table["practice"] = [member.practice or "–" for member in progress]
    return table


def _draw_queue_button(line: StudyLine, progress: list[MemberProgress]) -> None:
    if line.state != "open" or not any(member.role == "reviewer" for member in progress):
        return
    st.button(
        "Send flagged and disagreeing items to the reviewers",
        on_click=_open_queue,
        args=(line.key,),
        help="Only items that every rater has closed are sent; press again later for the rest.",
    )


def draw_judges(line: StudyLine) -> None:
    """Draw the runs of LLM judges and the form that imports one."""
    runs = import_runs.judge_runs_of(database(), current_actor(), line.key)
    if runs:
        st.dataframe(
            pd.DataFrame(
                [(run.name, run.judge, run.candidates, run.unresolved, run.not_judged) for run in runs],
                columns=["run", "judge", "verdicts", "unresolved", "candidates not judged"],
            ),
            hide_index=True,
            width="stretch",
        )
    if line.state == "draft":
        st.info("A judge's verdicts can be imported after the freeze.")
        return
    with st.container(width=560, border=True):
        st.markdown("**Import a judge's verdicts** on the candidates")
        name = st.text_input("Name of the run", key="run-name")
        judge = st.text_input("Judge", key="run-judge", help="Model and version.")
        file = st.file_uploader(
            f"{import_runs.FORMATS_IN_WORDS} with item, candidate, verdict", type=import_runs.ENDINGS, key="run-file"
        )
        if st.button("Import", disabled=file is None) and file is not None:
            _import_judge(line.key, name, judge, file.getvalue(), file.name)


def _notify(kind: str, text: str) -> None:
    st.session_state["notice"] = (kind, text)


def _draw_notice() -> None:
    kind, text = st.session_state.pop("notice", ("", ""))
    if kind == "error":
        st.error(text)
    elif kind:
        st.success(text)


def _freeze(study_key: str) -> None:
    try:
        frozen = freezing.freeze_study(database(), current_actor(), study_key)
        _notify("done", f"Frozen and open. The manifest's SHA-256 begins with {frozen.sha256[:12]}.")
    except Refused as refusal:
        _notify("error", str(refusal))


def _verify(study_key: str) -> None:
    try:
        problems = daily_verification.verify_now(database(), current_actor(), study_key)
        if problems:
            count = "One problem was" if len(problems) == 1 else f"{len(problems)} problems were"
            _notify("error", f"Verified just now: {count} found.")
        else:
            _notify("done", " ".join([verification.ALL_HOLDS, *verification.remarks_on(database(), study_key)]))
    except Refused as refusal:
        _notify("error", str(refusal))


def _open_queue(study_key: str) -> None:
    try:
        _notify("done", review_queue.open_review_queue(database(), current_actor(), study_key).in_words)
    except Refused as refusal:
        _notify("error", str(refusal))


def _import_judge(study_key: str, name: str, judge: str, content: bytes, file_name: str) -> None:
    try:
        line = import_runs.import_judge_verdicts(
            database(), current_actor(), study_key, name=name, judge=judge, content=content, file_name=file_name
        )
        text = f"Run '{line.name}' is in: {line.candidates} verdicts, {line.unresolved} unresolved."
        _notify("done", text)
    except InputRefused as refusal:
        draw_problems(refusal, "Mend them in the judge's file and upload it again.")
        return
    except Refused as refusal:
        _notify("error", str(refusal))
    st.rerun()
