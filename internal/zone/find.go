package zone

// This file finds the zones that are part of the binary, for a process that can open no file.

import (
	"archive/zip"
	_ "embed"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"time"
)

// zoneinfo is lib/time/zoneinfo.zip of Go, with the data of IANA.
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

// names finds the zones by their names in lower case.
var names = sync.OnceValue(func() map[string]string {
	m := map[string]string{}
	for _, f := range archive().File {
		if !slices.Contains(noNames, f.Name) && !f.FileInfo().IsDir() {
			m[strings.ToLower(f.Name)] = f.Name
		}
	}
	return m
})

// embedded returns a zone of the binary.
func embedded(name string) (*time.Location, error) {
	data, err := fs.ReadFile(archive(), name)
	if err != nil {
		return nil, unknown(name)
	}
	return time.LoadLocationFromTZData(name, data)
}

var found sync.Map // *Zone by name

// Find finds a zone by its IANA name in any case, as a program may write it, and opens no file. nil is UTC.
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
	if c := z.clocks[0].String(); c == "UTC" || c == "GMT" { // UTC and its aliases; every other zone begins with local mean time (LMT), "-00" or a fixed shift
		z = nil
	}
	kept, _ := found.LoadOrStore(cased, z)
	return kept.(*Zone), nil
}
