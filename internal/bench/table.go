package main

import (
	"cmp"
	"fmt"
	"runtime"
	"slices"
	"strings"
)

// row is one line of the table: a benchmark, the benchmark for comparison, and the target on a machine with two cores.
type row struct {
	what   string
	name   string // the benchmark's name
	unit   string // the unit; "" is ns/op
	beside string // the benchmark for comparison, or ""
	target string
}

var rows = makeRows()

func makeRows() []row {
	var out []row
	targets := map[string]string{"sqlite6": "under 8", "sqlite10000": "under 1.4", "postgres10000": "under 1.4"}
	for _, e := range []struct{ name, shown string }{{"sqlite", "SQLite"}, {"postgres", "PostgreSQL"}} {
		for _, n := range []struct{ name, shown string }{{"6", "6"}, {"10000", "10,000"}} {
			base := "codemode/Query/" + e.name + "/" + n.name + "/"
			rows := e.shown + ", " + n.shown + " rows"
			out = append(out,
				row{rows + ", in process", base + "tool", "", base + "scan", targets[e.name+n.name]},
				row{rows + ", in a worker", base + "worker", "", base + "scan", ""})
		}
	}
	return append(out,
		row{"recording a query of two joins", "codemode/Record", "ns/query", "", "under 25 µs"},
		row{"planning it, cold", "exosql/Plan/cold", "", "", ""},
		row{"planning it, from the cache", "exosql/Plan/cached", "", "", "under 5 µs"},
		row{"a call through the gate, allowed", "exo/Gate/allowed/10", "", "", ""},
		row{"the same among 300 methods", "exo/Gate/allowed/300", "", "", ""},
		row{"refused: no such method", "exo/Gate/missing/10", "", "", "under 1 µs"},
		row{"the same among 300 methods", "exo/Gate/missing/300", "", "", "under 1 µs"},
		row{"refused: revoked", "exo/Gate/revoked/10", "", "", "under 1 µs"},
		row{"making a tool", "codemode/Tool/new", "", "", ""},
		row{"20 lines of JavaScript over 1,000 rows, in process", "codemode/Shape", "", "", "under 3 ms"},
		row{"a process from start to end, with one program", "start", "", "", "under 60 ms"},
		row{"the memory of that process", "start", "MB", "", "under 40 MB"})
}

// table returns the table in docs/performance.md.
func table(m measured, rounds int) (string, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "\nMedians of %d rounds on %d cores (%s/%s, %s).\n\n", rounds, runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, runtime.Version())
	b.WriteString("| what | this module | the driver, which scans | ratio | allocations | target |\n|---|---|---|---|---|---|\n")
	for _, r := range rows {
		mine, err := m.of(r.name, r.unit)
		if err != nil {
			return "", err
		}
		other, ratio, allocs := "", "", ""
		if r.beside != "" {
			theirs, err := m.of(r.beside, r.unit)
			if err != nil {
				return "", err
			}
			if len(theirs) != len(mine) {
				return "", fmt.Errorf("the benchmark %s ran %d times, and %s, which it is compared with, %d times: want the same number", r.name, len(mine), r.beside, len(theirs))
			}
			ratios := make([]float64, len(mine))
			for i := range mine {
				ratios[i] = mine[i] / theirs[i]
			}
			other, ratio = shown(median(theirs), r.unit), fmt.Sprintf("%.2f", median(ratios))
		}
		if a := m[r.name]["allocs/op"]; a != nil && r.unit == "" {
			allocs = fmt.Sprintf("%.0f, %.0f kB", median(a), median(m[r.name]["B/op"])/1e3)
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s |\n", r.what, shown(median(mine), r.unit), other, ratio, allocs, r.target)
	}
	b.WriteString("\n")
	return b.String(), nil
}

func (m measured) of(name, unit string) ([]float64, error) {
	unit = cmp.Or(unit, "ns/op")
	x := m[name][unit]
	if len(x) == 0 {
		return nil, fmt.Errorf("the benchmark %s reported no figure in %s", name, unit)
	}
	return x, nil
}

func median(x []float64) float64 {
	s := slices.Sorted(slices.Values(x))
	return (s[(len(s)-1)/2] + s[len(s)/2]) / 2
}

// shown writes a number of nanoseconds or megabytes with three digits.
func shown(x float64, unit string) string {
	if unit == "MB" {
		return fmt.Sprintf("%.3g MB", x)
	}
	for _, u := range []string{"ns", "µs", "ms"} {
		if x < 999.5 {
			return fmt.Sprintf("%.3g %s", x, u)
		}
		x /= 1e3
	}
	return fmt.Sprintf("%.3g s", x)
}
