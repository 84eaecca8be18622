package exo

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"pgregory.net/rapid"
)

var readerTags = []string{"a", "b", "a@k", "b@k", "a@l", "a@k:1", "a@k:2", "a@k:3", "a@k:1|2", "a@k:2|3", "a@k:1|2|3", "a@l:1", "b@k:1", value.Untrusted, value.Untrusted + ":m@k:1"}

func drawReaders(t *rapid.T, name string) value.Label {
	return value.NewLabel(rapid.SliceOfN(rapid.SampledFrom(readerTags), 0, 4).Draw(t, name)...)
}

// may reports by the definition whether what has one tag may go where another one is admitted: who gets it there has to be among those who
// may read it.
func may(tag, admitted string) bool {
	if value.OfIntegrity(tag) || value.OfIntegrity(admitted) {
		return tag == admitted
	}
	at := func(s string) (base, kind string, ids []string) {
		base, rest, _ := strings.Cut(s, "@")
		kind, list, some := strings.Cut(rest, ":")
		if some {
			ids = strings.Split(list, "|")
		}
		return base, kind, ids
	}
	base, kind, readers := at(tag)
	b, k, recipients := at(admitted)
	switch {
	case base != b:
		return false
	case k == "": // whoever it is for
		return true
	case k != kind:
		return false
	case recipients == nil: // any of its kind
		return true
	}
	for _, r := range recipients {
		if !slices.Contains(readers, r) {
			return false
		}
	}
	return true
}

// TestReaders holds labels with readers to their definition: what is made of two values goes to those who may read both, a sink
// of two recipients takes what both may read, and no join or meet gives more than that.
func TestReaders(t *testing.T) {
	laws := func(t interface{ Errorf(string, ...any) }, a, b, c value.Label) {
		ab, sinks := a.Join(b), a.Meet(b)
		for what, ok := range map[string]bool{
			"join is an upper bound":             a.FlowsTo(ab) && b.FlowsTo(ab),
			"join is the least one":              !(a.FlowsTo(c) && b.FlowsTo(c)) || ab.FlowsTo(c),
			"what is joined goes where both may": ab.FlowsTo(c) == (a.FlowsTo(c) && b.FlowsTo(c)),
			"join is commutative":                ab.Equal(b.Join(a)),
			"join is associative":                ab.Join(c).Equal(a.Join(b.Join(c))),
			"join is idempotent":                 a.Join(a).Equal(a) && ab.Join(a).Equal(ab),
			"order is reflexive":                 a.FlowsTo(a),
			"order is transitive":                !(a.FlowsTo(b) && b.FlowsTo(c)) || a.FlowsTo(c),
			"order is antisymmetric":             !(a.FlowsTo(b) && b.FlowsTo(a)) || a.Equal(b),
			"two sinks take what both do":        c.FlowsTo(sinks) == (c.FlowsTo(a) && c.FlowsTo(b)),
			"what is left out is not admitted":   a.Without(b).Empty() == a.FlowsTo(b),
			"one tag for a kind":                 len(ab.Tags()) == len(ab.Merged().Tags()),
		} {
			if !ok {
				t.Errorf("%v %v %v: not so: %s", a, b, c, what)
			}
		}
	}
	for _, tag := range readerTags {
		for _, to := range readerTags {
			if got := value.NewLabel(tag).FlowsTo(value.NewLabel(to)); got != may(tag, to) {
				t.Errorf("%s to %s: %t", tag, to, got)
			}
			for _, third := range readerTags {
				laws(t, value.NewLabel(tag), value.NewLabel(to), value.NewLabel(third))
			}
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		laws(t, drawReaders(t, "a").Merged(), drawReaders(t, "b").Merged(), drawReaders(t, "c").Merged())
	})
}

// TestAdmitsAll: a host that names its recipients one by one, and so admits two tags, means that both get it.
func TestAdmitsAll(t *testing.T) {
	both := value.NewLabel(readBy("1"), readBy("2"))
	for tag, ok := range map[string]bool{"pii": false, "pii@member": false, "pii@member:1": false, "pii@member:2": false, "pii@member:1|2": true, "pii@member:1|2|3": true, "pii@guest:1|2": false} {
		if value.NewLabel(tag).FlowsTo(both) != ok {
			t.Errorf("%s to %s: not %t", tag, both, ok)
		}
		if got := value.NewLabel(tag).FlowsTo(value.NewLabel("pii").Meet(both)); got != ok {
			t.Errorf("%s to what a method and its recipients admit: %t", tag, got)
		}
	}
}

