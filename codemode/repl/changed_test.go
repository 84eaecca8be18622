package repl

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/codemode/repl/internal/screen"
	outside "github.com/exoagent/exoagent/exo/service"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql"
)

// writer is testApp with the right to change notes.
func writer() App {
	a := testApp
	a.Grants = func(db *exosql.DB, id int64) codemode.Grants {
		n := exosql.NewFacet(notes, "note", noteID, text, stars).AllowInsert(text, stars).AllowUpdate(text, stars).AllowDelete()
		o := exosql.NewFacet(owners, "owner", ownerID, name, exosql.Via(written, n))
		return codemode.Grants{"me": o.Of(exosql.Grant(db, owners, ownerID.Eq(id)))}
	}
	return a
}

func (a App) typed(t *testing.T, input string, terminal bool, args ...string) (out, errs string, code int) {
	t.Helper()
	var o, e strings.Builder
	code = a.run(args, &screen.Streams{In: strings.NewReader(input), Out: &o, Err: &e, Terminal: terminal})
	return o.String(), e.String(), code
}

// TestChangedIsShown: rows before and after, of a program that was kept and of no other.
func TestChangedIsShown(t *testing.T) {
	for _, c := range []struct{ program, want string }{
		{`api.me.notes().where({ id: 1 }).update({ stars: 4 })`, `note: 1 row changed
    id  text   stars
   int  text     int
-  ---  -----  -----
-    1  first      5
+    1  first      4
`},
		{`const n = await api.me.notes().insert({ text: "new\u001b[2J" }); await api.me.notes().where({ id: 2 }).delete(); return n.id`, `note: 1 row added, 1 row deleted
    id  text         stars
   int  text         null
-  ---  -----------  -----
+    4  new\u001b[2J  null
-    2  second       null
`},
		{`api.me.notes().where({ id: 3 }).delete()`, ""},
		{`api.me.notes().count()`, ""},
		{`await api.me.notes().all().delete(); throw new Error("x")`, ""},
	} {
		_, errs, code := writer().typed(t, "", false, "-e", c.program)
		got := errs
		if i := strings.Index(c.want, "   int"); i >= 0 {
			if !strings.HasPrefix(got, c.want[:strings.Index(c.want, "\n")]) || strings.Contains(got, "\x1b") {
				t.Errorf("%s: %s", c.program, got)
			}
		}
		if squeezed(got) != squeezed(c.want) || code != exitOK && !strings.Contains(c.program, "throw") {
			t.Errorf("%s: exit %d\n%s\nwant\n%s", c.program, code, got, c.want)
		}
		shown, _, _ := writer().typed(t, c.program+"\n", true)
		if strings.Contains(shown, "note: ") != (c.want != "") || c.want != "" && !strings.Contains(squeezed(shown), squeezed(c.want)) {
			t.Errorf("%s: the prompt shows\n%s", c.program, shown)
		}
	}
}

func squeezed(s string) string {
	return strings.ReplaceAll(strings.Join(strings.Fields(s), " "), "-", "")
}

// TestChangedIsBounded: of many rows a number is shown.
func TestChangedIsBounded(t *testing.T) {
	_, errs, _ := writer().typed(t, "", false, "-e", `api.me.notes().insertMany(Array.from({ length: 200 }, (_, i) => ({ text: "x".repeat(200) + i })))`)
	if !strings.Contains(errs, "note: 20 rows added") || !strings.Contains(errs, "… and 180 changes to rows that are not shown") || len(errs) > 5000 {
		t.Errorf("%d bytes: %s", len(errs), errs)
	}
}

// TestChangedInColour: a cell that is another is red before and green after; one that is not is dim.
func TestChangedInColour(t *testing.T) {
	row := func(stars value.Value) value.Value {
		return value.RecordValue(value.Field{Name: "id", Value: value.Int(1)}, value.Field{Name: "stars", Value: stars})
	}
	var b strings.Builder
	screen.Screen{Color: true}.Changed(&b, []exosql.Changes{{Rows: []exosql.Change{{Table: "note", Key: []value.Value{value.Int(1)}, Before: row(value.Int(5)), After: row(value.Null())}}}}, value.Label{}, "")
	for _, want := range []string{"\x1b[31m5\x1b[0m", "\x1b[32mnull\x1b[0m", "\x1b[2m1\x1b[0m"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in %q", want, b.String())
		}
	}
}

