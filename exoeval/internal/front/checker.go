package front

// This file has the checker's state, and its bounds on the tree. The rewriting reads it, too.

import (
	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/file"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exoeval/internal/source"
)

// maxSpine bounds the left spines a + b + c ... and a.b.c()...: the parser builds
// them in a loop, but the compiler walks them by recursion.
const maxSpine = 4000

// checker walks the whole tree once: it admits what it knows and refuses the
// rest, resolves every name, and notes which functions are recorded.
type checker struct {
	cfg     Config
	pt      *form
	granted map[string]bool
	fault   *source.Fault

	depth, spine, maxDepth int

	scope   *scope
	top     *scope // of the statements of a body
	fn      *funcInfo
	infos   map[ast.Node]*funcInfo
	loops   map[int]bool     // offsets of the loops found that were written `for await`
	literal []ast.Expression // functions given to describing methods,
	named   []*binding       // and names of such

	spans      []span                      // its functions
	calls      map[int]span                // its calls, by the offset of their parenthesis
	helpers    map[string]bool             // what its rewritten operators call
	copied     int                         // nodes of expressions that are compiled twice
	names      map[string]bool             // every name that the program mentions, of members too: see needs
	patterns   bool                        // it has a regular expression in it,
	generators bool                        // or a generator
	asyncs     bool                        // or an async function,
	awaits     bool                        // or an await
	written    WrittenNumbers              // its numbers that JavaScript's don't hold, or hold beyond 2^53
	free       map[*ast.Identifier]bool    // operands of typeof that name nothing of the program's
	bound      map[ast.Expression]*binding // the names of the functions that are declared with one
	stored     map[string][]ast.Expression // what is written to the variables of a name, nil for nothing,
	elsewhere  map[string]bool             // and names of which that is not known: of parameters, parts of patterns, vars
}

func newChecker(cfg Config, pt *form) *checker {
	c := &checker{cfg: cfg, pt: pt, granted: map[string]bool{}, infos: map[ast.Node]*funcInfo{}, calls: map[int]span{}, loops: map[int]bool{}, names: map[string]bool{}, free: map[*ast.Identifier]bool{}, bound: map[ast.Expression]*binding{}, stored: map[string][]ast.Expression{}, elsewhere: map[string]bool{}}
	for _, g := range cfg.Grants {
		c.granted[g] = true
	}
	// A bracket costs a few nodes, and so does an operator that nests without.
	c.maxDepth = 4*cfg.MaxNesting + 400
	return c
}

// fail keeps the first refusal; the walk then ends by itself.
func (c *checker) fail(idx file.Idx, format string, args ...any) {
	if c.fault == nil {
		c.fault = source.Faultf(fail.Syntax, max(c.pt.Off(idx), -1), format, args...)
	}
}

// enter bounds the recursion of this walk, and with it that of the rewriting
// and of goja's compiler, which see the same tree. Every walk starts with it.
func (c *checker) enter(n ast.Node) bool {
	if c.fault != nil || n == nil {
		return false
	}
	if c.depth >= c.maxDepth || c.spine >= maxSpine {
		c.fault = source.Faultf(fail.Limit, -1, "the program nests syntax more than %d levels deep (nesting)", c.maxDepth)
		if c.spine >= maxSpine {
			c.fault = source.Faultf(fail.Limit, -1, "the program has a chain of more than %d operators or calls (nesting)", maxSpine)
		}
		return false
	}
	c.depth++
	return true
}

func (c *checker) leave() { c.depth-- }

// nodeName is the name of a node type, for a message; it comes from goja's ast.
func nodeName(n ast.Node) string {
	switch n.(type) {
	case *ast.BadExpression, *ast.BadStatement:
		return "unreadable"
	}
	return "unknown"
}

// binding is one declared name.
type binding struct {
	name  string
	fixed string         // not empty when assigning is refused: what the name is
	fn    ast.Expression // the function literal it is declared with, if any
	init  *funcInfo      // the function whose code is evaluating its initializer now
	refs  int            // references from outside fn
	uses  int            // references,
	calls int            // and how many of them only call it
}

// scope is a block. Names are declared when it is entered, so hoisting needs no
// second pass: an identifier resolves where it stands.
type scope struct {
	parent *scope
	names  map[string]*binding
}

func (s *scope) declare(name string) *binding {
	b := s.names[name]
	if b == nil {
		b = &binding{name: name}
		if s.names == nil {
			s.names = map[string]*binding{}
		}
		s.names[name] = b
	}
	return b
}

// funcInfo is what the rewriting must know of a function.
type funcInfo struct {
	node     ast.Node
	parent   *funcInfo
	arrow    bool
	children []*funcInfo
	uses     []*binding // names it refers to that may be functions of the program
	records  bool       // it may be called with placeholders: its operators are rewritten
}
