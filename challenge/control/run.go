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

// Statement is SQL with its arguments, which are all texts.
type Statement struct {
	SQL  string   `json:"sql"`
	Args []string `json:"args,omitempty"`
}

// Job is a database and a player's statement.
type Job struct {
	Fill []Statement `json:"fill"`
	SQL  string      `json:"sql"`
	// Foreign is a query for the rows that must not change. If it is set, the statement may change rows.
	Foreign string `json:"foreign,omitempty"`
}

// Result is what the statement returned. Rows is an array of objects. Err is SQLite's error for the player's own statement, or "".
type Result struct {
	Rows  json.RawMessage `json:"rows,omitempty"`
	Count int             `json:"count"`
	Cut   bool            `json:"cut,omitempty"` // the statement has more rows
	Err   string          `json:"err,omitempty"`
	Limit bool            `json:"limit,omitempty"` // the statement ran out of time or memory
	// Changed reports that Foreign has another answer after the statement than before.
	Changed bool `json:"changed,omitempty"`
}

// These bound one run.
const (
	wall      = 3 * time.Second
	processor = 2         // the most processor time, in seconds
	memory    = 256 << 20 // the most bytes by which the address space may grow
	maxRows   = 200
	maxCell   = 4 << 10
	maxReply  = 4 << 20
	maxJob    = 1 << 20
)

const marker = "exoagent-challenge-control/1"

// ErrBreach is the error of Run if the process was ended because it tried what no statement does: a security event.
var ErrBreach = errors.New("control: the kernel ended the process for a system call that no statement makes")

var errLost = errors.New("control: the process gave no answer, so what the statement returned is unknown")

// Run runs a job in its own process. An error means that the statement's outcome is unknown. A statement that used too much is a Result with
// Limit.
func Run(ctx context.Context, job Job) (*Result, error) {
	in, err := json.Marshal(job)
	if err != nil {
		return nil, err
	}
	if len(in) > maxJob {
		return nil, fmt.Errorf("control: the job has %d bytes, and may have %d", len(in), maxJob)
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
		return &Result{Limit: true, Err: "the statement used more time or memory than it may"}, nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	}
	return nil, errLost
}

// bounded keeps a process's output up to a size, because an attacker who took the process over could write for ever.
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
