"""The home in the browser: the pages of a person who is signed in.

A folder for each part of it, with its handlers; templates and words stand beside them. Pages ask
`App.call` with the session's caller, as every other way in does. Begin with `home_page`.
"""
