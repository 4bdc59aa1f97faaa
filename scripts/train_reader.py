"""Make the readers of languages from their labelled messages.

`python3 scripts/train_reader.py [LANGUAGE …] [--held-out]`, all languages where none is named:
`said.tsv` of a language's folder becomes `intents.crf.xz` and `slots.crf.xz` beside it, and those
of all together `languages.crf.xz`, which tells languages apart. With
`--held-out` nothing is written; every fifth message is left out, and it is told how often the
reader is right on those.
"""

import argparse
import sys

from environment import ROOT, use_own_python


def main(arguments: list[str]) -> None:
    """Train the readers that were asked for, or all."""
    use_own_python()
    sys.path.insert(0, str(ROOT))
    from reading import train  # only in the environment that has what it needs

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("language", nargs="*", help="which; all without one")
    parser.add_argument("--held-out", action="store_true", help="measure instead")
    asked = parser.parse_args(arguments)
    for language in asked.language or train.languages():
        print(train.measure(language) if asked.held_out else train.make(language), flush=True)
    if not asked.held_out:
        print(train.make_languages())


if __name__ == "__main__":
    main(sys.argv[1:])
