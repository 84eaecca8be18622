package exo

import (
	"bytes"
	"fmt"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"testing"
)

// Every message that a checker writes out is in the one order that is read back.
func TestMessagesAreReadAsWritten(t *testing.T) {
	n := 0
	for _, x := range honestChecked() {
		b, err := x.AppendBinary(nil)
		if err != nil {
			t.Fatalf("%+v: %v", x, err)
		}
		got, err := message.DecodeExpr(string(b), 100)
		if again, err2 := got.AppendBinary(nil); err != nil || err2 != nil || !bytes.Equal(b, again) || len(got.Nodes) != len(x.Nodes) {
			t.Errorf("%+v is read as %+v, %v", x, got, err)
		}
		for i, w := range got.Nodes {
			if v := x.Nodes[i]; v.Op != w.Op || v.Name != w.Name || v.Recv != w.Recv || fmt.Sprint(v.Names, v.Args, v.Ref, v.Arg) != fmt.Sprint(w.Names, w.Args, w.Ref, w.Arg) || !value.Equal(v.Lit, w.Lit) {
				t.Errorf("%+v is read as %+v", v, w)
			}
		}
		n++
	}
	if n < len(honest()) {
		t.Errorf("%d messages", n)
	}
}

func honestChecked() (xs []message.Expr) {
	for _, x := range honest() {
		if checked, err := checker().Check(x); err == nil {
			xs = append(xs, checked.Root.Expr())
		}
	}
	return xs
}