// TestTwoReaders: where nothing but the result leaves, and that goes to two readers, what one of them may not read is sealed. The twins: a
// result for all of a kind shows it as it is, and so does one for the readers that a type names.
func TestTwoReaders(t *testing.T) {
	for _, c := range []struct{ label, admits, run string }{
		{"pii@member", "pii@member:1 pii@member:2", "{}"}, {"pii@member:1", "pii@member:1 pii@member:2", "{}"}, {"pii@member", "pii@member:1", "{}"},
		{"pii@member:1|2", "pii@member:1 pii@member:2", "{pii@member:1|2}"}, {"pii@member:1", "pii@member:1", "{pii@member:1}"}, {"pii@member", "pii@member", "{pii@member}"}, {"pii@member:1", "pii", "{pii@member:1}"},
	} {
		w := notesWorld(t, Config{})
		row := w.todos.desc.Interfaces[1]
		for name := range row.Fields {
			row.Fields[name].Label = value.Label{}
		}
		row.Fields["mail"].Label = value.NewLabel(c.label)
		w.todos.desc.Interfaces[0].Methods = map[string]*message.Method{"all": w.todos.desc.Interfaces[0].Methods["all"]}
		w.todos.desc.Interfaces[0].Order = []string{"all"}
		g, err := NewGate(Config{Grants: map[string]Object{"notes": w.todos}, Admits: value.NewLabel(strings.Fields(c.admits)...)})
		if err != nil {
			t.Fatal(err)
		}
		w.gate = g
		w.open()
		_, err = w.send(msg(ref(0), call(0, "all")))
		wantOK(t, c.label, err)
		if got := w.s.Label().String(); got != c.run || w.s.Release() != nil {
			t.Errorf("%s, admitted %s: the run has %s, want %s: %v", c.label, c.admits, got, c.run, w.s.Release())
		}
	}
}

// TestReadersMerge: a run that has read of many members has a label of one tag.
func TestReadersMerge(t *testing.T) {
	var l value.Label
	for i := range 10_000 {
		l = l.Join(value.NewLabel(readBy(fmt.Sprint(i)), "pay"))
	}
	if l.String() != "{pay,pii@member}" {
		t.Error(l)
	}
	if l = l.Join(value.NewLabel("pii")); l.String() != "{pay,pii}" {
		t.Error(l)
	}
}

// readBy is the tag of pii that members with these ids may read.
func readBy(ids ...string) string {
	tag, err := value.ReaderTag("pii", "member", ids...)
	if err != nil {
		panic(err)
	}
	return tag
}

// TestReaderIDs: an id is no part of another one, whatever is in it.
func TestReaderIDs(t *testing.T) {
	for _, c := range []struct {
		tag, kind string
		ids       []string
	}{{"pii", "member", nil}, {"pii", "member", []string{""}}, {"pii", "member", []string{"1", ""}}, {"", "member", []string{"1"}}, {"pii", "", []string{"1"}}, {"p@i", "member", []string{"1"}}, {"pii", "m:1", []string{"1"}}} {
		if tag, err := value.ReaderTag(c.tag, c.kind, c.ids...); err == nil || tag != "" {
			t.Errorf("%+v: %q, which names no reader", c, tag)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		id := rapid.OneOf(rapid.String(), rapid.StringMatching(`[ab|@:%,{}0-9]{1,4}`)).Filter(func(s string) bool { return s != "" })
		a, b := rapid.SliceOfN(id, 1, 3).Draw(t, "a"), rapid.SliceOfN(id, 1, 3).Draw(t, "b")
		x, y := readBy(a...), readBy(b...)
		if err := value.NewLabel(x).Check(); err != nil {
			t.Fatal(err)
		}
		all := !slices.ContainsFunc(b, func(id string) bool { return !slices.Contains(a, id) })
		if value.NewLabel(x).FlowsTo(value.NewLabel(y)) != all {
			t.Fatalf("%q may be read by %q, and goes to %q: not %t", x, a, b, all)
		}
	})
	for tag, ok := range map[string]bool{"pii@member": true, "pii@member:1": true, "pii@member:1|2": true, "pii@member:a%20b": true, "@": false, "pii@": false, "@member": false, "pii@member:": false,
		"pii@member:2|1": false, "pii@member:1|1": false, "pii@member:1|": false, "pii@mem|ber": false, "pii@a@b": false, "pii@a:1@b": false, "pii@member:a b": false, "untrusted:mail@x.example": true, "untrusted@member": false} {
		if err := value.NewLabel(tag).Check(); (err == nil) != ok {
			t.Errorf("%q: %v", tag, err)
		}
	}
}

