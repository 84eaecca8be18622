package service_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/declassify"
	"github.com/exoagent/exoagent/exo/exotest"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/service"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exoeval"
)

type told struct {
	Same bool `json:"same"`
	Rank struct {
		Kind string `json:"kind"`
		N    int64  `json:"n"`
	} `json:"rank"`
}

func same(_ context.Context, in struct {
	A string `json:"a"`
	B string `json:"b"`
}) (bool, error) {
	return in.A == in.B, nil
}

// TestDeclassify: the method that a Declassify is, and what New refuses of one.
func TestDeclassify(t *testing.T) {
	pii := value.NewLabel("pii")
	kind := func(context.Context, service.None) (string, error) { return "", nil }
	whole := func(context.Context, service.None) (told, error) { return told{}, nil }
	thing, err := service.New("thing", "")
	if err != nil {
		t.Fatal(err)
	}
	object := service.Declassify("m", "", func(context.Context, service.None) (exo.Object, error) { return thing, nil }, pii).Returns(thing)
	bits := func(op service.Operation) (int, error) {
		s, err := service.New("oracle", "", op)
		if err != nil {
			return 0, err
		}
		d, err := s.Describe()
		if err != nil {
			return 0, err
		}
		m := d.Interfaces[0].Methods["m"]
		if !m.Declassifies.Equal(pii) || !m.Sink || m.Effect != message.NoEffect || !m.Admits.Empty() || !m.Result.Con.Null {
			t.Errorf("%+v", m)
		}
		_, err = exo.NewGate(exo.Config{Grants: map[string]exo.Object{"oracle": s}, Bits: declassify.New(1)})
		return m.Bits(), err
	}
	full := func() service.Operation {
		return service.Declassify("m", "", whole, pii).OneOf([]string{"a", "b"}, "rank.kind").Between(-3, 3, "rank.n")
	}
	for what, c := range map[string]struct {
		op   service.Operation
		bits int
		want string
	}{
		"true or false":   {service.Declassify("m", "", same, pii), 2, ""},
		"one of":          {service.Declassify("m", "", kind, pii).OneOf([]string{"a", "b", "c"}), 2, ""},
		"fields":          {full(), 5, ""},
		"a text":          {service.Declassify("m", "", kind, pii), 0, "any number of values"},
		"a field's text":  {service.Declassify("m", "", whole, pii).Between(0, 1, "rank.n"), 0, "any number of values"},
		"no such field":   {full().OneOf([]string{"a"}, "rank.x"), 0, `no field "rank.x"`},
		"none of a text":  {service.Declassify("m", "", kind, pii).OneOf(nil), 0, "OneOf is for text"},
		"a range of text": {service.Declassify("m", "", kind, pii).Between(0, 1), 0, "OneOf is for text"},
		"an empty range":  {full().Between(2, 2, "rank.n"), 0, "OneOf is for text"},
		"no tag":          {service.Declassify("m", "", same, value.Label{}), 0, "no tag"},
		"who wrote":       {service.Declassify("m", "", same, value.NewLabel("untrusted")), 0, "a tag of integrity"},
		"a label":         {full().Labelled(pii, "same"), 0, "can't be labelled"},
		"an object":       {object, 0, "an object"},
		"Immediate":       {full().Immediate(), 0, "Read"},
		"no function":     {service.Declassify[service.None, bool]("m", "", nil, pii), 0, "the function"},
		"of a Read":       {service.Read("m", "", kind).OneOf([]string{"a"}), 0, "only for a method made with Declassify"},
		"of a Method":     {service.Method("m", "", kind).Between(0, 1), 0, "only for a method made with Declassify"},
	} {
		n, err := func() (int, error) {
			if what == "who wrote" {
				s, err := service.New("oracle", "", c.op)
				if err != nil {
					return 0, err
				}
				_, err = exo.NewGate(exo.Config{Grants: map[string]exo.Object{"oracle": s}, Bits: declassify.New(1)})
				return 0, err
			}
			return bits(c.op)
		}()
		if c.want == "" && (err != nil || n != c.bits) || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %d bits, %v", what, n, err)
		}
	}
}

