package failover_test

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"
)

// This file has exo serve, which goes on after a failover without a restart.

// served is the least number of its programs.
const served = 1_000_000

const file = `exo: 1
reviewed: true
databases: { shop: { url: env:FAILOVER_DB, witness: true } }
record: { database: env:FAILOVER_DB, key: "file:record.key" }
approvals: { store: env:FAILOVER_DB, key: env:FAILOVER_KEY }
services:
  team: { chat: slack, networks: [127.0.0.0/8, '::1/128'], secrets: { url: env:FAILOVER_CHAT } }
principal: { n: int }
facets:
  note: { scope: shared, table: notes, columns: { id: {}, n: {} }, insert: [n] }
grants: { notes: note }
serve:
  resource: https://shop.example.com/mcp
  tokens:
    ann: { token: env:FAILOVER_TOKEN, claims: { n: 1 } }
`

// server is the built command, and a client that runs one program after the other.
type server struct {
	*world
	c     *cluster
	url   string
	token string
	load  sync.WaitGroup
	stop  chan struct{}
	did   map[string][]int64 // did has the programs by what the client was told: done, nothing or unknown
}

func serve(c *cluster, w *world) *server {
	w.t.Helper()
	dir := w.t.TempDir()
	bin := filepath.Join(dir, "exo")
	if said, err := exec.Command("go", "build", "-o", bin, "../../../cmd/exo").CombinedOutput(); err != nil {
		w.t.Fatalf("%v %s", err, said)
	}
	for name, text := range map[string]string{"exo.yaml": file, "record.key": string(w.keys.Private)} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			w.t.Fatal(err)
		}
	}
	s := &server{world: w, c: c, token: strings.Repeat("t0ken", 8), stop: make(chan struct{}), did: map[string][]int64{}}
	script := fmt.Sprintf("export FAILOVER_DB='%s' FAILOVER_KEY=%s FAILOVER_CHAT=%s FAILOVER_TOKEN=%s\nexec '%s' serve '%s' -http 127.0.0.1:0 -label-store \"$FAILOVER_DB\"\n",
		w.url, strings.Repeat("a", 32), w.chat, s.token, bin, filepath.Join(dir, "exo.yaml"))
	if err := os.WriteFile(filepath.Join(dir, "serve"), []byte(script), 0o600); err != nil {
		w.t.Fatal(err)
	}
	c.do("serve " + filepath.Join(dir, "serve")) // so that it is ended with the servers, also if this process is killed
	for end := time.Now().Add(time.Minute); s.url == ""; time.Sleep(50 * time.Millisecond) {
		said, _ := os.ReadFile(filepath.Join(dir, "serve.log"))
		if m := regexp.MustCompile(`is served at (http://\S+?)(;|\n)`).FindSubmatch(said); m != nil {
			s.url = string(m[1])
		} else if time.Now().After(end) {
			w.t.Fatalf("it did not say where it serves: %s", said)
		}
	}
	s.load.Go(func() {
		for n := int64(served); ; n++ {
			select {
			case <-s.stop:
				return
			default:
				s.once(n)
				time.Sleep(300 * time.Millisecond) // exo serve bounds how many calls a client makes
			}
		}
	})
	return s
}

// once runs one program, and notes what the client is told.
func (s *server) once(n int64) {
	code := fmt.Sprintf(`await notes.insert({ n: %d }); await team.post({ text: "%d" }); return "done"`, n, n)
	params, _ := json.Marshal(map[string]any{"name": "execute", "arguments": map[string]any{"code": code}})
	r, err := http.NewRequest(http.MethodPost, s.url, strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":`+string(params)+`}`))
	if err != nil {
		s.t.Error(err)
		return
	}
	for name, value := range map[string]string{"Content-Type": "application/json", "Accept": "application/json, text/event-stream", "Mcp-Protocol-Version": "2025-11-25", "Authorization": "Bearer " + s.token} {
		r.Header.Set(name, value)
	}
	text := ""
	if resp, err := http.DefaultClient.Do(r); err != nil {
		text = err.Error()
	} else {
		b, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		text = string(b)
	}
	told := "unknown"
	switch {
	case strings.Contains(text, `{\"result\":\"done\"`):
		told = "done"
	case strings.Contains(text, "nothing took effect"), strings.Contains(text, "Nothing was run"):
		told = "nothing"
	}
	if told == "unknown" {
		s.t.Logf("exo serve: %.400s", strings.ReplaceAll(text, "\n", " "))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.did[told] = append(s.did[told], n)
}

// goesOn waits until the process that was started at first has done some more.
func (s *server) goesOn() {
	s.t.Helper()
	count := func() int {
		s.mu.Lock()
		defer s.mu.Unlock()
		return len(s.did["done"])
	}
	for before, end := count(), time.Now().Add(time.Minute); count() < before+3; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			s.t.Fatal("exo serve does not go on")
		}
	}
}

// end ends the process, and compares what the client was told with the rows.
func (s *server) end() {
	s.t.Helper()
	close(s.stop)
	s.load.Wait()
	s.c.do("served")
	raw, err := sql.Open("pgx", s.world.url)
	if err != nil {
		s.t.Fatal(err)
	}
	defer raw.Close()
	rows := func(n int64) (count int) {
		if err := raw.QueryRow("SELECT count(*) FROM notes WHERE n = $1", n).Scan(&count); err != nil {
			s.t.Fatal(err)
		}
		return count
	}
	for told, want := range map[string]int{"done": 1, "nothing": 0} {
		for _, n := range s.did[told] {
			if got := rows(n); got != want {
				s.t.Errorf("the client was told %s of program %d, which has %d rows", told, n, got)
			}
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for n, posted := range s.posted {
		if n >= served && rows(n) != 1 {
			s.t.Errorf("the message of program %d was posted %d times, but its row is not there", n, posted)
		}
	}
	s.t.Logf("exo serve told its client of %d programs that they were done, of %d that nothing took effect, and of %d that nothing is known", len(s.did["done"]), len(s.did["nothing"]), len(s.did["unknown"]))
}
