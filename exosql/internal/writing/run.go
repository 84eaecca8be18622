package writing

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/check"
	"github.com/exoagent/exoagent/exosql/internal/engine"
	"github.com/exoagent/exoagent/exosql/internal/fence"
	"github.com/exoagent/exoagent/exosql/internal/plan"
	"github.com/exoagent/exoagent/exosql/internal/scope"
	"github.com/exoagent/exoagent/internal/scalar"
	"github.com/exoagent/exoagent/schema"
)

// This file runs a planned write (plan.go): the checks, then the changes, then the reply to the program.

// Run is one execution of a message that writes.
type Run struct {
	*Writing
	Host  Host
	M     *exo.Message
	Given Given
	Vals  [][]value.Value // Vals are the values of each grant

	ParentRow []value.Value // ParentRow has the link's values, read from the row through which rows are inserted
	Kept      bool          // Kept: a row was changed, and a later error does not undo the change
	New       *value.Rows   // New is the row that was inserted
	Order     []int         // Order has, for each statement of an insert, the index of the given row that it adds; -1 if it adds several
}

// Host is what a Run needs of its unit. Programs read the errors that it returns.
type Host interface {
	// Read runs one query in the scope of grant g, or with nil in the scopes of the message's grants.
	Read(p *plan.Plan, g *scope.Grant, args []value.Value) (*value.Rows, error)
	// Write makes all changes, or none. refused is the reason why an open plan (see package fence) did not run before, or nil. If the
	// error is a *fence.Refused, no statement ran.
	Write(changes []engine.Change, refused *fence.Refused) (*value.Rows, int64, error)
	// Next returns the open plan to try after one was refused, or nil if only the plan with fences remains.
	Next(open *plan.Plan, refused *fence.Refused) *plan.Plan
	// Live returns the catalogue of the database.
	Live() (*schema.Database, error)
	// Broken returns the error for a rule of the database that the Run would break.
	Broken(v *engine.Violation) error
	// Over reports whether the unit has ended, so that it can try no other statement.
	Over() bool

	// Before records images of the rows that an update or a delete is about to change, and returns their number.
	Before() (kept int64, err error)
	// Changed notes that n rows were changed. For kept of these, images of before and after are recorded.
	Changed(n, kept int64)
	// Inserted notes that n rows were inserted, and the keys that the statements returned.
	Inserted(n int64, keys *value.Rows)
}

// read runs one query of the write.
func (x *Run) read(p *plan.Plan, g *scope.Grant, values ...value.Value) (*value.Rows, error) {
	args, err := x.bind(p, values)
	if err != nil {
		return nil, err
	}
	return x.Host.Read(p, g, args)
}

func (x *Run) bind(p *plan.Plan, values []value.Value) ([]value.Value, error) {
	args := x.M.Args
	if len(values) > 0 {
		args = append(args[:len(args):len(args)], values...)
	}
	return p.Bind(args, x.Vals, x.ParentRow, x.M.Zone())
}

func errUnseen() error {
	return fail.Errorf(fail.Denied, "", "this program could not see the row that it writes: give values that put the row among those that you may see")
}

// manyDigits matches a number in JSON with so many digits that a program may have read a rounded one.
var manyDigits = scalar.Pattern(`[^"0-9.][0-9.]{17}`)

// Do runs the checks, makes the changes, and returns the result for the program.
func (x *Run) Do() (value.Value, error) {
	if p := x.Parent; p != nil {
		rows, err := x.read(p, nil)
		if err != nil {
			return value.Value{}, err
		}
		if n := rows.Len(); n != 1 {
			return value.Value{}, fail.Errorf(fail.Invalid, "", "a row is inserted through exactly one %s, and this query finds %s: change its conditions", x.Through, map[bool]string{true: "none", false: "several"}[n == 0])
		}
		cells := rows.Reader().Cells(0)
		for _, same := range cells[x.Keys:] {
			if !same.Bool() {
				return value.Value{}, errUnseen()
			}
		}
		x.ParentRow = cells[:x.Keys]
		for i, v := range x.ParentRow { // a null in the link would lead to no row, so not to the new rows
			if v.IsNull() {
				return value.Value{}, fail.Errorf(fail.Invalid, "", "no row can be inserted through this %s: its `%s` is null, so the link leads to no rows", x.Through, x.Link.Pairs[i].From.Guest)
			}
		}
	}
	for i := range x.Checks {
		if err := x.check(&x.Checks[i]); err != nil {
			return value.Value{}, err
		}
	}
	if x.Change == nil {
		return x.insert()
	}
	if err := x.keyed(); err != nil {
		return value.Value{}, err
	}
	if x.Misfits != nil {
		rows, err := x.read(x.Misfits, nil)
		if err != nil {
			return value.Value{}, err
		}
		if n := rows.Reader().Cells(0)[0].Int(); n > 0 {
			return value.Value{}, fail.Errorf(fail.Conflict, "", "this condition uses a column in which %d of the rows have a value that does not fit its type. Programs read null there, but the database has a value: choose the rows by other columns, and give the column a new value", n)
		}
	}
	kept, err := x.Host.Before()
	if err != nil {
		return value.Value{}, err
	}
	n, err := x.change(x.Change)
	if err == nil {
		x.Host.Changed(n, kept)
	}
	if n == 0 && err == nil && x.Found {
		way := "read it again in a new program, since this program sees rows as they were when it began"
		if slices.ContainsFunc(x.M.Args, func(v value.Value) bool {
			doc, err := plan.AppendDocument(nil, v)
			return err == nil && v.Len() > 0 && manyDigits().Match(doc)
		}) {
			way += ". A number in JSON with more than 15 digits may have been rounded when it was read: leave its column out of ifUnchanged"
		}
		err = fail.Errorf(fail.Conflict, "", "the row was deleted or changed after it was read: %s", way)
	}
	return value.Int(n), err
}

