package exo

import (
	"errors"
	"strings"
	"testing"
)

// desk has a member of each sort that a policy can touch.
func desk() *fake {
	text, num := &Type{Name: TypeText, Enum: []string{"a", "b"}, Null: true}, &Type{Name: TypeInt, Null: true}
	form := &Type{Name: TypeRecord, Fields: []TypeField{
		{Name: "to", Type: &Type{Name: TypeText}},
		{Name: "cc", Type: &Type{Name: TypeList, Args: map[string]*Type{"of": {Name: TypeText, Null: true}}}, Opt: true},
		{Name: "n", Type: &Type{Name: TypeNumber}, Opt: true}}}
	desk := iface("Desk", nil, false,
		&Method{Name: "post", Sends: true, Effect: Immediate, Sink: true, Row: true, Label: NewLabel("read"), Reply: NewLabel("ink"), Admits: NewLabel("red", "blue"), Result: con(TypeInt),
			Params: []Param{{Name: "the form", Want: &Term{Con: form}}, {Name: "kind", Want: &Term{Con: text}, Opt: true}, {Name: "weight", Want: &Term{Con: num}, Opt: true}}},
		&Method{Name: "look", Sends: true, Result: con(TypeInt), Params: []Param{{Name: "the data", Want: con(TypeData), Opt: true}}},
		&Method{Name: "drawer", Truth: "full", Result: con("Drawer"), Params: []Param{{Name: "name", Want: con(TypeText), Static: true, Opt: true, Null: true}}},
		&Method{Name: "lent", Result: con("Lent")},
		&Method{Name: "self", Result: v("self")},
		&Method{Name: "filter", Params: []Param{{Name: "the condition", Want: con("Cond"), Lambda: con("Drawer"), Plain: true, Filter: true, Bind: "x"}}, Result: v("self")},
	)
	desk.Methods["p"] = desk.Methods["post"]
	desk.Fields["colour"] = &Property{Type: &Type{Name: "Cond"}, Label: NewLabel("paint")}
	desk.Order = append(desk.Order, "colour")
	desk.Await = "look"
	drawer := iface("Drawer", []string{"Thing"}, false, &Method{Name: "full", Sends: true, Result: con(TypeBool)}, &Method{Name: "desk", Result: con("Desk")})
	return &fake{desc: Description{Type: &Type{Name: "Desk"}, Doc: "a desk", Interfaces: []*Interface{desk, drawer,
		iface("Thing", nil, false), iface("Cond", nil, true), iface("Lent", nil, false, &Method{Name: "end", Sends: true, Result: con(TypeInt)})}}}
}

