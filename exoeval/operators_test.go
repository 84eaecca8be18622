package exoeval_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/internal/testutil"
)

// table is a table with columns n, m (numbers), title, status (texts), done and
// due, whose query answers with what was recorded. A poor one has comparisons only.
type table struct{ poor bool }

// words are phrases that errors have to use; what they need is there, or they must not be said.
var words = []message.Words{message.NewWords([]message.Phrase{
	{On: "member", Text: "column"},
	{On: "template", Text: "a template can't contain {it}, which has no value in the program; select the column and build the text from the rows"},
	{On: "op:||", Needs: "??", Text: "use ??"},
	{On: "op:neg", Needs: "nothing", Text: "of what is not there"},
	{On: "op:neg", Text: "to sort backwards use .desc()"},
	{On: "op:!", Needs: "*.select", Text: "for an empty value use .isNull()"},
	{On: "call:Math", Text: "for columns there are Math.abs, Math.round"},
	{On: "call:Number call:parseInt", Text: "convert the rows"},
	{On: "call:Boolean", Text: "column !== null"},
	{On: "call:isNaN", Text: "column === null"},
	{On: "call:has", Text: "[...map.keys()]"},
	{On: "call:test call:exec", Text: "column.includes('…') or column.like('…%')"},
	{On: "oneof", Text: "column.in({list})"},
	{On: "list", Text: "write column === value for each, joined with ||"},
}...)}

func (d table) Describe() (message.Description, error) {
	con := func(n string) *message.Term { return &message.Term{Con: &message.Type{Name: n}} }
	column := func(n, of string) *message.Type {
		return &message.Type{Name: n, Args: map[string]*message.Type{"of": {Name: of}}}
	}
	is := func(n, of string) *message.Term { return &message.Term{Con: column(n, of)} }
	method := func(name string, result *message.Term, wants ...*message.Term) *message.Method {
		m := &message.Method{Name: name, Result: result}
		for _, w := range wants {
			m.Params = append(m.Params, message.Param{Name: "the value", Want: w, Null: true})
		}
		return m
	}
	iface := func(name string, expr bool, methods ...*message.Method) *message.Interface {
		i := &message.Interface{Name: name, Expr: expr, Words: words, Methods: map[string]*message.Method{}, Fields: map[string]*message.Property{}}
		for _, m := range methods {
			if d.poor && !slices.Contains([]string{"===", "!==", ">", "&&", "||", "!", "where", "select", "show"}, m.Name) {
				continue
			}
			i.Methods[m.Name] = m
			i.Order = append(i.Order, m.Name)
		}
		return i
	}
	of := &message.Term{Var: "of"}
	list := &message.Term{App: value.TypeList, Args: map[string]*message.Term{"of": of}}
	boolean, integer, text := is("Bool", value.TypeBool), is("Int", value.TypeInt), is("Text", value.TypeText)
	number := con(value.TypeNumber)
	compare := []*message.Method{method("===", boolean, of), method("!==", boolean, of), method(">", boolean, of), method("in", boolean, list), method("??", &message.Term{Var: "self"}, of)}
	with := func(more ...*message.Method) []*message.Method { return append(slices.Clone(compare), more...) }
	concat := method("concat", text, con(value.TypeText), con(value.TypeText))
	concat.Params[1].Opt = true
	row := iface("Thing", false)
	row.Is = []string{value.TypeRow}
	for name, t := range map[string]*message.Type{"n": column("Int", value.TypeInt), "m": column("Int", value.TypeInt), "title": column("Text", value.TypeText),
		"status": column("Text", value.TypeText), "done": column("Bool", value.TypeBool), "due": column("Time", value.TypeTime)} {
		row.Fields[name] = &message.Property{Type: t}
	}
	integers := with(method("String", text), method("neg", integer), method("abs", integer), method("round", integer))
	for _, op := range []string{"+", "-", "*", "/", "%", "rsub", "rdiv", "rmod"} {
		integers = append(integers, method(op, integer, number))
	}
	texts := iface("Text", true, with(method("+", text, con(value.TypeText)), concat, method("prepend", text, con(value.TypeText)), method("like", boolean, con(value.TypeText)))...)
	if !d.poor {
		texts.Fields["length"] = &message.Property{Type: column("Int", value.TypeInt)}
	}
	record := &message.Type{Name: value.TypeRecord, Fields: []message.TypeField{{Name: "row", Type: &message.Type{Name: "Thing"}}}}
	query := iface("Query", false,
		&message.Method{Name: "where", Params: []message.Param{{Name: "the condition", Want: con("Bool"), Lambda: &message.Term{Con: record}}}, Result: &message.Term{Var: "self"}},
		&message.Method{Name: "select", Params: []message.Param{{Name: "the selection", Want: con(value.TypeSelection), Lambda: &message.Term{Con: record}}}, Result: &message.Term{Var: "self"}},
		&message.Method{Name: "show", Sends: true, Result: con(value.TypeText)})
	return message.Description{Type: &message.Type{Name: "Query"}, Interfaces: []*message.Interface{query, row, texts, iface("Int", true, integers...),
		iface("Bool", true, with(method("&&", boolean, con(value.TypeBool)), method("||", boolean, con(value.TypeBool)), method("!", boolean),
			method("?:", integer, number, number))...), iface("Time", true, with(method("String", text))...)}}, nil
}

