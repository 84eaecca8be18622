package grantfile_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/review"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/internal/grantfile"
	"github.com/exoagent/exoagent/internal/grantfile/pending"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// asking is a file with a rule, whose change sets wait in the folder dir.
func asking(t testing.TB, rule, dir string) string {
	return with(t, "    delete: true\n", "    delete: true\n    approve: "+rule+"\n", "zone:", "approvals: {key: 'file:"+filepath.Join(dir, "key")+"', store: "+filepath.Join(dir, "store")+"}\nzone:")
}

// TestApproveProblems: a rule that could not ask anybody, or asks about nothing, is an error that says what to write.
func TestApproveProblems(t *testing.T) {
	const approvals = "approvals: {key: env:K, store: s}\nzone:"
	proxied := strings.Replace(served, "zone:", "approvals: {key: env:K, store: s, proxy: {header: X-Reader, issuer: https://login.example.com/, audience: https://shop.example.com/changes}}\nzone:", 1)
	for change, want := range map[[2]string]string{
		{"    delete: true\n", "    delete: true\n    approve: always\n"}:                         "the file does not say where changes wait: add the line `approvals: { key: file:approvals.key, store: approvals }`",
		{"zone:", "approvals: {key: env:K}\nzone:"}:                                               "approvals has no `store`",
		{"zone:", "approvals: {store: s}\nzone:"}:                                                 "approvals has no `key`",
		{"zone:", "approvals: {}\nzone:"}:                                                         "approvals has no `key`",
		{"zone:", "approvals: {key: env:K, store: s, undo: 7d}\nzone:"}:                           "`undo` is no key of approvals",
		{"zone:", "approvals: {key: file:s/key, store: s}\nzone:"}:                                "`key` is in the folder of `store`",
		{"zone:", "approvals: {key: sqlite:k, store: s}\nzone:"}:                                  "key: write where the text is, as env:NAME",
		{"zone:", "approvals: {key: env:K, store: sqlite:s}\nzone:"}:                              "store: write where the text is, as env:NAME",
		{"zone:", "approvals: {key: env:K, store: 'postgres://u:hunter2@h/d'}\nzone:"}:            "it must not be in this file",
		{"zone:", "approvals: {key: env:K, store: s, link: http://x.example.com/changes}\nzone:"}: "link: want the https address",
		{"zone:", "approvals: {key: env:K, store: s, link: https://x.example.com/}\nzone:"}:       "link: want the https address",
		{"    delete: true\n", "    delete: true\n    approve: never\n"}:                          "approve: want `always`, or a map",
		{"    delete: true\n", "    delete: true\n    approve: {by: other}\n"}:                    "say which changes wait for a person",
		{"    delete: true\n", "    delete: true\n    approve: {delete: true, by: me}\n"}:         "by: want self or other, not `me`",
		{"    delete: true\n", "    delete: true\n    approve: {delete: true, least: web}\n"}:     "least: want terminal or page",
		{"    delete: true\n", "    delete: true\n    approve: {rows: 0}\n"}:                      "rows: want a whole number of at least 1",
		{"    delete: true\n", "    delete: true\n    approve: {columns: [stat]}\n"}:              "programs can't write the column `stat`",
		{"    delete: true\n", "    approve: {delete: true}\n"}:                                   "lets programs delete nothing",
		{"  org:\n    table: orgs\n", "  org:\n    approve: always\n    table: orgs\n"}:           "lets programs change nothing",
	} {
		if !strings.Contains(whole, change[0]) {
			t.Fatalf("there is no %q", change[0])
		}
		text := strings.Replace(whole, change[0], change[1], 1)
		if !strings.Contains(change[1], "approvals:") && !strings.Contains(want, "where changes wait") {
			text = strings.Replace(text, "zone:", approvals, 1)
		}
		_, err := grantfile.Parse("exo.yaml", []byte(text))
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%q: %v, want %q", change[1], err, want)
		}
	}
	if _, err := grantfile.Parse("exo.yaml", []byte(proxied)); err != nil {
		t.Error(err)
	}
	for change, want := range map[[2]string]string{
		{"header: X-Reader, ", ""}:                                                               "approvals.proxy has no `header`: name the header",
		{"header: X-Reader", "header: Authorization"}:                                            "want a header that only the proxy writes",
		{"header: X-Reader", "header: Cookie"}:                                                   "want a header that only the proxy writes",
		{"issuer: https://login", "issuer: https://lgin"}:                                        "`issuers` under `serve` has no",
		{"audience: https://shop.example.com/changes", "audience: https://shop.example.com/mcp"}: "the audience of clients' tokens",
		{"audience: https://shop.example.com/changes", "audience: changes"}:                      "audience: want the https address",
	} {
		_, err := grantfile.Parse("exo.yaml", []byte(strings.Replace(proxied, change[0], change[1], 1)))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", change[1], err, want)
		}
	}
}

