package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"
	"time"

	"github.com/exoagent/exoagent/challenge/game"
	"github.com/exoagent/exoagent/challenge/web"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/schema"
)

// attack runs the programs of a folder against a challenge and prints a table. It plays .js and .ts files in the program lane, and .sql files
// in the filter lane, unless -lane names another.
func attack(ctx context.Context, args []string, stdout, stderr io.Writer) (int, error) {
	var at, target, lane string
	var together int
	f := newFlags("challenge attack", stderr, "challenge attack [flags] FOLDER")
	f.StringVar(&at, "at", "", "`URL` of a challenge that runs; default: one in this process")
	f.StringVar(&target, "target", game.DefaultTargets[0].ID, "`id` of the target")
	f.StringVar(&lane, "lane", "", "`lane` for all files: program, notice or filter")
	f.IntVar(&together, "together", 4, "send `N` attempts at a time")
	f.game()
	c, rest, err := f.parse(args)
	if err != nil {
		return 0, err
	}
	if len(rest) != 1 {
		return 0, errors.New("attack needs one folder of programs: challenge attack FOLDER")
	}
	files, err := programs(rest[0], game.Lane(lane))
	if err != nil {
		return 0, err
	}
	if at == "" {
		var stop func() error
		if at, stop, err = within(ctx, c, stderr); err != nil {
			return 0, err
		}
		defer stop()
	}
	p, err := newPlayer(ctx, at)
	if err != nil {
		return 0, err
	}
	defer p.leave()
	var wg sync.WaitGroup
	places := make(chan struct{}, max(1, together))
	for i := range files {
		places <- struct{}{}
		wg.Go(func() {
			defer func() { <-places }()
			files[i].got, files[i].err = p.play(ctx, target, files[i].lane, files[i].text)
		})
	}
	wg.Wait()
	return table(stdout, files)
}

type file struct {
	name, text string
	lane       game.Lane
	got        *game.Attempt
	err        error
}

func programs(dir string, lane game.Lane) (out []file, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	lanes := map[string]game.Lane{".js": game.Program, ".ts": game.Program, ".sql": game.Filter}
	for _, e := range entries {
		l, ok := lanes[filepath.Ext(e.Name())]
		if e.IsDir() || !ok {
			continue
		}
		b, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return nil, err
		}
		out = append(out, file{name: e.Name(), text: string(b), lane: cmp.Or(lane, l)})
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s has no .js, .ts or .sql file: name a folder with such programs", dir)
	}
	slices.SortFunc(out, func(a, b file) int { return strings.Compare(a.name, b.name) })
	return out, nil
}

// notPlayed are the kinds of attempts that the host, its database or its model could not finish. Such a failure is not a lost attempt.
var notPlayed = []string{fail.Internal.String(), fail.Cancelled.String(), fail.Crashed.String(), fail.Other.String()}

// table prints the outcome of each file. An attempt that was not played is an error, because the exit code would otherwise suggest that the
// walls held.
func table(w io.Writer, files []file) (int, error) {
	code := exitOK
	var errs []error
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "FILE\tLANE\tVERDICT\tKIND\tROWS\tMS\tKEY LEAKED")
	for _, f := range files {
		if f.err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", schema.Printable(f.name), f.err))
			fmt.Fprintf(t, "%s\t%s\tnot played\t\t\t\t\n", schema.Printable(f.name), f.lane)
			continue
		}
		verdict, leaked := "lost", "no"
		switch {
		case f.got.Leaked:
			verdict, leaked, code = "won", "yes", exitWon
		case f.got.State == game.Interrupted || slices.Contains(notPlayed, f.got.Verdict.Kind):
			errs = append(errs, fmt.Errorf("%s was not played: %s", schema.Printable(f.name), schema.Printable(f.got.Verdict.Message)))
			verdict = "not played"
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%d\t%.1f\t%s\n", schema.Printable(f.name), f.lane, verdict, schema.Printable(f.got.Verdict.Kind), f.got.Rows, f.got.Millis, leaked)
	}
	if err := errors.Join(append(errs, t.Flush())...); err != nil && code == exitOK {
		return 0, err
	}
	return code, nil
}

// within serves a challenge in a temporary folder, for one player, with high rates.
func within(ctx context.Context, c *config, stderr io.Writer) (at string, stop func() error, err error) {
	if c.data, err = os.MkdirTemp("", "exoagent-attack-"); err != nil {
		return "", nil, err
	}
	all := web.Rate{Burst: 1 << 20, Every: time.Microsecond}
	c.rates = web.Rates{Requests: all, Players: all, Attempts: all, AddressAttempts: all, Claims: all, AddressClaims: all, Each: 512}
	c.queue, c.control, c.model = 500, true, "none"
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, errors.Join(err, os.RemoveAll(c.data))
	}
	log := slog.New(slog.NewTextHandler(stderr, &slog.HandlerOptions{Level: slog.LevelError}))
	s, err := open(ctx, c, l.Addr().(*net.TCPAddr).Port, log)
	if err != nil {
		return "", nil, errors.Join(err, l.Close(), os.RemoveAll(c.data))
	}
	srv := server(s.server, log)
	var wg sync.WaitGroup
	wg.Go(func() { _ = srv.Serve(l) })
	return "http://" + l.Addr().String(), func() error {
		end, cancel := context.WithTimeout(context.Background(), endTime)
		defer cancel()
		err := errors.Join(srv.Shutdown(end), s.close(end))
		wg.Wait()
		client.CloseIdleConnections()
		return errors.Join(err, os.RemoveAll(c.data))
	}, nil
}
