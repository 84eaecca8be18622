package grantfile

import (
	"slices"
	"strings"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/review"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/internal/grantfile/budgets"
	"github.com/exoagent/exoagent/internal/grantfile/services"
	"github.com/exoagent/exoagent/internal/scalar"
	"github.com/exoagent/exoagent/schema"
)

// Manifest lists what a grant file reaches in its databases, and what else the databases have.
type Manifest struct {
	Reviewed  bool              `json:"reviewed"`
	Principal []ManifestClaim   `json:"principal"`
	Grants    []ManifestGrant   `json:"grants"`
	Services  []ManifestService `json:"services,omitempty"`
	Budgets   []budgets.Bound   `json:"budgets,omitempty"`
	Facets    []ManifestFacet   `json:"facets"`
	Excluded  []ManifestTable   `json:"excluded"` // tables and columns that no facet shows
	Flows     []exo.Flow        `json:"flows"`    // the ways by which labelled values can leave
}

// ManifestClaim is a claim of the principal, and its type.
type ManifestClaim struct {
	Name string `json:"name"`
	Type string `json:"type"`
}

// ManifestGrant is a name that a program begins with.
type ManifestGrant struct {
	Name    string   `json:"name"`
	Facet   string   `json:"facet"`
	Where   string   `json:"where,omitempty"`
	Reaches []string `json:"reaches"` // the facets that links reach, beginning with Facet
}

// ManifestService is a service, with the calls that programs may make.
type ManifestService struct {
	Name      string   `json:"name"`
	Where     string   `json:"where"` // the address or the command
	Reads     []string `json:"reads,omitempty"`
	Acts      []string `json:"acts,omitempty"`
	Immediate []string `json:"immediate,omitempty"`
	Approve   []string `json:"approve,omitempty"` // the calls of Acts to which a person agrees first
	Label     []string `json:"label,omitempty"`
	Admits    []string `json:"admits,omitempty"`
	Pin       string   `json:"pin"`
	Has       []string `json:"has,omitempty"`           // what else the file gives the service: secrets, variables, files and networks
	Missing   []string `json:"missing_walls,omitempty"` // walls that this system can't put around the service's process
}

// ManifestFacet is what programs see of a table.
type ManifestFacet struct {
	Name     string            `json:"name"`
	Database string            `json:"database"`
	Table    string            `json:"table"`
	Scope    string            `json:"scope"`
	Label    []string          `json:"label,omitempty"` // the label of the rows
	Columns  []ManifestColumn  `json:"columns"`
	Links    []ManifestLink    `json:"links"`
	Measures []ManifestMeasure `json:"measures,omitempty"`
	Insert   []string          `json:"insert,omitempty"`
	Update   []string          `json:"update,omitempty"`
	Delete   bool              `json:"delete,omitempty"`
	Undo     string            `json:"undo,omitempty"`
	Wary     bool              `json:"delete_trusted,omitempty"` // programs that have read what outsiders wrote can't delete
	Approve  string            `json:"approve,omitempty"`        // the changes that wait for a person's agreement
	Effects  []string          `json:"effects,omitempty"`        // permissions for writes
	Search   []string          `json:"search,omitempty"`
	Digest   string            `json:"digest"` // the digest in the form of Facet.Pin
	Pinned   bool              `json:"pinned"`
}

// ManifestColumn is a column that programs see.
type ManifestColumn struct {
	Name  string   `json:"name"`
	As    string   `json:"as,omitempty"`
	Type  string   `json:"type"` // the type in the database
	Label []string `json:"label,omitempty"`
	// Readers maps kinds of principals to the columns with the ids of a value's readers.
	Readers map[string][]string `json:"readers,omitempty"`
	OneOf   []string            `json:"one_of,omitempty"`
}

// ManifestLink is a link, with the columns that it compares.
type ManifestLink struct {
	Name       string   `json:"name"`
	To         string   `json:"to"`
	Columns    []string `json:"columns"`
	References []string `json:"references"`
	One        bool     `json:"one"`
}

// ManifestMeasure is an aggregate that the file defines.
type ManifestMeasure struct {
	Name string `json:"name"`
	Of   string `json:"of"`
}

// ManifestTable is a table or view that no facet shows, or a table with columns that no facet shows.
type ManifestTable struct {
	Database string   `json:"database"`
	Table    string   `json:"table"`
	Whole    bool     `json:"whole"` // no facet shows any part of the table
	Columns  []string `json:"columns"`
}

func (r Readers) byKind() map[string][]string {
	if r.Kind.Text == "" {
		return nil
	}
	return map[string][]string{r.Kind.Text: texts(r.Columns)}
}

