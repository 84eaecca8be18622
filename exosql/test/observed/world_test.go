package observed_test

// This file has the worlds in which a program runs: all that stays the same, and a secret.

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/outbox"
	"github.com/exoagent/exoagent/exo/review"
	"github.com/exoagent/exoagent/exo/store"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/internal/grantfile"
	"github.com/exoagent/exoagent/internal/grantfile/pending"
	tu "github.com/exoagent/exoagent/internal/testutil"
	"github.com/exoagent/exoagent/internal/testutil/mailtest"
	"github.com/exoagent/exoagent/internal/testutil/outside"
)

func TestMain(m *testing.M) {
	mailtest.Trust()
	os.Exit(m.Run())
}

// secret is what no low observer may learn of.
type secret struct {
	salaries  [3]string // as SQL has them
	addresses [3]string
	bonuses   [3]string
	listed    int      // how many salaries the server of salaries lists
	hidden    []string // names of the files that are hidden
}

// secrets are two that a low observer can't tell apart. The reader of the first address is the principal.
var secrets = [2]secret{
	{[3]string{"1", "70", "NULL"}, [3]string{"me@a.example", "bob@b.example", ""}, [3]string{"5", "6", "7"}, 1, []string{"1.txt"}},
	{[3]string{"1000", "NULL", "33"}, [3]string{"me@a.example", "x", strings.Repeat("long", 700)}, [3]string{"5", "6", "7"}, 4, []string{"1.txt", "2.txt", "bob.txt"}},
}

// shown is the first of secrets with other values of what results may carry: who reads results is no low observer of them.
var shown = secret{secrets[0].salaries, secrets[0].addresses, [3]string{"500", "NULL", "1"}, 1, []string{"1.txt"}}

// own is the first of secrets with another address of the principal, which is too long for the subject of a mail: the principal's mails may have it.
var own = secret{secrets[0].salaries, [3]string{strings.Repeat("me", 300) + "\u202e", "bob@b.example", ""}, secrets[0].bonuses, 1, []string{"1.txt"}}

// world is a grant file that is open, with all that it names.
type world struct {
	secret
	office                *mailtest.Server
	api, chat, hook, high *outside.Site
	tools                 *outside.Tools
	dir                   string
	file                  *grantfile.File
	declared              *grantfile.Declared
	kept                  *pending.Sets
	chats                 int64 // each is one of a principal's own
	db                    *sql.DB
	box                   *outbox.Outbox
	mails                 int
	number                string // ends the names of its variables
}

var worlds = 0

// open opens a world. Unguarded, nothing has a label.
func open(t *testing.T, e tu.Engine, of secret, guarded bool) *world {
	t.Helper()
	worlds++
	w := &world{number: strconv.Itoa(worlds), secret: of, dir: t.TempDir(), office: mailtest.New(t), chat: outside.NewSite(t, nil), hook: outside.NewSite(t, nil), api: outside.NewSite(t, answer), high: outside.NewSite(t, of.answer)}
	text, err := os.ReadFile("testdata/tools.json")
	if err != nil {
		t.Fatal(err)
	}
	var tools map[string]outside.Tool
	if err := json.Unmarshal(text, &tools); err != nil {
		t.Fatal(err)
	}
	w.tools = outside.NewTools(t, tools)
	if err := os.CopyFS(w.dir, os.DirFS("testdata")); err != nil {
		t.Fatal(err)
	}
	url := e.URL(t)
	w.db = e.SQLDB(t, url)
	for name, text := range map[string]string{"OBSERVED_DB": url, "OBSERVED_KEY": strings.Repeat("k", 40), "OBSERVED_CHAT": w.chat.Base() + "/hooks/1", "OBSERVED_SIGNATURE": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"} {
		t.Setenv(name+w.number, text)
	}
	for _, s := range []string{"CREATE TABLE people (id {int} PRIMARY KEY, name TEXT NOT NULL, note TEXT, salary {int}, address TEXT, bonus {int})", exosql.CreateWitness} {
		if _, err := w.db.Exec(e.SQL(s)); err != nil {
			t.Fatal(err)
		}
	}
	w.reset(t)
	w.parse(t, guarded)
	if w.declared, _, err = w.file.Open(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.declared.Close() })
	if w.kept, err = pending.Open(t.Context(), w.file, func(c review.ChangeSet) { w.declared.Notify(c) }); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.kept.Close() })
	var closing func() error
	if w.box, closing, err = w.file.OpenOutbox(t.Context(), os.Getenv, true); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = closing() })
	return w
}

