package grantfile

// This file has the approvals of a grant file: which changes wait for a person, where they wait, and how the page identifies its reader.

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/changeset"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/record/tree"
	"github.com/exoagent/exoagent/exo/review"
	"github.com/exoagent/exoagent/exo/store"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/exosql/dynamic"
	"github.com/exoagent/exoagent/internal/grantfile/identity"
	"github.com/exoagent/exoagent/internal/grantfile/services"
	"github.com/exoagent/exoagent/internal/scalar"
)

// Approve is the rule of a facet: which changes wait for a person.
type Approve struct {
	Always  bool
	Rows    int // a change waits if it affects more rows than this for a principal in a day; 0 if not given
	Delete  bool
	Columns []Name
	Who     changeset.Who
	Pos
}

// Approvals declare where change sets wait, and how people are identified on the page. The zero Approvals keep no change sets.
type Approvals struct {
	Key   Secret
	Store Secret // the place of change sets; its Kind is folder, env or file
	Wait  time.Duration
	Link  Name
	Shows []Name // labels that an approver may see, too
	Proxy Proxy

	Notify []Name // sinks that get a notice of each change set
	Pos
}

// Proxy is the host's own proxy in front of the page, which identifies the reader. The zero Proxy identifies no reader.
type Proxy struct{ Header, Issuer, Audience Name }

// maxImages is the most changed rows whose state before and after a change set keeps.
const maxImages = 10_000

// PagePath is the path of the page of change sets.
const PagePath = "/changes"

func (r *reader) approve(e entry) *Approve {
	a := &Approve{Pos: e.Pos()}
	if e.Value.Kind == yaml.ScalarNode && !isNull(e.Value) {
		if a.Always = r.Text(e.Value, "approve") == "always"; !a.Always {
			r.At(posOf(e.Value), "approve: want `always`, or a map like `{ rows: 10, delete: true, columns: [amount] }`")
		}
		return a
	}
	r.Fields(e, "approve", a.keys(r))
	if !a.Always && a.Rows == 0 && !a.Delete && a.Columns == nil && len(r.List) == 0 {
		r.At(a.Pos, "approve: say which changes wait for a person: `always`, or a map like `{ rows: 10, delete: true, columns: [amount] }`")
	}
	return a
}

// String describes the changes that wait for a person, and who may agree. It is "" for nil.
func (a *Approve) String() string {
	if a == nil {
		return ""
	}
	parts := []string{shown("; ", a.keys(&reader{})...)}
	switch a.Who.By {
	case changeset.Self:
		parts = append(parts, "anybody may, the user of the program too")
	case changeset.Other:
		parts = append(parts, "somebody other than the user of the program")
	}
	if a.Who.Least == changeset.Page {
		parts = append(parts, "on the page only")
	}
	return strings.Join(parts, "; ")
}

func (f *File) approvals(r *reader, e entry) {
	a := &f.Approvals
	a.Pos = e.Pos()
	r.Fields(e, "approvals", a.keys(r))
	if a.Store.Kind == "folder" && a.Key.Kind == "file" && tree.Within(a.Store.Folder(), beside(r.Dir, a.Key.Name)) {
		r.At(a.Key.Pos, "approvals: `key` is in the folder of `store`, so a copy of the folder could be read by anyone: keep the key in another folder")
	}
	if u, err := url.Parse(a.Link.Text); a.Link.Text != "" && (err != nil || !isAddress(a.Link.Text) || u.Path != PagePath) {
		r.At(a.Link.Pos, "link: want the https address of the page of changes as browsers reach it, like https://shop.example.com%s", PagePath)
	}
}

// Approves reports whether some change may wait for a person.
func (f *File) Approves() bool {
	return slices.ContainsFunc(f.Facets, func(x Facet) bool { return x.Approve != nil }) || slices.ContainsFunc(f.Services, func(s services.Service) bool { return s.Approve != nil })
}

func (f *File) images() int {
	if f.Approves() {
		return maxImages
	}
	return 0
}

// approve returns the rule of a facet's table, from the first facet of the table that has one. Changes through another facet of the same
// table must not avoid the rule.
func (f *File) approve(x *Facet) *Approve {
	for _, y := range f.places[x.place()] {
		if y.Approve != nil && x.Writes() {
			return y.Approve
		}
	}
	return nil
}