// narrowings are changes that a policy may make, and what says that each was made.
var narrowings = map[string]func(d *Description){
	"nothing": func(*Description) {},
	"docs": func(d *Description) {
		d.Doc = "x"
		of(d).Methods["look"].Doc = "x"
		of(d).Fields["colour"].Doc = "x"
		of(d).Doc = "x"
	},
	"a method":            func(d *Description) { delete(of(d).Methods, "look") },
	"a name":              func(d *Description) { delete(of(d).Methods, "p") },
	"a method by one":     func(d *Description) { delete(of(d).Methods, "post") },
	"a method elsewhere":  func(d *Description) { delete(d.Interfaces[1].Methods, "full") },
	"all methods":         func(d *Description) { of(d).Methods = nil },
	"an interface":        func(d *Description) { delete(of(d).Methods, "lent"); d.Interfaces = d.Interfaces[:4] },
	"awaiting":            func(d *Description) { of(d).Await = "" },
	"a label of a method": func(d *Description) { of(d).Methods["look"].Label = NewLabel("x") },
	"a label of a reply":  func(d *Description) { of(d).Methods["look"].Reply = NewLabel("x") },
	"a label of a field":  func(d *Description) { of(d).Fields["colour"].Label = NewLabel("paint", "x") },
	"the labels of rows":  func(d *Description) { of(d).Methods["look"].Row = true },
	"admits":              func(d *Description) { post(d).Admits = NewLabel("blue") },
	"admits nothing":      func(d *Description) { post(d).Admits = Label{} },
	"a new sink":          func(d *Description) { m := of(d).Methods["look"]; m.Sink, m.Admits = true, NewLabel("red") },
	"a new effect":        func(d *Description) { of(d).Methods["look"].Effect = Immediate },
	"a parameter":         func(d *Description) { post(d).Params = post(d).Params[:2] },
	"a required one":      func(d *Description) { post(d).Params[1].Opt = false },
	"null":                func(d *Description) { post(d).Params[1].Want.Con.Null = false },
	"an enum":             func(d *Description) { post(d).Params[1].Want.Con.Enum = []string{"b"} },
	"an enum of text":     func(d *Description) { form(d)[0].Type.Enum = []string{"ann", "bob"} },
	"a count":             func(d *Description) { post(d).Params[2].Count = true },
	"a field of one":      func(d *Description) { post(d).Params[0].Want.Con.Fields = form(d)[:2] },
	"a middle field":      func(d *Description) { f := form(d); post(d).Params[0].Want.Con.Fields = []TypeField{f[0], f[2]} },
	"a required field":    func(d *Description) { form(d)[1].Opt = false },
	"null in a list":      func(d *Description) { form(d)[1].Type.Args["of"].Null = false },
	"number to int":       func(d *Description) { form(d)[2].Type.Name = TypeInt },
	"data to a record": func(d *Description) {
		of(d).Methods["look"].Params[0].Want.Con = &Type{Name: TypeRecord, Fields: form(d)}
	},
	"data to text or null": func(d *Description) {
		of(d).Methods["look"].Params[0].Want.Con = &Type{Name: TypeText, Null: true, Enum: []string{"x"}}
	},
	"a name to an identifier": func(d *Description) { of(d).Methods["drawer"].Params[0].Ident = true },
	"null besides":            func(d *Description) { of(d).Methods["drawer"].Params[0].Null = false },
	"callbacks only":          func(d *Description) { p := &of(d).Methods["filter"].Params[0]; p.Plain, p.Filter = false, false },
	"truth":                   func(d *Description) { of(d).Methods["drawer"].Truth = "" },
}

func of(d *Description) *Interface { return d.Interfaces[0] }
func post(d *Description) *Method  { return of(d).Methods["post"] }
func form(d *Description) []TypeField {
	return post(d).Params[0].Want.Con.Fields
}

