// This file has the name of a log, its keys, and its checkpoints.

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

	"github.com/exoagent/exoagent/internal/cosign"
	"github.com/exoagent/exoagent/internal/dbwitness"
)

// About is the content of log.json. Each checkpoint signs the digest of log.json, so a log does not open if its log.json was changed.
type About struct {
	V          int       `json:"v"`
	Origin     string    `json:"origin"`            // the name of the log, which no other log has
	Key        PublicKey `json:"key"`               // the key that verifies the log's checkpoints
	Recipients []string  `json:"recipients"`        // the age recipients that data keys are encrypted for
	Witness    string    `json:"witness,omitempty"` // the place for checkpoints: a second folder, a second database as env:NAME, or a witness over HTTP as URL#KEY. See packages dbwitness and cosign
}

const aboutFile = "log.json"

// SigningKey is the secret half of a log's Ed25519 key, which NewKey makes. Printing a SigningKey does not reveal it; string(k) does.
type SigningKey string

// String implements fmt.Stringer. It hides the key, so that the host's logs can't contain it.
func (SigningKey) String() string { return "(a signing key)" }

// GoString implements fmt.GoStringer. It hides the key, like String.
func (k SigningKey) GoString() string { return k.String() }

// PublicKey is the public half of a log's key. A person who verifies a log must not get it from the log's folder: an attacker could have put another
// key there.
type PublicKey string

// NewKey makes a name that no other log has, and both halves of a key.
func NewKey() (origin string, private SigningKey, public PublicKey, err error) {
	b := make([]byte, 8)
	rand.Read(b) // rand.Read never returns an error
	origin = fmt.Sprintf("exo-record-%x", b)
	secret, shown, err := note.GenerateKey(rand.Reader, origin)
	return origin, SigningKey(secret), PublicKey(shown), err
}

// ReadSigningKey reads the signing key of the log in dir from env:NAME or file:PATH. The file must not be in dir. dir is "" if the log is in a
// database.
func ReadSigningKey(dir, place string) (SigningKey, error) {
	kind, name, _ := strings.Cut(place, ":")
	switch {
	case kind == "env" && os.Getenv(name) != "":
		return SigningKey(os.Getenv(name)), nil
	case kind == "env":
		return "", fmt.Errorf("the variable %s is not set: it has to hold the signing key of the record", name)
	case kind != "file" || name == "":
		return "", errors.New("want the place of the signing key: file:PATH or env:NAME")
	case dir != "" && Within(dir, name):
		return "", fmt.Errorf("%s is in the record's folder %s, so a person who can change the record could also sign it: keep the key in another folder", name, dir)
	}
	text, err := os.ReadFile(name)
	return SigningKey(text), err
}

// Fits makes the checks that Open makes before it reads entries: there is a log, the key is its key, and its witness has a
// checkpoint. If required is set, the log must have a witness. Fits changes nothing, and works while a process has the log open.
func Fits(in Source, private SigningKey, required bool) error {
	a, _, err := readAbout(in)
	if err != nil {
		return err
	}
	if _, _, err := a.keys(private); err != nil {
		return err
	}
	if required && a.Witness == "" {
		return errNoWitness
	}
	v, err := verifier(a.Key)
	if err == nil && a.Witness != "" && !cosign.Is(a.Witness) {
		if _, err = seenBy(a.Witness, v); err != nil {
			err = fmt.Errorf("the witness %s: %w", a.Witness, err)
		}
	}
	return err
}

// readAbout reads log.json. Don't verify with the public key in it: an attacker who can write the log can replace both.
func readAbout(in Source) (a About, digest Hash, err error) {
	text, err := in.about()
	if err != nil {
		return a, digest, err
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&a); err != nil || a.V != 1 {
		return a, digest, fmt.Errorf("%s can't be read: want the file that exo record init made, of version 1", aboutFile)
	}
	return a, sha256.Sum256(text), nil
}

// text returns the text of log.json.
func (a *About) text() ([]byte, error) {
	a.V = 1
	text, err := json.MarshalIndent(a, "", "  ")
	return append(text, '\n'), err
}

// place checks the setting of the witness for a log in dir, which is "" for a database. It makes the witness's folder or table before Create makes
// anything: if place fails, Create changes nothing.
func (a *About) place(dir string) error {
	switch {
	case a.Witness == "":
		return nil
	case cosign.Is(a.Witness):
		_, err := cosign.Parse(a.Witness, witnessWait)
		return err
	case !dbwitness.Is(a.Witness) && (!filepath.IsAbs(a.Witness) || dir != "" && Within(dir, a.Witness)):
		return fmt.Errorf("the witness is %s: want the absolute path of a folder outside of the record, env:NAME for a database, or URL#KEY for a server", a.Witness)
	}
	k, err := keeperOf(a.Witness, nil)
	if err == nil {
		err = errors.Join(k.Create(), k.Close())
	}
	if err != nil {
		return fmt.Errorf("the witness %s: %w", a.Witness, err)
	}
	return nil
}

