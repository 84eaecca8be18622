package mcpclient

// This file has the declaration of a server by its host, and the object that programs call.

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/changeset"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/internal/fair"
	"github.com/exoagent/exoagent/internal/scalar"
	"github.com/exoagent/exoagent/internal/wall"
)

// Server declares an MCP server. A tool that is in none of its three lists does not exist for programs, whatever the server claims.
type Server struct {
	Name string // the name of the server's interface, like GitHub
	Doc  string // one line for readers of the declarations

	Command *Command     // a process that communicates over its standard input and output; set this or URL
	URL     string       // the address of a server over HTTP
	Client  *http.Client // with URL: the client that decides on addresses and adds credentials; redirects are not followed

	Reads     []string // the tools that change nothing; they are called at once
	Acts      []string // the tools that change something; they are called once, after the program has succeeded
	Immediate []string // the tools that change something and give programs an answer that they need; they are called at once, and are not undone

	// Approve lists the tools in Acts that a person must agree to before they are called (package review). Approvers describes who may agree.
	Approve   []string
	Approvers changeset.Who

	// Pin is the digest of the listed tools, with their descriptions and schemas. If the server's tools differ, Open returns
	// a *PinError with the new digest, which a person may pin after reading the tools.
	Pin string

	Label  value.Label // labels of all answers, in addition to value.Untrusted
	Admits value.Label // the labels that may leave to the server; zero: only public values
	Bounds Bounds

	all bool // only list all tools, without comparing them with the pin
}

// Command is a program that runs as a server. It gets only the environment variables listed here. On Linux, walls limit the program to the files and the
// network listed here; [Object.Missing] lists the walls that a system lacks. Elsewhere there are no walls, and the program can do everything that its
// user can. Require lists the walls without which the program is not started:
//
//   - "files": the kernel refuses all files but those of Path, Read and Write (Landlock; Linux 6.2)
//   - "network": the kernel refuses all sockets, unless Network is set
//   - "system calls": the kernel refuses those that reach beyond the process, like mounts, tracing and new namespaces (seccomp; amd64, arm64)
//   - "resources": the kernel bounds the memory, open files and written files of each process
//   - "tied": the kernel ends the process with its host
//   - "apart": its processes see and signal no others, and all end with the first (namespaces, which some systems forbid)
type Command struct {
	Path    string   // the program: an absolute path
	Args    []string // the arguments of the program
	Env     []string // the whole environment, as NAME=value; on Windows most programs need SYSTEMROOT
	Dir     string   // the working folder; "": the root
	Read    []string // files and folders that the process may read and execute, including its libraries
	Write   []string // files and folders that the process may read and change
	Network bool     // allows IPv4 and IPv6 to every address, including this machine's
	Memory  uint64   // most bytes of memory of each process, not counting shared memory; 0: 1 GiB
	Require []string // the walls without which the process is not started
	Errors  *os.File // gets up to 16 MiB of the error output, unchanged; nil: the output is dropped
}

// Bounds are the limits on a server. A zero field means its default.
type Bounds struct {
	Bytes      int           // most bytes of one answer; 1 MiB
	Items      int           // most values in one answer; 10,000
	Call       time.Duration // longest time for one call; 60 s
	Start      time.Duration // longest time until the server has listed its tools; 30 s
	Concurrent int           // most calls at a time; one principal has at most half of them; 8
	Messages   int           // most messages in a second that answer no call; 1,000
}

// These are the errors of a server that broke a rule. For the host, errors of calls wrap them. A program reads the texts of the first three (see refuse) and of ErrTool (see failed), and of the others only the Kind.
var (
	ErrTooLarge  = errors.New("mcpclient: the server's answer is larger than Server.Bounds allows")
	ErrFlood     = errors.New("mcpclient: the server sent more messages than Server.Bounds allows")
	ErrTimeout   = errors.New("mcpclient: the server did not answer in time")
	ErrMalformed = errors.New("mcpclient: the server sent something that breaks the protocol MCP")
	ErrMismatch  = errors.New("mcpclient: the server's answer does not have its declared type")
	ErrAsks      = errors.New("mcpclient: the server asked for input before it answers, and this client gives none")
	ErrEnded     = errors.New("mcpclient: the server can't be reached")
	ErrTool      = errors.New("mcpclient: the tool answered with an error")
)

