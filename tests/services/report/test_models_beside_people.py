"""Models and people by the same code, in a study of NeuroVLM's shape: recomputed from the CSV files alone."""

from __future__ import annotations

import math
from collections.abc import Iterator

import pytest
from sklearn.metrics import f1_score, recall_score, roc_auc_score

from services.report import Figure, Report, figures_of
from services.report.rows.models import model_of
from tests.services.report import planted
from tests.services.report.recomputed import Rows, estimate_in, tables_of

PERSON, MODEL, OTHER = "Rater 1", "GPT-5 Chat", "MedGemma 1.5 4B"
CLASSES = list(planted.CLASSES)
SUBTYPES = {"glioma", "meningioma", "ischemic", "hemorrhagic", "abscess", "cyst"}
NONE = "none of the options"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[dict[str, Rows], dict[str, Figure], Report]]:
    database, report = planted.made_once_in_the_run(planted.structured_reads, tmp_path_factory.mktemp("models"))
    yield tables_of(database, report), {figure.key: figure for figure in figures_of(report)}, report
    database.engine.dispose()


@pytest.fixture(scope="module")
def tables(made: tuple[dict[str, Rows], dict[str, Figure], Report]) -> dict[str, Rows]:
    return made[0]


@pytest.fixture(scope="module")
def figures(made: tuple[dict[str, Rows], dict[str, Figure], Report]) -> dict[str, Figure]:
    return made[1]


def said_in(tables: dict[str, Rows], field: str, who: str) -> dict[str, str]:
    """Return what somebody gave in a field, by item; of an abstention, and of what is none, no option."""
    if who == PERSON:
        rows = [row for row in tables["fields.csv"] if (row["member"], row["field"]) == (who, field)]
        return {row["item"]: row["value"] or "undetermined" for row in rows}
    return {row["item"]: row[field] for row in tables["candidates.csv"] if row["model"] == who}


def references_in(tables: dict[str, Rows], field: str) -> dict[str, str]:
    return {row["item"]: row["accepted"] for row in tables["references.csv"] if row["field"] == field}


def value_of(tables: dict[str, Rows], table: str, label: str, who: str, section: str = "plan") -> float:
    return float(estimate_in(tables, section, table, label, who)["value"])


@pytest.mark.parametrize("who", [PERSON, MODEL, OTHER])
def test_scores_of_classes_are_those_of_scikit_learn(tables: dict[str, Rows], who: str) -> None:
    reference, said = references_in(tables, "diagnosis"), said_in(tables, "diagnosis", who)
    right = [reference[item] for item in sorted(reference)]
    given = [said[item] if said[item] in CLASSES else NONE for item in sorted(reference)]
    for label, average in (("macro-F1", "macro"), ("weighted F1", "weighted"), ("micro-F1", "micro")):
        by_hand = f1_score(right, given, labels=CLASSES, average=average)
        assert math.isclose(value_of(tables, "line_1", f"All items: {label}", who), by_hand)
    assert estimate_in(tables, "plan", "line_1", "All items: macro-F1", who)["n"] == "30"

    # Of each dataset, the mean recall of the classes that it has.
    of_item = {row["item"]: row["case"] for row in tables["items.csv"]}
    for dataset, has in (("Br35H", lambda n: n % 3 > 0), ("AISD", lambda n: n % 3 == 0)):
        items = [item for item in sorted(reference) if has(int(of_item[item][1:]))]
        own = [said[item] if said[item] in CLASSES else NONE for item in items]
        right = [reference[item] for item in items]
        by_hand = recall_score(right, own, labels=sorted(set(right)), average="macro")
        label = f"Dataset: {dataset}: balanced accuracy"
        assert math.isclose(value_of(tables, "diagnosis_classes", label, who, "phase_read"), by_hand)


@pytest.mark.parametrize(
    ("column", "model"),
    [("m, answer 2", "m"), ("m", "m"), ("m, answer B", "m, answer B"), (", answer 2", ", answer 2")],
)
def test_columns_of_several_answers_to_an_item_are_of_one_model(column: str, model: str) -> None:
    assert model_of(column) == model


def test_what_stands_beside_the_primary_estimate_is_declared_and_not_primary(tables: dict[str, Rows]) -> None:
    of_line = [row for row in tables["estimates.csv"] if (row["section"], row["table"]) == ("plan", "line_1")]

    assert {row["name"] for row in of_line if row["plan"] == "primary"} == {"macro-F1"}
    assert {row["name"] for row in of_line if row["plan"] == "also"} == {"weighted F1", "micro-F1", "balanced accuracy"}


def test_bootstraps_resample_within_each_class_as_the_plan_says(tables: dict[str, Rows]) -> None:
    row = estimate_in(tables, "plan", "line_1", "All items: macro-F1", MODEL)

    assert "cluster bootstrap within strata, percentile, 1000 resamples" in row["method"]
    # So many of each class are in every resample that recall of a class cannot be without a value.
    assert "no value" not in row["method"]


