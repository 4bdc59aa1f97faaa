"""What each language brings to quick add.

Begin with `language_spec`; adding a language is adding a module here.
"""
