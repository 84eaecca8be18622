package web

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/exoagent/exoagent/challenge/game"
)

// table is a result as rows for reading. Only an array of objects has one.
type table struct {
	Columns []string
	Rows    [][]string
	More    int // rows that are not among Rows
}

// maxTableRows and maxTableColumns bound the table on a page, which shows the whole result below it as JSON.
const maxTableRows, maxTableColumns = 100, 40

// tableOf reads the table out of a result, columns in the order in which they come. An
// object within a row gives its columns too, as "account.name".
func tableOf(raw json.RawMessage) *table {
	var rows []json.RawMessage
	if json.Unmarshal(raw, &rows) != nil || len(rows) == 0 {
		return nil
	}
	t := &table{More: max(0, len(rows)-maxTableRows)}
	at := map[string]int{}
	for _, row := range rows[:len(rows)-t.More] {
		cells, ok := cellsOf("", row)
		if !ok {
			return nil
		}
		out := make([]string, len(t.Columns), len(t.Columns)+len(cells))
		for _, c := range cells {
			i, known := at[c.name]
			if !known {
				if i = len(t.Columns); i == maxTableColumns {
					return nil
				}
				at[c.name], t.Columns = i, append(t.Columns, c.name)
				out = append(out, "")
			}
			out[i] = c.text
		}
		t.Rows = append(t.Rows, out)
	}
	for i, r := range t.Rows { // rows that came before the last column did
		t.Rows[i] = append(r, make([]string, len(t.Columns)-len(r))...)
	}
	if len(t.Columns) == 0 {
		return nil
	}
	return t
}

type cell struct{ name, text string }

// cellsOf are the members of an object, and of the objects right in it.
func cellsOf(prefix string, raw json.RawMessage) (out []cell, ok bool) {
	d := json.NewDecoder(bytes.NewReader(raw))
	if tok, err := d.Token(); err != nil || tok != json.Delim('{') {
		return nil, false
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil, false
		}
		var v json.RawMessage
		if d.Decode(&v) != nil {
			return nil, false
		}
		key := prefix + name.(string)
		if inner, ok := cellsOf(key+".", v); ok && prefix == "" && len(inner) > 0 {
			out = append(out, inner...)
			continue
		}
		out = append(out, cell{key, textOf(v)})
	}
	return out, true
}

// textOf is a value as a cell shows it: a string without its quotes.
func textOf(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil && raw[0] == '"' {
		return s
	}
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return string(raw)
	}
	return b.String()
}

// line is one of an input, to be numbered, with the place that the verdict names.
type line struct {
	Text string
	Bad  bool
}

func linesOf(input string, v game.Verdict) (out []line) {
	for s := range strings.Lines(input) {
		out = append(out, line{strings.TrimSuffix(s, "\n"), len(out)+1 == v.Line})
	}
	return out
}

// Progress is how many of the tasks are done.
func (v targetView) Progress() (n int) {
	for _, k := range v.Tasks {
		if v.Done[k.ID] {
			n++
		}
	}
	return n
}

// nextTask is the first that is not done.
type nextTask struct {
	game.Task
	Number, Of int
}

// nextOf is the task to go on with; nil where all are done.
func nextOf(t *game.Target, done map[string]bool) *nextTask {
	for i, k := range t.Tasks {
		if !done[k.ID] {
			return &nextTask{k, i + 1, len(t.Tasks)}
		}
	}
	return nil
}

// Next is the task to go on with.
func (v targetView) Next() *nextTask { return nextOf(v.Target, v.Done) }

// many is a number of things.
func many(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return fmt.Sprint(n, " ", thing)
}

// grouped is a number with its thousands apart.
func grouped(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// lasting is a time for reading, in days where it is some.
func lasting(d time.Duration) string {
	if day := 24 * time.Hour; d >= day && d%day == 0 {
		return many(int(d/day), "day")
	}
	return d.String()
}

// laneForm is what the form of a lane needs.
type laneForm struct {
	*apiLane
	Target *game.Target
	Open   bool // it is the one that is shown
	Token  string
	Guide  string // the address of the host's guide, or ""
	Label  string
	Start  string // what the editor begins with
	Sent   bool   // Start is what was sent
	// Described is the id of what the lane asks of its input.
	Described string
}

// Form is that of a lane.
func (v targetView) Form(id game.Lane, p page) *laneForm {
	f := &laneForm{Target: v.Target, Open: id == v.Lane, Token: p.Token, Guide: p.Code(p.Source, "docs/challenge.md"), Label: "SQL statement"}
	for i, l := range v.Lanes {
		if l.ID == id {
			f.apiLane = &v.Lanes[i]
		}
	}
	switch id {
	case game.Program:
		f.Label, f.Start = "Program, in JavaScript", v.Examples[0]
	case game.Model:
		f.Label = "Question to the model"
	case game.Notice:
		f.Described = "rule"
	case game.Filter:
		f.Described = "filter"
	}
	if v.Record != nil && v.Record.Lane == id && v.Asked {
		f.Start, f.Sent = v.Record.Input, true
	}
	return f
}

// sizeOf is a number of bytes for reading.
func sizeOf(n int64) string {
	switch {
	case n >= 1<<20:
		return strings.TrimSuffix(fmt.Sprintf("%.1f", float64(n)/(1<<20)), ".0") + " MiB"
	case n >= 1<<10:
		return strings.TrimSuffix(fmt.Sprintf("%.1f", float64(n)/(1<<10)), ".0") + " KiB"
	}
	return fmt.Sprint(n, " bytes")
}

// codeOf is in which language an input is, for highlighting: "" is none.
func codeOf(l game.Lane) string {
	switch l {
	case game.Program:
		return "js"
	case game.Notice, game.Filter:
		return "sql"
	}
	return ""
}
