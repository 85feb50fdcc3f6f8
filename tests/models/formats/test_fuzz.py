"""Mutations of valid files: a model or a FormatError, nothing else."""

from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.fuzz.targets import FILES, read_bytes

from treewright.errors import FormatError
from treewright.models import BayesianNetwork, FeatureNetwork, MarkovNetwork

MARKS = [bytes([byte]) for byte in b' \n{}();,|"%#=[]-<>&\xff\x00']
WORDS = (
    b"/* // 1e999 nan -1 2000000000 &a; variable probability node potential default table <!DOCTYPE".split()
)
FRAGMENTS = st.sampled_from([b"", *MARKS, *WORDS, b"<!ENTITY a 'b'>", b"\xef\xbb\xbf", b"default 1 0;"])


@pytest.mark.slow
@pytest.mark.parametrize("name", FILES)
@settings(max_examples=150)
@given(data=st.data())
def test_mutations_are_refused_or_models(name, data):
    content = FILES[name]
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(content)))
        removed = data.draw(st.integers(0, 12))
        inserted = data.draw(FRAGMENTS | st.binary(max_size=4))
        content = content[:at] + inserted + content[at + removed :]
    with suppress(FormatError):
        assert isinstance(read_bytes(name, content), BayesianNetwork | MarkovNetwork | FeatureNetwork)


@pytest.mark.slow
@pytest.mark.parametrize("name", FILES)
@settings(max_examples=60)
@given(cut=st.integers(0, 3000), again=st.integers(0, 3000))
def test_pieces_are_refused_or_models(name, cut, again):
    content = FILES[name][:cut] + FILES[name][again:]
    with suppress(FormatError):
        assert isinstance(read_bytes(name, content), BayesianNetwork | MarkovNetwork | FeatureNetwork)


@pytest.mark.parametrize("name", FILES)
@settings(max_examples=60)
@given(data=st.binary(max_size=100))
def test_random_bytes_are_refused(name, data):
    with pytest.raises(FormatError):
        read_bytes(name, data)
