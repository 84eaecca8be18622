package proof

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/service"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/exoeval/worker"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// label labels a column of a table.
func (d *declared) label(c int) {
	switch slots[c].kind {
	case Int:
		d.ints[c].WithLabel("x")
	case Text:
		d.texts[c].WithLabel("x")
	case Float:
		d.floats[c].WithLabel("x")
	case Bool:
		d.bools[c].WithLabel("x")
	case Time:
		d.times[c].WithLabel("x")
	case Decimal:
		d.decimals[c].WithLabel("x")
	case Day:
		d.day.WithLabel("x")
	case Span:
		d.span.WithLabel("x")
	case UUID:
		d.code.WithLabel("x")
	case Bytes:
		d.raw.WithLabel("x")
	case JSON:
		d.doc.WithLabel("x")
	case Tags:
		d.tags.WithLabel("x")
	default:
		d.nums.WithLabel("x")
	}
}

// labelled draws which columns are labelled: none of a key or a link, and none by which the host chose its rows, since
// what the host wrote adds nothing to a label.
func labelled(d *draws, c *Case) (out []int) {
	fixed := []int{slotID, slotPart, slotTenant, slotNote, slotSecret}
	for _, l := range c.Schema.Links {
		for _, p := range l.Pairs {
			fixed = append(fixed, p[0], p[1])
		}
	}
	var pred func(p *Pred)
	pred = func(p *Pred) {
		if p == nil {
			return
		}
		fixed = append(fixed, p.Slot)
		for _, s := range p.Subs {
			pred(s)
		}
	}
	for _, g := range c.Grants {
		pred(g.Pred)
		for _, s := range g.Scopes {
			pred(s.Pred)
		}
		for _, s := range g.Steps {
			pred(s.Pred)
			for _, by := range s.By {
				fixed = append(fixed, by.Slot)
			}
		}
	}
	for s := range slots {
		if !slices.Contains(fixed, s) && d.n(6) == 0 {
			out = append(out, s)
		}
	}
	return out
}

// redrawn is the data with other values in the labelled columns.
func (c *Case) redrawn(d *draws) Data {
	out := make(Data, len(c.Data))
	for t, rows := range c.Data {
		for _, row := range rows {
			row = slices.Clone(row)
			for _, s := range c.Schema.Labelled {
				if !has(c.Schema.Tables[t].Cols, s) || d.n(4) == 0 {
					continue
				}
				if slots[s].null && d.n(3) == 0 {
					row[s] = Value{Null: true, Kind: slots[s].kind}
					continue
				}
				row[s] = genValue(d, slots[s].kind)
				if s == slotName || s == slotNick {
					row[s].S = strings.Repeat(row[s].S, 1+d.n(2)*700) // also more than a column may take
				}
			}
			out[t] = append(out[t], row)
		}
	}
	return out
}

// wrapped is a program around another: what it gave is shown, logged, counted, sent where it may not go, used in a
// query, and sometimes revealed.
func wrapped(d *draws, program string) string {
	uses := []string{"", "console.log(out); r.push(JSON.stringify(out).length);", "for (const x of cells) try { await chat.send({ what: x }) } catch (e) { r.push(e.message) }",
		"for (const x of cells) try { r.push(x > 1 ? 1 : 2) } catch (e) { r.push(e.message) }", "r.push(cells.map(x => { try { return `${x}` } catch (e) { return e.message } }));",
		"for (let i = 0; i < 30; i++) { try { await again() } catch (e) { r.push(i, e.message); break } }", "if (cells.length) r.push(await reveal(cells[0]));", "throw cells[0];", "try { throw cells } catch (e) { r.push(e.length) }",
		"let v = cells[0]; for (let i = 0; i < 12; i++) try { v = await text`a${v}b${cells[1]}${v}` } catch (e) { r.push(e.message); break }\nr.push(v); try { await chat.send({ what: v }) } catch (e) { r.push(e.message) }", "r.push(structuredClone(out));",
		"r.push(new Map(cells.map((x, i) => [i, x])).size, { ...[out] }[0]);"}
	text := "const again = async () => {\n" + program + "\n};\nconst out = await again(), r = [out];\n" +
		"const walk = v => { try { return Array.isArray(v) ? v.flatMap(walk) : v === null || typeof v !== 'object' ? [v] : Object.values(v).flatMap(walk) } catch { return [v] } };\nconst cells = walk(out).slice(0, 4);\n"
	for range 1 + d.n(2) {
		text += uses[d.n(len(uses))] + "\n"
	}
	return text + "return r;"
}

