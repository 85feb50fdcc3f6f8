"""Small errors that people make, as changes of a syntax tree: every place of a module where one fits."""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator
from dataclasses import dataclass

NEGATED = {
    ast.Lt: ast.GtE,
    ast.LtE: ast.Gt,
    ast.Gt: ast.LtE,
    ast.GtE: ast.Lt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
TOUCHED = {ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt}
OPPOSITE = {ast.Add: ast.Sub, ast.Sub: ast.Add}
# words for people: what they say is checked by tests of refusals, not by arithmetic
SPOKEN = {"__repr__", "__str__", "_repr_html_"}
Variants = list[ast.expr | ast.stmt]


def is_sequence(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr | ast.List | ast.Tuple) or (
        isinstance(node, ast.Constant) and isinstance(node.value, str)
    )


def with_fields(node: ast.AST, **fields: object) -> ast.AST:
    changed = copy.deepcopy(node)
    for name, value in fields.items():
        setattr(changed, name, value)
    return changed


def sign(node: ast.AST) -> Variants:
    """Plus for minus, and a minus sign left out."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return [node.operand]
    if isinstance(node, ast.BinOp) and (is_sequence(node.left) or is_sequence(node.right)):
        return []
    if isinstance(node, ast.BinOp | ast.AugAssign) and type(node.op) in OPPOSITE:
        return [with_fields(node, op=OPPOSITE[type(node.op)]())]
    return []


def off_by_one(node: ast.AST) -> Variants:
    """One more than it says."""
    if isinstance(node, ast.Constant) and type(node.value) is int:
        return [ast.Constant(node.value + 1)]
    return []


def dropped_term(node: ast.AST) -> Variants:
    """The last term of a sum, factor of a product or part of a condition is forgotten."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub | ast.Mult | ast.Div):
        return [node.left]
    if isinstance(node, ast.BoolOp):
        kept = node.values[:-1]
        return [kept[0] if len(kept) == 1 else with_fields(node, values=kept)]
    return []


def swapped_axis(node: ast.AST) -> Variants:
    """Rows for columns."""
    if isinstance(node, ast.Attribute) and node.attr == "T" and isinstance(node.ctx, ast.Load):
        return [node.value]
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
        return [with_fields(node, left=node.right, right=node.left)]
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Tuple) and len(node.slice.elts) == 2:
        return [with_fields(node, slice=with_fields(node.slice, elts=node.slice.elts[::-1]))]
    if not isinstance(node, ast.Call):
        return []
    if isinstance(node.func, ast.Attribute) and node.func.attr in {"transpose", "swapaxes"}:
        return [node.func.value]
    found: Variants = []
    for at, keyword in enumerate(node.keywords):
        if keyword.arg == "axis" and not isinstance(keyword.value, ast.Name):
            other = 1 if isinstance(keyword.value, ast.Constant) and keyword.value.value == 0 else 0
            changed = [*node.keywords]
            changed[at] = ast.keyword("axis", ast.Constant(other))
            found.append(with_fields(node, keywords=changed))
    return found


def dropped_tie_break(node: ast.AST) -> Variants:
    """Equals come in any order."""
    if isinstance(node, ast.Compare) and isinstance(node.left, ast.Tuple) and len(node.ops) == 1:
        right = node.comparators[0]
        if isinstance(right, ast.Tuple) and len(right.elts) == len(node.left.elts) > 1:
            shorter = [with_fields(side, elts=side.elts[:-1]) for side in (node.left, right)]
            return [with_fields(node, left=shorter[0], comparators=[shorter[1]])]
    if not isinstance(node, ast.Call):
        return []
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    if name not in {"sorted", "sort", "min", "max"}:
        return []
    keys = [keyword for keyword in node.keywords if keyword.arg == "key"]
    if keys:
        others = [keyword for keyword in node.keywords if keyword.arg != "key"]
        key = keys[0].value
        if isinstance(key, ast.Lambda) and isinstance(key.body, ast.Tuple) and len(key.body.elts) > 1:
            fewer = with_fields(key, body=with_fields(key.body, elts=key.body.elts[:-1]))
            return [with_fields(node, keywords=[*others, ast.keyword("key", fewer)])]
        return [with_fields(node, keywords=others)]
    if name == "sorted" and len(node.args) == 1 and not node.keywords:
        return [with_fields(node, func=ast.Name("list", ast.Load()))]
    return []


