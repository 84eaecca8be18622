package kit

import (
	"fmt"
	"testing"
	"time"

	tu "github.com/exoagent/exoagent/internal/testutil"
)

// OwnDatabase returns the URL of a new database on the server, which no other test uses.
func OwnDatabase(t *testing.T) string {
	t.Helper()
	server := tu.Server(t)
	name := fmt.Sprintf("exo_own_%d", time.Now().UnixNano())
	if _, err := tu.Admin(t, server).Exec("CREATE DATABASE " + name + " TEMPLATE template0"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if _, err := tu.Admin(t, server).Exec("DROP DATABASE " + name + " WITH (FORCE)"); err != nil {
			t.Error(err)
		}
	})
	return tu.InDatabase(t, server, name)
}
