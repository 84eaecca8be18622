// Package outside has the servers outside of the host, for tests: a post office, sites and an MCP server, all on loopback. Each keeps what it got.
package outside

import (
	"bufio"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"math/big"
	"mime"
	"mime/quotedprintable"
	"net"
	"net/mail"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// This file has the post office, a server of mails.

// Mail is a mail that the post office has taken.
type Mail struct {
	From string   // the line MAIL FROM
	To   []string // the lines RCPT TO
	Data string
}

// PostOffice is a server of mails, with the certificate of Certificate.
type PostOffice struct {
	StartTLS bool
	// Says, if it returns a line, replaces the office's answer to a command.
	Says func(command string) (line string)

	at    net.Listener
	conf  *tls.Config
	open  sync.Once
	mu    sync.Mutex
	mails []Mail
	heard []string
}

// certificate makes, once, the certificate of the names localhost and example.com, and its roots.
var certificate = sync.OnceValues(func() (tls.Certificate, *x509.Certificate) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(err)
	}
	c := &x509.Certificate{SerialNumber: big.NewInt(1), DNSNames: []string{"localhost", "example.com"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign}
	der, err := x509.CreateCertificate(rand.Reader, c, c, &key.PublicKey, key)
	if err != nil {
		panic(err)
	}
	parsed, err := x509.ParseCertificate(der)
	if err != nil {
		panic(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, parsed
})

// Roots returns the pool by which the post office is trusted.
func Roots() *x509.CertPool {
	pool := x509.NewCertPool()
	_, c := certificate()
	pool.AddCert(c)
	return pool
}

// Trust makes the system's roots of this process those of Roots: a grant file names no others. A TestMain calls it before anything uses TLS.
func Trust() {
	os.Setenv("GODEBUG", strings.Trim(os.Getenv("GODEBUG")+",x509usefallbackroots=1", ","))
	x509.SetFallbackRoots(Roots())
}

// InMemory has t.TempDir make folders that are in memory, where the system has such. On a disk, stores and folders sync each file, which takes longer
// than all else in a test of many programs.
func InMemory(t testing.TB) {
	t.Helper()
	if dir, err := os.MkdirTemp("/dev/shm", "exo"); err == nil {
		t.Cleanup(func() { _ = os.RemoveAll(dir) })
		t.Setenv("TMPDIR", dir)
	}
}

// NewPostOffice makes a post office.
func NewPostOffice(t testing.TB) *PostOffice {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	own, _ := certificate()
	p := &PostOffice{at: l, conf: &tls.Config{Certificates: []tls.Certificate{own}}}
	t.Cleanup(func() { l.Close() })
	return p
}

// Port is where it listens. The first call opens the office: from then on its fields stay as they are.
func (p *PostOffice) Port() int {
	p.open.Do(func() {
		go func() {
			for {
				c, err := p.at.Accept()
				if err != nil {
					return
				}
				go p.serve(c)
			}
		}()
	})
	return p.at.Addr().(*net.TCPAddr).Port
}

// Mails returns the mails that it has taken.
func (p *PostOffice) Mails() []Mail {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.mails)
}

// Heard returns all commands.
func (p *PostOffice) Heard() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.heard)
}

// conversation is one connection.
type conversation struct {
	p      *PostOffice
	c      net.Conn
	in     *bufio.Reader
	secure bool
	mail   Mail
}

func (p *PostOffice) serve(c net.Conn) {
	s := &conversation{p: p, c: c, secure: !p.StartTLS}
	defer func() { s.c.Close() }()
	if s.secure {
		s.c = tls.Server(c, p.conf)
	}
	s.in = bufio.NewReader(s.c)
	for s.answer("", "220 example.com ESMTP"); ; {
		line, err := s.in.ReadString('\n')
		if err != nil {
			return
		}
		line = strings.TrimRight(line, "\r\n")
		p.mu.Lock()
		p.heard = append(p.heard, line)
		p.mu.Unlock()
		if !s.obey(line) {
			return
		}
	}
}

// answer says a line, and reports whether it accepts.
func (s *conversation) answer(command, line string) bool {
	if s.p.Says != nil {
		if other := s.p.Says(command); other != "" {
			line = other
		}
	}
	_, _ = io.WriteString(s.c, line+"\r\n")
	return line[0] < '4'
}

// obey does what a command asks for, and reports whether the connection goes on.
func (s *conversation) obey(line string) bool {
	verb, _, _ := strings.Cut(strings.ToUpper(line), " ")
	switch {
	case verb == "EHLO" && s.secure:
		s.answer("EHLO", "250-example.com\r\n250-8BITMIME\r\n250 AUTH PLAIN")
	case verb == "EHLO":
		s.answer("EHLO", "250-example.com\r\n250 STARTTLS")
	case verb == "STARTTLS":
		if s.answer("STARTTLS", "220 go") {
			s.c = tls.Server(s.c, s.p.conf)
			s.in, s.secure = bufio.NewReader(s.c), true
		}
	case verb == "AUTH":
		s.answer("AUTH", "235 in")
	case strings.HasPrefix(line, "MAIL FROM:"):
		s.mail = Mail{From: line}
		s.answer("MAIL", "250 ok")
	case strings.HasPrefix(line, "RCPT TO:"):
		if s.answer("RCPT", "250 ok") {
			s.mail.To = append(s.mail.To, line)
		}
	case verb == "DATA":
		return !s.answer("DATA", "354 go") || s.take()
	case verb == "QUIT":
		_, _ = io.WriteString(s.c, "221 bye\r\n")
		return false
	default:
		s.answer(verb, "250 ok")
	}
	return true
}

// take takes the text of a mail.
func (s *conversation) take() bool {
	var b strings.Builder
	for {
		line, err := s.in.ReadString('\n')
		if err != nil {
			return false
		}
		if line == ".\r\n" {
			break
		}
		b.WriteString(strings.TrimPrefix(line, "."))
	}
	if s.mail.Data = b.String(); s.answer(".", "250 taken") {
		s.p.mu.Lock()
		s.p.mails = append(s.p.mails, s.mail)
		s.p.mu.Unlock()
	}
	return true
}

// String is a mail as its receiver reads it: address, subject, text.
func (m Mail) String() string {
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
