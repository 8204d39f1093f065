"""The agreement report of a study."""

from components import report_view, session
from services.studies import catalogue

actor = session.current_actor()
with session.refusals():
    head = report_view.draw_head("Agreement report")
    with head:
        line = report_view.choose_study(catalogue.studies_of(session.database(), actor))
    report = report_view.open_report(actor, line)
    report_view.draw_report(actor, report, head)
