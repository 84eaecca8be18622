package repl

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	_ "modernc.org/sqlite"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/record"
	services "github.com/exoagent/exoagent/exo/service"
	"github.com/exoagent/exoagent/exosql"
)

type owner struct {
	ID   int64
	Name string
}

type note struct {
	ID, OwnerID int64
	Text        string
	Stars       *int64
}

var (
	owners  = exosql.NewTable[owner]("owners")
	ownerID = exosql.NewKey(owners, "id", func(o *owner) *int64 { return &o.ID })
	name    = exosql.NewColumn(owners, "name", func(o *owner) *string { return &o.Name })
	notes   = exosql.NewTable[note]("notes")
	noteID  = exosql.NewKey(notes, "id", func(n *note) *int64 { return &n.ID })
	noteOf  = exosql.NewColumn(notes, "owner_id", func(n *note) *int64 { return &n.OwnerID })
	text    = exosql.NewColumn(notes, "text", func(n *note) *string { return &n.Text })
	stars   = exosql.NewNullable(notes, "stars", func(n *note) **int64 { return &n.Stars })
	written = exosql.Many("notes", ownerID, noteOf)
)

const (
	testSchema = `CREATE TABLE owners (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
		CREATE TABLE notes (id INTEGER PRIMARY KEY, owner_id INTEGER NOT NULL, text TEXT NOT NULL, stars INTEGER);
		CREATE INDEX notes_by_owner ON notes (owner_id);`
	testSeed = `INSERT INTO owners VALUES (1, 'ann'), (2, 'bob');
		INSERT INTO notes VALUES (1, 1, 'first', 5), (2, 1, 'second', NULL), (3, 2, 'of bob', 1);`
)

func testGrants(db *exosql.DB, id int64) codemode.Grants {
	n := exosql.NewFacet(notes, "note", noteID, text, stars)
	o := exosql.NewFacet(owners, "owner", ownerID, name, exosql.Via(written, n))
	return codemode.Grants{"me": o.Of(exosql.Grant(db, owners, ownerID.Eq(id)))}
}

var testApp = App{
	Name: "notes", About: "Notes and their owners.", Who: "owner", Default: "1",
	Setup: testSchema + testSeed,
	Users: func(ctx context.Context, db *exosql.DB) ([]User, error) {
		rows, err := exosql.Grant(db, owners, exosql.AllRows[owner]()).OrderBy(ownerID.Asc()).All(ctx)
		var out []User
		for _, o := range rows {
			out = append(out, User(o))
		}
		return out, err
	},
	Grants:   testGrants,
	Examples: []string{"api.me.notes()"},
	asker:    func(context.Context, askerOptions) (asker, error) { return nil, errNoModel },
}

type outcome struct {
	out, err string
	code     int
}

func runApp(stdin string, args ...string) outcome {
	var out, errs bytes.Buffer
	code := testApp.Run(args, strings.NewReader(stdin), &out, &errs)
	return outcome{out.String(), errs.String(), code}
}

