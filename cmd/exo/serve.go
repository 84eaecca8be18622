package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/exoagent/exoagent/cmd/exo/internal/approvalscmd"
	"github.com/exoagent/exoagent/cmd/exo/internal/export"
	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/codemode/agent"
	"github.com/exoagent/exoagent/codemode/mcp"
	core "github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/review"
	"github.com/exoagent/exoagent/exo/store"
	"github.com/exoagent/exoagent/exo/store/postgres"
	"github.com/exoagent/exoagent/exoeval/worker"
	"github.com/exoagent/exoagent/internal/buildinfo"
	"github.com/exoagent/exoagent/internal/cli"
	"github.com/exoagent/exoagent/internal/clients"
	"github.com/exoagent/exoagent/internal/grantfile"
	"github.com/exoagent/exoagent/internal/grantfile/stores"
)

func serveCommand() cli.Command {
	return cli.Command{
		Name:  "serve",
		Args:  "[FILE]",
		Short: "serve what a grant file grants to a client of the Model Context Protocol",
		Long: `Serves the tool of a grant file (default: exo.yaml) to one client on standard input and output, for the principal that -as
names; or with -http to many clients, each request for the principal of its bearer token. The file has to say who is let in
(serve: issuers, tokens); where it does not, -as names the one principal, the token is that of the variable EXO_TOKEN or made at
start and printed, and the address has to be of this machine. A file with reviewed: false is not served.
Where the kernel gives no wall round the processes of programs, the file has to say wall: container, or wall: none.
-client prints how a client starts exo serve with this file and -as, and with -install adds it to the client, as exo try does.

examples:
  exo serve exo.yaml -as org=5,user=1
  exo serve exo.yaml -as org=5,user=1 -client cursor -install
  exo serve exo.yaml -http 127.0.0.1:8642
`,
		Exits: "exit codes:\n  0  the client has gone, or SIGTERM came\n  1  the file is wrong, or nobody has reviewed it\n  2  the command line is wrong\n  3  the file, a database or the address can't be used\n",
		Flags: func(fs *flag.FlagSet) cli.Action {
			o := &serveOptions{}
			fs.StringVar(&o.as, "as", "", "`CLAIMS`: the principal, like org=5,user=1")
			fs.StringVar(&o.http, "http", "", "`ADDRESS`: serve HTTP there, like 127.0.0.1:8642")
			fs.DurationVar(&o.labels, "labels", 24*time.Hour, "`TIME`: how long a client's programs keep the labels of what it was shown, where the file says admits")
			fs.StringVar(&o.labelStore, "label-store", "", "`FOLDER`, or the URL of a PostgreSQL database (postgres://HOST/DATABASE, without a password, which PGPASSWORD or PGPASSFILE has): where these labels are kept when exo ends (default: a folder, named as the record, or else the grant file, with .labels behind)")
			fs.StringVar(&o.distrust, "distrust", "", distrustUsage+"; nobody here sees when a client's user speaks again, so answer and chat are both for -labels")
			fs.DurationVar(&o.drain, "drain", 30*time.Second, "`TIME`: how long programs that run may go on after SIGTERM")
			fs.DurationVar(&o.notice, "notice", 0, "`TIME`: how long requests are still taken after SIGTERM, while /healthz says that they should not come: longer than the time between two looks of a proxy")
			o.clientFlags(fs, "exo serve, in place of serving")
			return o.run
		},
		Values: map[string][]string{"": {cli.AnyFile}, "-client": clients.Names()},
	}
}

type serveOptions struct {
	clientOptions
	as, http   string
	labels     time.Duration
	labelStore string
	distrust   string
	drain      time.Duration
	notice     time.Duration
	tools      *tools // the tools for the file that is served
}

