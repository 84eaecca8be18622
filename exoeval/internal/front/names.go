package front

// This file checks the names of a host's grants before any program runs.

import (
	"fmt"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/internal/scalar"
)

// CheckNames refuses a grant with a name that programs can't use, because it is no identifier or has another meaning in them.
func CheckNames(granted []message.GrantedName, cfg Config) error {
	for _, g := range granted {
		if why := unusable(g.Name, cfg); why != "" {
			return fmt.Errorf("exoeval: %q can't be the name of a grant: %s; use another, like %q", g.Name, why, g.Name+"_")
		}
	}
	return nil
}

// unusable returns why programs can't use a name, or "". It tries the name in a program, and so finds also words that our lists lack.
func unusable(name string, cfg Config) string {
	switch {
	case IsGlobal(name):
		return "programs have a global of that name"
	case scalar.Keyword(name):
		return "it is a word of JavaScript"
	}
	cfg.MaxSource = max(cfg.MaxSource, 1000)
	cfg.MaxNesting = max(cfg.MaxNesting, 10)
	if _, _, err := Compile(name+".x; return "+name, cfg); err != nil {
		return "programs with that name are refused (" + fail.GuestText(err) + ")"
	}
	return ""
}
