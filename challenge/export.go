package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"path/filepath"

	"github.com/exoagent/exoagent/challenge/store"
)

// export prints every attempt as a line of JSON, also while the challenge serves.
func export(ctx context.Context, args []string, stdout, stderr io.Writer) (int, error) {
	c, rest, err := parse("challenge export", args, stderr, nil)
	if err != nil {
		return 0, err
	}
	if len(rest) > 0 {
		return 0, fmt.Errorf("export takes no argument but flags: %q", rest[0])
	}
	w := bufio.NewWriter(stdout)
	if _, err := store.ExportFile(ctx, filepath.Join(c.data, storeFile), w); err != nil {
		return 0, err
	}
	return exitOK, w.Flush()
}
