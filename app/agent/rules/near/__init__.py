"""What a message means that no pattern took: by nearness to examples of how people say things.

May import the languages, dialogue, routing and passages. Begin with `near`.
"""
