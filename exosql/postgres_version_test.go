package exosql_test

import (
	"context"
	"database/sql"
	"errors"
	"net"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/internal/testutil"
)

// versionServer lets anybody in, says its version, and answers the first command
// with its end. asked receives what that command was.
func versionServer(t *testing.T, version *string) (url string, asked <-chan struct{}) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	commands := make(chan struct{}, 100)
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				b := pgproto3.NewBackend(conn, conn)
				if _, err := b.ReceiveStartupMessage(); err != nil {
					return
				}
				b.Send(&pgproto3.AuthenticationOk{})
				if version != nil {
					b.Send(&pgproto3.ParameterStatus{Name: "server_version", Value: *version})
				}
				b.Send(&pgproto3.BackendKeyData{ProcessID: 1, SecretKey: []byte{0, 0, 0, 1}})
				b.Send(&pgproto3.ReadyForQuery{TxStatus: 'I'})
				if b.Flush() != nil {
					return
				}
				if m, err := b.Receive(); err == nil {
					if _, end := m.(*pgproto3.Terminate); !end {
						commands <- struct{}{}
					}
				}
			}()
		}
	}()
	return "postgres://u:secret@" + l.Addr().String() + "/db?sslmode=disable", commands
}

// An old server is refused by name before the first command, and before Setup.
func TestPostgresVersionRefused(t *testing.T) {
	for version, old := range map[string]bool{
		"9.6.24": true, "12.22": true, "13.23 (Debian 13.23-1.pgdg12+1)": true, "13devel": true, "0": true, "-14": true, "fourteen": true, "": true,
		"99999999999999999999999": true, "1.14": true, " 14": true,
		"14.0": false, "14beta1": false, "15.18 (Debian 15.18-0+deb12u1)": false, "18.4": false, "100": false,
	} {
		for name, setup := range map[string]func(context.Context, *sql.DB) error{"": nil, " with Setup": func(ctx context.Context, db *sql.DB) error {
			if _, err := db.ExecContext(ctx, "SELECT 1"); err != nil {
				return err
			}
			return errors.New("Setup went on")
		}} {
			t.Run(version+name, func(t *testing.T) {
				url, asked := versionServer(t, &version)
				_, err := exosql.Open(context.Background(), url, &exosql.OpenOptions{Setup: setup})
				e, is := errors.AsType[*exosql.VersionError](err)
				if is != old {
					t.Fatalf("Open: %v; want a VersionError: %v", err, old)
				}
				if !old {
					if len(asked) == 0 {
						t.Fatalf("Open ended with %v before the first command", err)
					}
					return
				}
				if len(asked) != 0 {
					t.Error("the server was sent a command")
				}
				if e.Server != version || e.Least != 14 || !strings.Contains(err.Error(), "14 or later") || strings.Contains(err.Error(), "secret") {
					t.Errorf("%#v: %v", e, err)
				}
			})
		}
	}
	url, _ := versionServer(t, nil)
	if _, err := exosql.Open(context.Background(), url, nil); err == nil || !strings.Contains(err.Error(), "does not report its version") {
		t.Errorf("a server without a version: %v", err)
	}
}

// The server of the tests is admitted exactly if it is one of the versions that we name.
// test.sh --long runs this on an older one, too.
func TestPostgresVersion(t *testing.T) {
	url := testutil.Postgres.URL(t)
	called := false
	db, err := exosql.Open(context.Background(), url, &exosql.OpenOptions{Setup: func(context.Context, *sql.DB) error { called = true; return nil }})
	if err == nil {
		defer db.Close()
	}
	_, refused := errors.AsType[*exosql.VersionError](err)
	if old := testutil.PostgresMajor(t) < 14; refused != old || called == old || !old && err != nil {
		t.Errorf("PostgreSQL %d: %v, Setup called: %v", testutil.PostgresMajor(t), err, called)
	}
}