// What a policy may take away it can take away, of a copy, and the full form, the narrowed
// one and another one narrowed in the same way are granted side by side.
func TestNarrowings(t *testing.T) {
	for what, f := range narrowings {
		p := Policy{Narrow: func(d *Description) error { f(d); return nil }}
		inner := desk()
		d, err := Wrap(inner, p).Describe()
		if err != nil {
			t.Errorf("%s: %v", what, err)
			continue
		}
		kept := what == "nothing"
		if name := d.Interfaces[0].Name; strings.HasPrefix(name, "Desk_") == kept {
			t.Errorf("%s: the interface is named %s", what, name)
		}
		if !sameDescription(inner.desc, desk().desc) {
			t.Errorf("%s: the inner object's own description changed", what)
		}
		if _, err := NewGate(Config{Grants: map[string]Object{"full": desk(), "less": Wrap(desk(), p), "again": Wrap(desk(), p)}, Record: Unrecorded}); err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func sameDescription(a, b Description) bool {
	if len(a.Interfaces) != len(b.Interfaces) {
		return false
	}
	for i := range a.Interfaces {
		if !SameInterface(a.Interfaces[i], b.Interfaces[i]) {
			return false
		}
	}
	return a.Doc == b.Doc
}

// Whatever would widen an object is refused where it is granted, and the error names the place.
func TestWidenings(t *testing.T) {
	for what, c := range map[string]struct {
		f     func(d *Description)
		where string
	}{
		"the object's type":      {func(d *Description) { d.Type = &Type{Name: "Drawer"} }, "type"},
		"its type's arguments":   {func(d *Description) { d.Type.Args = map[string]*Type{"of": {Name: TypeInt}} }, "type"},
		"an interface":           {func(d *Description) { d.Interfaces = append(d.Interfaces, iface("New", nil, false)) }, "interface is new"},
		"an interface twice":     {func(d *Description) { d.Interfaces = append(d.Interfaces, d.Interfaces[0]) }, "twice"},
		"a nil interface":        {func(d *Description) { d.Interfaces[1] = nil }, "nil"},
		"one that is needed":     {func(d *Description) { d.Interfaces = d.Interfaces[:4] }, "Desk leads to Lent"},
		"its own":                {func(d *Description) { d.Interfaces = d.Interfaces[2:] }, "Desk"},
		"a method":               {func(d *Description) { of(d).Methods["more"] = &Method{Name: "more", Sends: true, Result: con(TypeInt)} }, "Desk.more"},
		"a nil method":           {func(d *Description) { of(d).Methods["more"] = nil }, "Desk.more"},
		"a name":                 {func(d *Description) { of(d).Methods["q"] = post(d) }, "Desk.q"},
		"a name for another":     {func(d *Description) { of(d).Methods["p"] = of(d).Methods["look"] }, "Desk.p"},
		"a method for another":   {func(d *Description) { of(d).Methods["look"] = post(d) }, "Desk.look"},
		"a method renamed":       {func(d *Description) { of(d).Methods["look"].Name = "post" }, "Desk.look"},
		"a field":                {func(d *Description) { of(d).Fields["x"] = &Property{Type: &Type{Name: "Cond"}} }, "Desk: fields"},
		"a field less":           {func(d *Description) { delete(of(d).Fields, "colour") }, "Desk: fields"},
		"a field for another":    {func(d *Description) { of(d).Fields = map[string]*Property{"x": of(d).Fields["colour"]} }, "Desk.colour"},
		"a field's type":         {func(d *Description) { of(d).Fields["colour"].Type.Name = TypeInt }, "Desk.colour"},
		"a field's label":        {func(d *Description) { of(d).Fields["colour"].Label = NewLabel("x") }, "Desk.colour: its label lost {paint}"},
		"a kind":                 {func(d *Description) { of(d).Is = []string{"Drawer"} }, "Desk: what"},
		"a kind less":            {func(d *Description) { d.Interfaces[1].Is = nil }, "Drawer: what"},
		"an expression":          {func(d *Description) { of(d).Expr = true }, "Desk: what"},
		"awaiting":               {func(d *Description) { of(d).Await = "post" }, "Desk: what"},
		"calling":                {func(d *Description) { of(d).Call = "post" }, "Desk: what"},
		"a label":                {func(d *Description) { post(d).Label = NewLabel("x") }, "Desk.post: its label lost {read}"},
		"rows":                   {func(d *Description) { post(d).Row = false }, "Desk.post"},
		"no effect":              {func(d *Description) { post(d).Effect = NoEffect }, "Desk.post: its effect is none"},
		"another effect":         {func(d *Description) { post(d).Effect = InUnit }, "Desk.post: its effect is "},
		"a reply's label":        {func(d *Description) { post(d).Reply = Label{} }, "Desk.post: the label of its reply lost {ink}"},
		"no sink":                {func(d *Description) { post(d).Sink = false }, "Desk.post: it is no longer a sink"},
		"admits":                 {func(d *Description) { post(d).Admits = NewLabel("blue", "green") }, "Desk.post: it admits {green}"},
		"a describing sink":      {func(d *Description) { of(d).Methods["self"].Sink = true }, "Desk.self"},
		"a describing effect":    {func(d *Description) { of(d).Methods["self"].Effect = Immediate }, "Desk.self"},
		"truth":                  {func(d *Description) { of(d).Methods["drawer"].Truth = "desk" }, "Desk.drawer"},
		"a result":               {func(d *Description) { of(d).Methods["look"].Result = con(TypeBool) }, "Desk.look"},
		"a result's null":        {func(d *Description) { of(d).Methods["look"].Result.Null = true }, "Desk.look"},
		"sending":                {func(d *Description) { of(d).Methods["self"].Sends = true }, "Desk.self"},
		"describing":             {func(d *Description) { of(d).Methods["look"].Sends = false }, "Desk.look"},
		"a parameter":            {func(d *Description) { post(d).Params = append(post(d).Params, Param{Want: con(TypeInt), Opt: true}) }, "Desk.post"},
		"a parameter less":       {func(d *Description) { post(d).Params = nil }, "Desk.post: the form is gone"},
		"parameters in order":    {func(d *Description) { p := post(d).Params; p[1], p[2] = p[2], p[1] }, "Desk.post"},
		"a parameter's name":     {func(d *Description) { post(d).Params[0].Name = "x" }, "Desk.post"},
		"optional":               {func(d *Description) { post(d).Params[0].Opt = true }, "Desk.post: the form"},
		"null":                   {func(d *Description) { post(d).Params[0].Want.Con.Null = true }, "Desk.post: the form"},
		"null besides":           {func(d *Description) { post(d).Params[0].Null = true }, "Desk.post: the form"},
		"null of the term":       {func(d *Description) { post(d).Params[0].Want.Null = true }, "Desk.post: the form"},
		"no type":                {func(d *Description) { post(d).Params[0].Want = nil }, "Desk.post: the form"},
		"no closed type":         {func(d *Description) { post(d).Params[0].Want.Con = nil }, "Desk.post: the form"},
		"another term":           {func(d *Description) { post(d).Params[0].Want = v("self") }, "Desk.post: the form"},
		"an enum":                {func(d *Description) { post(d).Params[1].Want.Con.Enum[0] = "c" }, "Desk.post: kind: it may be \"c\""},
		"no enum":                {func(d *Description) { post(d).Params[1].Want.Con.Enum = nil }, "Desk.post: kind"},
		"an enum of numbers":     {func(d *Description) { post(d).Params[2].Want.Con.Enum = []string{"1"} }, "Desk.post: weight"},
		"a type":                 {func(d *Description) { post(d).Params[2].Want.Con.Name = TypeNumber }, "Desk.post: weight"},
		"a type that converts":   {func(d *Description) { form(d)[2].Type.Name = TypeDecimal }, "Desk.post: the form: field n"},
		"a list's items":         {func(d *Description) { form(d)[1].Type.Args["of"].Name = TypeData }, "Desk.post: the form: field cc: items"},
		"a list of nothing":      {func(d *Description) { form(d)[1].Type.Args = nil }, "Desk.post: the form: field cc: items"},
		"a list of more":         {func(d *Description) { form(d)[1].Type.Args["x"] = &Type{Name: TypeInt} }, "Desk.post: the form: field cc"},
		"a field's null":         {func(d *Description) { form(d)[2].Type.Null = true }, "Desk.post: the form: field n"},
		"an optional field":      {func(d *Description) { form(d)[0].Opt = true }, "Desk.post: the form: field to"},
		"a field that is needed": {func(d *Description) { post(d).Params[0].Want.Con.Fields = form(d)[1:] }, "Desk.post: the form: field to"},
		"a field more": {func(d *Description) {
			c := post(d).Params[0].Want.Con
			c.Fields = append(c.Fields, TypeField{Name: "x", Type: &Type{Name: TypeInt}, Opt: true})
		}, "Desk.post: the form: field x"},
		"fields in order":         {func(d *Description) { f := form(d); f[1], f[2] = f[2], f[1] }, "Desk.post: the form"},
		"data to what converts":   {func(d *Description) { of(d).Methods["look"].Params[0].Want.Con.Name = TypeDecimal }, "Desk.look: the data"},
		"data to an object":       {func(d *Description) { of(d).Methods["look"].Params[0].Want.Con.Name = "Desk" }, "Desk.look: the data"},
		"static":                  {func(d *Description) { post(d).Params[1].Static = true }, "Desk.post: kind"},
		"not static":              {func(d *Description) { of(d).Methods["drawer"].Params[0].Static = false }, "Desk.drawer: name"},
		"an identifier":           {func(d *Description) { post(d).Params[1].Ident = true }, "Desk.post: kind"},
		"a count of text":         {func(d *Description) { post(d).Params[1].Count = true }, "Desk.post: kind"},
		"many":                    {func(d *Description) { post(d).Params[1].Many = true }, "Desk.post: kind"},
		"a callback":              {func(d *Description) { post(d).Params[1].Lambda = con("Desk") }, "Desk.post: kind"},
		"no callback":             {func(d *Description) { of(d).Methods["filter"].Params[0].Lambda = nil }, "Desk.filter"},
		"another binding":         {func(d *Description) { of(d).Methods["filter"].Params[0].Bind = "y" }, "Desk.filter"},
		"fixed":                   {func(d *Description) { of(d).Methods["filter"].Params[0].Fixed = true }, "Desk.filter"},
		"what the policy refuses": {nil, "no such thing"},
	} {
		p := Policy{Narrow: func(d *Description) error {
			if c.f == nil {
				return errors.New("no such thing")
			}
			c.f(d)
			return nil
		}}
		if _, err := NewGate(Config{Grants: map[string]Object{"desk": Wrap(desk(), p)}, Record: Unrecorded}); err == nil || !strings.Contains(err.Error(), c.where) {
			t.Errorf("%s: %v; want %q", what, err, c.where)
		}
	}
}

// What named a method that is gone names nothing.
func TestNarrowedMentions(t *testing.T) {
	d, err := keeping(desk(), "drawer").Describe()
	if err != nil {
		t.Fatal(err)
	}
	i := of(&d)
	if i.Await != "" || i.Methods["drawer"].Truth != "" || len(i.Methods) != 1 || strings.Join(i.Order, " ") != "drawer colour" {
		t.Errorf("await %q, truth %q, %v", i.Await, i.Methods["drawer"].Truth, i.Order)
	}
	d, err = keeping(desk(), "drawer", "full", "look").Describe()
	if err != nil || of(&d).Await != "look" || of(&d).Methods["drawer"].Truth != "full" {
		t.Errorf("%v: await %q, truth %q", err, of(&d).Await, of(&d).Methods["drawer"].Truth)
	}
}

// A narrowed object stands for no kind of the full form: passed where that is wanted, it
// would be used as if it were whole.
func TestNarrowedKinds(t *testing.T) {
	thing := func() *fake {
		i := iface("Box", []string{"Thing"}, false, &Method{Name: "open", Sends: true, Result: con(TypeInt)}, &Method{Name: "hold", Result: v("self"), Params: []Param{{Name: "the thing", Want: con("Thing")}}})
		return &fake{desc: Description{Type: &Type{Name: "Box"}, Interfaces: []*Interface{i, iface("Thing", nil, false)}}}
	}
	for _, narrowed := range []bool{true, false} {
		b := Object(thing())
		if narrowed {
			b = keeping(b, "hold")
		}
		w := newWorld(t, Config{Grants: map[string]Object{"a": thing(), "b": b}})
		_, err := w.send(msg(ref(0), ref(1), call(0, "hold", 1), call(2, "open")))
		if narrowed {
			wantKind(t, "the narrowed one as a thing", err, Invalid)
		} else {
			wantOK(t, "the twin", err)
		}
	}
}

// An interface leads on: however many steps lie between, the way back leads to the
// narrowed form.
func TestNarrowedBySteps(t *testing.T) {
	chain := func() *fake {
		read := func(name string) *Method { return &Method{Name: name, Sends: true, Result: con(TypeInt)} }
		return &fake{desc: Description{Type: &Type{Name: "A"}, Interfaces: []*Interface{
			iface("A", nil, false, &Method{Name: "b", Result: con("B")}, read("drop"), read("read")),
			iface("B", nil, false, &Method{Name: "c", Result: con("C")}), iface("C", nil, false, &Method{Name: "a", Result: con("A")})}}}
	}
	w := newWorld(t, Config{Grants: map[string]Object{"full": chain(), "some": keeping(chain(), "a", "b", "c", "read")}})
	for id := range uint32(2) {
		for _, last := range []string{"read", "drop"} {
			_, err := w.send(msg(ref(id), call(0, "b"), call(1, "c"), call(2, "a"), call(3, last)))
			if id == 1 && last == "drop" {
				wantKind(t, "the way back", err, Denied)
			} else {
				wantOK(t, last, err)
			}
		}
	}
}

// A policy that changes nothing leaves the names, so that an object and its observed
// form can be joined.
func TestUnchangedNames(t *testing.T) {
	o := Wrap(desk(), Policy{Narrow: func(*Description) error { return nil }, Before: func(*Message) bool { return true }})
	d, err := o.Describe()
	if err != nil || !sameDescription(d, desk().desc) {
		t.Errorf("%v: %+v", err, d)
	}
}

// Two policies that take away different things have names of their own, and so have
// labels that differ: otherwise one gate could not hold both.
func TestDigests(t *testing.T) {
	seen := map[string]string{}
	for what, f := range narrowings {
		d, err := Wrap(desk(), Policy{Narrow: func(d *Description) error { f(d); return nil }}).Describe()
		if err != nil {
			t.Fatal(what, err)
		}
		name := d.Type.Name
		if other := seen[name]; other != "" && !(strings.Contains("a method by one|a name", what) && strings.Contains("a method by one|a name", other)) {
			t.Errorf("%q and %q are both named %s", what, other, name)
		}
		seen[name] = what
	}
}

// Two objects that share a kind share it when they are narrowed alike, however much else
// each leads to: otherwise a query of one could no longer be joined to a query of the other.
func TestNarrowedAlike(t *testing.T) {
	box := func(more ...*Interface) *fake {
		i := iface("Box", nil, false, &Method{Name: "open", Sends: true, Result: con(TypeInt)}, &Method{Name: "drop", Sends: true, Result: con(TypeInt)},
			&Method{Name: "hold", Result: v("self"), Params: []Param{{Name: "the box", Want: con("Box")}}})
		return &fake{desc: Description{Type: &Type{Name: "Box"}, Interfaces: append([]*Interface{i}, more...)}}
	}
	shelf := iface("Shelf", nil, false, &Method{Name: "box", Result: con("Box")}, &Method{Name: "drop", Sends: true, Result: con(TypeInt)})
	w := newWorld(t, Config{Grants: map[string]Object{
		"a": keeping(box(), "open", "hold"), "b": keeping(box(shelf), "open", "hold", "box"), "c": keeping(box(), "open")}})
	_, err := w.send(msg(ref(0), ref(1), call(0, "hold", 1), call(2, "open")))
	wantOK(t, "narrowed alike", err)
	_, err = w.send(msg(ref(0), ref(2), call(0, "hold", 1), call(2, "open")))
	wantKind(t, "narrowed further", err, Invalid)
}

// Two forms of one object that lead to differently narrowed kinds are two kinds themselves:
// one gate holds both, and the full one.
func TestNarrowedApart(t *testing.T) {
	lent := func(f func(*Interface)) Object {
		return Wrap(desk(), Policy{Narrow: func(d *Description) error { f(d.Interface("Lent")); return nil }})
	}
	a, b := lent(func(i *Interface) { delete(i.Methods, "end") }), lent(func(i *Interface) { i.Methods["end"].Label = NewLabel("x") })
	if _, err := NewGate(Config{Grants: map[string]Object{"a": a, "b": b, "c": desk()}, Record: Unrecorded}); err != nil {
		t.Error(err)
	}
}

// What Narrow is given is a copy, and what the gate uses is another.
func TestNarrowKeepsACopy(t *testing.T) {
	var kept *Description
	inner := desk()
	o := Wrap(inner, Policy{Narrow: func(d *Description) error { kept = d; delete(of(d).Methods, "look"); return nil }})
	before, err := o.Describe()
	if err != nil {
		t.Fatal(err)
	}
	before = before.clone()
	of(kept).Methods["look"] = of(&inner.desc).Methods["look"]
	of(kept).Methods["lent"].Params = []Param{{Want: con(TypeInt)}}
	post(kept).Params[0].Want.Con.Fields[0].Type.Name = TypeInt
	post(kept).Admits = NewLabel("everything")
	kept.Interfaces[1].Is[0] = "Desk"
	if after, err := o.Describe(); err != nil || !sameDescription(before, after) || !sameDescription(inner.desc, desk().desc) {
		t.Errorf("it changed: %v", err)
	}
}

// declaring is a fake that has to know of its labels, as the tables of exosql do.
type declaring struct{ *fake }

func (declaring) DeclaresLabels() {}

// TestDeclaresLabels: a policy adds no secret to a field of an object that has to know of its secrets; who wrote it, it may add.
func TestDeclaresLabels(t *testing.T) {
	user := func() *fake {
		is := worldInterfaces()
		return &fake{desc: Description{Type: queryOf("user", "User"), Interfaces: is}}
	}
	label := func(o Object, tag string) error {
		_, err := Wrap(Wrap(o, Policy{}), Policy{Narrow: func(d *Description) error {
			for _, i := range d.Interfaces {
				if f := i.Fields["name"]; f != nil {
					f.Label = f.Label.Join(NewLabel(tag))
				}
			}
			return nil
		}}).Describe()
		return err
	}
	if err := label(declaring{user()}, "pii"); err == nil || !strings.Contains(err.Error(), "a policy labels User.name {pii}, and its object doesn't know: label it where it is declared") {
		t.Error(err)
	}
	for what, err := range map[string]error{"who wrote it": label(declaring{user()}, Untrusted), "another object": label(user(), "pii")} {
		if err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
}
