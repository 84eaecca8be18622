package strict

// This file has the places of stores. A store is a folder, or a PostgreSQL database whose URL is in a variable or a file.

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/exoagent/exoagent/exo/store"
	"github.com/exoagent/exoagent/exo/store/postgres"
)

// Store reads the place of a store: a folder, env:NAME or file:PATH.
func (r *Reader) Store(e Entry) Secret {
	s := r.Text(e.Value, e.Name)
	if strings.Contains(s, ":") {
		return r.Secret(e.Value, e.Name)
	} else if s == "" {
		return Secret{}
	}
	return Secret{Kind: "folder", Name: s, Pos: PosOf(e.Value), Dir: r.Dir}
}

// Folder returns the absolute path of a store that is a folder.
func (s Secret) Folder() string { return Beside(s.Dir, s.Name) }

// OpenStore opens the store at the place. The function env looks up variables; nil means os.Getenv.
func (s Secret) OpenStore(ctx context.Context, env func(string) string) (store.Store, error) {
	if s.Kind == "folder" {
		return store.OpenFolder(s.Folder(), &store.LocalOptions{Shared: true})
	}
	at, err := s.Text(env, PostgresURL)
	if err != nil {
		return nil, err
	}
	return postgres.Open(ctx, at, nil)
}

// StoreFits returns an error that says why the store can't be opened, or nil. It tests a database by opening it, and creates no folder.
func (s Secret) StoreFits(ctx context.Context) error {
	if s.Kind == "folder" {
		_, err := os.Stat(filepath.Dir(s.Folder()))
		if errors.Is(err, os.ErrNotExist) {
			err = fmt.Errorf("%w: make this folder, and exo makes %s in it", err, filepath.Base(s.Folder()))
		}
		return err
	}
	at, err := s.OpenStore(ctx, nil)
	if err != nil {
		return err
	}
	return at.Close()
}
