package service_test

import (
	"context"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/service"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exoeval"
)

type author struct {
	Name  string   `json:"name"`
	Email *string  `json:"email"`
	Also  []string `json:"also"`
}

type thread struct {
	Subject string   `json:"subject"`
	By      author   `json:"by"`
	All     []author `json:"all"`
	Note    string   `json:"note,omitempty"`
}

// TestLabelled: what a service gives is sealed where it is said to be, at any depth and for every value, and taints whoever reads it.
func TestLabelled(t *testing.T) {
	pii := value.NewLabel("pii")
	texts := func(email *string, also ...string) func(context.Context, struct{}) ([]thread, error) {
		return func(context.Context, struct{}) ([]thread, error) {
			a := author{"Ann", email, also}
			return []thread{{Subject: "hello", By: a, All: []author{a, a}}}, nil
		}
	}
	long := strings.Repeat("x", 1000)
	for what, c := range map[string]struct {
		label   value.Label
		program string
		want    string // the result, or the run's label
	}{
		"plain beside it":     {pii, "return (await inbox.list())[0].by.name", `"Ann" {}`},
		"a field":             {pii, "return (await inbox.list())[0].by.email", `"[sealed pii]" {}`},
		"of each item":        {pii, "return (await inbox.list())[0].all.map(a => a.email)", `["[sealed pii]","[sealed pii]"] {}`},
		"a list":              {pii, "return (await inbox.list())[0].by.also", `"[sealed pii]" {}`},
		"whole":               {pii, "return (await inbox.list())[0].all[1]", `{"name":"Ann","email":"[sealed pii]","also":"[sealed pii]"} {}`},
		"compared":            {pii, "return (await inbox.list())[0].by.email === null", "error {}"},
		"into a sink":         {pii, "await inbox.send({ to: 1, body: (await inbox.list())[0].by.email }); return 1", "1 {}"},
		"into another":        {pii, "await inbox.chat({ to: 1, body: (await inbox.list())[0].by.email }); return 1", "error {}"},
		"a text":              {pii, "await inbox.send({ to: 1, body: await text`dear ${(await inbox.list())[0].by.email}` }); return 1", "1 {}"},
		"untrusted":           {value.NewLabel("untrusted:mail"), "await inbox.list(); return 1", "1 {untrusted:mail}"},
		"untrusted, and then": {value.NewLabel("untrusted:mail"), "await inbox.list(); await inbox.send({ to: 1, body: 'x' }); return 1", "error {untrusted:mail}"},
	} {
		var got []string
		for _, list := range []func(context.Context, struct{}) ([]thread, error){texts(nil), texts(&long, "a", long)} {
			sent := ""
			send := func(_ context.Context, in struct {
				To   int
				Body *string
			}) (service.None, error) {
				if sent = "nothing"; in.Body != nil {
					sent = *in.Body
				}
				return service.None{}, nil
			}
			inbox, err := service.New("inbox", "",
				service.Read("list", "", list).Labelled(c.label, "by.email", "by.also", "all.email", "all.also"),
				service.Method("send", "", send).Admits(pii), service.Method("chat", "", send))
			if err != nil {
				t.Fatal(err)
			}
			tool, err := codemode.New(codemode.Grants{"inbox": inbox}, &codemode.Options{Record: exo.Unrecorded, Evaluator: exoeval.InProcess{}})
			if err != nil {
				t.Fatal(err)
			}
			r := tool.Run(t.Context(), strings.NewReplacer("to:", "To:", "body:", "Body:").Replace(c.program))
			text := string(r.JSON) + " " + r.Label.String()
			if r.Err != nil {
				text = "error " + r.Label.String()
				t.Log(what, r.Err)
			}
			got = append(got, text)
			if strings.Contains(tool.Declarations(), "[") == false || !strings.Contains(tool.Declarations(), "["+c.label.Tags()[0]+"]") {
				t.Errorf("the declarations don't say what is labelled:\n%s", tool.Declarations())
			}
			if what == "into a sink" && sent == "" {
				t.Error("nothing was sent")
			}
		}
		if got[0] != c.want || got[1] != c.want {
			t.Errorf("%s: %s, and %s; want %s", what, got[0], got[1], c.want)
		}
	}
}

// TestLabelledWrongly: a label that could not hold is refused.
func TestLabelledWrongly(t *testing.T) {
	pii := value.NewLabel("pii")
	list := func(context.Context, struct{}) ([]thread, error) { return nil, nil }
	text := func(context.Context, struct{}) (string, error) { return "", nil }
	for want, op := range map[string]service.Operation{
		`has no field "email"`:       service.Read("x", "", list).Labelled(pii, "email"),
		`no field "by.mail"`:         service.Read("x", "", list).Labelled(pii, "by.mail"),
		`no field "subject.x"`:       service.Read("x", "", list).Labelled(pii, "subject.x"),
		`field "note" has omitempty`: service.Read("x", "", list).Labelled(pii, "note"),
		"got no label":               service.Read("x", "", list).Labelled(value.Label{}, "by"),
		"name the secret fields":     service.Read("x", "", text).Labelled(pii),
		"get a receipt":              service.Method("x", "", list).Labelled(pii, "by"),
		"a struct with one field":    service.Read("x", "", list).Labelled(value.NewLabel("pii", value.Untrusted)),
		`no field "by" to label`:     service.Read("x", "", text).Labelled(pii, "by"),
	} {
		if _, err := service.New("s", "", op); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
	if _, err := service.New("s", "", service.Read("x", "", text).Labelled(value.NewLabel(value.Untrusted))); err != nil {
		t.Error(err)
	}
}
