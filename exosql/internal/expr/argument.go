package expr

// This file has constants, and values of the message or the host. A value enters a statement as a parameter, never as text.

import (
	"fmt"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/plan"
	"github.com/exoagent/exoagent/internal/sqlast"
)

// Arg makes a parameter of the statement for a value. It has a cast if PostgreSQL would infer another type.
func (c *State) Arg(s plan.Source) sqlast.Expr {
	c.Slots = append(c.Slots, s)
	return sqlast.Arg{Slot: len(c.Slots) - 1, Cast: Casts[s.Kind]}
}

var Casts = map[string]sqlast.Cast{
	value.TypeDecimal: sqlast.CastNumeric, value.TypeDate: sqlast.CastDate, value.TypeInterval: sqlast.CastInterval,
	value.TypeUUID: sqlast.CastUUID, value.TypeBytes: sqlast.CastBytea, plan.ArgPosition: sqlast.CastInteger, plan.ArgLength: sqlast.CastInteger, plan.ArgPlaces: sqlast.CastInteger,
	plan.ArgKey: sqlast.CastText, plan.ArgIndex: sqlast.CastInteger,
	plan.ArgZone: sqlast.CastText, plan.ArgDepth: sqlast.CastInteger, plan.ArgMoving: sqlast.CastInteger, plan.ArgMatch: sqlast.CastText, plan.ArgRank: sqlast.CastText, plan.ArgSought: sqlast.CastText,
}

// Argument is a value of the program or of the host. Each use of it is a parameter of its
// own.
type Argument struct {
	Src  plan.Source
	Kind string
	size Digits
}

func (e Argument) SQL(f *From) sqlast.Expr { return f.c.Arg(e.Src) }

func (e Argument) Type() Type { return Type{Kind: e.Kind, Size: e.size} }

// As returns the value, bound as another type.
func (e Argument) As(kind string) Argument {
	e.size = e.Type().digits() // a whole number keeps its bound of digits
	e.Kind, e.Src.Kind = kind, kind
	return e
}

// Beside returns the value, bound as the type that it is compared with, like a text as a decimal or a day.
func (e Argument) Beside(kind string) Argument {
	if Casts[kind] != sqlast.NoCast && e.Kind != kind || kind == value.TypeFloat && e.Kind == value.TypeInt {
		return e.As(kind)
	}
	return e
}

// Literal returns a value of the message, bound as the given type or as its own.
func Literal(n *message.Node, kind string) Argument {
	e := Argument{Src: plan.Source{Origin: plan.FromMessage, Index: n.Slot, Item: -1}, Kind: TypeOfValue(n.Lit)}
	return e.Beside(kind)
}

// TypeOfValue returns the type with which a value is bound: see ScalarOf.
func TypeOfValue(v value.Value) string { return ScalarOf(v.Type()) }

// ScalarOf returns the type with which one argument is bound: null for lists, records and the like.
func ScalarOf(typ string) string {
	switch typ {
	case value.TypeList, value.TypeRecord, value.TypeRows, value.TypeRef, "":
		return value.TypeNull
	}
	return typ
}

// Const is a constant in the text of a statement.
type Const sqlast.Const

func (e Const) SQL(*From) sqlast.Expr { return sqlast.Const(e) }

func (e Const) Type() Type { return Type{Kind: value.TypeInt} }

// Null is the literal null. It is part of the message's shape, so the statement may depend on it.
type Null struct{}

func (Null) SQL(*From) sqlast.Expr { return sqlast.Null }

func (Null) Type() Type { return Type{Kind: value.TypeNull} }

// ErrNode returns the error for a node that the gate should have refused. It is for the host, not for the program.
func ErrNode(n *message.Node) error {
	return &fail.Error{Kind: fail.Internal, Err: fmt.Errorf("exosql: the compiler can't interpret node %d %q of the message, so nothing ran: this is a fault of exosql, please report it", n.Op, n.Name)}
}
