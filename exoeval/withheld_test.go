package exoeval_test

import (
	"context"
	"testing"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exoeval"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// payingSafe is a safe with a method whose reply nobody may be shown.
type payingSafe struct{ safe }

func (s *payingSafe) Describe() (message.Description, error) {
	d, err := s.safe.Describe()
	methods := d.Interfaces[0].Methods
	methods["put"].Sink = true
	methods["pay"] = &message.Method{Name: "pay", Sends: true, Reply: value.NewLabel("pay"), Result: &message.Term{Con: &message.Type{Name: value.TypeInt}}}
	return d, err
}

func (s *payingSafe) Eval(ctx context.Context, m *exo.Message) (value.Value, error) {
	if m.Root.Name == "pay" {
		return value.Int(70), nil
	}
	return s.safe.Eval(ctx, m)
}

// TestWithheldResult: the labels of sealed values that are returned count where the result leaves, and only there: which a program returns, or throws
// in place of them, it may choose by what it has read.
func TestWithheldResult(t *testing.T) {
	g, err := exo.NewGate(exo.Config{Grants: map[string]exo.Object{"safe": &payingSafe{}}, Admits: value.NewLabel("pii")})
	if err != nil {
		t.Fatal(err)
	}
	const pay, read = "await api.safe.pay(); ", "const [a] = await api.safe.read(); "
	for program, want := range map[string]string{
		read + "return a.pin":             "{pii}",
		read + "return 1":                 "{}",
		pay + read + "return a.pin":       "{pay}",
		pay + read + "throw new Error(1)": "{pay}",
		read + pay + "return a.pin":       "{pay}",
	} {
		if r := tu.InProcess(g).Run(t.Context(), exoeval.Job{Program: program}); r.Label.String() != want || (r.Err != nil) != (want == "{pay}") {
			t.Errorf("%s: %s, want %s; %v", program, r.Label, want, r.Err)
		}
	}
}