func (table) Eval(_ context.Context, m *exo.Message) (value.Value, error) {
	var show func(n *message.Node) string
	show = func(n *message.Node) string {
		var args []string
		for _, a := range n.Args {
			args = append(args, show(a))
		}
		switch n.Op {
		case message.OpLit:
			return n.Lit.String()
		case message.OpField:
			if n.Recv.Op == message.OpParam || n.Recv.Op == message.OpField && n.Recv.Recv.Op == message.OpParam {
				return n.Name
			}
			return show(n.Recv) + "." + n.Name
		case message.OpCall:
			return show(n.Recv) + "." + n.Name + "(" + strings.Join(args, ", ") + ")"
		case message.OpLambda, message.OpList:
			return strings.Join(args, ", ")
		case message.OpRecord:
			for i, name := range n.Names {
				args[i] = name + ": " + args[i]
			}
			return strings.Join(args, ", ")
		}
		return ""
	}
	return value.Text(show(m.Root.Recv.Args[0])), nil
}

func runTable(t *testing.T, d table, program string) *exoeval.RunResult {
	t.Helper()
	g, err := exo.NewGate(exo.Config{Grants: map[string]exo.Object{"rows": d, "box": &testutil.Box{}}})
	if err != nil {
		t.Fatal(err)
	}
	return exoeval.NewLocal(g).Run(t.Context(), exoeval.Job{Program: program})
}

