package codemode_test

import (
	"bytes"
	"context"
	"database/sql"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/review"
	"github.com/exoagent/exoagent/exo/revoke"
	"github.com/exoagent/exoagent/exo/service"
	"github.com/exoagent/exoagent/exo/store"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/exosql"
)

// TestRevoked: a program that runs when its principal is revoked has no effect, and reads why. The twin, whose tool has no list, has its effect.
func TestRevoked(t *testing.T) {
	for _, listed := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			l, sent, waits := revoke.In(store.NewMemory(nil), nil), 0, make(chan bool)
			mail, err := service.New("mail", "sends texts",
				service.Method("send", "sends", func(context.Context, service.None) (service.None, error) { sent++; return service.None{}, nil }),
				service.Read("wait", "waits", func(ctx context.Context, _ service.None) (service.None, error) {
					close(waits)
					select {
					case <-ctx.Done():
					case <-time.After(time.Minute):
					}
					return service.None{}, ctx.Err()
				}))
			if err != nil {
				t.Fatal(err)
			}
			opt := codemode.Options{Principal: "ann", Record: exo.Unrecorded, Evaluator: exoeval.InProcess{}, Bounds: exoeval.Bounds{Total: time.Hour}}
			if listed {
				opt.Revoked = l
			}
			tool, err := codemode.New(codemode.Grants{"mail": mail}, &opt)
			if err != nil {
				t.Fatal(err)
			}
			go func() {
				<-waits
				if err := l.Revoke(t.Context(), "ann", "she wrote to everyone"); err != nil {
					t.Error(err)
				}
			}()
			res := tool.Run(t.Context(), "await mail.send(); await mail.wait(); return 1")
			if revoked := fail.KindOf(res.Err) == fail.Revoked; revoked != listed || (sent == 0) != listed {
				t.Errorf("with a list %v: %v, %d mails", listed, res.Err, sent)
			}
			out, _ := tool.CallJob(t.Context(), codemode.Job{}, []byte(`{"code":"return 1"}`))
			if got := strings.Contains(string(out), `"kind":"revoked"`); got != listed || strings.Contains(string(out), "wrote to everyone") || strings.Contains(string(out), "run again") {
				t.Errorf("the next call: %s", out)
			}
		})
	}
}

// TestRevokedApply: a change that waits is not applied while its principal is revoked, and waits on. The principal hears no news of it meanwhile.
func TestRevokedApply(t *testing.T) {
	ctx := t.Context()
	db, err := exosql.Open(ctx, "sqlite::memory:", &exosql.OpenOptions{Images: 200, Setup: func(ctx context.Context, db *sql.DB) error {
		_, err := db.ExecContext(ctx, `CREATE TABLE todos (id INTEGER PRIMARY KEY, user_id INTEGER NOT NULL, title TEXT NOT NULL, completed BOOLEAN NOT NULL); INSERT INTO todos VALUES (1, 1, 'Pack', 0), (2, 1, 'Book', 1)`)
		return err
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	keeper, err := review.New(review.Options{Store: store.NewMemory(nil), Key: bytes.Repeat([]byte{1}, review.MinKey)})
	if err != nil {
		t.Fatal(err)
	}
	l := revoke.In(store.NewMemory(nil), nil)
	facet := exosql.NewFacet(Todos, "todo", TodoID, TodoTitle, TodoDone).AllowDelete().Approve(exosql.ApproveDeletes())
	tool, err := codemode.New(codemode.Grants{"todos": facet.Of(exosql.Grant(db, Todos, TodoOwner.Eq(1)))},
		&codemode.Options{Principal: "ann", Review: keeper, Record: exo.Unrecorded, Revoked: l, Evaluator: exoeval.InProcess{}})
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"1", "2"} {
		if res := tool.Run(ctx, "todos.where(t => t.id === "+id+").delete()"); fail.KindOf(res.Err) != fail.Pending {
			t.Fatal(res.Err)
		}
	}
	waits, err := tool.Pending(ctx)
	if err != nil || len(waits) != 2 {
		t.Fatal(len(waits), err)
	}
	bob := review.Approver{Name: "bob", How: review.Terminal}
	if err := l.Revoke(ctx, "ann", ""); err != nil {
		t.Fatal(err)
	}
	if res, err := tool.Apply(ctx, waits[0].ID, waits[0].Digest(), bob); res != nil || fail.KindOf(err) != fail.Revoked {
		t.Fatalf("applied: %v", err)
	}
	if err := tool.Reject(ctx, waits[1].ID, "not now", bob); err != nil {
		t.Fatal(err)
	}
	if out, _ := tool.CallJob(ctx, codemode.Job{}, []byte(`{"code":"return 1"}`)); strings.Contains(string(out), "not now") {
		t.Errorf("a revoked principal hears what became of its changes: %s", out)
	}
	if err := l.Restore(ctx, "ann"); err != nil {
		t.Fatal(err)
	}
	if out, _ := tool.CallJob(ctx, codemode.Job{}, []byte(`{"code":"return 1"}`)); !strings.Contains(string(out), "not now") {
		t.Errorf("the news is lost: %s", out)
	}
	if res, err := tool.Apply(ctx, waits[0].ID, waits[0].Digest(), bob); err != nil || res.Err != nil {
		t.Errorf("not applied after that: %v", err)
	}
}
