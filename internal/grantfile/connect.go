package grantfile

import (
	"context"
	"crypto/hkdf"
	"crypto/sha256"
	"strings"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/internal/grantfile/strict"
)

// This file connects to the databases of a file.

// marks reports whether each run leaves its ID in the database, so that the database can report later whether it kept the run.
func (x *Database) marks() bool { return x.Witness || x.Undo > 0 }

// URL returns the name and the URL of the file's only database, for a host that opens it itself. The function env looks up variables.
func (f *File) URL(env func(string) string) (name, url string, err error) {
	if len(f.Databases) != 1 {
		return "", "", fail.Errorf(fail.Invalid, "", "%s has %d databases: the command needs a file with exactly one", f.Name, len(f.Databases))
	}
	x := f.Databases[0]
	if url, err = x.URL.Read(env); err == nil {
		url, err = strict.WithSchemas(url, x.Schema)
	}
	return x.Text, url, err
}

func (d *Declared) open(ctx context.Context, x Database, env func(string) string, images int) error {
	url, err := x.connects(x.URL, env)
	if err != nil {
		return err
	}
	cursors, err := x.cursorKey(env)
	if err != nil {
		return err
	}
	opt := &exosql.OpenOptions{Images: images, Witness: x.marks(), Undo: x.Undo, CursorKey: cursors}
	for _, at := range x.Replicas {
		replica, err := x.connects(at, env)
		if err != nil {
			return err
		}
		opt.Replicas = append(opt.Replicas, replica)
	}
	db, err := exosql.Open(ctx, url, opt)
	if err != nil {
		return err
	}
	d.dbs[x.Text] = db
	d.opened = append(d.opened, db)
	if x.marks() {
		d.Witnesses, d.Names = append(d.Witnesses, db), append(d.Names, x.Text)
	}
	return nil
}

// cursorKey returns the key of the database's cursors, or nil if the file has none. It depends on the database's name, so that no two databases share a key.
func (x *Database) cursorKey(env func(string) string) ([]byte, error) {
	if x.Cursors.Kind == "" {
		return nil, nil
	}
	text, err := x.Cursors.Text(env, "the key of cursors, such as `openssl rand -base64 32` prints")
	if err != nil {
		return nil, err
	}
	if len(text) < 32 {
		return nil, fail.Errorf(fail.Invalid, "", "cursors: the key in %s has %d characters: want at least 32 random ones, such as `openssl rand -base64 32` prints", x.Cursors, len(text))
	}
	return hkdf.Key(sha256.New, []byte(text), nil, "grantfile 1: cursors of "+x.Text, 32)
}

// fileWords puts the keys of a grant file in place of the options of exosql that they set, in errors of exosql.Open.
var fileWords = strings.NewReplacer("exosql: ", "", "OpenOptions.Witness", "`witness` or `undo`", "OpenOptions.Undo", "`undo`", "OpenOptions.Replicas", "`replicas`", "leave it nil", "leave it out")

// connects reads the URL from the place at, and adds the database's schemas, for a connection to the database.
func (x *Database) connects(at Secret, env func(string) string) (url string, err error) {
	if url, err = at.Read(env); err != nil {
		return "", err
	}
	if scheme, _, _ := strings.Cut(url, ":"); len(x.Schema) > 0 && scheme == "sqlite" {
		return "", fail.Errorf(fail.Invalid, "", "`schema` is only for PostgreSQL, and the URL is that of an SQLite file: leave `schema` out")
	}
	return strict.WithSchemas(url, x.Schema)
}
