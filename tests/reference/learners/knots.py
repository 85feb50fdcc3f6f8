"""Combining knots step by step: every rule looks at everything again."""


def reaches(arcs, u, v):
    seen, todo = {u}, [u]
    while todo:
        x = todo.pop()
        new = {head for tail, head in arcs if tail == x} - seen
        seen |= new
        todo += new
    return v in seen


def is_cyclic(arcs):
    return any(reaches(arcs, head, tail) for tail, head in arcs)


def slow_combination(knots, weights, *, cycles_first):
    """Arcs of the combined graph; vertices are numbers in the order of their names."""
    votes = {}
    for knot in knots:
        for tail, head in knot:
            votes.setdefault((min(tail, head), max(tail, head)), []).append((tail, head))
    order = sorted(votes, key=lambda e: (-weights[e], -len(votes[e]), e))
    placed, waiting = set(), []
    for edge in order:
        tail, head = votes[edge][0]
        if len(set(votes[edge])) > 1 or reaches(placed, head, tail):
            waiting.append(edge)
        else:
            placed.add((tail, head))

    def by_cycle(x, y):
        return [arc for arc in ((x, y), (y, x)) if reaches(placed, *arc)]

    def by_v_structure(x, y):
        ways = []
        for tail, head in ((x, y), (y, x)):
            parents = {t for t, h in placed if h == tail}
            if any((min(p, head), max(p, head)) not in votes for p in parents):
                ways.append((tail, head))
        return ways

    def by_vote(x, y):
        first, second = votes[x, y].count((x, y)), votes[x, y].count((y, x))
        return [(x, y) if first >= second else (y, x)]

    rules = [by_cycle, by_v_structure] if cycles_first else [by_v_structure, by_cycle]
    while waiting:
        choices = [
            (edge, ways[0]) for rule in [*rules, by_vote] for edge in waiting if len(ways := rule(*edge)) == 1
        ]
        edge, arc = choices[0]
        waiting.remove(edge)
        placed.add(arc)
    return placed
