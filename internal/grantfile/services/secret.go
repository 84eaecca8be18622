package services

// This file reads secrets for processes.

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// text reads a secret for a process. An error contains only the secret's place.
func (x *Secret) text(ctx context.Context, env func(string) string) (text string, err error) {
	if x.Command == nil {
		text, err = x.From.Text(env)
	} else {
		ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
		defer cancel()
		var b []byte
		c := exec.CommandContext(ctx, x.Command[0], x.Command[1:]...)
		c.WaitDelay = time.Second // a process that the command started may continue and keep the output open
		b, err = c.Output()
		text = strings.TrimSpace(string(b))
	}
	if err != nil || text == "" {
		from := x.From.String()
		if x.Command != nil {
			from = "the command " + filepath.Base(x.Command[0])
		}
		return "", fmt.Errorf("%s gives no text for the secret %s", from, x.Text)
	}
	return text, nil
}
