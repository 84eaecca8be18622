package grantfile

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/dynamic"
	"github.com/exoagent/exoagent/internal/scalar"
)

// Scope declares which rows of a facet's table programs may reach. They are the rows that match Rows, the rows that the link Via leads to from
// rows in scope, or all rows if Shared is set.
type Scope struct {
	Rows   *Expr
	Via    *Via
	Shared bool
	Pos
}

// Via is a link of a facet.
type Via struct {
	Facet, Link string
	Pos
}

// Expr is a condition on the rows of a table. Its text is no SQL: it names columns, which must exist, and values, which are bound.
//
//	condition = term { "or" term } .
//	term      = factor { "and" factor } .
//	factor    = "not" factor | "(" condition ")" | comparison .
//	comparison = column ( "=" | "!=" | "<" | "<=" | ">" | ">=" ) value
//	           | column [ "not" ] "in" ( "$principal." claim | "(" value { "," value } ")" )
//	           | column "is" [ "not" ] "null" .
//	value     = number | "'" text "'" | "true" | "false" | "$principal." claim .
//
// A column with other characters than those of a word needs double quotes. A quote within quotes is written twice.
type Expr struct {
	Op     string // one of and, or, not, eq, ne, lt, le, gt, ge, in, notIn, null and notNull
	Subs   []*Expr
	Column Name
	Values []Operand
}

// Operand is a value, or the claim that has the value.
type Operand struct {
	Claim string // "" if the operand is Value
	Value any    // a json.Number, a string or a bool
	Pos
}

// These bound an expression.
const (
	maxExprDepth  = 50
	maxExprTokens = 2000
)

func (r *reader) scope(n *yaml.Node) Scope {
	s := Scope{Pos: posOf(n)}
	text := strings.TrimSpace(r.Text(n, "scope"))
	switch word, rest, _ := strings.Cut(text, " "); {
	case text == "":
	case text == "shared":
		s.Shared = true
	case word == "via":
		facet, link, ok := strings.Cut(strings.TrimSpace(rest), ".")
		if !ok || facet == "" || link == "" || strings.ContainsAny(rest, " \t\n") {
			r.At(posOf(n), "scope: want `via FACET.LINK`, with a link of another facet that leads to this one")
			break
		}
		s.Via = &Via{facet, link, posOf(n)}
	case isWord(text):
		r.At(posOf(n), "scope: want a condition like `org_id = $principal.org`, or `via FACET.LINK`, or `shared` for every row, not `%s`", text)
	default:
		s.Rows = r.expr(n)
	}
	return s
}

// expr reads a condition. It returns nil after an error.
func (r *reader) expr(n *yaml.Node) *Expr {
	p := &exprParser{node: n, text: n.Value}
	e, err := p.parse()
	if err != nil {
		r.At(p.pos(err.at), "%s", err.msg)
		return nil
	}
	return e
}

type exprError struct {
	at  int
	msg string
}

type token struct {
	kind string // word, name, text, number, claim, or the sign itself; "" at the end of the text
	text string
	at   int
}

func (t token) String() string {
	if t.kind == "" {
		return "the end of the condition"
	}
	return "`" + t.text + "`"
}

type exprParser struct {
	node     *yaml.Node
	text     string
	tokens   []token
	i, depth int
}

// pos returns the place of a byte of the text. The place is exact if the text is on one line of the file and has no escapes.
func (p *exprParser) pos(at int) Pos {
	out := posOf(p.node)
	switch {
	case p.node.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0 || strings.Contains(p.text, "\n"):
	case p.node.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle) != 0:
		out.Column += 1 + at
	default:
		out.Column += at
	}
	return out
}

func (p *exprParser) parse() (e *Expr, failed *exprError) {
	defer func() {
		if x := recover(); x != nil {
			err, ok := x.(*exprError)
			if !ok {
				panic(x)
			}
			e, failed = nil, err
		}
	}()
	p.scan()
	e = p.list("or", func() *Expr { return p.list("and", p.factor) })
	if t := p.peek(); t.kind != "" {
		p.fail(t.at, "want `and`, `or` or the end of the condition, not %s", t)
	}
	return e, nil
}

func (p *exprParser) fail(at int, format string, args ...any) {
	panic(&exprError{at, fmt.Sprintf(format, args...)})
}

func isLetter(c byte) bool { return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }
func isDigit(c byte) bool  { return c >= '0' && c <= '9' }

func isWord(s string) bool {
	for i := range len(s) {
		if !isLetter(s[i]) && (i == 0 || !isDigit(s[i])) {
			return false
		}
	}
	return s != ""
}

const claimPrefix = "$principal."

