"""The Markdown dialect, and its HTML.

May import `core.process`. Begin with `to_html`; the rules of the dialect are in `dialect`.
"""
