package questions

import (
	"testing"

	"github.com/exoagent/exoagent/internal/corpus"
)

// TestTodos: programs as models write them, right and wrong.
func TestTodos(t *testing.T) { Run(t, corpus.Todos, Read(t, Dir("simple"), 26)) }
