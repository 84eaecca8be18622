package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"text/tabwriter"

	"golang.org/x/term"

	"github.com/exoagent/exoagent/internal/chart"
	"github.com/exoagent/exoagent/internal/cli"
	"github.com/exoagent/exoagent/schema"
)

// formats returns the names of the forms of a result.
func formats() []string { return []string{"chart", "csv", "json", "jsonl", "table"} }

// writeChart draws the chart that fits a result, as wide as the terminal. If no chart fits, it writes the reason, and a table.
func writeChart(std cli.Stdio, result []byte) error {
	c, why := chart.Of(result)
	if c == nil {
		fmt.Fprintln(std.Err, "no chart: "+why)
		return writeResult(std.Out, "table", result)
	}
	width := 80
	if f, ok := cli.Terminal(std.Out).(*os.File); ok {
		if w, _, err := term.GetSize(int(f.Fd())); err == nil {
			width = w
		}
	}
	_, err := io.WriteString(std.Out, c.Draw(width))
	return err
}

// writeResult writes a result, which is JSON, in a form such as csv. Each element of a list is a row; any other result is one row.
func writeResult(w io.Writer, form string, result []byte) error {
	if form == "json" {
		_, err := fmt.Fprintf(w, "%s\n", result)
		return err
	}
	list := []json.RawMessage{result}
	if bytes.HasPrefix(bytes.TrimSpace(result), []byte("[")) {
		list = nil
		if err := json.Unmarshal(result, &list); err != nil {
			return err
		}
	}
	if form == "jsonl" {
		for _, x := range list {
			var b bytes.Buffer
			if err := json.Compact(&b, x); err != nil {
				return err
			}
			if _, err := fmt.Fprintln(w, b.String()); err != nil {
				return err
			}
		}
		return nil
	}
	header, rows, err := grid(list)
	if err != nil {
		return err
	}
	if form == "csv" {
		c := csv.NewWriter(w)
		return c.WriteAll(append([][]string{header}, rows...))
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, row := range append([][]string{header}, rows...) {
		for i := range row {
			row[i] = schema.Printable(row[i]) // escaped, so that a line break in a cell does not begin a new row
		}
		fmt.Fprintln(t, strings.TrimRight(strings.Join(row, "\t"), "\t"))
	}
	return t.Flush()
}

// grid returns the cells of a list. Each field of any row has a column, in the order in which the fields appear. Values without fields share one
// column.
func grid(list []json.RawMessage) (header []string, rows [][]string, err error) {
	at := map[string]int{}
	for _, x := range list {
		var row []string
		put := func(name, cell string) {
			i, known := at[name]
			if !known {
				i = len(header)
				at[name], header = i, append(header, name)
			}
			for len(row) <= i {
				row = append(row, "")
			}
			row[i] = cell
		}
		names, cells, err := fields(x)
		if err != nil {
			return nil, nil, err
		}
		for i, n := range names {
			put(n, cells[i])
		}
		rows = append(rows, row)
	}
	for i := range rows {
		rows[i] = append(rows[i], slices.Repeat([]string{""}, len(header)-len(rows[i]))...)
	}
	return header, rows, nil
}

// fields returns the fields of an object, in their order. Any other value is one field with the name "value".
func fields(x json.RawMessage) (names, cells []string, err error) {
	d := json.NewDecoder(bytes.NewReader(x))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return []string{"value"}, []string{cell(x)}, err
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil, nil, err
		}
		var v json.RawMessage
		if err := d.Decode(&v); err != nil {
			return nil, nil, err
		}
		names, cells = append(names, fmt.Sprint(name)), append(cells, cell(v))
	}
	return names, cells, nil
}

// cell returns the text of a value for a cell of a table: a text unchanged, nothing for null, otherwise JSON.
func cell(v json.RawMessage) string {
	var s *string
	if json.Unmarshal(v, &s) == nil {
		if s == nil {
			return ""
		}
		return *s
	}
	return string(v)
}
