package sqlast

import "errors"

// Window is a window of a Select: the rows with equal values of PartitionBy, in an order. Functions name their window, so the text has its
// expressions once. Otherwise the engine would sort again, because an expression with placeholders never equals its repetition.
type Window struct {
	As          string // the name, unique in its Select
	PartitionBy []Expr
	OrderBy     []Order
}

// Windowed is a function of a window of its Select, in an output.
type Windowed struct {
	Window string
	Func   WindowFunc
	Agg    Func // the aggregate function, if Func is Aggregated: any except CountDistinct and Median
	X      Expr // the value; nil for a function without one
	N      Expr // an Arg: for Lag and Lead the distance in rows (nil means one), for a Moving frame the number of earlier rows in it
	Frame  Frame
	Stored bool // X is a column of decimals in their stored form: see Aggregate
}

// Frame chooses the rows of a window that an Aggregated function uses. Without an order it uses all rows. With an order it uses the rows up to
// the present one, from the beginning or from some rows before.
type Frame uint8

// These are the frames. Functions that number rows, and Lag and Lead, have no frame.
const (
	NoFrame Frame = iota
	UpTo          // the rows up to the present one
	Whole         // all rows
	Moving        // some rows before the present one, and the present one
)

// WindowFunc is a function of a window's rows.
type WindowFunc uint8

// These are the functions of windows.
const (
	NoWindowFunc WindowFunc = iota
	Number
	Rank
	DenseRank
	Lag
	Lead
	FirstValue
	LastValue
	Aggregated
	numWindowFuncs
)

var windowFuncs = [numWindowFuncs]struct {
	open    constant
	value   bool
	ordered bool // the function needs an order
}{
	Number: {"ROW_NUMBER(", false, true}, Rank: {"RANK(", false, true}, DenseRank: {"DENSE_RANK(", false, true},
	Lag: {"LAG(", true, true}, Lead: {"LEAD(", true, true}, FirstValue: {"FIRST_VALUE(", true, true}, LastValue: {"LAST_VALUE(", true, true},
}

func (Windowed) expr() {}

// over writes a function with its window.
func (f *fragment) over(e Windowed) *fragment {
	if e.Func != Aggregated {
		f.write(windowFuncs[e.Func].open)
		if e.X != nil {
			f.add(e.X)
		}
		if e.N != nil {
			f.write(", ").add(e.N)
		}
		return f.write(")").frame(e)
	}
	switch s := e.Agg.spelling(f.dialect); {
	case e.X == nil:
		return f.write("COUNT(*)").frame(e)
	case e.Agg == SumWhole && f.dialect == Postgres:
		return f.write("CAST(SUM(").add(e.X).write(")").frame(e).write(" AS numeric)")
	default:
		if e.Frame == Moving && (e.Agg == MinNumber || e.Agg == MaxNumber) && f.dialect == SQLite { // the least and the greatest number need another function, because they can't drop a row that leaves the frame; other aggregates can
			s.open = movingPrefix + s.open[len(functionPrefix):]
		}
		if e.Stored {
			s.open = StoredPrefix + s.open[len(functionPrefix):]
		}
		return f.call(s, []Expr{e.X}).frame(e)
	}
}

func (f *fragment) frame(e Windowed) *fragment {
	switch e.Frame {
	case UpTo:
		return f.write(" OVER (").name(e.Window).write(" ROWS UNBOUNDED PRECEDING)")
	case Moving:
		return f.write(" OVER (").name(e.Window).write(" ROWS ").add(e.N).write(" PRECEDING)")
	case Whole:
		return f.write(" OVER (").name(e.Window).write(" ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)")
	}
	return f.write(" OVER ").name(e.Window)
}

