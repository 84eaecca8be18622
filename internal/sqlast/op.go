package sqlast

// Op is an operator or function of a Call. The zero Op is refused. An operand that is passed twice occurs twice in
// Args, because the spelling has two places for it.
type Op uint8

const (
	NoOp Op = iota
	Eq
	Ne
	Lt
	Le
	Gt
	Ge
	Is    // equal, where NULL equals NULL
	IsNot // the opposite of Is
	And   // takes one or more conditions
	Or    // takes one or more conditions
	Not
	IsNull
	IsNotNull
	Add       // adds offsets of pages; Plus adds other numbers
	AnyTime   // SQLite only: a time from any text form, as a text in UTC with milliseconds; NULL if it is no time. Its operand is passed six times
	ReadTime  // SQLite only: a cell as the text of a time, from a form (its number in package cellform)
	ReadDay   // SQLite only: a cell as the text of a day, from a form
	ReadFlag  // SQLite only: a cell as a truth value, from a form
	StoreTime // SQLite only: the text of a time as a cell in a form; so are StoreDay and StoreFlag for days and truth values
	StoreDay
	StoreFlag
	IsNumber  // SQLite only: whether a column has a number
	NoNumber  // SQLite only: whether a column has no number
	FitsWhole // SQLite only: whether a cell is a whole number. The other Fits operators return a truth value, too
	FitsFlag
	FitsLetter // whether a cell is 't' or 'f'
	FitsWord   // whether a cell is 'true' or 'false'
	FitsText
	FitsJSON // whether a cell is JSON; NULL for NULL
	FitsBytes
	FitsFloat    // whether a cell is a finite number; NULL for NULL
	FitsTime     // whether a cell is a text that begins with a day of the years 0 to 9999, passed three times; on Postgres a time in the years 1 to 9999, or NULL for NULL
	FitsDay      // whether a cell is the text of a day, with ten characters, passed three times
	FitsInterval // whether a cell is a length of time in a form of ISO 8601; on Postgres a finite one
	Finite       // Postgres only: whether a day or a number, passed twice, is finite; NULL for NULL
	FitsList     // whether a cell is a JSON array
	FitsUUID     // whether a cell, passed four times, is the text of a UUID in small letters
	FitsDecimal  // whether a cell, passed three times, is a number or the text of one
	CellOf       // SQLite only: the cell for a text in a cursor: see plan.CellOf
	TypeOf       // SQLite only: the name of the kind of value in a cell; NULL for NULL
	TruncMillis  // Postgres only: a time cut to milliseconds
	Includes     // whether the first text contains the second, with exact characters; StartsWith and EndsWith work alike
	StartsWith
	EndsWith
	Short         // a text of at most 200 bytes, or NULL; on PostgreSQL passed twice
	Like          // SQL's pattern with the escape \; case counts
	Coalesce      // the first operand that is not NULL
	CastedText    // Postgres only: any value with a text form, as text
	CodePointText // Postgres only: any value as text, compared and sorted by code point
	ByCodePoint   // SQLite only: a text, compared and sorted by code point
	NoCase        // SQLite only: a text, compared without the case of A to Z
	RightTrim     // SQLite only: a text, compared without the spaces at its end
	AddressText   // Postgres only: an inet as the database shows it; a cast would add the length of its mask
	NextMillis    // Postgres only: a time a millisecond later
	NullIf
	NullIfNumber // NullIf for exact numbers
	NullIfInterval
	Between   // SQLite only: takes a value, a lower bound and an upper bound
	Within    // Postgres only: takes a lower bound, an upper bound and a value, which is computed once; BETWEEN would copy it
	Case      // takes a condition, the value if it is true, and the other value
	Unindexed // SQLite only: a column in a form that no index serves

	// These take and return exact numbers (see IntExact). They return NULL where SQL's own functions fail, because an error could reveal a number
	// that depends on rows out of scope.
	IntExact   // a whole number as an exact number
	FloatExact // a float as an exact number with the digits of its text; NULL for NaN and infinity
	Bounded    // a decimal of at most 1000 digits on each side of the point, or NULL; on Postgres passed three times
	Plus
	Minus
	Times
	Over   // the quotient, cut after 20 places; NULL for a division by zero
	Modulo // the remainder, with the sign of the first operand; NULL for a division by zero
	Negate
	Abs
	Round   // rounds to a number of places, halves away from zero
	RoundUp // rounds to a whole number, halves up
	Floor
	Ceil
	NumberKey  // an exact number in a form in which = and < compare its value
	NumberText // an exact number, as text without an exponent
	NotAbove   // SQLite only: the greatest whole number up to an exact number, to compare with a column of whole numbers
	NotBelow   // SQLite only: the least whole number from an exact number on, to compare with a column of whole numbers
	AsWhole    // SQLite only: a number that equals the same whole numbers as an exact number
	StoreWhole // SQLite only: a number as a column of whole numbers stores it; an error if the column can't have it
	StoreFloat // SQLite only: a number as a column of floating-point numbers stores it; an error if the column can't have it
	StoreExact // SQLite only: a decimal for a column that turns texts into numbers; an error if digits would be lost
	StoreReal  // SQLite only: StoreFloat for a column that also turns whole numbers into floating-point numbers
	StoreText  // SQLite only: a text for a column that turns some texts into numbers; an error if the text would change

	// These take texts.
	Brief  // a text of at most 1 MiB, or NULL; on Postgres it is passed twice
	Concat // joins texts; NULL if one of them is NULL
	Lower  // a text in small letters, by Unicode's rules for no specific language; Upper gives capitals
	Upper
	Trim    // a text without white space at its ends, like JavaScript's trim
	Length  // the length of a text in characters
	Substr  // takes a text, the position of the first character (from 1), and the number of characters
	ByTruth // a truth value as the text true or false

	// These take times and dates, in UTC or as Local has converted them.
	Era       // Postgres only: a time or a date of the years 1 to 9999, else NULL; it takes a column, passed twice
	EraOnce   // Postgres only: Era for any expression, given once
	Local     // takes a time and a zone, and returns the time that clocks there show; on Postgres it takes a column, passed twice
	LocalOnce // Postgres only: Local for any expression, given once
	Year
	Quarter
	Month    // the month, from 1
	Month0   // the month, from 0
	Week     // the week of ISO 8601
	WeekYear // the year of the week of ISO 8601
	Day
	Weekday // the day of the week; Sunday is 0
	Hour
	Minute
	Second
	EpochMillis
	TimeText
	DateText
	JulianDay // the number of days since a fixed day long ago
	DayOf     // DayOf to YearOf: the first day of a time's unit; a week begins on Monday
	WeekOf
	MonthOf
	QuarterOf
	YearOf
	PlusDays // PlusDays and PlusWeeks: the day this many units later, or NULL outside the years 1 to 9999
	PlusWeeks
	PlusMonths // PlusMonths to PlusYears: the day this many units later; the last day of a month that has no such day
	PlusQuarters
	PlusYears

	// IntervalMillis is the length of an interval in milliseconds: a month counts 30 days, a day 24 hours.
	IntervalMillis
	IntervalKey // an interval in a form in which = and < compare its length: a month counts 30 days, a day 24 hours
	Elements    // the number of elements of an array
	Has         // whether an array, the second operand, has the first operand as an element
	HasNumber   // Has for numbers

	// These take JSON. None of them fails, whatever the JSON contains.
	JSONDocument // Postgres only: the JSON in a column
	JSONValid    // SQLite only: the JSON in a column with any text, passed twice
	JSONKey      // the member of an object under a key
	JSONIndex    // the element of an array at an index, from 0
	JSONValue    // JSON, or NULL for the JSON null
	JSONNotNull  // JSONValue for a column with any text, or with PostgreSQL's json
	JSONText     // the text that JSON is, or NULL; on Postgres it and the next operators take the JSON twice
	JSONBool
	JSONLength // the number of elements of an array in JSON; for an object the whole number under its key length; or NULL
	JSONDigits // the digits of a whole number in JSON from 2^53 on, which a float may not represent; or NULL
	JSONNumber // the number that JSON is, or NULL; on Postgres passed three times

	// These take JSON and a value. They report whether the JSON is an array with this element, or return NULL if it is no array.
	JSONHasText
	JSONHasNumber
	JSONHasBool

	SameJSON  // whether JSON equals a text of JSON
	SameArray // whether two arrays have the same elements

	// Postgres only: an array, with its elements converted to another type.
	TextArray
	AddressArray // Postgres only: an array of inet, as texts: see AddressText
	IntArray
	FloatArray
	BoolArray
	DecimalArray
	DateArray
	UUIDArray
	JSONArray
	BytesArray
	IntervalArray
	numOps
)

