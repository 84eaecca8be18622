package grantfile

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/internal/scalar"
)

// Pos is a place in a file; lines and columns count from 1.
type Pos struct{ Line, Column int }

// Problem is one error in a file.
type Problem struct {
	Pos
	Msg  string
	Kind exosql.FindingKind // "": the file alone is wrong
}

// Errors has all errors of a file, in the file's order. Its Kind is fail.Invalid.
type Errors struct {
	File     string
	Problems []Problem
}

func (e *Errors) Error() string {
	var lines []string
	for _, p := range e.Problems {
		lines = append(lines, fmt.Sprintf("%s:%d:%d: %s [%s]", e.File, p.Line, p.Column, p.Msg, p.code()))
	}
	return strings.Join(lines, "\n")
}

// Unwrap gives the error's Kind to fail.KindOf.
func (e *Errors) Unwrap() error { return fail.Errorf(fail.Invalid, "", "the grant file is wrong") }

// problems collects errors.
type problems struct{ list []Problem }

func (p *problems) at(pos Pos, format string, args ...any) {
	p.of("", pos, format, args...)
}

// of is at, with the kind of finding that exosql has for it.
func (p *problems) of(kind exosql.FindingKind, pos Pos, format string, args ...any) {
	p.list = append(p.list, Problem{pos, fmt.Sprintf(format, args...), kind})
}

// err returns nil if there was no error.
func (p *problems) err(file string) error {
	if len(p.list) == 0 {
		return nil
	}
	slices.SortStableFunc(p.list, func(a, b Problem) int { return cmp.Or(a.Line-b.Line, a.Column-b.Column) })
	list := slices.Compact(p.list)
	if more := len(list) - maxProblems; more > 0 {
		list = append(list[:maxProblems:maxProblems], Problem{Pos: list[maxProblems].Pos, Msg: fmt.Sprintf("and %d more from here on", more)})
	}
	return &Errors{file, list}
}

// maxProblems bounds how many errors are reported: a file of a megabyte can have hundreds of thousands.
const maxProblems = 50

func posOf(n *yaml.Node) Pos { return Pos{n.Line, n.Column} }

// or ends an error with the nearest of the names, or with the list of names.
func or(got string, names []string) string {
	if near := scalar.Nearest(got, names); near != "" {
		return fmt.Sprintf("; did you mean `%s`?", near)
	}
	if len(names) == 0 {
		return ""
	}
	if len(names) > 12 {
		names = append(slices.Clone(names[:12]), "…")
	}
	return "; there are " + strings.Join(names, ", ")
}
