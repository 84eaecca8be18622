package compile

import (
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/plan"
	"github.com/exoagent/exoagent/internal/sqlast"
)

// arg makes a placeholder. What PostgreSQL would infer from the place where it
// stands is said where it is not the type of the value.
func (c *compiler) arg(s plan.Source) sqlast.Expr {
	c.slots = append(c.slots, s)
	return sqlast.Arg{Slot: len(c.slots) - 1, Cast: casts[s.Kind]}
}

var casts = map[string]sqlast.Cast{
	value.TypeDecimal: sqlast.CastNumeric, value.TypeDate: sqlast.CastDate, value.TypeInterval: sqlast.CastInterval,
	value.TypeUUID: sqlast.CastUUID, value.TypeBytes: sqlast.CastBytea, plan.ArgPosition: sqlast.CastInteger, plan.ArgLength: sqlast.CastInteger, plan.ArgPlaces: sqlast.CastInteger,
	plan.ArgKey: sqlast.CastText, plan.ArgIndex: sqlast.CastInteger,
	plan.ArgZone: sqlast.CastText, plan.ArgDepth: sqlast.CastInteger, plan.ArgMoving: sqlast.CastInteger, plan.ArgMatch: sqlast.CastText, plan.ArgRank: sqlast.CastText, plan.ArgSought: sqlast.CastText,
}
