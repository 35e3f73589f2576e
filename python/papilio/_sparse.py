"""Sparse matrices of SciPy as compressed rows, checked.

SciPy checks the arrays of a matrix when it is made, and not when they are set later or come from a file or another
program; its compiled code then reads and writes through them unchecked. So here every array is checked first, and
SciPy gets new matrices made from what was checked.
"""

import numpy as np

from papilio._checked import plain

_MOST = 2**31 - 1


def as_csr(X, caller, check_shape):
    """Row offsets (int64), columns and values of a sparse matrix of any format, with duplicates added up.

    Columns increase within each row. Values are int64 or float64. Raises ValueError or TypeError that names the array,
    and the entry that does not fit.
    """
    what = f"{caller}: X ({type(X).__name__})"
    rows, columns = _shape(X, what)
    check_shape((rows, columns), caller)
    if X.format == "csr":
        offsets, indices, values = _checked_compressed(X, rows, columns, "row", "column", what)
        if _increases(indices, offsets):
            return offsets, indices, values
        owners = np.repeat(np.arange(rows), np.diff(offsets))
    else:
        owners, indices, values = _COORDINATES[X.format](X, rows, columns, what)
    if values.dtype.kind != "f" and values.size and (values.max() > _MOST or values.min() < -_MOST):
        entry = int(np.argmax((values > _MOST) | (values < -_MOST)))
        where = f"row {owners[entry]}, column {indices[entry]} is {values[entry]}"
        raise ValueError(f"{caller}: a count can be at most {_MOST}: {where}")  # so that sums cannot overflow
    return _sum_up(owners, indices, values, (rows, columns))


def _shape(X, what):
    if X.ndim != 2:
        raise ValueError(
            f"{what} has {X.ndim} dimension(s), expected documents x words. "
            "Reshape your data: X.reshape(1, -1) for one document"
        )
    if X.format not in ("csr", *_COORDINATES):
        raise TypeError(f"{what} has the format {X.format!r}, which papilio does not know; use X.tocsr()")
    return int(X.shape[0]), int(X.shape[1])


def _numbers(x, what):
    """Values as float64 or longdouble, int64 or uint64."""
    values = plain(x, what)
    if values.dtype.kind == "f":
        return values.astype(np.float64) if values.dtype.itemsize < 8 else values
    return values if values.dtype == np.uint64 else values.astype(np.int64)


def _positions(x, what, limit, of):
    """Numbers of rows or columns as int64, all in range."""
    positions = _integers(x, what)
    wrong = (positions < 0) | (positions >= limit)
    if wrong.any():
        entry = int(np.argmax(wrong))
        raise ValueError(f"{what}[{entry}] is {positions[entry]}, expected a {of} from 0 to {limit - 1}")
    return positions.astype(np.int64)


def _integers(x, what):
    positions = plain(x, what)
    if positions.ndim != 1:
        raise ValueError(f"{what} has {positions.ndim} dimensions, expected 1")
    if positions.dtype.kind not in "iu" and positions.size:
        raise TypeError(f"{what} has the dtype {positions.dtype}, expected integers")
    return positions


def _offsets(x, what, owners, entries):
    """indptr as int64: one more than there are owners, from 0, never decreasing, not past the last entry."""
    offsets = _integers(x, what)
    if len(offsets) != owners + 1:
        raise ValueError(
            f"{what} has {len(offsets)} entries, expected {owners + 1}: "
            "one more than there are rows (csr, bsr) or columns (csc)"
        )
    if int(offsets[0]) != 0:
        raise ValueError(f"{what} begins with {offsets[0]}, expected 0")
    falls = offsets[1:] < offsets[:-1]
    if falls.any():
        place = int(np.argmax(falls))
        raise ValueError(f"{what}[{place + 1}] is {offsets[place + 1]}, less than {offsets[place]} before it")
    if int(offsets[-1]) > entries:
        raise ValueError(f"{what} ends with {offsets[-1]}, but there are {entries} entries")
    return offsets.astype(np.int64)


def _checked_compressed(X, owners, others, owner, other, what):
    """indptr, indices and data of csr or csc. Entries past the last offset are spare room, as for SciPy."""
    values = _numbers(X.data, f"{what}.data")
    if values.ndim != 1 or np.shape(X.indices) != values.shape:
        raise ValueError(
            f"{what} has {np.shape(X.indices)} indices and {values.shape} data, "
            "expected as many of each in one dimension"
        )
    offsets = _offsets(X.indptr, f"{what}.indptr", owners, len(values))
    last = int(offsets[-1])
    indices = _positions(np.asarray(plain(X.indices, f"{what}.indices"))[:last], f"{what}.indices", others, other)
    return offsets, indices, values[:last]


