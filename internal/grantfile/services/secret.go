package services

// This file finds secrets for processes.

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// text finds a secret for a process. An error has its place only.
func (x *Secret) text(ctx context.Context, env func(string) string) (text string, err error) {
	if x.Command == nil {
		text, err = x.From.Text(env)
	} else {
		ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
		defer cancel()
		var b []byte
		c := exec.CommandContext(ctx, x.Command[0], x.Command[1:]...)
		c.WaitDelay = time.Second // what it started may go on, and have its output
		b, err = c.Output()
		text = strings.TrimSpace(string(b))
	}
	if err != nil || text == "" {
		from := x.From.String()
		if x.Command != nil {
			from = "the command " + filepath.Base(x.Command[0])
		}
		return "", fmt.Errorf("%s gives nothing for the secret %s", from, x.Text)
	}
	return text, nil
}
