// This file reads and writes the lines of the segments in a folder.

package tree

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

// Entry is an entry that was read from a log.
type Entry struct {
	Leaf
	Hash    Hash
	wrapped []byte // the wrapped data key in base64, or the text that overwrote it; nil: another line has the key
	sealed  []byte // the encrypted payload in base64
	raw     []byte // the whole line. wrapped, sealed and raw are valid until the next line is read
}

// maxLine is the largest size of a line in bytes: a payload has at most 64 MiB, in base64.
const maxLine = 96 << 20

// segment is a file of lines.
type segment struct {
	path  string
	first int64 // the number of its first entry
}

func segmentPath(dir string, first int64) string {
	return filepath.Join(dir, fmt.Sprintf("%015d.jsonl", first))
}

// segments lists the segments of a folder in order, which is the order of their names.
func segments(dir string) (all []segment, err error) {
	files, err := os.ReadDir(dir)
	for _, f := range files {
		name, is := strings.CutSuffix(f.Name(), ".jsonl")
		if !is {
			continue
		}
		s := segment{path: filepath.Join(dir, f.Name())}
		if s.first, err = strconv.ParseInt(name, 10, 64); err != nil || s.path != segmentPath(dir, s.first) {
			return nil, fmt.Errorf("%s is in the folder of the log, but its name is not one that the log gives: move it to another folder", f.Name())
		}
		all = append(all, s)
	}
	return all, err
}

// item is a line of a log: an entry or a checkpoint.
type item struct {
	*Entry
	checkpoint string     // the checkpoint as a signed note; "": the line is an entry
	subtrees   []Hash     // the subtrees of the checkpoint's tree
	of         Checkpoint // the checkpoint, once a caller has verified it
	file       string     // the segment that has the line
	at, end    int64      // the offsets of the beginning and the end of the line
	first      int64      // the number of the segment's first entry
	kept       time.Time  // the time Row.At, in a database
	broken     error      // the error of Entry.outside, which only readTail sets
}

var (
	leafStart       = []byte(`{"leaf":`)
	checkpointStart = []byte(`{"checkpoint":`)
)

// appendEntry appends an entry's line to b. It also returns the hash of the leaf.
func appendEntry(b []byte, l *Leaf, wrapped, sealed []byte) ([]byte, Hash) {
	b = append(b, leafStart...)
	from := len(b)
	b = l.append(b)
	hash := tlog.RecordHash(b[from:])
	return appendParts(b, wrapped, sealed), hash
}

// appendParts ends the line of an entry with its wrapped data key and its encrypted payload, as far as it has them.
func appendParts(b, wrapped, sealed []byte) []byte {
	if len(wrapped) > 0 {
		b = append(base64.StdEncoding.AppendEncode(append(b, `,"key":"`...), wrapped), '"')
	}
	if len(sealed) > 0 {
		b = append(base64.StdEncoding.AppendEncode(append(b, `,"sealed":"`...), sealed), '"')
	}
	return append(b, '}', '\n')
}

func appendCheckpoint(b []byte, signed string, subtrees []Hash) []byte {
	text, _ := json.Marshal(struct {
		Checkpoint string `json:"checkpoint"`
		Subtrees   []Hash `json:"subtrees"`
	}{signed, subtrees}) // no error: texts can always be marshalled
	return append(append(b, text...), '\n')
}

// parseLine reads a line with its newline. It refuses any other spelling of the same line.
func parseLine(line []byte) (x item, err error) {
	if bytes.HasPrefix(line, checkpointStart) {
		var c struct {
			Checkpoint string
			Subtrees   []Hash
		}
		if json.Unmarshal(line, &c) != nil || c.Checkpoint == "" || !bytes.Equal(appendCheckpoint(nil, c.Checkpoint, c.Subtrees), line) {
			return x, errors.New("the line is not in the form in which exo writes a checkpoint")
		}
		return item{checkpoint: c.Checkpoint, subtrees: c.Subtrees}, nil
	}
	end := bytes.IndexByte(line, '}') + 1
	if !bytes.HasPrefix(line, leafStart) || end == 0 {
		return x, errors.New("the line is neither an entry nor a checkpoint")
	}
	leaf, rest := line[len(leafStart):end], line[end:]
	e := &Entry{Hash: tlog.RecordHash(leaf), raw: line}
	if e.Leaf, err = parseLeaf(leaf); err != nil {
		return x, err
	}
	part := func(name string) (text []byte) {
		if after, is := bytes.CutPrefix(rest, []byte(name)); is && !bytes.HasPrefix(after, []byte(`"`)) {
			text, rest, _ = bytes.Cut(after, []byte(`"`))
		}
		return text
	}
	e.wrapped, e.sealed = part(`,"key":"`), part(`,"sealed":"`)
	if string(rest) != "}\n" || (len(e.wrapped) == 0) != (e.Wrapped == [32]byte{}) || (len(e.sealed) == 0) != (e.Sealed == [32]byte{}) {
		return x, errors.New("the data key or the payload of the entry is missing or was added")
	}
	x.Entry = e
	return x, nil
}

