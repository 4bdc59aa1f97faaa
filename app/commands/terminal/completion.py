"""`hearth completion`: the script by which a shell completes commands and options."""

import click

from app.commands.terminal.command_group import Refused

SHELLS = ("bash", "zsh", "fish")


@click.command(
    epilog="\b\nExamples:\n  hearth completion bash > ~/.local/share/bash-completion/completions/"
    'hearth\n  hearth completion zsh > "${fpath[1]}/_hearth"\n'
    "  hearth completion fish > ~/.config/fish/completions/hearth.fish"
)
@click.argument("shell", type=click.Choice(SHELLS))
@click.pass_context
def completion(ctx: click.Context, shell: str) -> None:
    """Print the script that completes commands and options in a shell."""
    from click.shell_completion import get_completion_class

    found = get_completion_class(shell)
    if found is None:
        raise Refused(f"There is no completion for {shell}.")
    root = ctx.find_root()
    made = found(root.command, {}, "hearth", "_HEARTH_COMPLETE")
    # not `source()`, which for bash asks the bash at hand for its version
    click.echo(made.source_template % made.source_vars(), nl=False)
