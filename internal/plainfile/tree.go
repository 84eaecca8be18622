package plainfile

// This file opens folders and files of a tree, part by part, and lists them.

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"
)

// These bound the names in one folder, and the names that one list looks at.
const (
	maxNames  = 100_000
	maxLooked = 20_000
)

// These are errors of files that exist and can't be used. Their texts are for programs.
var (
	ErrSpelling = errors.New("a file or folder there has this name in another spelling, with other upper and lower case or accents: write the name as it is there")
	ErrTooMany  = fmt.Errorf("the folder has more than %d files and folders, too many to look at: use a file of another folder", maxNames)
	ErrTooLarge = errors.New("the file is too large: name another file")
	ErrLooked   = fmt.Errorf("there are more than %d files and folders to look at: ask for those of a deeper folder", maxLooked)
)

// Unusable returns the error above that err wraps, or ErrNotPlain or ErrLinked. It returns nil if err wraps none of them.
func Unusable(err error) error {
	for _, known := range []error{ErrSpelling, ErrTooMany, ErrTooLarge, ErrLooked, ErrNotPlain, ErrLinked} {
		if errors.Is(err, known) {
			return known
		}
	}
	return nil
}

// Tree is a folder, with all its files and folders.
type Tree struct {
	root *os.Root
	most int64 // the most bytes of a file
}

// OpenTree opens a folder. Files with more bytes than the number most are not read.
func OpenTree(dir string, most int64) (*Tree, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	return &Tree{root, most}, nil
}

// Close closes the folder.
func (t *Tree) Close() error { return t.root.Close() }

// Dir is an open folder of a tree.
type Dir struct {
	*os.Root
	most int64
}

// Folder opens the folder of a file's path, and returns the name of the file. It refuses a part that is a link, or that the file system lists
// in another spelling. Otherwise a part could lead to files that no glob names.
func (t *Tree) Folder(path []string) (d *Dir, name string, err error) {
	dir, err := t.root.OpenRoot(".")
	for _, part := range path[:len(path)-1] {
		if err != nil {
			return nil, "", err
		}
		err = (&Dir{Root: dir}).listed(part)
		var sub *os.Root
		if err == nil {
			sub, err = folder(dir, part)
		}
		if closed := dir.Close(); err == nil {
			err = closed
		}
		dir = sub
	}
	if err != nil {
		return nil, "", err
	}
	return &Dir{dir, t.most}, path[len(path)-1], nil
}

// listed returns nil if a folder lists a name with exactly this spelling. A file system may find a file under other names, too: with letters in
// another case, a dot at the end, or "~1".
func (d *Dir) listed(name string) error {
	if _, err := d.Lstat(name); err != nil {
		return err
	}
	found := false
	err := d.each(func(is string) bool {
		found = is == name
		return !found
	})
	if err == nil && !found {
		err = ErrSpelling
	}
	return err
}

// each calls the function do for the names in a folder until do returns false.
func (d *Dir) each(do func(name string) bool) error {
	at, err := d.Root.Open(".")
	if err != nil {
		return err
	}
	defer at.Close()
	for n := 0; n <= maxNames; {
		names, err := at.Readdirnames(1000)
		for _, name := range names {
			if n++; !do(name) {
				return nil
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
	return ErrTooMany
}

// Load reads a whole file of a folder.
func (d *Dir) Load(name string) ([]byte, fs.FileMode, error) {
	if err := d.listed(name); err != nil {
		return nil, 0, err
	}
	file, is, err := open(d.Root, name)
	if err != nil {
		return nil, 0, err
	}
	defer file.Close()
	if is.Size() > d.most {
		return nil, 0, ErrTooLarge
	}
	b, err := io.ReadAll(io.LimitReader(file, d.most+1)) // the file may grow while it is read
	if err == nil && int64(len(b)) > d.most {
		err = ErrTooLarge
	}
	return b, is.Mode().Perm(), err
}

// Create makes a file that does not exist yet. The file is on the disk when Create returns. With the mode 0 the file gets the usual mode of new files.
func (d *Dir) Create(name string, text []byte, mode fs.FileMode) error {
	file, err := d.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	if mode != 0 {
		err = file.Chmod(mode) // set the mode before the file has text that others could read
	}
	if err == nil {
		_, err = file.Write(text)
	}
	return errors.Join(err, file.Sync(), file.Close(), Sync(d.Root))
}

// Load reads the file of a path.
func (t *Tree) Load(path []string) ([]byte, error) {
	dir, name, err := t.Folder(path)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	b, _, err := dir.Load(name)
	return b, err
}

// Listed is a file in a list.
type Listed struct {
	Path     string
	Size     int64
	Modified time.Time
}

// List lists the files that match a glob of each list. It follows no link.
func (t *Tree) List(of ...[]Glob) ([]Listed, error) {
	l := listing{of: of, most: maxLooked}
	dir, err := t.root.OpenRoot(".")
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	err = l.walk(&Dir{dir, t.most}, nil)
	return l.out, err
}

type listing struct {
	of     [][]Glob
	most   int // the most names to look at
	looked int
	out    []Listed
}

func (l *listing) each(is func(Glob) bool) bool {
	return !slices.ContainsFunc(l.of, func(globs []Glob) bool { return !slices.ContainsFunc(globs, is) })
}

func (l *listing) walk(dir *Dir, path []string) error {
	var found []string
	err := dir.each(func(name string) bool {
		if strings.HasPrefix(name, Ours) { // skip files of exo, because after many writes they would exceed most
			return true
		}
		found = append(found, name)
		l.looked++
		return l.looked <= l.most
	})
	if err == nil && l.looked > l.most {
		err = ErrLooked
	}
	if err != nil {
		return err
	}
	slices.Sort(found)
	for _, name := range found {
		at := append(slices.Clip(path), name)
		if _, err := Split(strings.Join(at, "/")); err != nil {
			continue // no program can name this file
		}
		is, err := dir.Lstat(name)
		switch {
		case err != nil: // the file was removed meanwhile
		case is.IsDir() && l.each(func(g Glob) bool { return g.Below(at...) }):
			sub, err := folder(dir.Root, name)
			if err != nil {
				continue
			}
			err = l.walk(&Dir{sub, dir.most}, at)
			if err = errors.Join(err, sub.Close()); err != nil {
				return err
			}
		case is.Mode().IsRegular() && names(is) == 1 && l.each(func(g Glob) bool { return g.Matches(at) }):
			l.out = append(l.out, Listed{strings.Join(at, "/"), is.Size(), is.ModTime()})
		}
	}
	return nil
}
