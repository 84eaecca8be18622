// Package outside has what tests need outside of the host: HTTP sites and an MCP server on loopback, and the requests and mails that were received.
package outside

// This file reads mails.

import (
	"fmt"
	"io"
	"mime"
	"mime/quotedprintable"
	"net/mail"
	"os"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/internal/testutil/mailtest"
)

// InMemory makes t.TempDir create folders in memory, if the system can. On a disk, stores and folders sync each file, which takes longer than
// everything else in a test of many programs.
func InMemory(t testing.TB) {
	t.Helper()
	if dir, err := os.MkdirTemp("/dev/shm", "exo"); err == nil {
		t.Cleanup(func() { _ = os.RemoveAll(dir) })
		t.Setenv("TMPDIR", dir)
	}
}

// Received returns a mail as its receiver reads it: address, subject and text.
func Received(m mailtest.Mail) string {
	_, to, _ := strings.Cut(strings.Join(m.To, " "), "<")
	to, _, _ = strings.Cut(to, ">")
	read, err := mail.ReadMessage(strings.NewReader(m.Data))
	if err != nil {
		return fmt.Sprintf("mail to %s: %v", to, err)
	}
	subject, _ := new(mime.WordDecoder).DecodeHeader(read.Header.Get("Subject"))
	body := io.Reader(read.Body)
	if read.Header.Get("Content-Transfer-Encoding") == "quoted-printable" {
		body = quotedprintable.NewReader(body)
	}
	text, _ := io.ReadAll(body)
	return fmt.Sprintf("mail to %s: %s: %s", to, subject, strings.TrimSpace(string(text)))
}