// What JavaScript's operators record, as method calls of the columns.
func TestOperatorsRecord(t *testing.T) {
	for _, c := range []struct{ expr, want string }{
		{"t.done ? 1 : 2", "done.?:(1, 2)"},
		{"t.n > 3 ? t.m : null", "n.>(3).?:(m, null)"},
		{"t.done && t.n > 1 ? t.n : t.m > 2 ? 5 : t.n + 1", "done.&&(n.>(1)).?:(n, m.>(2).?:(5, n.+(1)))"},
		{"calls ? t.n : t.m", "m"},
		{"!calls ? t.n : t.m", "n"},
		{"t.title ?? 'none'", `title.??("none")`},
		{"t.title ?? t.status ?? 'none'", `title.??(status).??("none")`},
		{"(() => { let x = t.title; x ??= 'y'; return x })()", `title.??("y")`},
		{"null ?? t.n", "n"},
		{"t.title ?? null", "title"},
		{"7 ?? t.n", "7"},
		{"`${t.title}!`", `title.concat("!")`},
		{"`<${t.title}>`", `title.prepend("<").concat(">")`},
		{"`${t.title} ${t.status} ${t.n}`", `title.concat(" ", status).concat(" ", n.String())`},
		{"`${t.n}`", "n.String()"},
		{"`${t.title}`", "title"},
		{"`${'a'}${1}b${t.due}${null}`", `due.String().prepend("a1b").concat("null")`},
		{"`${t.title}${''}`", "title"},
		{"`a${calls}`", `"a0"`},
		{"t.title + '!'", `title.+("!")`},
		{"'!' + t.title", `title.prepend("!")`},
		{"t.title + t.status", "title.+(status)"},
		{"t.title + t.n", "title.+(n.String())"},
		{"t.n + t.title", "n.String().+(title)"},
		{"t.n + ' days'", `n.String().+(" days")`},
		{"'n ' + t.n", `n.String().prepend("n ")`},
		{"t.title + 1", `title.+("1")`},
		{"t.n + 1", "n.+(1)"},
		{"1 + t.n", "n.+(1)"},
		{"t.n + t.m", "n.+(m)"},
		{"t.n - 1", "n.-(1)"},
		{"10 - t.n", "n.rsub(10)"},
		{"t.n - t.m", "n.-(m)"},
		{"10 / t.n", "n.rdiv(10)"},
		{"t.n / 2", "n./(2)"},
		{"10 % t.n", "n.rmod(10)"},
		{"2 * t.n", "n.*(2)"},
		{"t.n * t.m", "n.*(m)"},
		{"-t.n", "n.neg()"},
		{"-(t.n * 2) + 1", "n.*(2).neg().+(1)"},
		{"(() => { let x = t.n; x += 2; x *= t.m; return x })()", "n.+(2).*(m)"},
		{"Math.abs(t.n - t.m)", "n.-(m).abs()"},
		{"Math.round(t.n / 2)", "n./(2).round()"},
		{"Math.max(1, 2) + t.n", "n.+(2)"},
		{"String(t.n)", "n.String()"},
		{"String(t.title)", "title"},
		{"String(12)", `"12"`},
		{"[1, 2].includes(t.n)", "n.in([1,2])"},
		{"[1, null].includes(t.n)", "n.in([1]).||(n.===(null))"},
		{"list.includes(t.status) && t.done", `status.in(["a","b"]).&&(done)`},
		{"new Set(list).has(t.status)", `status.in(["a","b"])`},
		{"!list.includes(t.status)", `status.in(["a","b"]).!()`},
		{"list.includes('a')", "true"},
		{"[true, null].filter(Boolean).length + t.n", "n.+(1)"},
		{"t.title.length > 3", "title.length.>(3)"},
		{"!!t.done", "done.!().!()"},
		{"typeof t === 'object' ? t.n : t.m", "n"},
	} {
		res := runTable(t, table{}, "let calls = 0; const list = ['a', 'b']; return await rows.select(t => ({ x: "+c.expr+" })).show()")
		if res.Err != nil {
			t.Errorf("%s: %v", c.expr, res.Err)
		} else if got := strings.TrimPrefix(res.Value.Text(), "x: "); got != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.expr, got, c.want)
		}
	}
}

// Each side is evaluated as often as it must: both of ?: with a recorded
// condition, once, and only the one that is meant with a plain one.
func TestSidesAreEvaluatedOnce(t *testing.T) {
	for expr, want := range map[string]string{
		"L(1, t.done) ? L(2, t.n) : L(3, 5)":         "[1,2,3]",
		"L(1, true) ? L(2, t.n) : L(3, t.m)":         "[1,2]",
		"L(1, t.title) ?? L(2, 'x')":                 "[1,2]",
		"L(1, 'y') ?? L(2, t.title)":                 "[1]",
		"`${L(1, t.title)}${L(2, 'x')}${L(3, t.n)}`": "[1,2,3]",
		"L(1, 2) - L(2, t.n)":                        "[1,2]",
		"L(1, [1]).includes(L(2, t.n))":              "[1,2]",
		"Math.abs(L(1, t.n))":                        "[1]",
	} {
		res := runTable(t, table{}, "const log = []; const L = (n, v) => { log.push(n); return v }; await rows.select(t => ({ x: "+expr+" })).show(); return log")
		if res.Err != nil || res.Value.String() != want {
			t.Errorf("%s: got %v %v, want %s", expr, res.Value, res.Err, want)
		}
	}
}

