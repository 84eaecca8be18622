package strict

// This file has the errors of a file.

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

// After reports whether a place is after another.
func (p Pos) After(o Pos) bool { return cmp.Or(p.Line-o.Line, p.Column-o.Column) > 0 }

// Problem is one error in a file.
type Problem struct {
	Pos
	Msg  string
	Kind exosql.FindingKind // "" if the file alone is wrong
}

// Invalid is the Kind of an error in the file itself.
const Invalid exosql.FindingKind = "invalid"

// Code returns the text in brackets after a problem.
func (p Problem) Code() exosql.FindingKind { return cmp.Or(p.Kind, Invalid) }

// Errors has all errors of a file, in the file's order. Its Kind is fail.Invalid.
type Errors struct {
	File     string
	Problems []Problem
}

func (e *Errors) Error() string {
	var lines []string
	for _, p := range e.Problems {
		lines = append(lines, fmt.Sprintf("%s:%d:%d: %s [%s]", e.File, p.Line, p.Column, p.Msg, p.Code()))
	}
	return strings.Join(lines, "\n")
}

// Unwrap gives the error's Kind to fail.KindOf.
func (e *Errors) Unwrap() error { return fail.Errorf(fail.Invalid, "", "the grant file is wrong") }

// Problems collects errors.
type Problems struct{ List []Problem }

// At adds an error.
func (p *Problems) At(pos Pos, format string, args ...any) { p.Of("", pos, format, args...) }

// Of is At for an error of one of the kinds that exosql's findings have.
func (p *Problems) Of(kind exosql.FindingKind, pos Pos, format string, args ...any) {
	p.List = append(p.List, Problem{pos, fmt.Sprintf(format, args...), kind})
}

// Err returns the errors as *Errors, or nil if there are none.
func (p *Problems) Err(file string) error {
	if len(p.List) == 0 {
		return nil
	}
	slices.SortStableFunc(p.List, func(a, b Problem) int { return cmp.Or(a.Line-b.Line, a.Column-b.Column) })
	list := slices.Compact(p.List)
	if more := len(list) - maxProblems; more > 0 {
		list = append(list[:maxProblems:maxProblems], Problem{Pos: list[maxProblems].Pos, Msg: fmt.Sprintf("and %d more from here on", more)})
	}
	return &Errors{file, list}
}

// maxProblems bounds the reported errors, because a file of a megabyte can have hundreds of thousands.
const maxProblems = 50

// PosOf returns the place of a node.
func PosOf(n *yaml.Node) Pos { return Pos{n.Line, n.Column} }

// Or returns the end of an error's text: the nearest of the names, or all names.
func Or(got string, names []string) string {
	if near := scalar.Nearest(got, names); near != "" {
		return fmt.Sprintf("; did you mean `%s`?", near)
	}
	if len(names) == 0 {
		return ""
	}
	if len(names) == 1 {
		return "; there is only `" + names[0] + "`"
	}
	if len(names) > 12 {
		names = append(slices.Clone(names[:12]), "…")
	}
	return "; there are " + strings.Join(names, ", ")
}
