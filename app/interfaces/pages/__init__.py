"""What is answered outside the API: pages, sign-in, the guests' endpoint.

Begin with `visit`.
"""
