package grantfile_test

import (
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/internal/grantfile"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// TestDeclaredTags: a file declares each tag once, with its kind; a tag that is misspelt, undeclared or of another kind is an error in its
// line. The kind does not depend on how the tag is spelt.
func TestDeclaredTags(t *testing.T) {
	const file = "exo: 1\nreviewed: true\ndatabases: {shop: 'env:SHOP'}\nTAGS\nADMITS\ngrants: {people: person}\nfacets:\n  person:\n    table: people\n    scope: shared\n    columns: {id: , email: {label: LABEL}}\n    label: ROWS\n"
	text := func(tags, admits, label, rows string) string {
		return strings.NewReplacer("TAGS", tags, "ADMITS", admits, "LABEL", label, "ROWS", rows).Replace(file)
	}
	for _, c := range []struct{ tags, admits, label, rows, column, row string }{
		{"labels: { pii: secret }", "admits: [pii]", "[pii]", "[pii]", "{pii}", "{pii}"},
		{"labels: { pii: secret, note: untrusted }", "admits: [pii]", "[pii, note]", "[note]", "{pii,untrusted:note}", "{untrusted:note}"},
		{"labels: { pii: secret, untrusted: untrusted, 'untrusted:mail': untrusted }", "zone: UTC", "['untrusted:mail']", "[untrusted]", "{untrusted:mail}", "{untrusted}"},
		{"labels: { note: secret }", "admits: ['note@member:7']", "[note], readers: {member: id}", "note", "{note}", "{note}"},
	} {
		f := parse(t, text(c.tags, c.admits, c.label, c.rows))
		x := f.Facets[0]
		if column, row := tags(x.Columns[1].Label), tags(x.Label); column != c.column || row != c.row {
			t.Errorf("%s: %s and %s, want %s and %s", c.tags, column, row, c.column, c.row)
		}
	}
	for _, c := range [][5]string{
		{"labels: { pii: secret }", "zone: UTC", "[pi]", "[pii]", "exo.yaml:11:37: `labels` has no tag `pi`: add it there with its kind; did you mean `pii`?"},
		{"labels: { pii: secret }", "admits: [pi]", "[pii]", "[pii]", "exo.yaml:5:10: `labels` has no tag `pi`: add it there with its kind; did you mean `pii`?"},
		{"labels: { pii: secret }", "admits: ['pii@membr:7']", "[pii], readers: {member: id}", "[pii]", "exo.yaml:5:10: admits: no column has `readers` of the kind `membr`, so no value has this tag: correct the kind, or add `readers: { membr: COLUMN }` to a column; did you mean `member`?"},
		{"labels: { pii: secret }", "admits: ['pi@member']", "[pii]", "[pii]", "exo.yaml:5:10: `labels` has no tag `pi`: add it there with its kind; did you mean `pii`?"},
		{"labels: { pii: secret }", "zone: UTC", "[pii]", "[untrusted]", "exo.yaml:12:13: `labels` has no tag `untrusted`"},
		{"labels: { pii: secret, untrusted: untrusted }", "zone: UTC", "['untrusted:mail']", "[pii]", "has no tag `untrusted:mail`: add it there with its kind; there are pii, untrusted"},
		{"labels: { note: untrusted }", "admits: [note]", "[note]", "[note]", "exo.yaml:5:10: admits: take `note` out: it marks what outsiders write"},
		{"labels: { untrusted: secret }", "zone: UTC", "[untrusted]", "[untrusted]", "exo.yaml:4:22: labels.untrusted: the name is reserved for what outsiders write"},
		{"labels: { pii: private }", "zone: UTC", "[pii]", "[pii]", "want `secret` (only some may read the value) or `untrusted` (outsiders write the value), not `private`"},
		{"labels: { 'pii@member': secret }", "zone: UTC", "[pii]", "[pii]", "a tag is declared without its reader, so write `pii` here"},
		{"labels: { Untrusted: secret }", "zone: UTC", "[Untrusted]", "[Untrusted]", "for what outsiders wrote use"},
		{"labels: {}", "zone: UTC", "[pii]", "[pii]", "`labels` has no tag `pii`"},
		{"zone: UTC", "admits: [pay]", "[pii]", "['untrusted:mail']", "add the line `labels: { pay: secret, pii: secret, \"untrusted:mail\": untrusted }` above `facets`"},
	} {
		_, err := grantfile.Parse("exo.yaml", []byte(text(c[0], c[1], c[2], c[3])))
		if err == nil || !strings.Contains(err.Error(), c[4]) {
			t.Errorf("%q: %v", c, err)
		}
		if _, line, ok := strings.Cut(c[4], "add the line `"); ok { // what the error says to write works
			line, _, _ = strings.Cut(line, "`")
			parse(t, text(line, c[1], c[2], c[3]))
		}
	}
}

func tags(names []grantfile.Name) string {
	var out []string
	for _, n := range names {
		out = append(out, n.Text)
	}
	return "{" + strings.Join(out, ",") + "}"
}

// TestAdmittedByWrites: a column and a facet say which labels may be written there; one that marks outsiders, names readers or is the column's
// own is an error in its line.
func TestAdmittedByWrites(t *testing.T) {
	const column, rows = "{email: {label: [pii]}}", "    update: [state]\n"
	f := parse(t, with(t, column, "{email: {label: [pii]}}, {active: {admits: [pii, deal]}}", rows, rows+"    admits: [pii]\n"))
	if got, own := tags(f.Facets[1].Columns[3].Admits), tags(f.Facets[0].Admits); got != "{pii,deal}" || own != "{pii}" {
		t.Errorf("%s and %s", got, own)
	}
	declare(t, tu.SQLite, with(t, column, "{email: {label: [pii]}}, {active: {admits: [pii, deal]}}", rows, rows+"    admits: [pii]\n"))
	for _, c := range [][2]string{
		{"{email: {label: [pii], admits: [note]}}", "admits: take `note` out: programs that have read what outsiders write may write every column that is not `trusted`"},
		{"{email: {label: [pii], admits: ['deal@member:7']}}", "write `deal`, without what follows @, if each of them may learn the secret"},
		{"{email: {label: [pii], admits: [del]}}", "`labels` has no tag `del`: add it there with its kind; did you mean `deal`?"},
	} {
		_, err := grantfile.Parse("exo.yaml", []byte(with(t, column, c[0], "deal: secret", "deal: secret, note: untrusted")))
		if err == nil || !strings.Contains(err.Error(), c[1]) {
			t.Errorf("%s: %v", c[0], err)
		}
	}
	f = parse(t, with(t, column, "{email: {label: [pii], admits: [pii]}}"))
	if _, err := f.Declare(t.Context(), &grantfile.Options{Databases: map[string]*exosql.DB{"shop": open(t, tu.SQLite)}}); err == nil || !strings.Contains(err.Error(), "the column's own label") {
		t.Errorf("its own label: %v", err)
	}
}

// TestLabelDoubts: validate warns of labels that seem to say more, or less, than they do.
func TestLabelDoubts(t *testing.T) {
	const text = "exo: 1\nreviewed: true\npreset: support@1\ndatabases: {shop: 'env:SHOP'}\nprincipal: {me: int}\nlabels: {pii: secret, medical: secret, untrusted: untrusted}\nadmits: ADMITS\ngrants: {people: person}\n" +
		"facets:\n  person:\n    table: people\n    scope: id = $principal.me\n    label: [medical]\n    columns: {id: , email: {label: [pii], readers: {member: id}}, note: NOTE, pay: PAY, bio: {label: [untrusted]}}\n    update: [note, pay, bio]\n"
	const own, rows = `["pii@member:$principal.me"]`, "    label: [medical]\n"
	db := tu.SQLite.OpenWith(t, &exosql.OpenOptions{Setup: tu.SQLite.Exec("CREATE TABLE people (id INTEGER PRIMARY KEY, email TEXT, note TEXT, pay INTEGER, bio TEXT)")})
	for _, c := range []struct{ admits, rows, note, pay, want string }{
		{own, "", "", "", ""},
		{own, "", "{label: [untrusted]}", "{trusted: true}", ""},
		{"[pii]", "", "", "", "exo.yaml:7:10: warning: `pii` alone shows each reader's values to all users, although the columns have `readers`. Right would be: \"pii@member:$principal.CLAIM\""},
		{`["pii@member"]`, "", "", "", "warning: `pii@member` alone shows each reader's values"},
		{own, "    admits: [medical]\n", "", "", "can't return a result, so no such program can add or delete rows here"},
		{own, rows, "", "", "exo.yaml:13:13: warning: people: its rows are labelled medical, which results may not contain"},
		{`[medical, "pii@member:$principal.me"]`, rows, "", "", ""},
		{own, "", "{admits: [medical]}", "", "warning: people.note: a program that has read medical can't return a result"},
		{`[medical, "pii@member:$principal.me"]`, "", "{admits: [medical]}", "", ""},
		{own, "", "", "{trusted: true}", "exo.yaml:14:14: warning: people: a program that has read outsiders' texts may write note, and what it writes counts as trusted"},
	} {
		f := parse(t, strings.NewReplacer("ADMITS", c.admits, "    label: [medical]\n", c.rows, "NOTE", c.note, "PAY", c.pay).Replace(text))
		d, err := f.Declare(t.Context(), &grantfile.Options{Databases: map[string]*exosql.DB{"shop": db}})
		if err != nil {
			t.Fatal(err)
		}
		findings, err := d.Check()
		got := ""
		for _, x := range findings {
			got += x.String() + "\n"
		}
		if err != nil || strings.Count(got, "\n") != min(1, len(c.want)) || !strings.Contains(got, c.want) {
			t.Errorf("%+v:\n%s%v", c, got, err)
		}
	}
}
