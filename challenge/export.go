package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/exoagent/exoagent/challenge/store"
)

// export prints every attempt as a line of JSON, even while the challenge serves.
func export(ctx context.Context, args []string, stdout, stderr io.Writer) (int, error) {
	f := newFlags("challenge export", stderr, "challenge export [-data folder]")
	f.folder()
	c, rest, err := f.parse(args)
	if err != nil {
		return 0, err
	}
	if len(rest) > 0 {
		return 0, fmt.Errorf("export takes only flags: leave out %q", rest[0])
	}
	w := bufio.NewWriter(stdout)
	if _, err := store.ExportFile(ctx, filepath.Join(c.data, storeFile), w); err != nil {
		return 0, err
	}
	return exitOK, w.Flush()
}

// backup copies the store's file as it is at one moment, even while the challenge serves. A plain copy of the file would lack the changes
// that are still in its log.
func backup(ctx context.Context, args []string, stdout, stderr io.Writer) (int, error) {
	f := newFlags("challenge backup", stderr, "challenge backup [-data folder] FILE")
	f.folder()
	c, rest, err := f.parse(args)
	if err != nil {
		return 0, err
	}
	if len(rest) != 1 {
		return 0, errors.New("backup needs the name of one new file: challenge backup FILE")
	}
	return exitOK, store.BackupFile(ctx, filepath.Join(c.data, storeFile), rest[0])
}