func (o *serveOptions) run(ctx context.Context, std cli.Stdio, args []string) error {
	path, err := fileOf(args)
	if err != nil {
		return err
	}
	if o.labels <= 0 {
		return cli.Usagef("-labels: want a time of more than 0, like 24h")
	}
	if o.notice < 0 || o.drain < 0 {
		return cli.Usagef("-notice and -drain: want a time of 0 or more, like 30s")
	}
	if o.notice > 0 && o.http == "" {
		return cli.Usagef("-notice is only for -http ADDRESS: leave -notice out")
	}
	if err := o.checkClient(); err != nil {
		return err
	}
	f, err := readGrants(path)
	if err != nil {
		return err
	}
	if err := checkDistrust(o.distrust); err != nil {
		return err
	}
	f.Distrust = cmp.Or(o.distrust, f.Distrust)
	if !f.Reviewed {
		return &cli.Failure{Code: cli.ExitFound, Err: fmt.Errorf("nobody has reviewed %s: read what exo show and exo validate print about it, and if the file grants what you want, write `reviewed: true` into it", path)}
	}
	if o.client != "" {
		return o.giveServe(ctx, std, f, path)
	}
	return o.serveFile(ctx, std, f, path, nil)
}

// giveServe prints the entry with which a client serves the file, or adds it to the client.
func (o *serveOptions) giveServe(ctx context.Context, std cli.Stdio, f *grantfile.File, path string) error {
	if o.http != "" || o.labelStore != "" {
		return cli.Usagef("-client makes an entry without -http and -label-store: leave these out, and add -label-store to the entry by hand")
	}
	if _, err := f.ParseClaims(o.as); err != nil {
		return cli.Usagef("-client needs -as: %s", grantfile.Reason(err))
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	args, env := []string{"serve", path, "-as", o.as, "-labels", o.labels.String(), "-drain", o.drain.String()}, ""
	if o.distrust != "" {
		args = append(args, "-distrust", o.distrust)
	}
	for _, db := range f.Databases {
		if db.URL.Kind == "env" && env != "" || slices.ContainsFunc(db.Replicas, func(at grantfile.Secret) bool { return at.Kind == "env" }) {
			return errors.New("-client: a client's entry can set only the variable of one database's `url`: move the other URLs, and those of replicas, into files, and write file:PATH in place of env:NAME")
		} else if db.URL.Kind == "env" {
			env = db.URL.Name
		}
	}
	if o.install && env != "" && os.Getenv(env) == "" {
		return fmt.Errorf("-install: the variable %s is not set: set it to the URL of the database, which exo copies to the entry without a password", env)
	}
	return o.give(ctx, std, clients.Entry{Args: args, Var: env, URL: os.Getenv(env)})
}

// serveFile serves a file. The caller has checked that a person has agreed to it.
func (o *serveOptions) serveFile(ctx context.Context, std cli.Stdio, f *grantfile.File, path string, opt *grantfile.Options) error {
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGTERM, os.Interrupt)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	log := &serveLog{to: std.Err}
	serve, identify, err := o.clients(f, log)
	if err != nil {
		return err
	}
	t, err := openTools(ctx, std, f, identify, opt)
	if err != nil {
		return err
	}
	defer t.close()
	o.tools = t
	kept, err := o.keptLabels(ctx, f, path)
	if err != nil {
		return found(err)
	}
	if kept != nil {
		defer kept.Close()
	}
	s, err := mcp.New(mcp.Config{Name: cli.ProgramName, Version: moduleVersion(), Tool: t.tool, Labels: o.labels, LabelStore: kept, Believe: distrustOf(f.Distrust) == agent.DistrustNothing, OnHiddenError: log.unshown(time.Now)})
	if err != nil {
		return err
	}
	served := export.Served{Version: moduleVersion(), Pool: t.pool, Failed: log.exports(time.Now)}
	if waiting := t.stores.Pending; waiting != nil {
		served.Keeper = waiting.Keeper
	}
	ctx, ended, err := export.Start(ctx, served)
	if err != nil {
		return err
	}
	defer ended()
	return serve(ctx, std, s)
}