def test_people_together_are_beside_each_of_them_and_beside_models(tables: dict[str, Rows]) -> None:
    reference = references_in(tables, "diagnosis")
    rows = [row for row in tables["fields.csv"] if row["field"] == "diagnosis"]
    pairs = [(reference[row["item"]], row["value"] if row["value"] in CLASSES else NONE) for row in rows]
    by_hand = f1_score(*zip(*pairs, strict=True), labels=CLASSES, average="macro")
    together = estimate_in(tables, "plan", "line_1", "All items: macro-F1", "All raters")
    assert math.isclose(float(together["value"]), by_hand)
    assert (together["n"], together["unit"], together["n_clusters"]) == ("60", "verdict", "30")


@pytest.mark.parametrize("who", [PERSON, MODEL, OTHER])
def test_a_confidence_of_a_model_is_held_against_its_answers_as_that_of_a_person(
    tables: dict[str, Rows], who: str
) -> None:
    reference, said = references_in(tables, "diagnosis"), said_in(tables, "diagnosis", who)
    sure = {item: float(cell) for item, cell in said_in(tables, "confidence", who).items() if cell not in ("", "high")}
    known = [item for item in reference if said[item] in CLASSES and item in sure]
    squares = [(sure[item] - (said[item] == reference[item])) ** 2 for item in known]
    brier = estimate_in(tables, "plan", "line_3", "All items: Brier score", who)
    assert math.isclose(float(brier["value"]), sum(squares) / len(squares)) and int(brier["n"]) == len(known)

    bins: dict[int, list[float]] = {}
    for item in known:
        # Closed on the right.
        bins.setdefault(math.ceil(round(10 * sure[item], 6)), []).append((said[item] == reference[item]) - sure[item])
    error = sum(abs(sum(own)) for own in bins.values()) / len(known)
    assert math.isclose(value_of(tables, "line_3", "All items: calibration error (ECE)", who), error)

    # An abstention, and what is not one of the options, gives all classes the same.
    scored = [item for item in sorted(reference) if item in known or said[item] not in CLASSES]
    order = sorted(CLASSES)
    scores = [
        [sure[item] if each == said[item] else (1 - sure[item]) / 4 for each in order] if item in known else [0.2] * 5
        for item in scored
    ]
    area = roc_auc_score([order.index(reference[item]) for item in scored], scores, multi_class="ovr")
    row = estimate_in(tables, "plan", "line_4", "All items: macro AUC, one class against the rest", who)
    assert math.isclose(float(row["value"]), area) and int(row["n"]) == len(scored)


@pytest.mark.parametrize("who", [PERSON, MODEL])
def test_a_subtype_has_two_denominators(tables: dict[str, Rows], who: str) -> None:
    above, wanted = references_in(tables, "diagnosis"), references_in(tables, "detailed_diagnosis")
    diagnosis, subtype = said_in(tables, "diagnosis", who), said_in(tables, "detailed_diagnosis", who)
    where_right = [item for item in wanted if diagnosis[item] == above[item]]
    table = ("detailed_diagnosis_depending", "All items: accuracy where the answer above is right", who, "phase_read")
    right = sum(subtype.get(item) == wanted[item] for item in where_right)
    assert math.isclose(value_of(tables, *table), right / len(where_right))
    row = estimate_in(
        tables, "phase_read", "detailed_diagnosis_depending", "All items: accuracy of all with a reference", who
    )
    of_all = sum(subtype.get(item) == wanted[item] for item in wanted)
    assert math.isclose(float(row["value"]), of_all / len(wanted)) and int(row["n"]) == len(wanted) == 18

    # The same of macro-F1, over the subtypes that the reference names.
    items = sorted(wanted)
    given = [subtype.get(item, NONE) if subtype.get(item) in SUBTYPES else NONE for item in items]
    by_hand = f1_score(
        [wanted[item] for item in items], given, labels=sorted(set(wanted.values())), average="macro"
    )  # fmt: skip
    row = estimate_in(tables, "plan", "line_2_4", "All items: macro-F1 of all with a reference", who)
    assert math.isclose(float(row["value"]), by_hand) and row["plan"] == "also"


@pytest.mark.parametrize("who", [PERSON, MODEL, OTHER])
def test_several_fields_are_right_at_once_of_a_model_as_of_a_person(tables: dict[str, Rows], who: str) -> None:
    fields = ("modality", "plane", "diagnosis")
    references, said = ({field: of(field) for field in fields} for of in (
        lambda field: references_in(tables, field), lambda field: said_in(tables, field, who)
    ))  # fmt: skip
    items = sorted(set.intersection(*(set(own) for own in references.values())))
    at_once = [all(said[field].get(item) == references[field][item] for field in fields) for item in items]

    row = estimate_in(tables, "plan", "line_5_1", "All items: right in all fields at once", who)

    assert math.isclose(float(row["value"]), sum(at_once) / len(at_once))
    assert (row["n"], row["plan"]) == (str(len(items)), "also")
    # The phase takes all five fields together, which the plan does not declare.
    of_phase = estimate_in(tables, "phase_read", "modality_all_right", "All items: right in all fields at once", who)
    assert int(of_phase["n"]) < len(items) and (of_phase["plan"], of_phase["note"]) == ("", "")


