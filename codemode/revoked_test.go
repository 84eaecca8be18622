package codemode_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/revoke"
	"github.com/exoagent/exoagent/exo/service"
	"github.com/exoagent/exoagent/exo/store"
	"github.com/exoagent/exoagent/exoeval"
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
			if got := strings.Contains(string(out), `"kind":"revoked"`); got != listed || strings.Contains(string(out), "wrote to everyone") {
				t.Errorf("the next call: %s", out)
			}
		})
	}
}
