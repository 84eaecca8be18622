package control

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"runtime"
	"time"
)

// Statement is SQL with its arguments, which are texts.
type Statement struct {
	SQL  string   `json:"sql"`
	Args []string `json:"args,omitempty"`
}

// Job is a database and what a player asks of it.
type Job struct {
	Fill []Statement `json:"fill"`
	SQL  string      `json:"sql"`
	// Foreign is a query for the rows that are not to change. With one the statement may change rows.
	Foreign string `json:"foreign,omitempty"`
}

// Result is what the statement gave. Rows is an array of objects; Err is what
// SQLite says of the player's own statement, or "".
type Result struct {
	Rows  json.RawMessage `json:"rows,omitempty"`
	Count int             `json:"count"`
	Cut   bool            `json:"cut,omitempty"` // there are more rows
	Err   string          `json:"err,omitempty"`
	Limit bool            `json:"limit,omitempty"` // it ran out of time or memory
	// Changed says that Foreign gives something else after the statement than before.
	Changed bool `json:"changed,omitempty"`
}

// Bounds of one run.
const (
	wall      = 3 * time.Second
	processor = 2         // seconds
	memory    = 256 << 20 // bytes of address space more than at the start
	maxRows   = 200
	maxCell   = 4 << 10
	maxReply  = 4 << 20
	maxJob    = 1 << 20
)

const marker = "exoagent-challenge-control/1"

// ErrBreach says that the process was ended because it tried what no statement can
// make it try: a security event.
var ErrBreach = errors.New("control: a system call that no statement makes")

var errLost = errors.New("control: the process gave no answer")

// Run runs a job in a process of its own. An error says that nothing can be told
// of the statement; one that was ended for what it used is a Result with Limit.
func Run(ctx context.Context, job Job) (*Result, error) {
	in, err := json.Marshal(job)
	if err != nil {
		return nil, err
	}
	if len(in) > maxJob {
		return nil, fmt.Errorf("control: the job has %d bytes; the limit is %d", len(in), maxJob)
	}
	path, err := self()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, wall)
	defer cancel()
	// The kernel ends the process with the thread that started it.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	cmd := exec.CommandContext(ctx, path)
	cmd.Args = []string{marker}
	cmd.Env = []string{"GOMAXPROCS=1"}
	cmd.Dir = "/"
	cmd.Stdin = bytes.NewReader(in)
	cmd.WaitDelay = time.Second
	tie(cmd)
	out := &bounded{left: maxReply}
	cmd.Stdout = out
	err = cmd.Run()
	var res Result
	switch {
	case cmd.ProcessState != nil && breached(cmd.ProcessState):
		return nil, ErrBreach
	case err == nil && json.Unmarshal(out.b.Bytes(), &res) == nil:
		return &res, nil
	case ctx.Err() == context.DeadlineExceeded || errors.As(err, new(*exec.ExitError)) && ctx.Err() == nil:
		return &Result{Limit: true, Err: "the statement used more time or memory than there is"}, nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	}
	return nil, errLost
}

// bounded keeps what a process writes, up to a size: an attacker who took it over could
// write for ever.
type bounded struct {
	b    bytes.Buffer
	left int
}

func (w *bounded) Write(p []byte) (int, error) {
	if len(p) > w.left {
		return 0, io.ErrShortWrite
	}
	w.left -= len(p)
	return w.b.Write(p)
}
