package proof

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	tu "github.com/exoagent/exoagent/internal/testutil"
)

const perWorld = 8 // programs for each database, each in two spellings on two engines

// tally counts what the programs of a run contained, so that the generator
// can't rot without being noticed.
type tally struct {
	programs, nonempty, limited, refused, twins, leaks int
	features                                           map[string]int
}

func (n *tally) program(c *Case) {
	seen := map[string]bool{}
	times := map[*Node]int{}
	var visit func(n *Node, in []int, inside bool)
	visit = func(n *Node, in []int, inside bool) {
		if times[n]++; times[n] == 2 && n.Op != "grant" {
			seen["query used twice"] = true
		}
		seen[n.Op] = true
		switch n.Op {
		case "follow":
			if inside {
				seen["follow in a join"] = true
			}
			if n.Args[0].Op == "limit" || n.Args[0].Op == "offset" {
				seen["follow after limit"] = true
			}
			if n.Args[0].Op == "follow" {
				seen["follow after follow"] = true
			}
		case "limit", "offset":
			if inside {
				seen["limit in a join"] = true
			}
			if op := n.Args[0].Op; op == "limit" || op == "offset" {
				seen["limit after limit"] = true
				if inside && n.Op != op && !root(n).uses(0) {
					seen["limit and offset for each outer row"] = true
				}
			}
		case "where":
			if n.Args[0].Op == "limit" || n.Args[0].Op == "offset" {
				seen["where after limit"] = true
			}
		case "leftJoin":
			if len(n.Args) > 2 {
				seen["left join with condition"] = true
			}
			if n.Bind == 0 {
				seen["left join of a closed query"] = true
			}
			if inside {
				seen["left join in a join"] = true
			}
		case "join":
			if n.Bind == 0 {
				seen["join given plainly"] = true
			}
			if len(n.Args) > 2 {
				seen["join with condition"] = true
			}
			if n.Args[1].uses(0) {
				seen["join of a closed query"] = true
			}
			if inside {
				seen["join in a join"] = true
			}
		case "walk":
			if n.Bind != in[len(in)-1] {
				seen["walk from an outer table"] = true
			}
		case "among":
			seen["among: "+n.Name] = true
			if n.Args[1].uses(0) {
				seen["among a closed query"] = true
			}
		case "ask":
			seen["ask "+n.Name] = true
			if n.Args[0].uses(0) {
				seen["ask a closed query"] = true
			}
			if n.Args[0].Name == "first" {
				seen["ask of the first"] = true
			}
			if inside {
				seen["ask in a join"] = true
			}
		case "nested":
			seen["rows within a row: "+n.Name] = true
			if inside {
				seen["rows within rows in a join"] = true
			}
		case "asc", "desc":
			if calculated[n.Args[0].Op] {
				seen["sorted by a computed value"] = true
			}
		case "record":
			for _, a := range n.Args {
				if calculated[a.Op] {
					seen["computed value shown"] = true
				}
			}
		case "col":
			seen["column of "+kindNames[slots[n.Slot].kind]] = true
			if n.Bind != in[len(in)-1] {
				seen["outer table captured"] = true
			}
			if slots[n.Slot].null {
				seen["nullable column"] = true
			}
		}
		for i, a := range n.Args {
			if calculated[n.Op] && calculated[a.Op] {
				seen["operators nested"] = true
			}
			if n.kind() == Bool && calculated[a.Op] && in != nil {
				seen["computed value compared"] = true
			}
			switch {
			case i == 2 && n.Op == "among":
				visit(a, append(in[:len(in):len(in)], n.Bind), inside)
			case i == 2 && (n.Op == "join" || n.Op == "leftJoin"):
				visit(a, append(in[:len(in):len(in)], n.On), inside)
			case i > 0 && n.Bind != 0 && (n.Op == "where" || n.Op == "join" || n.Op == "select" || n.Op == "orderBy" || n.Op == "leftJoin" || n.Op == "ask"):
				visit(a, append(in[:len(in):len(in)], n.Bind), inside || n.Op == "join" || n.Op == "leftJoin")
			default:
				visit(a, in, inside)
			}
		}
		if len(n.Args) == 2 && n.Args[0].Op == "col" && n.Args[1].Op == "col" && n.Op != "and" && n.Op != "or" {
			seen["two columns compared"] = true
		}
	}
	for _, q := range c.Queries {
		seen[q.Send] = true
		visit(q.Q, nil, false)
	}
	for _, g := range c.Grants {
		for _, st := range g.Steps {
			seen["host "+st.Kind] = true
		}
		for _, sc := range g.Scopes {
			seen["scope "+sc.Kind] = true
			seen["scope via via"] = seen["scope via via"] || sc.Kind == "via" && slices.ContainsFunc(g.Scopes, func(x Scope) bool {
				return x.Kind == "via" && slices.Contains(c.Schema.chains(), [2]int{x.Link, sc.Link})
			})
		}
	}
	if len(c.Grants) == 2 {
		seen["two grants"] = true
	}
	if c.Only {
		seen["Only"] = true
	}
	if c.Revocable {
		seen["Revocable"] = true
	}
	for i, l := range c.Schema.Links {
		for j, m := range c.Schema.Links[:i] {
			if l.From == m.From && l.To == m.To {
				seen["two links between two tables"] = true
			}
			if l.From != l.To && c.Schema.inverse(i, j) {
				seen["links both ways"] = true
			}
		}
		if l.From == l.To {
			seen["link to itself"] = true
		}
		if len(l.Pairs) > 1 {
			seen["composite key"] = true
		}
	}
	for f := range seen {
		n.features[f]++
	}
}

