package exoagent_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
)

// checkSQL runs the statements for a server: in a transaction that is undone, or, where
// they make databases, under names of this test's own.
func checkSQL(t *testing.T, b *block) {
	url := os.Getenv("TEST_POSTGRES_URL")
	if url == "" {
		t.Skip("TEST_POSTGRES_URL is not set: the statements run on PostgreSQL only")
	}
	ctx := t.Context()
	conn := connect(t, url)
	switch b.mark {
	case "role":
		checkRole(ctx, t, conn, b.text)
	case "databases":
		checkDatabases(ctx, t, conn, url, b.text)
	default:
		t.Errorf("the mark of statements is role or databases, not %q", b.mark)
	}
}

func connect(t *testing.T, url string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(context.Background()) })
	return conn
}

// checkRole: the role of the page reads the columns that it was given, and nothing else.
func checkRole(ctx context.Context, t *testing.T, conn *pgx.Conn, text string) {
	tx, err := conn.Begin(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback(ctx)
	role := fmt.Sprintf("docs_role_%d", os.Getpid())
	for _, s := range []string{"CREATE TABLE public.users (id int, name text, email text)", regexp.MustCompile(`\bexo\b`).ReplaceAllString(text, role), "SET LOCAL ROLE " + role, "SELECT id, name FROM public.users"} {
		if _, err := tx.Exec(ctx, s); err != nil {
			t.Fatalf("%v in\n%s", err, s)
		}
	}
	for _, s := range []string{"SELECT email FROM public.users", "INSERT INTO public.users VALUES (1)", "CREATE TABLE public.mine (id int)"} {
		inner, err := tx.Begin(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := inner.Exec(ctx, s); err == nil || !strings.Contains(err.Error(), "42501") {
			t.Errorf("the role may do this: %s: %v", s, err)
		}
		inner.Rollback(ctx)
	}
}

// checkDatabases runs statements that make databases and roles, and drops what they made.
func checkDatabases(ctx context.Context, t *testing.T, conn *pgx.Conn, url, text string) {
	name := fmt.Sprintf("docs_challenge_%d", os.Getpid())
	text = strings.ReplaceAll(text, "challenge", name)
	defer func() {
		for _, s := range []string{"DROP DATABASE IF EXISTS %s", "DROP ROLE IF EXISTS %s_reader", "DROP ROLE IF EXISTS %s"} {
			if _, err := conn.Exec(context.Background(), fmt.Sprintf(s, name)); err != nil {
				t.Error(err)
			}
		}
	}()
	on := conn
	for s := range strings.Lines(text) {
		if to, ok := strings.CutPrefix(strings.TrimSpace(s), `\connect `); ok {
			cfg, err := pgx.ParseConfig(url)
			if err != nil {
				t.Fatal(err)
			}
			cfg.Database = to
			if on, err = pgx.ConnectConfig(ctx, cfg); err != nil {
				t.Fatal(err)
			}
			defer on.Close(context.Background())
		} else if _, err := on.Exec(ctx, s); err != nil {
			t.Fatalf("%v in\n%s", err, s)
		}
	}
}

// checkUnit checks the command of a systemd unit.
func checkUnit(t *testing.T, b *block) {
	m := regexp.MustCompile(`(?m)^ExecStart=\S*/(\S+) (.*)$`).FindStringSubmatch(b.text)
	if m == nil {
		t.Fatal("the unit starts nothing")
	}
	checkCommand(t, append([]string{m[1]}, strings.Fields(m[2])...))
}

// checkMetrics checks that the challenge has each metric of an alert.
func checkMetrics(t *testing.T, b *block) {
	names := regexp.MustCompile(`exo_challenge_\w+`).FindAllString(b.text, -1)
	if len(names) == 0 {
		t.Fatal("the alerts name no metric")
	}
	for _, n := range names {
		if !inChallenge(`"` + strings.TrimPrefix(n, "exo_challenge_")) {
			t.Errorf("there is no metric %s", n)
		}
	}
}

// checkProxy checks that a proxy leads to the challenge's own port, and that the challenge
// reads the header that it is sent.
func checkProxy(t *testing.T, b *block) {
	if !strings.Contains(b.text, "127.0.0.1:8080") || !bytes.Contains(help(t), []byte("default 8080")) {
		t.Errorf("the proxy does not lead to the port of the challenge")
	}
	for _, h := range regexp.MustCompile(`X-[\w-]+`).FindAllString(b.text, -1) {
		if !inChallenge(h) {
			t.Errorf("the challenge reads no %s", h)
		}
	}
}

func help(t *testing.T) []byte {
	t.Helper()
	out, _ := exec.Command(built["challenge"], "-h").CombinedOutput()
	return out
}

func inChallenge(name string) bool {
	out, _ := exec.Command("grep", "-rlF", "--include=*.go", "--exclude=*_test.go", name, "challenge").Output()
	return len(out) > 0
}
