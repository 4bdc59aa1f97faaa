"""The access log and its older parts.

Begin with `access_log`.
"""