// TestApproveShows: who reviews a change of the file sees the rule in words.
func TestApproveShows(t *testing.T) {
	var got []string
	for _, c := range grantfile.Diff(parse(t, with(t, "zone:", "approvals: {key: env:K, store: s}\nzone:")), parse(t, with(t, "zone:", "approvals: {key: env:K, store: s, wait: 2h}\nzone:",
		"    delete: true\n", "    delete: true\n    approve: {rows: 10, delete: true, columns: [state], by: other, least: page}\n"))) {
		got = append(got, c.Of+" | "+c.What+" | "+c.How+" | "+c.Was)
	}
	want := []string{"approvals | wait | in s, for 2h0m0s | in s, for 24h0m0s",
		"facet ticket | a person agrees | to changes of more than 10 rows of a principal in a day; to deletes; to changes of state; somebody other than the user of the program; on the page only | "}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("it shows\n%s", strings.Join(got, "\n"))
	}
}

// TestApproveAsks: a change that meets the rule of a file waits, by a second facet of the table too, and is applied once when a person agrees. Its twin,
// which does not meet it, happens. With the options of the file alone, without the store, nothing happens.
func TestApproveAsks(t *testing.T) {
	for rule, c := range map[string]struct {
		asks, twin string
	}{
		"always":                 {"tickets.where({ id: 1 }).update({ title: 'done' })", "tickets.count()"},
		"{ delete: true }":       {"tickets.where({ id: 1 }).delete()", "tickets.where({ id: 1 }).update({ title: 'done' })"},
		"{ columns: [title] }":   {"same.where({ id: 1 }).update({ title: 'done' })", "tickets.where({ id: 1 }).delete()"},
		"{ rows: 1 }":            {"tickets.all().update({ title: 'done' })", "tickets.where({ id: 1 }).update({ title: 'done' })"},
		"{ rows: 1, by: other }": {"same.all().update({ title: 'done' })", "same.where({ id: 1 }).update({ title: 'done' })"},
	} {
		tu.Engines(t, func(t *testing.T, e tu.Engine) {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "key"), []byte(strings.Repeat("k3y!", 10)), 0o600); err != nil {
				t.Fatal(err)
			}
			text := strings.Replace(strings.Replace(asking(t, rule, dir), "update: [state]", "update: [title]", 1), "facets:\n", "facets:\n  twin:\n    table: tickets\n    scope: org_id = $principal.org and state in $principal.states\n    columns: [id, title]\n    update: [title]\n", 1)
			f := parse(t, strings.Replace(text, "grants:\n", "grants:\n  same: twin\n", 1))
			d, err := f.Declare(t.Context(), &grantfile.Options{Databases: map[string]*exosql.DB{"shop": e.OpenWith(t, &exosql.OpenOptions{Images: 100, Setup: e.Exec(shop...)})}})
			if err != nil {
				t.Fatal(err)
			}
			p, err := f.ParseClaims("org=1,user=1,states=open+done")
			if err != nil {
				t.Fatal(err)
			}
			kept, err := pending.Open(t.Context(), f, nil)
			if err != nil {
				t.Fatal(err)
			}
			defer kept.Close()
			tool := func(k *review.Keeper) *codemode.Tool {
				grants, err := d.Grants(p)
				if err != nil {
					t.Fatal(err)
				}
				opt := f.ToolOptions(p)
				if opt.Evaluator, opt.Record = (exoeval.InProcess{}), exo.Unrecorded; k != nil {
					opt.Review = k
				}
				out, err := codemode.New(grants, &opt)
				if err != nil {
					t.Fatal(err)
				}
				return out
			}
			own := tool(kept.Keeper)
			if r := own.Run(t.Context(), c.twin); r.Err != nil {
				t.Errorf("%s: the twin %s: %v", rule, c.twin, r.Err)
			}
			if r := own.Run(t.Context(), c.asks); fail.KindOf(r.Err) != fail.Pending {
				t.Fatalf("%s: %s: %v", rule, c.asks, r.Err)
			}
			waits, err := own.Pending(t.Context())
			if err != nil || len(waits) != 1 {
				t.Fatalf("%d wait: %v", len(waits), err)
			}
			res, err := own.Apply(t.Context(), waits[0].ID, waits[0].Digest(), review.Approver{Name: "ann", How: review.Page})
			if err != nil || res.Err != nil {
				t.Errorf("%s: %v %v", rule, err, res)
			}
			if r := tool(&review.Keeper{}).Run(t.Context(), c.asks); r.Err == nil {
				t.Errorf("%s: without the store it happens", rule)
			}
		})
	}
}

