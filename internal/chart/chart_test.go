package chart

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/internal/printable"
)

// TestOf: which shapes suggest a chart, and what is said of the others. TestShapes in package resultpage has the page agree.
func TestOf(t *testing.T) {
	text, err := os.ReadFile("testdata/shapes.json")
	var shapes []struct {
		Chart  bool
		Want   string
		Result json.RawMessage
	}
	if err := errors.Join(err, json.Unmarshal(text, &shapes)); err != nil {
		t.Fatal(err)
	}
	for _, s := range shapes {
		var compact bytes.Buffer
		if err := json.Compact(&compact, s.Result); err != nil {
			t.Fatal(err)
		}
		c, why := Of(compact.Bytes())
		got := why
		if c != nil {
			got = fmt.Sprintf("%s %v %q", c.By, c.Time, c.Labels)
			for _, x := range c.Series {
				got += fmt.Sprintf(" %s=%q", x.Name, x.Texts)
			}
		}
		if !strings.Contains(got, s.Want) || (c != nil) != s.Chart {
			t.Errorf("%s: %s, want %s", s.Result, got, s.Want)
		}
	}
}

// TestDraw: bars by names, with points one below the other and what is negative to the left, and columns by time.
func TestDraw(t *testing.T) {
	for _, c := range []struct{ result, want string }{
		{`[{"kind":"tool","sum":"12.50"},{"kind":"toy","sum":"-6.25"},{"kind":"日本","sum":null},{"kind":"a\u001b[31m\u202eb","sum":"100.00"}]`, `
sum by kind
tool             12.50   ██
toy              -6.25  █
日本
a\u001b[31m\u…  100.00   ████████████████
`},
		{`[{"k":"a","x":1,"y":0},{"k":"b","x":2.5,"y":0}]`, `
x by k
a  1    ██████████████▍
b  2.5  ████████████████████████████████████

y by k
a  0
b  0
`},
		{`[{"month":"2024-03","n":-5},{"month":"2024-01","n":10},{"month":"2024-02","n":5}]`, `
n by month
10 │███████
   │███████
   │███████
   │███████ ███████
   │███████ ███████
   │███████ ███████
   │                ███████
   │                ███████
-5 │                ███████
    2024-01 2024-02 2024-03
`},
	} {
		x, why := Of([]byte(c.result))
		if x == nil {
			t.Errorf("%s: %s", c.result, why)
			continue
		}
		if got := "\n" + x.Draw(44); got != c.want {
			t.Errorf("%s:%s", c.result, got)
		}
	}
}

// TestDrawFits: no line is wider than the terminal, with any number of values, and none has what a terminal acts on.
func TestDrawFits(t *testing.T) {
	for _, n := range []int{2, 3, 40, 79, 80, 500} {
		for _, width := range []int{20, 30, 80, 200} {
			for _, by := range []string{"month", "name"} {
				var rows []map[string]any
				for i := range n {
					rows = append(rows, map[string]any{by: map[string]any{"month": fmt.Sprintf("%d-%02d", 2000+i/12, i%12+1), "name": fmt.Sprint("\x1b]0;", strings.Repeat("界", i))}[by], "v": float64(i-n/3) * 1e3, "negative": -i, "none": 0, "far": 1 - i*i*i*1000})
					if n == 40 { // of more digits than a line has room for, and as large as numbers are
						rows[i]["v"], rows[i]["far"] = "-1"+strings.Repeat("0", 40)+"."+strings.Repeat("3", 90), []float64{math.MaxFloat64, -math.MaxFloat64}[i%2]
					}
				}
				b, _ := json.Marshal(rows)
				c, why := Of(b)
				if c == nil {
					if by == "month" || n <= 40 {
						t.Errorf("%d by %s: %s", n, by, why)
					}
					continue
				}
				for l := range strings.Lines(c.Draw(width)) {
					if l = strings.TrimSuffix(l, "\n"); printable.Width(l) > max(width, 30) || printable.OneLine(l) != l {
						t.Errorf("%d by %s in %d columns: %q is %d wide", n, by, width, l, printable.Width(l))
						break
					}
				}
			}
		}
	}
}
