package notify

// This file sends mails.

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"net/textproto"
	"slices"
	"strings"
	"time"

	"github.com/wneessen/go-mail"

	"github.com/exoagent/exoagent/exo/outbox"
	"github.com/exoagent/exoagent/exo/service"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exo/web"
	"github.com/exoagent/exoagent/internal/scalar"
)

// Mail sends mails of plain text to one receiver each.
type Mail struct {
	Host     web.Host // the mail server; only Name, Port and Networks are used
	StartTLS bool     // the connection begins in clear text, and the server must offer TLS for the rest; otherwise TLS begins at once
	From     string
	To       []Recipient
	// Secret returns the secrets user and password. If it is nil, the client does not log in.
	Secret func(ctx context.Context, name string) (string, error)
	Place  string         // the place of the password, for the record
	Roots  *x509.CertPool // the authorities that sign the server's certificate; nil: the system's
	Lookup func(ctx context.Context, name string) ([]netip.Addr, error)
}

// Recipient is a receiver with a name that programs use. If Claim is not "", the address is the principal's claim of that name.
type Recipient struct{ Name, Address, Claim string }

// letter is the argument of a program.
type letter struct {
	To      string `json:"to"`
	Subject string `json:"subject"`
	Text    string `json:"text"`
}

// mailed is the body of a message in the outbox.
type mailed struct {
	letter
	Address string `json:"address"`
}

// These bound a mail, in bytes.
const (
	maxSubject  = 200
	maxText     = 64 << 10
	maxAnswered = 256 << 10 // the most that is read from a mail server in one connection
)

var address = scalar.Pattern("^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]+@[A-Za-z0-9-]+(\\.[A-Za-z0-9-]+)*$")

// CheckAddress refuses a text that is not exactly one mail address, like ann@example.com. A display name, quotes and characters beyond ASCII are refused.
func CheckAddress(text string) error {
	if len(text) > 254 || !address().MatchString(text) {
		return fmt.Errorf("want one address like ann@example.com, not %.80q", text)
	}
	return nil
}

func (m *Mail) recipient(name string) (Recipient, error) {
	i := slices.IndexFunc(m.To, func(r Recipient) bool { return r.Name == name })
	if i < 0 {
		return Recipient{}, service.Refuse("to: want %s, not %.40q: name a recipient of the host, not an address", m.names(), name)
	}
	return m.To[i], nil
}

func (m *Mail) names() string {
	names := scalar.Each(m.To, func(r Recipient) string { return fmt.Sprintf("%q", r.Name) })
	return strings.Join(names, " or ")
}

// Object makes the object of a principal. claim returns the text of a claim; "": the principal has none.
func (m *Mail) Object(r Rules, claim func(name string) string) (Sink, error) {
	if claim == nil && slices.ContainsFunc(m.To, func(to Recipient) bool { return to.Claim != "" }) {
		return Sink{}, errors.New("notify: a recipient has its address in a claim of the principal, so Object needs the function that returns claims: pass one")
	} else if err := m.Host.Check(); err != nil {
		return Sink{}, err
	}
	encode := func(in *letter) (any, error) {
		to, err := m.recipient(in.To)
		if err == nil {
			err = plain("subject", in.Subject, maxSubject, false)
		}
		in.Text = strings.ReplaceAll(in.Text, "\r\n", "\n")
		if err == nil {
			err = plain("text", in.Text, maxText, true)
		}
		if err != nil {
			return nil, err
		}
		if to.Claim != "" {
			if to.Address = claim(to.Claim); CheckAddress(to.Address) != nil {
				return nil, service.Refuse("to: the host has no address for %q: name another recipient", in.To)
			}
		}
		return mailed{*in, to.Address}, nil
	}
	doc := "sends a mail of plain text, once the program has ended well; to is " + m.names()
	return sink(r, fmt.Sprintf("%s:%d from %s", m.Host.Name, m.Host.Port, m.From), m.Send, "send", doc, encode, func(op service.Operation) service.Operation {
		if r.Own.Empty() {
			return op
		}
		unnamed := r.Admits.Tags()
		for _, t := range r.Own.Tags() {
			base, kind, _ := value.TagParts(t)
			unnamed = append(unnamed, base+"@"+kind)
		}
		return service.AdmitsFor(op.Admits(value.NewLabel(unnamed...)), func(to struct {
			To string `json:"to"`
		}) value.Label {
			if x, err := m.recipient(to.To); err != nil || x.Claim == "" {
				return r.Admits
			}
			return value.NewLabel(slices.Concat(r.Admits.Tags(), r.Own.Tags())...)
		})
	})
}

// Notice returns the body of the host's own mail to a receiver with a fixed address.
func (m *Mail) Notice(to string, n Notice) ([]byte, error) {
	r, err := m.recipient(to)
	if err == nil && r.Claim != "" {
		err = fmt.Errorf("notify: the address of %s depends on the principal: send notices to a recipient with a fixed address", to)
	}
	if err != nil {
		return nil, err
	}
	return json.Marshal(mailed{letter{to, n.Subject, n.Text}, r.Address})
}

