package files

// This file makes the object: its methods, labels and bounds.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/changeset"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/service"
	"github.com/exoagent/exoagent/exo/store"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/internal/plainfile"
	"github.com/exoagent/exoagent/internal/textrows"
)

// Config declares what programs may do with a folder.
type Config struct {
	Dir string // the folder, which must exist

	// Read and Write have the globs of the files that programs may read and write. Within one part of a path, * matches any text and ? one character. The
	// part ** matches any number of parts. A part of a path that begins with a dot is matched only by a part of a glob that begins with one.
	Read, Write []string

	Label  value.Label // the label of each answer and each error; it must not name readers
	Admits value.Label // the labels that may leave to the folder. If programs may also read here, Label must have the secrecy tags of Admits

	// Trusted states that no outsider writes these files. Without it, each answer is labelled value.Untrusted.
	Trusted bool

	Bytes   int64          // the most bytes of a file that is read, written or replaced; 0: 1 MiB
	Approve *changeset.Who // the people who may agree to each write; nil: no person is asked

	// Journal keeps what a killed process was about to write. Write requires it. All processes that write into the folder share one Journal.
	Journal store.Store

	// Undo is how long the text before a write is kept, in a hidden file of the same folder, so that record.Undoing can restore it; 0: it is not kept.
	Undo time.Duration
}

// Files is a folder as an exo.Object. Make it with [Open]; the zero Files answers no message.
type Files struct {
	*object
	name        string
	tree        *plainfile.Tree
	read, write []plainfile.Glob
	bytes       int64
	journal     store.Store
	keep        time.Duration
	mu          sync.Mutex // held while files get or lose their names
	tidied      time.Time  // when tidy was last called
}

type object = service.Service // an unexported name: otherwise another package could use the embedded Service without Files.Eval

var (
	_ exo.Validator     = (*Files)(nil)
	_ exo.Transactional = (*Files)(nil)
	_ exo.Sink          = (*Files)(nil)
	_ exo.Stager        = (*Files)(nil)
)

// Open opens a folder. name is the name of the interface for programs, and of the folder in the journal.
func Open(name, doc string, c Config) (*Files, error) {
	f := &Files{name: name, bytes: cmp.Or(c.Bytes, 1<<20), journal: c.Journal, keep: c.Undo}
	if err := cmp.Or(globs(&f.read, c.Read), globs(&f.write, c.Write), c.check()); err != nil {
		return nil, fmt.Errorf("files: %w", err)
	}
	var err error
	if f.object, err = service.New(name, doc, f.operations(c)...); err != nil {
		return nil, err
	}
	d, err := f.object.Describe()
	if err != nil {
		return nil, err
	}
	for _, m := range d.Interfaces[0].Methods { // these methods can be changed, since no other code has seen the new service
		if m.Effect != message.Held { // a Held method has no answer
			m.Reply = m.Reply.Join(c.Label)
		}
	}
	if f.tree, err = plainfile.OpenTree(c.Dir, f.bytes); err != nil {
		return nil, fmt.Errorf("files: %w", err)
	}
	return f, nil
}

func globs(to *[]plainfile.Glob, texts []string) error {
	for _, text := range texts {
		g, err := plainfile.ParseGlob(text)
		if err != nil {
			return err
		}
		*to = append(*to, g)
	}
	return nil
}

// check refuses a Config with which a value could lose its label.
func (c *Config) check() error {
	both, lost := len(c.Read) > 0 && len(c.Write) > 0, c.Admits.Secrecy().Without(c.Label)
	switch {
	case len(c.Read)+len(c.Write) == 0:
		return errors.New("want globs in Read or Write, like reports/*.csv: the files that programs may read or write")
	case c.Bytes < 0 || c.Undo < 0:
		return errors.New("the fields Bytes and Undo must not be negative")
	case len(c.Label.Unnamed()) > 0:
		return fmt.Errorf("the label %s has a kind of readers after the @, and no ids of readers: leave the @ part out", c.Label)
	case len(c.Write) > 0 && c.Journal == nil:
		return errors.New("the field Write needs the field Journal, which shows what a killed process was about to write")
	case both && !lost.Empty():
		return fmt.Errorf("a value labelled %s could be written to a file, and read again without the label: add the label to Label, or leave Read or Write out", lost)
	case both && c.Trusted && !c.Admits.Integrity().Empty():
		return fmt.Errorf("what outsiders wrote could be written to a file, and read again as trusted: leave Trusted out, or take %s out of Admits", c.Admits.Integrity().List())
	}
	return nil
}

