package compile

import (
	"fmt"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/plan"
	"github.com/exoagent/exoagent/internal/sqlast"
)

// arg makes a placeholder. What PostgreSQL would infer from the place where it
// stands is said where it is not the type of the value.
func (c *state) arg(s plan.Source) sqlast.Expr {
	c.slots = append(c.slots, s)
	return sqlast.Arg{Slot: len(c.slots) - 1, Cast: casts[s.Kind]}
}

var casts = map[string]sqlast.Cast{
	value.TypeDecimal: sqlast.CastNumeric, value.TypeDate: sqlast.CastDate, value.TypeInterval: sqlast.CastInterval,
	value.TypeUUID: sqlast.CastUUID, value.TypeBytes: sqlast.CastBytea, plan.ArgPosition: sqlast.CastInteger, plan.ArgLength: sqlast.CastInteger, plan.ArgPlaces: sqlast.CastInteger,
	plan.ArgKey: sqlast.CastText, plan.ArgIndex: sqlast.CastInteger,
	plan.ArgZone: sqlast.CastText, plan.ArgDepth: sqlast.CastInteger, plan.ArgMoving: sqlast.CastInteger, plan.ArgMatch: sqlast.CastText, plan.ArgRank: sqlast.CastText, plan.ArgSought: sqlast.CastText,
}

// Argument is a value of the program or of the host, bound to a placeholder of its own
// wherever it is used.
type Argument struct {
	src  plan.Source
	kind string
	size digits
}

func (e Argument) SQL(f *From) sqlast.Expr { return f.c.arg(e.src) }

func (e Argument) Type() Type { return Type{kind: e.kind, size: e.size} }

// as is the value bound as one of another kind.
func (e Argument) as(kind string) Argument {
	e.size = e.Type().digits() // a whole number stays one
	e.kind, e.src.Kind = kind, kind
	return e
}

// beside is the value bound as what it was written for: a text as a decimal or a day.
func (e Argument) beside(kind string) Argument {
	if casts[kind] != sqlast.NoCast && e.kind != kind || kind == value.TypeFloat && e.kind == value.TypeInt {
		return e.as(kind)
	}
	return e
}

// literal is a value of the message, bound as of the given kind, or as what it is.
func literal(n *message.Node, kind string) Argument {
	e := Argument{src: plan.Source{Origin: plan.FromMessage, Index: n.Slot, Item: -1}, kind: typeOfValue(n.Lit)}
	return e.beside(kind)
}

func typeOfValue(v value.Value) string { return scalarOf(v.Type()) }

// scalarOf is the type of what is bound as one argument: null for what has parts.
func scalarOf(typ string) string {
	switch typ {
	case value.TypeList, value.TypeRecord, value.TypeRows, value.TypeRef, "":
		return value.TypeNull
	}
	return typ
}

// Const is a constant of a statement's text.
type Const sqlast.Const

func (e Const) SQL(*From) sqlast.Expr { return sqlast.Const(e) }

func (e Const) Type() Type { return Type{kind: value.TypeInt} }

// Null is the literal null, whose place in the message's shape says so.
type Null struct{}

func (Null) SQL(*From) sqlast.Expr { return sqlast.Null }

func (Null) Type() Type { return Type{kind: value.TypeNull} }

// ErrNode is for trees that the gate should have refused: never the guest's words.
func ErrNode(n *message.Node) error {
	return &fail.Error{Kind: fail.Internal, Err: fmt.Errorf("exosql: can't interpret node %d %q", n.Op, n.Name)}
}
