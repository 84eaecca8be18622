package databases

// What a cell of a database means, read by this package alone: by the kind of the column and what the driver gives.

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/exoagent/exoagent/schema"
)

// cell is a value of a row. Which field holds it is up to the column's kind.
type cell struct {
	kind schema.Kind
	null bool
	bad  bool   // the declared type does not hold it
	raw  string // as the database has it
	num  *big.Rat
	text string
	inGo bool // a time as Go's String method writes it
	time time.Time
	json any
}

func (c cell) String() string {
	switch {
	case c.null:
		return "NULL"
	case c.bad:
		return "not held: " + c.raw
	}
	return c.raw
}

// key is the same for equal values of one column, and for no others. loose columns take texts for equal that differ in case.
func (c cell) key(loose bool) string {
	switch {
	case c.null || c.bad:
		return "null"
	case c.num != nil:
		return c.num.RatString()
	case c.kind == schema.Time:
		return c.time.UTC().Format(time.RFC3339Nano)
	case loose:
		return "t" + lowerASCII(c.text)
	}
	return "t" + c.text
}

func lowerASCII(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, s)
}

// compare orders two values of a column: nulls, and what is not held, come first.
func (c cell) compare(o cell) int {
	n, m := c.null || c.bad, o.null || o.bad
	switch {
	case n || m:
		return cmp.Compare(order(m), order(n))
	case c.num != nil:
		return c.num.Cmp(o.num)
	case c.kind == schema.Time:
		return c.time.Compare(o.time)
	}
	if c.kind == schema.Bytes {
		x, _ := base64.StdEncoding.DecodeString(c.text)
		y, _ := base64.StdEncoding.DecodeString(o.text)
		return bytes.Compare(x, y)
	}
	return strings.Compare(c.text, o.text)
}

func order(b bool) int {
	if b {
		return 1
	}
	return 0
}

// sqliteCell reads a cell of SQLite: what is stored in it, of which storage class.
func sqliteCell(kind schema.Kind, class string, x any) cell {
	c := cell{kind: kind, raw: fmt.Sprintf("%s %v", class, x)}
	s, isText := x.(string)
	switch class {
	case "null":
		return cell{kind: kind, null: true}
	case "blob":
		b, _ := x.([]byte)
		c.raw = "blob " + hex.EncodeToString(b)
		c.text, c.bad = base64.StdEncoding.EncodeToString(b), kind != schema.Bytes
		return c
	}
	switch kind {
	case schema.Int:
		i, ok := x.(int64)
		c.num, c.bad = new(big.Rat).SetInt64(i), !ok
	case schema.Bool:
		i, ok := x.(int64)
		c.num, c.bad = new(big.Rat).SetInt64(i), !ok || i != 0 && i != 1
	case schema.Float, schema.Decimal:
		switch n := x.(type) {
		case int64:
			c.num = new(big.Rat).SetInt64(n)
		case float64:
			if math.IsInf(n, 0) {
				c.bad = true
				return c
			}
			c.num, _ = new(big.Rat).SetString(strconv.FormatFloat(n, 'f', -1, 64)) // the decimal that it shows
		default:
			if c.bad = kind == schema.Float || !isDecimal.MatchString(s); !c.bad {
				c.num, _ = new(big.Rat).SetString(s)
			}
		}
	case schema.Text:
		c.text, c.bad = s, !isText
	case schema.Time:
		c.readTime(s)
	case schema.Date:
		_, err := time.Parse(time.DateOnly, s)
		c.text, c.bad = s, err != nil
	case schema.UUID:
		c.text = strings.ToLower(s)
		c.bad = !isUUID.MatchString(s) // capitals are no form of it
	case schema.JSON:
		if i, ok := x.(int64); ok {
			s = strconv.FormatInt(i, 10)
		} else if f, ok := x.(float64); ok {
			s = strconv.FormatFloat(f, 'g', -1, 64)
		}
		c.readJSON(s)
	default:
		c.bad = true
	}
	return c
}

