package grantfile

// This file checks the record that a file names, before any command opens the file: exo validate refuses what exo serve does.

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/exoagent/exoagent/exo/record/tree"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/schema"
)

// noRecord is the kind of a finding about `record`.
const noRecord exosql.FindingKind = "record"

// RecordFindings says why the record can't be opened. It opens and locks nothing.
func (f *File) RecordFindings() []Finding {
	err := f.recordFits()
	if err == nil {
		return nil
	}
	return []Finding{{fmt.Sprintf("%s:%d:%d", f.Name, f.recordAt.Line, f.recordAt.Column), exosql.Finding{Kind: noRecord, Problem: schema.Printable("record: " + err.Error())}}}
}

func (f *File) recordFits() error {
	if f.Record == "" {
		return nil
	}
	if f.RecordKey.Kind != "" {
		key, err := tree.ReadSigningKey(f.Record, f.RecordKey.Place())
		if err == nil {
			err = tree.Fits(f.Record, key)
		}
		return err
	}
	if info, err := os.Stat(f.Record); err == nil && info.IsDir() {
		return fmt.Errorf("%s is a folder: write a file, or, if `exo record init` made it, `record: {folder: %q, key: file:PATH}`", f.record, f.record)
	}
	_, err := os.Stat(filepath.Dir(f.Record))
	return err
}