// root is where a chain of calls starts.
func root(n *Node) *Node {
	for len(n.Args) > 0 {
		n = n.Args[0]
	}
	return n
}

var kindNames = []string{"Int", "Text", "Float", "Bool", "Time", "Decimal", "Day", "Span", "UUID", "Bytes", "JSON", "Tags", "Nums"}

// every operator must be in some program.
var every = strings.Fields("eq ne lt le gt ge between is isNot in notIn isNull isNotNull coalesce nullIf and or not case includes startsWith endsWith like notLike ilike notIlike lower upper trim length slice substring concat prepend " +
	"add sub rsub mul div rdiv mod rmod neg abs round roundUp floor ceil toText year quarter month getMonth week day weekday hour minute second getTime truncate plus daysSince has distinct leftJoin ask search matches rank")

// features that at least one program in a thousand must have.
var common = strings.Split("grant walk follow where join select orderBy limit offset as execute first count record row ns lit col eq ne lt le gt ge is isNot in includes isNull isNotNull and or not asc desc "+
	"|query used twice|follow in a join|follow after limit|follow after follow|walk from an outer table|outer table captured"+
	"|limit and offset for each outer row|limit in a join|limit after limit|where after limit|join given plainly|join with condition|join of a closed query|join in a join|nullable column|two columns compared"+
	"|among: in|among: notIn|among a closed query|ask a closed query|rows within a row: one|rows within a row: first|rows within a row: many|ask of the first|ask one|ask exists|ask some|ask every|ask none|ask count|ask sum|ask max|ask in a join|left join with condition|left join of a closed query|sorted by a computed value|computed value shown|computed value compared|operators nested|column of Decimal|column of Day|column of Span|column of UUID|column of Bytes|column of JSON|column of Tags|column of Nums"+
	"|host where|host order|host limit|host offset|host follow|scope via|scope via via|scope rows|scope shared|two grants|Only|Revocable|link to itself|two links between two tables|links both ways|composite key", "|")

func (n *tally) check(t *testing.T) {
	t.Helper()
	t.Logf("%d programs, %d with rows, %d too large, %d grants refused as they must be; the twin showed rows out of scope in %d of %d; features: %v",
		n.programs, n.nonempty, n.limited, n.refused, n.leaks, n.twins, n.features)
	for _, f := range append(strings.Fields(common[0]), common[1:]...) {
		if n.features[f]*1000 < n.programs {
			t.Errorf("only %d of %d programs have: %s", n.features[f], n.programs, f)
		}
	}
	for _, op := range append(every, "left join in a join") {
		if n.features[op] == 0 {
			t.Errorf("no program has %s", op)
		}
	}
	if n.nonempty*2 < n.programs {
		t.Errorf("only %d of %d programs return rows", n.nonempty, n.programs)
	}
	if n.leaks*4 < n.twins {
		t.Errorf("without scopes only %d of %d programs show rows out of scope", n.leaks, n.twins)
	}
	if n.limited*50 > n.programs {
		t.Errorf("%d of %d programs are too large for the compiler", n.limited, n.programs)
	}
}

