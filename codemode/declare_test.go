package codemode_test

import (
	"context"
	"regexp"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/policy"
	"github.com/exoagent/exoagent/exo/service"
	"github.com/exoagent/exoagent/exo/value"
)

func TestDeclarations(t *testing.T) {
	w := newWorld(t)
	d := newTool(t, codemode.Grants{"org": w.five, "mail": mailbox(t)}, nil).Declarations()
	for _, want := range []string{
		"interface Org { id: Int; name: Text; members(): MemberQuery; projects(): ProjectQuery }\n",
		"interface OrgQuery extends Query<{ org: Org }, Org> { members(): MemberQuery; projects(): ProjectQuery }\n",
		`  status: Text<"open" | "done" | "it's \"odd\"">;` + "\n",
		"  dueAt: Time | null;\n",
		"  budget: Float; // in euros\n",
		"  where(condition: ((t: N) => Bool) | Filter<N>): this; //",
		"  select<O>(selection: (t: N) => O): Query<N, O>; //",
		"  join<I>(item: Query<I, any> | ((t: N) => Query<I, any>), condition?: (t: N & I) => Bool): Query<N & I, R>; //",
		"  execute(): Promise<Plain<R>[]>; //",
		"  send(argument: { to: string[] /* addresses */; subject: string; replyTo?: string; at: string | Date | null }): Promise<{ held: boolean; receipt: number }>; // sends a message (happens after the program)\n",
		"  list(argument?: { folder?: string }): Promise<{ id: number; subject: string; at: string; tags: string[] }[]>; // the newest messages\n",
		"declare const api: { mail: Mailbox; org: OrgQuery };\n",
	} {
		if !strings.Contains(d, want) {
			t.Errorf("no %q in\n%s", want, d)
		}
	}
	if strings.Contains(newTool(t, codemode.Grants{"org": w.one}, nil).Declarations(), "Time") {
		t.Error("what nothing leads to is declared")
	}
	for range 20 {
		if again := newTool(t, codemode.Grants{"org": w.five, "mail": mailbox(t)}, nil).Declarations(); again != d {
			t.Fatal("the declarations are not the same every time")
		}
	}
	if p := newTool(t, codemode.Grants{"people": w.secret}, nil).Declarations(); !strings.Contains(p, "email: Text; // [pii] work address\n") {
		t.Errorf("a label is not shown:\n%s", p)
	}
}

// TestDeclaredOnly: what was taken away by Only is not declared.
func TestDeclaredOnly(t *testing.T) {
	w := newWorld(t)
	d := newTool(t, codemode.Grants{"all": w.two, "some": policy.Only(w.two, "where", "count", "projects")}, nil).Declarations()
	some := regexp.MustCompile(`(?s)interface Query2<.*?\n}`).FindString(d)
	for _, gone := range []string{"join", "execute", "limit", "select"} {
		if !strings.Contains(d, gone+"(") && !strings.Contains(d, gone+"<") || strings.Contains(some, gone) {
			t.Errorf("%s in\n%s", gone, d)
		}
	}
	if !strings.Contains(some, "where(") || !strings.Contains(some, "count(") || !strings.Contains(d, "declare const api: { all: OrgQuery; some: OrgQuery2 };") ||
		!strings.Contains(d, "interface ProjectQuery2 extends Query2<{ project: Project }> {}") {
		t.Errorf("%s", d)
	}
}

// TestSize keeps the declarations cheap: a model pays for each byte in each call.
func TestSize(t *testing.T) {
	w := newWorld(t)
	one := len(newTool(t, codemode.Grants{"org": w.one}, nil).Declarations())
	five := newTool(t, codemode.Grants{"org": w.five}, nil)
	n := len(five.Declarations())
	own := n - strings.Index(five.Declarations(), "interface Org {")
	t.Logf("five tables: %d bytes, %d of them fixed, %d for each table; one table: %d; whole description: %d", n, n-own, own/5, one, len(five.Description()))
	// 800 of the fixed bytes are groups and aggregates.
	if own/5 > 700 || n-own > 4400 {
		t.Errorf("%d bytes for each table, %d fixed", own/5, n-own)
	}
}

// drive is an object whose only method opens another one.
func drive(tb testing.TB) exo.Object {
	tb.Helper()
	file, err := service.New("file", "one file", service.Read("read", "its text", func(context.Context, service.None) (string, error) { return "text", nil }))
	if err != nil {
		tb.Fatal(err)
	}
	s, err := service.New("drive", "files", service.Read("open", "opens a file", func(context.Context, struct {
		Name string `json:"name"`
	}) (exo.Object, error) {
		return file, nil
	}).Returns(file))
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

// odd is an object with names that are none in TypeScript, and docs that would end a comment.
type odd struct{}

func (odd) Describe() (message.Description, error) {
	text := &message.Type{Name: value.TypeText}
	ms := map[string]*message.Method{}
	for _, m := range []*message.Method{
		{Name: "get-it", Doc: "first\nsecond */ third", Sends: true, Result: &message.Term{Con: text}, Params: []message.Param{{Name: "it's", Want: &message.Term{Con: &message.Type{Name: value.TypeRecord, Fields: []message.TypeField{
			{Name: "a b", Type: &message.Type{Name: value.TypeText, Null: true, Enum: []string{"x", "y"}}, Doc: "*/ evil /*"}}}}}}},
		{Name: "all", Sends: true, Result: &message.Term{App: value.TypeList, Args: map[string]*message.Term{"of": {Con: &message.Type{Name: value.TypeText, Enum: []string{"x", "y"}}}}}},
		{Name: "any", Sends: true, Effect: message.Immediate, Admits: value.NewLabel("pii"), Result: &message.Term{Con: &message.Type{Name: value.TypeData, Null: true}}},
	} {
		ms[m.Name] = m
	}
	return message.Description{Type: &message.Type{Name: "Promise"}, Interfaces: []*message.Interface{{Name: "Promise", Doc: "odd */ names", Methods: ms}}}, nil
}

func (odd) Eval(context.Context, *exo.Message) (value.Value, error) { return value.Text("x"), nil }

func TestOddNames(t *testing.T) {
	d := newTool(t, codemode.Grants{"odd": odd{}}, nil).Declarations()
	for _, want := range []string{
		"/** odd * / names */\ninterface Promise2 {\n",
		`  "get-it"(s: { "a b": "x" | "y" | null /* * / evil /* */ }): Promise<string>; // first second */ third` + "\n",
		`  all(): Promise<("x" | "y")[]>;` + "\n",
		"  any(): Promise<any>; // [takes pii] (happens at once, for good)\n",
		"declare const api: { odd: Promise2 };\n",
	} {
		if !strings.Contains(d, want) {
			t.Errorf("no %q in\n%s", want, d)
		}
	}
}