func (p *exprParser) scan() {
	s := p.text
	add := func(kind, text string, at int) {
		if len(p.tokens) >= maxExprTokens {
			p.fail(at, "the condition is too long: it can have at most %d words and signs", maxExprTokens)
		}
		p.tokens = append(p.tokens, token{kind, text, at})
	}
	for i := 0; i < len(s); {
		from := i
		switch c := s[i]; {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			i++
		case isLetter(c):
			for i < len(s) && (isLetter(s[i]) || isDigit(s[i])) {
				i++
			}
			add("word", s[from:i], from)
		case isDigit(c) || c == '-' && i+1 < len(s) && isDigit(s[i+1]):
			for i++; i < len(s) && (isDigit(s[i]) || s[i] == '.'); i++ {
			}
			if !json.Valid([]byte(s[from:i])) {
				p.fail(from, "`%s` is not a number: write it like -12 or 12.5, or a text in single quotes", s[from:i])
			}
			add("number", s[from:i], from)
		case c == '$':
			if !strings.HasPrefix(s[i:], claimPrefix) {
				p.fail(from, "after $ want a claim of the principal, like $principal.org")
			}
			for i += len(claimPrefix); i < len(s) && (isLetter(s[i]) || isDigit(s[i])); i++ {
			}
			if name := s[from+len(claimPrefix) : i]; !isWord(name) {
				p.fail(from, "after $principal. want the name of a claim, like $principal.org")
			}
			add("claim", s[from:i], from)
		case c == '\'' || c == '"':
			var b strings.Builder
			for i++; ; i++ {
				if i >= len(s) {
					p.fail(from, "the quote that begins here has no end: write `%c` after the text", c)
				}
				if s[i] == c {
					if i+1 >= len(s) || s[i+1] != c {
						break
					}
					i++
				}
				b.WriteByte(s[i])
			}
			i++
			add(map[byte]string{'\'': "text", '"': "name"}[c], b.String(), from)
		default:
			sign := p.sign(from)
			i += len(sign)
			add(sign, sign, from)
		}
	}
}

// sign returns the sign at a place of the condition.
func (p *exprParser) sign(at int) string {
	for _, x := range []string{"!=", "<=", ">=", "<>", "==", "=", "<", ">", "(", ")", ","} {
		if instead := map[string]string{"<>": "!=", "==": "="}[x]; !strings.HasPrefix(p.text[at:], x) {
			continue
		} else if instead != "" {
			p.fail(at, "write `%s`, not `%s`", instead, x)
		}
		return x
	}
	p.fail(at, "a condition can't have `%s`: it compares columns with values, and a claim is written like $principal.org", string([]rune(p.text[at:])[0]))
	return ""
}

func (p *exprParser) peek() token {
	if p.i < len(p.tokens) {
		return p.tokens[p.i]
	}
	return token{at: len(p.text)}
}

func (p *exprParser) next() token {
	t := p.peek()
	p.i++
	return t
}

// is takes the next token if it is this word or sign, and reports whether it did. A word of the language may be in lower or upper case.
func (p *exprParser) is(word string) bool {
	t := p.peek()
	if t.kind == word || t.kind == "word" && (t.text == word || t.text == strings.ToUpper(word)) {
		p.i++
		return true
	}
	return false
}

func (p *exprParser) list(op string, one func() *Expr) *Expr {
	subs := []*Expr{one()}
	for p.is(op) {
		subs = append(subs, one())
	}
	if len(subs) == 1 {
		return subs[0]
	}
	return &Expr{Op: op, Subs: subs}
}

func (p *exprParser) factor() *Expr {
	if p.depth++; p.depth > maxExprDepth {
		p.fail(p.peek().at, "the condition is nested too deep: `not` and parentheses can be %d deep", maxExprDepth)
	}
	defer func() { p.depth-- }()
	switch {
	case p.is("not"):
		return &Expr{Op: "not", Subs: []*Expr{p.factor()}}
	case p.is("("):
		e := p.list("or", func() *Expr { return p.list("and", p.factor) })
		if t := p.peek(); !p.is(")") {
			p.fail(t.at, "want `)`, not %s", t)
		}
		return e
	}
	return p.comparison()
}

func isKeyword(s string) bool { return slices.Contains(keywords, strings.ToLower(s)) }

var keywords = []string{"and", "or", "not", "in", "is", "null", "true", "false"}

