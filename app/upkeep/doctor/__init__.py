"""What `hearth doctor` looks for, and what it can repair.

Begin with `doctor`, then `examine`.
"""
