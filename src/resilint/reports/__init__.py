"""How an outcome is shown. Nothing here decides anything."""

from resilint.reports.machine import as_json, concise
from resilint.reports.summary import Report, Summary, counted, url
from resilint.reports.text import Style, text

__all__ = ["Report", "Style", "Summary", "as_json", "concise", "counted", "text", "url"]
