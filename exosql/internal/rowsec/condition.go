package rowsec

import (
	"fmt"
	"slices"
	"strings"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/exosql/internal/scope"
	"github.com/exoagent/exoagent/internal/scalar"
	"github.com/exoagent/exoagent/internal/sqlname"
)

// writer writes the condition of one policy.
type writer struct {
	names names
	table string // table is the table with the policy
	path  func(*decl.Table) string
	next  int
}

// conditions writes the condition that all of must are true of the row with the alias row.
func (w *writer) conditions(must []scope.Condition, row string) (string, error) {
	var all []string
	for _, c := range must {
		text, err := w.condition(c, row)
		if err != nil {
			return "", err
		}
		if !slices.Contains(all, text) {
			all = append(all, text)
		}
	}
	if len(all) == 0 {
		return "true", nil
	}
	return strings.Join(all, " AND "), nil
}

func (w *writer) condition(c scope.Condition, row string) (string, error) {
	if c.Kind == scope.Holds {
		return w.pred(c.Pred, row)
	}
	there, err := c.There()
	if err != nil {
		return "", err
	}
	if c.Kind == scope.Among { // a policy can't express a limit, so it allows all rows that the limit was applied to
		return w.conditions(there, row)
	}
	alias := w.alias()
	on := scalar.Each(c.Link.Pairs, func(p decl.Pair) string {
		return fmt.Sprintf("%s = %s", comparable(p.From, alias), comparable(p.To, row))
	})
	rest, err := w.conditions(there, alias)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("EXISTS (SELECT 1 FROM %s AS %s WHERE %s AND %s)", w.path(c.Link.From), sqlname.Quote(alias), strings.Join(on, " AND "), rest), nil
}

// alias returns a new alias. It must differ from the policy's own table, or it would hide the row of that table.
func (w *writer) alias() string {
	for {
		if w.next++; w.table != fmt.Sprintf("t%d", w.next) {
			return fmt.Sprintf("t%d", w.next)
		}
	}
}

// comparable writes a column for = in the compiler's form: texts as text, whatever text type the
// column has, and times in milliseconds.
func comparable(c *decl.Column, row string) string {
	x := sqlname.Quote(row) + "." + sqlname.Quote(c.Name)
	switch {
	case c.Kind == value.TypeText:
		return x + "::text"
	case c.Kind == value.TypeTime && !c.Iso():
		return "date_trunc('milliseconds', " + x + ")"
	}
	return x
}

// types are the types that settings are converted to, by the kind of their column. None rounds or cuts a value.
var types = map[string]string{
	value.TypeBool: "boolean", value.TypeInt: "bigint", value.TypeFloat: "double precision", value.TypeText: "text", value.TypeTime: "timestamptz", value.TypeDecimal: "numeric",
	value.TypeDate: "date", value.TypeInterval: "interval", value.TypeUUID: "uuid", value.TypeBytes: "bytea",
}

// value writes the SQL that reads a setting. An unset setting is NULL and matches nothing. PostgreSQL evaluates the subquery once per statement.
func (w *writer) value(c *decl.Column, slot int, suffix string) string {
	return fmt.Sprintf("(SELECT NULLIF(current_setting('%s', true), '')::%s%s)", w.names[slot], types[c.Kind], suffix)
}

var comparisons = map[string]string{"eq": "=", "ne": "<>", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}

func (w *writer) pred(p *decl.Pred, row string) (string, error) {
	if p == nil {
		return "false", nil
	}
	switch p.Op {
	case "all":
		return "true", nil
	case "and", "or", "not":
		var subs []string
		for _, s := range p.Subs {
			text, err := w.pred(s, row)
			if err != nil {
				return "", err
			}
			subs = append(subs, text)
		}
		if len(subs) == 0 {
			return "false", nil
		}
		if p.Op == "not" {
			return "NOT (" + subs[0] + ")", nil
		}
		return "(" + strings.Join(subs, " "+strings.ToUpper(p.Op)+" ") + ")", nil
	case "isNull", "isNotNull":
		return fmt.Sprintf("%s.%s IS %sNULL", sqlname.Quote(row), sqlname.Quote(p.Col.Name), map[string]string{"isNull": "", "isNotNull": "NOT "}[p.Op]), nil
	}
	x := comparable(p.Col, row)
	if types[p.Col.Kind] != "" {
		switch op := comparisons[p.Op]; {
		case op == "=" || op == "<>":
			return fmt.Sprintf("%s %s %s", x, op, w.value(p.Col, p.Args[0].Slot, "")), nil
		case op != "":
			return fmt.Sprintf("%s %s %s", ordered(p.Col, x), op, w.value(p.Col, p.Args[0].Slot, "")), nil
		case p.Op == "between":
			return fmt.Sprintf("%s BETWEEN %s AND %s", ordered(p.Col, x), w.value(p.Col, p.Args[0].Slot, ""), w.value(p.Col, p.Args[1].Slot, "")), nil
		case p.Op == "in" && len(p.Args) == 0:
			return "false", nil
		case p.Op == "notIn" && len(p.Args) == 0:
			return x + " IS NOT NULL", nil
		case p.Op == "in":
			return fmt.Sprintf("%s = ANY (%s::%s[])", x, w.value(p.Col, p.Args[0].Slot, "[]"), types[p.Col.Kind]), nil
		case p.Op == "notIn":
			return fmt.Sprintf("%s <> ALL (%s::%s[])", x, w.value(p.Col, p.Args[0].Slot, "[]"), types[p.Col.Kind]), nil
		}
	}
	return "", fail.Errorf(fail.Invalid, p.Col.Table.Name+"."+p.Col.Name, "a scope with %s can't be written as a policy: only comparisons, lists and checks for NULL can", p.Op)
}

// ordered writes a column for comparisons by order, which compare texts by code points.
func ordered(c *decl.Column, x string) string {
	if c.Kind == value.TypeText {
		return x + ` COLLATE "C"`
	}
	return x
}