// TestRandomPrograms compares random programs with the slow evaluator. EXO_LONG
// asks for 100,000 of them, each in two spellings on two engines; EXO_PROGRAMS for another number of runs, EXO_SEED for those of
// one seed.
func TestRandomPrograms(t *testing.T) {
	programs := tu.Amount(2400, 400_000)
	if n, err := strconv.Atoi(os.Getenv("EXO_PROGRAMS")); err == nil {
		programs = n
	}
	seeds := []uint64{2, tu.Seed(t, 102)}
	if os.Getenv("EXO_SEED") != "" {
		seeds = seeds[1:]
	}
	for i, seed := range seeds {
		n := &tally{features: map[string]int{}}
		if !runSeed(t, newServer(t), seed, ofSeed(programs, i, seeds), n) {
			return
		}
		if i == 0 && !testing.Short() { // the first is fixed, so what it must contain is no matter of luck
			n.check(t)
		}
	}
}

// ofSeed is how many of the programs are drawn from seed i. A normal run draws few from any but the first, which meets every feature.
func ofSeed(programs, i int, seeds []uint64) int {
	if i == 0 || tu.Long() {
		return programs / len(seeds)
	}
	return programs / 12
}

func runSeed(t *testing.T, s *server, seed uint64, programs int, n *tally) bool {
	ctx := context.Background()
	for i, end := uint64(0), n.programs+programs; n.programs < end; i++ {
		if wrong := s.oneWorld(ctx, fromSeed(seed, i), n); wrong != nil {
			t.Errorf("seed %d (EXO_SEED), database %d: %s", seed, i, first(wrong.why))
			s.keep(t, ctx, wrong)
			return false
		}
	}
	return true
}

func first(s string) string { s, _, _ = strings.Cut(s, "\n"); return s }

// failure is a case that went wrong: the script of its choices, and how.
type failure struct {
	world, program []uint32
	why            string
}

// worlds opens a case on both engines. Where its grants must be refused both refuse.
func (s *server) worlds(ctx context.Context, c *Case) (ws []*world, why string) {
	for _, e := range []tu.Engine{tu.SQLite, tu.Postgres} {
		w, gateErr, err := s.open(ctx, e, c)
		if err != nil {
			why = "open: " + e.Name + ": " + err.Error()
		} else if (gateErr != nil) != c.refused() {
			why = fmt.Sprintf("grant refused: %v; must be refused: %t", gateErr, c.refused())
		}
		if w != nil {
			ws = append(ws, w)
		}
		if why != "" {
			closeAll(ws)
			return nil, why
		}
	}
	return ws, ""
}

func closeAll(ws []*world) {
	for _, w := range ws {
		w.db.Close()
	}
}

// oneWorld draws one database and runs programs on it, on both engines.
func (s *server) oneWorld(ctx context.Context, d *draws, n *tally) *failure {
	c := genWorld(d)
	world := d.log
	ws, why := s.worlds(ctx, c)
	if why != "" {
		return &failure{world, nil, why}
	}
	defer closeAll(ws)
	if c.refused() {
		n.refused++
		return nil
	}
	for _, w := range ws {
		if wrong := w.checkTyped(ctx); wrong != "" {
			return &failure{world, nil, wrong}
		}
	}
	for i := range perWorld {
		d.log = nil
		c.genProgram(d)
		for j, w := range ws {
			twin := i%2 == 0 && i/2%2 == j
			o := w.check(ctx, twin)
			if o.wrong != "" {
				return &failure{world, d.log, o.wrong}
			}
			n.add(c, o, twin)
		}
	}
	for _, w := range ws {
		if wrong := w.checkProbes(ctx); wrong != "" {
			return &failure{world, nil, wrong}
		}
	}
	return nil
}

func (n *tally) add(c *Case, o outcome, twin bool) {
	n.programs += o.programs
	if o.limited {
		n.limited++
		return
	}
	for range o.programs {
		n.program(c)
	}
	if o.nonempty {
		n.nonempty += o.programs
	}
	if twin {
		n.twins++
		if o.leaks {
			n.leaks++
		}
	}
}

