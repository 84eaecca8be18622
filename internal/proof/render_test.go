package proof

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"
)

var grantNames = []string{"currentUser", "shop"}

// speller writes programs as JavaScript. Where several spellings mean the same,
// chance decides; spelling 0 always takes the first.
type speller struct {
	r      *rand.Rand
	s      *Schema
	api    bool // granted names are members of api
	refs   map[int]func(alias string) string
	shared map[*Node]int    // how often each query is used
	named  map[*Node]string // queries that have a const of their own
	lets   []string
	active []activeName
}

type activeName struct {
	name string
	bind int
}

func (p *speller) n(k int) int {
	if p.r == nil {
		return 0
	}
	return p.r.IntN(k)
}

// spell writes the program of some queries. bare says that it returns the only
// query's answer and not a list of answers.
func spell(s *Schema, qs []Query, spelling uint64) (text string, bare bool) {
	p := &speller{s: s, refs: map[int]func(string) string{}, shared: map[*Node]int{}, named: map[*Node]string{}}
	if spelling != 0 {
		p.r = rand.New(rand.NewPCG(spelling, 7))
	}
	form := p.n(5)
	p.api = form == 0 || form == 3 || form == 4 && p.n(2) == 0
	bare = len(qs) == 1 && p.n(2) == 1
	if form != 0 && p.n(3) > 0 {
		for _, q := range qs {
			p.count(q.Q)
		}
	}
	var lets, outs []string
	for i, q := range qs {
		e := p.query(q.Q)
		lets, p.lets = append(lets, p.lets...), nil
		if form != 0 && p.n(3) == 2 {
			lets = append(lets, fmt.Sprintf("const q%d = %s;", i, e))
			e = fmt.Sprintf("q%d", i)
		}
		if q.Send == "execute" && p.n(3) == 2 {
			e = "await " + e // a query that is awaited is executed
		} else if e += "." + q.Send + "()"; !bare {
			e = "await " + e
		}
		outs = append(outs, e)
	}
	result := outs[0]
	if !bare {
		result = "[" + strings.Join(outs, ", ") + "]"
		if p.n(4) == 1 {
			lets = append(lets, "console.log("+outs[0]+");")
			if form == 0 {
				form = 3
			}
		}
	}
	body := strings.Join(append(lets, "return "+result+";"), "\n  ")
	shop := ""
	if usesGrant(qs, 1) {
		shop = ", shop"
	}
	switch form {
	case 0:
		return "async (api) => " + result, bare
	case 1:
		return "async ({ currentUser" + shop + " }) => {\n  " + body + "\n}", bare
	case 2:
		return "async () => {\n  " + body + "\n}", bare
	case 3:
		return "async function (api) {\n  " + body + "\n}", bare
	}
	if p.api {
		return "```js\nconst run = async (api) => {\n  " + body + "\n};\nreturn await run({ currentUser" + shop + " });\n```", bare
	}
	return body, bare
}

func usesGrant(qs []Query, i int) bool {
	var visit func(n *Node) bool
	visit = func(n *Node) bool {
		if n.Op == "grant" && n.N == i {
			return true
		}
		for _, a := range n.Args {
			if visit(a) {
				return true
			}
		}
		return false
	}
	for _, q := range qs {
		if visit(q.Q) {
			return true
		}
	}
	return false
}

func (p *speller) count(n *Node) {
	p.shared[n]++
	for _, a := range n.Args {
		p.count(a)
	}
}

// query writes a query, or the name of the const that it was given because it
// is used more than once.
func (p *speller) query(n *Node) string {
	if p.shared[n] < 2 || n.Op == "grant" || !n.uses(0) {
		return p.written(n)
	}
	if p.named[n] == "" {
		text := p.written(n)
		name := fmt.Sprintf("same%d", len(p.named))
		p.named[n] = name
		p.lets = append(p.lets, "const "+name+" = "+text+";")
	}
	return p.named[n]
}