// heldCell reads a cell of SQLite whose column is declared to hold values in a form: as the type that it stands for.
func heldCell(form string, kind schema.Kind, class string, x any) cell {
	s, _ := x.(string)
	n, whole := x.(int64)
	as := func(class string, y any) cell {
		c := sqliteCell(kind, class, y)
		c.raw = fmt.Sprintf("%s %v", typeOf(x), x)
		return c
	}
	bad := cell{kind: kind, raw: fmt.Sprintf("%s %v", class, x), bad: true}
	layouts := map[string]string{"iso": "2006-01-02T15:04:05.000Z", "sql": time.DateTime, "sql-fraction": time.DateTime, "offset": "2006-01-02 15:04:05+00:00", "go": "2006-01-02 15:04:05 +0000 UTC"}
	var at time.Time
	switch layout := layouts[form]; {
	case form == "" || class == "null":
		return sqliteCell(kind, class, x)
	case form == "t/f" && (s == "t" || s == "f"), form == "true/false" && (s == "true" || s == "false"):
		return as("integer", int64(order(s[0] == 't')))
	case form == "unix" && whole:
		at = time.Unix(n, 0).UTC()
	case form == "unix-ms" && whole:
		at = time.UnixMilli(n).UTC()
	default:
		s, _, _ = strings.Cut(s, " m=")
		t, err := time.Parse(layout, s)
		if err != nil || layout == "" || form == "sql" && len(s) != len(layout) {
			return bad
		}
		at = t
	}
	if kind == schema.Date && at.Equal(at.Truncate(24*time.Hour)) {
		return as("text", at.Format(time.DateOnly))
	} else if kind != schema.Time {
		return bad
	}
	return cell{kind: kind, raw: bad.raw, time: at}
}

func typeOf(x any) string {
	if _, ok := x.(int64); ok {
		return "integer"
	}
	return "text"
}

var (
	isDecimal = regexp.MustCompile(`^[+-]?\d+(\.\d+)?([eE][+-]?\d+)?$`)
	isUUID    = regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)
)

func (c *cell) readJSON(s string) {
	d := json.NewDecoder(strings.NewReader(s))
	d.UseNumber()
	c.text, c.bad = s, d.Decode(&c.json) != nil || d.More()
	if c.json == nil && !c.bad {
		c.json = jsonNull{}
	}
}

// jsonNull is JSON's own null, which is a value of a column.
type jsonNull struct{}

// readTime reads the texts that tools write: ISO's, and that of Go's String method. Without an offset a time is in UTC.
func (c *cell) readTime(s string) {
	s, _, _ = strings.Cut(s, " m=")
	if i := strings.Index(s, " -"); i > 12 && strings.Count(s, " ") == 3 { // 2025-… 03:04:05 -0700 MST
		s, c.inGo = s[:strings.LastIndex(s, " ")], true
	} else if strings.Contains(s, " +") {
		s, c.inGo = s[:strings.LastIndex(s, " ")], true
	}
	s = strings.Replace(s, "T", " ", 1)
	for _, f := range []string{"2006-01-02 15:04:05.999999999 -0700", "2006-01-02 15:04:05.999999999Z07:00", "2006-01-02 15:04:05.999999999-07", "2006-01-02 15:04:05.999999999", "2006-01-02 15:04", "2006-01-02"} {
		if t, err := time.Parse(f, s); err == nil {
			c.time = t.UTC()
			return
		}
	}
	c.bad = true
}

// postgresCell reads a cell of PostgreSQL: its text, as ::text has it in UTC, with interval as months, days and microseconds.
func postgresCell(kind schema.Kind, s *string) cell {
	if s == nil {
		return cell{kind: kind, null: true}
	}
	c := cell{kind: kind, raw: *s}
	switch kind {
	case schema.Int, schema.Float, schema.Decimal:
		switch {
		case strings.HasSuffix(*s, "nfinity") || *s == "NaN":
			c.bad = true
		default:
			c.num, _ = new(big.Rat).SetString(*s)
		}
	case schema.Bool:
		c.num = new(big.Rat).SetInt64(int64(order(*s == "true")))
	case schema.Time:
		c.readTime(*s)
	case schema.Bytes:
		b, err := hex.DecodeString(strings.TrimPrefix(*s, `\x`))
		c.text, c.bad = base64.StdEncoding.EncodeToString(b), err != nil
	case schema.JSON:
		c.readJSON(*s)
	case schema.List:
		c.readJSON(*s)
	default:
		c.text, c.bad = *s, kind == schema.Date && strings.HasSuffix(*s, "infinity")
	}
	return c
}

const exact = 1 << 53