// opInfo describes an operator. A dialect without a spelling lacks the operator.
type opInfo struct {
	name             string
	min, max         int // the number of arguments; a max of 0 allows any number
	sqlite, postgres spelling
}

// A spelling is the text around arguments: open, then the separators in turn (the last one repeats), then close. It has its own parentheses
// and no question mark. Only constants convert to its type, so no data can become a spelling.
type spelling struct {
	open  constant
	seps  []constant
	close constant
}

type constant string

func infix(op constant) spelling   { return spelling{"(", []constant{" " + op + " "}, ")"} }
func prefix(op constant) spelling  { return spelling{"(" + op + " ", nil, ")"} }
func postfix(op constant) spelling { return spelling{"(", nil, " " + op + ")"} }

// function returns a spelling for a call. head is the text up to the first argument, like "lower(".
func function(head constant) spelling { return spelling{head, []constant{", "}, ")"} }

var ops = [numOps]opInfo{
	Eq:            {"eq", 2, 2, infix("="), infix("=")},
	Ne:            {"ne", 2, 2, infix("<>"), infix("<>")},
	Lt:            {"lt", 2, 2, infix("<"), infix("<")},
	Le:            {"le", 2, 2, infix("<="), infix("<=")},
	Gt:            {"gt", 2, 2, infix(">"), infix(">")},
	Ge:            {"ge", 2, 2, infix(">="), infix(">=")},
	Is:            {"is", 2, 2, infix("IS"), infix("IS NOT DISTINCT FROM")},
	IsNot:         {"is-not", 2, 2, infix("IS NOT"), infix("IS DISTINCT FROM")},
	And:           {"and", 1, 0, infix("AND"), infix("AND")},
	Or:            {"or", 1, 0, infix("OR"), infix("OR")},
	Not:           {"not", 1, 1, prefix("NOT"), prefix("NOT")},
	IsNull:        {"is-null", 1, 1, postfix("IS NULL"), postfix("IS NULL")},
	IsNotNull:     {"is-not-null", 1, 1, postfix("IS NOT NULL"), postfix("IS NOT NULL")},
	Add:           {"add", 2, 2, infix("+"), infix("+")},
	Coalesce:      {"coalesce", 2, 0, function("coalesce("), function("coalesce(")},
	CastedText:    {"casted-text", 1, 1, spelling{}, spelling{"cast(", nil, " AS text)"}},
	ByCodePoint:   {"by-code-point", 1, 1, postfix("COLLATE BINARY"), spelling{}},
	NoCase:        {"no-case", 1, 1, postfix("COLLATE NOCASE"), spelling{}},
	RightTrim:     {"right-trim", 1, 1, postfix("COLLATE RTRIM"), spelling{}},
	CodePointText: {"code-point-text", 1, 1, spelling{"(CAST(", nil, " AS TEXT) COLLATE BINARY)"}, spelling{"(cast(", nil, ` AS text) COLLATE "C")`}},
	// SQLite's date functions read a number as a Julian day, 'now' as the current time, and 2024-02-30 as 1 March. So only a text in the full form
	// may reach them.
	AnyTime:        {"any-time", 6, 6, spelling{"(CASE WHEN typeof(", []constant{") = 'text' AND substr(", ", 8, 1) = '-' AND substr(", ", 9, 2) < '29' THEN coalesce(strftime('%Y-%m-%dT%H:%M:%fZ', ", "), exo_read_time(", ", 0)) ELSE exo_read_time("}, ", 0) END)"}, spelling{}},
	ReadTime:       {"read-time", 2, 2, function("exo_read_time("), spelling{}},
	ReadDay:        {"read-day", 2, 2, function("exo_read_day("), spelling{}},
	ReadFlag:       {"read-flag", 2, 2, function("exo_read_flag("), spelling{}},
	StoreTime:      {"store-time", 2, 2, function("exo_store_time("), spelling{}},
	StoreDay:       {"store-day", 2, 2, function("exo_store_day("), spelling{}},
	StoreFlag:      {"store-flag", 2, 2, function("exo_store_flag("), spelling{}},
	IsNumber:       {"is-number", 1, 1, postfix("< ''"), spelling{}},
	NoNumber:       {"no-number", 1, 1, postfix(">= ''"), spelling{}},
	FitsWhole:      {"fits-whole", 1, 1, spelling{"(typeof(", nil, ") = 'integer')"}, spelling{}},
	FitsFlag:       {"fits-flag", 1, 1, spelling{"(ifnull(", nil, ", 2) IN (0, 1))"}, spelling{}},
	FitsLetter:     {"fits-letter", 1, 1, spelling{"(ifnull(", nil, ", '') IN ('t', 'f'))"}, spelling{}},
	FitsWord:       {"fits-word", 1, 1, spelling{"(ifnull(", nil, ", '') IN ('true', 'false'))"}, spelling{}},
	FitsJSON:       {"fits-json", 1, 1, function("json_valid("), spelling{}},
	FitsInterval:   {"fits-interval", 1, 1, spelling{"(exo_interval(", nil, ") IS NOT NULL)"}, function("isfinite(")},
	Finite:         {"finite", 2, 2, spelling{}, spelling{"(", []constant{" > '-Infinity' AND "}, " < 'Infinity')"}}, // NaN is not less than Infinity
	FitsList:       {"fits-list", 1, 1, function("exo_fits_list("), spelling{}},
	FitsText:       {"fits-text", 1, 1, spelling{"(typeof(", nil, ") = 'text')"}, spelling{}},
	FitsBytes:      {"fits-bytes", 1, 1, spelling{"(typeof(", nil, ") = 'blob')"}, spelling{}},
	FitsTime:       {"fits-time", 1, 3, spelling{"(", []constant{" IS NOT NULL AND date(substr(", ", 1, 10)) IS substr("}, ", 1, 10))"}, spelling{"(", []constant{", "}, " " + era + ")"}},
	FitsDay:        {"fits-day", 3, 3, spelling{"(", []constant{" IS NOT NULL AND date(", ") IS "}, ")"}, spelling{}},
	FitsFloat:      {"fits-float", 1, 1, postfix("BETWEEN -1.7976931348623157e308 AND 1.7976931348623157e308"), spelling{}},
	FitsUUID:       {"fits-uuid", 4, 4, spelling{"(length(", []constant{") = 36 AND ifnull(length(unhex(", ", '-')), 0) = 16 AND exo_lower(", ") = "}, ")"}, spelling{}},
	FitsDecimal:    {"fits-decimal", 3, 3, spelling{"(CASE WHEN ", []constant{" < '' THEN ", " BETWEEN -1.7976931348623157e308 AND 1.7976931348623157e308 ELSE exo_key("}, ") IS NOT NULL END)"}, spelling{}},
	CellOf:         {"cell-of", 1, 1, function("exo_cell("), spelling{}},
	TypeOf:         {"type-of", 1, 1, spelling{"nullif(typeof(", nil, "), 'null')"}, spelling{}},
	TruncMillis:    {"trunc-millis", 1, 1, spelling{}, function("date_trunc('milliseconds', ")},
	NextMillis:     {"next-millis", 1, 1, spelling{}, postfix("+ INTERVAL '1 millisecond'")},
	NullIf:         {"nullif", 2, 2, function("nullif("), function("nullif(")},
	NullIfNumber:   {"nullif-number", 2, 2, function("exo_nullif("), function("nullif(")},
	NullIfInterval: {"nullif-interval", 2, 2, function("exo_nullif_interval("), function("nullif(")},
	Unindexed:      {"unindexed", 1, 1, prefix("+"), spelling{}},
	Between:        {"between", 3, 3, spelling{"(", []constant{" BETWEEN ", " AND "}, ")"}, spelling{}},
	Within:         {"within", 3, 3, spelling{}, spelling{"(SELECT v >= ", []constant{" AND v <= ", " FROM (SELECT "}, " AS v OFFSET 0) AS b)"}},
	Case:           {"case", 3, 3, spelling{"(CASE WHEN ", []constant{" THEN ", " ELSE "}, " END)"}, spelling{"(CASE WHEN ", []constant{" THEN ", " ELSE "}, " END)"}},

	// SQLite's instr takes time in proportion to the product of both lengths, and nothing can stop it.
	Includes:   {"includes", 2, 2, function("exo_includes("), spelling{"(strpos(", []constant{", "}, ") > 0)"}},
	StartsWith: {"starts-with", 2, 2, function("exo_starts("), function("starts_with(")},
	EndsWith:   {"ends-with", 2, 2, function("exo_ends("), spelling{"starts_with(reverse(", []constant{"), reverse("}, "))"}},
	Short:      {"short", 1, 2, function("exo_short("), spelling{"(CASE WHEN octet_length(", []constant{") <= 200 THEN "}, " END)"}},
	// A planner that knows the pattern tries it on texts in its statistics, which come from rows of any tenant. When it plans, it does not know
	// the result of a select.
	Like: {"like", 2, 2, function("exo_like("), spelling{"(", []constant{" LIKE (SELECT "}, ") ESCAPE '\\')"}},

	IntExact:   {"int-exact", 1, 1, function("("), spelling{"CAST(", nil, " AS numeric)"}},
	FloatExact: {"float-exact", 1, 1, function("("), spelling{"CAST(nullif(nullif(nullif(CAST(", nil, " AS text), 'NaN'), 'Infinity'), '-Infinity') AS numeric)"}},
	Bounded:    {"bounded", 1, 3, function("exo_bounded("), spelling{"(CASE WHEN abs(", []constant{") < 1e1000 AND min_scale(", ") <= 1000 THEN "}, " END)"}},
	Plus:       {"plus", 2, 2, function("exo_add("), infix("+")},
	Minus:      {"minus", 2, 2, function("exo_sub("), infix("-")},
	Times:      {"times", 2, 2, function("exo_mul("), infix("*")},
	// div returns a whole number without rounding, so the quotient has the same digits everywhere.
	Over:       {"over", 2, 2, function("exo_div("), spelling{"(div(", []constant{" * 100000000000000000000, nullif("}, ", 0)) * 0.00000000000000000001)"}},
	Modulo:     {"modulo", 2, 2, function("exo_mod("), spelling{"(", []constant{" % nullif("}, ", 0))"}},
	Negate:     {"negate", 1, 1, function("exo_neg("), prefix("-")},
	Abs:        {"abs", 1, 1, function("exo_abs("), function("abs(")},
	Round:      {"round", 2, 2, function("exo_round("), function("round(")},
	RoundUp:    {"round-up", 1, 1, function("exo_round_up("), spelling{"floor(", nil, " + 0.5)"}},
	Floor:      {"floor", 1, 1, function("exo_floor("), function("floor(")},
	Ceil:       {"ceil", 1, 1, function("exo_ceil("), function("ceil(")},
	NumberKey:  {"number-key", 1, 1, function("exo_key("), function("(")},
	NotAbove:   {"not-above", 1, 1, function("exo_not_above("), spelling{}},
	NotBelow:   {"not-below", 1, 1, function("exo_not_below("), spelling{}},
	AsWhole:    {"as-whole", 1, 1, function("exo_as_whole("), spelling{}},
	StoreWhole: {"store-whole", 1, 1, function("exo_store_whole("), spelling{}},
	StoreFloat: {"store-float", 1, 1, function("exo_store_float("), spelling{}},
	StoreExact: {"store-exact", 1, 1, function("exo_store_exact("), spelling{}},
	StoreReal:  {"store-real", 1, 1, function("exo_store_real("), spelling{}},
	StoreText:  {"store-text", 1, 1, function("exo_store_text("), spelling{}},
	NumberText: {"number-text", 1, 1, function("exo_text("), spelling{"CAST(trim_scale(", nil, ") AS text)"}},

	Brief:  {"brief", 1, 2, function("exo_brief("), spelling{"(CASE WHEN octet_length(", []constant{") <= 262144 THEN "}, " END)"}},
	Concat: {"concat", 2, 0, infix("||"), infix("||")},
	Lower:  {"lower", 1, 1, function("exo_lower("), spelling{"(lower(", nil, ` COLLATE "und-x-icu") COLLATE "C")`}},
	Upper:  {"upper", 1, 1, function("exo_upper("), spelling{"(upper(", nil, ` COLLATE "und-x-icu") COLLATE "C")`}},
	Trim: {"trim", 1, 1, spelling{"trim(", nil, ", char(9,10,11,12,13,32,160,5760,8192,8193,8194,8195,8196,8197,8198,8199,8200,8201,8202,8232,8233,8239,8287,12288,65279))"},
		spelling{"btrim(", nil, `, U&'\0009\000A\000B\000C\000D\0020\00A0\1680\2000\2001\2002\2003\2004\2005\2006\2007\2008\2009\200A\2028\2029\202F\205F\3000\FEFF')`}},
	Length:  {"length", 1, 1, function("length("), function("char_length(")},
	Substr:  {"substr", 2, 3, function("substr("), function("substr(")},
	ByTruth: {"truth", 1, 1, spelling{"(CASE ", nil, " WHEN 1 THEN 'true' WHEN 0 THEN 'false' END)"}, spelling{"CAST(", nil, " AS text)"}},

	Year:        {"year", 1, 1, strftime("'%Y'"), extract("year")},
	Month:       {"month", 1, 1, strftime("'%m'"), extract("month")},
	Month0:      {"month0", 1, 1, spelling{"(CAST(strftime('%m', ", nil, ") AS INTEGER) - 1)"}, spelling{"(EXTRACT(month FROM ", nil, ") - 1)"}},
	Day:         {"day", 1, 1, strftime("'%d'"), extract("day")},
	Quarter:     {"quarter", 1, 1, spelling{"((CAST(strftime('%m', ", nil, ") AS INTEGER) + 2) / 3)"}, extract("quarter")},
	Week:        {"week", 1, 1, strftime("'%V'"), extract("week")},
	WeekYear:    {"week-year", 1, 1, strftime("'%G'"), extract("isoyear")},
	Weekday:     {"weekday", 1, 1, strftime("'%w'"), extract("dow")},
	Hour:        {"hour", 1, 1, strftime("'%H'"), extract("hour")},
	Minute:      {"minute", 1, 1, strftime("'%M'"), extract("minute")},
	Second:      {"second", 1, 1, strftime("'%S'"), spelling{"floor(EXTRACT(second FROM ", nil, "))"}},
	EpochMillis: {"epoch-millis", 1, 1, spelling{"CAST(round((julianday(", nil, ") - 2440587.5) * 86400000.0) AS INTEGER)"}, spelling{"floor(EXTRACT(epoch FROM ", nil, ") * 1000)"}},
	TimeText:    {"time-text", 1, 1, function("("), spelling{"to_char(", nil, `, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`}},
	DateText:    {"date-text", 1, 1, function("("), spelling{"CAST(", nil, " AS text)"}}, // a cast, because to_char would first turn the day into a time, which can't represent most days
	JulianDay:   {"julian-day", 1, 1, spelling{"CAST(julianday(date(", nil, ")) + 0.5 AS INTEGER)"}, spelling{"EXTRACT(julian FROM CAST(", nil, " AS date))"}},

	// A PostgreSQL statement would fail for an infinite date, and for a time in a year that no clock shows.
	Era:       {"era", 2, 2, spelling{}, spelling{"(CASE WHEN ", []constant{" " + era + " THEN "}, " END)"}},
	EraOnce:   {"era-once", 1, 1, spelling{}, spelling{"(SELECT CASE WHEN v " + era + " THEN v END FROM (SELECT ", nil, " AS v OFFSET 0) AS b)"}},
	Local:     {"local", 2, 3, function("exo_local("), spelling{"(CASE WHEN ", []constant{" " + localEra + " THEN CAST(", " AS timestamptz) AT TIME ZONE "}, " END)"}},
	LocalOnce: {"local-once", 2, 2, spelling{}, spelling{"(SELECT CASE WHEN v " + localEra + " THEN CAST(v AS timestamptz) AT TIME ZONE z END FROM (SELECT ", []constant{" AS v, "}, " AS z OFFSET 0) AS b)"}},
	DayOf:     {"day-of", 1, 1, function("date("), truncation("day")},
	WeekOf:    {"week-of", 1, 1, spelling{"strftime('%Y-%m-%d', ", nil, ", '-6 days', 'weekday 1')"}, truncation("week")},
	MonthOf:   {"month-of", 1, 1, function("strftime('%Y-%m-01', "), truncation("month")},
	QuarterOf: {"quarter-of", 1, 1, spelling{"exo_quarter(strftime('%Y-%m', ", nil, "))"}, truncation("quarter")},
	YearOf:    {"year-of", 1, 1, function("strftime('%Y-01-01', "), truncation("year")},

	PlusDays:     later("plus-days", "1, 0", daysLater("")),
	PlusWeeks:    later("plus-weeks", "7, 0", daysLater(" * 7")),
	PlusMonths:   later("plus-months", "0, 1", monthsLater("")),
	PlusQuarters: later("plus-quarters", "0, 3", monthsLater(" * 3")),
	PlusYears:    later("plus-years", "0, 12", monthsLater(" * 12")),

	// In PostgreSQL's epoch of an interval a year has 365.25 days: 453600 seconds more than twelve months of 30 days.
	IntervalMillis: {"interval-millis", 1, 1, function("exo_interval_millis("), spelling{"(SELECT CASE WHEN isfinite(v) THEN floor((EXTRACT(epoch FROM v) - EXTRACT(year FROM v) * 453600) * 1000) END FROM (SELECT ", nil, " AS v OFFSET 0) AS b)"}},
	IntervalKey:    {"interval-key", 1, 1, function("exo_interval("), function("(")},
	Elements:       {"elements", 1, 1, function("exo_count("), function("cardinality(")},
	Has:            {"has", 2, 2, function("exo_has("), spelling{"(", []constant{" = ANY("}, "))"}},
	HasNumber:      {"has-number", 2, 2, function("exo_has_number("), spelling{"(", []constant{" = ANY("}, "))"}},

	JSONDocument: {"json-document", 1, 1, spelling{}, spelling{"CAST(", nil, " AS jsonb)"}},
	JSONValid:    {"json-valid", 2, 2, spelling{"(CASE WHEN json_valid(", []constant{") THEN "}, " END)"}, spelling{}},
	JSONKey:      {"json-key", 2, 2, infix("->"), infix("->")},
	// PostgreSQL's -> would read a scalar as an array with one element.
	JSONIndex:   {"json-index", 2, 2, infix("->"), spelling{"jsonb_path_query_first(", []constant{", 'strict $[$i]', jsonb_build_object('i', "}, "), TRUE)"}},
	JSONValue:   {"json-value", 1, 1, spelling{"nullif(", nil, ", 'null')"}, spelling{"nullif(", nil, ", CAST('null' AS jsonb))"}},
	JSONNotNull: {"json-not-null", 1, 1, spelling{"nullif(trim(", nil, ", char(9,10,13,32)), 'null')"}, spelling{"nullif(btrim(CAST(", nil, ` AS text), U&'\0009\000A\000D\0020'), 'null')`}},
	JSONText:    {"json-text", 1, 2, function("exo_json_text("), spelling{"(CASE jsonb_typeof(", []constant{") WHEN 'string' THEN "}, " #>> '{}' END)"}},
	JSONBool:    {"json-bool", 1, 2, function("exo_json_bool("), spelling{"(CASE jsonb_typeof(", []constant{") WHEN 'boolean' THEN CAST("}, " AS boolean) END)"}},
	JSONLength: {"json-length", 1, 5, function("exo_json_length("),
		spelling{"(CASE jsonb_typeof(", []constant{") WHEN 'array' THEN jsonb_array_length(", ") WHEN 'object' THEN CASE jsonb_typeof(", " -> 'length') WHEN 'number' THEN CASE WHEN CAST(trim_scale(CAST(", " -> 'length' AS numeric)) AS text) ~ '^[0-9]{1,9}$' THEN CAST("}, " -> 'length' AS integer) END END END)"}},
	JSONDigits: {"json-digits", 1, 5, function("exo_json_digits("),
		spelling{"(CASE jsonb_typeof(", []constant{") WHEN 'number' THEN CASE WHEN abs(CAST(", " AS numeric)) >= 9007199254740992 AND abs(CAST(", " AS numeric)) < 1e308 AND scale(trim_scale(CAST(", " AS numeric))) = 0 THEN CAST(trim_scale(CAST("}, " AS numeric)) AS text) END END)"}},
	JSONNumber: {"json-number", 1, 4, function("exo_json_number("),
		spelling{"(CASE jsonb_typeof(", []constant{") WHEN 'number' THEN CASE WHEN abs(CAST(", " AS numeric)) <= " + tiny + " THEN 0 WHEN abs(CAST(", " AS numeric)) < 1e308 THEN CAST("}, " AS double precision) END END)"}},
	JSONHasText: {"json-has-text", 2, 2, function("exo_json_has_text("), jsonHas("text", "j @> jsonb_build_array(v) OR v ~ '^-{0,1}[1-9][0-9]{15,254}$' AND j @> jsonb_build_array(CAST(substring(v FROM '^-{0,1}[0-9]{1,255}$') AS numeric))")},
	JSONHasNumber: {"json-has-number", 2, 2, function("exo_json_has_number("), jsonHas("double precision", // the operator @> would compare a float's rounded number with all digits
		"COALESCE((SELECT bool_or(CASE jsonb_typeof(e) WHEN 'number' THEN CASE WHEN abs(CAST(e AS numeric)) <= "+tiny+" THEN 0 = v WHEN abs(CAST(e AS numeric)) < 1e308 THEN CAST(e AS double precision) = v END END) FROM jsonb_array_elements(j) AS a(e)), FALSE)")},
	SameJSON:    {"same-json", 2, 2, function("exo_same("), spelling{"(CAST(", []constant{" AS jsonb) = CAST("}, " AS jsonb))"}},
	AddressText: {"address-text", 1, 1, spelling{}, function("pg_catalog.abbrev(")},

	AddressArray: {"address-array", 1, 1, spelling{}, spelling{"CAST(CAST(", nil, " AS text) AS text[])"}},
	TextArray:    castArray("text"), IntArray: castArray("bigint"), FloatArray: castArray("double precision"), BoolArray: castArray("boolean"), DecimalArray: castArray("numeric"),
	DateArray: castArray("date"), UUIDArray: castArray("uuid"), JSONArray: castArray("jsonb"), BytesArray: castArray("bytea"), IntervalArray: castArray("interval"),

	SameArray:   {"same-array", 2, 2, function("exo_same_array("), infix("=")},
	JSONHasBool: {"json-has-bool", 2, 2, function("exo_json_has_bool("), jsonHas("boolean", "j @> jsonb_build_array(v)")},
}

