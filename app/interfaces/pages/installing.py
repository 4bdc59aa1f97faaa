"""What lets a browser install the home, and read its shell while the server is away."""

import json

from starlette.responses import Response
from starlette.routing import Route

from app.interfaces.pages import static_files
from app.interfaces.pages.render_page import page
from app.interfaces.pages.visit import Visit

KEPT = ("hearth.css", "home.css", "hearth.svg", "away.js", "dom.js")
MANIFEST = {
    "name": "Hearth",
    "short_name": "Hearth",
    "start_url": "/",
    "scope": "/",
    "display": "standalone",
    "background_color": "#fbf9f6",
    "theme_color": "#fbf9f6",
}
SHORTCUTS = {"new_note": "/notes/new", "todos": "/todos", "agent": "/agent"}
SCRIPT_POLICY = {"Content-Security-Policy": "default-src 'none'; connect-src 'self'"}
AWAY_POLICY = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
        "connect-src 'self'; base-uri 'none'; frame-ancestors 'none'; "
        "require-trusted-types-for 'script'; trusted-types hearth"
    )
}


def routes() -> list[Route]:
    """Give the routes."""
    return [
        Route("/manifest.webmanifest", manifest),
        Route("/worker.js", worker),
        Route("/away", away),
    ]


async def manifest(visit: Visit) -> Response:
    """Tell a browser how the home is called and looks when it is installed."""
    icons = [
        {
            "src": static_files.address_of("icon.svg"),
            "sizes": "any",
            "type": "image/svg+xml",
            "purpose": purpose,
        }
        for purpose in ("any", "maskable")
    ]
    say = await visit.words()
    said = {
        "lang": say.language,
        "description": say("pages.manifest.description"),
        "shortcuts": [
            {"name": say(f"pages.manifest.{name}"), "url": url} for name, url in SHORTCUTS.items()
        ],
    }
    return Response(
        json.dumps(MANIFEST | said | {"icons": icons}),
        media_type="application/manifest+json",
        headers={"Cache-Control": "no-cache", "Vary": "Accept-Language, Cookie"},
    )


async def worker(_: Visit) -> Response:
    """Give the script that keeps the shell in the browser; its text changes with the shell."""
    kept = json.dumps(["/away", *map(static_files.address_of, KEPT)])
    text = static_files.text_of("worker.js")
    return Response(
        f'const VERSION = "{static_files.version()}";\nconst KEPT = {kept};\n{text}',
        media_type="text/javascript; charset=utf-8",
        headers={"Cache-Control": "no-cache", **SCRIPT_POLICY},
    )


async def away(visit: Visit) -> Response:
    """Show what is read while the server is away; it holds nothing of anybody."""
    return await page(visit, "away", headers=AWAY_POLICY)
