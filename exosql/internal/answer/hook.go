package answer

// This file asks the host's hooks before a write. A program gets a hook's error only if that error names nothing hidden.

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/exosql/internal/writing"
)

// beforeWrite asks the hooks of the table that a message writes, and takes the columns that they fill.
func (a *asked) beforeWrite(ctx context.Context) error {
	some := false
	for _, o := range a.objs {
		some = some || o.Ready().hooked
	}
	if !some {
		return nil
	}
	f := writing.Target(a.m, func(slot int) *decl.Facet { return a.objs[slot].Facet })
	if f == nil || len(f.Table.Hooks) == 0 {
		return nil
	}
	a.hooked = f
	kind, rows, ok := writing.Gives(a.m, f, a.given)
	if !ok {
		return nil // planning refuses this write
	}
	given, err := askHooks(a.unit.InHook(ctx), decl.RowWrite{Kind: kind, Run: a.m.Run(), Facet: f.Alias, Table: f.Table}, a.given, rows)
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return toProgram(err, f)
	}
	a.given = given
	return nil
}

// beforeTyped asks the hooks of the table that Go code writes, and returns the given values with those that hooks fill.
func beforeTyped(ctx context.Context, t *writing.TypedWrite, given writing.Given) (writing.Given, error) {
	f := t.Facet()
	if len(f.Table.Hooks) == 0 {
		return given, nil
	}
	kind, rows, ok := writing.Gives(t.M, f, given)
	if !ok {
		return given, nil
	}
	return askHooks(ctx, decl.RowWrite{Kind: kind, Run: exo.Run{Clock: time.Now()}, Table: f.Table}, given, rows)
}

// askHooks asks the hooks about each row, and returns the given values with those that hooks fill.
func askHooks(ctx context.Context, of decl.RowWrite, given writing.Given, rows [][]decl.Given) (writing.Given, error) {
	filled, some := make([][]decl.Given, len(rows)), false
	for i, row := range rows {
		w := of
		w.Given = row
		for _, h := range of.Table.Hooks {
			if err := askHook(ctx, h, &w); err != nil {
				return given, err
			}
		}
		filled[i], some = w.Filled, some || len(w.Filled) > 0
	}
	if !some {
		return given, nil
	}
	return writing.Fill(given, filled), nil
}

func askHook(ctx context.Context, h decl.Hook, w *decl.RowWrite) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &fail.Error{Kind: fail.Internal, Err: fail.NewPanicError(p)}
		}
	}()
	return h(ctx, w)
}

// toProgram returns a hook's error in the form that a program may read.
func toProgram(err error, f *decl.Facet) error {
	hidden := func(why error) error { return &fail.Error{Kind: fail.Internal, Err: why} }
	e, ok := err.(*fail.Error) // an error inside of err may contain text for another reader
	if !ok || e == nil {
		if err == nil || ok {
			err = errors.New("exosql: a hook returned a nil *fail.Error as its error: return a plain nil")
		}
		return hidden(err)
	}
	if e.Op != "" || e.Kind != fail.Invalid && e.Kind != fail.Denied {
		return hidden(e)
	}
	text := e.Message()
	for _, c := range f.Table.Cols {
		if f.Column(c.Guest) == c {
			continue
		}
		if mentions(text, c.Name) || mentions(text, c.Guest) { // a program must not learn of columns that it can't see
			return hidden(fmt.Errorf("exosql: a hook's error names the column %s, which the facet %s does not show, so programs do not get the text: leave that name out: %w", c.Name, f.Alias, e))
		}
	}
	return &fail.Error{Kind: e.Kind, Msg: text, Err: e.Err}
}

// mentions reports whether a text contains a name as a whole word.
func mentions(text, name string) bool {
	text, name = strings.ToLower(text), strings.ToLower(name)
	part := func(b byte) bool { return b == '_' || b >= 0x80 || '0' <= b && b <= '9' || 'a' <= b && b <= 'z' }
	for i := 0; name != ""; {
		n := strings.Index(text[i:], name)
		if n < 0 {
			return false
		}
		i += n
		end := i + len(name)
		if (i == 0 || !part(text[i-1])) && (end == len(text) || !part(text[end])) {
			return true
		}
		i = end
	}
	return false
}
