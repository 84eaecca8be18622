package grantfile_test

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"

	"github.com/exoagent/exoagent/internal/grantfile"
	"github.com/exoagent/exoagent/internal/grantschema"
	"github.com/exoagent/exoagent/internal/testutil"
)

// keysOf finds what stands in a file under each key of its form, and the keys that the form has: by the schema, which has those of the
// reader (TestJSONSchemaKeys). A path names the maps of the form, with * for a name of the file's own.
type keysOf struct {
	known map[string]bool                            // each key of the form
	each  func(key string, parent *yaml.Node, i int) // of each text, number and truth value under a key, and of each key: Content[i]
}

func (k *keysOf) schema(s map[string]any, path string) {
	for _, o := range options(s) {
		if props, ok := o["properties"].(map[string]any); ok {
			for name, sub := range props {
				k.known[path+"."+name] = true
				k.schema(sub.(map[string]any), path+"."+name)
			}
		}
		if rest, ok := o["additionalProperties"].(map[string]any); ok {
			k.schema(rest, path+".*")
		}
		if items, ok := o["items"].(map[string]any); ok {
			k.schema(items, path)
		}
	}
}

func options(s map[string]any) []map[string]any {
	all := []map[string]any{s}
	if some, ok := s["anyOf"].([]any); ok {
		for _, o := range some {
			all = append(all, options(o.(map[string]any))...)
		}
	}
	return all
}

// walk goes through the node that is parent.Content[i], of a schema; key is the last one of the form that leads to it.
func (k *keysOf) walk(s map[string]any, key, path string, parent *yaml.Node, i int) {
	n := parent.Content[i]
	if n.Kind == yaml.ScalarNode {
		k.each(key, parent, i)
		return
	}
	for _, o := range options(s) {
		props, _ := o["properties"].(map[string]any)
		rest, _ := o["additionalProperties"].(map[string]any)
		items, _ := o["items"].(map[string]any)
		switch {
		case n.Kind == yaml.SequenceNode && items != nil:
			for j := range n.Content {
				k.walk(items, key, path, n, j)
			}
		case n.Kind == yaml.MappingNode && props != nil:
			for j := 0; j < len(n.Content); j += 2 {
				at := path + "." + n.Content[j].Value
				k.each(at, n, j)
				k.walk(props[n.Content[j].Value].(map[string]any), at, at, n, j+1)
			}
		case n.Kind == yaml.MappingNode && rest != nil:
			for j := 0; j < len(n.Content); j += 2 {
				k.each(key, n, j)
				k.walk(rest, key, path+".*", n, j+1)
			}
		}
	}
}

// others are what may stand in the place of something else; whatever a file does not take there is no other file.
var others = []string{"true", "false", "7", "zz", `"zz"`, "2KiB", "3s", "30d", "id", "shared", "id = 7", "shop", "other", "person", "org", "zz.example", "https://zz.example", "https://zz.example/mcp",
	"env:ZZ", "file:zz", "sqlite:zz", "Europe/Paris", "openai:zz", "none", "text", "bool", "int", "[int]", "support@1", "analyst@1", "unix-ms", "untrusted", "answer", "nothing"}