// TestSealedPairs: random programs on pairs of databases that differ in labelled columns alone, with limits that the one would meet and the
// other not. All that anybody may see of the two runs is equal. Where the label is admitted the same
// programs tell them apart.
func TestSealedPairs(t *testing.T) {
	tu.NotQuick(t)
	worlds := tu.Amount(6, 2000)
	if n, err := strconv.Atoi(os.Getenv("EXO_PROGRAMS")); err == nil {
		worlds = n / (2 * perWorld)
	}
	seed := tu.Seed(t, 1)
	servers, ctx := [2]*server{newServer(t), newServer(t)}, context.Background()
	var n struct{ runs, shown, withheld, limited, sealed, told, asked, totals, ofTotals int }
	for i := 0; i < worlds; i++ {
		d := fromSeed(seed, uint64(i))
		c := genWorld(d)
		c.Only, c.Kept, c.Revocable = false, nil, false
		c.Schema.Labelled = labelled(d, c)
		other := *c
		other.Data = c.redrawn(d)
		if c.refused() || len(c.Schema.Labelled) == 0 {
			worlds++
			continue
		}
		e := []tu.Engine{tu.SQLite, tu.Postgres}[i%2]
		pair := [2]*sealedSide{}
		limits := exo.Limits{}
		if d.n(3) == 0 {
			limits.Bytes = 2000 + d.n(20_000)
		}
		how := []exoeval.Evaluator{exoeval.InProcess{}, worker.Shared()}[i/2%2]
		for k, x := range []*Case{c, &other} {
			w, gateErr, err := servers[k].open(ctx, e, x)
			if err != nil || gateErr != nil {
				t.Fatalf("seed %d (EXO_SEED), database %d: %v %v", seed, i, err, gateErr)
			}
			defer w.db.Close()
			pair[k] = w.sealedSide(t, how, limits)
		}
		for p := range 2 * perWorld {
			text := wrapped(d, drawAny(d, c, p))
			a, b := pair[0].see(ctx, text), pair[1].see(ctx, text)
			n.runs++
			if p%8 == 4 {
				n.totals++
				if !a.late && !b.late && strings.Contains(a.all, "[sealed x]") {
					n.ofTotals++
				}
			}
			if a.late || b.late { // how long a query takes is no promise
				n.limited++
				continue
			}
			if a.all != b.all {
				t.Fatalf("seed %d (EXO_SEED), database %d, %s: labelled %v\n%s\n%s\n%s\n%s\n%s", seed, i, e.Name, c.Schema.Labelled, text, a.all, b.all, c.Data.print(&c.Schema), other.Data.print(&c.Schema))
			}
			switch {
			case a.withheld:
				n.withheld++
			case a.limited:
				n.limited++
			default:
				n.shown++
			}
			if strings.Contains(a.all, "[sealed x]") {
				n.sealed++
				n.asked++
				if pair[0].admitted(ctx, text) != pair[1].admitted(ctx, text) {
					n.told++
				}
			}
		}
		pair[0].close()
		pair[1].close()
	}
	t.Logf("seed %d: %d programs, %d show something, in %d of them something sealed, %d withheld, %d over a limit; admitted, %d of %d tell the two apart; %d of %d selections by total methods show something sealed", seed, n.runs, n.shown, n.sealed, n.withheld, n.limited, n.told, n.asked, n.ofTotals, n.totals)
	if n.shown*3 < n.runs || n.sealed*12 < n.runs || n.told*2 < n.asked || n.ofTotals*4 < n.totals {
		t.Error("too many are refused, or they show too little")
	}
}

// plain are programs that show rows as they are; G is what was granted.
var plain = []string{"[await G]", "G.first()", "[await G.limit(3), await G.count()]", "(await G.page(2)).rows", "G.select(t => ({ ...t }))", "G.select(t => ({ a: { ...t }, n: t.note }))", "(await G).map(r => ({ ...r, more: [r] }))", "[...(await G.limit(2)), await G.offset(1).first()]",
	"G.where(t => t.note.includes('zq')).orderBy(t => t.note.desc())", "Promise.all([G, G.first()])"}

