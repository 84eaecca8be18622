package grantfile

// This file opens a grant file for all commands, so that no command serves a file that another one refuses.

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/exoagent/exoagent/exo/fail"
)

// Open declares a file, and compares its grants with its databases like exosql.Check. A finding that is no warning refuses the file with a
// *Refused, and nothing stays open. Otherwise Open returns the warnings, and Close closes the databases.
func (f *File) Open(ctx context.Context, opt *Options) (*Declared, []Finding, error) {
	d, findings, err := f.DeclareAndCheck(ctx, opt)
	if err != nil {
		return nil, nil, err
	}
	if err := Refusal(f.Name, findings); err != nil {
		return nil, nil, errors.Join(err, d.Close())
	}
	return d, findings, nil
}

// DeclareAndCheck is Open for commands that only report findings and run no program. It refuses no finding.
func (f *File) DeclareAndCheck(ctx context.Context, opt *Options) (*Declared, []Finding, error) {
	d, err := f.Declare(ctx, opt)
	if err != nil {
		return nil, nil, err
	}
	findings, err := d.Check()
	if err != nil {
		return nil, nil, errors.Join(err, d.Close())
	}
	return d, slices.Concat(f.RecordFindings(), f.ApprovalFindings(ctx), f.storeFindings(ctx), d.serviceFindings(), findings), nil
}

// Refusal returns a *Refused if one of the findings is no warning, and nil otherwise.
func Refusal(file string, findings []Finding) error {
	if slices.ContainsFunc(findings, func(x Finding) bool { return !x.Warning }) {
		return &Refused{file, findings}
	}
	return nil
}

// Refused has the findings because of which a file was not opened. Its Kind is fail.Denied.
type Refused struct {
	File     string
	Findings []Finding // all findings, with the warnings
}

func (e *Refused) Error() string {
	lines := []string{fmt.Sprintf("%s can't be used before these faults are corrected:", e.File)}
	for _, x := range e.Findings {
		if !x.Warning {
			lines = append(lines, x.String())
		}
	}
	return strings.Join(lines, "\n")
}

// Unwrap gives the error's Kind to fail.KindOf.
func (e *Refused) Unwrap() error { return fail.Errorf(fail.Denied, "", "the grant file is refused") }