// TestLinesOfKeys: whatever a key of a file says, another value of it is another line, and so is a file without it: who reviews a
// change by what exo diff prints has seen all of it. A key that is added tomorrow fails here until a line has it.
func TestLinesOfKeys(t *testing.T) {
	text := strings.NewReplacer(
		"record: r\n", "record: {folder: r, key: env:RECORD_KEY, keep: 90d, replies: true, witness: required}\n",
		"databases:\n", "databases:\n  other: env:OTHER_URL\n",
		"    database: shop\n", "",
		"iso: false", "iso: true, trusted: true",
		"{label: [pii]}", "{label: [pii], readers: {person: id}, max_bytes: 40}",
		"    scope:", "    database: shop\n    scope:",
		"limits:", "  alone: {database: other, scope: shared, columns: [id]}\nlimits:",
	).Replace(everything(t))
	base := parse(t, text)
	var whole map[string]any
	if err := json.Unmarshal(grantschema.JSON(), &whole); err != nil {
		t.Fatal(err)
	}
	k := &keysOf{known: map[string]bool{}}
	k.schema(whole, "")
	told := map[string]int{".exo": 1, ".facets.*.measures.*.count": 1} // they have one value
	tell := func(key, what string, before *grantfile.File, text string) {
		after, err := grantfile.Parse("exo.yaml", []byte(text))
		if err != nil {
			return
		}
		if reflect.DeepEqual(before.Lines(), after.Lines()) || len(grantfile.Diff(before, after)) == 0 {
			t.Errorf("%s: %s is no other line", key, what)
			return
		}
		told[key]++
	}
	var root yaml.Node
	if err := yaml.Unmarshal([]byte(text), &root); err != nil {
		t.Fatal(err)
	}
	var spell func(n *yaml.Node) // nothing is written as an empty text otherwise
	spell = func(n *yaml.Node) {
		if n.Tag == "!!null" {
			n.Value = "null"
		}
		for _, c := range n.Content {
			spell(c)
		}
	}
	spell(&root)
	written := func() string {
		b, err := yaml.Marshal(&root)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	if !reflect.DeepEqual(base.Lines(), parse(t, written()).Lines()) {
		t.Fatal("it is another file once it is written")
	}
	share := testutil.OneIn(t, 3) // of the values of a key that was told of
	k.each = func(key string, parent *yaml.Node, i int) {
		if key == ".preset" { // the limits of the file are its own: see below
			return
		}
		was, all := parent.Content[i], parent.Content
		if parent.Kind == yaml.MappingNode && i%2 == 0 {
			parent.Content = slices.Concat(all[:i], all[i+2:])
			tell(key, was.Value+" left out", base, written())
			parent.Content = all
			if strings.HasSuffix(key, "."+was.Value) {
				return // a name of ours
			}
		}
		for _, o := range others {
			if told[key] > 0 && !share.Next() {
				continue
			}
			var n yaml.Node
			if err := yaml.Unmarshal([]byte(o), &n); err != nil {
				t.Fatal(err)
			}
			if n.Content[0].Value == was.Value && n.Content[0].Kind == was.Kind {
				continue
			}
			parent.Content[i] = n.Content[0]
			tell(key, was.Value+" is "+o, base, written())
			parent.Content[i] = was
		}
	}
	k.walk(whole, "", "", &root, 0)
	// What is seen where others don't say it as well.
	for key, c := range map[string]struct{ setup, change []string }{
		".principal":       {nil, []string{"  user: int", "  user: uuid"}},
		".facets.*.delete": {nil, []string{"    delete: true\n", ""}},
		".approvals":       {nil, []string{"zone:", "approvals: {key: env:K, store: s}\nzone:"}},
		".access":          {nil, []string{"zone:", "access: {store: s}\nzone:"}},
		".access.store":    {[]string{"zone:", "access: {store: s}\nzone:"}, []string{"store: s}", "store: env:S}"}},
		".serve":           {nil, []string{"zone:", "serve: {origins: [https://x.example.com]}\nzone:"}},
		".serve.issuers":   {[]string{"zone:", servedBy("https://a.example.com/") + "zone:"}, []string{"https://a.example.com/:", "https://b.example.com/:"}},
		".approvals.proxy.issuer": {[]string{"zone:", servedBy("https://a.example.com/") + "    https://b.example.com/: {keys: file:k}\napprovals: {key: env:K, store: s, proxy: {header: X, audience: https://x.example.com/c, issuer: https://a.example.com/}}\nzone:"},
			[]string{"issuer: https://a.example.com/", "issuer: https://b.example.com/"}},
		".record.database":            {[]string{"zone:", "record: {database: env:A, key: env:K}\nzone:"}, []string{"env:A", "file:b"}},
		".services.*.acts":            {[]string{"grants:\n", everyService + "approvals: {key: env:K, store: s}\ngrants:\n"}, []string{"acts: close-ticket, approve: close-ticket", "acts: [close-ticket, open-ticket], approve: close-ticket"}},
		".services.*.admits":          {[]string{"grants:\n", everyService + "approvals: {key: env:K, store: s}\ngrants:\n"}, []string{"label: [pii], admits: [pii]", "label: [pii], admits: [pii, deal]"}},
		".services.*.secrets.*.oauth": {[]string{"grants:\n", everyService + "approvals: {key: env:K, store: s}\ngrants:\n"}, []string{"https://login.example.com/token", "https://login.example.com/other"}},
		".preset":                     {[]string{"limits: {rows: 100, time: 2s, memory: 32MiB}\n", ""}, []string{"support@1", "analyst@1", "    insert: [title, state]\n    update: [state]\n    delete: true\n", ""}},
		".services.*.mail":            {[]string{"grants:\n", everySink + "grants:\n"}, []string{"smtps://smtp.", "smtp://smtp."}},
		".services.*.from":            {[]string{"grants:\n", everySink + "grants:\n"}, []string{"bot@", "bob@"}},
		".services.*.to":              {[]string{"grants:\n", everySink + "grants:\n"}, []string{"ann@", "eve@"}},
		".services.*.chat":            {[]string{"grants:\n", everySink + "grants:\n"}, []string{"slack", "teams"}},
		".services.*.webhook":         {[]string{"grants:\n", everySink + "grants:\n"}, []string{"hooks.", "hook."}},
		".approvals.notify":           {[]string{"grants:\n", everySink + "grants:\n"}, []string{"notify: [team]", "notify: [mailer.ann]"}},
	} {
		change := func(text string, pairs []string) string { return strings.NewReplacer(pairs...).Replace(text) }
		before := change(with(t), c.setup)
		tell(key, "the other one", parse(t, before), change(before, c.change))
	}
	for _, key := range slices.Sorted(maps.Keys(k.known)) {
		if told[key] == 0 {
			t.Errorf("%s: nothing else was said under this key: the file of this test, or its list of others, needs something for it", key)
		}
	}
	if len(k.known) < 60 {
		t.Errorf("only %d keys are known", len(k.known))
	}
}

// everySink is services by which messages leave, and their outbox.
const everySink = `services:
  mailer: {mail: "smtps://smtp.example.com", from: bot@example.com, to: {ann: ann@example.com}}
  team: {chat: slack, secrets: {url: env:T}}
  ops: {webhook: "https://hooks.example.com/x", secrets: {signature: env:H}}
approvals: {key: env:K, store: s, notify: [team]}
`

func servedBy(issuer string) string {
	return "serve:\n  resource: https://x.example.com/mcp\n  issuers:\n    " + issuer + ": {keys: file:k}\n"
}

// TestDiffOfDatabase: another database under the same names, and a value that reads like two, are told of, and no URL is.
func TestDiffOfDatabase(t *testing.T) {
	two := strings.NewReplacer("databases:\n", "databases:\n  other: env:OTHER_URL\n", "    scope:", "    database: shop\n    scope:").Replace(whole)
	for _, c := range []struct{ from, to, of, how, was string }{
		{"env:OTHER_URL", "file:other.url", "database other", "file:other.url", "env:OTHER_URL"},
		{"env:SHOP_URL}", "env:SHOP_URL, schema: ['a, b', c]}", "database shop", `env:SHOP_URL, schema "a, b", c`, "env:SHOP_URL"},
		{"database: shop", "database: other", "facet org", "other", "shop"},
		{"[open, done]", "['open, done']", "facet ticket", `one of "open, done"`, "one of open, done"},
		{"{doc: what is broken}", `{doc: "what; indexed"}`, "facet ticket", `described as "what; indexed"`, `described as "what is broken"`},
	} {
		changed := strings.Replace(two, c.from, c.to, 1)
		if c.of == "facet org" { // which leads nowhere
			i := strings.LastIndex(two, c.from)
			changed = strings.Replace(two[:i]+c.to+two[i+len(c.from):], "      org: org\n", "", 1)
		}
		var got []grantfile.Change
		for _, d := range grantfile.Diff(parse(t, two), parse(t, changed)) {
			if d.Kind == "changed" {
				got = append(got, d)
			}
		}
		if len(got) != 1 || got[0].Of != c.of || got[0].How != c.how || got[0].Was != c.was {
			t.Errorf("%s: %+v", c.to, got)
		}
	}
}
