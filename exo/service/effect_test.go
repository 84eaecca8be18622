package service

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/value"
)

// mailer is a service of one method, of which its author said nothing but what it does, and
// the subjects of the mails that it has sent.
func mailer(t *testing.T, make func(name, doc string, f func(context.Context, inner) (int, error)) Operation) (*Service, *[]int) {
	sent := new([]int)
	return mustNew(t, make("send", "sends one mail", func(_ context.Context, in inner) (int, error) {
		*sent = append(*sent, in.A)
		return len(*sent), nil
	})), sent
}

// A method that nothing more is said of can't act unseen: it needs a record, the program has
// a receipt, and a program that fails has sent nothing. Read is the unguarded twin.
func TestMethodIsHeld(t *testing.T) {
	ctx := context.Background()
	for _, c := range []struct {
		what string
		make func(name, doc string, f func(context.Context, inner) (int, error)) Operation
		held bool
	}{{"Method", Method[inner, int], true}, {"Read", Read[inner, int], false}} {
		s, sent := mailer(t, c.make)
		if _, err := exo.NewGate(exo.Config{Grants: map[string]exo.Object{"it": s}}); (err != nil) != c.held {
			t.Errorf("%s: granted without a record: %v", c.what, err)
		}
		for _, fails := range []error{errors.New("the program failed"), nil} {
			*sent = nil
			r := open(t, exo.Config{}, s)
			v, err := r.call(0, "send", rec("a", value.Int(7)))
			if err != nil {
				t.Fatal(err)
			}
			want, before := `1`, 1
			if c.held {
				want, before = `{"held":true,"receipt":1}`, 0
			}
			if v.String() != want || len(*sent) != before {
				t.Errorf("%s: the program gets %s, and %d mails were sent", c.what, v, len(*sent))
			}
			if _, err := r.call(0, "send", rec("a", value.Text("seven"))); fail.KindOf(err) != fail.Invalid {
				t.Errorf("%s: of a wrong argument the program reads %v", c.what, err)
			}
			if err := r.s.Finish(ctx, value.Null(), fails); err != nil && fails == nil {
				t.Fatal(err)
			}
			if after := fails == nil || !c.held; (len(*sent) == 1) != after {
				t.Errorf("%s: a run that ended with %v has sent %d mails", c.what, fails, len(*sent))
			}
		}
	}
}

// What can't be both is an error of New that names the method and says what would be right.
func TestMisdeclaredEffect(t *testing.T) {
	opens := func(context.Context, None) (exo.Object, error) { return nil, nil }
	for what, c := range map[string]struct {
		op   Operation
		says []string // nil: it is right
	}{
		"an immediate read":        {Read("look", "", gives[int]).Immediate(), []string{"x.look", "Read", "Method"}},
		"an immediate method":      {Method("look", "", gives[int]).Immediate(), nil},
		"a held object":            {Method("look", "", opens).Returns(folder("")), []string{"x.look", "Read", "Immediate"}},
		"a held object of its own": {Method("look", "", opens).ReturnsOwnKind(), []string{"x.look", "Read", "Immediate"}},
		"an object read":           {Read("look", "", opens).Returns(folder("")), nil},
		"an immediate object":      {Method("look", "", opens).ReturnsOwnKind().Immediate(), nil},
	} {
		_, err := New("x", "", c.op)
		if (err != nil) != (c.says != nil) {
			t.Errorf("%s: %v", what, err)
			continue
		}
		for _, n := range c.says {
			if !strings.Contains(err.Error(), n) {
				t.Errorf("%s: %q does not name %s", what, err, n)
			}
		}
	}
}

// What Refuse says is that nothing was done, so of an immediate method it is known; of
// another error it is not.
func TestRefuseNothingDone(t *testing.T) {
	for what, c := range map[string]struct {
		err   error
		state exo.State
	}{
		"never called":       {nil, exo.StateRolledBack},
		"refused":            {Refuse("there is no such address"), exo.StateRolledBack},
		"refused, wrapped":   {wrapped{Refuse("there is no such address")}, exo.StateRolledBack},
		"failed":             {errors.New("the line broke"), exo.StateUnknown},
		"failed, and Kinded": {fail.Errorf(fail.Invalid, "", "there is no such address"), exo.StateUnknown},
		// The mail was sent, and then a row could not be written.
		"another's refusal":      {&fail.Error{Kind: fail.Conflict, Err: exo.ErrNothingDone}, exo.StateUnknown},
		"another's limit":        {fmt.Errorf("x: %w", &fail.Error{Kind: fail.Limit, Err: exo.ErrNothingDone}), exo.StateUnknown},
		"another's, of no Error": {fmt.Errorf("x: %w", exo.ErrNothingDone), exo.StateUnknown},
	} {
		called := false
		s := mustNew(t, Method("send", "", func(_ context.Context, in struct {
			N int8 `json:"n"`
		}) (int, error) {
			called = true
			return 0, c.err
		}).Immediate())
		r := open(t, exo.Config{}, s)
		n := int64(1)
		if c.err == nil {
			n = 1000
		}
		_, err := r.call(0, "send", rec("n", value.Int(n)))
		if errors.Is(err, exo.ErrNothingDone) != (c.state == exo.StateRolledBack) || called == (c.err == nil) {
			t.Errorf("%s: called %t, the error is %v", what, called, err)
		}
		if c.err != nil && !errors.Is(err, c.err) {
			t.Errorf("%s: the cause is lost to the host: %v", what, err)
		}
		if e := r.s.Effects(); len(e) != 1 || e[0].State != c.state {
			t.Errorf("%s: the effects are %+v, want the state %s", what, e, c.state)
		}
	}
}