// firstSeen writes the first checkpoint to the witness, if there is one.
func (a *About) firstSeen(signed string) error {
	if a.Witness == "" || cosign.Is(a.Witness) { // a witness over HTTP gets the first checkpoint that covers an entry
		return nil
	}
	v, err := verifier(a.Key)
	if err != nil {
		return err
	}
	k, err := keeperOf(a.Witness, v)
	if err == nil {
		err = errors.Join(k.Keep(a.Origin, signed, 0), k.Close())
	}
	return err
}

// keys reads the recipients and the private key. The key must have the log's name and public half.
func (a *About) keys(private SigningKey) (*keys, note.Signer, error) {
	if len(a.Recipients) == 0 {
		return nil, nil, errors.New("a log needs an age recipient: only that recipient's identity can decrypt the log")
	}
	to, err := age.ParseRecipients(strings.NewReader(strings.Join(a.Recipients, "\n")))
	if err != nil {
		return nil, nil, fmt.Errorf("recipients: %w", err)
	}
	signer, err := note.NewSigner(strings.TrimSpace(string(private)))
	if err != nil {
		return nil, nil, errors.New("the signing key can't be read: want the one that exo record init made") // err is left out, since it may contain the key
	}
	v, err := note.NewVerifier(string(a.Key))
	if err != nil || signer.Name() != a.Origin || v.Name() != a.Origin || signer.KeyHash() != v.KeyHash() {
		return nil, nil, fmt.Errorf("the signing key and the public key in %[2]s don't both belong to the log %[1]s: give the signing key that exo record init made with this log", a.Origin, aboutFile)
	}
	return newKeys(to), signer, nil
}

// Checkpoint is a signed head of a log. It states that the first Size entries have the hash Root.
type Checkpoint struct {
	Origin string
	Size   int64
	Root   Hash
	About  Hash // the SHA-256 of log.json, on a line of its own
}

func (c Checkpoint) sign(by note.Signer) (string, error) {
	signed, err := note.Sign(&note.Note{Text: fmt.Sprintf("%s\n%d\n%s\n%s\n", c.Origin, c.Size, c.Root, c.About)}, by)
	return string(signed), err
}

func verifier(public PublicKey) (note.Verifier, error) {
	v, err := note.NewVerifier(strings.TrimSpace(string(public)))
	if err != nil {
		return nil, errors.New("the public key of the log can't be read: want the text that exo record init printed, not the signing key") // the key is not quoted, since it may be the signing key
	}
	return v, nil
}

// openCheckpoint reads a signed checkpoint. The key must have signed it, and its origin must be the key's name. Only one spelling is valid.
func openCheckpoint(signed string, v note.Verifier) (c Checkpoint, err error) {
	n, err := note.Open([]byte(signed), note.VerifierList(v))
	if err != nil {
		return c, fmt.Errorf("the log's key %s has not signed the checkpoint: it is the key of another log, or the checkpoint was changed: %w", v.Name(), err)
	}
	if lines := strings.Split(n.Text, "\n"); len(lines) == 5 && len(n.Sigs) == 1 && len(n.UnverifiedSigs) == 0 {
		c.Origin = lines[0]
		c.Size, err = strconv.ParseInt(lines[1], 10, 64)
		_, err2 := base64.StdEncoding.Strict().DecodeString(n.Sigs[0].Base64) // refuse other spellings of the signature, which note.Open accepts
		err = errors.Join(err, err2, unbase64(&c.Root, lines[2]), unbase64(&c.About, lines[3]))
		if err == nil && c.Origin == v.Name() && c.Size >= 0 {
			return c, nil
		}
	}
	return c, errors.New("the checkpoint was not written by this log, since its form or its origin is another")
}

// sizeIn returns the number of entries that a checkpoint claims to sign.
func sizeIn(signed string) (n int64) {
	_, rest, _ := strings.Cut(signed, "\n")
	text, _, _ := strings.Cut(rest, "\n")
	n, _ = strconv.ParseInt(text, 10, 64) // if text is no number, openCheckpoint reports it
	return n
}

func unbase64(to *Hash, text string) (err error) {
	if *to, err = tlog.ParseHash(text); err == nil && to.String() != text {
		err = errors.New("the hash is not spelled as exo writes it")
	}
	return err
}

// Within reports whether a file is in a folder. It follows symbolic links.
func Within(dir, file string) bool {
	real := func(p string) string {
		p, _ = filepath.Abs(p)
		if r, err := filepath.EvalSymlinks(p); err == nil {
			return r
		}
		if r, err := filepath.EvalSymlinks(filepath.Dir(p)); err == nil { // the file does not exist yet, so resolve the links of its folder
			return filepath.Join(r, filepath.Base(p))
		}
		return p
	}
	rel, err := filepath.Rel(real(dir), real(file))
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}
