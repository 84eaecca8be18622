// Package budgets reads the budgets of a grant file, which outlive the process, and opens the store that keeps the used amounts.
package budgets

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/exoagent/exoagent/exo/budget"
	"github.com/exoagent/exoagent/internal/grantfile/strict"
)

// Budgets are the budgets of a file. The zero Budgets limit nothing.
type Budgets struct {
	All   []budget.Budget // the budgets, in the order of Pers and Windows
	Store strict.Secret   // its Kind is folder, env or file; "" if the file names no store
	strict.Pos
}

// Pers are the keys for what shares a budget: the runs of a principal, of a conversation, or of the tool.
var Pers = []string{string(budget.Principal), string(budget.Conversation), string(budget.Tool)}

// Windows are the keys for the time after which a budget is full again. With Total it never is.
var Windows = []string{"minute", "hour", "day", "week", Total}

// Total is the window of a budget that is never full again.
const Total = "total"

var every = map[string]time.Duration{"minute": time.Minute, "hour": time.Hour, "day": 24 * time.Hour, "week": 7 * 24 * time.Hour, Total: 0}

// Window is the key of a budget's window.
func Window(b budget.Budget) string {
	for name, d := range every {
		if d == b.Every {
			return name
		}
	}
	return b.Every.String()
}

// Amounts are the keys of the amounts that a budget limits. The names are those under `limits`, and effects.
var Amounts = []string{"calls", "rows", "read", "effects"}

// AmountsOf returns a budget's amounts in the order of Amounts.
func AmountsOf(b budget.Budget) []int { return []int{b.Calls, b.Rows, b.Bytes, b.Effects} }

// Form makes the schema of budgets.
func Form() strict.Node {
	return strict.FormOf(new(Budgets).keys, &strict.Reader{}).Needs("anyOf", Pers...).With(strict.Some)()
}

// Read reads the budgets of a file.
func Read(r *strict.Reader, e strict.Entry) (out Budgets) {
	out.Pos = e.Pos()
	r.Fields(e, "budgets", out.keys(r))
	slices.SortFunc(out.All, func(a, b budget.Budget) int {
		return cmp.Or(slices.Index(Pers, string(a.Per))-slices.Index(Pers, string(b.Per)), slices.Index(Windows, Window(a))-slices.Index(Windows, Window(b)))
	})
	if len(out.All) == 0 && len(r.List) == 0 {
		r.At(out.Pos, "budgets: want at least one budget, like `budgets: { principal: { day: { rows: 1000 } } }`")
	}
	return out
}

func (b *Budgets) keys(r *strict.Reader) []strict.Key {
	keys := []strict.Key{strict.NewKey("store", r.StoreTo(&b.Store), "where it is kept: a folder, or where the URL of a PostgreSQL database is, env:NAME or file:PATH; otherwise a folder named as the record or this file, with .budgets behind")}
	for i, per := range Pers {
		windows := func(r *strict.Reader) []strict.Key { return b.windows(r, per) }
		keys = append(keys, strict.NewKey(per, strict.By(strict.FormOf(windows, r).With(strict.Some), func(e strict.Entry) {
			if has := r.Fields(e, "budgets."+per, windows(r)); len(has) == 0 && len(r.List) == 0 {
				r.At(strict.PosOf(e.Value), "budgets.%s: want at least one of %s, like `day: { rows: 1000 }`", per, strings.Join(Windows, ", "))
			}
		}), "of "+[]string{"each principal", "each conversation of a principal", "all principals together"}[i]))
	}
	return keys
}

// windows are the keys of the budgets that the same runs share.
func (b *Budgets) windows(r *strict.Reader, per string) (keys []strict.Key) {
	for _, w := range Windows {
		x, what := budget.Budget{Per: budget.Per(per), Every: every[w]}, "budgets."+per+"."+w
		amounts := func(r *strict.Reader) []strict.Key {
			return []strict.Key{
				strict.NewKey("calls", r.CountTo(&x.Calls), "messages"),
				strict.NewKey("rows", r.CountTo(&x.Rows), "rows that programs get"),
				strict.NewKey("read", r.SizeTo(&x.Bytes), "bytes that programs get"),
				strict.NewKey("effects", r.CountTo(&x.Effects), "messages that change something or are sent at the end"),
			}
		}
		about := "full again each " + w + " (UTC)"
		if w == Total {
			about = "never full again"
		}
		keys = append(keys, strict.NewKey(w, strict.By(strict.FormOf(amounts, r).With(strict.Some), func(e strict.Entry) {
			r.Fields(e, what, amounts(r))
			if slices.Max(AmountsOf(x)) == 0 && len(r.List) == 0 {
				r.At(e.Pos(), "%s: want at least one of %s, like `%s: { rows: 1000 }`", what, strings.Join(Amounts, ", "), w)
			}
			b.All = append(b.All, x)
		}), about))
	}
	return keys
}

// Lines adds the budgets to the lines of File.Lines: one for each amount, and one for the store. The function add takes a subject, a key, and a value as a
// format with its arguments.
func (b *Budgets) Lines(add func(of, what, format string, args ...any)) {
	for _, x := range b.All {
		for i, n := range AmountsOf(x) {
			if n > 0 {
				add("budget per "+string(x.Per), Amounts[i]+" in "+map[string]string{"minute": "a minute", "hour": "an hour", "day": "a day", "week": "a week", Total: "all"}[Window(x)], "%d", n)
			}
		}
	}
	if b.Store.Kind != "" {
		add("budgets", "store", "%s", strings.TrimPrefix(b.Store.String(), "folder:"))
	}
}

// Bound is a budget in a manifest.
type Bound struct {
	Per     budget.Per `json:"per"`
	Each    string     `json:"each"`
	Calls   int        `json:"calls,omitempty"`
	Rows    int        `json:"rows,omitempty"`
	Read    int        `json:"read,omitempty"`
	Effects int        `json:"effects,omitempty"`
}

// Bounds returns the budgets in the form that a manifest has.
func (b *Budgets) Bounds() (out []Bound) {
	for _, x := range b.All {
		out = append(out, Bound{x.Per, Window(x), x.Calls, x.Rows, x.Bytes, x.Effects})
	}
	return out
}

// place returns where the used amounts are kept: the store that the file names, or the folder at behind with .budgets at the end of its name.
func (b *Budgets) place(behind string) strict.Secret {
	if b.Store.Kind == "" {
		return strict.Secret{Kind: "folder", Name: behind + ".budgets"}
	}
	return b.Store
}

// Fits returns an error that says why the store can't be opened, or nil. The argument behind is the same path as for Open.
func (b *Budgets) Fits(ctx context.Context, behind string) error {
	if len(b.All) == 0 {
		return nil
	}
	return b.place(behind).StoreFits(ctx)
}

// Open opens the store of the budgets. It returns a nil Set if the file has no budgets, and a function that closes the store. The argument behind is the
// path of the record, or of the file if it has no record. If the file names no store, the store is the folder with this path and .budgets at its end.
func (b *Budgets) Open(ctx context.Context, behind string) (set *budget.Set, closing func() error, err error) {
	closing = func() error { return nil }
	if len(b.All) == 0 {
		return nil, closing, nil
	}
	s, err := b.place(behind).OpenStore(ctx, nil)
	if err != nil {
		return nil, closing, fmt.Errorf("budgets: %w", err)
	}
	if set, err = budget.In(s, "exo", b.All...); err != nil {
		err = errors.Join(err, s.Close())
		return nil, closing, err
	}
	return set, s.Close, nil
}
