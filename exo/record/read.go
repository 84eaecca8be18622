package record

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"strconv"
	"time"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/internal/scalar"
)

// ErrTorn is the last error of Read if the last line is incomplete. Its entry was never
// acknowledged, and the next [Open] cuts it off.
var ErrTorn = errors.New("record: the last line is incomplete, so its entry was never acknowledged")

// maxLine is the largest size of a line in bytes. A message has at most 8 MiB.
const maxLine = 64 << 20

// Read reads a record line by line, and ends with an error at the first line that it can't read.
// Entries equal the recorded ones, except that an error has only its kind, texts and place, and a
// detail is a json.RawMessage.
func Read(r io.Reader) iter.Seq2[exo.Entry, error] {
	return func(yield func(exo.Entry, error) bool) {
		in := newReader(r)
		for {
			e, err := in.next()
			if errors.Is(err, io.EOF) || !yield(e, err) || err != nil {
				return
			}
		}
	}
}

type reader struct {
	in    *bufio.Reader
	after int64 // the offset in the record at which reading began
	line  int   // the number of the last line, counted from that offset
	long  []byte
}

func newReader(r io.Reader) *reader { return &reader{in: bufio.NewReaderSize(r, 64<<10)} }

// where returns the place of the last line that was read, for errors.
func (r *reader) where() string {
	if r.after > 0 {
		return fmt.Sprintf("line %d after byte %d", r.line, r.after)
	}
	return fmt.Sprintf("line %d", r.line)
}

// next returns the next entry, or io.EOF at the end of the record.
func (r *reader) next() (exo.Entry, error) {
	line, err := r.read()
	if err != nil {
		return exo.Entry{}, err
	}
	r.line++
	e, err := parse(line)
	if err != nil {
		return exo.Entry{}, fmt.Errorf("record: %s: %w", r.where(), err)
	}
	return e, nil
}

func (r *reader) read() ([]byte, error) {
	r.long = r.long[:0]
	for {
		part, err := r.in.ReadSlice('\n')
		if err == nil && len(r.long) == 0 {
			return part, nil
		}
		r.long = append(r.long, part...)
		switch {
		case err == nil:
			return r.long, nil
		case len(r.long) > maxLine:
			r.line++
			return nil, fmt.Errorf("record: %s has more than %d bytes", r.where(), maxLine)
		case errors.Is(err, io.EOF) && len(r.long) == 0:
			return nil, io.EOF
		case errors.Is(err, io.EOF):
			return nil, ErrTorn
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, fmt.Errorf("record: %w", err)
		}
	}
}

type line struct {
	V       int               `json:"v"`
	Run     exo.RunID         `json:"run"`
	Step    string            `json:"step"`
	At      time.Time         `json:"at"`
	Call    uint64            `json:"call"`
	Op      text              `json:"op"`
	Line    int               `json:"line"`
	Column  int               `json:"column"`
	Effect  string            `json:"effect"`
	Message []byte            `json:"message"`
	Label   []text            `json:"label"`
	State   string            `json:"state"`
	Rows    int               `json:"rows"`
	Took    string            `json:"took"`
	Digest  string            `json:"digest"`
	Err     *failure          `json:"err"`
	Details []json.RawMessage `json:"details"`
	Start   *start            `json:"start"`

	Constants []constant `json:"constants"`
	Cut       *cut       `json:"cut"`

	Prepared *prepared `json:"prepared"`

	Reply *reply `json:"reply"`
}

type constant struct {
	Node   int    `json:"node"`
	Digest string `json:"digest"`
	Bytes  int    `json:"bytes"`
	Value  []byte `json:"value"`
	Call   uint64 `json:"call"`
}

type cut struct {
	Digest string `json:"digest"`
	Bytes  int    `json:"bytes"`
}

// prepared has pointers so that a missing number is refused: otherwise {} would mean that a run had changed nothing.
type prepared struct {
	Changed   *int `json:"changed"`
	Witnessed *int `json:"witnessed"`
}

type failure struct {
	Kind   string `json:"kind"`
	Text   *text  `json:"text"`
	Op     text   `json:"op"`
	Msg    text   `json:"msg"`
	Source text   `json:"source"`
	Line   int    `json:"line"`
	Column int    `json:"column"`
	Cause  *text  `json:"cause"`
}

type start struct {
	Principal text      `json:"principal"`
	Program   text      `json:"program"`
	Label     []text    `json:"label"`
	Clock     time.Time `json:"clock"`
	Seed      string    `json:"seed"`
	Zone      text      `json:"zone"`
	Limits    limits    `json:"limits"`
	Granted   string    `json:"granted"`
	Admits    []text    `json:"admits"`
	Preview   bool      `json:"preview"`
	Judged    []text    `json:"judged"`
	Module    text      `json:"module"`
	Encoding  int       `json:"encoding"`
	Grants    []byte    `json:"grants"`
}