// TestRefined: who made a value says whose it is, and nothing else.
func TestRefined(t *testing.T) {
	for _, c := range []struct{ of, by, want string }{
		{"pii@member", "pii@member:1", "pii@member:1"},
		{"pii@member", "", "pii@member"},
		{"pii@member", "pii@guest:1", "pii@member"},
		{"pii@member", "pay@member:1", "pii@member"},
		{"pii@member", "pii@member:1 pii@member:2", "pii@member"},
		{"pii@member", "pii@member", "pii@member"},
		{"pii@member", "pii@member:1 pay", "pii@member:1"},
		{"pii@member pay", "pii@member:1", "pay pii@member:1"},
		{"pii", "pii@member:1", "pii"},
		{"pii@member:2", "pii@member:1", "pii@member:2"},
		{"pii@member", "pii@member:2|1", "pii@member"},
		{"pii@member untrusted", "pii@member:1", "pii@member:1 untrusted"},
	} {
		if got := value.NewLabel(strings.Fields(c.of)...).Refined(value.NewLabel(strings.Fields(c.by)...)); !got.Equal(value.NewLabel(strings.Fields(c.want)...)) {
			t.Errorf("%s by %s: %s", c.of, c.by, got)
		}
	}
	for by, want := range map[string]string{"": "{pii@member}", "pii@member:1": "{pii@member:1}", "pii@guest:1": "{pii@guest:1,pii@member}", "pay": "{pay,pii@member}", "pii": "{pii}", "pii@member:1 pay": "{pay,pii@member:1}"} {
		s := sealing{}
		got := s.value(&message.Type{Name: value.TypeText, Label: value.NewLabel("pii@member")}, value.Text("x").WithLabel(value.NewLabel(strings.Fields(by)...)))
		if l, ok := got.Sealed(); !ok || l.String() != want || len(s.cells) != 1 || s.cells[0].plain.Label().String() != want {
			t.Errorf("a value of %s: %s, want %s", by, l, want)
		}
	}
}

// TestBegunMerged: a program that was written from the values of two members is one of nobody's in particular.
func TestBegunMerged(t *testing.T) {
	g, err := NewGate(Config{Grants: map[string]Object{"todos": newTodos()}, Record: Unrecorded})
	if err != nil {
		t.Fatal(err)
	}
	s, err := g.Begin(t.Context(), Run{Label: value.NewLabel("pii@member:1", "pii@member:2")}, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	if s.Label().String() != "{pii@member}" {
		t.Error(s.Label())
	}
	_ = s.Finish(t.Context(), value.Null(), nil)
}

// TestReadersOfNoKind: a sink, or a result, that admits readers of a kind that nothing has is misspelt.
func TestReadersOfNoKind(t *testing.T) {
	for _, c := range []struct {
		label, admits string
		ok            bool
	}{
		{"pii@member", "pii@member", true}, {"pii@member", "pii@member:42", true}, {"pii@member", "pii", true}, {"pii", "pii@member:42", true}, {"pay", "pii@member", true},
		{"pii@member", "pii@Member", false}, {"pii@member", "pii@user:42", false}, {"pii@member", "pii@member pii@user", false},
	} {
		todos, mail := newTodos(), newMail()
		todos.desc, mail.desc = todos.desc.Clone(), mail.desc.Clone()
		todos.desc.Interface("Todo").Fields["diary"].Label = value.NewLabel(c.label)
		_, result := NewGate(Config{Grants: map[string]Object{"todos": todos}, Admits: value.NewLabel(strings.Fields(c.admits)...), Record: Unrecorded})
		mail.desc.Interfaces[0].Methods["send"].Admits = value.NewLabel(strings.Fields(c.admits)...)
		_, sink := NewGate(Config{Grants: map[string]Object{"todos": todos, "mail": mail}, Record: Unrecorded})
		for _, err := range []error{result, sink} {
			if (err == nil) != c.ok || err != nil && !strings.Contains(err.Error(), "no value has it: admit what values have, like pii@member") {
				t.Errorf("%s, admitted %s: %v", c.label, c.admits, err)
			}
		}
	}
	// What has a tag without readers, and what has it with them, are two.
	todos := newTodos()
	todos.desc = todos.desc.Clone()
	todos.desc.Interface("Todo").Fields["diary"].Label, todos.desc.Interface("Todo").Fields["title"].Label = value.NewLabel("pii@member"), value.NewLabel("pii")
	g, err := NewGate(Config{Grants: map[string]Object{"todos": todos}, Record: Unrecorded})
	if err != nil {
		t.Fatal(err)
	}
	var tags []string
	for _, f := range g.Flows() {
		if f.To == ResultFlow {
			tags = append(tags, f.Tag+" "+strings.Join(f.From, " "))
		}
	}
	if got := strings.Join(tags, "; "); got != "pii Todo.title; pii@member Todo.diary" {
		t.Error(got)
	}
}

// TestUnnamed: a tag that says that a value has a reader, and not which, is told from those that say which, or who wrote.
func TestUnnamed(t *testing.T) {
	l := value.NewLabel("pii", "pii@member", "pay@member:42", value.Untrusted, value.Untrusted+":mail@x.example", "note@state")
	if got := l.Unnamed(); !slices.Equal(got, []string{"note@state", "pii@member"}) {
		t.Error(got)
	}
}
