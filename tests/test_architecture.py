"""The shape of the source: who may see whom, who writes which table, how long things are."""

import ast
import functools
import gc
import json
import re
import statistics
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
APP = ROOT / "app"
PATHS = sorted(path for path in APP.rglob("*.py") if path.name != "__init__.py")

PACKAGES = [
    "core.process",
    "core.markdown.to_html",
    "core.markdown.from_html",
    "core.markdown",
    "core.database",
    "core",
    "core.web",
    "account",
    "account.metering",
    "account.oauth",
    "account.profile",
    "workspace.index",
    "workspace.folders",
    "workspace.attachments",
    "workspace.notes",
    "workspace.todos",
    "workspace.trash",
    "workspace.search.vectors",
    "workspace.search.ranking",
    "workspace.search.grep",
    "workspace.search.quick_open",
    "workspace.search",
    "workspace.links",
    "workspace",
    "tools.mcp",
    "tools.registry",
    "tools.approvals",
    "tools.calendars",
    "tools",
    "agent.rules.languages",
    "agent.quickadd",
    "agent.memory",
    "agent.turn",
    "agent.priorities",
    "agent.calendar",
    "agent.rules.phrases",
    "agent.rules.routing",
    "agent.rules.passages",
    "agent.rules.dialogue",
    "agent.rules.answers",
    "agent.rules.reckoning",
    "agent.rules.mentions",
    "agent.rules.changes",
    "agent.rules.listed",
    "agent.rules.reader",
    "agent.rules.note_parts",
    "agent.rules.understood",
    "agent.rules",
    "agent.models.small_models",
    "agent.models",
    "agent.briefing",
    "agent.chat",
    "agent.heartbeat.records",
    "agent.heartbeat.look",
    "agent.heartbeat.decide",
    "agent.heartbeat.act",
    "agent.heartbeat",
    "network.grants",
    "network.contacts",
    "network.messages",
    "network.guests",
    "network",
    "webhooks",
    "managed_agents",
    "runtime.devices",
    "runtime.realtime",
    "runtime.grants",
    "runtime.messages",
    "runtime.approvals",
    "runtime.delegations",
    "vault",
    "raw_memory",
    "portability.content",
    "portability.archives",
    "portability.exports",
    "portability.imports",
    "portability.formats",
    "portability.formats.joplin",
    "portability.formats.ics",
    "portability",
]
"""The folders of the layers in order: a module may import from its own and from those before it."""

SEEN_BY_ALL = {"errors", "settings"}
BESIDE = {
    "embedding": {"embedding", "core"},  # the others know only core's Embedder
    "interfaces": {"interfaces", "core", "account"},
    "upkeep": {"upkeep", "core", "account", "workspace", "migrations"},  # keeps the file as a whole
    "migrations": {"migrations"},
    "errors": set(),
    "settings": set(),
}
"""What stands beside the layers, and the layers that it may see."""
SEE_EVERYTHING = {"main", "catalog", "__main__", "commands"}
FULL = 20
"""Modules in one folder at the most."""

EDGES = {
    "app/core/database/tx.py": 1,  # a savepoint undoes whatever was raised
    "app/core/database/batch.py": 1,  # a write's error goes to whoever asked for it
    "app/core/database/events.py": 1,  # a listener's failure harms nobody else
    # a turn that a mistake ends is stored and told as failed, not left running
    "app/agent/chat/run_turn.py": 1,
    # whatever a provider's answer makes its library raise, the rules take over
    "app/agent/models/guarded_model.py": 1,
    # the same in the middle of an answer, told as one kind of failure
    "app/agent/models/guarded_stream.py": 1,
    "app/agent/models/probe.py": 1,  # the same in a test, told as a sentence
    "app/agent/briefing/model_rewriter.py": 1,  # the same in a briefing, which then stays as it is
    "app/agent/heartbeat/run_once.py": 1,  # a run of the heartbeat that fails is stored as failed
    # the background work goes on after whatever failed
    "app/workspace/search/vectors/vector_maker.py": 1,
    # whatever a provider's library fails with ends its turn, which is stored
    "app/agent/models/model_loop.py": 1,
    # whatever the library for it or a server fails with is told of that server alone
    "app/tools/mcp/connection.py": 3,
    "app/webhooks/sender.py": 2,  # whatever an attempt or a look fails with, the sending goes on
    "app/embedding/worker.py": 1,  # a text on which the model fails harms no other
    # an answer in the form of its protocol instead of a broken stream
    "app/interfaces/mcp/asked.py": 1,
    "app/interfaces/http.py": 1,  # 500 instead of a broken connection
    "app/interfaces/schedule.py": 1,  # a background job that fails comes again
    "app/commands/server/http_server.py": 1,  # the command line says what went wrong
}
"""Where any exception at all may be caught, and how often."""

