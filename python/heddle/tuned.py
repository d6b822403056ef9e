"""A machine's profile on the terminal, beside the built-in profile."""

from rich.table import Table
from rich.text import Text

from heddle.console import say, table_console

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

HOSTS = {"messages_of_mpich": "MPICH", "messages_of_openmpi": "Open MPI"}
LINKS = {
    "one_ns": "one, to another core",
    "further_ns": "each further one at the same time",
    "byte_ns": "bytes of a long one",
    "shared_core_turn_ns": "ranks that share cores: a turn",
    "shared_core_message_ns": "… a message",
    "shared_core_bundles_ns": "… a round of bundles, beyond one of blocks",
}

NODES = {"between_nodes_by_mpich": "MPICH", "between_nodes_by_openmpi": "Open MPI"}
BETWEEN = {
    "message_ns": "the library's, in one piece",
    "message_byte_ns": "… bytes",
    "fabric_greeting_ns": "over libfabric: to be answered",
    "fabric_segment_ns": "… each segment",
    "fabric_operation_ns": "… each operation",
    "fabric_byte_ns": "… bytes",
}


NOT_SURE = "not sure"
NOT_MEASURED = "not measured"
BUILT_IN = " (built in)"


def speed(ns_per_byte: float) -> str:
    if not ns_per_byte:
        return "no cost"
    gb = 1 / ns_per_byte
    return f"{gb:.1f} GB/s" if gb >= 1 else f"{gb:.2g} GB/s"


def cost(name: str, value: float) -> str:
    return speed(value) if "byte" in name else time(value) if value >= 100 else f"{value:.3g} ns"


def single(profile: dict, builtin: dict, unsure: list[str], kept: list[str]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("")
    table.add_column("here", justify="right")
    table.add_column("built in", justify="right", style="dim")
    for group in ("process_vm_readv", "mapped_memory"):
        for name, value in profile[group].items():
            here = NOT_MEASURED if f"{group}/{name}" in kept else cost(name, value)
            here = NOT_SURE if f"{group}/{name}" in unsure else here
            table.add_row(NAMES.get(name, name), here, cost(name, builtin[group][name]))
    return table


def built_in(unsure: list[str], kept: list[str]) -> str:
    """The meaning of marks in `single` and `kernels`; "": there are none."""
    marked = [one for one in kept if not one.startswith(tuple(HOSTS))]
    marks = [*([NOT_SURE] if unsure else []), *([NOT_MEASURED] if marked else [])]
    return f"{' and '.join(marks).capitalize()}: the built-in value holds." if marks else ""


HOLES = "with_holes_ns_per_byte"


def kernels(profile: dict, unsure: list[str], kept: list[str]) -> Table:
    """The speeds of packing kernels by length of block."""
    by_length = {name: value for name, value in profile.items() if name.endswith("_ns_per_byte") and isinstance(value, dict)}
    return _curves(by_length, unsure, kept)


def holes(profile: dict) -> Table:
    """The speeds of messages with holes."""
    by_length = {f"messages, {title}": profile[host][HOLES] for host, title in HOSTS.items() if HOLES in profile.get(host, {})}
    return _curves(by_length, [], [])


def _curves(by_length: dict[str, dict], unsure: list[str], kept: list[str]) -> Table:
    names = list(by_length)
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("blocks of", justify="right")
    for name in names:
        table.add_column(NAMES.get(name, name), justify="right")
    for length in by_length[names[0]]:
        marks = {f"{name}/{length}": NOT_MEASURED for name in names if f"{name}/{length}" in kept}
        marks |= {f"{name}/{length}": NOT_SURE for name in names if f"{name}/{length}" in unsure}
        table.add_row(length, *(marks.get(f"{name}/{length}") or speed(by_length[name][length]) for name in names))
    return table


def links(profile: dict, hosts: list[str], kept: list[str]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("messages of 8 bytes")
    for host in hosts:
        table.add_column(HOSTS[host], justify="right")
    for name, title in LINKS.items():
        said = speed if name == "byte_ns" else time
        table.add_row(title, *(said(profile[host][name]) + (BUILT_IN if f"{host}/{name}" in kept else "") for host in hosts))
    return table


def nodes(profile: dict, hosts: list[str]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("messages between nodes")
    for host in hosts:
        table.add_column(f"{NODES[host]}, {profile[host]['fabric_provider']}", justify="right")
    for name, title in BETWEEN.items():
        table.add_row(title, *((speed if "byte" in name else time)(profile[host][name]) for host in hosts))
    return table


def thresholds(profile: dict, builtin: dict) -> str:
    """The sizes at which packing kernels change, if they differ from the built-in sizes."""
    here, usual = profile.get("packing_kernels", {}), builtin.get("packing_kernels", {})
    changed = [f"{name} {here[name]:,} (built in: {usual[name]:,})" for name in here if here[name] != usual.get(name)]
    return "Packing kernels change at " + ", ".join(changed) + "." if changed else ""


def time(ns: float) -> str:
    return f"{ns:,.0f} ns" if ns < 10_000 else f"{ns / 1e3:,.1f} µs"


def _dropped(notes: list[str]) -> str:
    """The messages whose figures the profile does not have, or has from before."""
    names = [note.partition(" are not ")[0] for note in notes if " are not kept" in note or " are not measured" in note]
    return f", without new figures of {'; '.join(names)}. All other measured figures are kept" if names else ""


def show(answer: dict) -> None:
    out = table_console()
    machine = answer["profile"]["machine"]
    out.print(Text(f"{machine['processor']}, {machine['cores']} cores", style="bold"))
    out.print()
    out.print(single(answer["profile"], answer["builtin"], answer["unsure"], answer["kept"]))
    out.print()
    out.print(kernels(answer["profile"], answer["unsure"], answer["kept"]))
    if legend := built_in(answer["unsure"], answer["kept"]):
        out.print()
        say(Text(legend, style="dim"))
    if any(HOLES in answer["profile"].get(host, {}) for host in HOSTS):
        out.print()
        out.print(holes(answer["profile"]))
    if messages := [name for name in HOSTS if name in answer["profile"]]:
        out.print()
        out.print(links(answer["profile"], messages, answer["kept"]))
    if measured := [name for name in NODES if name in answer["profile"]]:
        out.print()
        out.print(nodes(answer["profile"], measured))
    if text := thresholds(answer["profile"], answer["builtin"]):
        out.print()
        say(Text(text))
    for what in answer["without"]:
        out.print()
        say(Text(f"{what[:1].upper()}{what[1:]}.", style="yellow" if "not" in what or "busy" in what else ""))
    out.print()
    say(Text(f"Written to {answer['path']}{_dropped(answer['without'])}."))
