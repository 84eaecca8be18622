package dojo_test

// This file opens worlds of which a part is outside of the host: what programs read and send there is declared in a grant file alone.

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/internal/grantfile"
	"github.com/exoagent/exoagent/internal/grantfile/services"
	tu "github.com/exoagent/exoagent/internal/testutil"
	"github.com/exoagent/exoagent/internal/testutil/mailtest"
	"github.com/exoagent/exoagent/internal/testutil/outside"
)

func TestMain(m *testing.M) {
	mailtest.Trust()
	os.Exit(m.Run())
}

// suite is a world of testdata/dojo/outside: a grant file, the servers that it names, a folder and a database.
type suite struct {
	world
	office    *mailtest.Server
	api       *outside.Site
	chat      *outside.Site
	hook      *outside.Site
	tools     *outside.Tools
	dir, from string // of the grant file, and of its source
	declared  *grantfile.Declared
}

// openSuite opens a suite for Emma. Unguarded, a line of its file with `# twin: TEXT` is TEXT.
func openSuite(t *testing.T, e tu.Engine, name string, guarded bool) *suite {
	t.Helper()
	s := &suite{dir: t.TempDir(), from: filepath.Join("../../testdata/dojo/outside", name), office: mailtest.New(t), chat: outside.NewSite(t, nil), hook: outside.NewSite(t, nil)}
	if err := os.CopyFS(s.dir, os.DirFS(s.from)); err != nil {
		t.Fatal(err)
	}
	s.api = outside.NewSite(t, answers(t, filepath.Join(s.from, "answers.json")))
	s.tools = outside.NewTools(t, parsed[outside.Tool](t, filepath.Join(s.from, "tools.json")))
	for name, text := range map[string]string{"APPROVALS_KEY": strings.Repeat("k", 40), "CHAT_URL": s.chat.Base() + "/hooks/1", "HOOK_KEY": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "SLACK_TOKEN": "xoxb-s3cret"} {
		t.Setenv(name, text)
	}
	text := string(mustRead(t, filepath.Join(s.from, "exo.yaml")))
	if !guarded {
		text = outside.Twin(text)
	}
	text = strings.NewReplacer("{mail}", fmt.Sprintf("smtps://localhost:%d", s.office.Port), "{api}", s.api.Base(), "{hook}", s.hook.Base()+"/exo", "{tools}", s.tools.Base()+"/mcp").Replace(text)
	ddl, state := string(mustRead(t, filepath.Join(s.from, "schema.sql"))), string(mustRead(t, filepath.Join(s.from, "state.sql")))
	url := e.URL(t)
	db, past := e.OpenURL(t, url, &exosql.OpenOptions{Setup: e.Exec(ddl)}), e.SQLDB(t, url)
	s.state = func(t *testing.T) string { return texts(t, past, state) }
	f := outside.Pinned(t, s.dir, text)
	var err error
	if s.declared, _, err = f.Open(t.Context(), &grantfile.Options{Databases: map[string]*exosql.DB{f.Databases[0].Text: db}}); err != nil {
		t.Fatal(err)
	}
	p, err := f.Bind(map[string]any{"me": int64(1), "email": "emma@a.example"})
	if err != nil {
		t.Fatal(err)
	}
	grants, err := s.declared.Grants(p)
	if err != nil {
		t.Fatal(err)
	}
	grants["reveal"], grants["text"] = exo.Reveal(), exo.Compose() // the twin has them, too
	opt := f.ToolOptions(p)
	opt.Record, opt.Evaluator = exo.Unrecorded, exoeval.InProcess{}
	if s.tool, err = codemode.New(grants, &opt); err != nil {
		t.Fatal(err)
	}
	return s
}

// end ends the suite, so that no message is under way, and returns what those outside got that acts, and then what they were asked. Neither has what
// was there before.
func (s *suite) end(t *testing.T, before string) (acts, asked []string) {
	t.Helper()
	state := s.state(t)
	if err := s.declared.Close(); err != nil {
		t.Fatal(err)
	}
	box, closing, err := s.declared.File.OpenOutbox(t.Context(), os.Getenv, true)
	if err == nil {
		err = errors.Join(box.Pass(t.Context()), closing()) // a message to a receiver that was slow is delivered now
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range s.office.Mails() {
		acts = append(acts, outside.Received(m))
	}
	for _, r := range s.chat.Got() {
		var x struct{ Text string }
		if err := json.Unmarshal([]byte(r.Body), &x); err != nil {
			t.Fatal(err)
		}
		acts = append(acts, "chat "+x.Text)
	}
	for _, r := range s.hook.Got() {
		var x struct {
			Type string
			Data json.RawMessage
		}
		if err := json.Unmarshal([]byte(r.Body), &x); err != nil {
			t.Fatal(err)
		}
		acts = append(acts, "hook "+x.Type+" "+string(x.Data))
	}
	for _, r := range s.api.Got() {
		if r.Method == http.MethodGet {
			asked = append(asked, r.String())
		} else {
			acts = append(acts, r.String())
		}
	}
	for _, call := range s.tools.Called() {
		name, _, _ := strings.Cut(call, " ")
		if slices.ContainsFunc(s.declared.File.Services, func(x services.Service) bool {
			return slices.ContainsFunc(x.Reads, func(c services.Call) bool { return c.Of == name })
		}) {
			asked = append(asked, "tool "+call)
		} else {
			acts = append(acts, "tool "+call)
		}
	}
	was := strings.Split(before, "\n")
	acts = append(acts, slices.DeleteFunc(strings.Split(state, "\n"), func(l string) bool { return l == "" || slices.Contains(was, l) })...)
	return append(acts, s.written(t)...), asked
}

// written returns the files of the folder that differ from their source.
func (s *suite) written(t *testing.T) (out []string) {
	t.Helper()
	from := os.DirFS(s.from)
	err := fs.WalkDir(os.DirFS(s.dir), "drive", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(filepath.Join(s.dir, path))
		if old, none := fs.ReadFile(from, path); err == nil && (none != nil || string(old) != string(text)) {
			out = append(out, "file "+strings.TrimPrefix(path, "drive/")+": "+string(text))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// answers is a site that answers by a table of paths.
func answers(t *testing.T, path string) http.HandlerFunc {
	t.Helper()
	table := parsed[json.RawMessage](t, path)
	return func(w http.ResponseWriter, r *http.Request) {
		switch answer, ok := table[r.URL.Path]; {
		case r.Method != http.MethodGet:
			w.WriteHeader(http.StatusNoContent)
		case !ok:
			http.NotFound(w, r)
		default:
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write(answer)
		}
	}
}

// parsed reads a table; a file that is not there has none.
func parsed[T any](t *testing.T, path string) (out map[string]T) {
	t.Helper()
	if _, err := os.Stat(path); err != nil {
		return nil
	}
	if err := json.Unmarshal(mustRead(t, path), &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func mustRead(t *testing.T, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