OUTSIDE_WORLD = (
    "app/core/",
    "app/commands/",
    "app/settings.py",
    "app/__main__.py",
    "app/interfaces/logs/access_log.py",
    "app/interfaces/exchange.py",  # when the caller's limit is whole again
    "app/embedding/worker_process.py",  # gives its child an environment without the settings
)
"""Who may ask for the time, the environment and chance.

The last one gives its child an environment without Hearth's settings.
"""

SPEAKERS = ("app/commands/", "app/__main__.py")
WRITERS_OF_TRANSACTIONS = {"app/core/database/batch.py", "app/core/database/tx.py"}


@functools.cache
def trees() -> dict[str, ast.Module]:
    """Give every module of the program, parsed when the first test asks."""
    found = {
        path.relative_to(ROOT).as_posix(): ast.parse(path.read_text("utf-8")) for path in PATHS
    }
    gc.freeze()  # each later search for garbage among its millions of nodes would take a second
    return found


@functools.cache
def walked(tree: ast.AST) -> list[ast.AST]:
    return list(ast.walk(tree))


def each_module(rule: Callable[[str], None]) -> Callable[[], None]:
    """Give one test of `rule` for all modules, which names each that breaks it.

    A test for each of them would cost more than what it looks at.
    """

    def test() -> None:
        broken = {}
        for module in trees():
            try:
                rule(module)
            except AssertionError as error:
                broken[module] = str(error)
        assert broken == {}

    test.__name__, test.__doc__ = rule.__name__, rule.__doc__
    return test


def area(module: str) -> str:
    """The package below app, or the module's own name."""
    return Path(module).parts[1].removesuffix(".py")


