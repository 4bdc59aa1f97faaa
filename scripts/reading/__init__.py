"""Making the readers of languages, which tell what a message wishes."""