// rule returns the rule of a facet in the form of package dynamic, with the changes that the facet allows. It returns nil if there is no rule.
func (f *File) rule(x *Facet) *dynamic.ApprovalRule {
	a := f.approve(x)
	if a == nil {
		return nil
	}
	out := &dynamic.ApprovalRule{Always: a.Always, Delete: a.Delete && x.Delete != nil, Who: a.Who}
	if a.Rows > 0 {
		rows := int64(a.Rows)
		out.Rows = &rows
	}
	for _, c := range a.Columns {
		if slices.ContainsFunc(slices.Concat(x.Insert, x.Update), func(n Name) bool { return n.Text == c.Text }) {
			out.Columns = append(out.Columns, c.Text)
		}
	}
	if !out.Always && out.Rows == nil && !out.Delete && out.Columns == nil {
		return nil
	}
	return out
}

const (
	noApprovals  = "approve: the file does not say where changes wait: " + addApprovals
	addApprovals = "add the line `approvals: { key: file:approvals.key, store: approvals }` above `facets`, and let `exo approvals init` make the key"
)

// checkApprovals compares the rules of facets with their rights and with each other, and approvals with the file's clients.
func (f *File) checkApprovals(r *reader) {
	for i := range f.Facets {
		x := &f.Facets[i]
		a := x.Approve
		if a == nil {
			continue
		}
		first := f.approve(x)
		switch {
		case !x.Writes():
			r.At(a.Pos, "approve: the facet %s lets programs change nothing: add `insert`, `update` or `delete`, or leave `approve` out", x.Text)
			continue
		case a.Delete && x.Delete == nil:
			r.At(a.Pos, "approve: the facet %s lets programs delete nothing: add `delete: true` to the facet, or leave `delete` out of `approve`", x.Text)
		case first.String() != a.String():
			r.At(a.Pos, "`approve` differs from the one on line %d, for the same table %s: write `approve` only once, or the same twice", first.Line, x.Table.Text)
		case f.Approvals.Key.Kind == "" && f.Approvals.Pos == Pos{}:
			r.At(a.Pos, noApprovals)
		}
		for _, c := range a.Columns {
			if written := slices.Concat(x.Insert, x.Update); !slices.ContainsFunc(written, func(n Name) bool { return n.Text == c.Text }) {
				r.At(c.Pos, "approve: programs can't write the column `%s`: want columns of `insert` or `update`%s", c.Text, or(c.Text, texts(written)))
			}
		}
	}
	for _, s := range f.Services {
		if s.Approve != nil && f.Approvals.Pos == (Pos{}) {
			r.At(s.Approve[0].Pos, noApprovals)
		}
	}
	p := f.Approvals.Proxy
	if p.Header.Text == "" || p.Issuer.Text == "" || p.Audience.Text == "" {
		return // approvals is missing, or its error was reported
	}
	issuers := scalar.Each(f.Serve.Issuers, func(i Issuer) string { return i.Text })
	switch name := http.CanonicalHeaderKey(p.Header.Text); {
	case strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-") != "" || name == "Authorization" || name == "Cookie" || name == "Host":
		r.At(p.Header.Pos, "header: want a header that only the proxy writes, like X-Assertion, not `%s`: letters, digits and hyphens, but not Authorization, Cookie or Host", p.Header.Text)
	case !slices.Contains(issuers, p.Issuer.Text):
		r.At(p.Issuer.Pos, "issuer: `issuers` under `serve` has no `%s`: add it there%s", p.Issuer.Text, or(p.Issuer.Text, issuers))
	case !isAddress(p.Audience.Text):
		r.At(p.Audience.Pos, "audience: want the https address of the page of changes, like https://shop.example.com%s", PagePath)
	case p.Audience.Text == f.Serve.Resource.Text:
		r.At(p.Audience.Pos, "audience: the value is that of `resource`, the audience of clients' tokens, so a client could agree to its own changes: give the proxy's tokens another audience, like %s%s", strings.TrimSuffix(p.Audience.Text, "/mcp"), PagePath)
	}
}

