"""The OAuth 2.1 authorization server: applications, what they ask, codes and tokens.

May import core and account. Begin with `authorization_server`, which stands on Authlib and is
imported with the first request; what its tokens open is looked up by `account.key_ring`.
"""
