package kit

import (
	"context"
	"errors"
	"os"
	"testing"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/service"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// JobsMail is a held effect: it appends a line to a file.
func JobsMail(t *testing.T, path string, at func(string)) exo.Object {
	t.Helper()
	mail, err := service.New("mail", "mail", service.Method("send", "sends one", func(context.Context, service.None) (service.None, error) {
		at("before mail")
		f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err == nil {
			_, err = f.WriteString("sent\n")
			err = errors.Join(err, f.Close())
		}
		at("after mail")
		return service.None{}, err
	}))
	if err != nil {
		t.Fatal(err)
	}
	return mail
}

// LookAtJobs queries a database on an unguarded connection.
func LookAtJobs(t *testing.T, e tu.Engine, url, query string) string {
	t.Helper()
	return Cells(t, e.SQLDB(t, url), query)
}
