// This file proves one run to a person who has no access to the log.

package tree

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

// proofHead is the first line of a proof, in JSON. A proofLine follows for each entry of the run, with the entry's line and the hashes from it to the
// root.
type proofHead struct {
	Proof      int    `json:"proof"` // the version of the format
	Run        string `json:"run"`
	Checkpoint string `json:"checkpoint"`
}

type proofLine struct {
	Path  tlog.RecordProof `json:"path"`
	Entry json.RawMessage  `json:"entry"`
}

// Prove writes the proof that a run is in the tree of the last checkpoint. It reads the log twice: for the run, and for the hashes of its proofs.
func Prove(w io.Writer, in Source, run Run) error {
	var lines []proofLine
	var numbers []int64
	var size int64
	head := proofHead{Proof: 1, Run: run.String()}
	for x, err := range in.lines(place{}, true) {
		switch {
		case err != nil:
			return err
		case x.checkpoint != "":
			head.Checkpoint = x.checkpoint
			_, _ = fmt.Sscanf(x.checkpoint, "%s\n%d\n", new(string), &size) // the checkpoint is ours; Check reads it strictly
		case x.Run == run:
			lines = append(lines, proofLine{Entry: bytes.TrimSuffix(bytes.Clone(x.raw), []byte("\n"))})
			numbers = append(numbers, x.Number)
		}
	}
	if len(lines) == 0 {
		return fmt.Errorf("the log has no run %s", run)
	}
	if last := numbers[len(numbers)-1]; last >= size {
		return fmt.Errorf("entry %d of the run is not signed yet: try again in a second", last)
	}
	a, _, err := readAbout(in)
	key, err2 := verifier(a.Key)
	if err = cmp.Or(err, err2); err != nil {
		return err
	}
	_, err = hashes(in, place{}, size, key, func(r tlog.HashReader) error {
		for i, n := range numbers {
			path, err := tlog.ProveRecord(size, n, r)
			if lines[i].Path = path; err != nil {
				return err
			}
		}
		return nil
	})
	out := bufio.NewWriter(w)
	write := json.NewEncoder(out)
	err = errors.Join(err, write.Encode(head))
	for _, l := range lines {
		err = errors.Join(err, write.Encode(l))
	}
	return errors.Join(err, out.Flush())
}

// hashes calls prove twice: first to find out which hashes of the tree of size entries it needs, and then with these hashes. Between the calls hashes
// reads the log, from a place on. It returns the place of the last checkpoint that it read.
func hashes(in Source, from place, size int64, key note.Verifier, prove func(tlog.HashReader) error) (place, error) {
	need := map[int64]Hash{}
	known := tlog.HashReaderFunc(func(indexes []int64) ([]Hash, error) {
		out := make([]Hash, len(indexes))
		for i, x := range indexes {
			out[i] = need[x]
			need[x] = out[i] // the loop below searches the log for each hash in the map need
		}
		return out, nil
	})
	err := prove(known)
	var tree frontier
	for x, err2 := range followed(in, from, false, key, &tree) {
		if err = errors.Join(err, err2); err != nil {
			return from, err
		}
		for level, n := range tree.at { // an entry completes the hashes of some levels; a first checkpoint brings the hashes of all levels
			if x.Entry != nil && tree.size%(1<<level) != 0 {
				break
			}
			i := tlog.StoredHashIndex(level, max(n, 0))
			if _, wanted := need[i]; wanted && n >= 0 && n < tree.size>>level {
				need[i] = tree.hashes[level]
			}
		}
		if x.Entry == nil {
			if from = (place{tree.size, x.file, x.at}); tree.size == size {
				break
			}
		}
	}
	for _, h := range need {
		if h == (Hash{}) {
			return from, fmt.Errorf("the log lacks some of the %d entries that its checkpoint signs: exo record verify shows what was changed", size)
		}
	}
	return from, errors.Join(err, prove(known))
}

// spelled reports whether a line is exactly as Prove writes it. Package json also accepts capitals and repeated fields, which other readers may not.
func spelled(line []byte, as any) bool {
	var b bytes.Buffer
	return json.NewEncoder(&b).Encode(as) == nil && bytes.Equal(b.Bytes(), line)
}

// Proven is the result of Check.
type Proven struct {
	Checkpoint
	Run     Run
	Entries []*Entry
	Ended   bool // false: entries may be missing at the run's end. true: only entries that settle the run may follow
}

// Check checks a proof with the log's public key. The key must have signed the checkpoint. Each entry must be in the checkpoint's tree, and must
// follow the entry before it in the run, from the first on. The last entry of an ended run must contain the number of its entries.
func Check(proof io.Reader, public PublicKey) (*Proven, error) {
	in := bufio.NewReader(proof)
	var head proofHead
	line, _ := in.ReadBytes('\n')
	if json.Unmarshal(line, &head) != nil || head.Proof != 1 || !spelled(line, head) {
		return nil, errors.New("the first line is not that of a proof of version 1: want what exo record prove wrote")
	}
	v, err := verifier(public)
	if err != nil {
		return nil, err
	}
	p := &Proven{}
	if p.Checkpoint, err = openCheckpoint(head.Checkpoint, v); err != nil {
		return nil, err
	}
	var at progress
	for {
		line, err := in.ReadBytes('\n')
		if errors.Is(err, io.EOF) && len(line) == 0 {
			break
		}
		var l proofLine
		var x item
		if err = json.Unmarshal(line, &l); err == nil && !spelled(line, l) {
			err = errors.New("the line is not spelled as exo writes it, so other readers may read it differently")
		}
		if err == nil {
			x, err = parseLine(append(l.Entry, '\n'))
		}
		if err == nil && x.Entry == nil {
			err = errors.New("the line is a checkpoint")
		}
		if err != nil {
			return nil, fmt.Errorf("line %d of the proof is no entry: %w", len(p.Entries)+2, err)
		}
		if err := tlog.CheckRecord(l.Path, p.Size, p.Root, x.Number, x.Hash); err != nil {
			return nil, fmt.Errorf("entry %d is not in the log that the checkpoint signs: %w", x.Number, err)
		}
		if x.Run.String() != head.Run || !at.goesOn(x.Entry) {
			return nil, fmt.Errorf("entry %d is not the next one of run %s: an entry is missing, repeated or of another run: get the proof again", x.Number, head.Run)
		}
		if err := x.outside(new([]byte)); err != nil {
			return nil, err
		}
		p.Run, p.Entries, p.Ended = x.Run, append(p.Entries, x.Entry), x.Step == Ended
	}
	if len(p.Entries) == 0 {
		return nil, errors.New("the proof has no entry")
	}
	return p, nil
}
