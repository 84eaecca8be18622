package sqlast

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// checker walks a tree once and refuses malformed parts. It notes which columns of which tables the statement reads.
type checker struct {
	size
	dialect Dialect         // NoDialect means any dialect
	aliases map[string]bool // all aliases of the statement, folded
	reads   map[string]map[string]bool
	steps   steps
}

// scope has the sources and windows that the parts of one Select can name.
type scope struct {
	outer   *scope
	sources []source // the sources that are visible so far
	outputs bool     // the present part is an output
	counts  bool     // an output counts rows: COUNT(*)
	reads   bool     // an output reads a row

	windows map[string]bool // windows by folded name; the value reports an order
}

// source is a visible Source. For a derived table it has the outputs.
type source struct {
	alias, table string
	outputs      map[string]extent
}

var (
	errAggregate = errors.New("an aggregate is allowed only in an output")
	errNoValue   = errors.New("only Count may have no value X")
	errNoFunc    = errors.New("there is no such aggregate function")
)

// place lists the kinds of expressions that may occur at a place of the tree in addition to ordinary ones.
type place uint8

const (
	window place = 1 << iota
	aggregate
)

func check(s *Select, d Dialect) (map[string]map[string]bool, error) {
	c := &checker{dialect: d, aliases: map[string]bool{}, reads: map[string]map[string]bool{}}
	if _, err := c.query(s, nil); err != nil {
		return nil, fault(err)
	}
	return c.reads, nil
}

// fault marks the error of a malformed tree, which only exosql can have made. A tree that is too large for the database is no fault.
func fault(err error) error {
	if errors.Is(err, ErrLarge) || errors.Is(err, ErrDeep) {
		return fmt.Errorf("sqlast: %w", err)
	}
	return fmt.Errorf("sqlast: %w: this is a fault of exosql, so the statement did not run: please report it", err)
}

// query checks a Select and returns its outputs.
func (c *checker) query(s *Select, outer *scope) (map[string]extent, error) {
	if s == nil {
		return nil, errors.New("a select is missing")
	}
	defer c.leave(1)
	if err := c.enter(1); err != nil {
		return nil, err
	}
	sc := &scope{outer: outer}
	if err := c.from(s.From, sc); err != nil {
		return nil, err
	}
	if err := c.windows(s, sc); err != nil {
		return nil, err
	}
	if err := c.distinctOn(s); err != nil {
		return nil, err
	}
	outputs, err := c.outputs(s, sc)
	if err != nil {
		return nil, err
	}
	if err := c.conjuncts("where", s.Where, sc); err != nil {
		return nil, err
	}
	if err := c.order("order", s.OrderBy, sc, window); err != nil {
		return nil, err
	}
	if (sc.counts || s.Group > 0) && (sc.reads || len(s.OrderBy) > 0) {
		return nil, errors.New("the select aggregates rows and also reads or orders them, and SQL can't do both")
	}
	return outputs, errors.Join(c.bounds("limit", s.Limit), c.bounds("offset", s.Offset))
}

// distinctOn checks DISTINCT ON. It requires an order, because otherwise any of several equal rows could be the first.
func (c *checker) distinctOn(s *Select) error {
	switch {
	case s.DistinctOn == 0:
		return nil
	case c.dialect == SQLite:
		return errors.New("SQLite has no DISTINCT ON")
	case s.DistinctOn < 0 || s.DistinctOn > len(s.Columns):
		return errors.New("DISTINCT ON has more columns than the SELECT")
	case len(s.OrderBy) == 0:
		return errors.New("DISTINCT ON needs OrderBy, which says which of equal rows is the first")
	case s.Group > 0 || len(s.Windows) > 0:
		return errors.New("a select with DISTINCT ON can't group rows or have windows")
	}
	return nil
}

func (c *checker) from(from []Source, sc *scope) error {
	if len(from) == 0 {
		return errors.New("there is nothing to select from: From is empty")
	}
	for i, src := range from {
		if err := c.source(i, src, sc); err != nil {
			return at("from", i, err)
		}
	}
	return nil
}

