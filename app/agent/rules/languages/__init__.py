"""The languages as data, one folder for each; adding a language is adding a folder.

`language.toml` names the language, `phrases.toml` has the fixed sentences, `routing.toml` what
means which intent, `answers.toml` and `questions.toml` what else a message says, `times.toml` and
`quickadd.toml` the words for dates, `persona.toml` how the agent is told its manner. Three may be
missing: `lexicon.toml` tells what words say of a thing, `things.toml` how lists and mail speak,
`checklist.toml` what a line of the heartbeat's checklist asks for.

The fields of each stand in `language_tables`. Begin with `language_data`, which reads them when
they are needed.
"""
