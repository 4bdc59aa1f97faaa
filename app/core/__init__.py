"""The machine: what every feature stands on and none of them owns.

Begin with `operation` (what an endpoint is) and `app` (the one door, `App.call`).
"""
