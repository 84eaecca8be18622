package worker_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/internal/testutil"
)

// A caller's deadline, a caller's cancel and our limit are told apart, whether the
// program waits or computes.
func TestWhoEndedTheRun(t *testing.T) {
	const long, short = time.Minute, 3 * time.Second // a start takes a second where much else runs
	for name, c := range map[string]struct {
		total   time.Duration
		context func(context.Context) (context.Context, context.CancelFunc)
		kind    fail.Kind
		says    string
		is, not error
	}{
		"our limit": {short, context.WithCancel, fail.Limit, "longer than 3s in all", fail.ErrLimit, context.DeadlineExceeded},
		"our limit, before the caller's": {short, func(ctx context.Context) (context.Context, context.CancelFunc) { return context.WithTimeout(ctx, long) },
			fail.Limit, "longer than 3s in all", fail.ErrLimit, context.DeadlineExceeded},
		"a deadline": {long, func(ctx context.Context) (context.Context, context.CancelFunc) {
			return context.WithTimeout(ctx, short)
		}, fail.Cancelled, "the deadline of its caller", context.DeadlineExceeded, context.Canceled},
		"a cancel": {long, func(ctx context.Context) (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancel(ctx)
			time.AfterFunc(short, cancel)
			return ctx, cancel
		}, fail.Cancelled, "cancelled", context.Canceled, context.DeadlineExceeded},
	} {
		limits := exoeval.Bounds{Wall: long, CPU: long, Total: c.total}
		for where, e := range map[string]exoeval.Runner{"worker": evaluator(t, &shop{}, limits, nil), "in process": testutil.InProcess(gateOf(t, &shop{}, exo.Limits{}), limits)} {
			for what, program := range map[string]string{"waiting": "await shop.wait()", "computing": "for (;;) {}", "both": "shop.wait(); for (;;) {}", "caught": "try { await shop.wait() } catch { return 1 }"} {
				t.Run(name+" "+where+" "+what, func(t *testing.T) {
					t.Parallel()
					ctx, cancel := c.context(context.Background())
					defer cancel()
					r := e.Run(ctx, exoeval.Job{Program: program})
					if r.Err == nil || fail.KindOf(r.Err) != c.kind || !strings.Contains(fail.GuestText(r.Err), c.says) || !errors.Is(r.Err, c.is) || errors.Is(r.Err, c.not) {
						t.Errorf("%v", r.Err)
					}
					if c.kind == fail.Cancelled && strings.Contains(fail.GuestText(r.Err), "in all") {
						t.Errorf("blames a limit: %v", r.Err)
					}
				})
			}
		}
	}
}

// TestTotalEnds: a program that waits for a service ends with Bounds.Total, long before its
// caller gives up.
func TestTotalEnds(t *testing.T) {
	e := evaluator(t, &shop{}, exoeval.Bounds{Total: 300 * time.Millisecond}, nil)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	if r := e.Run(ctx, exoeval.Job{Program: "await shop.wait()"}); fail.KindOf(r.Err) != fail.Limit {
		t.Errorf("%v", r.Err)
	}
}