// parse reads the grant file, with the addresses of this world and the digests of what its services offer.
func (w *world) parse(t *testing.T, guarded bool) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(w.dir, "exo.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	text := string(b)
	if !guarded {
		text = outside.Twin(text)
	}
	text = strings.NewReplacer("{n}", w.number, "{mail}", fmt.Sprintf("smtps://localhost:%d", w.office.Port), "{api}", w.api.Base(), "{hr}", w.high.Base(), "{hook}", w.hook.Base()+"/exo", "{tools}", w.tools.Base()+"/mcp").Replace(text)
	w.file = outside.Pinned(t, w.dir, text)
}

// answer is the API's, which is the same in all worlds.
func answer(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	switch r.URL.Path {
	case "/find":
		fmt.Fprint(w, `["a","b"]`)
	case "/now":
		fmt.Fprint(w, `{"id":3}`)
	default:
		w.WriteHeader(http.StatusNoContent)
	}
}

// answer is that of the server of salaries. It depends on the secret, also on what it is sent.
func (s secret) answer(w http.ResponseWriter, r *http.Request) {
	b, _ := io.ReadAll(r.Body)
	w.Header().Set("Content-Type", "application/json")
	switch {
	case r.URL.Path == "/list":
		list := make([]int, s.listed)
		_ = json.NewEncoder(w).Encode(list)
	case len(b)%2 == 1:
		w.WriteHeader(http.StatusConflict)
	case r.URL.Path == "/raise":
		fmt.Fprintf(w, `{"id":%d}`, s.listed)
	default:
		w.WriteHeader(http.StatusNoContent)
	}
}

// reset has the world be as it was before any program.
func (w *world) reset(t *testing.T) {
	t.Helper()
	do := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	text := "INSERT INTO people VALUES "
	for i := range 3 {
		text += fmt.Sprintf("(%d, 'p%d', 'n', %s, '%s', %s),", i+1, i+1, w.salaries[i], w.addresses[i], w.bonuses[i])
	}
	for _, s := range []string{"DELETE FROM people", strings.TrimSuffix(text, ",")} {
		_, err := w.db.Exec(s)
		do(err)
	}
	for _, s := range []*outside.Site{w.api, w.chat, w.hook, w.high, w.tools.Site} {
		s.Forget()
	}
	w.tools.ForgetCalls()
	w.mails = len(w.office.Mails())
	for _, name := range []string{"box", "hidden"} {
		dir := filepath.Join(w.dir, name)
		do(os.MkdirAll(dir, 0o755))
		old, err := os.ReadDir(dir)
		do(err)
		for _, f := range old {
			do(os.RemoveAll(filepath.Join(dir, f.Name())))
		}
	}
	do(os.WriteFile(filepath.Join(w.dir, "box", "a.txt"), []byte("a"), 0o600))
	for _, name := range w.hidden {
		do(os.WriteFile(filepath.Join(w.dir, "hidden", name), []byte(strings.Repeat(name, len(w.hidden))), 0o600))
	}
	do(os.RemoveAll(filepath.Join(w.dir, "budgets")))
	if w.kept == nil {
		return
	}
	for x, err := range store.All(t.Context(), w.kept.Store, "") { // messages and change sets
		do(err)
		do(w.kept.Store.Delete(t.Context(), x.Key, x.Version))
	}
}

// waiting lists the outbox, once no message is under way.
func (w *world) waiting(t *testing.T) []outbox.Item {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); ; time.Sleep(2 * time.Millisecond) {
		out, err := w.box.List(t.Context())
		if err == nil && !slices.ContainsFunc(out, func(x outbox.Item) bool { return x.State == outbox.Waiting && x.Why == "" }) {
			return out
		}
		if err == nil {
			err = w.box.Pass(t.Context()) // of a message to a receiver that was slow nobody has made an attempt
		}
		if err != nil || time.Now().After(end) {
			t.Fatalf("%v %+v", err, out)
		}
	}
}

