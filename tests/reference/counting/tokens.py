"""The tokens of a text, found character by character."""

from __future__ import annotations

import re


def tokenize(text, *, marks, line_comments, block_comments, quotes, escapes):
    """Kinds and spans of tokens, or the offset of what never ends."""
    tokens = []
    at = 0

    def comment(i):
        if block_comments and text[i : i + 2] == b"/*":
            end = text.find(b"*/", i + 2)
            return -1 if end < 0 else end + 2
        if any(text.startswith(start.encode(), i) for start in line_comments):
            end = text.find(b"\n", i)
            return len(text) if end < 0 else end
        return None

    while at < len(text):
        c = text[at : at + 1]
        if c in (b" ", b"\t", b"\n", b"\r", b"\f", b"\v"):
            at += 1
        elif c.decode("latin-1") in marks:
            tokens.append((ord(c), at, at + 1))
            at += 1
        elif quotes and c == b'"':
            pattern = rb'"((?:[^"\\]|\\.)*)"' if escapes else rb'"([^"]*)"'
            found = re.compile(pattern, re.DOTALL).match(text, at)
            if not found:
                return tokens, at
            tokens.append((ord('"'), found.start(1), found.end(1)))
            at = found.end()
        elif (end := comment(at)) is not None:
            if end < 0:
                return tokens, at
            at = end
        else:
            start = at
            at += 1
            while at < len(text):
                c = text[at : at + 1]
                stops = c in (b" ", b"\t", b"\n", b"\r", b"\f", b"\v") or c.decode("latin-1") in marks
                if stops or (quotes and c == b'"') or comment(at) is not None:
                    break
                at += 1
            tokens.append((ord("w"), start, at))
    return tokens, None