// TestPrincipalNamed: the name of a principal makes the same principal again, and not once the file has changed, or if the name is none.
func TestPrincipalNamed(t *testing.T) {
	f := parse(t, served)
	var names []exo.Principal
	claimed, err := f.ParseClaims("org=1,user=2,states=open+a b=c")
	if err != nil {
		t.Fatal(err)
	}
	names = append(names, claimed.Name())
	for issuer, claims := range map[string]map[string]any{grantfile.TokenIssuer: nil, "https://login.example.com/": {"org": int64(1), "sub_id": int64(2), "states": []any{"\" of \"x\", org=2 user=3", "=, "}}} {
		p, err := f.Identify(issuer, "nightly", claims)
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, p.Name())
	}
	for _, name := range names {
		p, err := f.PrincipalNamed(name)
		if err != nil || p.Name() != name {
			t.Errorf("%s: %s %v", name, p.Name(), err)
		}
	}
	for _, c := range []struct{ name, from, to string }{
		{string(names[0]), "  user: int\n", ""},
		{`"nightly" of "grant file", org=1 states=["open"] user=2`, "nightly:", "daily:"},
		{`"nightly" of "grant file", org=1 states=["open"] user=2`, "{org: 1, user: 2", "{org: 1, user: 3"},
		{`"nightly" of "grant file", org=1 states=["open"] user=3`, "", ""},
		{`"ann" of "https://evil.example.com/", org=1 states=["open"] user=2`, "", ""},
		{`"ann" of "https://login.example.com/"`, "", ""},
		{`org=1 states=["open"] user=2 admin=true`, "", ""},
		{`org=1 states=["open"]  user=2`, "", ""}, {"org=1", "", ""}, {"", "", ""}, {`"ann`, "", ""}, {"org", "", ""},
	} {
		text := served
		if c.from != "" {
			text = strings.Replace(served, c.from, c.to, 1)
			if c.from == "  user: int\n" {
				text = with(t, "  states: [text]\n", "  states: [text]\n  more: int\n")
			}
		}
		if p, err := parse(t, text).PrincipalNamed(exo.Principal(c.name)); err == nil {
			t.Errorf("%q is %s", c.name, p.Name())
		}
	}
}

// TestApprovalFindings: a key that is missing or could be guessed refuses the file before anything runs.
func TestApprovalFindings(t *testing.T) {
	dir := t.TempDir()
	f := parse(t, asking(t, "always", dir))
	for _, key := range []string{"", "short", strings.Repeat("k", 31)} {
		if key != "" {
			if err := os.WriteFile(filepath.Join(dir, "key"), []byte(key), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if got := fmt.Sprint(f.ApprovalFindings(t.Context())); !strings.Contains(got, "exo approvals init") {
			t.Errorf("%q: %s", key, got)
		}
		if k, err := pending.Open(t.Context(), f, nil); err == nil {
			k.Close()
			t.Errorf("%q: it opens", key)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "key"), []byte(strings.Repeat("k", 32)), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := f.ApprovalFindings(t.Context()); got != nil {
		t.Errorf("%v", got)
	}
}

// TestToolOptionsReview: the options of a file with a rule let no run commit before they have the store, and those of a file with `access` none begin.
func TestToolOptionsReview(t *testing.T) {
	f := parse(t, asking(t, "always", t.TempDir()))
	p, err := f.ParseClaims("org=1,user=1,states=open")
	if err != nil {
		t.Fatal(err)
	}
	if o := f.ToolOptions(p); o.Review == nil || o.Review.Review(t.Context(), &exo.Reviewed{}) == nil {
		t.Error("a run is not reviewed")
	}
	if o := parse(t, whole).ToolOptions(p); o.Review != nil || o.Revoked != nil {
		t.Error("a file without a rule has a reviewer, or a list")
	}
	o := parse(t, whole+"access: {store: here}\n").ToolOptions(p)
	if _, _, err := o.Revoked.Begin(t.Context(), "ann"); o.Revoked == nil || err == nil {
		t.Error("runs begin without the list of who is revoked")
	}
}
