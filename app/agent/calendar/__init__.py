"""What takes place when, and when there is time.

May import priorities. Begin with `calendar_search`.
"""
