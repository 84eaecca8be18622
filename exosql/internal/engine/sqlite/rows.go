package sqlite

import (
	"database/sql/driver"
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"modernc.org/sqlite"

	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/plan"
	"github.com/exoagent/exoagent/internal/sqlast"
)

// errRows is the error for a list that is too long. Lists have only rows in scope, so it reveals no others.
var errRows = errors.New("exosql: a list of rows within a row is too long")

// rows has the cells of many rows in SQLite's stored form, one after the other, each with its type.
// So they are decoded like the result's cells. (JSON has neither blobs nor infinities.)
type rows struct {
	cells   []byte
	n, size int
	one     bool // one: there is only one row, which needs no bound
}

// defineRows adds two functions to a driver: the aggregate exo_rows, and exo_row, which makes one row. Arguments
// are copied and not kept (VolatileArgs), so a text is complete even with a NUL, which no Value can have.
func defineRows(d *sqlite.Driver) {
	d.MustRegisterFunction("exo_rows", &sqlite.FunctionImpl{NArgs: -1, Deterministic: true, VolatileArgs: true,
		MakeAggregate: func(sqlite.FunctionContext) (sqlite.AggregateFunction, error) { return &rows{}, nil }})
	d.MustRegisterFunction("exo_row", &sqlite.FunctionImpl{NArgs: -1, Deterministic: true, VolatileArgs: true,
		Scalar: func(c *sqlite.FunctionContext, args []driver.Value) (driver.Value, error) {
			r := &rows{one: true}
			err := r.Step(c, args)
			return r.cells, err
		}})
}

// These constants are the types of cells.
const (
	cellNull = iota
	cellInt
	cellFloat
	cellText
	cellBlob
)

func (r *rows) Step(_ *sqlite.FunctionContext, args []driver.Value) error {
	r.n, r.size = r.n+1, r.size+16
	for _, x := range args {
		switch x := x.(type) {
		case nil:
			r.cells = append(r.cells, cellNull)
		case int64:
			r.cells = binary.LittleEndian.AppendUint64(append(r.cells, cellInt), uint64(x))
		case float64:
			r.cells = binary.LittleEndian.AppendUint64(append(r.cells, cellFloat), math.Float64bits(x))
		case string:
			if r.size += len(x); r.fits() {
				r.cells = append(binary.AppendUvarint(append(r.cells, cellText), uint64(len(x))), x...)
			}
		case []byte:
			if r.size += len(x); r.fits() {
				r.cells = append(binary.AppendUvarint(append(r.cells, cellBlob), uint64(len(x))), x...)
			}
		default:
			return fmt.Errorf("exosql: the SQLite driver returned a cell of the unexpected Go type %T: use the version of modernc.org/sqlite that this module requires", x)
		}
	}
	if !r.fits() {
		return errRows
	}
	return nil
}

func (r *rows) fits() bool { return r.one || r.size <= sqlast.MaxNested && r.n <= sqlast.MaxRows }

// WindowInverse completes the interface; sqlast never writes a window of this function.
func (r *rows) WindowInverse(*sqlite.FunctionContext, []driver.Value) error { return errWindow }

func (r *rows) WindowValue(*sqlite.FunctionContext) (driver.Value, error) {
	if r.cells == nil {
		return []byte{}, nil
	}
	return r.cells, nil
}

func (r *rows) Final(*sqlite.FunctionContext) {}

// decodeRows makes a value of the result of exo_rows. It also returns how many rows the value contains, at any depth.
func decodeRows(of *plan.Rows, b []byte, m *plan.Misfits) (value.Value, int, error) {
	out, total := of.Begin(m), 0
	for len(b) > 0 {
		if out.Whole() {
			total++
		}
		tag, rest := b[0], b[1:]
		var held any
		switch n := uint64(0); tag {
		case cellNull:
			b = rest
			if err := out.Null(); err != nil {
				return value.Value{}, 0, err
			}
			continue
		case cellInt, cellFloat:
			if len(rest) < 8 {
				return value.Value{}, 0, errCut
			}
			n, b = binary.LittleEndian.Uint64(rest), rest[8:]
			if c := out.Next(); tag == cellInt && c.Kind == value.TypeInt {
				if err := out.Add(value.Int(int64(n))); err != nil {
					return value.Value{}, 0, err
				}
				continue
			}
			held = int64(n)
			if tag == cellFloat {
				held = math.Float64frombits(n)
			}
		case cellText, cellBlob:
			n, k := binary.Uvarint(rest)
			if k <= 0 || n > uint64(len(rest)-k) {
				return value.Value{}, 0, errCut
			}
			x := rest[k : k+int(n)]
			b = rest[k+int(n):]
			if c := out.Next(); c.Rows != nil && tag == cellBlob {
				v, more, err := decodeRows(c.Rows, x, m)
				if err == nil {
					err = out.Add(v)
				}
				if err != nil {
					return value.Value{}, 0, err
				}
				total += more
				continue
			}
			held = string(x)
			if tag == cellBlob {
				held = x
			}
		default:
			return value.Value{}, 0, errCut
		}
		v := decode(out.Next(), held)
		if v.IsZero() && !out.Next().Misfits {
			return v, 0, out.Next().Contradicts(fmt.Sprintf("a %T", held))
		}
		if err := out.Add(v); err != nil {
			return value.Value{}, 0, err
		}
	}
	if !out.Whole() {
		return value.Value{}, 0, errCut
	}
	return out.Value(), total, nil
}

var errCut = errors.New("exosql: a list of rows does not have the form that the function exo_rows writes: this is a fault of exosql, please report it")
