// Package cosign asks a witness over HTTP to cosign a checkpoint of a log. It follows c2sp.org/tlog-witness, with cosignatures of Ed25519 in
// the form of c2sp.org/tlog-cosignature.
//
// Its input is a checkpoint that the log signed, with the proof that the checkpoint continues an earlier one. Its output is the checkpoint with
// the witness's cosignature. It only trusts what the witness's pinned key signed. A size in the witness's answer is not signed, so it is only a
// claim.
package cosign

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

// Witness is a witness: a URL and a pinned key.
type Witness struct {
	URL    string
	client *http.Client
	key    note.Verifier
}

// maxAnswer bounds an answer, which has only a few lines.
const maxAnswer = 16 << 10

// Is reports whether the text names a witness by its URL, and not by a folder.
func Is(place string) bool { return strings.Contains(place, "://") }

// Parse reads a witness from URL#KEY. The URL is the submission prefix, and KEY is the verifier key, NAME+HASH+BASE64. The argument wait bounds
// the time of a request.
func Parse(place string, wait time.Duration) (*Witness, error) {
	at, key, _ := strings.Cut(place, "#")
	u, err := url.Parse(at)
	if err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" {
		return nil, errors.New("a witness has to be a folder, env:NAME for a variable with the URL of a database, or https://HOST/PREFIX#KEY without a user, a password or a query")
	}
	ip := net.ParseIP(u.Hostname())
	if local := u.Hostname() == "localhost" || ip != nil && ip.IsLoopback(); u.Scheme != "https" && (u.Scheme != "http" || !local) {
		return nil, fmt.Errorf("the witness %s: want an https address; http is only for this machine", at)
	}
	name, rest, _ := strings.Cut(key, "+")
	hash, encoded, _ := strings.Cut(rest, "+")
	b, _ := base64.StdEncoding.DecodeString(encoded)
	sum := sha256.Sum256(append([]byte(name+"\n"), b...))
	if name == "" || len(b) != 1+ed25519.PublicKeySize || b[0] != cosignature || hash != fmt.Sprintf("%x", sum[:4]) {
		return nil, fmt.Errorf("the witness %s: after # want the witness's verifier key for Ed25519 cosignatures, in the form NAME+HASH+BASE64", at)
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxResponseHeaderBytes = maxAnswer
	stay := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse } // a redirect could lead to another witness
	return &Witness{strings.TrimSuffix(at, "/"), &http.Client{Transport: transport, CheckRedirect: stay, Timeout: wait},
		&verifier{name, binary.BigEndian.Uint32(sum[:4]), b[1:]}}, nil
}

// Conflict is the error of Add if the witness's last checkpoint is not the one that Add continues. The witness does not sign this answer, so Size
// is only a claim.
type Conflict struct {
	Size int64 // the size of the witness's last checkpoint; -1 if the log contradicts that checkpoint
}

func (e *Conflict) Error() string {
	if e.Size < 0 {
		return "the answer says that the log does not continue what the witness has seen"
	}
	return fmt.Sprintf("the answer says that the witness's last checkpoint has %d entries", e.Size)
}

// Add submits a checkpoint. The proof shows that the checkpoint continues the witness's last one, whose number of entries is old. Add returns the
// checkpoint with the witness's cosignature.
func (w *Witness) Add(old int64, proof tlog.TreeProof, checkpoint string, log note.Verifier) (cosigned string, err error) {
	body := fmt.Sprintf("old %d\n", old)
	for _, h := range proof {
		body += h.String() + "\n"
	}
	resp, err := w.client.Post(w.URL+"/add-checkpoint", "text/plain; charset=utf-8", strings.NewReader(body+"\n"+checkpoint))
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	if err == nil && len(text) > maxAnswer {
		err = fmt.Errorf("the answer has more than %d bytes: ask the witness's operators", maxAnswer)
	}
	switch {
	case err != nil:
		return "", err
	case resp.StatusCode == http.StatusOK:
		return w.Cosigned(checkpoint+string(text), log)
	case resp.StatusCode == http.StatusConflict && strings.HasPrefix(resp.Header.Get("Content-Type"), "text/x.tlog.size"):
		line := strings.TrimSuffix(string(text), "\n")
		size, err := strconv.ParseInt(line, 10, 64)
		if err != nil || size < 0 || strconv.FormatInt(size, 10) != line {
			return "", errors.New("the answer has the HTTP status 409, and its text is not a number of entries: ask the witness's operators")
		}
		return "", &Conflict{size}
	case resp.StatusCode == http.StatusUnprocessableEntity, resp.StatusCode == http.StatusConflict: // conflict means another root at the same size
		return "", &Conflict{-1}
	}
	return "", fmt.Errorf("the answer has the HTTP status %d: ask the witness's operators", resp.StatusCode) // the error repeats none of the answer's text, because anyone may have written it
}

// Cosigned checks the log's signature and the witness's cosignature of a checkpoint. It returns the checkpoint with only these two.
func (w *Witness) Cosigned(text string, log note.Verifier) (string, error) {
	n, err := note.Open([]byte(text), note.VerifierList(log, w.key))
	if err != nil || len(n.Sigs) != 2 { // a key has at most one signature
		return "", errors.New("the checkpoint has no valid cosignature by the key that the record names for this witness; another server may answer at its address, or its key has changed: ask its operators")
	}
	text = n.Text + "\n"
	for _, s := range n.Sigs {
		text += fmt.Sprintf("— %s %s\n", s.Name, s.Base64)
	}
	return text, nil
}

// verifier verifies cosignatures. It implements note.Verifier.
type verifier struct {
	name string
	hash uint32
	key  ed25519.PublicKey
}

// cosignature is the type of the key, in its first byte.
const cosignature = 4

func (v *verifier) Name() string    { return v.name }
func (v *verifier) KeyHash() uint32 { return v.hash }

// Verify reports whether sig is a cosignature of msg: a time and an Ed25519 signature.
func (v *verifier) Verify(msg, sig []byte) bool {
	if len(sig) != 8+ed25519.SignatureSize {
		return false
	}
	at := binary.BigEndian.Uint64(sig)
	return ed25519.Verify(v.key, fmt.Appendf(nil, "cosignature/v1\ntime %d\n%s", at, msg), sig[8:])
}
