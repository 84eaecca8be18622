package control

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"
)

func TestMain(m *testing.M) {
	if isChild() {
		child(func(ctx context.Context, c *sql.Conn, statement string) *Result {
			if res := taken(statement); res != nil {
				return res // a statement that took over the process
			}
			return query(ctx, c, statement)
		})
		return
	}
	os.Exit(m.Run())
}

// taken is code in a process of a control lane: it tries what the host could lose by.
func taken(what string) *Result {
	what, ok := strings.CutPrefix(what, "!")
	if !ok {
		return nil
	}
	name, arg, _ := strings.Cut(what, " ")
	attack := map[string]func() error{
		"read":    func() error { _, err := os.ReadFile(arg); return err },
		"write":   func() error { return os.WriteFile(arg, []byte("x"), 0o600) },
		"remove":  func() error { return os.Remove(arg) },
		"rename":  func() error { return os.Rename(arg, arg+".moved") },
		"connect": func() error { c, err := net.Dial("tcp", arg); return errors.Join(err, closed(c)) },
		"start":   func() error { return exec.Command("/bin/true").Run() },
		"environ": func() error { return absent(os.Getenv("EXO_CONTROL_CANARY")) },
		"memory": func() error {
			if b := make([]byte, 600<<20); b[len(b)-1] != 0 { // never touched: only its room is asked for
				return errors.New("not zero")
			}
			return nil
		},
		"loop": func() error {
			for i := 0; ; i++ {
				if i < 0 {
					return nil
				}
			}
		},
	}[name]
	if attack == nil {
		return &Result{Rows: json.RawMessage("[]")}
	}
	err := attack()
	return &Result{Rows: json.RawMessage(fmt.Sprintf("[%t]", err == nil)), Err: fmt.Sprint(err)}
}

func closed(c net.Conn) error {
	if c == nil {
		return errors.New("no connection")
	}
	return c.Close()
}

func absent(s string) error {
	if s == "" {
		return errors.New("absent")
	}
	return nil
}

// TestTaken: whoever took over the process has nothing of the host's, and can use
// up nothing of it.
func TestTaken(t *testing.T) {
	t.Setenv("EXO_CONTROL_CANARY", "1")
	file := t.TempDir() + "/precious"
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	do := func(what string) *Result {
		t.Helper()
		r, err := Run(t.Context(), Job{SQL: "!" + what})
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		return r
	}
	if r := do("none"); r.Err != "" || string(r.Rows) != "[]" {
		t.Fatalf("the test reaches nothing: %+v", r)
	}
	if r := do("environ"); string(r.Rows) != "[false]" {
		t.Error("it has the host's environment")
	}
	for _, what := range []string{"read " + file, "write " + file + "2", "remove " + file, "rename " + file, "connect " + l.Addr().String(), "start"} {
		if r, err := Run(t.Context(), Job{SQL: "!" + what}); !errors.Is(err, ErrBreach) {
			t.Errorf("%s: %+v %v", what, r, err)
		}
	}
	for _, what := range []string{"memory", "loop"} {
		if r := do(what); !r.Limit {
			t.Errorf("%s: %+v %s", what, r, r.Rows)
		}
	}
	if _, err := os.Stat(file); err != nil {
		t.Error(err)
	}
}
