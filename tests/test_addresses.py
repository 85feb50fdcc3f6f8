"""Addresses of servers: what is shown of them never opens a door."""

from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from treewright.errors import SettingError
from treewright.tables import SqlTable
from treewright.tables.sql import as_sql_table
from treewright.text import split_secrets, without_password

SECRETS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=12).map(
    lambda text: f"<{text}>"
)
HOSTS = st.sampled_from(["", "db.example", "db.example:5432", "[::1]:5432", "%2Ftmp%2Fx", "a:1,b:2"])


@given(secret=SECRETS, host=HOSTS, user=st.sampled_from(["", "ada", "a%40b"]))
def test_a_quoted_password_is_used_and_not_shown(secret, host, user):
    address = f"postgresql://{user}:{quote(secret, safe='')}@{host}/clinic"
    table = as_sql_table(f"{address}::visits")
    assert (table.address, table.table) == (address, "visits")
    assert table.path == f"postgresql://{user}@{host}/clinic"
    assert quote(secret, safe="") not in repr(table)
    again = SqlTable(
        f"postgresql://{user}@{host}/clinic?sslmode=require&password={quote(secret, safe='')}", "a"
    )
    assert again.path == f"postgresql://{user}@{host}/clinic?sslmode=require"


@given(secret=SECRETS, host=HOSTS)
def test_a_password_as_it_is_never_shows_in_a_refusal(secret, host):
    """Whatever is in it: an address is taken apart at other places then."""
    address = f"postgresql://ada:{secret}@{host}/clinic::visits"
    shown, secrets = split_secrets(address)
    assert secret not in shown
    assert secrets
    try:
        told = repr(as_sql_table(address))
    except SettingError as error:
        told = str(error)
    assert secret not in told


def test_other_texts_stay_as_they_are():
    for text in ("a.csv", "clinic.duckdb::visits", "https://ada:x@host", "-", ""):
        assert without_password(text) == text


@pytest.mark.parametrize(
    "text", ["postgresql://host/clinic", "postgresql://host/clinic::", "clinic.duckdb::"]
)
def test_a_table_is_named_behind_two_colons(text):
    with pytest.raises(SettingError, match="a table of a database is written"):
        as_sql_table(text)
