package grantfile_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"go.yaml.in/yaml/v4"

	"github.com/exoagent/exoagent/internal/grantfile"
	"github.com/exoagent/exoagent/internal/grantfile/budgets"
	"github.com/exoagent/exoagent/internal/grantschema"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// everything is a file with each key of the form.
func everything(t testing.TB) string {
	return with(t,
		"{url: env:SHOP_URL}", "{url: env:SHOP_URL, schema: [shop], witness: true, undo: 30d, undo_url: env:SHOP_OWNER, replicas: [env:SHOP_NEAR, file:far], cursors: env:SHOP_CURSORS}",
		"- or: {as: weight}", "- or: {as: weight, type: int, iso: false, stored: unix, indexed: true, admits: [deal]}",
		"    search: [title]\n", "    search: [title]\n    measures: {a: {ratio: [b, c]}, b: {count: true, where: id = 1, doc: x}, c: {sum: or}, text: {mean: or}, e: {min: or}, f: {max: or}}\n",
		"delete: true", "delete: true\n    undo: own\n    approve: {always: true, rows: 5, delete: true, columns: [title], by: other, least: page}\n    database: shop\n    effects: [x]\n    key: [id]\n    label: [x]\n    admits: [deal]\n    pin: x",
		"{rows: 100, time: 2s, memory: 32MiB}", "{rows: 100, time: 2s, memory: 32MiB, calls: 1, messages: 1KiB, read: 1KiB, console: 1, total: 1s, cpu: 1s, program: 1, result: 1}",
		"grants:\n", everyService+"grants:\n",
		"zone:", ""+everyBudget()+"distrust: chat\nrecord: r\nmodels: [openai:gpt-5.4-mini, \"openai:llama3.2:3b@http://localhost:11434\"]\nwall: container\napprovals: {key: env:APPROVALS_KEY, store: approvals, wait: 48h, link: https://shop.example.com/changes, shows: [pii], proxy: {header: X-Reader, issuer: https://login.example.com/, audience: https://shop.example.com/changes}}\nserve:\n  resource: https://shop.example.com/mcp\n  origins: [https://app.example.com]\n  issuers:\n    https://login.example.com/: {keys: https://login.example.com/keys, scopes: [exo], claims: {org: org_id}}\n  tokens:\n    ci: {token: env:CI_TOKEN, claims: {org: 1, user: 2, states: [open]}}\nzone:")
}

// everyBudget has each key of access and budgets.
func everyBudget() string {
	text := "access: {store: here}\nbudgets:\n  store: counts\n"
	for _, per := range budgets.Pers {
		text += "  " + per + ":\n"
		for _, w := range budgets.Windows {
			text += "    " + w + ": {calls: 1, rows: 1, read: 1KiB, effects: 1}\n"
		}
	}
	return text
}

// everyService has each key of a service, and each form of its values.
const everyService = `services:
  desk: {doc: the help desk, mcp: "https://mcp.example.com/v1", secrets: {Authorization: {from: env:DESK_TOKEN, prefix: "Bearer "}, X-Key: file:key}, networks: 10.1.0.0/16, reads: [list-tickets], acts: close-ticket, approve: close-ticket, label: [pii], admits: [pii], pin: "sha256:x", answer: 2MiB, time: 20s}
  files: {command: [/usr/bin/node, files.js], env: {MODE: strict}, dir: /srv, read: [/usr/lib], write: [/srv/data], network: true, memory: 256MiB, secrets: {TOKEN: {command: [/usr/bin/pass, show]}}, reads: read, immediate: [write], pin: "sha256:x"}
  crm: {api: "https://crm.example.com", openapi: crm.json, secrets: {Authorization: {oauth: "https://login.example.com/token", client: exo, from: env:CRM_SECRET, scopes: [tasks], networks: 10.0.0.0/8}}, reads: {tasks: GET /tasks}, immediate: [addTask], pin: "sha256:x"}
  inbox: {files: inbox, read: ["*.csv"], write: [out/**], journal: journal, undo: 7d, trusted: true, answer: 1MiB}
`

