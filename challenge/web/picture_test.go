package web

import (
	"encoding/xml"
	"io"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/challenge/game"
)

// TestPicture: everything that can be reached is in the picture, as text.
func TestPicture(t *testing.T) {
	evil := &game.Reach{Names: []game.Name{{Name: "<script>", Kind: "A"}}, Kinds: []game.Kind{{Name: "A", Columns: []game.Field{{Name: "x", Type: `"><a>`}}, Links: []game.Link{{Name: "<b>", To: "B"}, {Name: "self", To: "A"}}}, {Name: "B", Columns: []game.Field{{Name: "y", Type: "t"}}}}}
	reaches := map[string]*game.Reach{"<script>": evil}
	for _, target := range game.DefaultTargets {
		r, err := target.Reach(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		reaches[target.Title] = r
	}
	for title, r := range reaches {
		svg := string(picture(title, r).Picture)
		var text strings.Builder
		lines := 0
		for d := xml.NewDecoder(strings.NewReader(svg)); ; {
			tok, err := d.Token()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatalf("%v in %s", err, svg)
			}
			switch x := tok.(type) {
			case xml.CharData:
				text.Write(x)
				text.WriteByte(' ')
			case xml.StartElement:
				if x.Name.Local == "script" || x.Name.Local == "a" || x.Name.Local == "b" {
					t.Errorf("an element %s", x.Name.Local)
				}
				for _, a := range x.Attr {
					if strings.HasPrefix(a.Value, "url(#arrow)") {
						lines++
					}
				}
			}
		}
		want := len(r.Names)
		for _, n := range r.Names {
			if !strings.Contains(text.String(), "api."+n.Name) {
				t.Errorf("%s is missing", n.Name)
			}
		}
		for _, k := range r.Kinds {
			want += len(k.Links)
			for _, c := range k.Columns {
				if !strings.Contains(text.String(), c.Name) {
					t.Errorf("%s.%s is missing", k.Name, c.Name)
				}
			}
			for _, l := range k.Links {
				if !strings.Contains(text.String(), l.Name+"()") {
					t.Errorf("%s.%s() is missing", k.Name, l.Name)
				}
			}
		}
		if lines != want {
			t.Errorf("%s: %d arrows, want %d", title, lines, want)
		}
	}
}
