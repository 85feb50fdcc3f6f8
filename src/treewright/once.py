"""What is worked out when it is first asked for, and then kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from functools import cached_property as cached_property  # noqa: PLC0414
else:
    import functools

    class cached_property(functools.cached_property):  # noqa: N801
        """The property of the standard library without the lock that it has in Python 3.11.

        The lock is one for all objects of a class, and a fork beside a thread that works something out would
        find it locked for ever. Threads that ask at once may each work it out; all get the first answer.
        """

        def __get__(self, instance, owner=None):
            if instance is None:
                return self
            found = self.func(instance)
            return instance.__dict__.setdefault(self.attrname, found)
