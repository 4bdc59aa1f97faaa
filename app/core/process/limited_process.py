"""Run a program of somebody's within limits; it is started as a program itself.

It leads a group of processes, ends the whole group when the program has ended, and when whoever
started it is gone, which closes the pipe that the first argument names. The second names one that
is told the program's exit code, or is empty.

It imports nothing of the application, as every program so run waits for it.
"""

import contextlib
import os
import select
import signal
import sys

MOST_MEMORY = 4 << 30
"""What it may write to; far more is reserved by some without being used."""
MOST_CPU_SECONDS = 3_600
MOST_FILE = 1 << 30
NOT_STARTED = 127


def _limit() -> None:
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource

        for kind, most in (
            (resource.RLIMIT_CPU, MOST_CPU_SECONDS),
            (resource.RLIMIT_DATA, MOST_MEMORY),
            (resource.RLIMIT_FSIZE, MOST_FILE),
            (resource.RLIMIT_CORE, 0),
        ):
            hard = resource.getrlimit(kind)[1]
            least = most if hard == resource.RLIM_INFINITY else min(most, hard)
            resource.setrlimit(kind, (least, least))
        os.nice(5)


def _run(command: list[str], life: int) -> None:
    """Become the program."""
    os.close(life)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGPIPE):
        signal.signal(number, signal.SIG_DFL)
    _limit()
    try:
        os.execvp(command[0], command)  # noqa: S606 - a list of arguments, no shell
    except OSError as error:
        os.write(2, f"{command[0]}: {error.strerror}\n".encode())
        os._exit(NOT_STARTED)


def main() -> None:
    """Run the program that the arguments after the first name."""
    life, report, command = int(sys.argv[1]), sys.argv[2], sys.argv[3:]
    for number in (life, *([int(report)] if report else [])):
        os.set_inheritable(number, False)
    ended, ending = os.pipe()
    child = os.fork()
    if child == 0:
        _run(command, life)
    for standard in (0, 1):
        os.close(standard)  # they are the program's alone, so that its end is seen
    os.close(2)
    # A handler in Python could come too late: between the first look and the wait for the second.
    os.set_blocking(ending, False)
    signal.set_wakeup_fd(ending)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    with contextlib.suppress(ChildProcessError):
        done, status = os.waitpid(child, os.WNOHANG)
        if done == 0 and ended in select.select([life, ended], [], [])[0]:
            done, status = os.waitpid(child, os.WNOHANG)
        if done and report:
            os.write(int(report), b"%d" % os.waitstatus_to_exitcode(status))
    os.killpg(0, signal.SIGKILL)


if __name__ == "__main__":
    main()