// outside checks the payload and the data key, which are not in the leaf, against the hashes in the leaf. It reuses buf.
func (e *Entry) outside(buf *[]byte) error {
	matches := func(text []byte, digest [32]byte) bool {
		b, err := base64.StdEncoding.Strict().AppendDecode((*buf)[:0], text)
		*buf = b
		return err == nil && base64.StdEncoding.EncodedLen(len(b)) == len(text) && sha256.Sum256(b) == digest // the length is checked, too, since the decoder skips line breaks
	}
	if len(e.sealed) > 0 && !matches(e.sealed, e.Sealed) {
		return fmt.Errorf("entry %d: its payload was changed", e.Number)
	}
	if len(e.wrapped) > 0 && !e.Destroyed() && !matches(e.wrapped, e.Wrapped) {
		return fmt.Errorf("entry %d: its data key was changed, or only partly erased: if its run was to be erased, erase the run again", e.Number)
	}
	return nil
}

// errTorn is the error for a last line without a newline: a process is writing it, or was killed while it wrote it.
var errTorn = errors.New("the last line is incomplete")

// scanFile reads the lines of a file that begin at from or later. It ends with errTorn if the last line has no newline.
func scanFile(path string, from int64) iter.Seq2[item, error] {
	return func(yield func(item, error) bool) {
		f, err := os.Open(path)
		if err != nil {
			yield(item{}, fmt.Errorf("%w: %w", errUnread, err))
			return
		}
		defer f.Close()
		at := max(0, from-1)
		in := bufio.NewScanner(io.NewSectionReader(f, at, 1<<62))
		in.Buffer(make([]byte, 1<<20), maxLine)
		in.Split(func(b []byte, end bool) (int, []byte, error) {
			if i := bytes.IndexByte(b, '\n') + 1; i > 0 {
				return i, b[:i], nil
			}
			if end && len(b) > 0 {
				return 0, nil, errTorn
			}
			return 0, nil, nil
		})
		for in.Scan() {
			begins := at
			if at += int64(len(in.Bytes())); begins < from {
				continue // this is the rest of a line that begins before from
			}
			x, err := parseLine(in.Bytes())
			if err != nil {
				err = fmt.Errorf("%s: the line at byte %d: %w", filepath.Base(path), begins, err)
			}
			if x.file, x.at, x.end = path, begins, at; !yield(x, err) || err != nil {
				return
			}
		}
		if err := in.Err(); err != nil {
			yield(item{end: at}, err)
		}
	}
}

// Entries reads all entries of a log, and ends with an error at the first line that it can't read. It checks no hash and no
// signature; Verify does. It leaves out an incomplete last line, which a process may be writing.
func Entries(in Source) iter.Seq2[*Entry, error] {
	return func(yield func(*Entry, error) bool) {
		for x, err := range in.lines(place{}, true) {
			if (err != nil || x.Entry != nil) && !yield(x.Entry, err) || err != nil {
				return
			}
		}
	}
}

// maxTail is how many bytes Open reads from the end of a log. If they contain no checkpoint, Open reads more.
const maxTail = 1 << 20

// readTail reads the last lines of a segment, from a checkpoint or from the segment's beginning. size is the offset at which the last
// complete line ends. If the next line can't be read, bad is the reason.
func readTail(path string) (tail []item, size int64, bad, err error) {
	info, err := os.Stat(path)
	var buf []byte
	for most := int64(maxTail); err == nil; most *= 4 {
		from := max(0, info.Size()-most)
		for x, err := range scanFile(path, from) {
			if errors.Is(err, errTorn) {
				break
			}
			if bad = err; err != nil {
				break
			}
			if x.Entry != nil {
				x.broken = x.outside(&buf)
			}
			if len(tail) > 0 || x.Entry == nil || from == 0 {
				tail, size = append(tail, x), x.end
			}
			if x.Entry != nil {
				x.wrapped, x.sealed, x.raw = nil, nil, nil // dropped, since the next line reuses their buffer
			}
		}
		if len(tail) > 0 || from == 0 {
			break
		}
	}
	return tail, size, bad, err
}

// signedBehind reports whether a checkpoint that the log's key has signed follows after byte at of a segment.
func signedBehind(path string, at int64, v note.Verifier) (bool, error) {
	text, err := os.ReadFile(path)
	for line := range bytes.Lines(text[min(at, int64(len(text))):]) {
		if x, err := parseLine(line); err == nil && x.checkpoint != "" {
			if _, err := openCheckpoint(x.checkpoint, v); err == nil {
				return true, nil
			}
		}
	}
	return false, err
}
