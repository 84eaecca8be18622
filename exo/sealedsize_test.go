package exo

import (
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"slices"
	"strings"
	"testing"
)

// TestSealedTagsCount: a sealed value in a message counts its tags, which each entry of the record and each held effect has, and
// the count doesn't depend on how long they are.
func TestSealedTagsCount(t *testing.T) {
	of := func(tags ...string) int {
		v := value.NewSealed(0, value.TypeText, value.NewLabel(tags...))
		x := message.Expr{Nodes: []message.WireNode{{Op: message.OpLit, Lit: value.List(slices.Repeat([]value.Value{v}, 100)...)}}}
		return x.BytesUpTo(1<<30, message.Encoded)
	}
	short, long, two := of("pii@m:1"), of("pii@m:"+strings.Repeat("x", 200)), of("pii@m:1", "pii@m:2")
	if short != long || short < 100*600 || two < 100*1200 {
		t.Errorf("%d, %d, %d", short, long, two)
	}
}