func TestFlags(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "program.js")
	if err := os.WriteFile(file, []byte("api.me.notes().count()\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	const see = "\nrun notes -help for help\n"
	const first = `[{"id":1,"text":"first","stars":5}]` + "\n"
	const program = "api.me.notes().where({ id: 1 })"
	for _, tc := range []struct {
		name, stdin string
		args        []string
		want        outcome
	}{
		{"program", "", []string{"-e", program}, outcome{first, "", 0}},
		{"two dashes", "", []string{"--e", program}, outcome{first, "", 0}},
		{"equals", "", []string{"-e=" + program}, outcome{first, "", 0}},
		{"file", "", []string{"-f", file}, outcome{"2\n", "", 0}},
		{"standard input", program, []string{"-f", "-"}, outcome{first, "", 0}},
		{"another owner", "", []string{"-owner", "2", "-e", "api.me.notes().count()"}, outcome{"1\n", "", 0}},
		{"database in memory", "", []string{"-db", "sqlite::memory:", "-e", program}, outcome{first, "", 0}},
		{"zone", "", []string{"-zone", "Asia/Tokyo", "-e", "new Date('2024-01-01T00:00').toISOString()"}, outcome{"\"2023-12-31T15:00:00.000Z\"\n", "", 0}},
		{"nothing returned", "", []string{"-e", "const x = 1;"}, outcome{"null\n", "notes: the program returned undefined: end it with return, await each call, and note that execute gives an array of rows\n", 0}},
		{"console", "", []string{"-e", "console.log('hello', 1); return 2"}, outcome{"2\n", "hello 1\n", 0}},
		{"console can't drive the terminal", "", []string{"-e", `console.log('\u001b[2Jx\rz'); return 2`}, outcome{"2\n", `\u001b[2Jx\u000dz` + "\n", 0}},
		{"angle brackets stay", "", []string{"-e", "return '<b>&'"}, outcome{"\"<b>&\"\n", "", 0}},
		{"failure", "", []string{"-e", "(api) =>\n  api.me.where(t => t.nam === 'x')"},
			outcome{"{\"error\":{\"kind\":\"denied\",\"message\":\"owner has no member `nam`; did you mean `name`?\",\"line\":2,\"column\":23}}\n", "", 1}},
		{"failure keeps the console", "", []string{"-e", "console.log('so far'); throw new Error('<stop>')"},
			outcome{`{"error":{"kind":"program","message":"<stop>","line":1,"column":30}}` + "\n", "so far\n", 1}},

		{"unknown flag", "", []string{"-x"}, outcome{"", "notes: there is no flag -x" + see, 2}},
		{"flag without value", "", []string{"-e"}, outcome{"", "notes: flag needs an argument: -e" + see, 2}},
		{"both programs", "", []string{"-e", "1", "-f", file}, outcome{"", "notes: -e and -f are both given: give one program" + see, 2}},
		{"two programs", "", []string{"-e", "1", "-e", "2"}, outcome{"", `notes: invalid value "2" for flag -e: the flag is given twice: give it once` + see, 2}},
		{"api and program", "", []string{"-e", "1", "-api"}, outcome{"", "notes: -api runs no program: leave out -e and -f" + see, 2}},
		{"argument", "", []string{"api.me"}, outcome{"", `notes: unexpected argument "api.me"; give a program with -e` + see, 2}},
		{"no number", "", []string{"-owner", "ann", "-e", "1"}, outcome{"", "notes: -owner \"ann\": want a whole number\n", 2}},
		{"no such owner", "", []string{"-owner", "7", "-e", "1"}, outcome{"", "notes: there is no owner 7; there are 1 (ann), 2 (bob)\n", 2}},
		{"no such zone", "", []string{"-zone", "Mars/Olympus", "-e", "1"}, outcome{"", "notes: -zone: there is no time zone \"Mars/Olympus\"; want an IANA name like \"Europe/Berlin\", or \"UTC\"" + see, 2}},
		{"no such file", "", []string{"-f", filepath.Join(dir, "none.js")}, outcome{"", "notes: open " + filepath.Join(dir, "none.js") + ": no such file or directory\n", 2}},
		{"file is a directory", "", []string{"-f", dir}, outcome{"", "notes: can't read the program: read " + dir + ": is a directory\n", 2}},
		{"no such kind of database", "", []string{"-db", "mysql:x", "-e", "1"}, outcome{"", "notes: -db mysql:…: exosql: Open: invalid: no such kind of database: mysql:…; want sqlite:PATH, sqlite::memory: or postgres://user@host/database\n", 2}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := runApp(tc.stdin, tc.args...); got != tc.want {
				t.Errorf("got  %+v\nwant %+v", got, tc.want)
			}
		})
	}
}

func TestEmptyProgramFails(t *testing.T) {
	if got := runApp("", "-e", ""); got.code != exitFailed || !strings.HasPrefix(got.out, `{"error":{"kind":"syntax",`) {
		t.Errorf("%+v", got)
	}
}

func TestHelp(t *testing.T) {
	for _, flag := range []string{"-h", "-help", "--help"} {
		got := runApp("", flag)
		if got.code != exitOK || got.err != "" {
			t.Errorf("%s: %+v", flag, got)
		}
		for _, want := range []string{"Notes and their owners.", "-e PROGRAM", "-f FILE", "-owner N", "-api", "-trace", "-db sqlite:PATH", "notes -e 'api.me.notes()'", "exit: 0"} {
			if !strings.Contains(got.out, want) {
				t.Errorf("%s does not mention %q", flag, want)
			}
		}
	}
}