// windows writes a select's windows, after its conditions.
func (f *fragment) windows(list []Window) *fragment {
	for i, w := range list {
		if i == 0 {
			f.write("WINDOW ")
		} else {
			f.write(", ")
		}
		f.name(w.As).write(" AS (")
		switch {
		case len(w.OrderBy) > 0:
			f.window(w.PartitionBy, w.OrderBy)
		case len(w.PartitionBy) > 0:
			f.call(spelling{"PARTITION BY ", []constant{", "}, ""}, w.PartitionBy)
		}
		f.write(")")
	}
	return f
}

// windows checks a select's windows, and notes which have an order.
func (c *checker) windows(s *Select, sc *scope) error {
	if len(s.Windows) == 0 {
		return nil
	}
	if s.Group > 0 {
		return errors.New("a select that groups rows can't have windows")
	}
	if len(s.OrderBy) > 0 { // an order would be lost, because squirrel writes it before the windows
		return errors.New("a select that has windows can't have an order")
	}
	sc.windows = map[string]bool{}
	for i, w := range s.Windows {
		if err := checkOutput(w.As); err != nil {
			return at("windows", i, err)
		}
		if _, twice := sc.windows[Fold(w.As)]; twice {
			return at("windows", i, errors.New("two windows have the name "+w.As))
		}
		sc.windows[Fold(w.As)] = len(w.OrderBy) > 0
		if err := c.list("windows", w.PartitionBy, sc, 0); err != nil {
			return err
		}
		if err := c.order("windows", w.OrderBy, sc, 0); err != nil {
			return err
		}
	}
	return nil
}

// over checks a function, and that its select has the window.
func (c *checker) over(e Windowed, sc *scope, p place) error {
	if p&window == 0 || !sc.outputs {
		return errors.New("a window function is allowed only in an output")
	}
	ordered, ok := sc.windows[Fold(e.Window)]
	switch {
	case !ok:
		return errors.New("the select has no window " + e.Window)
	case e.Func == NoWindowFunc || e.Func >= numWindowFuncs:
		return errors.New("there is no such window function")
	case e.Func == Aggregated:
		if e.Agg == NoFunc || e.Agg >= numFuncs || e.Agg == CountDistinct || e.Agg == Median {
			return errNoFunc
		}
		if e.X == nil && e.Agg != Count {
			return errNoValue
		}
		if e.X != nil && c.dialect != NoDialect && e.Agg.spelling(c.dialect).open == "" {
			return errNoFunc
		}
		if e.Stored && (c.dialect == Postgres || e.X == nil || funcs[e.Agg].sqlite.open[:min(len(functionPrefix), len(funcs[e.Agg].sqlite.open))] != functionPrefix) {
			return errors.New("the aggregate can't take stored decimals in a window")
		}
		if ordered != (e.Frame == UpTo || e.Frame == Moving) || e.Frame == Whole || e.Frame > Moving {
			return errors.New("an aggregate needs NoFrame in a window without an order, and UpTo or Moving in a window with an order")
		}
		if (e.N != nil) != (e.Frame == Moving) {
			return errors.New("the frame Moving needs N, and with another frame N must be nil")
		}
	case windowFuncs[e.Func].ordered && !ordered:
		return errors.New("this window function needs a window with an order")
	case windowFuncs[e.Func].value != (e.X != nil), e.N != nil && e.Func != Lag && e.Func != Lead, e.Stored, e.Agg != NoFunc:
		return errors.New("the window function has an argument X, N, Stored or Agg that it does not take, or its X is missing")
	case e.Frame != NoFrame && (e.Func != LastValue || e.Frame != Whole):
		return errors.New("only LastValue may have a frame, and only Whole; every other window function must have NoFrame")
	}
	if e.N != nil {
		if _, bound := e.N.(Arg); !bound {
			return errors.New("the N of a window function must be an Arg")
		}
		if err := c.expr(e.N, sc, 0); err != nil {
			return err
		}
	}
	if e.X == nil {
		return nil
	}
	n := 1
	if e.Func == Aggregated {
		n += repeats(e.Agg, c.dialect)
	}
	return c.copies(n, e.X, sc)
}
