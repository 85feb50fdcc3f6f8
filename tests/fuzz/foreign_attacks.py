"""BIF, NET, XMLBIF and XDSL files that are made to stop a reader."""

from __future__ import annotations

from collections.abc import Callable

from tests.fuzz.attacks import attack, numbered


def repeated(size: int, make: Callable[[int], str], start: str = "", end: str = "") -> bytes:
    """As many pieces as fit between a start and an end."""
    room, pieces = size - len(start) - len(end), []
    while room > 0:
        pieces.append(make(len(pieces)))
        room -= len(pieces[-1].encode())
    return (start + "".join(pieces[:-1]) + end).encode()


# BIF


def bif_variable(v: int) -> str:
    return f"variable v{v:x} {{ type discrete [ 1 ] {{ y }}; }}\n"


def bif_network(size: int, of_each: int, parents: Callable[[int], str]) -> bytes:
    n = size // of_each
    heads = "".join(map(bif_variable, range(n)))
    tables = "".join(f"probability ( v{v:x}{parents(v)} ) {{ default 1; }}\n" for v in range(n))
    return (heads + tables).encode()


@attack("bif")
def no_tables(size: int) -> bytes:
    return repeated(size, bif_variable)


@attack("bif")
def all_tables(size: int) -> bytes:
    return bif_network(size, 90, lambda v: "")


@attack("bif")
def a_chain(size: int) -> bytes:
    return bif_network(size, 96, lambda v: f" | v{v - 1:x}" if v else "")


@attack("bif")
def all_pairs(size: int) -> bytes:
    n = int((size / 4) ** 0.5)
    return bif_network(90 * n, 90, lambda v: " | " + ", ".join(f"v{u:x}" for u in range(v)) if v else "")


@attack("bif")
def one_table(size: int) -> bytes:
    """A default for all the rest of a table that no file could list."""
    names = numbered(22)
    head = "".join(f"variable v{n} {{ type discrete [ 2 ] {{ n, y }}; }}\n" for n in names)
    tables = "".join(f"probability ( v{n} ) {{ table .5, .5; }}\n" for n in names[1:])
    wide = f"probability ( v0 | {', '.join('v' + n for n in names[1:])} ) {{ default .5, .5; }}\n"
    return f"{head}{tables}{wide}// {'x' * size}"[:size].encode()


@attack("bif")
def many_defaults(size: int) -> bytes:
    """Many tables that a default fills, each of a size that would be believed alone."""
    head = "".join(f"variable p{n:x} {{ type discrete [ 2 ] {{ n, y }}; }}\n" for n in range(9))
    head += "".join(f"probability ( p{n:x} ) {{ table .5, .5; }}\n" for n in range(9))
    given = ", ".join(f"p{n:x}" for n in range(9))

    def child(v: int) -> str:
        states = f"variable v{v:x} {{ type discrete [ 2 ] {{ n, y }}; }}\n"
        return f"{states}probability ( v{v:x} | {given} ) {{ default .5, .5; }}\n"

    return repeated(size, child, head)


@attack("bif")
def bluffing_states(size: int) -> bytes:
    return repeated(size, lambda v: f"variable v{v:x} {{ type discrete [ 999999999 ] {{ y }}; }}\n")


