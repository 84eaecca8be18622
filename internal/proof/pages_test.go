package proof

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// TestRandomPages: random queries that are read in pages give what they give as a whole, each row once and in its place.
func TestRandomPages(t *testing.T) {
	compareRandom(t, 10, 1500, 20, drawPages)
}

// drawPages draws a random query that is read in pages.
func drawPages(g *generator, s *Schema, x *slow) drawn {
	g.joins, g.asks = 2, g.n(4)
	q, ns := g.query(nil, 0)
	if g.n(3) == 0 {
		q = g.showing(q, ns)
	}
	n := 1 + g.n(4)
	// A limit makes the order total, as a page does.
	a := x.answer(Query{"execute", &Node{Op: "limit", Args: []*Node{q}, N: 1 << 30}})
	p := &speller{s: s, refs: map[int]func(string) string{}, shared: map[*Node]int{}, named: map[*Node]string{}, r: rand.New(rand.NewPCG(uint64(g.n(1<<30)), 11))}
	text := p.query(q)
	program := strings.Join(p.lets, "\n") + fmt.Sprintf(`
const q = %s;
const pages = [];
let next = null;
do {
  const page = await q.page(%d, next);
  pages.push(page.rows);
  next = page.next;
} while (next);
return pages;`, text, n)
	var pages []string
	for rows := range slices.Chunk(a.rows, n) {
		pages = append(pages, "["+strings.Join(rows, ",")+"]")
	}
	if len(pages) == 0 {
		pages = []string{"[]"}
	}
	want := "[" + strings.Join(pages, ",") + "]"
	right := func(got []byte) bool { return quoted(string(got)) == quoted(want) } // the program holds the rows
	return drawn{program: program, slow: x, want: want, right: right, some: len(pages) > 1}
}
