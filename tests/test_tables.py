"""Tables of one's own: what is read, what is said of files that are wrong, and that nothing half-written stays."""

import codecs
import re

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from hilbertine.tables import Columns, TableError, as_table, spread
from hilbertine.tables.cells import as_days, as_numbers
from hilbertine.tables.outputs import read_curves, read_numbers
from hilbertine.tables.read import from_text

GOOD = "name,x,day,colour,y\na,1,2020-01-01,red,2\nb,2.5,2020-01-03,blue,\nc,NA,,red,4\nd,3,2020-01-02,,5\n"


def text(content):
    return from_text(content, "mine.csv")


@pytest.fixture
def write(tmp_path):
    def at(content, name="mine.csv"):
        (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
        return tmp_path / name

    return at


def test_columns_become_numbers_days_and_indicators():
    table = text(GOOD)
    columns = Columns().fit(table, ["name", "x", "day", "colour"])
    assert columns.names_ == "name"
    expected = [[1.0, -1.0, 0, 1], [2.5, 1.0, 1, 0], [2.5, 0.0, 0, 1], [3.0, 0.0, 0, 0]]
    assert_allclose(columns.transform(table), expected)
    assert columns.row_names(table) == ["a", "b", "c", "d"]
    assert columns.row_names(table._replace(names=["other", *table.names[1:]])) == [f"line {k}" for k in range(2, 6)]


def test_columns_that_say_nothing_are_left_out_with_the_reason():
    notes = "\n".join(f"{i},1,,remark {i % 13},{i % 3}" for i in range(20))
    columns = Columns().fit(text(f"id,same,empty,remark,x\n{notes}\n"), ["id", "same", "empty", "remark", "x"])
    assert columns.names_ == "id"
    assert columns.left_out_ == [
        ("same", "the same everywhere"), ("empty", "empty"), ("remark", "text, 13 different ones"),
    ]  # fmt: skip
    assert [column.name for column in columns.columns_] == ["x"]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_delimiters_and_line_ends_are_found(delimiter, ends):
    table = text(GOOD.replace(",", delimiter).replace("\n", ends))
    assert table.names == ["name", "x", "day", "colour", "y"]
    assert_array_equal(table.rows, [2, 3, 4, 5])
    assert_array_equal(table.numbers("y"), [2, np.nan, 4, 5])


def test_a_delimiter_that_is_given_counts():
    assert from_text("a b;c\n1 2;3\n", "mine.csv", " ").names == ["a", "b;c"]


def test_decimal_commas_quotes_blank_lines_and_a_last_empty_column():
    table = text('x;"a; b";\n\n1,5;"2,25";\n"0,5";3;\n')
    assert table.names == ["x", "a; b"]
    assert_array_equal(table.numbers("x"), [1.5, 0.5])
    assert_array_equal(table.numbers("a; b"), [2.25, 3.0])
    assert_array_equal(table.rows, [3, 4])


def test_a_mark_of_utf_8_and_numbers_as_people_write_them(write):
    table = as_table(write(codecs.BOM_UTF8 + "größe,y\n 1e3 ,-2\n+4,.5\n".encode()))
    assert_array_equal(table.numbers("größe"), [1000.0, 4.0])
    assert_array_equal(table.numbers("y"), [-2.0, 0.5])


def test_parquet_is_read_as_text_is(write, tmp_path):
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    days = pandas.to_datetime(["2020-01-01", "2020-01-03", None, "2020-01-02"])
    frame = pandas.DataFrame(
        {"name": list("abcd"), "x": [1, 2.5, None, 3], "day": days, "colour": ["red", "blue", "red", None]}
    )
    frame.to_parquet(tmp_path / "mine.parquet")
    names = ["name", "x", "day", "colour"]
    expected = Columns().fit(text(GOOD), names).transform(text(GOOD))
    for table in (as_table(tmp_path / "mine.parquet"), as_table(frame)):
        assert_allclose(Columns().fit(table, names).transform(table), expected)


WRONG = {
    "empty": ("", "mine.csv is empty"),
    "only a header": ("a,b\n", "has a line of names and no row"),
    "two names alike": ("a,b,a\n1,2,3\n", "line 1: columns 1 and 3 are both called 'a'"),
    "no name": ("a,,c\n1,2,3\n", "line 1: column 2 has no name"),
    "too many cells": ("a,b\n1,2\n1,2,3\n", "line 3: 3 cells where the first line names 2"),
    "a quotation mark": ('a,b\n1,2\n"3,4\n5,6\n', "line 3: .*quotation mark"),
    "a word": ("a,b\n1,2\n3,oops\n5,6\n", "line 3, column 'b': 'oops' is no number; correct it, or leave"),
    "infinite": ("a,b\n1,2\n3,inf\n", "line 3, column 'b': 'inf' is infinite"),
    "thousands": ('a,b\n1,"1,234"\n3,"2,345"\n', "line 2, column 'b': '1,234' may be a thousand or a decimal comma"),
    "two marks": ('a,b\n1,1.5\n3,"2,5"\n', "line 3, column 'b': '2,5' has a comma where other cells have a point"),
}


@pytest.mark.parametrize("what", WRONG)
def test_what_is_wrong_is_named_with_its_line_and_column(what):
    content, message = WRONG[what]
    with pytest.raises(TableError, match=message):
        text(content).numbers("b")


def test_numbers_among_which_a_word_stands_are_no_words():
    with pytest.raises(TableError, match="line 4, column 'x': 'fourty' is no number"):
        Columns().fit(text("x,y\n1,2\n2,3\nfourty,4\n5,6\n"), ["x"])


def test_files_that_are_no_tables(write, tmp_path):
    with pytest.raises(TableError, match=r"line 2, invalid .*save it again with the encoding UTF-8"):
        as_table(write("größe\nüber\n".encode("latin-1").replace(b"gr\xf6\xdfe", b"groesse")))
    with pytest.raises(TableError, match=r"mine\.xlsx is no table that can be read.*Save the sheet as CSV"):
        as_table(write("", "mine.xlsx"))
    with pytest.raises(TableError, match="does not exist"):
        as_table(tmp_path / "nowhere.csv")
    with pytest.raises(TableError, match="is no file"):
        as_table(tmp_path)
    pytest.importorskip("pyarrow")
    with pytest.raises(TableError, match="is no Parquet file that can be read"):
        as_table(write("a,b\n", "mine.parquet"))


@pytest.mark.parametrize(
    ("content", "hint"),
    [
        ("cholesterol,b\n1,2\n", "Did you mean 'cholesterol'?"),
        ("1,2\n3,4\n", "first line must name the columns, and here it holds numbers"),
        ("a b c\n1 2 3\n", "--delimiter"),
    ],
)
def test_a_column_that_is_not_there(content, hint):
    with pytest.raises(TableError, match=f"no column 'cholestrol'.*{re.escape(hint)}"):
        read_numbers(text(content), ["cholestrol"])


def test_words_that_are_new_are_named():
    columns = Columns().fit(text(GOOD), ["colour", "x"])
    with pytest.warns(UserWarning, match="line 2, column 'colour': 'green' was not there when the model was fitted"):
        found = columns.transform(text("x,colour\n1,green\n2,red\n"))
    assert_array_equal(found, [[0, 0, 1], [0, 1, 2]])


def test_outputs_are_in_units_of_their_spread():
    found = read_numbers(text("a,b,c\n1,,7\n2,10,7\n,,7\n4,30,7\n"), ["a", "b"])
    assert_array_equal(found.rows, [0, 1, 3])
    assert_allclose(found.values * found.scale + found.centre, [[1, np.nan], [2, 10], [4, 30]])
    centre, scale = spread(np.random.default_rng(0).normal(3.0, 2.0, (20000, 1)))
    assert_allclose([centre[0], scale[0]], [3.0, 2.0], rtol=0.03)
    with pytest.raises(TableError, match="'a' twice"):
        read_numbers(text("a,b\n1,2\n"), ["a", "b", "a"])
    with pytest.raises(TableError, match="'b' holds no number"):
        read_numbers(text("a,b\n1,\n"), ["a", "b"])


def test_curves_from_columns_and_from_long_tables(write):
    wide = text("name,x,0.5,1.0,2.0\na,1,3,4,5\nb,2,6,7,8\n")
    across = read_curves(wide, "0.5:2.0")
    assert_array_equal(across.grid, [0.5, 1.0, 2.0])
    lines = "name,t,v\nb,2.0,8\na,0.5,3\na,1.0,3\na,1.0,5\na,2.0,5\nb,0.5,6\nb,1.0,7\nnobody,0,1\nb,1.5,\n"
    along = read_curves(wide, str(write(lines, "long.csv")))
    assert_array_equal(along.grid, across.grid)
    assert_allclose(along.values * along.scale, across.values * across.scale)
    own = read_curves(wide, str(write(lines.replace("b,1.0,7\n", ""), "long.csv")))
    assert_allclose(own.values * own.scale, [[3, 4, 5], [6, 20 / 3, 8]])
    assert own.fewest == 2
    late = read_curves(wide, str(write(lines.replace("b,0.5,6\n", ""), "long.csv")))
    assert_array_equal(np.isnan(late.values), [[False] * 3, [True, False, False]])
    for bad, message in {"1.0:0.5": "must stand behind", "x": "first:last"}.items():
        with pytest.raises(TableError, match=message):
            read_curves(wide, bad)
    for lines, message in {"a,b\n1,2\n": "three columns", "name,t,v\nz,1,2\n": "names no row of mine.csv"}.items():
        with pytest.raises(TableError, match=message):
            read_curves(wide, str(write(lines, "long.csv")))


def test_numbers_and_dates_of_cells():
    cells = np.array(["1,5", "?", "2"], dtype=object)
    assert_array_equal(as_numbers(cells), [1.5, np.nan, 2.0])
    days = as_days(np.array(["1970-01-02", "", "1970-01-01T12:00"], dtype=object))
    assert_array_equal(days, [1.0, np.nan, 0.5])
    assert_array_equal(as_days(np.array(["1970-01-03"], dtype="datetime64[D]")), [2.0])


def test_a_model_of_a_table_says_what_it_predicts_from():
    with pytest.raises(TypeError, match=r"a file or a data frame.*got a ndarray"):
        as_table(np.ones((2, 2)))