// keptLabels opens the store of the labels that clients were shown. It returns nil if labels restrict nothing in this file.
func (o *serveOptions) keptLabels(ctx context.Context, f *grantfile.File, path string) (kept store.Store, err error) {
	if len(f.Admits) == 0 && (distrustOf(f.Distrust) == agent.DistrustNothing || !f.Wary()) {
		return nil, nil
	}
	at := cmp.Or(o.labelStore, cmp.Or(f.Record, path)+".labels")
	if strings.HasPrefix(at, "postgres://") || strings.HasPrefix(at, "postgresql://") {
		kept, err = postgres.Open(ctx, at, nil)
	} else {
		kept, err = store.OpenFolder(at, &store.LocalOptions{Shared: true})
	}
	if err != nil {
		return nil, fmt.Errorf("-label-store: %w. The store of labels lists what clients were shown: remove it only when no model remembers that", err)
	}
	return kept, nil
}

// serving serves until the clients have gone or the context ends.
type serving func(context.Context, cli.Stdio, *mcp.Server) error

// identifying returns the principal of a client's identity.
type identifying func(mcp.Identity) (grantfile.Principal, error)

// clients returns how clients are served, and how each is identified.
func (o *serveOptions) clients(f *grantfile.File, log *serveLog) (serving, identifying, error) {
	if o.http != "" {
		return o.overHTTP(f, log)
	}
	p, err := f.ParseClaims(o.as)
	if err != nil {
		return nil, nil, cli.Usagef("-as: %s", grantfile.Reason(err))
	}
	who := mcp.Identity{Issuer: "exo serve", Subject: "stdio for " + string(p.Name())} // stays the same after a restart, so that the labels stay, too
	return func(ctx context.Context, std cli.Stdio, s *mcp.Server) error {
		in, ok := std.In.(io.ReadCloser)
		if !ok {
			in = io.NopCloser(std.In)
		}
		log.say("%s is served on standard input and output", f.Name)
		// Standard output gets only messages of the protocol, unchanged, since unprintable characters are already escaped in them.
		return s.ServeStdio(ctx, who, in, keptOpen{cli.Terminal(std.Out)})
	}, func(mcp.Identity) (grantfile.Principal, error) { return p, nil }, nil
}

// keptOpen is a writer with a Close that does nothing, so that standard output stays open.
type keptOpen struct{ io.Writer }

func (keptOpen) Close() error { return nil }

// serveLog writes to standard error, for several goroutines.
type serveLog struct {
	mu sync.Mutex
	to io.Writer
}

func (l *serveLog) say(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	fmt.Fprintf(l.to, cli.ProgramName+" serve: "+format+"\n", args...)
}

// maxTools is how many principals' tools are kept. A tool that is not kept is made again.
const maxTools = 256

// tools has the tools of principals. Each tool is made when it is first needed.
type tools struct {
	d        *grantfile.Declared
	pool     *worker.Pool
	record   core.Recorder
	closing  func() error // closes the record
	stores   *stores.Stores
	identify identifying

	mu   sync.Mutex
	made map[core.Principal]*codemode.Tool
	last []core.Principal // the principals in made, oldest first
}

// poolOf makes the pool of programs' processes. If the exo-worker of this exo's release is in the same folder, the processes start from it, because
// it initialises less than exo. Any other file there may have other walls. So it is not started, and PATH is not searched. The note is for the
// operator if there is such a file.
func poolOf(require worker.Isolation) (p *worker.Pool, note string, err error) {
	o := worker.PoolOptions{Require: require}
	if self, err := os.Executable(); err == nil && buildinfo.Worker != "" {
		o.Binary, o.BinarySHA256 = filepath.Join(filepath.Dir(self), "exo-worker"), buildinfo.Worker
		if p, err = worker.NewPool(o); !errors.Is(err, worker.ErrBinary) {
			return p, "", err
		}
		if !errors.Is(err, fs.ErrNotExist) {
			why := errors.Unwrap(err)
			if both, ok := why.(interface{ Unwrap() []error }); ok { // ErrBinary, and why this file is refused
				why = both.Unwrap()[1]
			}
			note = fmt.Sprintf("%s serve: programs run in processes of exo itself, which start more slowly, since %s is not used: %v\n", cli.ProgramName, o.Binary, why)
		}
		o.Binary, o.BinarySHA256 = "", ""
	}
	p, err = worker.NewPool(o)
	return p, note, err
}