// castArray converts an array to another type, element by element.
func castArray(of constant) opInfo {
	return opInfo{string(of) + "-array", 1, 1, spelling{}, spelling{"CAST(", nil, " AS " + of + "[])"}}
}

// jsonHas returns the spelling of a search for a value in a JSON array. The text computes the JSON and the value once, and is NULL without an array.
func jsonHas(of, holds constant) spelling {
	return spelling{"(SELECT CASE jsonb_typeof(j) WHEN 'array' THEN " + holds + " END FROM (SELECT ", []constant{" AS j, CAST("}, " AS " + of + ") AS v OFFSET 0) AS b)"}
}

// String returns the operator's name for error messages.
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

func strftime(form constant) spelling {
	return spelling{"CAST(strftime(" + form + ", ", nil, ") AS INTEGER)"}
}

func extract(part constant) spelling { return spelling{"EXTRACT(" + part + " FROM ", nil, ")"} }

// tiny is half of the least float, 2^-1075. JavaScript reads numbers up to it as 0, while PostgreSQL would fail.
const tiny = "2.470328229206232720882843964341106861826e-324"

// era is the condition that a time or a date is in the years 1 to 9999, and so finite. The last microsecond is an upper bound for times and for dates.
const era = "BETWEEN '0001-01-01' AND '9999-12-31 23:59:59.999999'"

