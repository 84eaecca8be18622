package decl

import "testing"

// TestReserved: the table of marks can't be declared, however it is spelt.
func TestReserved(t *testing.T) {
	for name, want := range map[string]bool{"exo_runs": true, "EXO_Runs": true, "runs": false, "exo_runs2": false} {
		if err := Reserved(name); (err != nil) != want {
			t.Errorf("%s: %v", name, err)
		}
	}
}