// TestDeclassifyTells: a program asks a function of Go about addresses that it can't read, and gets so little that no failure tells more.
func TestDeclassifyTells(t *testing.T) {
	pii := value.NewLabel("pii")
	mails := []string{"ann@a.example", "bob@b.example"}
	list := service.Read("list", "", func(context.Context, service.None) ([]author, error) {
		var out []author
		for _, m := range mails {
			out = append(out, author{Name: m[:3], Email: &m})
		}
		return out, nil
	}).Labelled(pii, "email", "also")
	domain := service.Declassify("domain", "the domain of an address", func(_ context.Context, in struct {
		Email string `json:"email"`
	}) (string, error) {
		_, d, _ := strings.Cut(in.Email, "@")
		switch in.Email {
		case "panic":
			panic(in.Email)
		case "refuse":
			return "", service.Refuse("it is %s", in.Email)
		case "fail":
			return "", fmt.Errorf("it is %s", in.Email)
		case "slow":
			return "", context.DeadlineExceeded
		}
		return d, nil
	}, pii).OneOf([]string{"a.example", "b.example", "c.example"})
	count := service.Declassify("count", "", func(_ context.Context, in struct {
		Emails []string `json:"emails"`
		End    string   `json:"end"`
	}) (int64, error) {
		n := int64(0)
		for _, e := range in.Emails {
			if strings.HasSuffix(e, in.End) {
				n++
			}
		}
		return n, nil
	}, pii).Between(0, 1000)
	oracle, err := service.New("oracle", "", list, domain, count, service.Declassify("same", "", same, pii))
	if err != nil {
		t.Fatal(err)
	}
	bare, err := service.New("bare", "", domain, count)
	if err != nil {
		t.Fatal(err)
	}
	exotest.Conform(t, bare)
	run := func(bits exo.BitBudget, program string) *codemode.Result {
		tool, err := codemode.New(codemode.Grants{"oracle": oracle}, &codemode.Options{Evaluator: exoeval.InProcess{}, Bits: bits})
		if err != nil {
			t.Fatal(err)
		}
		return tool.Run(t.Context(), program)
	}
	const all = "const l = await oracle.list(); "
	for program, want := range map[string]string{
		"return await Promise.all(l.map(a => oracle.domain({ email: a.email })))": `["a.example","b.example"]`,
		"return await oracle.domain({ email: 'x@evil.example' })":                 `null`,
		"return [await oracle.domain({ email: 'panic' }), await oracle.domain({ email: 'refuse' }), await oracle.domain({ email: 'fail' }), await oracle.domain({ email: 'slow' })]": `[null,null,null,null]`,
		"return await oracle.count({ emails: l.map(a => a.email), end: '.example' })":                                                                                                `2`,
		"return await oracle.count({ emails: Array.from({ length: 1000 }, () => l[0].email), end: 'a.example' })":                                                                    `1000`,
		"return [await oracle.same({ a: l[0].email, b: 'ann@a.example' }), await oracle.same({ a: l[0].email, b: l[1].email })]":                                                     `[true,false]`,
		"return await oracle.same({ a: l[0].email, b: l[0].also })":                                                                                                                  `error`,
	} {
		r := run(declassify.New(100), all+program)
		got := string(r.JSON)
		if r.Err != nil {
			got = "error"
			if fail.KindOf(r.Err) != fail.Invalid {
				t.Error(r.Err)
			}
		}
		if got != want || !r.Label.Empty() {
			t.Errorf("%s: %s %v %v", program, got, r.Err, r.Label)
		}
	}
	// Five bits are two domains, by however many programs and tools, and the day after there are five more.
	day := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	budget := declassify.New(5)
	ask := all + "return await oracle.domain({ email: l[0].email })"
	for n := range 3 {
		if r := run(budget, ask); (r.Err == nil) != (n < 2) || r.Err != nil && fail.KindOf(r.Err) != fail.Limit {
			t.Errorf("%d: %s %v", n, r.JSON, r.Err)
		}
	}
	if _, err := budget.Take("", day.AddDate(100, 0, 0), 5); err != nil {
		t.Error(err)
	}
	if r := run(&declassify.Budget{}, ask); r.Err == nil || !strings.Contains(fail.GuestText(r.Err), "oracle.domain") || errors.Is(r.Err, exo.ErrNothingDone) {
		t.Error(r.Err)
	}
}
