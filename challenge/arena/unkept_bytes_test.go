package arena

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/challenge/game"
)

// What a full disk did not take is kept in memory within a bound in bytes, not in
// attempts, of which each can have half a megabyte.
func TestUnkeptBytes(t *testing.T) {
	var u unkept
	result, _ := json.Marshal(strings.Repeat("x", 1<<20))
	n := 0
	for ; n < maxUnkept && u.add("p", &game.Attempt{ID: fmt.Sprint(n), Result: result}); n++ {
	}
	if n < 50 || n > 64 || u.bytes > maxUnkeptBytes {
		t.Errorf("%d attempts of 1 MiB are kept, %d bytes", n, u.bytes)
	}
	u.forget("0")
	if !u.add("p", &game.Attempt{ID: "again", Result: result}) || u.add("p", &game.Attempt{ID: "more", Result: result}) {
		t.Error("one that went makes room for one")
	}
	for i := range n {
		u.forget(fmt.Sprint(i))
	}
	u.forget("again")
	if u.bytes != 0 || len(u.sizes) != 0 {
		t.Errorf("%d bytes of nothing", u.bytes)
	}
}