func (p *speller) written(n *Node) string {
	switch n.Op {
	case "grant":
		if p.api {
			return "api." + grantNames[n.N]
		}
		return grantNames[n.N]
	case "walk":
		return p.refs[n.Bind](n.Name) + "." + linkNames[p.s.Links[n.N].Name] + "()"
	}
	q := p.query(n.Args[0])
	if p.n(6) == 5 {
		q += "\n    "
	}
	switch n.Op {
	case "distinct":
		return q + ".distinct()"
	case "follow":
		return q + "." + linkNames[p.s.Links[n.N].Name] + "()"
	case "search":
		return q + ".search(" + p.sought(n.Names) + ")"
	case "limit", "offset":
		if n.Name == "first" {
			return q + ".first()"
		}
		return fmt.Sprintf("%s.%s(%d)", q, n.Op, n.N)
	case "as":
		return fmt.Sprintf("%s.as(%s)", q, p.text(n.Name))
	case "where":
		if n.Found {
			return q + ".ifUnchanged(" + p.unchanged(n) + ")"
		}
		if f := p.filter(n); f != "" {
			return q + ".where(" + f + ")"
		}
		return q + ".where(" + p.callback(n.Bind, n.NS, n.Args[1:], func() string { return p.expr(n.Args[1]) }) + ")"
	case "select":
		return q + ".select(" + p.callback(n.Bind, n.NS, n.Args[1:], func() string { return p.selection(n.Args[1]) }) + ")"
	case "orderBy":
		if terms := n.Args[1:]; p.n(3) > 0 || len(terms) == 1 && p.n(2) == 0 {
			for _, t := range terms { // further calls sort within equals
				q += ".orderBy(" + p.callback(n.Bind, n.NS, []*Node{t}, func() string { return p.term(t) }) + ")"
			}
			return q
		}
		return q + ".orderBy(" + p.callback(n.Bind, n.NS, n.Args[1:], func() string {
			var ts []string
			for _, t := range n.Args[1:] {
				ts = append(ts, p.term(t))
			}
			return "[" + strings.Join(ts, ", ") + "]"
		}) + ")"
	}
	item := ""
	if n.Bind == 0 {
		item = p.query(n.Args[1])
	} else {
		item = p.callback(n.Bind, n.NS, n.Args[1:2], func() string { return p.query(n.Args[1]) })
	}
	if len(n.Args) > 2 {
		item += ", " + p.callback(n.On, n.OnNS, n.Args[2:], func() string { return p.expr(n.Args[2]) })
	}
	return q + "." + n.Op + "(" + item + ")"
}

// callback writes a function whose tables are called as refs says.
func (p *speller) callback(bind int, ns []string, body []*Node, write func() string) string {
	depth := len(p.active)
	defer func() { p.active = p.active[:depth] }()
	params := ""
	switch form := p.n(4); {
	case form == 1:
		v := fmt.Sprintf("ns%d", bind)
		params, p.refs[bind] = v, func(a string) string { return v + "." + a }
	case form == 2 && len(ns) == 1: // the only table may be left unnamed
		v := fmt.Sprintf("t%d", bind)
		params, p.refs[bind] = v, func(string) string { return v }
	case form == 3 || p.hides(ns, body):
		v := fmt.Sprintf("v%d_", bind)
		for i, a := range ns {
			params += fmt.Sprintf("%s%s: %s%s", map[bool]string{true: ", "}[i > 0], a, v, a)
		}
		params, p.refs[bind] = "({ "+params+" })", func(a string) string { return v + a }
	default: // an inner name may be that of an outer table, which is not meant then
		for _, a := range ns {
			p.active = append(p.active, activeName{a, bind})
		}
		params, p.refs[bind] = "({ "+strings.Join(ns, ", ")+" })", func(a string) string { return a }
	}
	inner := write()
	if !strings.HasPrefix(params, "(") {
		params = "(" + params + ")"
	}
	switch p.n(5) {
	case 3:
		return params + " => { return " + inner + "; }"
	case 4:
		return "function " + params + " { return " + inner + "; }"
	}
	if strings.HasPrefix(inner, "{") {
		inner = "(" + inner + ")"
	}
	return params + " => " + inner
}

// hides reports whether naming tables ns would hide an outer table that body means.
func (p *speller) hides(ns []string, body []*Node) bool {
	for _, a := range p.active {
		for _, n := range ns {
			if a.name != n {
				continue
			}
			for _, b := range body {
				if b.uses(a.bind) {
					return true
				}
			}
		}
	}
	return false
}

func (p *speller) term(n *Node) string {
	switch n.Op {
	case "asc", "desc":
		return p.expr(n.Args[0]) + "." + n.Op + "()"
	}
	return p.expr(n)
}

var words = map[string][]string{
	"eq": {".eq", "['=']"}, "ne": {".ne", "['<>']", "['!=']"},
	"is": {".is", "['===']"}, "isNot": {".isNot", "['!==']"}, "and": {".and", "['&&']"}, "or": {".or", "['||']"}, "includes": {".includes"},
	"isNull": {".isNull", ".eq", ".is", "['=']"}, "isNotNull": {".isNotNull", ".ne", ".isNot", "['<>']"},
	"like": {".like", "['LIKE']"}, "notIlike": {".notIlike", "['NOT ILIKE']"}, "lower": {".lower", ".toLowerCase"}, "upper": {".upper", ".toUpperCase"}, "substring": {".substring"}, "slice": {".slice"},
	"concat": {".concat"}, "add": {".add", "['+']"}, "mod": {".mod", "['%']"}, "abs": {".abs", "['Math.abs']"}, "roundUp": {".roundUp", "['Math.round']"}, "year": {".year", ".getFullYear"}, "day": {".day", ".getDate"},
	"case": {".case", "['?:']"}, "toText": {".toText"},
}