// check refuses the given rows if a key in one of them leads to no row in scope.
func (x *Run) check(c *Check) error {
	seen := map[string]bool{}
	var keys [][]value.Value
	var first []int // first has the index of the first row with each key
	var enc value.Encoder
	for i, row := range x.Given.Rows {
		key, err := c.Leads(row.Set, func(s plan.Source) value.Value { return x.value(s, row.Values) })
		if err != nil {
			return err
		}
		enc.B = enc.B[:0]
		for _, v := range key {
			enc.Value(v)
		}
		if key != nil && !seen[string(enc.B)] {
			seen[string(enc.B)] = true
			keys, first = append(keys, key), append(first, i)
		}
	}
	for single := false; len(keys) > 0; {
		p, n := c.One, 1
		if !single && len(keys) > 1 && c.Many != nil {
			p, n = c.Many, min(len(keys), CheckBatch)
		}
		values := slices.Concat(keys[:n]...)
		for i := n; i < CheckBatch && n > 1; i++ { // the statement takes CheckBatch keys: the last key fills the remaining places
			values = append(values, keys[n-1]...)
		}
		rows, err := x.read(p, c.Grant, values...)
		if err != nil {
			return err
		}
		if found := rows.Reader().Cells(0)[0].Int(); found != int64(n) {
			if single = n > 1; single { // with one key at a time, the error can name the row
				continue
			}
			return c.Nowhere(x.Place(first[0]))
		}
		keys, first = keys[n:], first[n:]
	}
	return nil
}

// value returns the value of source s, for a row with the given values.
func (x *Run) value(s plan.Source, row []value.Value) value.Value {
	switch s.Origin {
	case plan.FromMessage:
		if n := len(x.M.Args); s.Index >= n {
			return row[s.Index-n]
		}
		return x.M.Args[s.Index]
	case plan.FromParent:
		return x.ParentRow[s.Index]
	}
	return x.Vals[s.Origin][s.Index]
}

// change updates or deletes rows. It uses an open plan if the database then reads only rows in scope, or else the plan with fences.
func (x *Run) change(p *plan.Plan) (int64, error) {
	var refused *fence.Refused
	values := x.Given.Rows[0].Values
	for open := p.Open; open != nil; open = x.Host.Next(open, refused) {
		args, err := x.bind(open, values)
		if err != nil {
			return 0, err
		}
		if _, n, err := x.Host.Write([]engine.Change{{Plan: open, Args: [][]value.Value{args}}}, nil); !errors.As(err, &refused) {
			return n, err
		}
	}
	args, err := x.bind(p, values)
	if err != nil {
		return 0, err
	}
	_, n, err := x.Host.Write([]engine.Change{{Plan: p, Args: [][]value.Value{args}}}, refused)
	return n, err
}

// keeps refuses rows if the database would store the scope's tenant as another value, which may be another tenant. A single inserted row is also
// read back in scope, but many rows are not.
func (x *Run) keeps() error {
	for _, f := range x.Filled {
		live, err := x.Host.Live()
		if err != nil {
			return err
		}
		if check.StoredOtherwise(live, f.Col, x.value(f.Source, nil)) {
			return &fail.Error{Kind: fail.Denied, Msg: "rows can't be inserted into this table: its host has to change or permit something first; ask the host, who has the reason", Err: fail.Named("exosql: %s.%s would store the scope's value as another value, so the rows could belong to another tenant", f.Col.Table.Name, f.Col.Name)}
		}
	}
	return nil
}

// keyed refuses new rows without a key before they are inserted, and an update that may leave rows without one: see NullKeys.
func (x *Run) keyed() error {
	if x.Change != nil && len(x.Change.Write.Update) == 0 {
		return nil
	}
	live, err := x.Host.Live()
	if err != nil {
		return err
	}
	keys := NullKeys(live, x.Table)
	if x.Change != nil {
		return x.keepsKeys(live, keys)
	}
	for i, row := range x.Given.Rows {
		names := x.Inserts[row.Set].One.Write.Given // the columns of the row itself come first
		for _, k := range keys {
			n := slices.IndexFunc(names, func(name string) bool { return live.Engine.Is(name, k.Column) })
			null := n >= 0 && n < len(row.Values) && row.Values[n].IsNull()
			if null || n < 0 && !k.Filled {
				return x.withoutKey(k.Column, i)
			}
		}
	}
	return nil
}