def _increases(indices, offsets):
    """Whether the columns of each row increase; X's own flags may be out of date."""
    steps = np.diff(indices) > 0
    starts = offsets[1:-1]
    starts = starts[(starts > 0) & (starts < len(indices))]
    steps[starts - 1] = True
    return bool(steps.all())


def _sum_up(rows, columns, values, shape):
    """Entries in the order of rows and columns, those of one place added up."""
    from scipy.sparse import coo_matrix

    matrix = coo_matrix((values, (rows, columns)), shape=shape).tocsr()
    matrix.sum_duplicates()
    return matrix.indptr.astype(np.int64), matrix.indices, matrix.data


def _of_csc(X, rows, columns, what):
    offsets, indices, values = _checked_compressed(X, columns, rows, "column", "row", what)
    return indices, np.repeat(np.arange(columns), np.diff(offsets)), values


def _of_coo(X, rows, columns, what):
    values = _numbers(X.data, f"{what}.data")
    if values.ndim != 1 or not np.shape(X.row) == np.shape(X.col) == values.shape:
        raise ValueError(
            f"{what} has {np.shape(X.row)} row, {np.shape(X.col)} col and {values.shape} data, expected as many of each"
        )
    return _positions(X.row, f"{what}.row", rows, "row"), _positions(X.col, f"{what}.col", columns, "column"), values


def _of_bsr(X, rows, columns, what):
    blocks = _numbers(X.data, f"{what}.data")
    if blocks.ndim != 3 or 0 in blocks.shape[1:] or rows % blocks.shape[1] or columns % blocks.shape[2]:
        raise ValueError(f"{what}.data has the shape {blocks.shape}, whose blocks do not divide {rows} x {columns}")
    _, height, width = blocks.shape
    if np.shape(X.indices) != (len(blocks),):
        raise ValueError(f"{what} has {np.shape(X.indices)} indices and {len(blocks)} blocks, expected as many of each")
    offsets = _offsets(X.indptr, f"{what}.indptr", rows // height, len(blocks))
    last = int(offsets[-1])
    across = _positions(
        np.asarray(plain(X.indices, f"{what}.indices"))[:last], f"{what}.indices", columns // width, "column of blocks"
    )
    down = np.repeat(np.arange(rows // height), np.diff(offsets))
    block, i, j = np.nonzero(blocks[:last])
    return down[block] * height + i, across[block] * width + j, blocks[block, i, j]


def _of_dia(X, rows, columns, what):
    values = _numbers(X.data, f"{what}.data")
    diagonals = _integers(X.offsets, f"{what}.offsets").astype(np.int64)
    if values.ndim != 2 or len(values) != len(diagonals) or len(set(diagonals.tolist())) != len(diagonals):
        raise ValueError(
            f"{what} has {len(diagonals)} offsets and data of the shape {values.shape}, "
            "expected distinct offsets with a row of data for each"
        )
    diagonal, across = np.nonzero(values)
    down = across - diagonals[diagonal]
    inside = (across < columns) & (0 <= down) & (down < rows)
    return down[inside], across[inside], values[diagonal[inside], across[inside]]


def _of_lil(X, rows, columns, what):
    lists, entries = np.asarray(X.rows, object).ravel(), np.asarray(X.data, object).ravel()
    if len(lists) != rows or len(entries) != rows:
        raise ValueError(f"{what} has {len(lists)} lists of columns and {len(entries)} of values for {rows} rows")
    for row, (across, values) in enumerate(zip(lists, entries)):
        if len(across) != len(values):
            raise ValueError(f"{what}: row {row} has {len(across)} columns and {len(values)} values")
    down = np.repeat(np.arange(rows), [len(across) for across in lists])
    across = [column for part in lists for column in part]
    values = [value for part in entries for value in part]
    return down, _positions(across, f"{what}.rows", columns, "column"), _numbers(values, f"{what}.data")


def _of_dok(X, rows, columns, what):
    keys = list(X.keys())
    down = _positions([key[0] for key in keys], f"{what}: the row of entry", rows, "row")
    across = _positions([key[1] for key in keys], f"{what}: the column of entry", columns, "column")
    return down, across, _numbers(list(X.values()), f"{what}: values")


_COORDINATES = {"csc": _of_csc, "coo": _of_coo, "bsr": _of_bsr, "dia": _of_dia, "lil": _of_lil, "dok": _of_dok}