func (p *exprParser) comparison() *Expr {
	col := p.next()
	if col.kind != "name" && (col.kind != "word" || isKeyword(col.text)) {
		p.fail(col.at, "want a column, not %s: a comparison begins with its column, like `org_id = $principal.org`", col)
	}
	e := &Expr{Column: Name{Text: col.text, Pos: p.pos(col.at)}}
	not := p.is("not")
	switch t := p.next(); {
	case t.kind == "word" && strings.ToLower(t.text) == "in":
		e.Op = map[bool]string{false: "in", true: "notIn"}[not]
		if p.peek().kind == "claim" {
			e.Values = []Operand{p.value()}
			break
		}
		if b := p.peek(); !p.is("(") {
			p.fail(b.at, "after `in` want values in parentheses, like ('open', 'done'), or a claim that is a list, not %s", b)
		}
		e.Values = append(e.Values, p.value())
		for p.is(",") {
			e.Values = append(e.Values, p.value())
		}
		if b := p.peek(); !p.is(")") {
			p.fail(b.at, "want `,` or `)`, not %s", b)
		}
	case not:
		p.fail(t.at, "after a column and `not` want `in`, not %s", t)
	case t.kind == "word" && strings.ToLower(t.text) == "is":
		e.Op = map[bool]string{false: "null", true: "notNull"}[p.is("not")]
		if n := p.peek(); !p.is("null") {
			p.fail(n.at, "after `is` want `null` or `not null`, not %s", n)
		}
	default:
		e.Op = map[string]string{"=": "eq", "!=": "ne", "<": "lt", "<=": "le", ">": "gt", ">=": "ge"}[t.kind]
		if e.Op == "" {
			p.fail(t.at, "after the column `%s` want =, !=, <, <=, >, >=, `in`, `not in` or `is`, not %s", col.text, t)
		}
		e.Values = []Operand{p.value()}
	}
	return e
}

func (p *exprParser) value() Operand {
	t := p.next()
	o := Operand{Pos: p.pos(t.at)}
	switch {
	case t.kind == "claim":
		o.Claim = strings.TrimPrefix(t.text, claimPrefix)
	case t.kind == "number":
		o.Value = json.Number(t.text)
	case t.kind == "text":
		if value.Text(t.text).IsZero() {
			p.fail(t.at, "the text contains a NUL character or invalid UTF-8, which a database can't store: remove it")
		}
		o.Value = t.text
	case t.kind == "word" && (t.text == "true" || t.text == "false"):
		o.Value = t.text == "true"
	case t.kind == "word" && strings.ToLower(t.text) == "null":
		p.fail(t.at, "no value equals null: write `is null` or `is not null` in place of the comparison")
	default:
		p.fail(t.at, "want a number, a text in single quotes like 'open', true, false or a claim like $principal.org, not %s", t)
	}
	return o
}

// checkClaims checks that the file declares the claims that a condition names.
func (f *File) checkClaims(r *reader, e *Expr) {
	if e == nil {
		return
	}
	for _, s := range e.Subs {
		f.checkClaims(r, s)
	}
	for _, v := range e.Values {
		if v.Claim == "" {
			continue
		}
		c := f.claim(v.Claim)
		switch many := e.Op == "in" || e.Op == "notIn"; {
		case c == nil:
			r.At(v.Pos, "`principal` has no claim `%s`: add it there with its type%s", v.Claim, or(v.Claim, f.claimNames()))
		case c.List && !(many && len(e.Values) == 1):
			in := map[string]string{"ne": "not in", "notIn": "not in"}[e.Op]
			r.At(v.Pos, "the claim %s is a list: write `%s %s $principal.%[1]s`", v.Claim, e.Column.Text, cmp.Or(in, "in"))
		case !c.List && many && len(e.Values) == 1:
			equal := map[string]string{"in": "=", "notIn": "!="}[e.Op]
			r.At(v.Pos, "the claim %s is no list: write `%s %s $principal.%[1]s`, or `%[1]s: [%[4]s]` under `principal`", v.Claim, e.Column.Text, equal, c.Type)
		}
	}
}

// predicate returns the condition with a principal's values.
func (e *Expr) predicate(p Principal) dynamic.Predicate {
	subs := scalar.Each(e.Subs, func(s *Expr) dynamic.Predicate { return s.predicate(p) })
	var vs []any
	for _, v := range e.Values {
		if v.Claim == "" {
			vs = append(vs, v.Value)
		} else if list, ok := p.values[v.Claim].([]any); ok {
			vs = append(vs, list...)
		} else {
			vs = append(vs, p.values[v.Claim])
		}
	}
	col := e.Column.Text
	switch e.Op {
	case "and":
		return dynamic.And(subs...)
	case "or":
		return dynamic.Or(subs...)
	case "not":
		return dynamic.Not(subs[0])
	case "in":
		return dynamic.In(col, vs...)
	case "notIn":
		return dynamic.NotIn(col, vs...)
	case "null":
		return dynamic.IsNull(col)
	case "notNull":
		return dynamic.IsNotNull(col)
	}
	one := map[string]func(string, any) dynamic.Predicate{"eq": dynamic.Eq, "ne": dynamic.Ne, "lt": dynamic.Lt, "le": dynamic.Le, "gt": dynamic.Gt, "ge": dynamic.Ge}[e.Op]
	if one == nil || len(vs) != 1 {
		return dynamic.Predicate{} // package dynamic refuses the zero Predicate
	}
	return one(col, vs[0])
}

// leaves returns the comparisons of a condition.
func (e *Expr) leaves() (out []*Expr) {
	if len(e.Subs) == 0 {
		return []*Expr{e}
	}
	for _, s := range e.Subs {
		out = append(out, s.leaves()...)
	}
	return out
}
