package exoeval

import (
	"context"
	"testing"
	"time"

	"github.com/dop251/goja"

	"github.com/exoagent/exoagent/exo"
)

// BenchmarkLoops runs loops of programs outside callbacks here and in the bare engine, in
// turn in one run: x/engine is the ratio of the fastest runs. What is asked of operands
// and natives there is what conditions of callbacks cost everybody else.
func BenchmarkLoops(b *testing.B) {
	gate, err := exo.NewGate(exo.Config{Grants: map[string]exo.Object{}})
	if err != nil {
		b.Fatal(err)
	}
	l := NewLocal(gate)
	for name, p := range map[string]string{
		"sum":       "let n = 0; for (let i = 0; i < 2e5; i++) n += i; return n",
		"fib":       "const fib = (n) => n < 2 ? n : fib(n - 1) + fib(n - 2); return fib(20)",
		"rows":      "const rows = Array.from({ length: 20000 }, (_, i) => ({ id: i, s: i % 3 })); return rows.filter((r) => r.s === 1 && r.id > 5).map((r) => ({ ...r, x: 1 })).length",
		"variables": "const a = Array.from({ length: 20000 }, (_, i) => i % 7); let n = 0, x = 3; for (let i = 0; i < a.length; i++) if (a[i] === x) n++; return n",
		"counts":    "const c = {}; for (let i = 0; i < 50000; i++) { const k = 'k' + i % 5; c[k] = (c[k] ?? 0) + 1 } return c.k1",
		"groups":    "const g = {}; for (let i = 0; i < 50000; i++) { (g['k' + i % 5] ??= []).push(i) } return Object.keys(g).length",
		"map":       "const m = new Map(); for (let i = 0; i < 50000; i++) { const k = i % 50; m.set(k, (m.get(k) ?? 0) + 1) } return m.size",
		"set":       "const s = new Set(Array.from({ length: 20000 }, (_, i) => i)); let n = 0; for (let i = 0; i < 50000; i++) if (s.has(i)) n++; return n",
		"includes":  "const l = ['a', 'b', 'c']; let n = 0; for (let i = 0; i < 50000; i++) if (l.includes('c')) n++; return n",
		"typeof":    "let n = 0; for (let i = 0; i < 50000; i++) if (typeof i === 'number') n++; return n",
		"json":      "const rows = Array.from({ length: 10000 }, (_, i) => ({ id: i, name: 'n' + i, s: null, d: true })); return JSON.stringify(rows).length",
		"closures":  "const apply = (f, x) => f(x); let n = 0; for (let i = 0; i < 50000; i++) n += apply((x) => x + 1, i); return n",
	} {
		b.Run(name, func(b *testing.B) {
			ours, engines := time.Hour, time.Hour
			for b.Loop() {
				start := time.Now()
				if res := l.Run(context.Background(), Job{Program: p}); res.Err != nil {
					b.Fatal(res.Err)
				}
				ours = min(ours, time.Since(start))
				start = time.Now()
				vm := goja.New()
				vm.SetMaxCallStackSize(1000)
				if _, err := vm.RunString("'use strict'; (() => {" + p + "})()"); err != nil {
					b.Fatal(err)
				}
				engines = min(engines, time.Since(start))
			}
			b.ReportMetric(float64(ours)/float64(engines), "x/engine")
		})
	}
}