// drawAny draws a program of one part of the language or another.
func drawAny(d *draws, c *Case, k int) string {
	parts := []func(*generator, *Schema, *slow) drawn{drawGroups, drawWindows, drawPages, drawTree, drawSets}
	if k%8 == 4 {
		return drawTotals(d, c)
	}
	if k%4 == 0 {
		return "return " + strings.ReplaceAll(plain[d.n(len(plain))], "G", grantNames[d.n(len(c.Grants))])
	}
	if k%2 == 0 {
		c.genProgram(d)
		text, _ := spell(&c.Schema, c.Queries, 0) // a function of the grants
		return "return (" + text + ")({ " + strings.Join(grantNames[:len(c.Grants)], ", ") + " });"
	}
	g := &generator{draws: d, s: &c.Schema, data: c.Data, grants: c.Grants}
	return parts[k/2%len(parts)](g, &c.Schema, newSlow(&c.Schema, c.Data, c.Grants)).program
}

// sealedSide is one database of a pair, with what runs programs on it.
type sealedSide struct {
	run, twin exoeval.Runner
	sent      *[]string
	close     func() error
}

func (w *world) sealedSide(t *testing.T, how exoeval.Evaluator, limits exo.Limits) *sealedSide {
	t.Helper()
	s := &sealedSide{sent: new([]string), close: w.db.Close}
	type said struct {
		What any `json:"what"`
	}
	chat, err := service.New("chat", "", service.Method("send", "", func(_ context.Context, x said) (service.None, error) {
		*s.sent = append(*s.sent, fmt.Sprint(x.What))
		return service.None{}, nil
	}))
	if err != nil {
		t.Fatal(err)
	}
	for to, admits := range map[*exoeval.Runner]value.Label{&s.run: {}, &s.twin: value.NewLabel("x")} {
		objs := map[string]exo.Object{"chat": chat, "reveal": exo.Reveal(), "text": exo.Compose()}
		for i := range w.c.Grants {
			objs[grantNames[i]] = w.decl.facets[w.c.Grants[i].Facet].Of(w.c.Grants[i].relation(w.db, &w.c.Schema, w.decl))
		}
		g, err := exo.NewGate(exo.Config{Grants: objs, Admits: admits, Limits: limits, Record: exo.Unrecorded})
		if err != nil {
			t.Fatal(err)
		}
		if *to, err = how.Bind(g, exoeval.Bounds{}); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// seen is what is seen of one run: the result, the error with its kind and place, the console, the label, and what a sink that
// admits nothing was sent.
type seen struct {
	all                     string
	withheld, limited, late bool
}

func (s *sealedSide) see(ctx context.Context, program string) (o seen) {
	*s.sent = nil
	r := s.run.Run(ctx, exoeval.Job{Program: program, Run: exo.Run{Seed: 1}})
	o.limited = errors.Is(r.Err, fail.ErrLimit)
	o.late = strings.Contains(fail.GuestText(r.Err), "took longer than")
	o.withheld = fail.KindOf(r.Err) == fail.Denied && strings.Contains(fail.GuestText(r.Err), "{x}")
	if o.withheld {
		r.Label = value.Label{} // which it is, is for the host
	}
	value, err := r.Value.AppendJSON(nil)
	if r.Err == nil && err != nil {
		return seen{all: err.Error()}
	}
	text := ""
	if r.Err != nil {
		text = fmt.Sprint(fail.KindOf(r.Err), fail.PosOf(r.Err), fail.GuestText(r.Err))
	}
	var states []string
	for _, e := range r.Effects {
		states = append(states, e.Op+" "+e.State.String())
	}
	o.all = fmt.Sprintf("%s\n%s\n%s\n%v\n%q\n%q", value, text, r.Console, r.Label, *s.sent, states)
	return o
}

// admitted is the result where the label is admitted.
func (s *sealedSide) admitted(ctx context.Context, program string) string {
	r := s.twin.Run(ctx, exoeval.Job{Program: program, Run: exo.Run{Seed: 1}})
	b, err := json.Marshal(fmt.Sprint(r.Value, r.Err, r.Console))
	return fmt.Sprint(string(b), err)
}