func resolved(t testing.TB) *jsonschema.Resolved {
	t.Helper()
	var s jsonschema.Schema
	if err := json.Unmarshal(grantschema.JSON(), &s); err != nil {
		t.Fatal(err)
	}
	r, err := s.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestJSONSchemaPublished: the file that editors read is the schema.
func TestJSONSchemaPublished(t *testing.T) {
	has, err := os.ReadFile(filepath.Join(tu.Root(), "docs", "exo.schema.json"))
	if err != nil || string(has) != string(grantschema.JSON()) {
		t.Errorf("docs/exo.schema.json is not what exo schema prints: %v", err)
	}
}

// TestJSONSchemaKeys: in each map of a file the schema has the keys that the reader has.
func TestJSONSchemaKeys(t *testing.T) {
	var whole map[string]any
	if err := json.Unmarshal(grantschema.JSON(), &whole); err != nil {
		t.Fatal(err)
	}
	forms, root, err := grantfile.Forms([]byte(everything(t)))
	if err != nil {
		t.Fatal(err)
	}
	checked := 0
	var walk func(n *yaml.Node, s map[string]any, path string)
	walk = func(n *yaml.Node, s map[string]any, path string) {
		options, _ := s["anyOf"].([]any)
		for _, o := range options {
			walk(n, o.(map[string]any), path)
		}
		props, isForm := s["properties"].(map[string]any)
		rest, _ := s["additionalProperties"].(map[string]any)
		items, _ := s["items"].(map[string]any)
		switch {
		case n.Kind == yaml.SequenceNode && items != nil:
			for i, c := range n.Content {
				walk(c, items, path+"["+strconv.Itoa(i)+"]")
			}
		case n.Kind != yaml.MappingNode || !isForm && rest == nil:
		default:
			var names, used []string
			for name := range props {
				names = append(names, name)
			}
			slices.Sort(names)
			if isForm {
				checked++
				if !slices.Equal(names, forms[n]) {
					t.Errorf("%s: the schema has %q, and the reader %q", path, names, forms[n])
				}
				delete(forms, n)
			}
			for i := 0; i+1 < len(n.Content); i += 2 {
				key := n.Content[i].Value
				used = append(used, key)
				sub := rest
				if isForm {
					sub, _ = props[key].(map[string]any)
				}
				if sub != nil {
					walk(n.Content[i+1], sub, path+"."+key)
				}
			}
			if path == "" || path == ".limits" || path == ".facets.ticket" {
				for _, name := range names {
					if !slices.Contains(used, name) {
						t.Errorf("%s: the file of this test has no %s: its form is not compared", path, name)
					}
				}
			}
		}
	}
	walk(root, whole, "")
	for n := range forms {
		if n.Kind == yaml.MappingNode {
			t.Errorf("line %d: the reader reads a map that the schema does not know", n.Line)
		}
	}
	if checked < 12 {
		t.Errorf("only %d maps were compared", checked)
	}
}

// value is a node as JSON has it.
func yamlValue(n *yaml.Node) any {
	switch n.Kind {
	case yaml.DocumentNode:
		return yamlValue(n.Content[0])
	case yaml.MappingNode:
		m := map[string]any{}
		for i := 0; i+1 < len(n.Content); i += 2 {
			m[n.Content[i].Value] = yamlValue(n.Content[i+1])
		}
		return m
	case yaml.SequenceNode:
		l := []any{}
		for _, c := range n.Content {
			l = append(l, yamlValue(c))
		}
		return l
	}
	switch n.Tag {
	case "!!null":
		return nil
	case "!!bool":
		return n.Value == "true"
	case "!!int", "!!float":
		f, _ := strconv.ParseFloat(n.Value, 64)
		return f
	}
	return n.Value
}

// TestJSONSchemaVerdict: what the schema refuses the reader refuses. What only the reader refuses is not about the form: each value of a
// file is replaced by one of every other kind, each map gets an unknown key, and each key is left out.
func TestJSONSchemaVerdict(t *testing.T) {
	schema := resolved(t)
	judge := func(root *yaml.Node) (bySchema, byReader error) {
		text, err := yaml.Marshal(root)
		if err != nil {
			t.Fatal(err)
		}
		var again yaml.Node
		if err := yaml.Unmarshal(text, &again); err != nil {
			t.Fatal(err)
		}
		_, byReader = grantfile.Parse("x", text)
		return schema.Validate(yamlValue(&again)), byReader
	}
	var root yaml.Node
	if err := yaml.Unmarshal([]byte(everything(t)), &root); err != nil {
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
	if a, b := judge(&root); a != nil || b != nil {
		t.Fatal(a, b)
	}
	tried, both := 0, 0
	try := func(what string, must bool) {
		t.Helper()
		tried++
		a, b := judge(&root)
		switch {
		case a != nil && b == nil:
			t.Errorf("%s: the reader takes it, and the schema says %v", what, a)
		case must && (a == nil || b == nil):
			t.Errorf("%s: both should refuse it: %v, %v", what, a, b)
		case a != nil:
			both++
		case b != nil && !aboutMeaning.MatchString(b.Error()):
			t.Errorf("%s: only the reader refuses it: %v", what, b)
		}
	}
	scalar := func(tag, v string) *yaml.Node { return &yaml.Node{Kind: yaml.ScalarNode, Tag: tag, Value: v} }
	others := []*yaml.Node{
		scalar("!!null", "null"), scalar("!!bool", "true"), scalar("!!int", "7"), scalar("!!str", "zz"), {Kind: yaml.SequenceNode}, {Kind: yaml.MappingNode},
		{Kind: yaml.SequenceNode, Content: []*yaml.Node{scalar("!!int", "7")}}, {Kind: yaml.MappingNode, Content: []*yaml.Node{scalar("!!str", "zz"), scalar("!!str", "zz")}},
	}
	forms := len(others)
	var walk func(n *yaml.Node, path string)
	walk = func(n *yaml.Node, path string) {
		all := n.Content
		for i, c := range all {
			at := fmt.Sprintf("%s/%d", path, i)
			if n.Kind == yaml.MappingNode {
				if i%2 == 0 {
					n.Content = slices.Concat(all[:i], all[i+2:])
					try(at+" left out", false)
					n.Content = all
					continue
				}
				at = path + "." + all[i-1].Value
			}
			for j, o := range others[:forms] {
				all[i] = o
				try(fmt.Sprintf("%s is the other %d", at, j), false)
			}
			all[i] = c
			walk(c, at)
		}
	}
	walk(&root, "")
	known, _, err := grantfile.Forms([]byte(everything(t)))
	if err != nil {
		t.Fatal(err)
	}
	var unknown func(n *yaml.Node)
	unknown = func(n *yaml.Node) {
		for k := range known { // of another reading of the same text
			if n.Kind == yaml.MappingNode && k.Line == n.Line && k.Column == n.Column && k.Kind == n.Kind {
				n.Content = append(n.Content, scalar("!!str", "zz"), scalar("!!int", "1"))
				try(fmt.Sprintf("an unknown key in line %d", n.Line), true)
				n.Content = n.Content[:len(n.Content)-2]
			}
		}
		for _, c := range n.Content {
			unknown(c)
		}
	}
	unknown(&root)
	if tried < 500 || both < 300 {
		t.Errorf("%d tried, %d refused by both", tried, both)
	}
}

// aboutMeaning are the reasons of the reader that are not about the form: names that lead nowhere, what goes together, conditions.
var aboutMeaning = regexp.MustCompile("the file is empty|there is no|is missing|declares no|has no `columns`|has no `database`|is not among|leads to the table|has no link|differs? from|is given twice|no wildcard|need the same number|add `one|want a column|want =|want `via|want a (size|time) like|time zone|is a list|is no list|lets programs change|is in another|the claim `|has no claim|want the (address|origin) of|say which changes wait for a person|programs can't write|delete nothing|has no issuer|want one of `mcp`|want `reads`, `acts`|are for a `command`|for an address|go together|is listed twice|keep their names|is not in `acts`|under `admits` as well|for a header|want the absolute path|want a network like|wants `from|want an address like|has no tag|under `serve` has no|want calls of `acts`|say where its text is|want exactly one of `mcp`|want a condition like|as well: otherwise|only for a secret with|`oauth` needs|leave `prefix` out|that is no ratio itself|want scheme and host|for a service with `write`|needs `journal|needs `openapi|add the line|need `resource` too|want the https address")
