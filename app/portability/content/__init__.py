"""What export and import share: items, texts, addresses in texts, front matter, reports.

Begin with `source_items`.
"""