// view is what each low observer got of a run.
type view map[string]string

// run runs programs of one chat, one after another, in a fresh state of the world, and returns what was seen. The later ones begin with the labels of
// what the model has read.
func (w *world) run(t *testing.T, programs []string) view {
	t.Helper()
	w.reset(t)
	budgets, closing, err := w.file.OpenBudgets(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	w.chats++
	principal, err := w.file.Bind(map[string]any{"me": int64(1), "email": "me@a.example", "chat": w.chats})
	if err != nil {
		t.Fatal(err)
	}
	grants, err := w.declared.Grants(principal)
	if err != nil {
		t.Fatal(err)
	}
	grants["reveal"], grants["text"] = exo.Reveal(), exo.Compose() // the twin has them, too
	opt := w.file.ToolOptions(principal)
	opt.Record, opt.Evaluator, opt.Budgets, opt.Review = exo.Unrecorded, exoeval.InProcess{}, budgets, w.kept.Keeper
	tool, err := codemode.New(grants, &opt)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	v, label := view{}, value.Label{}
	for _, p := range programs {
		r := tool.RunJob(ctx, codemode.Job{Program: p, Label: label})
		v["the result"] += moment.ReplaceAllString(string(r.JSON), "") + "\n" + r.Console + "\n" + r.EffectsNote() + "\n" + r.Label.String() + "\n"
		if r.Err != nil {
			v["the result"] += fail.GuestText(r.Err) + "\n"
		}
		label = label.Join(r.Label)
		w.waiting(t) // what the host itself sends does not wait for its receiver
	}
	for _, l := range w.waiting(t) {
		v["the outbox"] += fmt.Sprintf("%s %s %d %s\n", l.To, l.State, l.Tries, l.Why)
	}
	v["the outbox"] = sorted(v["the outbox"]) // its keys begin with the names of runs, which are random
	lines, err := budgets.List(t.Context(), time.Now())
	if err != nil {
		t.Fatal(err)
	}
	v["the budgets"] = fmt.Sprint(lines)
	if err := closing(); err != nil {
		t.Fatal(err)
	}
	w.look(t, v)
	w.wait(t, v)
	return v
}

// wait adds what waits for a person.
func (w *world) wait(t *testing.T, v view) {
	t.Helper()
	all, err := w.kept.List(t.Context(), false)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range all {
		v["what waits"] += fmt.Sprintln(c.Rules, c.Label)
		for who, text := range v {
			v[who] = strings.ReplaceAll(text, c.ID, "ID")
		}
	}
}

// moment is a time in what is seen, which is no secret.
var moment = regexp.MustCompile(`"(timestamp|modified)":"[^"]*"`)

// look adds what servers, receivers, the folder and the rows show.
func (w *world) look(t *testing.T, v view) {
	t.Helper()
	for _, r := range w.api.Got() {
		v["the API"] += r.String() + "\n"
	}
	v["the MCP server"] = strings.Join(w.tools.Called(), "\n")
	for _, m := range w.office.Mails()[w.mails:] {
		who := "the mails"
		if strings.Contains(m.To[0], "me@a.example") {
			who = "the principal's mails"
		}
		v[who] += outside.Received(m) + "\n"
	}
	for _, r := range w.chat.Got() {
		v["the chat"] += r.Body + "\n"
	}
	for _, r := range w.hook.Got() {
		v["the webhook"] += moment.ReplaceAllString(r.Body, "") + "\n"
	}
	folder := os.DirFS(filepath.Join(w.dir, "box"))
	err := fs.WalkDir(folder, ".", func(path string, d fs.DirEntry, err error) error {
		v["the folder"] += path + "\n"
		if err == nil && d.Type().IsRegular() {
			text, _ := fs.ReadFile(folder, path)
			v["the folder"] += string(text) + "\n"
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	v["the rows"] = tu.Rows(t, w.db, "SELECT id, name, coalesce(note, '') FROM people ORDER BY id")
}