def imported(tree: ast.AST) -> Iterator[str]:
    for node in walked(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports name the whole path"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def dotted(node: ast.AST) -> str:
    return ast.unparse(node) if isinstance(node, ast.Attribute | ast.Name) else ""


def texts(tree: ast.AST) -> Iterator[str]:
    """Every string of the code that is not a docstring, f-strings with their holes left out."""
    docstrings = {
        id(node.value)
        for node in walked(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    for node in walked(tree):
        if (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and id(node) not in docstrings
        ):
            yield node.value


def functions(tree: ast.AST) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    return (
        node for node in walked(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    )


def body_lines(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """The lines of a function's body without its docstring."""
    first = function.body[1:] if ast.get_docstring(function) else function.body
    return (first[-1].end_lineno or 0) - first[0].lineno + 1 if first else 0


@functools.cache
def package(name: str) -> str:
    """Give the folder that a module lies in, or the folder itself: `app.core.tx` is in `core`."""
    path = APP.joinpath(*name.split(".")[1:])
    folder = path if path.is_dir() else path.parent
    return ".".join(folder.relative_to(APP).parts)


@each_module
def test_imports_point_one_way(module: str) -> None:
    here = area(module)
    if here in SEE_EVERYTHING:
        return
    seen = {name for name in imported(trees()[module]) if name.startswith("app.")}
    seen = {name for name in seen if name.split(".")[1] not in SEEN_BY_ALL}
    if here in BESIDE:
        assert {name.split(".")[1] for name in seen} <= BESIDE[here]
        return
    own = package(".".join(Path(module).with_suffix("").parts))
    allowed = set(PACKAGES[: PACKAGES.index(own) + 1])
    assert sorted({package(name) for name in map(module_of, seen)} - allowed) == []


@functools.cache
def module_of(name: str) -> str:
    """Give the module or package that an imported name is, or lies in."""
    path = APP.joinpath(*name.split(".")[1:])
    return name if path.is_dir() or path.with_suffix(".py").exists() else name.rpartition(".")[0]


def test_every_folder_has_its_place_and_says_what_lives_there() -> None:
    folders = {package(".".join(Path(module).with_suffix("").parts)) for module in trees()} - {""}
    layers = {one for one in folders if one.split(".")[0] not in BESIDE.keys() | SEE_EVERYTHING}
    assert layers == set(PACKAGES)
    silent = [one for one in folders if not ast.get_docstring(ast.parse(init_of(one)))]
    assert silent == []


def init_of(folder: str) -> str:
    return APP.joinpath(*folder.split("."), "__init__.py").read_text("utf-8")


def test_no_folder_is_full() -> None:
    counts = Counter(Path(module).parent.as_posix() for module in trees())
    assert {folder: count for folder, count in counts.items() if count > FULL} == {}


def test_nothing_imports_the_tests_or_scripts() -> None:
    names = {name.split(".")[0] for tree in trees().values() for name in imported(tree)}
    assert not names & {
        "tests",
        "scripts",
        "environment",
        "browser",
        "check",
        "docs",
        "bench",
        "evaluate",
        "evaluate_search",
        "evaluation",
        "search_quality",
        "wire",
        "wire_servers",
    }


@each_module
def test_a_module_opens_with_a_sentence(module: str) -> None:
    first = (ast.get_docstring(trees()[module]) or "").partition("\n")[0]
    assert re.match(r"[A-Z`].*[.:;]$", first), first


@each_module
def test_a_public_function_says_what_the_caller_gets(module: str) -> None:
    public = [
        node
        for node in trees()[module].body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and not node.name.startswith("_")
    ]
    assert [node.name for node in public if not ast.get_docstring(node)] == []


def test_files_are_small() -> None:
    lines = {module: len((ROOT / module).read_text("utf-8").splitlines()) for module in trees()}
    assert {module: count for module, count in lines.items() if count > 400} == {}
    assert statistics.median(lines.values()) < 150


def test_functions_are_small() -> None:
    lines = {
        f"{module}:{one.name}": body_lines(one)
        for module, tree in trees().items()
        for one in functions(tree)
    }
    assert {name: count for name, count in lines.items() if count > 60} == {}
    assert statistics.median(lines.values()) < 10


def test_each_table_is_written_by_exactly_one_module() -> None:
    writers: dict[str, set[str]] = defaultdict(set)
    for module, tree in trees().items():
        if not module.startswith("app/migrations/"):
            for text in texts(tree):
                for table in re.findall(
                    r"\b(?:INSERT(?: OR \w+)? INTO|UPDATE(?!\s+SET)|DELETE FROM"
                    r"|REPLACE INTO)\s+(\w+)",
                    text,
                ):
                    writers[table].add(module)
            for node in walked(tree):
                if isinstance(node, ast.Call) and dotted(node.func).endswith(
                    ("tx.insert", "tx.update")
                ):
                    writers[ast.literal_eval(node.args[0])].add(module)
    tables = set(
        re.findall(r"CREATE (?:VIRTUAL )?TABLE (\w+)", (APP / "schema.sql").read_text("utf-8"))
    )
    assert {table: modules for table, modules in writers.items() if len(modules) > 1} == {}
    assert set(writers) == tables


@each_module
def test_only_the_store_begins_and_ends_transactions(module: str) -> None:
    """BEGIN:VTODO and its like are iCalendar's."""
    said = [
        text
        for text in texts(trees()[module])
        if re.match(r"\s*(BEGIN|COMMIT|ROLLBACK|SAVEPOINT|RELEASE|END)\b(?!:V)", text)
    ]
    called = [
        dotted(node.func)
        for node in walked(trees()[module])
        if isinstance(node, ast.Call) and dotted(node.func).endswith((".commit", ".rollback"))
    ]
    if module in WRITERS_OF_TRANSACTIONS:
        assert said
    else:
        assert (said, called) == ([], [])


@each_module
def test_what_is_one_transaction_is_no_async_operation(module: str) -> None:
    """One that uses the App for its settings and a single step only needs a `tx`."""
    needless = []
    for one in functions(trees()[module]):
        decorated = any("operation(" in ast.unparse(each) for each in one.decorator_list)
        if not decorated or not isinstance(one, ast.AsyncFunctionDef):
            continue
        names = [dotted(node) for node in walked(one)]
        used = Counter(name for name in names if name == "app" or name.startswith("app."))
        plain = {name for name in used if name.count(".") < 2} - {"app"}
        apart = used["app"] > sum(used[name] for name in plain)  # passed on as a whole
        steps = used["app.read"] + used["app.write"] + used["app.quick"]
        if steps == 1 and not apart and plain <= {"app.settings", "app.read", "app.write"}:
            needless.append(one.name)
    assert needless == []


@each_module
def test_time_environment_and_chance_come_from_few_places(module: str) -> None:
    if module.startswith(OUTSIDE_WORLD):
        return
    tree = trees()[module]
    asked = {dotted(node) for node in walked(tree)} & {
        "datetime.now",
        "datetime.utcnow",
        "datetime.today",
        "date.today",
        "time.time",
        "os.environ",
        "os.getenv",
        "os.urandom",
    }
    brought = {name.split(".")[0] for name in imported(tree)} & {"random", "secrets", "uuid"}
    assert (asked, brought) == (set(), set())


def test_main_makes_every_part_that_a_feature_asks_for() -> None:
    asked = {
        ast.unparse(node.args[0])
        for tree in trees().values()
        for node in walked(tree)
        if isinstance(node, ast.Call) and dotted(node.func).endswith(".part")
    }
    made = [
        ast.unparse(part.func)
        for node in walked(trees()["app/main.py"])
        if isinstance(node, ast.AugAssign) and dotted(node.target) == "app.parts"
        for part in getattr(node.value, "elts", ())
    ]
    assert sorted(made) == sorted(asked)


def test_any_exception_at_all_is_caught_only_at_the_edges() -> None:
    caught: dict[str, int] = defaultdict(int)
    for module, tree in trees().items():
        for node in walked(tree):
            if isinstance(node, ast.ExceptHandler) and (
                node.type is None or dotted(node.type) == "Exception"
            ):
                caught[module] += 1
    assert caught == EDGES


@each_module
def test_only_commands_speak_to_the_terminal(module: str) -> None:
    if module.startswith(SPEAKERS):
        return
    called = {dotted(node.func) for node in walked(trees()[module]) if isinstance(node, ast.Call)}
    assert not called & {
        "print",
        "click.echo",
        "sys.stdout.write",
        "sys.stderr.write",
        "breakpoint",
        "input",
    }


@each_module
def test_there_is_one_sqlite_in_the_process(module: str) -> None:
    brought = {name.split(".")[0] for name in imported(trees()[module])}
    assert not brought & {"pysqlite3", "apsw", "sqlean", "sqlcipher3", "sqlalchemy"}


@each_module
def test_no_code_opens_the_database_as_a_plain_file(module: str) -> None:
    """Closing such a file would drop the locks that SQLite holds on it."""
    openers = {
        "open",
        "read_bytes",
        "read_text",
        "write_bytes",
        "write_text",
        "copy",
        "copy2",
        "copyfile",
        "move",
        "sendfile",
        "FileResponse",
    }
    suspects = [
        ast.unparse(node)
        for node in walked(trees()[module])
        if isinstance(node, ast.Call)
        and dotted(node.func).rpartition(".")[2] in openers
        and re.search(r"DATABASE|database|\.db\b|-wal", "".join(map(ast.unparse, operands(node))))
    ]
    assert suspects == []


def operands(call: ast.Call) -> Iterator[ast.expr]:
    """Yield a call's arguments, and the object whose method it is, unless that is a module."""
    yield from call.args
    yield from (keyword.value for keyword in call.keywords)
    if isinstance(call.func, ast.Attribute) and not isinstance(call.func.value, ast.Name):
        yield call.func.value


def test_every_table_is_strict() -> None:
    schema = (APP / "schema.sql").read_text("utf-8")
    for statement in re.findall(r"CREATE TABLE .*?;\n", schema, re.DOTALL):
        assert "STRICT" in statement.rpartition(")")[2], statement


LARGE_PATTERN = 3_000
LOADED_PATTERNS = """
import json, re, sys
import app.commands.server.serve, app.main
print(json.dumps({
    f"{name}.{key}": sys.getsizeof(value)
    for name, module in sys.modules.items() if name.startswith("app.")
    for key, value in vars(module).items() if isinstance(value, re.Pattern)
}))
"""


def test_only_small_patterns_are_compiled_while_the_program_loads() -> None:
    """A larger one takes up to some milliseconds of every start; a cached function compiles it at
    its first use.
    """
    held = subprocess.run(
        [sys.executable, "-c", LOADED_PATTERNS],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
    )
    sizes = json.loads(held.stdout)
    assert len(sizes) > 50
    assert {name: size for name, size in sizes.items() if size > LARGE_PATTERN} == {}