func (c *checker) source(i int, src Source, sc *scope) error {
	if err := checkIdent(src.Alias); err != nil {
		return fmt.Errorf("alias: %w", err)
	}
	if c.aliases[Fold(src.Alias)] {
		return fmt.Errorf("alias %q is used twice in the statement", src.Alias)
	}
	c.aliases[Fold(src.Alias)] = true
	next := source{alias: src.Alias, table: src.Table}
	switch {
	case i == 0 && (src.Left || len(src.On) > 0):
		return errors.New("the first source can't have Left or On")
	case src.Left && len(src.On) == 0:
		return errors.New("a left join needs a condition in On")
	case some(src.Sub != nil, src.Table != "", src.Recursion != nil, src.Step != "") > 1:
		return errors.New("a source has more than one of Table, Sub, Recursion and Step")
	case src.Set != NoSet || src.With != nil:
		var err error
		if next.outputs, err = c.arms(src, sc.outer); err != nil {
			return fmt.Errorf("set: %w", err)
		}
	case src.Recursion != nil:
		var err error
		if next.outputs, err = c.recursion(src, sc.outer); err != nil {
			return fmt.Errorf("recursion: %w", err)
		}
	case src.Step != "":
		var err error
		if next.outputs, err = c.step(src); err != nil {
			return fmt.Errorf("step: %w", err)
		}
	case src.Sub != nil:
		var err error
		if next.outputs, err = c.query(src.Sub, sc.outer); err != nil {
			return fmt.Errorf("sub: %w", err)
		}
	default:
		if err := checkTable(src.In, src.Table); err != nil {
			return fmt.Errorf("table: %w", err)
		}
		if strings.HasPrefix(Fold(src.Table), TreePrefix) {
			return fmt.Errorf("table: the names that begin with %s are reserved for recursions", TreePrefix)
		}
		if c.reads[src.Table] == nil {
			c.reads[src.Table] = map[string]bool{}
		}
	}
	sc.sources = append(sc.sources, next)
	return c.conjuncts("on", src.On, sc)
}

// some returns how many of the values are true.
func some(there ...bool) (n int) {
	for _, x := range there {
		if x {
			n++
		}
	}
	return n
}

func (c *checker) outputs(s *Select, sc *scope) (map[string]extent, error) {
	if len(s.Columns) == 0 {
		return nil, errors.New("there is nothing to select: Columns is empty")
	}
	sc.outputs = true
	defer func() { sc.outputs = false }()
	outputs, seen := map[string]extent{}, map[string]bool{}
	if s.Group < 0 || s.Group > len(s.Columns) {
		return nil, errors.New("the field Group is negative or larger than the number of columns")
	}
	for i, o := range s.Columns {
		sc.outputs = i >= s.Group // a column that the rows are grouped by may read them
		if err := checkOutput(o.As); err != nil {
			return nil, at("columns", i, err)
		}
		if seen[Fold(o.As)] {
			return nil, at("columns", i, fmt.Errorf("the output %q occurs twice", o.As))
		}
		seen[Fold(o.As)] = true
		p := window | aggregate
		if i < s.Group {
			p = 0
			if _, constant := o.Expr.(Const); constant {
				return nil, at("columns", i, errors.New("GroupBy has a constant: group rows by columns or expressions of them"))
			}
		}
		ext, err := c.root(func() error { return c.expr(o.Expr, sc, p) })
		if err != nil {
			return nil, at("columns", i, err)
		}
		outputs[o.As] = ext
	}
	return outputs, nil
}

// conjuncts checks a list of conditions that AND will join. The joined conditions are nested as deeply as the list is long.
func (c *checker) conjuncts(step string, list []Expr, sc *scope) error {
	_, err := c.root(func() error {
		defer c.leave(len(list))
		if err := c.enter(len(list)); err != nil {
			return err
		}
		return c.list(step, list, sc, 0)
	})
	return err
}

func (c *checker) list(step string, list []Expr, sc *scope, p place) error {
	for i, e := range list {
		if err := c.expr(e, sc, p); err != nil {
			return at(step, i, err)
		}
	}
	return nil
}

func (c *checker) order(step string, list []Order, sc *scope, p place) error {
	for i, o := range list {
		switch o.Expr.(type) {
		case Const, Arg:
			return at(step, i, errors.New("a constant can't be an order: SQL reads a number as a column"))
		}
		if _, err := c.root(func() error { return c.expr(o.Expr, sc, p) }); err != nil {
			return at(step, i, err)
		}
	}
	return nil
}

// bounds checks a list of limits or offsets, which can't depend on a row.
func (c *checker) bounds(step string, list []Expr) error {
	for i, e := range list {
		switch e := e.(type) {
		case Arg:
			if err := c.expr(e, nil, 0); err != nil {
				return at(step, i, err)
			}
			continue
		case Const:
			if e == Zero || e == One {
				continue
			}
		}
		return at(step, i, errors.New("a limit or offset must be an argument, 0 or 1"))
	}
	return nil
}

