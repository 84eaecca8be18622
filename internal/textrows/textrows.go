// Package textrows reads rows from the text of CSV files and of JSON lines. It refuses a text that would become another value in a program. Its
// errors are for programs.
package textrows

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/exoagent/exoagent/internal/scalar"
)

// maxValues bounds the values of one text: a value takes up to a hundred times the memory of its shortest text.
const maxValues = 100_000

// IsText reports whether a text can be a value of a program.
func IsText(text string) bool { return utf8.ValidString(text) && !strings.Contains(text, "\x00") }

// CSV reads cells as texts, under the names in the first line. An empty line is a row with an empty text if there is one column, and no row if there
// are several.
func CSV(text string, separator rune) (out []map[string]any, err error) {
	r := cellsOf(exact(text, false), separator)
	first, err := r.Read()
	if len(first) == 1 && err == nil {
		r = cellsOf(exact(text, true), separator)
		first, err = r.Read()
	}
	if errors.Is(err, io.EOF) {
		return nil, nil
	}
	if err != nil {
		return nil, reason(err)
	}
	var names []string
	has := map[string]bool{}
	for i, name := range first {
		name = broken.Replace(name)
		if name == "" {
			name = "column" + strconv.Itoa(i+1)
		}
		if name == "__proto__" {
			return nil, errors.New("line 1: a column can't have the name __proto__: call read in place of rows, for the text of the file")
		}
		if has[name] {
			return nil, fmt.Errorf("line 1: %q is the name of two columns: call read in place of rows, for the text of the file", name)
		}
		has[name], names = true, append(names, name)
	}
	for n := len(names); ; n += len(names) {
		cells, err := r.Read()
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return nil, reason(err)
		}
		if n > maxValues {
			return nil, errTooMuch
		}
		row := make(map[string]any, len(names))
		for i, name := range names {
			row[name] = strings.Clone(broken.Replace(cells[i]))
		}
		out = append(out, row)
	}
}

func cellsOf(text string, separator rune) *csv.Reader {
	r := csv.NewReader(strings.NewReader(text))
	r.Comma = separator
	r.ReuseRecord = true
	return r
}

// exact returns the text so that package csv changes no cell. Package csv reads \r\n in a quoted cell as \n, and drops each empty line. So exact
// replaces such a \r by NUL, which no text has. If there is one column, exact puts an empty cell into each empty line after the first row.
func exact(text string, one bool) string {
	var b strings.Builder
	b.Grow(len(text))
	within, begun := false, false
	for line := range strings.Lines(text) {
		empty := !within && (line == "\n" || line == "\r\n")
		if strings.Count(line, `"`)%2 == 1 {
			within = !within
		}
		if one && empty && begun {
			b.WriteString(`""`)
		}
		begun = begun || !empty
		if head, ok := strings.CutSuffix(line, "\r\n"); ok && within {
			line = head + "\x00\n"
		}
		b.WriteString(line)
	}
	return b.String()
}

// broken turns the line breaks that exact has marked back into \r\n.
var broken = strings.NewReplacer("\x00\n", "\r\n")

var errTooMuch = fmt.Errorf("the file has more than %d values: call read, which gives the text of the file", maxValues)

// reason returns package csv's reason for an error, with the line.
func reason(err error) error {
	if e, ok := errors.AsType[*csv.ParseError](err); ok {
		return fmt.Errorf("line %d: %v", e.Line, e.Err)
	}
	return err
}

// Lines reads a JSON object from each line that is not empty.
func Lines(text string) (out []map[string]any, err error) {
	if strings.Count(text, ",")+strings.Count(text, "{")+strings.Count(text, "[") > maxValues {
		return nil, errTooMuch
	}
	n := 0
	for line := range strings.Lines(text) {
		if n++; strings.TrimSpace(line) == "" {
			continue
		}
		row, err := object(line)
		if err != nil {
			return nil, fmt.Errorf("line %d%w", n, err)
		}
		out = append(out, row)
	}
	return out, nil
}