// TestNotices runs programs with the grants of everything in the place of the
// scoped ones. Most of the checks must then fail: a proof that can't fail proves nothing.
func TestNotices(t *testing.T) {
	worlds, noticed, leaks := 0, 0, 0
	for i := uint64(0); worlds < 20; i++ {
		d := fromSeed(3, i)
		c := genWorld(d)
		if c.refused() {
			continue
		}
		w, gateErr, err := (&server{}).open(t.Context(), tu.SQLite, c)
		if err != nil || gateErr != nil {
			t.Fatal(err, gateErr)
		}
		worlds++
		w.eval = w.twin
		for range 4 {
			c.genProgram(d)
			if wrong := w.check(t.Context(), false).wrong; wrong != "" {
				noticed++
				if strings.Contains(wrong, "out of scope") {
					leaks++
				}
			}
		}
		w.db.Close()
	}
	if noticed < worlds*2 || leaks < worlds {
		t.Errorf("of %d programs without scopes %d were noticed, %d as leaks", worlds*4, noticed, leaks)
	}
}

func TestShrink(t *testing.T) {
	var long []uint32
	for i := range uint32(200) {
		long = append(long, i%7)
	}
	got := shrink(long, 10_000, func(s []uint32) bool {
		fives := 0
		for _, x := range s {
			if x == 5 {
				fives++
			}
		}
		return fives >= 2
	})
	if len(got) != 2 || got[0] != 5 || got[1] != 5 {
		t.Errorf("shrunk to %v, want two fives", got)
	}
}

// TestKeptCases runs the cases that once were wrong. Each is a text that says
// what it shows, and the case as JSON.
func TestKeptCases(t *testing.T) {
	const dir = "../../testdata/random"
	files, err := os.ReadDir(dir)
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	srv := newServer(t)
	for i, f := range files {
		if want := fmt.Sprintf("%03d.txtar", i+1); f.Name() != want {
			t.Fatalf("%s/%s: want %s: nothing else may lie there unread", dir, f.Name(), want)
		}
		b, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		why, text, ok := strings.Cut(string(b), "-- case.json --\n")
		c := &Case{}
		dec := json.NewDecoder(strings.NewReader(text))
		dec.DisallowUnknownFields()
		if err := dec.Decode(c); !ok || why == "" || err != nil {
			t.Fatalf("%s: %v", f.Name(), err)
		}
		if wrong := srv.checkCase(t.Context(), c); wrong != "" {
			t.Errorf("%s: %s", f.Name(), wrong)
		}
	}
}

// checkCase is every check of a case on both engines.
func (s *server) checkCase(ctx context.Context, c *Case) string {
	ws, why := s.worlds(ctx, c)
	defer closeAll(ws)
	for _, w := range ws {
		if why == "" && !c.refused() {
			why = w.checkAll(ctx)
		}
	}
	return why
}

// replay runs the case of two scripts.
func (s *server) replay(ctx context.Context, world, program []uint32) (c *Case, why string) {
	c = genWorld(&draws{script: world})
	if !c.refused() {
		c.genProgram(&draws{script: program})
	}
	return c, s.checkCase(ctx, c)
}

// kindOf says in what way a case is wrong: a smaller case that is wrong in
// another way is another case.
func kindOf(why string) string {
	switch why = first(why); {
	case strings.HasPrefix(why, "query"):
		return "rows"
	case strings.Contains(why, ":"):
		return why[:strings.Index(why, ":")]
	}
	return why
}

// keep shrinks a failure and writes it where it can become a numbered case.
func (s *server) keep(t *testing.T, ctx context.Context, f *failure) {
	deadline := time.Now().Add(10 * time.Second)
	fails := func(world, program []uint32) bool {
		if time.Now().After(deadline) {
			return false
		}
		_, why := s.replay(ctx, world, program)
		return kindOf(why) == kindOf(f.why)
	}
	world, program := f.world, f.program
	for range 3 {
		program = shrink(program, 2000, func(s []uint32) bool { return fails(world, s) })
		world = shrink(world, 2000, func(s []uint32) bool { return fails(s, program) })
	}
	c, why := s.replay(ctx, world, program)
	if why == "" {
		why = f.why + "\n(not shrunk: it does not fail again)"
	}
	t.Error(why)
	b, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(os.TempDir(), fmt.Sprintf("proof-%d.txtar", time.Now().UnixNano()))
	if err := os.WriteFile(name, []byte(why+"\n-- case.json --\n"+string(b)+"\n"), 0o644); err == nil {
		t.Logf("kept as %s: move it to testdata/random with a number and a line that says what it shows", name)
	}
}
