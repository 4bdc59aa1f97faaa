"""The words of all pages, a folder of files for each language, and what finds them.

A new language is a new folder. Begin with `words`.
"""