func (c *checker) expr(e Expr, sc *scope, p place) error {
	n := levels(e)
	defer c.leave(n)
	if err := c.enter(n); err != nil {
		return err
	}
	switch e := e.(type) {
	case nil:
		return errors.New("an expression is missing")
	case Column:
		return c.column(e, sc)
	case Arg:
		if e.Slot < 0 || int(e.Cast) >= len(casts) {
			return errors.New("the Slot of an Arg is negative, or its Cast is unknown")
		}
		return nil
	case Const:
		if e == NoConst || int(e) >= len(consts) {
			return errors.New("there is no such constant")
		}
		return nil
	case Call:
		return c.call(e, sc, p)
	case In:
		if err := c.expr(e.X, sc, p); err != nil {
			return fmt.Errorf("in: %w", err)
		}
		return c.list("in", e.List, sc, p)
	case InSelect:
		if err := c.expr(e.X, sc, p); err != nil {
			return fmt.Errorf("in: %w", err)
		}
		if err := c.list("in", e.And, sc, 0); err != nil {
			return err
		}
		if _, err := c.query(e.Sub, sc); err != nil {
			return fmt.Errorf("in: %w", err)
		}
		if len(e.Sub.Columns) != 1+len(e.And) {
			return errors.New("in: the select has to have one column for each value")
		}
		return nil
	case Beyond:
		if len(e.Left) < 2 || len(e.Left) != len(e.Right) {
			return errors.New("beyond needs at least two pairs of values")
		}
		if err := c.list("beyond", e.Left, sc, 0); err != nil {
			return err
		}
		return c.list("beyond", e.Right, sc, 0)
	case Scalar:
		if _, err := c.query(e.Sub, sc); err != nil {
			return fmt.Errorf("scalar: %w", err)
		}
		if len(e.Sub.Columns) != 1 || !e.Sub.oneRow() {
			return errors.New("scalar: the select has to have one column, and a limit of one or an aggregate of all rows")
		}
		return nil
	case Exists:
		if _, err := c.query(e.Sub, sc); err != nil {
			return fmt.Errorf("exists: %w", err)
		}
		return nil
	case RowNumber:
		return c.rowNumber(e, sc, p)
	case Aggregate:
		return c.aggregate(e, sc, p)
	case Collected:
		return c.collected(e, sc, p)
	case Windowed:
		return c.over(e, sc, p)
	case Nested:
		return c.nested(e, sc)
	case Searched:
		return c.searched(e, sc)
	case Running:
		if c.dialect == SQLite {
			return errors.New("SQLite can't have a Running (the bytes of the texts up to a row): only PostgreSQL can")
		}
		if err := c.rowNumber(RowNumber{e.PartitionBy, e.OrderBy}, sc, p); err != nil {
			return err
		}
		return c.expr(e.X, sc, 0)
	}
	return fmt.Errorf("%T is no expression of package sqlast", e)
}

// oneRow reports whether a valid select has at most one row.
func (s *Select) oneRow() bool {
	return slices.Contains(s.Limit, Expr(One)) || s.Group == 0 && aggregates(s.Columns[0].Expr)
}

// aggregates reports whether an output has an aggregate of the select itself.
func aggregates(e Expr) bool {
	switch e := e.(type) {
	case Aggregate:
		return true
	case Call:
		return slices.ContainsFunc(e.Args, aggregates)
	}
	return false
}

func (c *checker) column(e Column, sc *scope) error {
	if err := checkIdent(e.Name); err != nil {
		return err
	}
	for ; sc != nil; sc = sc.outer {
		for _, src := range sc.sources {
			if src.alias != e.Alias {
				continue
			}
			sc.reads = sc.reads || sc.outputs
			if src.outputs == nil {
				c.reads[src.table][e.Name] = true
				return nil
			}
			ext, ok := src.outputs[e.Name]
			if !ok {
				return fmt.Errorf("derived table %q has no output %q", e.Alias, e.Name)
			}
			return c.stand(ext)
		}
	}
	return fmt.Errorf("no source with the alias %q is visible here", e.Alias)
}

func (c *checker) call(e Call, sc *scope, p place) error {
	if e.Op == NoOp || e.Op >= numOps {
		return errors.New("there is no such operator")
	}
	info := &ops[e.Op]
	if n := len(e.Args); n < info.min || info.max > 0 && n > info.max {
		return fmt.Errorf("%s got %d arguments; want at least %d and at most %d, where 0 means no limit", info.name, n, info.min, info.max)
	}
	if c.dialect != NoDialect && e.Op.spelling(c.dialect).close == "" {
		return fmt.Errorf("the database has no %s", info.name)
	}
	return c.list(info.name, e.Args, sc, p)
}

func (c *checker) rowNumber(e RowNumber, sc *scope, p place) error {
	switch {
	case p&window == 0:
		return errors.New("row_number is allowed only in an output or in an order")
	case len(e.OrderBy) == 0:
		return errors.New("row_number needs OrderBy")
	}
	if err := c.list("partition", e.PartitionBy, sc, 0); err != nil {
		return err
	}
	return c.order("row_number", e.OrderBy, sc, 0)
}

// at puts the place in the tree before an error.
func at(step string, i int, err error) error { return fmt.Errorf("%s[%d]: %w", step, i, err) }
