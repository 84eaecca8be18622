package review

// This file encrypts change sets, and makes the keyed digest by which two runs are compared.

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

// chunkBytes is the size of one encrypted chunk: as base64 in JSON it is under store.MaxValue.
const chunkBytes = 700 << 10

// chunk is the value of an entry.
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

// seal encrypts a text under a key of its ID, and cuts it into chunks. The principal is authenticated with it.
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

// unseal joins the chunks and decrypts them. What was changed, swapped, or sealed under another key or ID is an error.
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
	return nil, "", fmt.Errorf("review: change set %s was changed in the store, or sealed with another key: it can't be agreed to", id)
}

// digest is the keyed digest of all that a run determines: what its stores know, and its messages. It has hidden columns and sealed values, so its key
// keeps anybody from guessing them by it. In set it leaves a digest of each part, so that no hidden column is stored.
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
	add := func(b []byte) { // with its length, so that no two lists are written alike
		var n [8]byte
		binary.BigEndian.PutUint64(n[:], uint64(len(b)))
		h.Write(n[:])
		h.Write(b)
	}
	add([]byte(p))
	add(binary.BigEndian.AppendUint64(nil, uint64(len(set.Parts))))
	for _, s := range set.Parts {
		add(binary.BigEndian.AppendUint64(nil, uint64(len(s.Grants))))
		for _, name := range s.Grants { // another database with the same rows has other grants
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

// weight is the size of what a change set's program could know of it. Neither a labelled value nor a hidden column counts: its size could be found by
// what else the program may add.
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
			if seen { // else something changes that the program can't see
				n += size
			}
		}
	}
	return n
}

var errTooLarge = fail.Errorf(fail.Limit, "", "a person would have to agree to this change, and it is too large to be shown: change less in one program")