// Object is a server as an exo.Object. Make it with [Open].
type Object struct {
	server      Server
	description message.Description
	tools       map[string]*tool
	life        context.Context
	stop        context.CancelFunc
	turns       *fair.Queue[exo.Principal] // the calls that are open or wait
	linking     chan struct{}              // held while link is checked or made
	link        *link
	refused     error      // the reason why the server is not used any more
	missing     wall.Walls // the walls that the last process lacked
}

var _ exo.Object = (*Object)(nil)

// maxWaiting is how many calls of one principal may wait.
const maxWaiting = 100

// Open connects to a server, compares its tools with the pin, and makes types for them. The server is stopped when ctx ends, or by Close.
func Open(ctx context.Context, s Server) (*Object, error) {
	if err := s.complete(); err != nil {
		return nil, err
	}
	s.Bounds = s.Bounds.filled()
	life, stop := context.WithCancel(ctx)
	o := &Object{server: s, life: life, stop: stop, turns: fair.New[exo.Principal](fair.Config{Places: s.Bounds.Concurrent, Share: (s.Bounds.Concurrent + 1) / 2, PerMember: maxWaiting, Total: 10 * maxWaiting}), linking: make(chan struct{}, 1)}
	l, err := o.connect(ctx)
	if o.link = l; err == nil {
		err = o.describe(l.tools)
	}
	if err != nil {
		o.Close()
		return nil, fmt.Errorf("mcpclient: %s: %w", s.Name, err)
	}
	return o, nil
}

// Tools returns all tools that a server offers, as JSON, for a person who decides about them. digest is the digest of the tools that s lists. The tools
// and the digest come from the same answer of the server. Tools calls no tool.
func Tools(ctx context.Context, s Server) (tools []byte, digest string, err error) {
	s.all = true
	_, err = Open(ctx, s)
	if refused, ok := errors.AsType[*PinError](err); ok {
		return refused.Tools, refused.Digest, nil
	}
	return nil, "", err
}

// complete checks a declaration.
func (s *Server) complete() error {
	bad := func(format string, args ...any) error {
		return fmt.Errorf("mcpclient: %s: %s", s.Name, fmt.Sprintf(format, args...))
	}
	used := s.used()
	slices.Sort(used)
	switch {
	case scalar.ReservedName(s.Name) || s.Name[0] < 'A' || s.Name[0] > 'Z':
		return bad("want a name of letters and digits that begins with a capital letter, like Tracker")
	case min(s.Bounds.Bytes, s.Bounds.Items, int(s.Bounds.Call), int(s.Bounds.Start), s.Bounds.Concurrent, s.Bounds.Messages) < 0:
		return bad("a field of Bounds is negative: want 0 or more")
	case (s.Command == nil) == (s.URL == ""):
		return bad("want either a Command or a URL, not both")
	case len(used) == 0 && !s.all:
		return bad("want at least one tool in Reads, Acts or Immediate")
	case len(slices.Compact(slices.Clone(used))) < len(used):
		return bad("a tool is listed twice: write each tool once, in Reads, Acts or Immediate")
	case slices.ContainsFunc(s.Approve, func(tool string) bool { return !slices.Contains(s.Acts, tool) }):
		return bad("Approve has a tool that is not in Acts: only a call that waits for the end of the program can be shown to a person first")
	case len(s.Label.Unnamed()) > 0:
		return bad("Label has a tag with a kind of readers after the @, and no ids of readers (%s): leave the @ part out", s.Label)
	case !s.Label.Secrecy().FlowsTo(s.Admits):
		return bad("Label gives the answers the label %s, which Admits lacks, so no call could be sent: add the label to Admits", s.Label.Secrecy().Without(s.Admits).List())
	case s.Command != nil:
		return nil
	}
	u, err := url.Parse(s.URL)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.User != nil || u.Fragment != "" {
		return bad("want a URL like https://HOST/PATH or http://HOST/PATH, without a user and without #") // the address is not quoted, since it may contain a password
	}
	if s.Client == nil {
		return bad("a server with a URL needs a Client, which sends the requests: set Client")
	}
	return nil
}