// Send implements outbox.Send. Its errors have only the server's name and the code of its answer.
func (m *Mail) Send(ctx context.Context, key string, body []byte) error {
	var x mailed
	if err := json.Unmarshal(body, &x); err != nil {
		return fmt.Errorf("%w: the waiting message can't be read, perhaps because another version of the host wrote it", outbox.ErrRefused)
	}
	switch r, err := m.recipient(x.To); {
	case err != nil:
		return fmt.Errorf("%w: the host has no recipient %q any more", outbox.ErrRefused, x.To)
	case r.Claim == "":
		x.Address = r.Address
	}
	msg := mail.NewMsg()
	if msg.From(m.From) != nil || CheckAddress(x.Address) != nil || msg.To(x.Address) != nil {
		return fmt.Errorf("%w: the address of its sender or its recipient is not like ann@example.com", outbox.ErrRefused)
	}
	_, domain, _ := strings.Cut(m.From, "@")
	msg.SetMessageIDWithValue(key + "@" + domain)
	msg.SetDate()
	msg.SetGenHeader("Auto-Submitted", "auto-generated")
	msg.Subject(x.Subject)
	msg.SetBodyString(mail.TypeTextPlain, x.Text)
	ctx, cancel := context.WithTimeout(ctx, 45*time.Second)
	defer cancel()
	c, err := m.client(ctx)
	if err != nil {
		return err
	}
	conn, err := c.DialToSMTPClientWithContext(ctx)
	if err == nil {
		err = c.SendWithSMTPClient(conn, msg)
		if msg.IsDelivered() {
			err = nil // the server has taken the mail, so a later error does not count
		}
		_ = c.CloseWithSMTPClient(conn)
	}
	return m.failed(err)
}

// client makes the client of one mail. Its connection ends with ctx.
func (m *Mail) client(ctx context.Context) (*mail.Client, error) {
	conf := &tls.Config{ServerName: m.Host.Name, MinVersion: tls.VersionTLS12, RootCAs: m.Roots}
	opts := []mail.Option{mail.WithPort(m.Host.Port), mail.WithTimeout(40 * time.Second), mail.WithTLSConfig(conf), mail.WithHELO("localhost"), mail.WithoutNoop(), mail.WithoutRset(),
		mail.WithDialContextFunc(func(context.Context, string, string) (net.Conn, error) {
			raw, err := m.Host.Dial(ctx, m.Lookup)
			if err != nil {
				return nil, err
			}
			context.AfterFunc(ctx, func() { raw.Close() })
			raw = &boundedConn{raw, maxAnswered}
			if m.StartTLS {
				return raw, nil
			}
			conn := tls.Client(raw, conf)
			return conn, conn.HandshakeContext(ctx)
		})}
	if opts = append(opts, mail.WithTLSPolicy(mail.TLSMandatory)); !m.StartTLS {
		opts = append(opts, mail.WithTLSPolicy(mail.TLSOpportunistic)) // with this policy the library finds that the connection is TLS already, and sends passwords
	}
	if m.Secret != nil {
		user, err := m.Secret(ctx, "user")
		password := ""
		if err == nil {
			password, err = m.Secret(ctx, "password")
		}
		if err != nil {
			return nil, err
		}
		used(ctx, web.Use{Secret: m.Place, Host: m.Host.Name, Header: "password"})
		opts = append(opts, mail.WithSMTPAuth(mail.SMTPAuthAutoDiscover), mail.WithUsername(user), mail.WithPassword(password))
	}
	return mail.NewClient(m.Host.Name, opts...)
}

// failed makes an error without the server's text, which may repeat the mail or the password.
func (m *Mail) failed(err error) error {
	if err == nil {
		return nil
	}
	code := 0
	if e, ok := errors.AsType[*mail.SendError](err); ok {
		code = e.ErrorCode()
	}
	if e, ok := errors.AsType[*textproto.Error](err); ok && code == 0 {
		code = e.Code
	}
	_, proven := errors.AsType[*tls.CertificateVerificationError](err)
	switch {
	case code >= 500 && code != 530 && code != 535: // a refused login (530, 535) is not final, since the server may accept it later
		return fmt.Errorf("%w: %s answers %d", outbox.ErrRefused, m.Host.Name, code)
	case code > 0:
		return fmt.Errorf("%s answers %d", m.Host.Name, code)
	case errors.Is(err, web.ErrRefused):
		return err
	case proven:
		return fmt.Errorf("the certificate of %s can't be verified", m.Host.Name)
	}
	if e, ok := errors.AsType[net.Error](err); ok && e.Timeout() {
		return fmt.Errorf("the mail server %s did not answer in time", m.Host.Name)
	}
	return fmt.Errorf("the mail server %s ended the connection, or offers no TLS or no login with a password: check its name and port", m.Host.Name)
}

// boundedConn is a connection from which at most left more bytes are read.
type boundedConn struct {
	net.Conn
	left int
}

// Read implements net.Conn.
func (c *boundedConn) Read(b []byte) (int, error) {
	if c.left <= 0 {
		return 0, io.ErrUnexpectedEOF
	}
	n, err := c.Conn.Read(b[:min(len(b), c.left)])
	c.left -= n
	return n, err
}