// Manifest lists what programs can reach, and what they can't. The same file and catalogue give the same Manifest.
func (d *Declared) Manifest() (*Manifest, error) {
	f := d.File
	m := &Manifest{Reviewed: f.Reviewed, Principal: []ManifestClaim{}, Grants: []ManifestGrant{}, Budgets: f.Budgets.Bounds(), Facets: []ManifestFacet{}, Excluded: []ManifestTable{}}
	for _, c := range f.Claims {
		m.Principal = append(m.Principal, ManifestClaim{c.Text, c.String()})
	}
	for _, g := range f.Grants {
		x := ManifestGrant{Name: g.Text, Facet: g.Facet.Text, Where: g.Where.String()}
		for _, y := range d.reached(f.facet(g.Facet.Text)) {
			x.Reaches = append(x.Reaches, y.Text)
		}
		m.Grants = append(m.Grants, x)
	}
	for _, s := range f.Services {
		called := func(calls []services.Call) []string { return scalar.Each(calls, services.Call.String) }
		m.Services = append(m.Services, ManifestService{s.Text, s.Where(), called(s.Reads), called(s.Acts), called(s.Immediate), texts(s.Approve), texts(s.Label), texts(s.Admits), s.Pin.Text, s.Has(), d.services[s.Text].Missing})
	}
	shown := map[[2]string]map[string]bool{}
	for i := range f.Facets {
		x := &f.Facets[i]
		live := d.liveTable(x)
		y := ManifestFacet{Name: x.Text, Database: x.Database.Text, Table: x.Table.Text, Scope: x.Scope.String(), Label: texts(f.rowLabel(x)), Columns: []ManifestColumn{}, Links: []ManifestLink{},
			Insert: texts(x.Insert), Update: texts(x.Update), Delete: x.Delete != nil, Undo: x.Undo.Text, Wary: x.Wary, Approve: f.approve(x).String(), Effects: texts(x.Effects), Search: texts(x.Search), Digest: d.digest(x), Pinned: x.Pin.Text != ""}
		at := [2]string{x.Database.Text, live.Name.String()}
		if shown[at] == nil {
			shown[at] = map[string]bool{}
		}
		for _, c := range x.Columns {
			shown[at][c.Text] = true
			says := f.described(x, c)
			y.Columns = append(y.Columns, ManifestColumn{c.Text, says.As.Text, live.Column(c.Text).Type, texts(says.Label), says.Readers.byKind(), texts(says.OneOf)})
		}
		for _, l := range x.Links {
			k := d.many[x.Text+"."+l.Text]
			y.Links = append(y.Links, ManifestLink{l.Text, l.To.Text, k.Columns, k.References, k.One})
		}
		for _, z := range x.Measures {
			y.Measures = append(y.Measures, ManifestMeasure{z.Text, z.String()})
		}
		m.Facets = append(m.Facets, y)
	}
	m.Excluded = append(m.Excluded, d.excluded(shown)...)
	flows, err := d.flows()
	m.Flows = append(append([]exo.Flow{}, flows...), f.permitted()...)
	slices.SortStableFunc(m.Flows, func(a, b exo.Flow) int { return strings.Compare(a.Tag, b.Tag) })
	return m, err
}

// excluded lists the tables and columns that are not among the shown ones. Databases with the names of their tables are the keys of shown.
func (d *Declared) excluded(shown map[[2]string]map[string]bool) (out []ManifestTable) {
	for _, db := range d.File.Databases {
		exclude := func(name schema.Name, columns []schema.Column) {
			seen := shown[[2]string{db.Text, name.String()}]
			t := ManifestTable{Database: db.Text, Table: name.String(), Whole: seen == nil}
			for _, c := range columns {
				if !seen[c.Name] {
					t.Columns = append(t.Columns, c.Name)
				}
			}
			if t.Whole || len(t.Columns) > 0 {
				out = append(out, t)
			}
		}
		live := d.live[db.Text]
		for _, t := range live.Tables {
			exclude(t.Name, t.Columns)
		}
		for _, v := range live.Views {
			exclude(v.Name, v.Columns)
		}
	}
	return out
}

// permitted returns the flows that permissions allow: programs learn labelled values from how a write ends. A permission names its subject, like
// "reveals visits(patient_id)". The flows have all labels of rows and columns with these names, or else all secrets.
func (f *File) permitted() (out []exo.Flow) {
	for i := range f.Facets {
		x := &f.Facets[i]
		for _, e := range x.Effects {
			if !strings.HasPrefix(e.Text, "reveals ") {
				continue
			}
			names := strings.FieldsFunc(e.Text, func(r rune) bool { return strings.ContainsRune(" (),.", r) })[1:]
			var tags []string
			for k := range f.Facets {
				y := &f.Facets[k]
				if slices.Contains(names, y.Text) || slices.Contains(names, y.Table.Text[strings.LastIndexByte(y.Table.Text, '.')+1:]) {
					tags = append(tags, texts(f.rowLabel(y))...)
				} else if y != x {
					continue
				}
				for _, c := range y.Columns {
					if slices.Contains(names, c.Text) {
						tags = append(tags, texts(f.described(y, c).Label)...)
					}
				}
			}
			secret := func(tag string) bool { return !value.OfIntegrity(tag) }
			if !slices.ContainsFunc(tags, secret) {
				tags = f.tags()
			}
			slices.Sort(tags)
			for _, tag := range slices.Compact(tags) {
				if secret(tag) {
					out = append(out, exo.Flow{Tag: tag, From: []string{x.Text}, To: x.Text + ".effects", May: true, How: "the permission `" + e.Text + "`: how a write of the facet ends shows it"})
				}
			}
		}
	}
	return out
}

// flows returns the flows in programs of an example principal.
func (d *Declared) flows() ([]exo.Flow, error) {
	grants, err := d.Grants(d.example(nil, nil))
	if err != nil {
		return nil, err
	}
	gate, err := exo.NewGate(exo.Config{Grants: grants, Admits: d.File.admits(func(claim string) string { return "principal." + claim }), Record: exo.Unrecorded, Review: &review.Keeper{}})
	if err != nil {
		return nil, err
	}
	return gate.Flows(), nil
}
