package review

// This file encrypts change sets, and makes the keyed digest that two runs are compared by.

import (
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/changeset"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/internal/aead"
)

// chunkBytes is the size of one encrypted chunk. In base64 and JSON it stays under store.MaxValue.
const chunkBytes = 700 << 10

// chunk is the value of an entry with a part of the encrypted text.
type chunk struct {
	Principal string `json:"principal"`
	Sealed    []byte `json:"sealed"`
}

func (k *Keeper) derive(what, id string, n int) ([]byte, error) {
	return hkdf.Key(sha256.New, k.opt.Key, []byte(id), "exo/review 1: "+what, n)
}

func (k *Keeper) box(id string) (aead.Box, error) {
	return aead.New(k.opt.Key, "exo/review 1: encryption", id)
}

// seal encrypts a text with a key derived from its ID, authenticates the principal with it, and cuts it into chunks.
func (k *Keeper) seal(p exo.Principal, id string, text []byte) (chunks [][]byte, err error) {
	box, err := k.box(id)
	if err != nil {
		return nil, err
	}
	sealed := box.Seal(text, []byte(p))
	for len(sealed) > 0 {
		n := min(len(sealed), chunkBytes)
		b, err := json.Marshal(chunk{string(p), sealed[:n]})
		if err != nil {
			return nil, err
		}
		chunks, sealed = append(chunks, b), sealed[n:]
	}
	return chunks, nil
}

// unseal joins the chunks and decrypts them. It fails if they were changed, swapped, or sealed with another key or ID.
func (k *Keeper) unseal(id string, chunks [][]byte) (text []byte, principal exo.Principal, err error) {
	var sealed []byte
	for _, p := range chunks {
		var x chunk
		if err := json.Unmarshal(p, &x); err != nil {
			return nil, "", fmt.Errorf("review: change set %s can't be read: %w", id, err)
		}
		sealed, principal = append(sealed, x.Sealed...), exo.Principal(x.Principal)
	}
	box, err := k.box(id)
	if err != nil {
		return nil, "", err
	}
	if text, err = box.Open(sealed, []byte(principal)); err == nil {
		return text, principal, nil
	}
	return nil, "", fmt.Errorf("review: change set %s was changed in the store, or written with another key, so it can't be agreed to: run its program again", id)
}

// mac authenticates a head: the state of a change set, who decided and why. The head's Short can be opened under its own ID alone, so a head
// can't be moved to another change set.
func (k *Keeper) mac(h head) ([]byte, error) {
	own, err := k.derive("head", "", 32)
	if err != nil {
		return nil, err
	}
	h.MAC = nil
	b, err := json.Marshal(h)
	sum := hmac.New(sha256.New, own)
	sum.Write(b)
	return sum.Sum(nil), err
}

// digest returns the keyed digest of everything that a run determines, in its stores and its messages. It covers hidden columns and sealed values,
// which can't be guessed from it without the key. In set it replaces each part by a digest, so that no hidden column is stored.
func (k *Keeper) digest(p exo.Principal, set *changeset.Set) ([]byte, error) {
	key, err := k.derive("digest", "", 32)
	if err != nil {
		return nil, err
	}
	part, err := k.derive("digest of a part", "", 32)
	if err != nil {
		return nil, err
	}
	sum := func(b *[]byte) {
		h := hmac.New(sha256.New, part)
		h.Write(*b)
		*b = h.Sum(nil)
	}
	for i := range set.Parts {
		sum(&set.Parts[i].Known)
	}
	set.Messages = slices.Clone(set.Messages)
	for i := range set.Messages {
		sum(&set.Messages[i].Known)
	}
	h := hmac.New(sha256.New, key)
	add := func(b []byte) { // writes the length first, so that no two lists give the same bytes
		var n [8]byte
		binary.BigEndian.PutUint64(n[:], uint64(len(b)))
		h.Write(n[:])
		h.Write(b)
	}
	add([]byte(p))
	add(binary.BigEndian.AppendUint64(nil, uint64(len(set.Parts))))
	for _, s := range set.Parts {
		add(binary.BigEndian.AppendUint64(nil, uint64(len(s.Grants))))
		for _, name := range s.Grants { // the grants count, too, since another database with the same rows has other grants
			add([]byte(name))
		}
		add(s.Known)
	}
	for _, m := range set.Messages {
		add([]byte(m.Op))
		add(m.Known)
	}
	return h.Sum(nil), nil
}

// weight is the size of the parts of a change set that its program may know. Labelled values and hidden columns don't count: a program could
// otherwise measure their size by adding other changes.
func weight(w *ChangeSet) int {
	n := len(w.Program)
	for _, m := range w.Set.Messages {
		n += len(m.Text)
	}
	for _, p := range w.Set.Parts {
		for _, r := range p.Rows {
			size, seen := 0, false
			for _, c := range r.Cells {
				for _, text := range []*string{c.Before, c.After} {
					if text != nil && len(c.Label) == 0 {
						size, seen = size+len(*text), seen || c.Changed()
					}
				}
			}
			if seen { // a row in which no visible cell changes does not count
				n += size
			}
		}
	}
	return n
}

var errTooLarge = fail.Errorf(fail.Limit, "", "a person would have to agree to this change, and it is too large to be shown: change less in one program")
