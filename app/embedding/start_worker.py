"""The start of the process that turns texts into vectors.

It is `python -m app.embedding.start_worker MODEL...`, with the files of all models that make one
vector. A search may wait for it: what is loaded here and in `worker` is what the first query needs,
and the files are compared with their digests beside the loading of numpy.
"""

import signal
import sys
from pathlib import Path

from app.embedding.message_frames import Answer, encode_frame
from app.embedding.model_file import MappedModel, ModelFileError


def main() -> None:
    """Map the models, load what computes with them, and work."""
    # Ctrl-C means the server, which ends its worker in its own time
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        files = [MappedModel(Path(path)) for path in sys.argv[1:]]
    except ModelFileError as error:
        sys.stdout.buffer.write(encode_frame(Answer(0, failure=str(error))))
        return
    from app.embedding.worker import work

    work(files)


if __name__ == "__main__":
    main()
