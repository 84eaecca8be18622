package grantfile

// This file checks the record and the stores that a file names, before any command opens the file. So exo validate refuses the files that exo serve refuses.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/exoagent/exoagent/exo/budget"
	"github.com/exoagent/exoagent/exo/record/tree"
	"github.com/exoagent/exoagent/exo/record/tree/postgres"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/internal/grantfile/strict"
	"github.com/exoagent/exoagent/schema"
)

// noRecord is the kind of a finding about `record`.
const noRecord exosql.FindingKind = "record"

// RecordFindings returns the reasons why the record can't be opened. It locks nothing, and reads only log.json.
func (f *File) RecordFindings() []Finding {
	err := f.recordFits()
	if err == nil {
		return nil
	}
	return []Finding{{f.at(f.recordAt), exosql.Finding{Kind: noRecord, Problem: schema.Printable("record: " + Reason(err))}}}
}

// RecordSecrets reads the signing key and the URL of a record in a database.
func (f *File) RecordSecrets() (key tree.SigningKey, url string, err error) {
	key, err = tree.ReadSigningKey("", f.RecordKey.Place())
	if err == nil {
		url, err = f.RecordDB.Text(nil, strict.PostgresURL)
	}
	return key, url, err
}

func (f *File) recordFits() error {
	if f.RecordDB.Kind != "" {
		key, url, err := f.RecordSecrets()
		var t *postgres.Table
		if err == nil {
			t, err = postgres.Connect(url)
		}
		if err == nil {
			err = errors.Join(tree.Fits(tree.In(t), key, f.Witnessed), t.Close())
		}
		return err
	}
	if f.Record == "" {
		return nil
	}
	if f.RecordKey.Kind != "" {
		key, err := tree.ReadSigningKey(f.Record, f.RecordKey.Place())
		if err == nil {
			err = tree.Fits(tree.Dir(f.Record), key, f.Witnessed)
		}
		return err
	}
	if info, err := os.Stat(f.Record); err == nil && info.IsDir() {
		return fmt.Errorf("%s is a folder: write the path of a file, or, if `exo record init` made the folder, `record: { folder: %q, key: file:PATH }`", f.record, f.record)
	}
	_, err := os.Stat(filepath.Dir(f.Record))
	if errors.Is(err, os.ErrNotExist) {
		err = fmt.Errorf("%w: make this folder, in which the file %s will be made", err, filepath.Base(f.Record))
	}
	return err
}

// storeFindings returns why the stores of budgets and of access can't be opened.
func (f *File) storeFindings(ctx context.Context) (out []Finding) {
	add := func(kind exosql.FindingKind, at Pos, err error) {
		if err != nil {
			out = append(out, Finding{f.at(at), exosql.Finding{Kind: kind, Problem: schema.Printable(string(kind) + ": " + Reason(err))}})
		}
	}
	add("budgets", f.Budgets.Pos, f.Budgets.Fits(ctx, f.storeBase()))
	add("access", f.Access.Pos, f.Access.Fits(ctx))
	return out
}

// storeBase returns the path that a store's folder is named after, if the file does not name the store.
func (f *File) storeBase() string { return cmp.Or(f.Record, f.Name) }

// OpenBudgets opens the budgets of the file for ToolOptions. It returns a nil Set if the file has none, and a function that closes their store.
func (f *File) OpenBudgets(ctx context.Context) (set *budget.Set, closing func() error, err error) {
	return f.Budgets.Open(ctx, f.storeBase())
}
