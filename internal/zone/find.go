package zone

// This file finds the zones in the binary, for a process that can't open files.

import (
	"archive/zip"
	_ "embed"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"time"
)

// zoneinfo is lib/time/zoneinfo.zip of Go, which has IANA's data.
//
//go:embed zoneinfo.zip
var zoneinfo string

var archive = sync.OnceValue(func() *zip.Reader {
	r, err := zip.NewReader(strings.NewReader(zoneinfo), int64(len(zoneinfo)))
	if err != nil {
		panic(err)
	}
	return r
})

// names maps names in lower case to the names of the zones.
var names = sync.OnceValue(func() map[string]string {
	m := map[string]string{}
	for _, f := range archive().File {
		if !slices.Contains(noNames, f.Name) && !f.FileInfo().IsDir() {
			m[strings.ToLower(f.Name)] = f.Name
		}
	}
	return m
})

// embedded returns a zone from the binary.
func embedded(name string) (*time.Location, error) {
	data, err := fs.ReadFile(archive(), name)
	if err != nil {
		return nil, unknown(name)
	}
	return time.LoadLocationFromTZData(name, data)
}

var found sync.Map // the zones found so far, each *Zone by its name

// Find finds a zone by its IANA name in upper or lower case, because programs may use either. It opens no file. nil is UTC.
func Find(name string) (*Zone, error) {
	cased := names()[strings.ToLower(name)]
	if z, ok := found.Load(cased); ok {
		return z.(*Zone), nil
	}
	loc, err := embedded(cased)
	if err != nil {
		return nil, unknown(name)
	}
	z := laid(cased, loc)
	if c := z.clocks[0].String(); c == "UTC" || c == "GMT" { // only UTC and its aliases begin with UTC or GMT; other zones begin with local mean time (LMT), "-00" or a fixed shift
		z = nil
	}
	kept, _ := found.LoadOrStore(cased, z)
	return kept.(*Zone), nil
}
