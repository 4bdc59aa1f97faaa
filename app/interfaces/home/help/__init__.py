"""The guide, as pages.

Begin with `help_page`.
"""