// TestTry: what is changed between .begin and .rollback is seen by the programs in between and gone afterwards, at the
// prompt, in a pipe and at the end of the input; .commit keeps it; -dry-run keeps nothing.
func TestTry(t *testing.T) {
	const change, look = "api.me.notes().where({ id: 1 }).update({ stars: 4 })\n", "api.me.notes().where({ id: 1 }).select(n => n.stars)\n"
	db := "sqlite:" + filepath.Join(t.TempDir(), "notes.db")
	stars := func() string {
		t.Helper()
		out, errs, _ := writer().typed(t, "", false, "-db", db, "-e", look)
		return out + errs
	}
	for _, terminal := range []bool{false, true} {
		for _, c := range []struct{ input, want, after string }{
			{".begin\n" + change + look + ".rollback\n" + look, "1 [4] [5]", "[5]\n"},
			{".begin\n" + change + look, "1 [4]", "[5]\n"},
			{".begin\n" + change + ".owner 2\n" + ".begin\n" + look, "1 [4]", "[5]\n"},
			{".begin\n" + change + "throw new Error('x')\n" + ".commit\n", "1", "[4]\n"},
			{".begin\napi.me.notes().where({ id: 1 }).update({ stars: 5 })\n.commit\n", "1", "[5]\n"},
		} {
			out, errs, _ := writer().typed(t, c.input, terminal, "-db", db)
			if !terminal {
				var lines []string
				for line := range strings.Lines(out) {
					if !strings.Contains(line, "error") {
						lines = append(lines, strings.TrimSpace(line))
					}
				}
				if got := strings.Join(lines, " "); got != c.want {
					t.Errorf("%s gives %s %s", c.input, got, errs)
				}
			} else if !strings.Contains(out, "not kept") {
				t.Errorf("%s: the prompt does not say that it is a try: %s", c.input, out)
			}
			if got := stars(); got != c.after {
				t.Errorf("%s leaves %s", c.input, got)
			}
		}
	}
	out, errs, code := writer().typed(t, "", false, "-db", db, "-dry-run", "-e", change)
	if out != "1\n" || code != exitOK || !strings.Contains(errs, "note: 1 row changed, not kept\n") || !strings.HasSuffix(errs, "notes: a dry run: nothing was kept\n") || stars() != "[5]\n" {
		t.Errorf("exit %d %s%s", code, out, errs)
	}
	if _, errs, code := writer().typed(t, "", false, "-dry-run"); code != exitUsage || !strings.Contains(errs, "-e or -f") {
		t.Errorf("exit %d %s", code, errs)
	}
	for _, cmd := range []string{".begin", ".commit", ".rollback"} {
		if _, errs, code := testApp.typed(t, cmd+"\n", false); code != exitUsage || !strings.Contains(errs, "programs can't change anything here") && !strings.Contains(errs, "no open transaction") {
			t.Errorf("%s where nothing can be changed: exit %d %s", cmd, code, errs)
		}
	}
}

// TestTryStaysInside: a try sends no mail and changes no other database.
func TestTryStaysInside(t *testing.T) {
	sent := 0
	other, err := exosql.Open(t.Context(), "sqlite::memory:", &exosql.OpenOptions{Setup: testApp.setUp})
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	mail, err := outside.New("Mail", "sends", outside.Method("send", "sends one", func(context.Context, struct{}) (string, error) { sent++; return "", nil }))
	if err != nil {
		t.Fatal(err)
	}
	db := "sqlite:" + filepath.Join(t.TempDir(), "notes.db")
	if _, errs, code := writer().typed(t, "", false, "-db", db, "-e", "1"); code != exitOK {
		t.Fatal(errs)
	}
	a := writer()
	a.Setup, a.Users = "", nil // somebody's own database
	own := a.Grants.(func(*exosql.DB, int64) codemode.Grants)
	a.Grants = func(db *exosql.DB, id int64) codemode.Grants {
		g := own(db, id)
		g["they"] = own(other, id)["me"]
		g["mail"] = mail
		return g
	}
	for _, c := range []struct {
		program    string
		code       int
		dry, tried string
	}{
		{`mail.send()`, exitFailed, "this call can't be undone", "send would act outside the database"},
		{`they.notes().where({ id: 1 }).delete()`, exitOK, "nothing of they.notes().where(…).delete was kept", "would change another database"},
	} {
		before := sent
		out, errs, code := a.typed(t, "", false, "-db", db, "-owner", "1", "-dry-run", "-e", c.program)
		if code != c.code || !strings.Contains(out+errs, c.dry) || sent != before {
			t.Errorf("%s: exit %d %s%s", c.program, code, out, errs)
		}
		if out, errs, _ := a.typed(t, ".begin\n"+c.program+"\n", false, "-db", db, "-owner", "1"); !strings.Contains(errs, c.tried) || sent != before {
			t.Errorf("%s behind .begin: %s%s", c.program, out, errs)
		}
		if out, errs, code := a.typed(t, "", false, "-db", db, "-owner", "1", "-e", c.program); code != exitOK || strings.HasPrefix(c.program, "they") && out != "1\n" {
			t.Errorf("%s: the twin that is no try: exit %d %s%s", c.program, code, out, errs)
		}
	}
	if sent != 1 {
		t.Errorf("%d mails", sent)
	}
}

// TestNoSilentRepeat: a line that goes on with a program that changed something does not run it again.
func TestNoSilentRepeat(t *testing.T) {
	out, _, _ := writer().typed(t, "api.me.notes().insert({ text: 'once' })\n\n.then(n => n.id)\n\napi.me.notes()\n\n.where({ text: 'once' }).count()\n", true)
	if !strings.Contains(out, "That one changed something") || !strings.Contains(out, "> 1\n") {
		t.Errorf("it shows\n%s", out)
	}
}

// TestChangedIsSealed: a cell with a label that is not admitted is sealed, and looks the same whether it was changed. The twin, whose label is
// admitted, is shown.
func TestChangedIsSealed(t *testing.T) {
	pii := value.NewLabel("pii")
	shown := func(admits value.Label, before, after string) string {
		row := func(s string) value.Value {
			return value.RecordValue(value.Field{Name: "id", Value: value.Int(1)}, value.Field{Name: "s", Value: value.Text(s).WithLabel(pii)})
		}
		var b strings.Builder
		screen.Screen{Color: true}.Changed(&b, []exosql.Changes{{Rows: []exosql.Change{{Table: "note", Key: []value.Value{value.Int(1)}, Before: row(before), After: row(after)}}}}, admits, "")
		return b.String()
	}
	same, other := shown(value.Label{}, "topaz", "topaz"), shown(value.Label{}, "topaz", "onyx")
	if same != other || strings.Contains(same, "topaz") || !strings.Contains(same, "[sealed pii]") {
		t.Errorf("%q\n%q", same, other)
	}
	if got := shown(pii, "topaz", "onyx"); !strings.Contains(got, "topaz") || !strings.Contains(got, "onyx") {
		t.Errorf("admitted: %q", got)
	}
}
