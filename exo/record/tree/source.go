// This file has the two places of a log: a folder and a database.

package tree

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/mod/sumdb/tlog"

	"github.com/exoagent/exoagent/internal/atomicfile"
)

// Source is the place of a log to read: a folder ([Dir]) or a database ([In]).
type Source interface {
	about() ([]byte, error) // about returns the text of log.json
	// lines yields the lines from a place on. It leaves out an incomplete last line, which a process is writing or Open will cut off. From a
	// database, lines have payloads only if sealed is set.
	lines(from place, sealed bool) iter.Seq2[item, error]
	// cosigned returns the last checkpoint that the log's witness over HTTP has cosigned, or "". keepCosigned keeps it.
	cosigned() (string, error)
	keepCosigned(size int64, text string) error
}

var errUnread = errors.New("the log can't be read") // an unreadable log need not have been changed

// place is a position in a log from which it can be read: its last checkpoint that signs at most size entries. The zero place is the beginning.
type place struct {
	size int64
	file string // in a folder, the segment with the checkpoint, if it is known
	at   int64  // the offset of the checkpoint's line in that segment
}

// Dir is a log in a folder that Create made.
type Dir string

func (d Dir) about() ([]byte, error) {
	text, err := os.ReadFile(filepath.Join(string(d), aboutFile))
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("the folder has no log; exo record init makes one: %w", err)
	}
	return text, err
}

func (d Dir) lines(from place, _ bool) iter.Seq2[item, error] {
	return func(yield func(item, error) bool) {
		list, err := segments(string(d))
		if err != nil {
			yield(item{}, fmt.Errorf("%w: %w", errUnread, err))
			return
		}
		for i, s := range list {
			if from.file != "" && s.path < from.file || from.file == "" && i+1 < len(list) && list[i+1].first <= from.size {
				continue
			}
			at := int64(0)
			if s.path == from.file {
				at = from.at
			}
			for x, err := range scanFile(s.path, at) {
				if x.first = s.first; errors.Is(err, errTorn) && i == len(list)-1 || !yield(x, err) || err != nil {
					return
				}
			}
		}
	}
}

// cosignedFile has the last checkpoint that the witness has cosigned.
const cosignedFile = "cosigned"

func (d Dir) cosigned() (string, error) {
	text, err := os.ReadFile(filepath.Join(string(d), cosignedFile))
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return string(text), err
}

func (d Dir) keepCosigned(_ int64, text string) error {
	return atomicfile.Replace(filepath.Join(string(d), cosignedFile), []byte(text), 0o644)
}

// Row is a line of a log in a database: an entry or a checkpoint.
type Row struct {
	Number     int64 // the entry's number; for a checkpoint, how many entries it signs. A checkpoint comes before the entry with the same number
	Checkpoint bool
	Run        Run
	Line       string    // the entry's leaf, or the checkpoint's whole line
	Key        []byte    // the wrapped data key; nil: the entry has none, or the key was destroyed
	Sealed     []byte    // the encrypted payload
	At         time.Time // the time when the database got the row, by its own clock; it is not signed
}