func TestAPI(t *testing.T) {
	got := runApp("", "-api")
	if got.code != exitOK || got.err != "" {
		t.Fatalf("%+v", got)
	}
	for _, want := range []string{"notes()", "stars"} {
		if !strings.Contains(got.out, want) {
			t.Errorf("-api does not mention %q", want)
		}
	}
	for _, hidden := range []string{"owner_id", "ownerId", "SELECT"} {
		if strings.Contains(got.out, hidden) {
			t.Errorf("-api mentions %q", hidden)
		}
	}
}

func TestTrace(t *testing.T) {
	got := runApp("", "-trace", "-e", "return [await api.me.notes().where({ text: '<first>' }).count(), await api.me.first()]")
	if got.code != exitOK || got.out != `[0,{"id":1,"name":"ann"}]`+"\n" {
		t.Fatalf("%+v", got)
	}
	var steps []string
	var queries []json.RawMessage
	for e, err := range record.Read(strings.NewReader(got.err)) {
		if err != nil {
			t.Fatalf("%v: %s", err, got.err)
		}
		steps = append(steps, e.Step.String())
		for _, d := range e.Details {
			queries = append(queries, d.(json.RawMessage))
		}
	}
	if s := strings.Join(steps, " "); s != "begun intent outcome intent outcome released ended" || len(queries) != 2 {
		t.Fatalf("%s, %d queries: %s", s, len(queries), got.err)
	}
	for i, line := range queries {
		var q map[string]any
		if err := json.Unmarshal(line, &q); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		sql, _ := q["sql"].(string)
		args, isList := q["args"].([]any)
		_, hasRows := q["rows"].(float64)
		_, hasMS := q["ms"].(float64)
		if len(q) != 4 || !strings.HasPrefix(sql, "SELECT ") || !isList || !hasRows || !hasMS {
			t.Errorf("%s", line)
		}
		if i == 0 && (len(args) != 3 || args[2] != "<first>") {
			t.Errorf("args: %v", args)
		}
	}
	if got := runApp("", "-e", "api.me.first()"); got.err != "" {
		t.Errorf("traced without -trace: %q", got.err)
	}
}

// TestInternalErrors shows the cause to whoever runs the command, on standard
// error, and never in the result.
func TestInternalErrors(t *testing.T) {
	app := testApp
	app.Grants = func(db *exosql.DB, id int64) (codemode.Grants, error) {
		broken, err := services.New("broken", "", services.Read("list", "", func(context.Context, struct{}) (string, error) {
			return "", errors.New("the disk of notes.stars")
		}))
		return codemode.Grants{"me": broken}, err
	}
	var out, errs bytes.Buffer
	code := app.Run([]string{"-e", "api.me.list()"}, strings.NewReader(""), &out, &errs)
	if code != exitFailed || !strings.HasPrefix(out.String(), `{"error":{"kind":"internal",`) || strings.Contains(out.String(), "disk") {
		t.Errorf("%d %s", code, out.String())
	}
	if !strings.Contains(errs.String(), "notes.stars") {
		t.Errorf("standard error does not say why: %q", errs.String())
	}
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errors.New("no space left") }

func TestResultNotWritten(t *testing.T) {
	var errs bytes.Buffer
	if code := testApp.Run([]string{"-e", "1"}, strings.NewReader(""), brokenWriter{}, &errs); code != exitUsage || !strings.Contains(errs.String(), "no space left") {
		t.Errorf("%d %q", code, errs.String())
	}
}

func TestDatabaseFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "new file?#%.db") // no part of a path is an option
	url := "sqlite:" + path
	count := func() outcome { return runApp("", "-db", url, "-e", "api.me.notes().count()") }
	if got := count(); got != (outcome{"2\n", "", 0}) {
		t.Fatalf("created: %+v", got)
	}
	change(t, path, "INSERT INTO notes VALUES (4, 1, 'added later', NULL)")
	if got := count(); got != (outcome{"3\n", "", 0}) {
		t.Fatalf("reused: %+v", got)
	}
	change(t, path, "CREATE TABLE payroll (id INTEGER PRIMARY KEY)")
	if got := count(); got.code != exitUsage || got.out != "" || !strings.Contains(got.err, "payroll") {
		t.Fatalf("with another table: %+v", got)
	}
}

