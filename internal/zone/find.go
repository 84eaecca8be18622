package zone

// The zones that are part of the binary, for a process that can open no file.

import (
	"archive/zip"
	_ "embed"
	"io"
	"slices"
	"strings"
	"sync"
	"time"
)

// zoneinfo is lib/time/zoneinfo.zip of Go, which is the data of IANA.
//
//go:embed zoneinfo.zip
var zoneinfo string

// files finds the zones by their names in lower case.
var files = sync.OnceValue(func() map[string]*zip.File {
	archive, err := zip.NewReader(strings.NewReader(zoneinfo), int64(len(zoneinfo)))
	if err != nil {
		panic(err)
	}
	m := map[string]*zip.File{}
	for _, f := range archive.File {
		if !slices.Contains(noNames, f.Name) && !f.FileInfo().IsDir() {
			m[strings.ToLower(f.Name)] = f
		}
	}
	return m
})

// embedded is a zone of those in the binary.
func embedded(f *zip.File) (*time.Location, error) {
	r, err := f.Open()
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	return time.LoadLocationFromTZData(f.Name, data)
}

var found sync.Map // *Zone by name

// Find finds a zone by its IANA name in any case, as programs name one, and opens no file. nil is UTC.
func Find(name string) (*Zone, error) {
	f := files()[strings.ToLower(name)]
	if f == nil {
		return nil, unknown(name)
	}
	if z, ok := found.Load(f.Name); ok {
		return z.(*Zone), nil
	}
	loc, err := embedded(f)
	if err != nil {
		return nil, err
	}
	z := laid(f.Name, loc)
	if name := z.clocks[0].String(); name == "UTC" || name == "GMT" { // all others begin before there were zones
		z = nil
	}
	kept, _ := found.LoadOrStore(f.Name, z)
	return kept.(*Zone), nil
}
