"""HTML back to Markdown, as editors and web pages write it.

May import `to_html`. Begin with `from_html`; what cannot be kept is noted in `html_losses`.
"""
