// This file keeps the part of the tree that is needed to add leaves.

package tree

import (
	"fmt"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

// frontier keeps the last stored hash of each level of a tree. That is enough to add a leaf, and to compute the root.
type frontier struct {
	size   int64
	hashes [64]Hash
	at     [64]int64 // the place of each hash in its level
}

// ReadHashes implements tlog.HashReader.
func (f *frontier) ReadHashes(indexes []int64) ([]Hash, error) {
	out := make([]Hash, len(indexes))
	for i, x := range indexes {
		level, n := tlog.SplitStoredHashIndex(x)
		if f.at[level] != n {
			return nil, fmt.Errorf("hash %d of level %d of the tree was not kept: this is a fault of exo/record, please report it", n, level)
		}
		out[i] = f.hashes[level]
	}
	return out, nil
}

// add appends a leaf, and returns the hashes that are now complete, from level 0 upwards.
func (f *frontier) add(leaf Hash) ([]Hash, error) {
	stored, err := tlog.StoredHashesForRecordHash(f.size, leaf, f)
	for level, h := range stored {
		f.hashes[level], f.at[level] = h, f.size>>level
	}
	f.size++
	return stored, err
}

// subtrees returns the hashes of the complete subtrees that the tree consists of, the smallest first, for a checkpoint's line.
func (f *frontier) subtrees() []Hash {
	hashes := []Hash{}
	for level, h := range f.hashes {
		if f.size>>level&1 == 1 {
			hashes = append(hashes, h)
		}
	}
	return hashes
}

// checkpoint signs the tree. It returns the signed text, and the line that contains it.
func (f *frontier) checkpoint(origin string, about Hash, by note.Signer) (signed string, line []byte, err error) {
	root, err := tlog.TreeHash(f.size, f)
	if err == nil {
		signed, err = Checkpoint{Origin: origin, Size: f.size, Root: root, About: about}.sign(by)
	}
	return signed, appendCheckpoint(nil, signed, f.subtrees()), err
}

// frontierOf makes the tree of a checkpoint from its subtrees. ok reports whether they give the checkpoint's root.
func frontierOf(c Checkpoint, subtrees []Hash) (f frontier, ok bool) {
	f.size = c.Size
	for level := range f.at {
		if f.at[level] = -1; c.Size>>level&1 == 1 && len(subtrees) > 0 {
			f.at[level], f.hashes[level], subtrees = c.Size>>level-1, subtrees[0], subtrees[1:]
		}
	}
	return f, len(subtrees) == 0 && f.is(c)
}

// signedTree makes the tree of line x, which must be a checkpoint that the key has signed.
func signedTree(x item, key note.Verifier) (frontier, error) {
	c, err := openCheckpoint(x.checkpoint, key)
	tree, ok := frontierOf(c, x.subtrees)
	if err == nil && !ok {
		err = errChanged
	}
	return tree, err
}

// is reports whether c is the checkpoint of this tree.
func (f *frontier) is(c Checkpoint) bool {
	root, err := tlog.TreeHash(f.size, f)
	return err == nil && f.size == c.Size && root == c.Root
}