func TestDatabaseRefused(t *testing.T) {
	dir := t.TempDir()
	file := func(name, content string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	foreign := filepath.Join(dir, "foreign.db")
	change(t, foreign, "CREATE TABLE owners (id INTEGER PRIMARY KEY)") // a name of ours, but not our table
	for _, tc := range []struct{ name, path, says string }{
		{"other tables", foreign, "other tables"},
		{"no database", file("text.db", strings.Repeat("this is no database\n", 100)), "not a database"},
		{"directory", dir, "unable to open"},
		{"no such directory", filepath.Join(dir, "none", "x.db"), "unable to open"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := runApp("", "-db", "sqlite:"+tc.path, "-e", "1")
			if got.code != exitUsage || got.out != "" || !strings.Contains(got.err, tc.says) {
				t.Errorf("%+v", got)
			}
		})
	}
	if after := columnsOf(t, foreign); strings.Join(after, " ") != "owners.id" {
		t.Errorf("the foreign database was changed: %v", after)
	}
	if os.Getuid() != 0 { // root may read everything
		locked := file("locked.db", "")
		if err := os.Chmod(locked, 0); err != nil {
			t.Fatal(err)
		}
		if got := runApp("", "-db", "sqlite:"+locked, "-e", "1"); got.code != exitUsage {
			t.Errorf("no permission: %+v", got)
		}
	}
}

// TestDatabaseAllOrNothing: a seed that fails leaves no half of a database.
func TestDatabaseAllOrNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	app := testApp
	app.Setup += "INSERT INTO nowhere VALUES (1);"
	var out, errs bytes.Buffer
	if code := app.Run([]string{"-db", "sqlite:" + path, "-e", "1"}, strings.NewReader(""), &out, &errs); code != exitUsage {
		t.Fatalf("%d %s", code, errs.String())
	}
	if cols := columnsOf(t, path); len(cols) != 0 {
		t.Errorf("it left %v", cols)
	}
	if got := runApp("", "-db", "sqlite:"+path, "-e", "api.me.notes().count()"); got.out != "2\n" {
		t.Errorf("%+v", got)
	}
}

// TestDatabaseCreatedOnce: of several processes that find no database, one makes it.
func TestDatabaseCreatedOnce(t *testing.T) {
	url := "sqlite:" + filepath.Join(t.TempDir(), "x.db")
	results := make(chan outcome)
	for range 4 {
		go func() { results <- runApp("", "-db", url, "-e", "api.me.notes().count()") }()
	}
	for range 4 {
		if got := <-results; got != (outcome{"2\n", "", 0}) {
			t.Errorf("%+v", got)
		}
	}
}

func change(t *testing.T, path, query string) {
	t.Helper()
	db, err := sql.Open("sqlite", fileURL(path))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(query); err != nil {
		t.Fatal(err)
	}
}

func columnsOf(t *testing.T, path string) []string {
	t.Helper()
	db, err := sql.Open("sqlite", fileURL(path))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	cols, err := sqlite.columns(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	return cols
}

func fileURL(path string) string {
	return "file:" + strings.NewReplacer("%", "%25", "?", "%3f", "#", "%23", " ", "%20").Replace(path)
}

// TestInterrupt: Ctrl-C ends a program that would not end, and says so.
func TestInterrupt(t *testing.T) {
	var out bytes.Buffer
	errs := &firstWrite{began: make(chan struct{})}
	done := make(chan int)
	go func() {
		done <- testApp.Run([]string{"-trace", "-e", "await api.me.notes().count(); while (true) {}"}, strings.NewReader(""), &out, errs)
	}()
	<-errs.began // the program runs, and so the signal is awaited
	if err := syscall.Kill(os.Getpid(), syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	if code := <-done; code != exitStopped || !strings.Contains(out.String(), `"kind":"`+fail.Cancelled.String()+`"`) { // of the limit it would be another kind
		t.Errorf("%d %s", code, &out)
	}
}

// firstWrite closes a channel when something is written.
type firstWrite struct {
	began chan struct{}
	once  sync.Once
}

func (w *firstWrite) Write(p []byte) (int, error) {
	w.once.Do(func() { close(w.began) })
	return len(p), nil
}