// Table is a database that has a log. Package postgres implements it.
type Table interface {
	// About returns the text of log.json.
	About(ctx context.Context) ([]byte, error)
	// Rows returns the rows in order, all as of one moment. It begins at the last checkpoint that signs at most from entries; 0: at the first row.
	// If sealed is not set, Rows leaves out payloads.
	Rows(ctx context.Context, from int64, sealed bool) iter.Seq2[Row, error]
	// Keyed returns the first most entries that have keys, from the entry with number from on, without payloads.
	Keyed(ctx context.Context, from int64, most int) ([]Row, error)
	// OfRuns returns the entries of runs, and the entries Erased about these runs, in order, without payloads.
	OfRuns(ctx context.Context, runs []Run) ([]Row, error)
	// Cosigned returns the text with the largest size that KeepCosigned has kept, or "".
	Cosigned(ctx context.Context) (string, error)
	KeepCosigned(ctx context.Context, size int64, text string) error
	// Group appends rows in one transaction. It locks the log, so that no other Group reads or writes until it ends. Group reads the last row, the
	// checkpoints of these sizes, and the last entries of these runs. It appends the rows that next returns for them. If next
	// returns an error or no row, Group changes nothing. Group returns nil if the rows are committed, and ErrLost if that is unknown.
	Group(ctx context.Context, sizes []int64, runs []Run, next func(State) ([]Row, error)) error
	// Silent returns the leaves, in order, of runs that have not ended or have an unknown outcome, and that had no entry for some seconds.
	// It looks at the last most runs; with 0, at all runs.
	Silent(ctx context.Context, seconds, most int64) ([]string, error)
	// Destroy deletes the wrapped keys of entries, and returns how many it deleted.
	Destroy(ctx context.Context, numbers []int64) (int, error)
	// Close ends all connections.
	Close() error
}

// ErrLost is the error of a Table when the connection was lost, so that it is unknown whether a change was made.
var ErrLost error = fixed("the connection to the record's database was lost")

// fixed is an error with a text that logs may show (see fail.Reason).
type fixed string

func (e fixed) Error() string     { return string(e) }
func (e fixed) LogReason() string { return string(e) }

// State is what a Group has read before it appends.
type State struct {
	Head        Row              // the last row
	Checkpoints map[int64]string // the lines of the checkpoints, by size
	Last        map[Run]Last     // the last entries of those runs that have entries
}

// Last is the last entry of a run.
type Last struct {
	Leaf    string
	Seconds float64 // how long the database has had it, by its own clock
}

// In returns the Source of a log in a database.
func In(t Table) Source { return inTable{t} }

type inTable struct{ Table }

func (t inTable) about() ([]byte, error) { return t.About(context.Background()) }

func (t inTable) lines(from place, sealed bool) iter.Seq2[item, error] {
	return func(yield func(item, error) bool) {
		var buf []byte
		for r, err := range t.Rows(context.Background(), from.size, sealed) {
			var x item
			switch {
			case err != nil:
				yield(x, fmt.Errorf("%w: %w", errUnread, err))
				return
			case sealed || r.Checkpoint:
				buf = r.append(buf[:0])
				x, err = parseLine(buf)
			default:
				x.Entry, err = r.entry()
			}
			if err != nil {
				err = fmt.Errorf("the row with number %d: %w", r.Number, err)
			} else if e := x.Entry; (e == nil) != r.Checkpoint || e != nil && (e.Number != r.Number || e.Run != r.Run) {
				err = fmt.Errorf("the row with number %d has the line of another row", r.Number)
			}
			if x.kept = r.At; !yield(x, err) || err != nil {
				return
			}
		}
	}
}

func (t inTable) cosigned() (string, error) { return t.Cosigned(context.Background()) }

func (t inTable) keepCosigned(size int64, text string) error {
	return t.KeepCosigned(context.Background(), size, text)
}

// entry reads the leaf of an entry's row. The row may lack the payload.
func (r *Row) entry() (*Entry, error) {
	leaf, err := parseLeaf([]byte(r.Line))
	switch {
	case err != nil:
		err = fmt.Errorf("%w: %w", errChanged, err)
	case leaf.Number != r.Number || leaf.Run != r.Run:
		err = errChanged
	}
	return &Entry{Leaf: leaf, Hash: tlog.RecordHash([]byte(r.Line))}, err
}

// append writes the row's line in the form that a folder has. A destroyed key is written as an overwritten one.
func (r *Row) append(b []byte) []byte {
	if r.Checkpoint {
		return append(b, r.Line...)
	}
	b = append(append(b, leafStart...), r.Line...)
	if len(r.Key) == 0 && strings.Contains(r.Line, `,"wrapped":"`) {
		b = append(b, `,"key":"`+destroyed+`"`...)
	}
	return appendParts(b, r.Key, r.Sealed)
}