// keepsKeys refuses an update that sets a key column to NULL or to a calculated value. Only the statement would find out whether a calculated
// value is NULL.
func (x *Run) keepsKeys(live *schema.Database, keys []NullKey) error {
	is := func(guest, key string) bool {
		c := column(x.Facet.Rights.Update, x.Facet, guest)
		return c != nil && live.Engine.Is(c.Name, key)
	}
	for _, k := range keys {
		for i, n := range x.Given.Sets[0] {
			if is(n, k.Column) && x.Given.Rows[0].Values[i].IsNull() {
				return x.withoutKey(k.Column, 0)
			}
		}
		record := x.M.Root.Args[0]
		if record.Op == message.OpLambda {
			record = record.Args[0]
		}
		for i, n := range record.Names {
			switch v := record.Args[i]; {
			case !is(n, k.Column):
			case v.Op != message.OpLit:
				return fail.Errorf(fail.Invalid, "", "`%s` is part of the key, and can't be calculated from columns: read the row first, and give a plain value", n)
			case v.Lit.IsNull():
				return x.withoutKey(k.Column, 0)
			}
		}
	}
	return nil
}

// withoutKey returns the error for a row without a key. It equals the database's error for a NOT NULL column.
func (x *Run) withoutKey(column string, row int) error {
	x.Order = []int{row}
	err := fmt.Errorf("exosql: the write gives the key column %s.%s no value: give one, or make the column NOT NULL", x.Table.Name, column)
	return x.Host.Broken(&engine.Violation{Rule: engine.NotNull, Table: x.Table.Bare(), Columns: []string{column}, Err: err})
}

// insert inserts the given rows. Each set of columns has statements of its own.
func (x *Run) insert() (value.Value, error) {
	if err := cmp.Or(x.keeps(), x.keyed()); err != nil {
		return value.Value{}, err
	}
	changes, err := x.inserts(true)
	if err != nil {
		return value.Value{}, err
	}
	rows, n, err := x.Host.Write(changes, nil)
	if v, ok := errors.AsType[*engine.Violation](err); ok && !x.Host.Over() && v.At < len(x.Order) && x.Order[v.At] < 0 { // with one row at a time, the error can name the row
		if changes, err = x.inserts(false); err != nil {
			return value.Value{}, err
		}
		rows, n, err = x.Host.Write(changes, nil)
	}
	if err == nil {
		x.Host.Inserted(n, rows)
	}
	if err != nil || x.Back == nil {
		return value.Int(n), err
	}
	x.Kept = true // the row exists, and only a rollback of the whole unit removes it
	if rows.Len() != 1 {
		return value.Value{}, &fail.Error{Kind: fail.Internal, Err: fmt.Errorf("exosql: the database returned %d keys for one inserted row: look for a trigger or a rule that removes or repeats new rows", rows.Len())}
	}
	key := rows.Reader().Cells(0)
	for i, v := range key {
		if v.IsNull() { // a trigger did not set the key, or set it only after the insert
			return value.Value{}, x.withoutKey(x.Table.Keys[i].Name, 0)
		}
	}
	if rows, err = x.read(x.Back, nil, append(x.Given.Rows[0].Values[:len(x.Given.Rows[0].Values):len(x.Given.Rows[0].Values)], key...)...); err != nil {
		return value.Value{}, err
	}
	if rows.Len() != 1 { // the row is out of scope, so the run must end
		return value.Value{}, errUnseen()
	}
	x.New = rows
	return rows.Row(0), nil
}

// inserts returns the statements that insert the given rows. If together is set, one statement may insert many rows.
func (x *Run) inserts(together bool) (changes []engine.Change, err error) {
	x.Order = nil
	for i, in := range x.Inserts {
		one, many := engine.Change{Plan: in.One}, engine.Change{Plan: in.Many}
		var rows [][]value.Value
		var which []int // which has the indexes of rows among the given rows
		for k, row := range x.Given.Rows {
			if row.Set == i {
				rows, which = append(rows, row.Values), append(which, k)
			}
		}
		var ones []int
		for len(rows) > 0 {
			to, n := &one, 1
			if together && in.Many != nil && len(rows) >= in.Batch {
				to, n = &many, in.Batch
				x.Order = append(x.Order, -1)
			} else {
				ones = append(ones, which[0])
			}
			args, err := x.bind(to.Plan, slices.Concat(rows[:n]...))
			if err != nil {
				return nil, err
			}
			to.Args, rows, which = append(to.Args, args), rows[n:], which[n:]
		}
		x.Order = append(x.Order, ones...)
		for _, c := range []engine.Change{many, one} {
			if len(c.Args) > 0 {
				changes = append(changes, c)
			}
		}
	}
	return changes, nil
}

// Place returns the text that an error puts before a column's name if several rows are given: "[2].".
func (x *Run) Place(row int) string {
	if row < 0 || len(x.Given.Rows) < 2 {
		return ""
	}
	return fmt.Sprintf("[%d].", row)
}
