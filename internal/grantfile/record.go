package grantfile

// This file checks the record that a file names, before any command opens the file: a file that exo serve refuses because of its record must not
// pass exo validate.

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
	if f.Record == "" {
		return nil
	}
	problem, fix := "", ""
	if f.RecordKey.Kind == "" {
		if info, err := os.Stat(f.Record); err == nil && info.IsDir() {
			problem, fix = "record: "+f.record+" is a folder, and it has no key", fmt.Sprintf("a file; or, of a folder that `exo record init` made, `record: {folder: %q, key: file:PATH}`", f.record)
		} else if _, err := os.Stat(filepath.Dir(f.Record)); err != nil {
			problem, fix = fmt.Sprintf("record: %v", err), "make that folder first"
		}
	} else {
		key, err := tree.ReadSigningKey(f.Record, f.RecordKey.Place())
		if err == nil {
			err = tree.Fits(f.Record, key)
		}
		if err != nil {
			problem = fmt.Sprintf("record: %v", err)
		}
	}
	if problem == "" {
		return nil
	}
	return []Finding{{fmt.Sprintf("%s:%d:%d", f.Name, f.recordAt.Line, f.recordAt.Column), exosql.Finding{Kind: noRecord, Problem: schema.Printable(problem), Fix: fix}}}
}
