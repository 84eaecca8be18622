package replicas_test

// This file tries what goes wrong with servers: they lag, hang, follow where they should lead, or a query takes them down.

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exosql"
	tu "github.com/exoagent/exoagent/internal/testutil"
	"github.com/exoagent/exoagent/internal/testutil/pgtest"
)

// deadly has a row that ends the session which reads it. It adds one to a sequence before, where it can.
const deadly = `CREATE SEQUENCE deaths; CREATE VIEW deadly AS SELECT id, owner, text, CASE WHEN pg_terminate_backend(pg_backend_pid()) THEN 1 ELSE 0 END::bigint AS port FROM notes WHERE id = 1`

// TestHostileServers: whatever servers do, a run reads what was committed or gets an error.
func TestHostileServers(t *testing.T) {
	primary := pgtest.New(t)
	primary.Exec(t, ddl, deadly, exosql.CreateWitness)
	first, second := primary.Standby(t), primary.Standby(t)
	primary.Caught(t, first)
	primary.Caught(t, second)
	db := open(t, primary, second.URL, first.URL)
	sync := func(names string) {
		t.Helper()
		primary.Exec(t, "ALTER SYSTEM SET synchronous_standby_names = '"+names+"'", "SELECT pg_reload_conf()")
		for primary.One(t, "SHOW synchronous_standby_names") != names {
			time.Sleep(10 * time.Millisecond)
		}
	}

	t.Run("a query that ends its session is run by one server", func(t *testing.T) {
		table := exosql.NewTable[seenNote]("deadly")
		exosql.NewKey(table, "id", func(n *seenNote) *int64 { return &n.ID })
		whose := exosql.NewColumn(table, "owner", func(n *seenNote) *int64 { return &n.Owner })
		exosql.NewColumn(table, "port", func(n *seenNote) *int64 { return &n.Port })
		pid := func(s *pgtest.Server) string {
			return s.One(t, "SELECT coalesce(string_agg(pid::text, ' ' ORDER BY pid), '') FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()")
		}
		before := []string{pid(primary), pid(first), pid(second)}
		_, err := exosql.Grant(db, table, whose.Eq(1)).All(t.Context())
		if fail.KindOf(err) != fail.Conflict {
			t.Errorf("%v: %v", fail.KindOf(err), err)
		}
		ended := 0
		for i, s := range []*pgtest.Server{primary, first, second} {
			for _, p := range strings.Fields(before[i]) {
				if !strings.Contains(" "+pid(s)+" ", " "+p+" ") {
					ended++
				}
			}
		}
		if ended > 1 { // 0: the session was new
			t.Errorf("%d servers ran it", ended)
		}
	})

	t.Run("a role whose transactions are serializable", func(t *testing.T) {
		primary.Exec(t, "CREATE ROLE strict LOGIN IN ROLE pg_read_all_data", "ALTER ROLE strict SET default_transaction_isolation = serializable",
			"GRANT EXECUTE ON FUNCTION pg_control_system(), pg_control_checkpoint(), pg_control_recovery() TO strict")
		primary.Caught(t, first)
		try := func() error {
			as, err := exosql.Open(t.Context(), tu.AsUser(t, primary.URL, "strict"), &exosql.OpenOptions{Replicas: []string{tu.AsUser(t, first.URL, "strict")}})
			if err == nil {
				defer as.Close()
				answers(t, as, first)
			}
			return err
		}
		err := try()
		if err == nil {
			t.Fatal("no standby runs what is serializable")
		}
		_, fix, _ := strings.Cut(err.Error(), ": ALTER ROLE ")
		fix, _, _ = strings.Cut(fix, ";")
		primary.Exec(t, "ALTER ROLE "+fix)
		primary.Caught(t, first)
		if err := try(); err != nil {
			t.Errorf("ALTER ROLE %s does not help: %v", fix, err)
		}
	})

	t.Run("a commit that did not wait is not taken for kept", func(t *testing.T) {
		quiet, err := exosql.Open(t.Context(), tu.WithParam(t, primary.URL, "client_min_messages", "error"), nil)
		if err != nil {
			t.Fatal(err)
		}
		defer quiet.Close()
		sync("nobody")
		defer sync("")
		over := make(chan bool)
		go func() {
			for {
				select {
				case <-over:
					return
				case <-time.After(20 * time.Millisecond):
					primary.Try("SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'")
				}
			}
		}()
		err = quiet.Transact(t.Context(), func(tx *exosql.Tx) error {
			_, err := exosql.Grant(quiet, notes, owner.Eq(1)).InTx(tx).Where(id.Eq(1)).Update(t.Context(), text.Set("first"))
			return err
		})
		close(over)
		if err == nil {
			t.Error("its outcome is said to be known")
		}
	})

	t.Run("a run does not lose what it has read", func(t *testing.T) {
		second.Exec(t, "SELECT pg_wal_replay_pause()")
		sync("nobody") // so that a commit is seen by a replica while it is in progress on the primary
		defer sync("")
		go primary.Try("INSERT INTO notes (owner, text) VALUES (1, 'early')")
		for first.One(t, "SELECT count(*)::text FROM notes WHERE text = 'early'") != "1" {
			time.Sleep(20 * time.Millisecond)
		}
		const count = `notes.where(n => n.text === "early").count()`
		for end := time.Now().Add(10 * time.Second); time.Now().Before(end); { // replicas take turns, and the first one, with number 2, has to be next
			if o := run(t, db, false, count, nil); len(o.SQL) > 0 && o.SQL[0].Replica == 1 {
				break
			}
		}
		o := run(t, db, false, `const a = await `+count+`; await between.call(); return [a, await `+count+`]`, func() { first.Stop(t) })
		if o.JSON == "[1,0]" || len(o.SQL) == 0 || o.SQL[0].Replica != 2 {
			t.Logf("%s %v %v", o.JSON, o.SQL, o.Result.Err)
			t.Error("a row that the run had read is gone")
		}
		first.Start(t)
		second.Exec(t, "SELECT pg_wal_replay_resume()")
	})

	t.Run("a replica that hangs", func(t *testing.T) {
		primary.Caught(t, first)
		primary.Caught(t, second)
		alone := open(t, primary, first.URL)
		answers(t, alone, first)
		pids := first.One(t, "SELECT string_agg(pid::text, ' ') FROM pg_stat_activity")
		signal := func(s syscall.Signal) {
			for _, p := range strings.Fields(pids) {
				n, _ := strconv.Atoi(p)
				_ = syscall.Kill(n, s)
			}
		}
		signal(syscall.SIGSTOP)
		defer signal(syscall.SIGCONT)
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		defer cancel()
		if n, err := exosql.Grant(alone, notes, owner.Eq(1)).Where(text.Eq("first")).Count(ctx); err != nil || n != 1 {
			t.Errorf("the primary does not answer: %d %v", n, err)
		}
	})

	t.Run("the primary's URL leads to a standby", func(t *testing.T) {
		url := fmt.Sprintf("postgres://postgres@127.0.0.1:%d,127.0.0.1:%d/postgres?sslmode=disable", primary.Port, second.Port)
		both, err := exosql.Open(t.Context(), url, &exosql.OpenOptions{Replicas: []string{second.URL}, Witness: true})
		if err != nil {
			t.Fatal(err)
		}
		defer both.Close()
		second.Exec(t, "SELECT pg_wal_replay_pause()")
		primary.Exec(t, "INSERT INTO notes (owner, text) VALUES (1, 'mine')")
		primary.Stop(t)
		for range 5 {
			if n, err := exosql.Grant(both, notes, owner.Eq(1)).Where(text.Eq("mine")).Count(t.Context()); err == nil {
				t.Fatalf("an old state is read: %d rows", n)
			}
			time.Sleep(50 * time.Millisecond)
		}
		if _, err := both.Committed(t.Context(), exo.RunID{1}); err == nil || strings.Contains(err.Error(), "nothing was kept") {
			t.Errorf("Committed answers what it does not know: %v", err)
		}
	})
}