// openTools opens everything that all tools share: the databases, the processes of programs and the record.
func openTools(ctx context.Context, std cli.Stdio, f *grantfile.File, identify identifying, opt *grantfile.Options) (*tools, error) {
	t := &tools{identify: identify, made: map[core.Principal]*codemode.Tool{}, closing: func() error { return nil }}
	// The first process of a program starts while the catalogue is read.
	require := worker.Strong
	if f.Wall != grantfile.WallKernel {
		require = worker.Process
	}
	var note string
	pooled := make(chan error, 1)
	go func() {
		var err error
		t.pool, note, err = poolOf(require)
		pooled <- err
	}()
	var err error
	t.d, err = openGrants(ctx, std, f, opt)
	walls := <-pooled
	fmt.Fprint(std.Err, note)
	if walls != nil {
		walls = fmt.Errorf("this machine can't isolate programs as the file asks: %w. exo doctor lists the walls that are missing; with `wall: container` or `wall: none` in the file, programs run without them", walls)
		err = errors.Join(err, walls)
	}
	if err == nil {
		var rec kept
		if rec, err = recordOf(ctx, f); rec != nil {
			t.record, t.closing = rec, rec.Close
			if err = settle(ctx, std, rec, t.d); err == nil {
				err = keep(std, rec, f)
			}
		} else if f.Writes() {
			t.record = core.Unrecorded // used if the file names no record
		}
	}
	if err == nil {
		t.stores, err = stores.Open(ctx, f, t.d.Notify)
	}
	if err == nil && t.stores.Pending != nil && len(t.d.Witnesses) == len(f.Databases) {
		_, err = approvalscmd.Settle(ctx, t.stores.Pending.Keeper, t.d)
	}
	if err != nil {
		t.close()
		return nil, err
	}
	t.d.Deliver(func(err error) {
		fmt.Fprintln(std.Err, "delivering messages:", strings.TrimPrefix(err.Error(), "outbox: "))
	})
	return t, nil
}

func (t *tools) close() {
	if t.pool != nil {
		t.pool.Close() // closed first, since running programs use the databases
	}
	if t.d != nil {
		t.d.Close()
	}
	t.closing()
	t.stores.Close()
}

// tool returns the tool of an identity, for mcp.Config.
func (t *tools) tool(_ context.Context, who mcp.Identity) (*codemode.Tool, error) {
	p, err := t.identify(who)
	if err != nil {
		return nil, err
	}
	return t.of(p)
}

// of returns the tool of a principal.
func (t *tools) of(p grantfile.Principal) (*codemode.Tool, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if had := t.made[p.Name()]; had != nil {
		return had, nil
	}
	grants, err := t.d.Grants(p)
	if err != nil {
		return nil, err
	}
	opt := t.d.File.ToolOptions(p)
	opt.Evaluator, opt.Record = t.pool, t.record
	t.stores.Into(&opt)
	tool, err := codemode.New(grants, &opt)
	if err != nil {
		return nil, err
	}
	if len(t.last) == maxTools {
		delete(t.made, t.last[0])
		t.last = t.last[1:]
	}
	t.made[p.Name()], t.last = tool, append(t.last, p.Name())
	return tool, nil
}

// apply runs the program of a change set again, after a person on the page has agreed.
func (t *tools) apply(ctx context.Context, w review.ChangeSet, seen string, by review.Approver) (*codemode.Result, error) {
	p, err := t.d.File.PrincipalNamed(w.Principal)
	if err != nil {
		return nil, err
	}
	tool, err := t.of(p)
	if err != nil {
		return nil, err
	}
	return tool.Apply(ctx, w.ID, seen, by)
}

func moduleVersion() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "dev"
}
