package sqlast

import (
	"errors"
	"fmt"
	"maps"
	"strings"
)

// funcs are the spellings of aggregate functions. SQLite's own sum is not used, because it fails for a result beyond 64 bits.
var funcs = [numFuncs]opInfo{
	Count:         {"count", 1, 1, function("COUNT("), function("COUNT(")},
	CountDistinct: {"count-distinct", 1, 1, function("COUNT(DISTINCT "), function("COUNT(DISTINCT ")},
	SumWhole:      {"sum-whole", 1, 1, function("exo_whole("), spelling{"CAST(SUM(", nil, ") AS numeric)"}},
	// percentile_disc returns one of the numbers. In ascending and in descending order it returns the two in the middle, or twice the same one.
	Median:    {"median", 1, 1, function("exo_median("), spelling{"((CAST(percentile_disc(0.5) WITHIN GROUP (ORDER BY ", []constant{") AS numeric) + CAST(percentile_disc(0.5) WITHIN GROUP (ORDER BY "}, " DESC) AS numeric)) * 0.5)"}},
	Mean:      {"mean", 1, 1, function("exo_avg("), spelling{}},
	Sum:       {"sum", 1, 1, function("exo_sum("), function("SUM(")},
	Min:       {"min", 1, 1, function("MIN("), function("MIN(")},
	Max:       {"max", 1, 1, function("MAX("), function("MAX(")},
	MinNumber: {"min-number", 1, 1, function("exo_min("), function("MIN(")},
	MaxNumber: {"max-number", 1, 1, function("exo_max("), function("MAX(")},
}

func (f Func) spelling(d Dialect) spelling {
	if d == Postgres {
		return funcs[f].postgres
	}
	return funcs[f].sqlite
}

// aggregate writes an aggregate. It writes the argument once for each place in the spelling.
func (f *fragment) aggregate(e Aggregate) *fragment {
	if e.X == nil {
		return f.write("COUNT(*)")
	}
	if e.Stored && f.dialect == Postgres {
		return f.stored(e)
	}
	s := e.Func.spelling(f.dialect)
	args := []Expr{e.X}
	for range repeats(e.Func, f.dialect) {
		args = append(args, e.X)
	}
	if e.Stored {
		s.open = StoredPrefix + s.open[len(functionPrefix):]
	}
	return f.call(s, args)
}

// stored writes the sum or the mean of a column of decimals. It tests the bounds once for each row, in FILTER, which is cheaper than CASE.
// PostgreSQL computes two functions with the same state once, and no count shares a numeric's state. So the mean divides the sum by a count,
// computed as the sum over PostgreSQL's own mean. That mean has at least 16 digits. It is below 1e-40 only if the sum, cut after 20 places, is
// 0 (TestMeanOfStored).
func (f *fragment) stored(e Aggregate) *fragment {
	of := func(head constant) *fragment {
		return f.write(head).add(e.X).write(") FILTER (WHERE abs(").add(e.X).write(") < 1e1000 AND min_scale(").add(e.X).write(") <= 1000)")
	}
	if e.Func == Sum {
		return of("SUM(")
	}
	f.write("(div(")
	of("SUM(").write(" * 100000000000000000000, CASE WHEN abs(")
	of("AVG(").write(") < 1e-40 THEN 1 ELSE round(")
	of("SUM(").write(" / ")
	return of("AVG(").write(") END) * 0.00000000000000000001)")
}

// These prefixes begin the names of the SQL functions that exosql registers in SQLite: functionPrefix usually, and StoredPrefix for
// a variant that reads a column of decimals as SQLite stores them.
const (
	functionPrefix = "exo_"
	StoredPrefix   = "exo_stored_"
	movingPrefix   = "exo_moving_" // begins the functions for the least and the greatest number of a frame that rows leave
)

// aggregate checks an aggregate: its argument reads rows and contains no aggregate.
func (c *checker) aggregate(e Aggregate, sc *scope, p place) error {
	switch {
	case p&aggregate == 0:
		return errAggregate
	case e.X == nil && e.Func != Count:
		return errNoValue
	case e.Func == NoFunc || e.Func >= numFuncs:
		return errNoFunc
	case e.Stored && c.dialect == Postgres:
		if _, column := e.X.(Column); !column || e.Func != Sum && e.Func != Mean {
			return errors.New("PostgreSQL aggregates decimals stored as text only by Sum or Mean, and only those of a column")
		}
	case e.Stored && (e.X == nil || !strings.HasPrefix(string(funcs[e.Func].sqlite.open), functionPrefix)):
		return errors.New("the aggregate can't take stored decimals, or its X is missing")
	}
	if c.dialect != NoDialect && e.X != nil && !e.Stored && e.Func.spelling(c.dialect).open == "" {
		return fmt.Errorf("the database has no %s", funcs[e.Func].name)
	}
	sc.counts = true
	if e.X == nil {
		return nil
	}
	outputs := sc.outputs
	sc.outputs = false // the argument is read for all rows
	defer func() { sc.outputs = outputs }()
	return c.copies(1+repeats(e.Func, c.dialect), e.X, sc)
}

// copies checks an expression that the text repeats n times.
func (c *checker) copies(n int, x Expr, sc *scope) error {
	aliases := c.aliases
	for range n {
		c.aliases = maps.Clone(aliases) // each copy of a subquery may use the same aliases
		if err := c.expr(x, sc, 0); err != nil {
			return err
		}
	}
	return nil
}

// repeats returns how often the text repeats the argument after the first time.
func repeats(f Func, d Dialect) int {
	if f == Median && d != SQLite {
		return 1
	}
	return 0
}

// MaxCollected bounds a collected list, in bytes. The spelling below contains the same number.
const MaxCollected = 1 << 20

// collected writes a list. On Postgres it collects no text beyond the bound; otherwise the engine would keep all texts
// in memory before the list becomes NULL.
func (f *fragment) collected(e Collected) *fragment {
	if f.dialect == SQLite {
		return f.write("exo_collect(").add(e.X).write(" ORDER BY ").orders(e.OrderBy).write(")")
	}
	f.write("(CASE WHEN MAX(").add(e.Run).write(") > 1048576 THEN NULL ELSE coalesce(array_agg(").add(e.X).write(" ORDER BY ").add(e.Run)
	return f.write(") FILTER (WHERE ").add(e.X).write(" IS NOT NULL AND ").add(e.Run).write(" <= 1048576), '{}') END)")
}

// collected checks a list, which reads rows like an aggregate.
func (c *checker) collected(e Collected, sc *scope, p place) error {
	switch {
	case p&aggregate == 0:
		return errAggregate
	case e.Run == nil && len(e.OrderBy) == 0:
		return errors.New("a list needs OrderBy")
	case e.Run == nil && c.dialect == Postgres, e.Run != nil && c.dialect == SQLite:
		return errors.New("PostgreSQL lists need Run, and SQLite lists must not have it")
	}
	sc.counts = true
	outputs := sc.outputs
	sc.outputs = false
	defer func() { sc.outputs = outputs }()
	if e.Run == nil {
		if err := c.order("collected", e.OrderBy, sc, 0); err != nil {
			return err
		}
		return c.expr(e.X, sc, 0)
	}
	return c.list("collected", []Expr{e.X, e.X, e.Run, e.Run, e.Run}, sc, 0)
}
