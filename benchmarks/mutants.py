"""One small wrong step at a time: the mutants of a Python file, by its syntax tree."""

import ast
from collections.abc import Iterator
from typing import NamedTuple

COMPARISONS = {
    ast.Lt: ("<=", ">="), ast.LtE: ("<", ">"), ast.Gt: (">=", "<="), ast.GtE: (">", "<"), ast.Eq: ("!=",),
    ast.NotEq: ("==",), ast.Is: ("is not",), ast.IsNot: ("is",), ast.In: ("not in",), ast.NotIn: ("in",),
}  # fmt: skip
OPERATIONS = {
    ast.Add: "-", ast.Sub: "+", ast.Mult: "/", ast.Div: "*", ast.FloorDiv: "*", ast.Mod: "*", ast.Pow: "*",
    ast.BitAnd: "|", ast.BitOr: "&",
}  # fmt: skip
OTHERS = {
    "min": "max", "max": "min", "minimum": "maximum", "maximum": "minimum", "any": "all", "all": "any",
    "argmin": "argmax", "argmax": "argmin", "floor": "ceil", "ceil": "floor",
}  # fmt: skip
# What is said to people and to type checkers is not mutated.
SKIPPED = (ast.Raise, ast.Import, ast.ImportFrom, ast.JoinedStr)


class Mutant(NamedTuple):
    """The bytes from start to end replaced, in the function that begins at line `function` (0: the module)."""

    line: int
    function: int
    start: int
    end: int
    text: str
    what: str


def mutants(source: str) -> list[Mutant]:
    """All mutants of a file, in its order."""
    lines = source.encode().splitlines(keepends=True)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    found = []
    for node, function in walk(ast.parse(source), 0):
        for target, text in changes(node):
            start, end = (starts[row - 1] + column for row, column in (
                (target.lineno, target.col_offset), (target.end_lineno, target.end_col_offset)))  # fmt: skip
            what = f"{ast.unparse(target).splitlines()[0]}  ->  {text.splitlines()[0]}"
            found.append(Mutant(target.lineno, function, start, end, text, what))
    return found


def applied(source: str, mutant: Mutant) -> str:
    raw = source.encode()
    return (raw[: mutant.start] + mutant.text.encode() + raw[mutant.end :]).decode()


def walk(node: ast.AST, function: int) -> Iterator[tuple[ast.AST, int]]:
    """Every node that may change, with the first line of the function it is in."""
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list", "type_params", "bases"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if not isinstance(child, ast.AST) or isinstance(child, SKIPPED) or is_words(child):
                continue
            inside = function
            if isinstance(child, ast.FunctionDef):
                inside = min([child.lineno, *(each.lineno for each in child.decorator_list)])
            yield child, inside
            yield from walk(child, inside)


def is_words(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def changes(node: ast.AST) -> Iterator[tuple[ast.AST, str]]:
    """What may be written in place of a node, or of a part of it."""
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        left, right = ast.unparse(node.left), ast.unparse(node.comparators[0])
        yield from ((node, f"({left} {sign} {right})") for sign in COMPARISONS[type(node.ops[0])])
    elif isinstance(node, ast.BinOp) and type(node.op) in OPERATIONS:
        # Of an optional type, A | None, nothing can be seen.
        if not isinstance(node.op, ast.BitOr) or "None" not in ast.unparse(node):
            sign = OPERATIONS[type(node.op)]
            yield node, f"(({ast.unparse(node.left)}) {sign} ({ast.unparse(node.right)}))"
    elif isinstance(node, ast.BoolOp):
        sign = " or " if isinstance(node.op, ast.And) else " and "
        yield node, "(" + sign.join(f"({ast.unparse(value)})" for value in node.values) + ")"
        for k in range(len(node.values)):
            rest = [value for i, value in enumerate(node.values) if i != k]
            yield node, "(" + (" and " if sign == " or " else " or ").join(f"({ast.unparse(v)})" for v in rest) + ")"
    elif isinstance(node, ast.UnaryOp) and not isinstance(node.op, ast.UAdd):
        yield node, f"({ast.unparse(node.operand)})"
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool | int | float):
        yield node, str(not node.value) if isinstance(node.value, bool) else numbers(node.value)
    elif isinstance(node, ast.Return) and node.value is not None and ast.unparse(node.value) != "None":
        yield node.value, "None"
    elif isinstance(node, ast.IfExp):
        parts = (node.orelse, node.test, node.body)
        yield node, "(({}) if ({}) else ({}))".format(*map(ast.unparse, parts))
    elif isinstance(node, ast.If | ast.While):
        yield node.test, f"(not ({ast.unparse(node.test)}))"
    elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        yield node, "pass"
    elif isinstance(node, ast.Name) and node.id in OTHERS:
        yield node, OTHERS[node.id]
    elif isinstance(node, ast.Attribute) and node.attr in OTHERS:
        yield node, f"{ast.unparse(node.value)}.{OTHERS[node.attr]}"
    elif isinstance(node, ast.Break | ast.Continue):
        yield node, "continue" if isinstance(node, ast.Break) else "break"


def numbers(value: float) -> str:
    return str(value + 1) if isinstance(value, int) or value == 0.0 else repr(2.0 * value)
