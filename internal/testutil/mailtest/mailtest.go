// Package mailtest has a mail server on loopback, for tests.
package mailtest

import (
	"bufio"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// Server receives mails. Its certificate is for example.com and localhost.
type Server struct {
	Port  int
	Roots *x509.CertPool // Roots has the server's certificate
	PEM   []byte         // PEM is the certificate in the form of a file
	conf  *tls.Config

	mu       sync.Mutex
	startTLS bool
	says     func(command string) string
	mails    []Mail
	heard    []string
}

// Mail is a delivered mail: the commands that named its sender and receivers, and its text.
type Mail struct {
	From string
	To   []string
	Data string
}

// certificate makes the certificate that all servers of this process share.
var certificate = sync.OnceValues(func() (tls.Certificate, []byte) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(err)
	}
	own := &x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour), DNSNames: []string{"example.com", "localhost"}, IsCA: true, BasicConstraintsValid: true}
	der, err := x509.CreateCertificate(rand.Reader, own, own, key.Public(), key)
	if err != nil {
		panic(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
})

func roots(text []byte) *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(text)
	return pool
}

// Trust makes this process trust only its own mail servers, for code that names no roots, such as a grant file's. A TestMain calls it before anything
// uses TLS.
func Trust() {
	os.Setenv("GODEBUG", strings.Trim(os.Getenv("GODEBUG")+",x509usefallbackroots=1", ","))
	_, text := certificate()
	x509.SetFallbackRoots(roots(text))
}

// New starts a server, which ends with the test.
func New(t testing.TB) *Server {
	t.Helper()
	own, text := certificate()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	s := &Server{Port: l.Addr().(*net.TCPAddr).Port, Roots: roots(text), PEM: text, conf: &tls.Config{Certificates: []tls.Certificate{own}}}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go s.serve(c)
		}
	}()
	return s
}

// StartTLS makes clients begin without TLS, and start it by STARTTLS.
func (s *Server) StartTLS() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.startTLS = true
}

// Says sets the server's answer to each command. For "" the server gives its usual answer. The command "." is the end of a mail.
func (s *Server) Says(says func(command string) string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.says = says
}

// Mails returns the delivered mails.
func (s *Server) Mails() []Mail {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.mails)
}

// Heard returns the commands of all clients.
func (s *Server) Heard() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.heard)
}

// answerTo returns the answer that Says has set for a command, or otherwise answer.
func (s *Server) answerTo(command, answer string) string {
	s.mu.Lock()
	says := s.says
	s.mu.Unlock()
	if says != nil {
		if own := says(command); own != "" {
			return own
		}
	}
	return answer
}

func (s *Server) serve(c net.Conn) {
	defer func() { c.Close() }()
	s.mu.Lock()
	start := s.startTLS
	s.mu.Unlock()
	if !start {
		c = tls.Server(c, s.conf)
	}
	in := bufio.NewReader(c)
	secure, m := !start, Mail{}
	answer := func(command, line string) bool {
		line = s.answerTo(command, line)
		_, _ = io.WriteString(c, line+"\r\n")
		return line[0] < '4'
	}
	answer("", "220 example.com ESMTP")
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return
		}
		line = strings.TrimRight(line, "\r\n")
		s.mu.Lock()
		s.heard = append(s.heard, line)
		s.mu.Unlock()
		verb, _, _ := strings.Cut(strings.ToUpper(line), " ")
		switch {
		case verb == "EHLO" && secure:
			answer("EHLO", "250-example.com\r\n250-8BITMIME\r\n250 AUTH PLAIN")
		case verb == "EHLO":
			answer("EHLO", "250-example.com\r\n250 STARTTLS")
		case verb == "STARTTLS":
			if answer("STARTTLS", "220 go") {
				c = tls.Server(c, s.conf)
				in, secure = bufio.NewReader(c), true
			}
		case verb == "AUTH":
			answer("AUTH", "235 in")
		case strings.HasPrefix(line, "MAIL FROM:"):
			m = Mail{From: line}
			answer("MAIL", "250 ok")
		case strings.HasPrefix(line, "RCPT TO:"):
			if answer("RCPT", "250 ok") {
				m.To = append(m.To, line)
			}
		case verb == "DATA":
			if !answer("DATA", "354 go") {
				continue
			}
			var b strings.Builder
			for line := ""; line != ".\r\n"; {
				b.WriteString(strings.TrimPrefix(line, "."))
				if line, err = in.ReadString('\n'); err != nil {
					return
				}
			}
			if m.Data = b.String(); answer(".", "250 taken") {
				s.mu.Lock()
				s.mails = append(s.mails, m)
				s.mu.Unlock()
			}
		case verb == "QUIT":
			answer("QUIT", "221 bye")
			return
		default:
			answer(verb, "250 ok")
		}
	}
}
