"""The languages as data, one folder for each; adding a language is adding a folder.

`language.toml` names the language, `phrases.toml` has the fixed sentences, `routing.toml` what
means which intent, `answers.toml` and `questions.toml` what else a message says, `times.toml` and
`quickadd.toml` the words for dates, and `lexicon.toml`, which may be missing, what words tell of a
thing. Begin with `language_data`, which reads them when they are needed.
"""
