package exoeval

import (
	"errors"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exo"
)

// TestSourceBytes: a program above the limit is refused before anything reads it.
func TestSourceBytes(t *testing.T) {
	const limit = 4000
	cfg := frontConfig{MaxSource: limit, MaxNesting: 100, Globals: globals()}
	if _, err := checked("1"+strings.Repeat(" ", limit-1), cfg); err != nil {
		t.Errorf("at the limit: %v", err)
	}
	for _, src := range []string{"1" + strings.Repeat(" ", limit), strings.Repeat("(", limit+1)} {
		if _, err := checked(src, cfg); !errors.Is(err, exo.ErrLimit) || !strings.Contains(err.Error(), "source size") {
			t.Errorf("above the limit: %v", err)
		}
	}
}