def flipped(node: ast.AST) -> Variants:
    """A comparison says the opposite."""
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in NEGATED:
        return [with_fields(node, ops=[NEGATED[type(node.ops[0])]()])]
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return [node.operand]
    return []


def boundary(node: ast.AST) -> Variants:
    """The last value that still counts, or no longer."""
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in TOUCHED:
        return [with_fields(node, ops=[TOUCHED[type(node.ops[0])]()])]
    return []


OPERATORS: dict[str, Callable[[ast.AST], Variants]] = {
    "sign": sign,
    "off by one": off_by_one,
    "dropped term": dropped_term,
    "swapped axis": swapped_axis,
    "dropped tie-break": dropped_tie_break,
    "comparison flipped": flipped,
    "boundary": boundary,
}


@dataclass(frozen=True)
class Mutant:
    """One change: the operator, the numbers of its node and of the variant, the outermost function."""

    operator: str
    node: int
    variant: int
    function: str  # qualified name, or of the constant of the module
    line: int
    before: str
    after: str

    @property
    def place(self) -> str:
        return f"{self.function}: {self.before} -> {self.after}"


def numbered(tree: ast.Module) -> ast.Module:
    for number, node in enumerate(ast.walk(tree)):
        node.number = number  # type: ignore[attr-defined]
    return tree


def children_to_change(node: ast.AST) -> Iterator[ast.AST]:
    """What lies below a node, without annotations, decorators, defaults, and the words of messages."""
    if isinstance(node, ast.JoinedStr | ast.Raise | ast.arguments):
        return
    left_out = {"annotation", "returns", "decorator_list", "type_comment"}
    for name, value in ast.iter_fields(node):
        if name in left_out:
            continue
        yield from (
            item for item in (value if isinstance(value, list) else [value]) if isinstance(item, ast.AST)
        )


def places_below(node: ast.AST) -> Iterator[ast.AST]:
    yield node
    for child in children_to_change(node):
        yield from places_below(child)


def owners(tree: ast.Module) -> Iterator[tuple[str, ast.stmt]]:
    """The functions and methods of a module and its constants, by name."""
    for statement in tree.body:
        if isinstance(statement, ast.FunctionDef) and statement.name not in SPOKEN:
            yield statement.name, statement
        elif isinstance(statement, ast.ClassDef):
            for inner in statement.body:
                if isinstance(inner, ast.FunctionDef) and inner.name not in SPOKEN:
                    yield f"{statement.name}.{inner.name}", inner
        elif isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Constant | ast.BinOp):
            yield getattr(statement.targets[0], "id", ""), statement


def mutants_of(source: str) -> list[Mutant]:
    """Every mutant of a module, in the order of its lines."""
    found = []
    tree = numbered(ast.parse(source))
    for function, owner in owners(tree):
        for node in places_below(owner):
            for operator, variants in OPERATORS.items():
                for variant, changed in enumerate(variants(node)):
                    before, after = ast.unparse(node), ast.unparse(changed)
                    if before != after:
                        number = node.number  # type: ignore[attr-defined]
                        found.append(Mutant(operator, number, variant, function, node.lineno, before, after))
    return found


class Change(ast.NodeTransformer):
    """Puts one variant in the place of one node."""

    def __init__(self, mutant: Mutant) -> None:
        self.mutant = mutant

    def visit(self, node: ast.AST) -> ast.AST:
        if getattr(node, "number", None) == self.mutant.node:
            changed = OPERATORS[self.mutant.operator](node)[self.mutant.variant]
            return ast.copy_location(changed, node)
        return self.generic_visit(node)


def mutated(source: str, mutant: Mutant) -> ast.Module:
    return ast.fix_missing_locations(Change(mutant).visit(numbered(ast.parse(source))))
