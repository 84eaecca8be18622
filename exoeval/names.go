package exoeval

import (
	"fmt"
	"strings"

	"github.com/exoagent/exoagent/exo"
)

const keywords = " break case catch class const continue debugger default delete do else enum export extends false finally for function if import in instanceof new null return super switch this throw true try typeof var void while with yield let static await async arguments eval implements interface package private protected public "

// checkNames refuses grants that a program could not name, or that would take
// the place of something that every program relies on.
func checkNames(gate *exo.Gate) error {
	for _, g := range gate.Granted() {
		if realmNames[g.Name] {
			return fmt.Errorf("exoeval: %q can't be the name of a grant: programs have a global of that name", g.Name)
		}
		if strings.Contains(keywords, " "+g.Name+" ") {
			return fmt.Errorf("exoeval: %q can't be the name of a grant: it is a word of the language", g.Name)
		}
	}
	return nil
}
