"""Everything that can be set: the account, keys, devices, tools, models, and one's data.

Begin with `section`.
"""
