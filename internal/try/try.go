// Package try chooses a first user for an unprepared database, and questions that the database can answer for this user.
//
//	h := try.Host{DB: db, Live: live, Draft: d, Open: declared}
//	who, err := h.Choose(ctx)
//	questions := h.Questions(ctx, who)
//
// It reads through small programs with the draft's grants. Their statements have a deadline and can't write. Only to find the keys of
// tenants it reads a few rows of any owner.
package try

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/exosql/dynamic"
	"github.com/exoagent/exoagent/internal/draft"
	"github.com/exoagent/exoagent/internal/grantfile"
	"github.com/exoagent/exoagent/internal/naming"
	"github.com/exoagent/exoagent/internal/printable"
	"github.com/exoagent/exoagent/schema"
)

// These bound how much is read.
const (
	probeTime  = 2 * time.Second // the time of one program
	chooseTime = 8 * time.Second // the time to choose a tenant
	askTime    = 8 * time.Second // the time to choose the questions

	firstKeys  = 3    // the number of keys from the table of tenants, in their order
	sampled    = 8    // the number of tables that are read to find tenants with rows
	sample     = 200  // the number of rows of each of these tables
	candidates = 5    // the number of tenants to compare
	probed     = 24   // the number of tables that are searched for a tenant's rows
	mostRows   = 1000 // the most rows of a table that are counted
	longestKey = 80   // the length of a key that a person may have to type
)

// Host is an open database with its draft.
type Host struct {
	DB    *exosql.DB
	Live  *schema.Database
	Draft *draft.Draft
	Open  *grantfile.Declared // the draft after Declare
}

// Who is the user for whom programs run.
type Who struct {
	Claims string   // the claims in the form of the flag -as: org=2; "" if the database has one tenant
	Name   string   // the user's name in the user's own row, or ""
	Tables int      // the number of tables that were read in time
	Filled int      // the number of these tables with rows of the user
	Others []string // other claims that have rows

	sizes map[string]int // the number of rows of each grant, up to mostRows
}

// ErrNobody is the error of Choose if -as can name no tenant's key.
var ErrNobody = errors.New("no tenant has rows")

// Choose compares a few tenants, and chooses the one with rows in the most tables.
func (h Host) Choose(ctx context.Context) (*Who, error) {
	if h.Draft.Tenant == nil {
		return h.Look(ctx, "")
	}
	ctx, stop := context.WithTimeout(ctx, chooseTime)
	defer stop()
	keys, err := h.keys(ctx)
	if err != nil {
		return nil, err
	}
	var best *Who
	var all []string
	for _, k := range keys {
		if ctx.Err() != nil && best != nil {
			break
		}
		w, err := h.Look(ctx, k)
		if err != nil {
			continue // the value may not fit the column
		}
		if w.Filled > 0 {
			all = append(all, k)
		}
		if best == nil || w.Filled > best.Filled {
			best = w
		}
		if w.Filled == w.Tables {
			break
		}
	}
	if best == nil {
		return nil, ErrNobody
	}
	for _, k := range append(all, keys...) {
		if k != best.Claims && !slices.Contains(best.Others, k) {
			best.Others = append(best.Others, k)
		}
	}
	return best, nil
}

// keys returns claims of tenants that may have rows, the likeliest first. These are keys that occur often in other tables' rows, and the first
// keys of the tenants' own table.
func (h Host) keys(ctx context.Context) (out []string, err error) {
	t := h.Draft.Tenant
	add := func(key string) {
		if c, ok := h.claims(key); ok && len(out) < candidates && !slices.Contains(out, c) {
			out = append(out, c)
		}
	}
	var first []string
	var wrong []error
	votes := map[string]int{}
	tables := 0
	for _, s := range h.Draft.Shown() {
		own := s.Table == t.Table && t.Column != ""
		if s.Own == "" || tables == sampled && !own {
			continue
		}
		program := fmt.Sprintf("rows.where(r => r.tenant !== null).limit(%d).select(r => r.tenant)", sample)
		if own {
			program = fmt.Sprintf(`rows.orderBy("tenant").limit(%d).select(r => r.tenant)`, firstKeys)
		} else {
			tables++
		}
		found, err := h.column(ctx, s.Table, s.Own, program)
		if err != nil { // this table may be too slow; other tables may be fast enough
			wrong = append(wrong, err)
		}
		for _, key := range found {
			if own {
				first = append(first, key)
			} else {
				votes[key]++
			}
		}
	}
	often := make([]string, 0, len(votes))
	for key := range votes {
		often = append(often, key)
	}
	slices.SortFunc(often, func(a, b string) int {
		return cmp.Or(votes[b]-votes[a], len(a)-len(b), strings.Compare(a, b))
	})
	for _, key := range often[:min(len(often), candidates-1)] {
		add(key)
	}
	for _, key := range first {
		add(key)
	}
	if len(out) == 0 {
		return nil, errors.Join(append([]error{ErrNobody}, wrong...)...)
	}
	return out, nil
}

