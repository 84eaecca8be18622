package replay_test

import (
	"bytes"
	"context"
	"regexp"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/record"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/exoeval/replay"
	"github.com/exoagent/exoagent/exoeval/worker"
	"github.com/exoagent/exoagent/internal/corpus"
	"github.com/exoagent/exoagent/internal/testutil"
)

// kept is a record in memory that keeps replies.
type kept struct {
	*record.Lines
	b *bytes.Buffer
}

func newKept() kept {
	b := &bytes.Buffer{}
	k := kept{record.New(b), b}
	k.KeepReplies(record.Replies{})
	return k
}

// entries reads the entries of the record, and empties it.
func (k kept) entries(t fataler) (es []exo.Entry) {
	t.Helper()
	for e, err := range record.Read(bytes.NewReader(k.b.Bytes())) {
		if err != nil {
			t.Fatal(err)
		}
		es = append(es, e)
	}
	k.b.Reset()
	return es
}

// fataler is a testing.T or a rapid.T.
type fataler interface {
	Helper()
	Context() context.Context
	Logf(string, ...any)
	Errorf(string, ...any)
	Fatal(...any)
}

// equal replays a run in process and in a worker, and fails if it differs from its record. It returns whether the run could be replayed.
func equal(t fataler, pool *worker.Pool, what string, es []exo.Entry) (replayed bool) {
	t.Helper()
	var here, there string
	for name, e := range map[*string]exoeval.Evaluator{&here: exoeval.InProcess{}, &there: pool} {
		d, err := replay.Run(t.Context(), es, replay.Options{Evaluator: e, AnyVersion: true})
		switch {
		case err != nil:
			*name = err.Error()
		case d != nil:
			t.Errorf("%s: %v", what, d)
			*name = d.String()
		default:
			*name, replayed = "equal", true
		}
	}
	if here != there {
		t.Errorf("%s: %s in process, %s in a worker", what, here, there)
	}
	if !replayed {
		t.Logf("%s: %s", what, here)
	}
	return replayed
}

// newPool makes a pool whose processes run many programs.
func newPool(t *testing.T) *worker.Pool {
	pool, err := worker.NewPool(worker.PoolOptions{Reuse: worker.Reuse{Programs: 10_000, Within: time.Hour}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = pool.Close() })
	return pool
}

var limitsLine = regexp.MustCompile(`(?m)^// limits: *(.*)$`)

// TestCorpora: whatever the programs of the corpora do, they do it again from their records, in both evaluators.
func TestCorpora(t *testing.T) {
	testutil.NotQuick(t)
	testutil.NotRaced(t)
	db, pool := testutil.Open(t), newPool(t)
	programs, replayed, share := 0, 0, testutil.OneIn(t, 4)
	var mu sync.Mutex
	for _, folder := range []string{"eval", "attacks"} {
		for _, f := range testutil.Corpus(t, folder, ".js") {
			text := f.Read()
			limits := testutil.Both{}
			if m := limitsLine.FindStringSubmatch(text); m != nil {
				var err error
				if limits, err = testutil.ParseLimits(m[1]); err != nil {
					t.Fatal(err)
				}
			}
			chunks, _ := testutil.Chunks(text)
			if folder == "attacks" {
				chunks = chunks[:1]
			}
			var wg sync.WaitGroup
			busy := make(chan struct{}, runtime.GOMAXPROCS(0))
			for _, chunk := range chunks {
				if !share.Next(folder) {
					continue
				}
				program, _, err := testutil.Cut(chunk)
				if err != nil {
					t.Fatal(err)
				}
				to := newKept()
				gate, err := exo.NewGate(exo.Config{Grants: testutil.Tenant(db, testutil.Acme), Limits: limits.Limits, Record: to})
				if err != nil {
					t.Fatal(err)
				}
				busy <- struct{}{}
				wg.Go(func() {
					defer func() { <-busy }()
					testutil.InProcess(gate, limits.Bounds).Run(t.Context(), exoeval.Job{Program: program, Run: exo.Run{Clock: testutil.Start, Seed: 7}})
					if es := to.entries(t); len(es) > 0 && equal(t, pool, f.Name+": "+program, es) {
						mu.Lock()
						replayed++
						mu.Unlock()
					}
				})
				programs++
			}
			wg.Wait()
		}
	}
	if replayed < programs*9/10 || replayed < 75 {
		t.Errorf("%d of %d programs were replayed", replayed, programs)
	}
}

// TestPrograms: programs of models are replayed, on both engines.
func TestPrograms(t *testing.T) {
	testutil.NotQuick(t)
	pool := newPool(t)
	testutil.Engines(t, func(t *testing.T, e testutil.Engine) {
		db, ids := corpus.Todos.Open(t, e)
		to, by := newKept(), map[int64]*codemode.Tool{}
		for _, id := range ids {
			var err error
			if by[id], err = codemode.New(corpus.Todos.Grants(db, id), &codemode.Options{Record: to}); err != nil {
				t.Fatal(err)
			}
		}
		for _, p := range corpus.Read(t, "../../testdata/programs/simple", 40) {
			by[p.As].Run(t.Context(), p.Source)
			if !equal(t, pool, p.Name, to.entries(t)) {
				t.Errorf("%s was not replayed", p.Name)
			}
		}
	})
}
