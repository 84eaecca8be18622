// This file says where a log is: in a folder, or in a database.

package tree

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"strings"
)

// Source is where a log is read: a folder ([Dir]) or a database ([In]).
type Source interface {
	about() ([]byte, error) // the text of log.json
	parts() ([]part, error)
}

// part has lines in their order.
type part struct {
	name  string
	first int64 // the number of its first entry
	lines iter.Seq2[item, error]
	last  bool // no part follows, so a process may be writing its last line
}

// Dir is a folder that Create made.
type Dir string

func (d Dir) about() ([]byte, error) {
	text, err := os.ReadFile(filepath.Join(string(d), aboutFile))
	if err != nil {
		return nil, fmt.Errorf("this folder has no log; exo record init makes one: %w", err)
	}
	return text, nil
}

func (d Dir) parts() (all []part, err error) {
	list, err := segments(string(d))
	for i, s := range list {
		all = append(all, part{filepath.Base(s.path), s.first, scanFile(s.path, 0), i == len(list)-1})
	}
	return all, err
}

// Row is a line of a log that is in a database: an entry, or a checkpoint.
type Row struct {
	Number     int64 // the entry's number; of a checkpoint, how many entries it signs. A checkpoint is before the entry with its number
	Checkpoint bool
	Run        Run
	Line       string // the entry's leaf, or the checkpoint's whole line
	Key        []byte // the wrapped data key, which can be destroyed; nil: this entry has none, or it was destroyed
	Sealed     []byte // the encrypted payload
}

// Table is a database that has a log. Package postgres has one.
type Table interface {
	// About returns the text of log.json.
	About(ctx context.Context) ([]byte, error)
	// Rows returns all rows in their order, as they are at one time.
	Rows(ctx context.Context) iter.Seq2[Row, error]
	// Group is a transaction that appends rows. It locks the log, so that no other Group reads or writes until it ends. It reads the last
	// row, the checkpoints of these sizes, and the last entries of these runs, calls next, and appends the rows that next returns. If next
	// returns an error or no row, Group changes nothing. Group returns nil if the rows are committed, and ErrLost if nobody knows it.
	Group(ctx context.Context, sizes []int64, runs []Run, next func(State) ([]Row, error)) error
	// Silent returns the leaves, in their order, of runs that have not ended or have something unknown, and whose last entry is older than
	// some seconds. It looks at the last runs only, at most this many; 0: at all.
	Silent(ctx context.Context, seconds, most int64) ([]string, error)
	// Destroy deletes the wrapped keys of entries, and returns how many there were.
	Destroy(ctx context.Context, numbers []int64) (int, error)
	// Close ends all connections.
	Close() error
}

// ErrLost is the error of a Table whose connection was lost, so that nobody knows whether a change was made.
var ErrLost = errors.New("the connection to the record's database was lost")

// State is what a Group reads before it appends.
type State struct {
	Head        Row              // the last row
	Checkpoints map[int64]string // lines by their sizes
	Last        map[Run]Last     // of runs that have entries
}

// Last is the last entry of a run.
type Last struct {
	Leaf    string
	Seconds float64 // since the database has it, by its own clock
}

// In returns the log in a database.
func In(t Table) Source { return inTable{t} }

type inTable struct{ Table }

func (t inTable) about() ([]byte, error) { return t.About(context.Background()) }

func (t inTable) parts() ([]part, error) {
	return []part{{name: "the table", lines: func(yield func(item, error) bool) {
		var buf []byte
		for r, err := range t.Rows(context.Background()) {
			var x item
			if err == nil {
				buf = r.append(buf[:0])
				x, err = parseLine(buf)
			}
			if err != nil {
				err = fmt.Errorf("the row of number %d: %w", r.Number, err)
			} else if e := x.Entry; (e == nil) != r.Checkpoint || e != nil && (e.Number != r.Number || e.Run != r.Run) {
				err = fmt.Errorf("the row of number %d has the line of another", r.Number)
			}
			if !yield(x, err) || err != nil {
				return
			}
		}
	}}}, nil
}

// append writes the row's line, as a folder has it. A key that was destroyed is one that was overwritten.
func (r *Row) append(b []byte) []byte {
	if r.Checkpoint {
		return append(b, r.Line...)
	}
	b = append(append(b, leafStart...), r.Line...)
	if len(r.Key) > 0 {
		b = append(base64.StdEncoding.AppendEncode(append(b, `,"key":"`...), r.Key), '"')
	} else if strings.Contains(r.Line, `,"wrapped":"`) {
		b = append(b, `,"key":"`+destroyed+`"`...)
	}
	if len(r.Sealed) > 0 {
		b = append(base64.StdEncoding.AppendEncode(append(b, `,"sealed":"`...), r.Sealed), '"')
	}
	return append(b, '}', '\n')
}
