package codemode_test

import (
	"strings"
	"testing"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo/fail"
)

// A name that no program could use, or that would take the place of a built-in,
// is refused before anything runs.
func TestGrantNames(t *testing.T) {
	o := newWorld(t).five
	for name, ok := range map[string]bool{
		"console": false, "Promise": false, "undefined": false, "let": false, "await": false, "return": false, "api": false, "then": false, "a b": false, "": false,
		"org": true, "currentUser": true, "consoles": true, "of": true,
	} {
		tool, err := codemode.New(codemode.Grants{name: o}, nil)
		if (err == nil) != ok {
			t.Errorf("%q: %v", name, err)
		}
		if ok {
			if r := tool.Run(t.Context(), "return await "+name+".count()"); r.Err != nil {
				t.Errorf("%q can be granted and not used: %v", name, r.Err)
			}
		} else if err != nil && !strings.Contains(err.Error(), "name") {
			t.Errorf("%q: %v", name, err)
		}
	}
}

// An argument of the wrong form is an error that names the part.
func TestArgumentErrorsNameThePart(t *testing.T) {
	tool := newTool(t, codemode.Grants{"mail": mailbox(t)}, nil)
	for program, says := range map[string]string{
		"return await mail.send({})":               "is missing",
		"return await mail.send({ subjekt: 'x' })": "there is no field `subjekt`",
	} {
		if r := tool.Run(t.Context(), program); r.Err == nil || !strings.Contains(fail.GuestText(r.Err), says) {
			t.Errorf("%s: %v, want %q", program, r.Err, says)
		}
	}
}