// claims writes a key in the form of -as. It returns false if a person can't type the key so that it is read back unchanged.
func (h Host) claims(key string) (string, bool) {
	if len(key) > longestKey || printable.OneLine(key) != key || strings.TrimSpace(key) != key {
		return "", false
	}
	t := h.Draft.Tenant
	text := t.Claim + "=" + key
	p, err := h.Open.File.ParseClaims(text)
	want, _ := json.Marshal(key)
	return text, err == nil && (string(p.Name()) == text || string(p.Name()) == t.Claim+"="+string(want))
}

// column runs a program on one column of a table. The program may read all rows.
func (h Host) column(ctx context.Context, table, column, program string) ([]string, error) {
	t, err := dynamic.New(h.Live).Table(table, dynamic.ColumnSpec{Name: column, As: "tenant"})
	if err != nil {
		return nil, err
	}
	f, err := t.Facet("row", column)
	if err != nil {
		return nil, err
	}
	rows, err := f.Grant(h.DB, dynamic.AllRows())
	if err != nil {
		return nil, err
	}
	tool, err := codemode.New(codemode.Grants{"rows": rows}, bounded(codemode.Options{}))
	if err != nil {
		return nil, err
	}
	return values(run(ctx, tool, program))
}

// bounded returns opt with the limits for programs of this package.
func bounded(opt codemode.Options) *codemode.Options {
	opt.Evaluator, opt.Record = exoeval.InProcess{}, exo.Unrecorded
	opt.Bounds.Wall, opt.Bounds.Total = probeTime, probeTime
	return &opt
}

// run runs a program with a deadline, which its statements have, too.
func run(ctx context.Context, tool *codemode.Tool, program string) (json.RawMessage, error) {
	ctx, stop := context.WithTimeout(ctx, probeTime)
	defer stop()
	r := tool.Run(ctx, program)
	return r.JSON, r.Err
}

// values returns the elements of a list as texts.
func values(list json.RawMessage, err error) (out []string, _ error) {
	if err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(list))
	d.UseNumber()
	var all []any
	if err := d.Decode(&all); err != nil {
		return nil, err
	}
	for _, x := range all {
		if x != nil {
			out = append(out, fmt.Sprint(x))
		}
	}
	return out, nil
}

// tool makes the user's tool for programs of this package.
func (h Host) tool(claims string) (*codemode.Tool, error) {
	p, err := h.Open.File.ParseClaims(claims)
	if err != nil {
		return nil, err
	}
	grants, err := h.Open.Grants(p)
	if err != nil {
		return nil, err
	}
	return codemode.New(grants, bounded(h.Open.File.ToolOptions(p)))
}

// Look finds the tables in which a user has rows, and the user's name.
func (h Host) Look(ctx context.Context, claims string) (*Who, error) {
	tool, err := h.tool(claims)
	if err != nil {
		return nil, err
	}
	w := &Who{Claims: claims, sizes: map[string]int{}}
	for _, s := range h.Draft.Shown() {
		if t := h.Draft.Tenant; t != nil && s.Table == t.Table && s.Own == t.Column {
			if c := label(s); c != "" {
				if name, err := values(run(ctx, tool, fmt.Sprintf("%s.limit(1).select(r => r.%s)", s.Grant, c))); err == nil && len(name) == 1 {
					w.Name = name[0]
				}
			}
			w.sizes[s.Grant] = 1
			continue
		}
		if w.Tables == probed || ctx.Err() != nil {
			continue
		}
		var n int
		text, err := run(ctx, tool, fmt.Sprintf("%s.limit(%d).count()", s.Grant, mostRows))
		if err != nil || json.Unmarshal(text, &n) != nil {
			continue
		}
		if w.Tables++; n > 0 {
			w.Filled++
			w.sizes[s.Grant] = n
		}
	}
	return w, nil
}

// label returns the column with the name of a row, or "".
func label(s draft.Shown) string {
	for _, want := range []string{"name", "title", "label", "slug", "subject", "email", "handle", "login", "username"} {
		for _, c := range s.Columns {
			if ws := naming.Words(c.Name); c.Kind == schema.Text && !c.Key && len(ws) > 0 && strings.EqualFold(ws[len(ws)-1], want) {
				return c.Name
			}
		}
	}
	return ""
}
