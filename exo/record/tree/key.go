// This file has what a log is called, the keys that sign it, and its checkpoints.

package tree

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"filippo.io/age"
	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

// About is what log.json says. Each checkpoint signs its digest, so a log with another one does not open.
type About struct {
	V          int       `json:"v"`
	Origin     string    `json:"origin"`            // the name of the log, which no other has
	Key        PublicKey `json:"key"`               // that its checkpoints are signed with
	Recipients []string  `json:"recipients"`        // the age recipients that data keys are encrypted for
	Witness    string    `json:"witness,omitempty"` // a second folder that checkpoints go to
}

const aboutFile = "log.json"

// SigningKey is the secret half of the Ed25519 key of a log, as NewKey makes it. It prints as nothing that helps; string(k) is its text.
type SigningKey string

// String implements fmt.Stringer, so that no log has the key.
func (SigningKey) String() string { return "(a signing key)" }

// GoString implements fmt.GoStringer, for the same.
func (k SigningKey) GoString() string { return k.String() }

// PublicKey is the half that those who verify a log have, from elsewhere than its folder.
type PublicKey string

// NewKey makes a name that no other log has, and its key.
func NewKey() (origin string, private SigningKey, public PublicKey, err error) {
	b := make([]byte, 8)
	rand.Read(b) // it never fails
	origin = fmt.Sprintf("exo-record-%x", b)
	secret, shown, err := note.GenerateKey(rand.Reader, origin)
	return origin, SigningKey(secret), PublicKey(shown), err
}

// readAbout reads log.json. The public key there is worth no more than the folder: one who verifies has it from elsewhere.
func readAbout(dir string) (a About, digest Hash, err error) {
	text, err := os.ReadFile(filepath.Join(dir, aboutFile))
	if err != nil {
		return a, digest, fmt.Errorf("this folder has no log; exo record init makes one: %w", err)
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&a); err != nil || a.V != 1 {
		return a, digest, fmt.Errorf("%s is not of version 1", aboutFile)
	}
	return a, sha256.Sum256(text), nil
}

// keys reads the recipients and the private key, whose name and public half have to be those of the log.
func (a *About) keys(private SigningKey) ([]age.Recipient, note.Signer, error) {
	if len(a.Recipients) == 0 {
		return nil, nil, errors.New("a log needs an age recipient, whose identity alone opens what it has encrypted")
	}
	to, err := age.ParseRecipients(strings.NewReader(strings.Join(a.Recipients, "\n")))
	if err != nil {
		return nil, nil, fmt.Errorf("recipients: %w", err)
	}
	signer, err := note.NewSigner(strings.TrimSpace(string(private)))
	if err != nil {
		return nil, nil, errors.New("the signing key is not one that exo record init made") // err may have it
	}
	v, err := note.NewVerifier(string(a.Key))
	if err != nil || signer.Name() != a.Origin || v.Name() != a.Origin || signer.KeyHash() != v.KeyHash() {
		return nil, nil, fmt.Errorf("the signing key is another log's: this one is %s", a.Origin)
	}
	return to, signer, nil
}

// Checkpoint is a signed head of a log: its first Size entries have the hash Root.
type Checkpoint struct {
	Origin string
	Size   int64
	Root   Hash
	About  Hash // SHA-256 of log.json, on a line of its own
}

func (c Checkpoint) sign(by note.Signer) (string, error) {
	signed, err := note.Sign(&note.Note{Text: fmt.Sprintf("%s\n%d\n%s\n%s\n", c.Origin, c.Size, c.Root, c.About)}, by)
	return string(signed), err
}

func verifier(public PublicKey) (note.Verifier, error) {
	v, err := note.NewVerifier(strings.TrimSpace(string(public)))
	if err != nil {
		return nil, errors.New("this is no public key of a log: want the text that exo record init printed, not the signing key") // which it may be
	}
	return v, nil
}

// openCheckpoint reads a signed checkpoint, in its one spelling. Its signature has to be by the key, and its origin the key's name.
func openCheckpoint(signed string, v note.Verifier) (c Checkpoint, err error) {
	n, err := note.Open([]byte(signed), note.VerifierList(v))
	if err != nil {
		return c, fmt.Errorf("a checkpoint that this key has not signed: %w", err)
	}
	if lines := strings.Split(n.Text, "\n"); len(lines) == 5 && len(n.Sigs) == 1 && len(n.UnverifiedSigs) == 0 {
		c.Origin = lines[0]
		c.Size, err = strconv.ParseInt(lines[1], 10, 64)
		_, err2 := base64.StdEncoding.Strict().DecodeString(n.Sigs[0].Base64) // note.Open takes other spellings
		err = errors.Join(err, err2, unbase64(&c.Root, lines[2]), unbase64(&c.About, lines[3]))
		if err == nil && c.Origin == v.Name() && c.Size >= 0 {
			return c, nil
		}
	}
	return c, errors.New("a checkpoint of another form or origin")
}

func unbase64(to *Hash, text string) (err error) {
	if *to, err = tlog.ParseHash(text); err == nil && to.String() != text {
		err = errors.New("a hash in another spelling")
	}
	return err
}

// Within reports whether a file is in a folder, also through links.
func Within(dir, file string) bool {
	real := func(p string) string {
		p, _ = filepath.Abs(p)
		if r, err := filepath.EvalSymlinks(p); err == nil {
			return r
		}
		if r, err := filepath.EvalSymlinks(filepath.Dir(p)); err == nil { // a file that is to be made
			return filepath.Join(r, filepath.Base(p))
		}
		return p
	}
	rel, err := filepath.Rel(real(dir), real(file))
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}