// Close closes the folder. Later calls fail.
func (f *Files) Close() error { return f.tree.Close() }

type (
	which struct {
		Glob string `json:"glob,omitempty" jsonschema:"like reports/**/*.csv; all files if it is left out"`
	}
	listed struct {
		Path     string    `json:"path"`
		Size     int64     `json:"size" jsonschema:"in bytes"`
		Modified time.Time `json:"modified"`
	}
	one struct {
		Path string `json:"path" jsonschema:"like reports/may.csv"`
	}
	table struct {
		Path      string `json:"path" jsonschema:"a .csv, .tsv, .jsonl or .ndjson file"`
		Separator string `json:"separator,omitempty" jsonschema:"one character between the cells of CSV; a comma if it is left out"`
	}
	written struct {
		Path string `json:"path" jsonschema:"like reports/may.csv, in a folder that is there"`
		Text string `json:"text" jsonschema:"the whole file"`
	}
)

// operations are the methods for programs.
func (f *Files) operations(c Config) (ops []service.Operation) {
	if len(f.read) > 0 {
		ops = append(ops,
			service.Read("list", "lists the files that may be read", f.list),
			service.Read("read", "returns the text of a file", func(ctx context.Context, in one) (string, error) { return f.text(ctx, in.Path) }),
			service.Read("rows", "returns the rows of a file: of CSV all cells are texts, under the names in the first line; of JSON lines each line is an object", f.rows))
	}
	for i := range ops {
		if !c.Trusted {
			ops[i] = ops[i].Labelled(value.NewLabel(value.Untrusted))
		}
	}
	if len(f.write) > 0 {
		check := func(in any) error {
			parts, err := f.names(in.(*written))
			if err == nil && c.Label.Empty() { // with a label, this error would reveal what the label hides, since a program may catch the error
				err = f.replaceable(in.(*written).Path, parts)
			}
			return err
		}
		op := service.ReadOf("write", "makes or replaces a whole file once the program has ended well; until then read gives the new text to this program alone",
			reflect.TypeFor[written](), reflect.TypeFor[service.None](), check, f.finish).Held().Settle(f.settle)
		if c.Approve != nil {
			op = op.Approve(*c.Approve)
		}
		if f.keep > 0 {
			op = op.Compensate(f.undo)
		}
		ops = append(ops, op)
	}
	for i := range ops {
		ops[i] = ops[i].Admits(c.Admits)
	}
	return ops
}

// UnitKey implements exo.Transactional. If programs may write, messages act in call order, so that a read gives what was written before it.
func (f *Files) UnitKey() any {
	if len(f.write) == 0 {
		return nil
	}
	return f
}

type messageKey struct{}

// Eval implements exo.Object.
func (f *Files) Eval(ctx context.Context, m *exo.Message) (value.Value, error) {
	return f.object.Eval(context.WithValue(ctx, messageKey{}, m), m)
}

// Admits implements exo.Sink. A call with a sealed value admits nothing: the value is opened only after the commit, so its text could not be kept
// before that.
func (f *Files) Admits(m *exo.Message) value.Label {
	for _, a := range m.Root.Args {
		if a.Op != message.OpLit || a.Lit.Type() != value.TypeRecord {
			return value.Label{}
		}
		for _, x := range a.Lit.Fields() {
			if x.IsZero() {
				return value.Label{}
			}
		}
	}
	return f.object.Admits(m)
}

