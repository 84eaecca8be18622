package front

// This file has the checker's state and its bounds on the tree. The rewriting uses that state, too.

import (
	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/file"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exoeval/internal/source"
)

// maxSpine bounds the left operands of a chain like a + b + c or a.b.c(). The parser builds a chain in a loop, but the compiler walks it by
// recursion.
const maxSpine = 4000

// checker walks the whole tree once. It admits the syntax that it knows and
// refuses the rest, resolves every name, and notes which functions are recorded.
type checker struct {
	cfg     Config
	pt      *form
	granted map[string]bool
	fault   *source.Fault

	depth, spine, maxDepth int

	scope   *scope
	top     *scope // the scope of the statements of the program's body
	fn      *funcInfo
	infos   map[ast.Node]*funcInfo
	loops   map[int]bool     // offsets of the `for await` loops that were found
	literal []ast.Expression // function literals that are arguments of describing methods
	named   []*binding       // names that are arguments of describing methods

	spans      []span                      // the functions of the program
	calls      map[int]span                // calls of the program, by the offset of the parenthesis
	helpers    map[string]bool             // helpers that the rewritten operators call
	copied     int                         // the number of nodes that are compiled twice
	names      map[string]bool             // every name that the program mentions, also of members: see needs
	patterns   bool                        // the program has a regular expression
	generators bool                        // the program has a generator
	asyncs     bool                        // the program has an async function
	awaits     bool                        // the program has an await
	written    WrittenNumbers              // numbers in the text that JavaScript can't hold, or that are beyond 2^53
	free       map[*ast.Identifier]bool    // operands of typeof that name nothing in the program
	bound      map[ast.Expression]*binding // names that a declaration gives to functions
	stored     map[string][]ast.Expression // the expressions that are assigned to variables of each name; nil for a value that is surely no Decimal
	elsewhere  map[string]bool             // names with unknown values: parameters, parts of patterns, vars
}

func newChecker(cfg Config, pt *form) *checker {
	c := &checker{cfg: cfg, pt: pt, granted: map[string]bool{}, infos: map[ast.Node]*funcInfo{}, calls: map[int]span{}, loops: map[int]bool{}, names: map[string]bool{}, free: map[*ast.Identifier]bool{}, bound: map[ast.Expression]*binding{}, stored: map[string][]ast.Expression{}, elsewhere: map[string]bool{}}
	for _, g := range cfg.Grants {
		c.granted[g] = true
	}
	// MaxNesting counts brackets, maxDepth levels of the syntax tree. A bracket adds a few levels, and so do operators without brackets.
	c.maxDepth = 4*cfg.MaxNesting + 400
	return c
}

// fail keeps the first refusal. After it the walk ends.
func (c *checker) fail(idx file.Idx, format string, args ...any) {
	if c.fault == nil {
		c.fault = source.Faultf(fail.Syntax, max(c.pt.Off(idx), -1), format, args...)
	}
}

// enter bounds the recursion of this walk: it returns false if n must not be walked. The rewriting and goja's compiler walk the same tree, so enter
// bounds them, too. Every recursive walk starts with enter.
func (c *checker) enter(n ast.Node) bool {
	if c.fault != nil || n == nil {
		return false
	}
	if c.depth >= c.maxDepth || c.spine >= maxSpine {
		c.fault = source.Faultf(fail.Limit, -1, "the program nests syntax more than %d levels deep (nesting): move inner parts into functions", c.maxDepth)
		if c.spine >= maxSpine {
			c.fault = source.Faultf(fail.Limit, -1, "the program has a chain of more than %d operators or calls (nesting): split it with variables", maxSpine)
		}
		return false
	}
	c.depth++
	return true
}

func (c *checker) leave() { c.depth-- }

// nodeName returns the name of a node type in goja's ast, for an error text.
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
	fixed string         // if set, an assignment is refused, and the error uses this description of the name
	fn    ast.Expression // the function literal that the name is declared with, or nil
	init  *funcInfo      // the function that is now evaluating the initializer of the name
	refs  int            // references to the name from outside fn
	uses  int            // all references to the name
	calls int            // references that only call the name
}

// scope is a block. Its names are declared when the walk enters it, so hoisting
// needs no second pass: each identifier is resolved where it is found.
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

// funcInfo is what the checker notes about a function for the rewriting.
type funcInfo struct {
	node     ast.Node
	parent   *funcInfo
	arrow    bool
	children []*funcInfo
	uses     []*binding // names in the function that may refer to functions of the program
	records  bool       // the function may be a callback that is called once, with placeholders for rows, to record an expression; so its operators are rewritten into calls
}