func (a Approvals) lines(add func(of, what, format string, args ...any)) {
	if a.Key.Kind == "" {
		return
	}
	add("approvals", "key", "%s", a.Key)
	add("approvals", "wait", "in %s, for %s", strings.TrimPrefix(a.Store.String(), "folder:"), cmp.Or(a.Wait, 24*time.Hour))
	if a.Link.Text != "" {
		add("approvals", "link", "%s", a.Link.Text)
	}
	for _, l := range a.Shows {
		add("approvals", "show "+l.Text, "")
	}
	for _, to := range a.Notify {
		add("approvals", "tell "+to.Text, "")
	}
	if p := a.Proxy; p.Header.Text != "" {
		add("approvals", "proxy", "%s, signed by %s for %s", p.Header.Text, p.Issuer.Text, p.Audience.Text)
	}
}

// Visible returns the labels that an approver may see: those of `shows`, and those that results for a principal with the approver's claims may carry.
func (f *File) Visible(p Principal) value.Label {
	l := f.admits(func(claim string) string {
		if v, ok := p.values[claim]; ok {
			return fmt.Sprint(v)
		}
		return ""
	})
	return l.Join(value.NewLabel(texts(f.Approvals.Shows)...))
}

// Sees reports whether a person who may see these labels may see all values of the file.
func (f *File) Sees(visible value.Label) bool {
	return value.NewLabel(f.tags()...).Secrecy().FlowsTo(visible)
}

// ApprovalFindings returns the reasons why change sets can't be kept.
func (f *File) ApprovalFindings(ctx context.Context) []Finding {
	if !f.Approves() && !f.Sends() {
		return nil
	}
	_, err := f.approvalKey()
	if err == nil {
		err = f.Approvals.Store.StoreFits(ctx)
	}
	if err == nil {
		return nil
	}
	return []Finding{{f.at(f.Approvals.Pos), exosql.Finding{Kind: "approvals", Problem: "approvals: " + Reason(err)}}}
}

// OpenApprovals opens the store in which change sets and messages wait, with the key that encrypts them.
func (f *File) OpenApprovals(ctx context.Context, env func(string) string) (at store.Store, key []byte, err error) {
	if key, err = f.approvalKey(); err == nil {
		at, err = f.Approvals.Store.OpenStore(ctx, env)
	}
	if err != nil {
		err = fmt.Errorf("approvals: %w", err)
	}
	return at, key, err
}

// approvalKey returns the key that encrypts the change sets of the file.
func (f *File) approvalKey() ([]byte, error) {
	text, err := f.Approvals.Key.Text(nil, fmt.Sprintf("the key that encrypts waiting changes; `exo approvals init -file %s` makes one", f.Name))
	if err == nil && len(text) < review.MinKey {
		err = fail.Errorf(fail.Invalid, "", "the key in %s has %d characters: want at least %d random ones, as `exo approvals init` makes them", f.Approvals.Key, len(text), review.MinKey)
	}
	return []byte(text), err
}

// PrincipalNamed returns the principal with a name that Principal.Name has returned, as the file identifies this principal now. The name contains all claims.
func (f *File) PrincipalNamed(name exo.Principal) (Principal, error) {
	i, ok := identity.Parse(name)
	if !ok {
		return Principal{}, errName
	}
	issuer := i.Issuer
	p, err := f.Bind(i.Claims)
	switch known := slices.ContainsFunc(f.Serve.Issuers, func(i Issuer) bool { return i.Text == issuer }); {
	case err != nil:
	case issuer == TokenIssuer:
		p, err = f.Identify(issuer, i.Subject, nil)
	case issuer != "" && !known:
		err = fail.Errorf(fail.Denied, "", "`issuers` under `serve` of the file no longer has %.100q, so its users are refused", issuer)
	case issuer != "":
		p = p.of(issuer, i.Subject)
	}
	if err == nil && p.Name() != name {
		err = errName
	}
	if err != nil {
		return Principal{}, err
	}
	return p, nil
}

var errName = fail.Errorf(fail.Denied, "", "the file can't have this principal any more: its `principal`, or its issuers and tokens under `serve`, have changed")