// What can't be recorded is an error that names the way out; where the column
// has no such method, the same error as if the operator did not exist.
func TestOperatorsRefused(t *testing.T) {
	for _, c := range []struct {
		poor       bool
		expr, says string
	}{
		{false, "t.title ? 1 : 2", "`?:` can't decide by row.title"},
		{false, "t.title || 'x'", "use ??"},
		{false, "+t.title", "`+` can't convert row.title, which has no value in the program"},
		{false, "t.n ** 0.5", "the exponent of `**` with row.n must be a whole number from 1 to 8"},
		{false, "t.n ** 9", "the exponent of `**` with row.n must be a whole number from 1 to 8"},
		{false, "2 ** t.n", "the exponent of `**` with row.n must be a whole number from 1 to 8"},
		{true, "t.n ** 2", "`**` can't be used with row.n"},
		{false, "-t.title", "`-` can't be used with row.title, which is text; to sort backwards"},
		{false, "10 - t.title", "`-` is not available with row.title on its right"},
		{false, "Math.max(t.n, 1)", "`Math.max` can't be used with row.n, which has no value in the program; for columns there are Math.abs"},
		{false, "Math.round(1, t.n)", "Math.abs, Math.round"},
		{false, "Math.floor(t.title)", "`Math.floor` can't be used with row.title, which is text"},
		{false, "Number(t.title)", "convert the rows"},
		{false, "parseInt(t.title, 10)", "convert the rows"},
		{false, "Boolean(t.title)", "column !== null"},
		{false, "isNaN(t.n)", "column === null"},
		{false, "String(t.done)", "`String(…)` can't be used with row.done"},
		{false, "list.indexOf(t.status) >= 0", "column.in(list)"},
		{false, "list.includes('a', t.n)", "column.in(list)"},
		{false, "list.find(x => x === t.status)", "`find` can't decide by row.status.===(…)"},
		{false, "list.find(x => x === t.status) ? t.n : t.m", "write list.some(x => x === t.status) alone"},
		{false, "[t.status].includes('a')", "holds row.status"},
		{false, "list?.includes(t.status)", "without ?."},
		{false, "list.includes?.(t.status)", "without ?."},
		{false, "({ list }).list?.slice().includes(t.status)", "without ?."},
		{false, "new Map([['a', 1]]).has(t.status)", "[...map.keys()]"},
		{false, "/a/.test(t.title)", "column.like('…%')"},
		{false, "/a/.exec(t.title)", "column.includes('…')"},
		{false, "typeof t.title === 'string'", "`typeof` can't look at row.title"},
		{false, "t.title instanceof String", "`instanceof` can't be used with row.title: the program does not have its value here"},
		{false, "t.status in list", "column.in([…])"},
		{false, "!!t.title", "for an empty value use .isNull()"},
		{false, "(() => { switch (t.status) { case 'a': return 1 } return 2 })()", "`switch` can't decide by row.status"},
		{false, "(() => { switch (true) { case t.n > 1: return 1 } return 2 })()", "`switch` can't decide by row.n.>(…)"},
		{false, "(() => { if (t.done) return 1; return 2 })()", "`if` and loops can't decide"},
		{false, "`a${rows}`", "a template can't contain rows"},
		{false, "`a${t.done}`", "a template can't contain row.done"},
		{false, "t.done ? undefined : 1", "use null"},
		{true, "t.done ? 1 : 2", "`?:` can't decide by row.done, which has no value in the program; write the condition with && and ||"},
		{true, "t.title ?? 'x'", "`??` can't be used with row.title, which is text"},
		{true, "`a${t.title}`", "a template can't contain row.title, which has no value in the program; select the column and build the text from the rows"},
		{true, "t.title + 'x'", "`+` can't be used with row.title, which is text"},
		{true, "'x' + t.title", "`+` can't take row.title on its right"},
		{true, "1 + t.n", "`+` can't take row.n on its right"},
		{true, "t.n - 1", "`-` can't be used with row.n"},
		{true, "1 - t.n", "`-` is not available with row.n on its right"},
		{true, "2 * t.n", "`*` is not available with row.n on its right"},
		{true, "-t.n", "`-` can't be used with row.n, which is a whole number; to sort backwards use .desc()"},
		{true, "Math.abs(t.n)", "`Math.abs` can't be used with row.n"},
		{true, "String(t.n)", "`String(…)` can't be used with row.n"},
		{true, "[1].includes(t.n)", "`in` can't be used with row.n"},
	} {
		res := runTable(t, table{c.poor}, "const list = ['a', 'b']; return await rows.select(t => ({ x: "+c.expr+" })).show()")
		if fail.KindOf(res.Err) != fail.Invalid || !strings.Contains(fail.GuestText(res.Err), c.says) || fail.PosOf(res.Err).Line != 1 {
			t.Errorf("%s\n got %v %v\nwant …%s…", c.expr, res.Value, res.Err, c.says)
		}
	}
}
