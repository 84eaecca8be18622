package plan

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/exoagent/exoagent/exo/value"
)

// TestKeysAreOneStep: a key of JSON is one step of SQLite's paths, whatever it holds: none that goes
// further, or begins at the root.
func TestKeysAreOneStep(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		key := rapid.OneOf(rapid.String(), rapid.StringMatching(`[$."\[\]#\\a0]{0,9}`)).Draw(t, "key")
		if value.Text(key).Type() != value.TypeText {
			return // no value that a message can hold
		}
		v, err := (&Source{Item: -1, Kind: ArgPath}).convert(value.Text(key), nil)
		if err != nil {
			t.Fatal(err)
		}
		step, ok := strings.CutPrefix(v.Text(), `$."`)
		if !ok || !strings.HasSuffix(step, `"`) {
			t.Fatalf("%q becomes %q", key, v.Text())
		}
		for i := 0; i < len(step)-1; i++ {
			switch step[i] {
			case '\\':
				i++
			case '"':
				t.Fatalf("%q becomes %q, which ends early", key, v.Text())
			}
		}
	})
}

func TestIndexesCountFromZero(t *testing.T) {
	for n, ok := range map[int64]bool{0: true, 7: true, 1 << 40: true, -1: false} {
		v, err := (&Source{Item: -1, Kind: ArgIndex}).convert(value.Int(n), nil)
		if (err == nil) != ok || err == nil && v.Int() > 1<<30 {
			t.Errorf("%d: %v, %v", n, v, err)
		}
	}
}

// TestMoving: how many rows move along with one is bounded, and counts that one, which is not among those before it.
func TestMoving(t *testing.T) {
	for n, ok := range map[int64]bool{1: true, MaxMoving: true, 0: false, -1: false, MaxMoving + 1: false, 1 << 62: false} {
		v, err := (&Source{Item: -1, Kind: ArgMoving}).convert(value.Int(n), nil)
		if (err == nil) != ok || ok && v.Int() != n-1 {
			t.Errorf("%d: %v, %v", n, v, err)
		}
	}
}

// TestDepths: a tree is as deep as a program says within bounds, and has one where it says nothing.
func TestDepths(t *testing.T) {
	for n, ok := range map[int64]bool{1: true, MaxDepth: true, 0: false, -1: false, MaxDepth + 1: false, 1 << 62: false} {
		v, err := (&Source{Item: -1, Kind: ArgDepth}).convert(value.Int(n), nil)
		if (err == nil) != ok || ok && v.Int() != n {
			t.Errorf("%d: %v, %v", n, v, err)
		}
	}
	p := Plan{Args: []Source{{Origin: FromDepth, Item: -1, Kind: ArgDepth}}}
	if vs, err := p.Bind(nil, nil, nil, "UTC"); err != nil || len(vs) != 1 || vs[0].Int() != DefaultDepth {
		t.Error(vs, err)
	}
}