// object reads a JSON object from a line. The text of its error continues one that ends with the number of the line.
func object(line string) (map[string]any, error) {
	if !json.Valid([]byte(line)) || !strings.HasPrefix(strings.TrimSpace(line), "{") {
		return nil, errors.New(" is not one JSON object: call read, which gives the text of the file")
	}
	err := whole(line)
	if err == nil {
		d := json.NewDecoder(strings.NewReader(line))
		d.UseNumber()
		var x any
		if x, err = next(d, 0); err == nil {
			return x.(map[string]any), nil
		}
	}
	return nil, fmt.Errorf(": %w", err)
}

// whole refuses an escape for half a character, which package json would replace by another character. The line must be valid JSON.
func whole(line string) error {
	for {
		i := strings.IndexByte(line, '\\')
		if i < 0 {
			return nil
		}
		unit := escaped(line[i:])
		switch {
		case !utf16.IsSurrogate(unit):
			line = line[i+2:]
		case utf16.DecodeRune(unit, escaped(line[i+6:])) == utf8.RuneError:
			return fmt.Errorf(`a text has %s, which is half a character: call read, which gives the text of the file`, line[i:i+6])
		default:
			line = line[i+12:]
		}
	}
}

// escaped returns the code unit of an escape like \u00e9 at the start of a text, or 0 if there is none.
func escaped(text string) rune {
	if len(text) < 6 || text[:2] != `\u` {
		return 0
	}
	unit, _ := strconv.ParseUint(text[2:6], 16, 16)
	return rune(unit)
}

// next reads a value, and refuses a value that no program can get.
func next(d *json.Decoder, depth int) (any, error) {
	if depth > 31 {
		return nil, errors.New("the value is nested too deeply: call read, which gives the text of the file")
	}
	t, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch t := t.(type) {
	case json.Number:
		return number(t.String())
	case string:
		if !IsText(t) {
			return nil, errors.New("a text has the character NUL: call read, which gives the text of the file")
		}
	case json.Delim:
		if t == '{' {
			return fields(d, depth)
		}
		list := []any{}
		for d.More() {
			x, err := next(d, depth+1)
			if err != nil {
				return nil, err
			}
			list = append(list, x)
		}
		_, err = d.Token()
		return list, err
	}
	return t, nil
}

// fields reads the rest of an object after its {.
func fields(d *json.Decoder, depth int) (any, error) {
	out := map[string]any{}
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return nil, err
		}
		name, _ := t.(string)
		if name == "__proto__" || !IsText(name) {
			return nil, fmt.Errorf("%q can't be a name: call read, which gives the text of the file", name)
		}
		if _, has := out[name]; has {
			return nil, fmt.Errorf("an object has the name %.40q twice: call read, which gives the text of the file", name)
		}
		if out[name], err = next(d, depth+1); err != nil {
			return nil, err
		}
	}
	_, err := d.Token()
	return out, err
}

// number returns a number that a program gets unchanged. It is an integer up to scalar.SafeInteger, or a float that has the same digits when it is
// written again.
func number(text string) (any, error) {
	if i, err := strconv.ParseInt(text, 10, 64); err == nil && i <= scalar.SafeInteger && i >= -scalar.SafeInteger {
		return i, nil
	}
	x, err := strconv.ParseFloat(text, 64)
	digits, whole := decimal(text)
	if err != nil || whole && math.Abs(x) > scalar.SafeInteger || digits != "" && !same(x, digits) {
		return nil, fmt.Errorf("the number %.40s can't be kept exactly: call read, which gives the text of the file, or put the number in quotes in the file", text)
	}
	return x, nil
}

// same reports whether a float, written with as many digits, has these digits.
func same(x float64, digits string) bool {
	is, _ := decimal(strconv.FormatFloat(x, 'e', len(digits)-1, 64))
	return is == digits
}

// decimal returns the digits of a number from the first to the last that is not 0, and reports whether the number is an integer. 0 has no digits.
func decimal(text string) (digits string, whole bool) {
	mantissa, exponent, _ := strings.Cut(strings.ToLower(strings.TrimPrefix(text, "-")), "e")
	before, after, _ := strings.Cut(mantissa, ".")
	digits = strings.TrimRight(before+after, "0")
	at, _ := strconv.Atoi(exponent) // an exponent that is too large for an int becomes the largest int
	whole = digits == "" || at >= len(digits)-len(before)
	return strings.TrimLeft(digits, "0"), whole
}