// filled returns the bounds with the default in each zero field.
func (b Bounds) filled() Bounds {
	return Bounds{min(cmp.Or(b.Bytes, 1<<20), 1<<50), cmp.Or(b.Items, 10_000), cmp.Or(b.Call, time.Minute), cmp.Or(b.Start, 30*time.Second), cmp.Or(b.Concurrent, 8), cmp.Or(b.Messages, 1000)}
}

// used returns the names of the tools that programs may call.
func (s *Server) used() []string { return slices.Concat(s.Reads, s.Acts, s.Immediate) }

// Describe implements exo.Object.
func (o *Object) Describe() (message.Description, error) {
	if o == nil || o.description.Type == nil {
		return message.Description{}, errors.New("mcpclient: the zero Object can't be used: make one with Open")
	}
	return o.description, nil
}

// Missing returns the names of the walls, listed at [Command], that the server's process lacks on this system.
func (o *Object) Missing() []string {
	if o == nil || o.linking == nil { // the zero Object has no process
		return nil
	}
	o.linking <- struct{}{}
	defer func() { <-o.linking }()
	return o.missing.Names()
}

// Close closes the connection and stops the process.
func (o *Object) Close() {
	if o == nil || o.linking == nil {
		return
	}
	o.stop()
	o.linking <- struct{}{}
	defer func() { <-o.linking }()
	o.drop(o.link)
}

// asked returns the tool that a message names, and its arguments.
func (o *Object) asked(m *exo.Message) (*tool, json.RawMessage, error) {
	if o == nil || m.Root.Recv.Op != message.OpRef || o.tools[m.Root.Name] == nil {
		return nil, nil, fail.ErrDenied
	}
	args := json.RawMessage("{}")
	if len(m.Root.Args) > 0 {
		var err error
		a := m.Root.Args[0]
		if args, err = a.Lit.AppendJSON(nil); err != nil || a.Op != message.OpLit {
			return nil, nil, &fail.Error{Kind: fail.Invalid, Msg: "the argument must be plain data: await calls first, and pass their results", Err: exo.ErrNothingDone}
		}
	}
	return o.tools[m.Root.Name], args, nil
}

// Eval calls the tool that the message names.
func (o *Object) Eval(ctx context.Context, m *exo.Message) (value.Value, error) {
	t, args, err := o.asked(m)
	if err != nil {
		return value.Value{}, err
	}
	// Each principal has a share of the calls, so that hanging calls of one principal do not block others.
	place, err := o.turns.Enter(m.Run().Principal, "")
	if err != nil {
		return value.Value{}, &fail.Error{Kind: fail.Limit, Msg: "too many calls to this server are waiting: await some before you make more", Err: fmt.Errorf("%w: %w", exo.ErrNothingDone, err)}
	}
	defer place.Leave()
	select {
	case <-place.Turn():
	case <-ctx.Done():
		return value.Value{}, fmt.Errorf("%w: %w", exo.ErrNothingDone, ctx.Err())
	}
	v, err := o.call(ctx, t, args, m.Key())
	if err != nil {
		return value.Value{}, err
	}
	rows := 0
	if v.Type() == value.TypeList {
		rows = v.Len()
	}
	return v, m.Spend(rows, v.Bytes())
}

// refuse makes the error for a server that broke a rule. It never wraps exo.ErrNothingDone, since it is unknown what the tool did.
func refuse(err error) error {
	kind, msg := fail.Internal, ""
	for _, limit := range []error{ErrTooLarge, ErrFlood, ErrTimeout} {
		if errors.Is(err, limit) {
			kind, msg = fail.Limit, strings.TrimPrefix(limit.Error(), "mcpclient: ")
		}
	}
	return &fail.Error{Kind: kind, Msg: msg, Err: err}
}

// failed makes the error for a tool that reports a failure. A program may read the server's text, since the label of the reply also
// covers errors. A held call fails after the program, without that label, so its error has no text.
func (t *tool) failed(text string) error {
	e := &fail.Error{Kind: fail.Invalid, Msg: "the tool answered with an error", Err: fmt.Errorf("%w: %s", ErrTool, scalar.Clip(strings.ToValidUTF8(text, "�"), maxText))}
	if t.effect != message.Held && text != "" {
		e.Msg = "the tool answered: " + scalar.Clip(strings.ToValidUTF8(text, "�"), maxText)
	}
	return e
}

// maxText is how many bytes the text of a tool's error, or a description, may have.
const maxText = 2000
