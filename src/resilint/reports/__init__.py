"""How an outcome is shown. Nothing here decides anything."""

from resilint.reports.concise import concise
from resilint.reports.formats import FORMATS, TEXT, formatted
from resilint.reports.json_object import as_json
from resilint.reports.summary import Described, Report, Summary, counted, url
from resilint.reports.text import Style, text

__all__ = [
    "FORMATS",
    "TEXT",
    "Described",
    "Report",
    "Style",
    "Summary",
    "as_json",
    "concise",
    "counted",
    "formatted",
    "text",
    "url",
]