func (f *Files) list(ctx context.Context, in which) (out []listed, err error) {
	of := [][]plainfile.Glob{f.read}
	if in.Glob != "" {
		g, err := plainfile.ParseGlob(in.Glob)
		if err != nil {
			return nil, service.Refuse("%s", err)
		}
		of = append(of, []plainfile.Glob{g})
	}
	all, err := f.tree.List(of...)
	if why := plainfile.Unusable(err); why != nil {
		return nil, service.Refuse("%v: give list a glob that names a folder, like reports/*", why)
	}
	if err != nil {
		return nil, err
	}
	for _, x := range all {
		out = append(out, listed{x.Path, x.Size, x.Modified})
	}
	for _, w := range f.pending(ctx) {
		parts, err := plainfile.Split(w.Path)
		if err == nil && !slices.ContainsFunc(of, func(globs []plainfile.Glob) bool { return !plainfile.AnyMatches(globs, parts) }) {
			out = append(slices.DeleteFunc(out, func(x listed) bool { return x.Path == w.Path }), listed{w.Path, int64(len(w.text)), w.At})
		}
	}
	slices.SortFunc(out, func(a, b listed) int { return strings.Compare(a.Path, b.Path) })
	if len(out) > 1000 {
		return nil, service.Refuse("there are %d files, and a list has at most 1000: give list a glob that matches fewer", len(out))
	}
	return out, nil
}

// text returns the text of a file as the run has written it, or otherwise the text on the disk. If no glob matches the path, the error is the same as without a file.
func (f *Files) text(ctx context.Context, path string) (string, error) {
	parts, err := plainfile.Split(path)
	if err != nil {
		return "", service.Refuse("%s", err)
	}
	if !plainfile.AnyMatches(f.read, parts) {
		return "", service.Refuse(missing, path)
	}
	for _, w := range slices.Backward(f.pending(ctx)) {
		if w.Path == path {
			return w.text, nil
		}
	}
	b, err := f.tree.Load(parts)
	text := strings.TrimPrefix(string(b), "\ufeff") // the byte order mark, which some programs write before UTF-8
	switch why := plainfile.Unusable(err); {
	case errors.Is(err, fs.ErrNotExist) || errors.Is(err, plainfile.ErrSpelling):
		return "", service.Refuse(missing, path)
	case errors.Is(err, plainfile.ErrTooLarge):
		return "", service.Refuse("`%s` is larger than %d bytes, the most that may be read", path, f.bytes)
	case why != nil:
		return "", service.Refuse("`%s` can't be read: %v", path, why)
	case err == nil && !textrows.IsText(text):
		return "", service.Refuse("`%s` can't be read, because it is no text in UTF-8", path)
	}
	return text, err
}

const missing = "there is no file `%s` that may be read: list() has those that may"

func (f *Files) rows(ctx context.Context, in table) (out []map[string]any, err error) {
	separator, size := utf8.DecodeRuneInString(in.Separator)
	end := strings.ToLower(path.Ext(in.Path))
	lines, cells := end == ".jsonl" || end == ".ndjson", end == ".csv" || end == ".tsv"
	switch {
	case !lines && !cells:
		return nil, service.Refuse("`%s` has no rows: rows reads .csv, .tsv, .jsonl and .ndjson, and read gives the text of any file", in.Path)
	case in.Separator == "" && end == ".tsv":
		separator = '\t'
	case in.Separator == "":
		separator = ','
	case lines:
		return nil, service.Refuse("only .csv and .tsv files have a separator: leave it out for `%s`", in.Path)
	case size != len(in.Separator) || strings.ContainsRune("\"\r\n\ufffd", separator):
		return nil, service.Refuse("separator must be one character, like ;, and not a quote or a line break")
	}
	text, err := f.text(ctx, in.Path)
	if err != nil {
		return nil, err
	}
	if cells {
		out, err = textrows.CSV(text, separator)
	} else {
		out, err = textrows.Lines(text)
	}
	if err != nil {
		return nil, service.Refuse("`%s`: %s", in.Path, err)
	}
	return out, nil
}
