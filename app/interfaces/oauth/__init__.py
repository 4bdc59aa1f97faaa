"""OAuth over HTTP: what the server says of itself, its endpoints, and the page that asks a user.

Begin with `consent_pages`; the rules are those of `app.account.oauth`.
"""