def test_chance_counts_the_subtypes_that_go_with_the_right_diagnosis(tables: dict[str, Rows]) -> None:
    floor = estimate_in(tables, "phase_read", "detailed_diagnosis_floors", "All items: chance floor", "Chance")

    # Six tumours of eleven subtypes, six strokes of two, six others of three.
    assert math.isclose(float(floor["value"]), (1 / 11 + 1 / 2 + 1 / 3) / 3) and int(floor["n"]) == 18
    assert floor["method"] == "mean of 1 / number of options left by the right answer above"


def test_what_a_model_wrote_that_is_no_answer_is_counted_apart(tables: dict[str, Rows]) -> None:
    table = "diagnosis_invalid"
    assert math.isclose(value_of(tables, table, "All items: none of the options", OTHER, "phase_read"), 1 / 30)
    assert math.isclose(value_of(tables, table, "All items: no answer", OTHER, "phase_read"), 1 / 30)
    abstained = list(said_in(tables, "diagnosis", OTHER).values()).count("undetermined")
    label = "All items: undetermined"
    assert math.isclose(value_of(tables, "diagnosis_undetermined", label, OTHER, "phase_read"), abstained / 30)


def test_a_reliability_curve_is_accuracy_over_mean_confidence_by_tenths(
    tables: dict[str, Rows], figures: dict[str, Figure]
) -> None:
    reference, said = references_in(tables, "diagnosis"), said_in(tables, "diagnosis", MODEL)
    sure = {item: float(cell) for item, cell in said_in(tables, "confidence", MODEL).items()}
    bins: dict[int, list[str]] = {}
    for item in reference:
        if said[item] in CLASSES:
            bins.setdefault(math.ceil(round(10 * sure[item], 6)), []).append(item)
    curve = next(
        trace
        for trace in figures["phase_read-confidence_reliability"].figure.data
        if str(trace.name).startswith(f"{MODEL} (n = ")
    )

    assert list(curve.text) == [f"n = {len(bins[tenth])}" for tenth in sorted(bins)]
    for x, y, tenth in zip(curve.x, curve.y, sorted(bins), strict=True):
        items = bins[tenth]
        assert x == pytest.approx(100 * sum(sure[item] for item in items) / len(items))
        assert y == pytest.approx(100 * sum(said[item] == reference[item] for item in items) / len(items))
    # Each party has a dash of its own, so that they are told apart in grey.
    lines = [trace.line.dash for trace in figures["phase_read-confidence_reliability"].figure.data if trace.name]
    assert len(set(lines)) == len(lines) == 5


def test_models_are_not_drawn_as_raters_between_floors_and_ceilings(figures: dict[str, Figure]) -> None:
    drawn = {str(trace.name) for trace in figures["phase_read-diagnosis_levels"].figure.data}

    assert {"Without the images", "Raters", "Models", "Ceilings"} <= drawn


def test_only_a_table_with_a_row_for_each_column_speaks_of_a_diagonal(figures: dict[str, Figure]) -> None:
    captions = {title: key.caption for key in figures.values() if "Reference against" in (title := key.title)}
    models_answers = captions[f"Detailed diagnosis: Reference against {MODEL}"]

    assert "Counts of answers; where row and column have the same name, both say the same." in models_answers
    assert "on the diagonal both say the same." in captions["Plane: Reference against All raters"]


def test_answers_are_counted_against_the_reference_with_both_margins(
    tables: dict[str, Rows], figures: dict[str, Figure]
) -> None:
    key = f"diagnosis_matrix_reference_{OTHER}"
    reference, said = references_in(tables, "diagnosis"), said_in(tables, "diagnosis", OTHER)
    counted = [row for row in tables["counts.csv"] if (row["section"], row["table"]) == ("phase_read", key)]
    cell = {(row["row"], row["column"]): row["value"] for row in counted}
    strokes = [item for item in reference if reference[item] == "stroke"]
    assert cell["2", f"{OTHER}: Stroke"] == str(sum(said[item] == "stroke" for item in strokes))
    drawn = figures[f"phase_read-{key}"].figure.data[0]
    assert "Stroke (6)" in list(drawn.y) and "Not an answer (2)" in list(drawn.x)


def test_a_long_explanation_is_given_once_in_a_section(made: tuple[dict[str, Rows], dict[str, Figure], Report]) -> None:
    section = made[2].section("phase_read")
    assert section is not None
    said = [table.explanation for table in section.tables if table.key.endswith("_classes")]

    assert len(said) > 2 and ["harmonic mean" in each for each in said] == [True] + [False] * (len(said) - 1)
    assert all(each.startswith("What these figures are is said under “") for each in said[1:])
