// Package textrows reads rows from the text of CSV files and of JSON lines. It refuses what would be another value in a program. Its errors are for
// programs.
package textrows

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/exoagent/exoagent/internal/scalar"
)

// maxValues bounds the values of one text: a value takes up to a hundred times the memory of its shortest text.
const maxValues = 100_000

// IsText reports whether a text can be a value of a program.
func IsText(text string) bool { return utf8.ValidString(text) && !strings.Contains(text, "\x00") }

// CSV reads cells as texts, under the names in the first line.
func CSV(text string, separator rune) (out []map[string]any, err error) {
	r := csv.NewReader(strings.NewReader(text))
	r.Comma = separator
	r.ReuseRecord = true
	first, err := r.Read()
	if errors.Is(err, io.EOF) {
		return nil, nil
	}
	if err != nil {
		return nil, reason(err)
	}
	var names []string
	has := map[string]bool{}
	for i, name := range first {
		if name == "" {
			name = "column" + strconv.Itoa(i+1)
		}
		if has[name] || name == "__proto__" {
			return nil, fmt.Errorf("line 1: the column %q is there twice, or can't be the name of one: read gives the text", name)
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
			row[name] = strings.Clone(cells[i])
		}
		out = append(out, row)
	}
}

var errTooMuch = fmt.Errorf("it has more than %d values", maxValues)

// reason is what a package says of a text, with the line.
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
		var row map[string]any
		d := json.NewDecoder(strings.NewReader(line))
		d.UseNumber()
		err := d.Decode(&row)
		if _, more := d.Token(); err != nil || row == nil || !errors.Is(more, io.EOF) {
			return nil, fmt.Errorf("line %d is not one JSON object", n)
		}
		if err := plain(row, 0); err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		out = append(out, row)
	}
	return out, nil
}

// plain makes numbers of what JSON has, in place, and refuses what no program can get.
func plain(in any, depth int) error {
	one := func(x any) (any, error) {
		switch x := x.(type) {
		case json.Number:
			return number(x)
		case string:
			if !IsText(x) {
				return nil, errors.New("a text has the character NUL")
			}
		}
		return x, plain(x, depth+1)
	}
	var err error
	switch in := in.(type) {
	case map[string]any:
		for name, x := range in {
			if name == "__proto__" || !IsText(name) {
				return fmt.Errorf("%q can't be a name", name)
			}
			if in[name], err = one(x); err != nil {
				return err
			}
		}
	case []any:
		for i, x := range in {
			if in[i], err = one(x); err != nil {
				return err
			}
		}
	}
	if depth > 30 {
		return errors.New("it is nested too deeply")
	}
	return nil
}

// number returns a number that is not changed by being one of a program.
func number(n json.Number) (any, error) {
	i, err := n.Int64()
	if err == nil && i <= scalar.SafeInteger && i >= -scalar.SafeInteger {
		return i, nil
	}
	x, bad := n.Float64()
	if err == nil || bad != nil || !strings.ContainsAny(n.String(), ".eE") {
		return nil, fmt.Errorf("the number %.40s would become another one: write it as a text, or use read", n)
	}
	return x, nil
}