// forms are JavaScript's names of conditions that have a word of SQL, too.
var forms = map[string][]string{"lt": {"['<']"}, "le": {"['<=']"}, "gt": {"['>']"}, "ge": {"['>=']"}, "not": {"['!']"}, "in": {"['is in']"}, "has": {".includes"}}

var symbols = map[string][]string{
	"lt": {"<"}, "le": {"<="}, "gt": {">"}, "ge": {">="}, "is": {"===", "=="}, "isNot": {"!==", "!="}, "and": {"&&"}, "or": {"||"},
	"isNull": {"===", "=="}, "isNotNull": {"!==", "!="}, "add": {"+"}, "sub": {"-"}, "mul": {"*"}, "div": {"/"}, "mod": {"%"}, "coalesce": {"??"},
}

// mirrors are the operators that mean the same with their operands exchanged.
var mirrors = map[string]bool{"===": true, "==": true, "!==": true, "!=": true}

var exchanged = map[string]string{"<": ">", "<=": ">=", ">": "<", ">=": "<="}

func (p *speller) expr(n *Node) string {
	switch n.Op {
	case "col":
		return p.refs[n.Bind](n.Name) + p.dot(slots[n.Slot].guest)
	case "lit":
		return p.literal(n.Val, true)
	case "matches", "rank":
		return p.refs[n.Bind](n.Name) + "." + n.Op + "(" + p.sought(n.Names) + ")"
	case "ask":
		return p.ask(n)
	case "among":
		return p.among(n)
	case "not":
		if n.JS && p.n(2) == 1 {
			return "(!" + p.expr(n.Args[0]) + ")"
		}
		return p.expr(n.Args[0]) + p.word(n) + "()"
	case "in", "notIn":
		var list []string
		for _, a := range n.Args[1:] {
			list = append(list, p.expr(a))
		}
		return p.expr(n.Args[0]) + p.word(n) + "([" + strings.Join(list, ", ") + "])"
	}
	x, y := p.expr(n.Args[0]), "null"
	if n.Op == "length" {
		return x + ".length"
	}
	if strings.HasPrefix(n.Op, "as") && n.Args[0].kind() == JSON {
		steps, call := n.Args[1:], n.Op+"()"
		if n.Op == "asIncludes" || n.Op == "asHas" {
			steps, call = n.Args[2:], strings.ToLower(strings.TrimPrefix(n.Op, "as"))+"("+p.literal(n.Args[1].Val, true)+")"
		}
		for _, a := range steps {
			switch v := a.Val; {
			case v.Kind == Int && p.n(2) == 1:
				x += fmt.Sprintf("[%d]", v.I)
			case v.S == "a" || v.S == "b" && p.n(2) == 1:
				x += p.dot(v.S)
			default: // also "0", which is an index without quotes
				x += ".getKey(" + p.literal(v, true) + ")"
			}
		}
		return x + "." + call
	}
	if k := n.Args[0].kind(); !k.comparable() && (n.Op == "isNull" || n.Op == "isNotNull") {
		return x + "." + n.Op + "()" // there is no eq
	}
	if n.Op == "add" && n.Args[1].Op == "lit" && (n.Args[1].Val.Kind == Decimal || n.Args[1].Val.big()) {
		return x + ".add(" + p.expr(n.Args[1]) + ")" // + would put texts together
	}
	if ops := symbols[n.Op]; len(n.Args) != 2 && n.Op != "isNull" && n.Op != "isNotNull" || len(ops) == 0 && n.kind() != Bool || n.Op == "between" || n.Op == "has" || n.Op == "case" {
		var args []string
		for _, a := range n.Args[1:] {
			if a.Op == "lit" && n.Op == "case" {
				args = append(args, p.literal(a.Val, false))
			} else {
				args = append(args, p.expr(a))
			}
		}
		if n.Op == "concat" && len(args) == 1 && p.n(2) == 1 {
			return "(" + x + " + " + args[0] + ")"
		}
		return x + p.word(n) + "(" + strings.Join(args, ", ") + ")"
	}
	literal := true
	if len(n.Args) > 1 {
		y, literal = p.expr(n.Args[1]), n.Args[1].Op == "lit"
	}
	if ops := symbols[n.Op]; len(ops) > 0 && (n.JS || forms[n.Op] == nil) && p.n(2) == 1 {
		op := ops[p.n(len(ops))]
		if o := exchanged[op]; literal && (o != "" || mirrors[op]) && p.n(3) == 2 {
			if o != "" {
				op = o
			}
			x, y = y, x
		}
		return "(" + x + " " + op + " " + y + ")"
	}
	w := p.word(n)
	if w == ".isNull" || w == ".isNotNull" {
		y = ""
	}
	return x + w + "(" + y + ")"
}