@attack("bif")
def all_states(size: int) -> bytes:
    labels = ", ".join(f"s{v:x}" for v in range(size // 12))
    n = size // 12
    table = ", ".join(["1"] + ["0"] * (n - 1))
    text = f"variable a {{ type discrete [ {n} ] {{ {labels} }}; }}\nprobability ( a ) {{ table {table}; }}\n"
    return text.encode()


@attack("bif")
def interval_states(size: int) -> bytes:
    n = size // 24
    labels = ", ".join(f"({v},{v + 1}]" for v in range(n))
    rows = ", ".join(["1"] + ["0"] * (n - 1))
    text = f"variable a {{ type discrete [ {n} ] {{ {labels} }}; }}\nprobability ( a ) {{ table {rows}; }}"
    return text.encode()


@attack("bif")
def bracketed_labels(size: int) -> bytes:
    """A label that is commas and brackets, looked for in row after row of commas and brackets."""
    label = "(,),(,),(,),(,),(,),(,),(,),(,),"
    head = f'variable a {{ type discrete [ 2 ] {{ "{label}", y }}; }}\n'
    head += "variable b { type discrete [ 2 ] { n, y }; }\n"
    head += "probability ( a ) { table .5, .5; }\nprobability ( b | a ) {\n"
    return repeated(size, lambda v: f"({label * 4}) .5, .5;\n", head, "}")


@attack("bif")
def open_quotes(size: int) -> bytes:
    return b'variable "' * (size // 10)


@attack("bif")
def open_comments(size: int) -> bytes:
    return b"/*" * (size // 2)


@attack("bif")
def repeated_rows(size: int) -> bytes:
    head = "variable a { type discrete [ 2 ] { n, y }; }\nvariable b { type discrete [ 2 ] { n, y }; }\n"
    head += "probability ( a ) { table .5, .5; }\nprobability ( b | a ) {\n"
    return repeated(size, lambda v: "(n) .5, .5;\n", head, "}")


@attack("bif")
def missing_rows(size: int) -> bytes:
    """All rows but the very last of a large table."""
    names = numbered(14)
    head = "".join(f"variable v{n} {{ type discrete [ 2 ] {{ n, y }}; }}\n" for n in names)
    head += f"probability ( v0 | {', '.join('v' + n for n in names[1:])} ) {{\n"

    def row(v: int) -> str:
        return f"({', '.join('ny'[v >> bit & 1] for bit in range(13))}) 1, 0;\n"

    return repeated(size, row, head, "}")


@attack("bif")
def similar_names(size: int) -> bytes:
    start = "probability ( " + "a" * 61 + " ) { default 1; }\n"
    return repeated(size, lambda v: f"variable {'a' * 60}{v:x} {{ type discrete [ 1 ] {{ y }}; }}\n", start)


@attack("bif")
def long_label(size: int) -> bytes:
    """Many parents whose only label is long, in rows that spell it out."""
    label = "x" * (size // 8)
    text = f"variable a {{ type discrete [ 2 ] {{ {label}, y }}; }}\n"
    text += "variable b { type discrete [ 1 ] { y }; }\nprobability ( a ) { table 1, 0; }\n"
    return f"{text}probability ( b | a ) {{ ({label}, {label}) 1; }}".encode()


# NET


@attack("net")
def nodes_alone(size: int) -> bytes:
    return repeated(size, lambda v: f'node v{v:x} {{ states = ("y"); }}\n')


@attack("net")
def all_potentials(size: int) -> bytes:
    return repeated(
        size, lambda v: f'node v{v:x} {{ states = ("y"); }} potential (v{v:x}) {{ data = (1); }}\n'
    )


@attack("net")
def dense_potentials(size: int) -> bytes:
    n = int((size / 2.5) ** 0.5)
    nodes = "".join(f'node v{v:x} {{ states = ("y"); }}\n' for v in range(n))
    given = (" ".join(f"v{u:x}" for u in range(v)) for v in range(n))
    return (
        nodes + "".join(f"potential (v{v:x} | {g}) {{ data = (1); }}\n" for v, g in enumerate(given))
    ).encode()[:size]


@attack("net")
def deep_brackets(size: int) -> bytes:
    n = size // 2 - 40
    return f'node a {{ states = ("y"); }} potential (a) {{ data = {"(" * n}1{")" * n}; }}'.encode()


@attack("net")
def repeated_attributes(size: int) -> bytes:
    return repeated(size, lambda v: "a = 1;\n", 'node a { states = ("y");', "}")


@attack("net")
def many_escapes(size: int) -> bytes:
    label = "\\\\" * (size // 2 - 20)
    return f'node a {{ states = ("{label}"); }}'.encode()


# XML


@attack("xmlbif")
def variables_alone(size: int) -> bytes:
    return repeated(
        size,
        lambda v: f"<VARIABLE><NAME>v{v:x}</NAME><OUTCOME>y</OUTCOME></VARIABLE>\n",
        "<BIF><NETWORK>",
        "</NETWORK></BIF>",
    )


@attack("xmlbif")
def all_definitions(size: int) -> bytes:
    def one(v: int) -> str:
        given = f"<GIVEN>v{v - 1:x}</GIVEN>" if v else ""
        return (
            f"<VARIABLE><NAME>v{v:x}</NAME><OUTCOME>y</OUTCOME></VARIABLE>"
            f"<DEFINITION><FOR>v{v:x}</FOR>{given}<TABLE>1</TABLE></DEFINITION>\n"
        )

    return repeated(size, one, "<BIF><NETWORK>", "</NETWORK></BIF>")


@attack("xmlbif")
def deep_elements(size: int) -> bytes:
    return b"<BIF>" * (size // 5)


@attack("xmlbif")
def tiny_elements(size: int) -> bytes:
    return b"<BIF><NETWORK>" + b"<FOR/>" * (size // 6) + b"</NETWORK></BIF>"


@attack("xmlbif")
def many_given(size: int) -> bytes:
    start = "<BIF><NETWORK><VARIABLE><NAME>a</NAME><OUTCOME>y</OUTCOME></VARIABLE><DEFINITION><FOR>a</FOR>"
    return repeated(size, lambda v: "<GIVEN>a</GIVEN>", start, "</DEFINITION></NETWORK></BIF>")


@attack("xmlbif")
def many_attributes(size: int) -> bytes:
    return repeated(size, lambda v: f' a{v:x}=""', "<BIF", "/>")


@attack("xmlbif")
def bare_signs(size: int) -> bytes:
    return b"<BIF>" + b"<&" * (size // 2) + b"</BIF>"


@attack("xmlbif")
def entities(size: int) -> bytes:
    lol = '<!DOCTYPE a [<!ENTITY l "l">' + "".join(
        f'<!ENTITY l{v} "{f"&l{v - 1 if v else str()};" * 10}">' for v in range(9)
    )
    return (lol + "]><BIF>&l8;</BIF>").encode().ljust(size)


@attack("xdsl")
def nodes_without_tables(size: int) -> bytes:
    return repeated(
        size, lambda v: f'<cpt id="v{v:x}"><state id="y"/></cpt>', "<smile><nodes>", "</nodes></smile>"
    )


@attack("xdsl")
def all_nodes(size: int) -> bytes:
    def one(v: int) -> str:
        given = f"<parents>v{v - 1:x}</parents>" if v else ""
        return f'<cpt id="v{v:x}"><state id="y"/>{given}<probabilities>1</probabilities></cpt>'

    return repeated(size, one, "<smile><nodes>", "</nodes></smile>")


@attack("xdsl")
def wide_functions(size: int) -> bytes:
    """A deterministic node of many states: a table of zeros and ones that is the square of its file."""
    n = size // 24
    states = "".join(f'<state id="s{v:x}"/>' for v in range(n // 2))
    parent = f'<cpt id="p">{states}<probabilities>{"1 " + "0 " * (n // 2 - 1)}</probabilities></cpt>'
    table = f"<parents>p</parents><resultingstates>{'s0 ' * (n // 2)}</resultingstates>"
    child = f'<deterministic id="c">{states}{table}</deterministic>'
    return f"<smile><nodes>{parent}{child}</nodes></smile>".encode()


@attack("xdsl")
def many_functions(size: int) -> bytes:
    states = "".join(f'<state id="s{v:x}"/>' for v in range(64))
    parent = f'<cpt id="p">{states}<probabilities>{"1 " + "0 " * 63}</probabilities></cpt>'
    table = f"<parents>p</parents><resultingstates>{'s0 ' * 64}</resultingstates>"

    def one(v: int) -> str:
        return f'<deterministic id="v{v:x}">{states}{table}</deterministic>'

    return repeated(size, one, f"<smile><nodes>{parent}", "</nodes></smile>")
