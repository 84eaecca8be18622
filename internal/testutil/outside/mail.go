// Package outside has what tests need of the world outside of the host: sites, an MCP server, both on loopback, and what they and a receiver of mails got.
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

// InMemory has t.TempDir make folders that are in memory, where the system has such. On a disk, stores and folders sync each file, which takes longer
// than all else in a test of many programs.
func InMemory(t testing.TB) {
	t.Helper()
	if dir, err := os.MkdirTemp("/dev/shm", "exo"); err == nil {
		t.Cleanup(func() { _ = os.RemoveAll(dir) })
		t.Setenv("TMPDIR", dir)
	}
}

// Received is a mail as its receiver reads it: address, subject, text.
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