func (p *speller) word(n *Node) string {
	names := words[n.Op]
	if n.JS {
		names = forms[n.Op]
	}
	if names == nil {
		return "." + n.Op
	}
	return names[p.n(len(names))]
}

func (p *speller) dot(name string) string {
	if p.n(8) == 7 {
		return "[" + p.text(name) + "]"
	}
	return "." + name
}

func (p *speller) text(s string) string {
	b, _ := json.Marshal(s)
	if q := string(b); p.n(2) == 1 && !strings.ContainsAny(q, `'\`) {
		return "'" + q[1:len(q)-1] + "'"
	}
	return string(b)
}

// literal writes a constant. compared says that it stands where a column's
// value is wanted, so a time may be text and a large integer has to be.
func (p *speller) literal(v Value, compared bool) string {
	switch {
	case v.Null:
		return "null"
	case v.big():
		return fmt.Sprintf("'%d'", v.I)
	case v.Kind == Int:
		return strconv.FormatInt(v.I, 10)
	case v.Kind == Float:
		return strconv.FormatFloat(v.F, 'g', -1, 64)
	case v.Kind == Bool:
		return strconv.FormatBool(v.B)
	case v.Kind != Time:
		return p.text(v.S)
	}
	t := time.UnixMilli(v.I).UTC().Format("2006-01-02T15:04:05.000Z")
	if compared && p.n(2) == 1 {
		return "'" + t + "'"
	}
	return "new Date('" + t + "')"
}

func (p *speller) selection(n *Node) string {
	switch n.Op {
	case "row":
		return p.refs[n.Bind](n.Name)
	case "ns":
		return p.everyTable(n)
	case "lit":
		return p.literal(n.Val, false)
	case "nested":
		return p.query(n.Args[0])
	case "record":
		var fs []string
		for i, a := range n.Args {
			name := n.Names[i]
			if strings.ContainsAny(name, " ") || p.n(6) == 5 {
				name = p.text(name)
			}
			fs = append(fs, name+": "+p.selection(a))
		}
		return "{ " + strings.Join(fs, ", ") + " }"
	}
	return p.expr(n)
}

func (p *speller) everyTable(n *Node) string {
	if len(n.NS) == 1 {
		return p.refs[n.Bind](n.NS[0])
	}
	var fs []string
	for _, a := range n.NS {
		fs = append(fs, a+": "+p.refs[n.Bind](a))
	}
	return "{ " + strings.Join(fs, ", ") + " }"
}

// filter writes a condition as a plain object, where it can be one: each column
// of the only table once, and equal to a constant, to one of some, or null.
func (p *speller) filter(n *Node) string {
	if len(n.NS) != 1 || p.n(2) == 0 {
		return ""
	}
	return p.unchanged(n)
}

// unchanged writes the same wherever it can be one.
func (p *speller) unchanged(n *Node) string {
	seen := map[int]bool{}
	var fs []string
	var visit func(c *Node) bool
	visit = func(c *Node) bool {
		if c.Op == "and" {
			return visit(c.Args[0]) && visit(c.Args[1])
		}
		if c.Op != "eq" && c.Op != "is" && c.Op != "in" && c.Op != "isNull" || c.Args[0].Op != "col" || c.Args[0].Bind != n.Bind || seen[c.Args[0].Slot] || !c.Args[0].kind().comparable() {
			return false
		}
		seen[c.Args[0].Slot] = true
		var vs []string
		for _, a := range c.Args[1:] {
			if a.Op != "lit" || a.Val.Null && c.Op != "in" {
				return false
			}
			vs = append(vs, p.literal(a.Val, true))
		}
		v := strings.Join(vs, ", ")
		switch c.Op {
		case "in":
			v = "[" + v + "]"
		case "isNull":
			v = "null"
		}
		fs = append(fs, slots[c.Args[0].Slot].guest+": "+v)
		return true
	}
	if !visit(n.Args[1]) {
		return ""
	}
	return "{ " + strings.Join(fs, ", ") + " }"
}
