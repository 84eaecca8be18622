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
		return x.From.Text(env, "the text of the secret "+x.Text)
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	c := exec.CommandContext(ctx, x.Command[0], x.Command[1:]...)
	c.WaitDelay = time.Second // a process that the command started may continue and keep the output open
	b, err := c.Output()
	if text = strings.TrimSpace(string(b)); err != nil || text == "" {
		return "", fmt.Errorf("the secret %s: the command %s failed or printed no text: run it in a terminal to see why", x.Text, filepath.Base(x.Command[0]))
	}
	return text, nil
}
