package proof

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/service"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/exoeval/worker"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// own has the id of its row say who may read a labelled column.
func (d *declared) own(c int) {
	id := d.ints[slotID]
	switch slots[c].kind {
	case Int:
		d.ints[c].ReadBy("owner", id)
	case Text:
		d.texts[c].ReadBy("owner", id)
	case Float:
		d.floats[c].ReadBy("owner", id)
	case Bool:
		d.bools[c].ReadBy("owner", id)
	case Time:
		d.times[c].ReadBy("owner", id)
	case Decimal:
		d.decimals[c].ReadBy("owner", id)
	case Day:
		d.day.ReadBy("owner", id)
	case Span:
		d.span.ReadBy("owner", id)
	case UUID:
		d.code.ReadBy("owner", id)
	case Bytes:
		d.raw.ReadBy("owner", id)
	case JSON:
		d.doc.ReadBy("owner", id)
	case Tags:
		d.tags.ReadBy("owner", id)
	default:
		d.nums.ReadBy("owner", id)
	}
}

// others is what the data becomes for whoever is no reader of id: what that one may read is as it was.
func (c *Case) others(d *draws, id int64) Data {
	out := c.redrawn(d)
	for t, rows := range c.Data {
		for r, row := range rows {
			if !row[slotID].Null && row[slotID].I == id {
				out[t][r] = slices.Clone(row)
			}
		}
	}
	return out
}

// mailed is a program that mails whatever another one gave to whoever it likes, by itself, in texts and together.
func mailed(d *draws, program string, ids []int64) string {
	to := func() string { return strconv.FormatInt(ids[d.n(len(ids))], 10) }
	uses := []func() string{
		func() string { return "for (const x of cells) for (const to of ids) await post(to, x);" },
		func() string { return "for (const x of cells) for (const to of ids) await post(to, [x, 'hello']);" },
		func() string {
			return "for (const x of cells) for (const to of ids) await post(to, await text`it is ${x}`);"
		},
		func() string {
			return "for (const to of ids) await post(to, await text`${cells[0]} and ${cells[1]} and ${cells[2]}`);"
		},
		func() string {
			return "for (const to of ids) await post(to, await text(['x', await text`${cells[1]}`, cells[1]]));"
		},
		func() string { return "for (const to of ids) await post(to, [cells[0], { y: cells[3] }]);" },
		func() string { return "for (const to of ids) await post(to, out);" },
		func() string {
			return "const v = await reveal(cells[" + strconv.Itoa(d.n(6)) + "]); for (const to of ids) await post(to, [v, 'plain']);"
		},
		func() string { return "r.push(await reveal(cells[0]) === 1); await post(" + to() + ", 'plain');" },
		func() string {
			return "const rest = await again(); for (const to of ids) await post(to, walk(rest).slice(0, 1));"
		},
	}
	text := "const again = async () => {\n" + program + "\n};\nconst out = await again(), r = [];\nconst post = async (to, what) => { try { await mail.send({ to, what }); r.push(to) } catch (e) { r.push(e.message) } };\n" +
		"const walk = v => { try { return Array.isArray(v) ? v.flatMap(walk) : v === null || typeof v !== 'object' ? [v] : Object.values(v).flatMap(walk) } catch { return [v] } };\nconst all = walk(out), shut = all.filter(x => String(JSON.stringify(x)).startsWith('\"[sealed')), pool = shut.length ? shut : all, cells = Array.from({ length: 6 }, (_, i) => pool.length ? pool[i % pool.length] : null);\n" +
		fmt.Sprintf("const ids = %s;\n", strings.ReplaceAll(fmt.Sprint(ids), " ", ", "))
	for range 1 + d.n(3) {
		text += "{ " + uses[d.n(len(uses))]() + " }\n"
	}
	return text + "return r;"
}

// postedSide is a side of which the mails to one reader are seen.
type postedSide struct {
	*sealedSide
	whole, own exoeval.Runner // the twin's mail admits what anybody owns; own's result what the reader may read
}

