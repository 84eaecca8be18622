package sqlast

// Op is an operator or function of a Call. The zero Op is refused.
type Op uint8

const (
	NoOp Op = iota
	Eq
	Ne
	Lt
	Le
	Gt
	Ge
	Is             // equal, and NULL equals NULL
	IsNot          // the opposite of Is
	And            // one or more conditions
	Or             // one or more conditions
	Not            //
	IsNull         //
	IsNotNull      //
	Add            //
	StrftimeMillis // SQLite only: a time as text, UTC, with milliseconds
	Includes       // the first text contains the second, by characters as they are
	Coalesce       // the first that is not NULL
	CastedText     // Postgres only: anything that has a text form, as text
	CodePointText  // Postgres only: the same, compared and sorted by code point
	TruncMillis    // Postgres only: a time cut to milliseconds
	NextMillis     // Postgres only: a time a millisecond later
	numOps
)

// opInfo is a row of the operator table. A dialect without a spelling lacks the
// operator.
type opInfo struct {
	name             string
	min, max         int // number of arguments; max 0: any
	sqlite, postgres spelling
}

// A spelling is the text around arguments: open, then the separators in turn
// (the last repeats), then close. It brings its own parentheses, contains no
// question mark, and its type keeps data out: only constants convert to it.
type spelling struct {
	open  constant
	seps  []constant
	close constant
}

type constant string

func infix(op constant) spelling   { return spelling{"(", []constant{" " + op + " "}, ")"} }
func prefix(op constant) spelling  { return spelling{"(" + op + " ", nil, ")"} }
func postfix(op constant) spelling { return spelling{"(", nil, " " + op + ")"} }

// function takes everything up to the first argument: "lower(".
func function(head constant) spelling { return spelling{head, []constant{", "}, ")"} }

var ops = [numOps]opInfo{
	Eq:             {"eq", 2, 2, infix("="), infix("=")},
	Ne:             {"ne", 2, 2, infix("<>"), infix("<>")},
	Lt:             {"lt", 2, 2, infix("<"), infix("<")},
	Le:             {"le", 2, 2, infix("<="), infix("<=")},
	Gt:             {"gt", 2, 2, infix(">"), infix(">")},
	Ge:             {"ge", 2, 2, infix(">="), infix(">=")},
	Is:             {"is", 2, 2, infix("IS"), infix("IS NOT DISTINCT FROM")},
	IsNot:          {"is-not", 2, 2, infix("IS NOT"), infix("IS DISTINCT FROM")},
	And:            {"and", 1, 0, infix("AND"), infix("AND")},
	Or:             {"or", 1, 0, infix("OR"), infix("OR")},
	Not:            {"not", 1, 1, prefix("NOT"), prefix("NOT")},
	IsNull:         {"is-null", 1, 1, postfix("IS NULL"), postfix("IS NULL")},
	IsNotNull:      {"is-not-null", 1, 1, postfix("IS NOT NULL"), postfix("IS NOT NULL")},
	Add:            {"add", 2, 2, infix("+"), infix("+")},
	Includes:       {"includes", 2, 2, spelling{"(instr(", []constant{", "}, ") > 0)"}, spelling{"(strpos(", []constant{", "}, ") > 0)"}},
	Coalesce:       {"coalesce", 2, 0, function("coalesce("), function("coalesce(")},
	CastedText:     {"casted-text", 1, 1, spelling{}, spelling{"cast(", nil, " AS text)"}},
	CodePointText:  {"code-point-text", 1, 1, spelling{}, spelling{"(cast(", nil, ` AS text) COLLATE "C")`}},
	TruncMillis:    {"trunc-millis", 1, 1, spelling{}, function("date_trunc('milliseconds', ")},
	NextMillis:     {"next-millis", 1, 1, spelling{}, postfix("+ INTERVAL '1 millisecond'")},
	StrftimeMillis: {"strftime-millis", 1, 1, function("strftime('%Y-%m-%dT%H:%M:%fZ', "), spelling{}},
}

// String returns the operator's name in error messages.
func (o Op) String() string {
	if o == NoOp || o >= numOps {
		return "no operator"
	}
	return ops[o].name
}

func (o Op) spelling(d Dialect) spelling {
	if d == Postgres {
		return ops[o].postgres
	}
	return ops[o].sqlite
}

// sep returns the text before argument i+1.
func (s spelling) sep(i int) constant { return s.seps[min(i, len(s.seps)-1)] }

// casts are Postgres's type names.
var casts = [...]constant{
	CastBigint: "bigint", CastDouble: "double precision", CastText: "text", CastBoolean: "boolean",
	CastTimestamptz: "timestamptz",
}

// consts are the spellings on SQLite and on Postgres. SQLite's TRUE and FALSE are
// no keywords: they read a column of that name where there is one.
var consts = [...][2]constant{
	True: {"1", "TRUE"}, False: {"0", "FALSE"}, Null: {"NULL", "NULL"}, Zero: {"0", "0"}, One: {"1", "1"},
}

func (c Const) spelling(d Dialect) constant {
	if d == Postgres {
		return consts[c][1]
	}
	return consts[c][0]
}
