package service_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/service"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exoeval"
)

// spelt has a text form that some contents don't have, or that panics of others.
type spelt struct{ s string }

func (s spelt) MarshalText() ([]byte, error) {
	switch s.s {
	case "bad":
		return nil, errors.New("no")
	case "worse":
		panic("no")
	}
	return []byte(s.s), nil
}
func (s *spelt) UnmarshalText(b []byte) error { s.s = string(b); return nil }

type inner struct {
	Deep any    `json:"deep"`
	Next string `json:"next"`
}

// giving is a service with one method that gives something plain and a field of some contents, labelled or not.
func giving[T any](t *testing.T, v T, label bool, sizes ...int) *service.Service {
	t.Helper()
	type out struct {
		Plain string `json:"plain"`
		Field T      `json:"field"`
	}
	op := service.Read("get", "", func(context.Context, service.None) (out, error) { return out{"p", v}, nil })
	if label {
		op = op.Labelled(value.NewLabel("pii"), "field")
	}
	for _, n := range sizes {
		op = op.MaxBytes(n, "field")
	}
	s, err := service.New("svc", "", op)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func runWith(t *testing.T, s *service.Service, program string, o codemode.Options) string {
	t.Helper()
	o.Record, o.Evaluator = exo.Unrecorded, exoeval.InProcess{}
	tool, err := codemode.New(codemode.Grants{"svc": s}, &o)
	if err != nil {
		t.Fatal(err)
	}
	r := tool.Run(t.Context(), program)
	if r.Err != nil {
		return fail.KindOf(r.Err).String() + " " + fail.GuestText(r.Err)
	}
	return string(r.JSON)
}

// contents are what a field may hold, usual and odd, and what leaves of the odd where the label is admitted.
type contents struct {
	what   string
	usual  func(t *testing.T, label bool) *service.Service
	odd    func(t *testing.T, label bool) *service.Service
	leaves string // of the odd one
	shows  bool   // without the label the odd one is no error
}

func of[T any](what string, usual, odd T, leaves string, plain ...bool) contents {
	give := func(v T) func(*testing.T, bool) *service.Service {
		return func(t *testing.T, label bool) *service.Service { return giving(t, v, label) }
	}
	return contents{what, give(usual), give(odd), leaves, len(plain) > 0}
}

func oddContents() []contents {
	deep := any("x")
	for range 100 {
		deep = []any{deep}
	}
	text := "x"
	return []contents{
		of("NaN", 1.0, math.NaN(), "null"),
		of("infinite", 1.0, math.Inf(1), "null"),
		of("NUL", "x", "x\x00", "null"),
		of("not UTF-8", "x", "x\xff", "null"),
		of("the year 12000", time.Unix(0, 0), time.Date(12000, 1, 1, 0, 0, 0, 0, time.UTC), "null"),
		of("beyond int64", uint64(1), uint64(math.MaxUint64), "null"),
		of("no text form", spelt{"x"}, spelt{"bad"}, "null"),
		of("a text form that panics", spelt{"x"}, spelt{"worse"}, "null"),
		of("NaN in any", any("x"), any(math.NaN()), "null"),
		of("too deep", any("x"), deep, "null"),
		of("cyclic", any("x"), cyclic(), "null"),
		of("of no kind", any("x"), any(make(chan int)), "null"),
		of("a key with NUL", map[string]string{"a": "x"}, map[string]string{"a\x00": "x"}, "null"),
		of("the key __proto__", map[string]string{"a": "x"}, map[string]string{"__proto__": "x"}, "null"),
		of("in an item", []float64{1}, []float64{1, math.NaN()}, "null"),
		of("in a field", inner{"x", "y"}, inner{"x", "y\x00"}, "null"),
		of("far within", []inner{{"x", "y"}}, []inner{{[]any{func() {}}, "y"}}, "null"),
		of("no text", &text, nil, "null", true),
		of("no list", []string{"x"}, nil, "[]", true),
		of("an empty list", []string{"x"}, []string{}, "[]", true),
		of("nothing in any", any("x"), nil, "null", true),
		of("a large text", "x", strings.Repeat("x", 2000), `"[too large]"`, true),
		of("a large text that is not UTF-8", "x", strings.Repeat("\xff", 2000), "null"),
		of("a large list", []string{"x"}, slices.Repeat([]string{"xx"}, 1<<8), "null", true),
		of("many in any", any("x"), any(make([]any, 1<<8)), "null", true),
	}
}

func cyclic() any {
	l := make([]any, 1)
	l[0] = l
	return l
}

// TestHiddenContents: what a labelled field holds never decides whether a call fails, nor what it shows. The twin without the label
// shows the difference.
func TestHiddenContents(t *testing.T) {
	program := "const r = await svc.get().catch(e => e.message); return [r]"
	for _, c := range oddContents() {
		usual, odd := runWith(t, c.usual(t, true), program, codemode.Options{}), runWith(t, c.odd(t, true), program, codemode.Options{})
		if want := `[{"plain":"p","field":"[sealed pii]"}]`; usual != want || odd != want {
			t.Errorf("%s: %.200s, and %.200s", c.what, usual, odd)
		}
		plain := runWith(t, c.odd(t, false), program, codemode.Options{})
		if plain == runWith(t, c.usual(t, false), program, codemode.Options{}) || strings.Contains(plain, `"plain"`) != c.shows {
			t.Errorf("%s: the twin without a label shows no difference: %.200s", c.what, plain)
		}
		left := runWith(t, c.odd(t, true), "return (await svc.get()).field", codemode.Options{Admits: value.NewLabel("pii")})
		if left != c.leaves {
			t.Errorf("%s: %.200s leaves, want %s", c.what, left, c.leaves)
		}
	}
}

// TestHiddenSize: by how many bytes a run may read nothing is found of how large a labelled value is, and of the others their size.
func TestHiddenSize(t *testing.T) {
	// least is how many bytes a run has to be allowed to read for the call to go well.
	least := func(s *service.Service) int {
		return sort.Search(1<<21, func(n int) bool {
			return !strings.HasPrefix(runWith(t, s, "await svc.get(); return 1", codemode.Options{Limits: exo.Limits{Bytes: n + 1}}), "limit ")
		})
	}
	type item struct {
		Email string `json:"email"`
		Name  string `json:"name"`
	}
	items := func(label bool, emails ...string) *service.Service {
		op := service.Read("get", "", func(context.Context, service.None) (out []item, _ error) {
			for _, e := range emails {
				out = append(out, item{e, "n"})
			}
			return out, nil
		})
		if label {
			op = op.Labelled(value.NewLabel("pii"), "email").MaxBytes(2000, "email")
		}
		s, err := service.New("svc", "", op)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	long := strings.Repeat("x", 40_000)
	for _, c := range []struct {
		what string
		make func(label bool) []*service.Service
		most int // that the labelled values may take in all
	}{
		{"a text", func(l bool) []*service.Service {
			return []*service.Service{giving(t, "", l), giving(t, "1234567", l), giving(t, long, l)}
		}, 1 << 10},
		{"a number", func(l bool) []*service.Service {
			f := 1.0
			return []*service.Service{giving(t, []float64{}, l), giving(t, []float64{f, f}, l)}
		}, 1 << 10},
		{"an object", func(l bool) []*service.Service {
			return []*service.Service{giving(t, inner{nil, ""}, l), giving(t, inner{[]any{1, 2}, long}, l)}
		}, 1 << 10},
		{"of each item", func(l bool) []*service.Service {
			return []*service.Service{items(l, "", "a"), items(l, long, "")}
		}, 4000},
	} {
		sizes := map[bool][]int{}
		for _, label := range []bool{true, false} {
			for _, s := range c.make(label) {
				sizes[label] = append(sizes[label], least(s))
			}
			slices.Sort(sizes[label])
			sizes[label] = slices.Compact(sizes[label])
		}
		if s := sizes[true]; len(s) != 1 || s[0] < c.most || s[0] > c.most+200 {
			t.Errorf("%s: the limit tells of what is labelled: %v", c.what, s)
		}
		if len(sizes[false]) < 2 {
			t.Errorf("%s: the twin without a label tells nothing: %v", c.what, sizes[false])
		}
	}
}

// TestMaxBytes: a labelled value leaves whole up to what its field may take.
func TestMaxBytes(t *testing.T) {
	for _, c := range []struct {
		size  int
		said  []int
		whole bool
	}{{1024, nil, true}, {1025, nil, false}, {1025, []int{1025}, true}, {5, []int{4}, false}, {4, []int{4}, true}, {40, []int{4, 40}, true}} {
		got := runWith(t, giving(t, strings.Repeat("x", c.size), true, c.said...), "return (await svc.get()).field", codemode.Options{Admits: value.NewLabel("pii")})
		want := `"[too large]"`
		if c.whole {
			want = `"` + strings.Repeat("x", c.size) + `"`
		}
		if got != want {
			t.Errorf("%d bytes of %v: %s", c.size, c.said, got)
		}
	}
	pii := value.NewLabel("pii")
	list := service.Read("x", "", func(context.Context, struct{}) ([]thread, error) { return nil, nil }).Labelled(pii, "by.email").Labelled(value.NewLabel(value.Untrusted), "subject")
	for want, op := range map[string]service.Operation{
		`"subject", which has no secrecy label`:                             list.MaxBytes(10, "subject"),
		`"by.mail", which has no secrecy label`:                             list.MaxBytes(10, "by.mail"),
		fmt.Sprintf("from 1 to %d", 512<<10):                                list.MaxBytes(0, "by.email"),
		fmt.Sprintf("from 1 to %d, and needs the names of fields", 512<<10): list.MaxBytes(512<<10+1, "by.email"),
		"needs the names of fields":                                         list.MaxBytes(10),
	} {
		if _, err := service.New("s", "", op); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}

// TestLabelledWithin: a field that is sealed as a whole has the labels of all that is in it, also where other tags were said of a part.
func TestLabelledWithin(t *testing.T) {
	type note struct {
		Text string `json:"text"`
		From string `json:"from"`
	}
	type out struct {
		Note  note   `json:"note"`
		Notes []note `json:"notes"`
	}
	n := note{"hello", "ann"}
	s, err := service.New("svc", "", service.Read("get", "", func(context.Context, service.None) (out, error) { return out{n, []note{n}}, nil }).
		Labelled(value.NewLabel("pii"), "note", "notes").Labelled(value.NewLabel("board", value.Untrusted), "note.text", "notes.text"))
	if err != nil {
		t.Fatal(err)
	}
	sealed := `{"note":"[sealed board, pii, untrusted]","notes":"[sealed board, pii, untrusted]"}`
	for _, c := range []struct {
		admits value.Label
		want   string
	}{
		{value.NewLabel("pii"), sealed},
		{value.NewLabel("board"), sealed},
		{value.NewLabel("board", "pii"), `{"note":{"text":"hello","from":"ann"},"notes":[{"text":"hello","from":"ann"}]}`},
	} {
		if got := runWith(t, s, "return await svc.get()", codemode.Options{Admits: c.admits}); got != c.want {
			t.Errorf("admits %s: %s, want %s", c.admits, got, c.want)
		}
	}
}
