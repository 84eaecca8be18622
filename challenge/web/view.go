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

// table is a result as rows for reading. Only an array of objects has a table.
type table struct {
	Columns []string
	Rows    [][]string
	More    int // the number of rows that Rows leaves out
}

// maxTableRows and maxTableColumns bound the table on a page. The page also shows the whole result as JSON.
const maxTableRows, maxTableColumns = 100, 40

// tableOf reads a table from a result, with columns in the order of their first occurrence. An object within a row adds columns like
// "account.name".
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
	for i, r := range t.Rows { // pad the rows that were read before the last column was found
		t.Rows[i] = append(r, make([]string, len(t.Columns)-len(r))...)
	}
	if len(t.Columns) == 0 {
		return nil
	}
	return t
}

type cell struct{ name, text string }

// cellsOf returns the members of an object, and the members of the objects directly in it.
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

// textOf returns the text of a value in a cell. A string is returned without its quotes.
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

// line is a numbered line of an input, with the place that the verdict names.
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

// Progress returns the number of solved tasks.
func (v targetView) Progress() (n int) {
	for _, k := range v.Tasks {
		if v.Done[k.ID] {
			n++
		}
	}
	return n
}

// nextTask is the first unsolved task.
type nextTask struct {
	game.Task
	Number, Of int
}

// nextOf returns the next task, or nil if all are solved.
func nextOf(t *game.Target, done map[string]bool) *nextTask {
	for i, k := range t.Tasks {
		if !done[k.ID] {
			return &nextTask{k, i + 1, len(t.Tasks)}
		}
	}
	return nil
}

// Next returns the next task.
func (v targetView) Next() *nextTask { return nextOf(v.Target, v.Done) }

// many returns a number with its noun, like "1 attempt" and "3 attempts".
func many(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return fmt.Sprint(n, " ", thing)
}

// grouped writes a number with separated thousands.
func grouped(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// lasting writes a duration for reading, in days if it has some.
func lasting(d time.Duration) string {
	if day := 24 * time.Hour; d >= day && d%day == 0 {
		return many(int(d/day), "day")
	}
	return d.String()
}

// laneForm has what the form of a lane needs.
type laneForm struct {
	*apiLane
	Target *game.Target
	Open   bool // the page shows this form open
	Token  string
	Guide  string // the address of the host's guide, or ""
	Label  string
	Start  string // the first text in the editor
	Sent   bool   // the player has sent Start before
	// Described is the id of the element that describes the lane's input.
	Described string
}

// Form returns the form of a lane.
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

// sizeOf writes a number of bytes for reading.
func sizeOf(n int64) string {
	switch {
	case n >= 1<<20:
		return strings.TrimSuffix(fmt.Sprintf("%.1f", float64(n)/(1<<20)), ".0") + " MiB"
	case n >= 1<<10:
		return strings.TrimSuffix(fmt.Sprintf("%.1f", float64(n)/(1<<10)), ".0") + " KiB"
	}
	return fmt.Sprint(n, " bytes")
}

// codeOf returns the language of an input, for highlighting, or "".
func codeOf(l game.Lane) string {
	switch l {
	case game.Program:
		return "js"
	case game.Notice, game.Filter:
		return "sql"
	}
	return ""
}