func (w *world) postedSide(t *testing.T, how exoeval.Evaluator, reader int64) *postedSide {
	t.Helper()
	s := &postedSide{sealedSide: &sealedSide{sent: new([]string), close: w.db.Close}}
	type letter struct {
		To   int64 `json:"to"`
		What any   `json:"what"`
	}
	own := value.NewLabel("x@owner:" + strconv.FormatInt(reader, 10))
	for to, c := range map[*exoeval.Runner]struct {
		all    bool
		admits value.Label
	}{&s.run: {}, &s.own: {admits: own}, &s.whole: {all: true}} {
		mail, err := service.New("mail", "", service.AdmitsFor(service.Method("send", "", func(_ context.Context, l letter) (service.None, error) {
			if l.To == reader || c.all {
				*s.sent = append(*s.sent, fmt.Sprint(l.What))
			}
			return service.None{}, nil
		}).Admits(value.NewLabel("x@owner")), func(l struct {
			To int64 `json:"to"`
		}) value.Label {
			if c.all {
				return value.NewLabel("x@owner")
			}
			return value.NewLabel("x@owner:" + strconv.FormatInt(l.To, 10))
		}))
		if err != nil {
			t.Fatal(err)
		}
		objs := map[string]exo.Object{"mail": mail, "reveal": exo.Reveal(), "text": exo.Compose()}
		for i := range w.c.Grants {
			objs[grantNames[i]] = w.decl.facets[w.c.Grants[i].Facet].Of(w.c.Grants[i].relation(w.db, &w.c.Schema, w.decl))
		}
		g, err := exo.NewGate(exo.Config{Grants: objs, Admits: c.admits, Record: exo.Unrecorded})
		if err != nil {
			t.Fatal(err)
		}
		if *to, err = how.Bind(g, exoeval.Bounds{}); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// shownIDs are the ids of the rows that programs reach.
func (w *world) shownIDs(t *testing.T, how exoeval.Evaluator) (ids []int64) {
	t.Helper()
	r := w.postedSide(t, how, -1).run.Run(context.Background(), exoeval.Job{Program: "const all = []; for (const q of [" + strings.Join(grantNames[:len(w.c.Grants)], ", ") + "]) all.push(...(await q).map(r => r.id)); return [...new Set(all)].filter(id => Number.isSafeInteger(id));"})
	b, err := r.Value.AppendJSON(nil)
	if r.Err != nil || err != nil || json.Unmarshal(b, &ids) != nil {
		t.Fatal(r.Err, err, string(b))
	}
	return ids
}

// TestReaderPairs: random programs on pairs of databases that differ in what one reader may not read. All that this one is mailed is
// equal, and all that anybody sees of the runs, also where the result shows the reader's own values. Where mails take anybody's, the same programs tell the two apart.
func TestReaderPairs(t *testing.T) {
	tu.NotQuick(t)
	worlds := tu.Amount(5, 1000)
	if n, err := strconv.Atoi(os.Getenv("EXO_PROGRAMS")); err == nil {
		worlds = n / (2 * perWorld)
	}
	seed := tu.Seed(t, 1)
	servers, ctx := [2]*server{newServer(t), newServer(t)}, context.Background()
	var n struct{ runs, mailed, own, told, withheld int }
	for i := 0; i < worlds; i++ {
		d := fromSeed(seed, uint64(i))
		c := genWorld(d)
		c.Only, c.Kept, c.Revocable = false, nil, false
		c.Schema.Labelled, c.Schema.Owned = labelled(d, c), true
		for range 2 { // more than elsewhere: a mail of what is public tells nothing
			for _, s := range labelled(d, c) {
				if !has(c.Schema.Labelled, s) {
					c.Schema.Labelled = append(c.Schema.Labelled, s)
				}
			}
		}
		for f := range c.Schema.Facets {
			if of := &c.Schema.Facets[f]; !has(of.Cols, slotID) {
				of.Cols = append(of.Cols, slotID)
			}
		}
		if c.refused() || len(c.Schema.Labelled) == 0 {
			worlds++
			continue
		}
		how := []exoeval.Evaluator{exoeval.InProcess{}, worker.Shared()}[i/2%2]
		e := []tu.Engine{tu.SQLite, tu.Postgres}[i%2]
		w, gateErr, err := servers[0].open(ctx, e, c)
		if err != nil || gateErr != nil {
			t.Fatalf("seed %d (EXO_SEED), database %d: %v %v", seed, i, err, gateErr)
		}
		defer w.db.Close()
		ids := w.shownIDs(t, how)
		if len(ids) < 2 {
			worlds++
			continue
		}
		at := d.n(len(ids))
		ids = append(ids[at:], ids[:at]...)[:min(4, len(ids))]
		reader := ids[0]
		other := *c
		other.Data = c.others(d, reader)
		differs, gateErr, err := servers[1].open(ctx, e, &other)
		if err != nil || gateErr != nil {
			t.Fatalf("seed %d (EXO_SEED), database %d: %v %v", seed, i, err, gateErr)
		}
		defer differs.db.Close()
		pair := [2]*postedSide{w.postedSide(t, how, reader), differs.postedSide(t, how, reader)}
		for p := range 2 * perWorld {
			text := mailed(d, drawAny(d, c, p*(p%4/3)), ids) // most show rows as they are: what is read is nobody's
			for _, own := range []bool{false, true} {
				see := func(s *postedSide) seen {
					run := s.run
					if own {
						run = s.own
					}
					one := *s.sealedSide
					one.run = run
					return one.see(ctx, text)
				}
				a, b := see(pair[0]), see(pair[1])
				n.runs++
				if a.late || b.late {
					continue
				}
				if a.all != b.all {
					t.Fatalf("seed %d (EXO_SEED), database %d, %s, reader %d, own %t: labelled %v\n%s\n%s\n%s\n%s\n%s", seed, i, e.Name, reader, own, c.Schema.Labelled, text, a.all, b.all, c.Data.print(&c.Schema), other.Data.print(&c.Schema))
				}
				switch sent := len(*pair[0].sent) > 0; {
				case strings.Contains(a.all, "denied"):
					n.withheld++
				case sent && own:
					n.own++
				case sent:
					n.mailed++
					whole := func(s *postedSide) string {
						*s.sent = nil
						s.whole.Run(ctx, exoeval.Job{Program: text, Run: exo.Run{Seed: 1}})
						return fmt.Sprint(*s.sent)
					}
					if whole(pair[0]) != whole(pair[1]) {
						n.told++
					}
				}
			}
		}
		pair[0].close()
		pair[1].close()
	}
	t.Logf("seed %d: %d runs, %d mail the reader something, %d more where the result shows what is theirs, %d are refused; where mails take anybody's, %d of %d tell the two apart", seed, n.runs, n.mailed, n.own, n.withheld, n.told, n.mailed)
	if n.mailed*10 < n.runs || n.own*10 < n.runs || n.told*8 < n.mailed {
		t.Error("too many are refused, or they show too little")
	}
}