// localEra is era for times. It excludes a day at each end, so that the clocks of all zones show a year within era.
const localEra = "BETWEEN '0001-01-02' AND '9999-12-30 23:59:59.999999'"

func truncation(unit constant) spelling {
	return spelling{"CAST(date_trunc('" + unit + "', ", nil, ") AS date)"}
}

// later returns a day this many units after another. SQLite's function takes the days and months of a unit.
func later(name string, unit, sum constant) opInfo {
	return opInfo{name, 2, 2, spelling{"exo_later(", []constant{", "}, ", " + unit + ")"},
		spelling{"(SELECT CASE WHEN n BETWEEN -4000000 AND 4000000 THEN " + sum + " END FROM (SELECT ", []constant{" AS d, "}, " AS n OFFSET 0) AS b)"}}
}

func daysLater(factor constant) constant {
	n := "CAST(n AS integer)" + factor
	return "CASE WHEN d + " + n + " BETWEEN '0001-01-01' AND '9999-12-31' THEN d + " + n + " END"
}

// monthsLater returns SQL for a day some months later. It tests the year first, because the statement would fail for a month outside the calendar.
func monthsLater(factor constant) constant {
	n := "CAST(n AS integer)" + factor
	return "CASE WHEN EXTRACT(year FROM d) * 12 + EXTRACT(month FROM d) - 1 + " + n + " BETWEEN 12 AND 119999 THEN CAST(d + make_interval(months => " + n + ") AS date) END"
}

// casts are Postgres's type names.
var casts = [...]constant{
	CastBigint: "bigint", CastDouble: "double precision", CastText: "text", CastBoolean: "boolean",
	CastTimestamptz: "timestamptz", CastInteger: "integer", CastNumeric: "numeric", CastDate: "date", CastInterval: "interval", CastUUID: "uuid",
	CastBytea: "bytea", CastJSON: "jsonb",
}

// consts are the spellings on SQLite and on Postgres. SQLite's TRUE and FALSE are no keywords: they would read a column with that name.
var consts = [...][2]constant{
	True: {"1", "TRUE"}, False: {"0", "FALSE"}, Null: {"NULL", "NULL"}, Zero: {"0", "0"}, One: {"1", "1"},
}

func (c Const) spelling(d Dialect) constant {
	if d == Postgres {
		return consts[c][1]
	}
	return consts[c][0]
}