// shows reports whether a value of a result, decoded with json.Number, is what the cell means.
func (c cell) shows(v any) bool {
	s, isText := v.(string)
	n, isNumber := v.(json.Number)
	if c.null {
		return v == nil
	}
	if c.bad { // it counts as null
		return v == nil
	}
	switch c.kind {
	case schema.Int:
		if r, ok := new(big.Rat).SetString(s + string(n)); !ok || r.Cmp(c.num) != 0 {
			return false
		}
		large := new(big.Rat).Abs(c.num).Cmp(new(big.Rat).SetInt64(exact)) > 0
		return large && isText || !large && isNumber
	case schema.Float:
		if !isNumber {
			return false
		}
		a, _ := strconv.ParseFloat(string(n), 64)
		b, _ := c.num.Float64()
		return a == b
	case schema.Decimal:
		r, ok := new(big.Rat).SetString(s)
		return isText && ok && r.Cmp(c.num) == 0
	case schema.Bool:
		b, ok := v.(bool)
		return ok && b == (c.num.Sign() != 0)
	case schema.Time:
		t, err := time.Parse("2006-01-02T15:04:05.000Z", s)
		return err == nil && t.Equal(c.time.Truncate(time.Millisecond))
	case schema.JSON:
		return sameJSON(v, c.json)
	case schema.List:
		return sameList(v, c.json)
	case schema.Interval:
		months, days, micros, ok := readInterval(s)
		return ok && fmt.Sprintf("%d %d %d", months, days, micros) == c.text
	}
	return isText && s == c.text
}

func sameJSON(v, want any) bool {
	return reflect.DeepEqual(plainNumbers(v), plainNumbers(want))
}

// sameList compares arrays: numbers of decimals and of whole numbers beyond 2^53 are shown as texts.
func sameList(v, want any) bool {
	a, _ := v.([]any)
	b, _ := want.([]any)
	if len(a) != len(b) || v == nil {
		return false
	}
	for i := range a {
		x, y := fmt.Sprint(a[i]), fmt.Sprint(b[i])
		p, ok := new(big.Rat).SetString(x)
		q, okToo := new(big.Rat).SetString(y)
		if (a[i] == nil) != (b[i] == nil) || x != y && !(ok && okToo && p.Cmp(q) == 0) {
			return false
		}
	}
	return true
}

// plainNumbers gives 1.0 and 1 the same form.
func plainNumbers(v any) any {
	switch x := v.(type) {
	case jsonNull:
		return nil
	case json.Number:
		if r, ok := new(big.Rat).SetString(string(x)); ok {
			return r.RatString()
		}
	case []any:
		out := make([]any, len(x))
		for i := range x {
			out[i] = plainNumbers(x[i])
		}
		return out
	case map[string]any:
		out := map[string]any{}
		for k, y := range x {
			out[k] = plainNumbers(y)
		}
		return out
	}
	return v
}

var intervalForm = regexp.MustCompile(`^P(?:(-?\d+)Y)?(?:(-?\d+)M)?(?:(-?\d+)W)?(?:(-?\d+)D)?(?:T(?:(-?\d+)H)?(?:(-?\d+)M)?(?:(-?)(\d+)(?:\.(\d+))?S)?)?$`)

func readInterval(s string) (months, days, micros int64, ok bool) {
	m := intervalForm.FindStringSubmatch(s)
	if m == nil {
		return 0, 0, 0, false
	}
	n := func(i int) int64 {
		x, _ := strconv.ParseInt("0"+strings.TrimPrefix(m[i], "-"), 10, 64)
		return x * int64(1-2*order(strings.HasPrefix(m[i], "-")))
	}
	frac, _ := strconv.ParseInt((m[9] + "000000")[:6], 10, 64)
	seconds := n(8)*1e6 + frac
	if m[7] == "-" {
		seconds = -seconds
	}
	return n(1)*12 + n(2), n(3)*7 + n(4), n(5)*3600e6 + n(6)*60e6 + seconds, true
}

// literal is the cell as a program writes it; ok is false where there is none: JSON, lists.
func (c cell) literal() (text string, ok bool) {
	switch {
	case c.null || c.bad || c.kind == schema.JSON || c.kind == schema.List:
		return "", false
	}
	switch c.kind {
	case schema.Bool:
		return strconv.FormatBool(c.num.Sign() != 0), true
	case schema.Int:
		if s := c.num.RatString(); new(big.Rat).Abs(c.num).Cmp(new(big.Rat).SetInt64(exact)) <= 0 {
			return s, true
		} else {
			return "'" + s + "'", true
		}
	case schema.Float:
		f, _ := c.num.Float64()
		return strconv.FormatFloat(f, 'g', -1, 64), true
	case schema.Decimal:
		prec, _ := c.num.FloatPrec()
		return "'" + c.num.FloatString(prec) + "'", true
	case schema.Time:
		return "'" + c.time.Format("2006-01-02T15:04:05.000Z") + "'", c.time.Truncate(time.Millisecond).Equal(c.time) && c.time.Year() > 0 && c.time.Year() < 10000
	case schema.Interval:
		var months, days, micros int64
		fmt.Sscan(c.text, &months, &days, &micros)
		return fmt.Sprintf("'P%dM%dDT%d.%06dS'", months, days, micros/1e6, micros%1e6), micros >= 0
	}
	b, _ := json.Marshal(c.text)
	return string(b), true
}