// parse reads one line. It refuses unknown fields, since a reader that ignored one could miss a
// part of what happened.
func parse(b []byte) (e exo.Entry, err error) {
	var l line
	n, err := object(b, &l)
	if err != nil {
		var of struct{ V int }
		if json.Unmarshal(b, &of) == nil && (of.V < 1 || of.V > Version) {
			return e, errVersion(of.V)
		}
		return e, fmt.Errorf("the line is no entry: %v", err) // %v, since io.EOF in err would mean the end of the record
	}
	if len(bytes.TrimSpace(b[n:])) > 0 {
		return e, errors.New("the line has more than one JSON object")
	}
	if l.V < 1 || l.V > Version {
		return e, errVersion(l.V)
	}
	e = exo.Entry{RunID: l.Run, At: l.At, Call: l.Call, Op: string(l.Op), Pos: fail.Pos{Line: l.Line, Column: l.Column}, Message: l.Message, Label: label(l.Label), Rows: l.Rows}
	if e.RunID == (exo.RunID{}) {
		return e, errors.New("the field run is missing")
	}
	p := &parser{}
	e.Step = named(p, "step", l.Step, lastStep)
	e.Effect = named(p, "effect", l.Effect, lastEffect)
	e.State = named(p, "state", l.State, lastState)
	e.Digest = p.digest(l.Digest)
	if l.Took != "" {
		e.Took, err = time.ParseDuration(l.Took)
		p.fail(err)
	}
	for _, d := range l.Details {
		e.Details = append(e.Details, d)
	}
	e.Err = p.failure(l.Err)
	e.Start = p.start(l.Start)
	e.Prepared = p.prepared(e.Step, l.Prepared)
	for _, c := range l.Constants {
		e.Constants = append(e.Constants, exo.Constant{Node: c.Node, Digest: p.digest(c.Digest), Bytes: c.Bytes, Value: c.Value, Call: c.Call})
	}
	if l.Cut != nil {
		e.Omitted = &exo.Omitted{Digest: p.digest(l.Cut.Digest), Bytes: l.Cut.Bytes}
	}
	if r := l.Reply; r != nil {
		e.Kept = &exo.Kept{Value: r.Value, Types: r.Types, Rows: r.Rows, Bytes: r.Bytes, Lost: string(r.Lost)}
	}
	if want := version(&e); l.V != want {
		p.fail(fmt.Errorf("the line has version %d, but its fields are of version %d", l.V, want))
	}
	if l.Step == "" {
		p.fail(errors.New("the field step is missing"))
	}
	return e, p.err
}

func errVersion(v int) error {
	return fmt.Errorf("the line has version %d; this version of exo reads 1 to %d", v, Version)
}

func label(tags []text) value.Label {
	return value.NewLabel(scalar.Each(tags, func(t text) string { return string(t) })...)
}

// parser keeps the first error of several conversions.
type parser struct{ err error }

func (p *parser) fail(err error) { p.err = cmp.Or(p.err, err) }

// named returns the value of an enumeration that has this name. For "" it returns zero.
func named[T interface {
	~uint8
	String() string
}](p *parser, what, name string, last T) T {
	if name == "" {
		return 0
	}
	for i := T(1); i <= last; i++ {
		if key(i) == name {
			return i
		}
	}
	p.fail(fmt.Errorf("the line has the unknown %s %.40q", what, name))
	return 0
}

func (p *parser) prepared(at exo.Step, l *prepared) *exo.Prepared {
	if l == nil {
		return nil
	}
	if l.Changed == nil || l.Witnessed == nil {
		p.fail(errors.New("the field prepared lacks its member changed or witnessed"))
		return nil
	}
	p.fail(check(at, *l.Changed, *l.Witnessed))
	return &exo.Prepared{Changed: *l.Changed, Witnessed: *l.Witnessed}
}

func (p *parser) digest(s string) (d value.Digest) {
	if s == "" {
		return d
	}
	if b, err := hex.DecodeString(s); err != nil || copy(d[:], b) != len(d) || len(b) != len(d) {
		p.fail(fmt.Errorf("%.80q is no SHA-256 digest: want 64 hexadecimal digits", s))
	}
	return d
}

func (p *parser) failure(f *failure) error {
	if f == nil {
		return nil
	}
	kind := fail.Other
	if f.Kind != fail.Other.String() {
		for kind = 1; kind.Valid() && kind.String() != f.Kind; kind++ {
		}
		if !kind.Valid() {
			p.fail(fmt.Errorf("the entry has an error of the unknown kind %.40q", f.Kind))
		}
	}
	e := &fail.Error{Kind: kind, Op: string(f.Op), Msg: string(f.Msg), Pos: fail.Pos{Line: f.Line, Column: f.Column, Text: string(f.Source)}}
	if f.Cause != nil {
		e.Err = errors.New(string(*f.Cause))
	}
	if f.Text != nil {
		return &foreignError{text: string(*f.Text), is: e}
	}
	return e
}

// foreignError is a recorded error that was no fail.Error: its text, and the fail.Error that it counts as.
type foreignError struct {
	text string
	is   *fail.Error
}

func (t *foreignError) Error() string { return t.text }
func (t *foreignError) Unwrap() error { return t.is }

func (p *parser) start(s *start) *exo.Start {
	if s == nil {
		return nil
	}
	seed, err := strconv.ParseUint(s.Seed, 10, 64)
	p.fail(err)
	judged := scalar.Each(s.Judged, func(name text) string { return string(name) })
	var grants func() []byte
	if s.Grants != nil {
		grants = func() []byte { return s.Grants }
	}
	return &exo.Start{Principal: exo.Principal(s.Principal), Program: string(s.Program), Label: label(s.Label), Clock: s.Clock,
		Seed: seed, Zone: string(s.Zone), Limits: s.Limits.Limits, Bounds: s.Limits.bounds, Granted: p.digest(s.Granted),
		Admits: label(s.Admits), Preview: s.Preview, Judged: judged, Module: string(s.Module), Encoding: s.Encoding, Grants: grants}
}
