package services

// This file makes the object of a folder with package files.

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/exoagent/exoagent/exo/changeset"
	"github.com/exoagent/exoagent/exo/files"
	"github.com/exoagent/exoagent/exo/record/tree"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/internal/grantfile/strict"
	"github.com/exoagent/exoagent/internal/plainfile"
	"github.com/exoagent/exoagent/internal/scalar"
)

// fileCalls are the methods of a folder.
var fileCalls = []Offer{
	{Name: "list", Description: "lists the files that may be read", Use: "reads"},
	{Name: "read", Description: "returns the text of a file", Use: "reads"},
	{Name: "rows", Description: "returns the rows of a CSV file or of JSON lines", Use: "reads"},
	{Name: "write", Description: "makes or replaces a whole file", Use: "acts"},
}

// checkFiles finds contradictions in the declaration of a folder, and adds its methods.
func (s *Service) checkFiles(r *strict.Reader) {
	bad := func(format string, args ...any) { r.At(s.Pos, "the service "+s.Text+": "+format, args...) }
	for _, text := range slices.Concat(s.Read, s.Write) {
		if _, err := plainfile.ParseGlob(text); err != nil {
			bad("%v", err)
		}
	}
	has := s.Journal.Kind != ""
	switch {
	case s.Secrets != nil || s.Networks != nil || s.Env != nil || s.Dir != "" || s.Network || s.Memory > 0 || s.OpenAPI != "" || s.Pin.Text != "" || s.Time > 0:
		bad("leave out `secrets`, `networks`, `env`, `dir`, `network`, `memory`, `openapi`, `pin` and `time`, which a service with `files` can't have")
	case len(s.Reads)+len(s.Acts)+len(s.Immediate) > 0:
		bad("write `read` or `write` in place of `reads`, `acts` and `immediate`: the files that programs may read or write, like [\"*.csv\", \"out/**\"]")
	case len(s.Read)+len(s.Write) == 0:
		bad("want `read` or `write`: the files that programs may read or write, like [\"*.csv\", \"out/**\"]")
	case len(s.Write) > 0 && !has:
		bad("`write` needs `journal: FOLDER`, or `journal: env:NAME` with the URL of a PostgreSQL database: there exo keeps the writes that a stopped process could not finish")
	case has && len(s.Write) == 0:
		bad("`journal` is only for a service with `write`: leave `journal` out, or add `write`, like [\"*.csv\"]")
	case s.Undo > 0 && len(s.Write) == 0:
		bad("`undo` is only for a service with `write`: leave `undo` out, or add `write`, like [\"*.csv\"]")
	case tree.Within(s.folder(), r.Dir):
		r.At(s.Files.Pos, "files: the grant file itself is in the folder, so programs might read it, its record or its keys: name another folder, with files for programs alone")
	case has && s.Journal.Kind == "folder" && tree.Within(s.folder(), s.Journal.Folder()):
		r.At(s.Journal.Pos, "journal: the journal is in the folder of the files: write another folder")
	}
	for _, o := range fileCalls {
		c := Call{strict.Name{Text: o.Name, Pos: s.Pos}, o.Name}
		if o.Use == "reads" && len(s.Read) > 0 {
			s.Reads = append(s.Reads, c)
		} else if o.Use == "acts" && len(s.Write) > 0 {
			s.Acts = append(s.Acts, c)
		}
	}
}

// folder returns the path of the folder.
func (s *Service) folder() string { return strict.Beside(s.dir, s.Files.Text) }

// reaches reports whether one of the globs of s may match a file in the folder of other.
func (s *Service) reaches(other *Service, globs []string) bool {
	from, to := s.folder(), other.folder()
	switch {
	case tree.Within(to, from): // each file of s is also a file of other
		return len(globs) > 0
	case !tree.Within(from, to):
		return false
	}
	rel, err := filepath.Rel(from, to)
	return err != nil || slices.ContainsFunc(globs, func(text string) bool {
		g, err := plainfile.ParseGlob(text)
		return err != nil || g.Below(strings.Split(filepath.ToSlash(rel), "/")...)
	})
}

// CheckFolders compares folders that overlap. It refuses one that would read another's files without that folder's
// label, or trust files that outsiders write.
func CheckFolders(r *strict.Reader, all []Service) {
	for i := range all {
		for k := range all {
			s, o := &all[i], &all[k]
			if i == k || s.Files.Text == "" || o.Files.Text == "" || len(o.Read) == 0 || !s.reaches(o, slices.Concat(s.Read, s.Write)) || !o.reaches(s, o.Read) {
				continue
			}
			lost := value.NewLabel(slices.Concat(strict.Texts(s.Label), strict.Texts(s.Admits))...).Secrecy().Without(value.NewLabel(strict.Texts(o.Label)...))
			if !lost.Empty() {
				r.At(o.Pos, "the service %s may read files of the service %s, but lacks its label %s: add the label to %[1]s, or name files that the two do not share", o.Text, s.Text, lost.List())
			}
			if o.Trusted && !s.Trusted {
				r.At(o.Pos, "the service %s has `trusted`, but may read files of the service %s, which outsiders may write: take `trusted` out, or name files that the two do not share", o.Text, s.Text)
			}
		}
	}
}

// openFiles makes the object of a folder.
func (s *Service) openFiles(ctx context.Context, env func(string) string) (Opened, error) {
	c := files.Config{Dir: s.folder(), Read: s.Read, Write: s.Write, Trusted: s.Trusted, Bytes: int64(s.Answer), Undo: s.Undo,
		Label: value.NewLabel(strict.Texts(s.Label)...), Admits: value.NewLabel(strict.Texts(s.Admits)...)}
	if s.Approve != nil {
		c.Approve = &changeset.Who{}
	}
	var err error
	if s.Journal.Kind != "" {
		if c.Journal, err = s.Journal.OpenStore(ctx, env); err != nil {
			return Opened{}, fmt.Errorf("journal: %w", err)
		}
	}
	f, err := files.Open(s.interfaceName(), s.Doc, c)
	closing := func() {
		if f != nil {
			_ = f.Close()
		}
		if c.Journal != nil {
			_ = c.Journal.Close()
		}
	}
	if err != nil {
		closing()
		return Opened{}, err
	}
	return Opened{Object: f, Close: closing}, nil
}

// filesHas lists what programs may do with the files.
func (s *Service) filesHas() (out []string) {
	for _, list := range []struct {
		what string
		of   []string
	}{{"reads the files ", s.Read}, {"writes the files ", s.Write}} {
		out = append(out, scalar.Each(list.of, func(glob string) string { return list.what + glob })...)
	}
	if s.Journal.Kind != "" {
		out = append(out, "keeps unfinished writes in "+strings.TrimPrefix(s.Journal.String(), "folder:"))
	}
	if s.Undo > 0 {
		out = append(out, "keeps the text before a write for "+s.Undo.String())
	}
	if s.Trusted {
		out = append(out, "trusts its files: no outsider writes them")
	}
	return out
}
