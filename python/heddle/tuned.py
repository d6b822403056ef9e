"""A machine's profile on the terminal, beside the one that is built in."""

from rich.table import Table
from rich.text import Text

from heddle.console import console

NAMES = {
    "call_ns": "process_vm_readv: a call",
    "remote_entry_ns": "… each piece of the sender",
    "local_entry_ns": "… each piece of the receiver",
    "byte_ns": "… bytes",
    "lone_line_of_other_core_ns": "a line of the other core that lies alone",
    "lone_line_of_own_ns": "one of our own that lies alone",
    "byte_from_other_core_ns": "bytes that the other core has just written",
    "byte_in_own_memory_ns": "bytes copied in our own memory",
    "handover_ns": "a word to the other core",
    "announcement_ns": "128 bytes to the other core",
    "pack_ns_per_byte": "pack",
    "unpack_ns_per_byte": "unpack",
    "pack_by_columns_ns_per_byte": "pack by columns",
    "move_ns_per_byte": "one pass",
    "move_by_columns_ns_per_byte": "one pass, by columns",
}


def speed(ns_per_byte: float) -> str:
    return f"{1 / ns_per_byte:.1f} GB/s" if ns_per_byte else "no cost"


def cost(name: str, value: float) -> str:
    return speed(value) if "byte" in name else f"{value:.3g} ns"


def single(profile: dict, builtin: dict) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("")
    table.add_column("here", justify="right")
    table.add_column("built in", justify="right", style="dim")
    for group in ("process_vm_readv", "mapped_memory"):
        for name, value in profile[group].items():
            table.add_row(NAMES.get(name, name), cost(name, value), cost(name, builtin[group][name]))
    return table


def curves(profile: dict) -> Table:
    names = [name for name, value in profile.items() if name.endswith("_ns_per_byte") and isinstance(value, dict)]
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("blocks of", justify="right")
    for name in names:
        table.add_column(NAMES.get(name, name), justify="right")
    for length in profile[names[0]]:
        table.add_row(length, *(speed(profile[name][length]) for name in names))
    return table


def show(answer: dict) -> None:
    out = console()
    machine = answer["profile"]["machine"]
    out.print(Text(f"{machine['processor']}, {machine['cores']} cores", style="bold"))
    out.print()
    out.print(single(answer["profile"], answer["builtin"]))
    out.print()
    out.print(curves(answer["profile"]))
    if answer["without"]:
        out.print(f"\n[yellow]{answer['without']}.[/]")
    out.print()
    out.print(Text(f"Written to {answer['path']}."))
