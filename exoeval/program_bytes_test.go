package exoeval

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exoeval/internal/front"
)

// The cache of compiled programs is bounded in bytes, as it counts them: what a program
// takes is never more than that, whatever most of it is.
func TestProgramBytes(t *testing.T) {
	cfg := front.Config{MaxSource: 64 << 10, MaxNesting: 200, Globals: front.Globals(), Describing: map[string]bool{"where": true}}
	for _, src := range []string{
		"return 1", "return [" + strings.Repeat("1,", 20_000) + "1]", "return [" + strings.Repeat("{},", 15_000) + "1]", "return [" + strings.Repeat("x=>x,", 10_000) + "1]",
		"let a=1;" + strings.Repeat("a;", 20_000), "let a=1;" + strings.Repeat("if(a);", 9_000), strings.Repeat("(x=>x);", 9_000), strings.Repeat("/a/;", 12_000),
		"return `" + strings.Repeat("${1}", 12_000) + "`", strings.Repeat("try{}catch{};", 4_500), "interface A {}\n return [" + strings.Repeat("x=>x,", 10_000) + "1]",
		"return [].where(" + strings.Repeat("x=>x&&x||x,", 5_000) + "1)", "return [" + strings.Repeat("class{},", 7_000) + "1]", "return [" + strings.Repeat("async x=>{},", 4_500) + "1]",
		"//" + strings.Repeat("x", 60_000) + "\nreturn 1", "return 1 " + strings.Repeat("x", 60_000),
	} {
		const n = 2
		var kept [n]cached
		before, bound := liveHeap(), 0
		for i := range n {
			given := fmt.Sprintf("%s\n//%d", src, i)
			p, err := compile(given, cfg)
			var size int
			kept[i], size = cached{p, err, len(given)}.Keep()
			bound += size
		}
		if grown := liveHeap() - before; grown > bound+8<<10 {
			t.Errorf("%.40q has %d bytes, the cache counts %d", src, grown/n, bound/n)
		}
		runtime.KeepAlive(&kept)
	}
}

// A program that the cache keeps does not keep the text that it was cut out of, and
// however many are run, they are within the bound.
func TestProgramsKeepNothing(t *testing.T) {
	gate, err := exo.NewGate(exo.Config{Grants: map[string]exo.Object{}})
	if err != nil {
		t.Fatal(err)
	}
	l := NewLocal(gate)
	before := liveHeap()
	for i := range 64 {
		page := strings.Repeat("x", 1<<20) + fmt.Sprintf("return %d", i) + fmt.Sprintf("return %d +", i)
		if _, err := l.compile(page[1<<20 : 1<<20+8]); err != nil {
			t.Fatal(err)
		}
		if _, err := l.compile(page[len(page)-9:]); err == nil {
			t.Fatal("half a sum was compiled")
		}
	}
	if grown := liveHeap() - before; grown > 4<<20 {
		t.Errorf("64 programs cut out of pages of 1 MiB keep %d bytes", grown)
	}
	runtime.KeepAlive(l)
}

func liveHeap() int {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}
