"""The ceiling without storage.

Starlette routes that answer constants as large as real answers, on uvicorn.
"""

import argparse
import json
from pathlib import Path

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

API = "/api/v1"


def application(constants: dict[str, str]) -> Starlette:
    """Build the routes of the measured operations.

    `constants` maps a request's kind to the body of its answer.
    """
    bodies = {kind: body.encode() for kind, body in constants.items()}

    def reading(kind: str) -> Route:
        async def answer(_: Request) -> Response:
            return Response(bodies[kind], media_type="application/json")

        return Route(PATHS[kind], answer)

    def writing(kind: str, status: int) -> Route:
        async def answer(request: Request) -> Response:
            json.loads(await request.body())
            return Response(bodies[kind], status, media_type="application/json")

        return Route(PATHS[kind], answer, methods=["POST"])

    async def search(request: Request) -> Response:
        words = json.loads(await request.body())["query"].split()
        return Response(bodies[f"search{len(words)}"], media_type="application/json")

    return Starlette(
        routes=[
            *(reading(kind) for kind in ("read", "list", "todos", "health")),
            *(
                writing(kind, status)
                for kind, status in (("create", 201), ("grep", 200), ("accumulate", 200))
            ),
            Route(f"{API}/os/notes/search", search, methods=["POST"]),
        ]
    )


PATHS = {
    "read": f"{API}/os/notes/{{id:int}}",
    "list": f"{API}/os/notes",
    "todos": f"{API}/os/todos",
    "create": f"{API}/os/notes",
    "grep": f"{API}/os/notes/grep",
    "accumulate": f"{API}/accumulate",
    "health": "/healthz",
}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--constants", type=Path, required=True)
    options = parser.parse_args()
    served = application(json.loads(options.constants.read_text()))
    uvicorn.run(served, host="127.0.0.1", port=options.port, log_level="warning", access_log=False)
