package grantfile

import (
	"reflect"
	"time"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exoeval"
)

// Preset is a named set of limits, and of rights that facets may have. A version of a preset never changes.
type Preset struct {
	Name   string // the name with the version, like read-only@1
	About  string
	Writes bool // facets may let programs change rows
	Limits exo.Limits
	Bounds exoeval.Bounds
}

// Presets returns the presets that a file may name.
func Presets() []Preset {
	return []Preset{
		{"read-only@1", "programs read, with the usual limits", false, exo.Limits{}, exoeval.Bounds{}},
		{"analyst@1", "programs read much, and may take long", false, exo.Limits{Rows: 1_000_000, Bytes: 256 << 20}, exoeval.Bounds{Wall: 20 * time.Second, Total: 2 * time.Minute, CPU: 20 * time.Second, Memory: 256 << 20}},
		{"support@1", "programs read and change a little at a time", true, exo.Limits{Rows: 10_000, Calls: 100}, exoeval.Bounds{Wall: 5 * time.Second, Total: 15 * time.Second}},
	}
}

// unset gives each field of a struct that is zero the value that it has in other.
func unset[T any](of *T, other T) {
	for f, v := range reflect.ValueOf(other).Fields() {
		if to := reflect.ValueOf(of).Elem().FieldByIndex(f.Index); to.IsZero() {
			to.Set(v)
		}
	}
}

// expand adds the preset's limits that the file does not set, and checks the facets' rights against the preset.
func (f *File) expand(r *reader) {
	for _, p := range Presets() {
		if p.Name != f.Preset {
			continue
		}
		unset(&f.Limits, p.Limits)
		unset(&f.Bounds, p.Bounds)
		for _, s := range f.Services {
			if !p.Writes && s.Acting() {
				r.At(s.Pos, "the preset %s lets programs change nothing, but the service %s has calls that act: take `acts` and `immediate` out, or write `preset: support@1`", p.Name, s.Text)
			}
		}
		for i := range f.Facets {
			x := &f.Facets[i]
			if p.Writes || !x.Writes() {
				continue
			}
			at := x.Pos
			for _, right := range [][]Name{x.Insert, x.Update} {
				if len(right) > 0 {
					at = right[0].Pos
				}
			}
			if x.Delete != nil {
				at = *x.Delete
			}
			r.At(at, "the preset %s lets programs change nothing, but the facet %s lets them: take `insert`, `update` and `delete` out of the facet, or write `preset: support@1`", p.Name, x.Text)
		}
	}
}
