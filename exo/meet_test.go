package exo

import (
	"errors"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"strings"
	"testing"
)

// desk has a member of each sort that a policy can touch.
func desk() *fake {
	text, num := &message.Type{Name: value.TypeText, Enum: []string{"a", "b"}, Null: true}, &message.Type{Name: value.TypeInt, Null: true}
	form := &message.Type{Name: value.TypeRecord, Fields: []message.TypeField{
		{Name: "to", Type: &message.Type{Name: value.TypeText}},
		{Name: "cc", Type: &message.Type{Name: value.TypeList, Args: map[string]*message.Type{"of": {Name: value.TypeText, Null: true}}}, Opt: true},
		{Name: "n", Type: &message.Type{Name: value.TypeNumber}, Opt: true}}}
	desk := iface("Desk", nil, false,
		&message.Method{Name: "post", Sends: true, Effect: message.Immediate, Sink: true, Row: true, Label: value.NewLabel("read"), Reply: value.NewLabel("ink"), Admits: value.NewLabel("red", "blue"), Result: con(value.TypeInt),
			Params: []message.Param{{Name: "the form", Want: &message.Term{Con: form}}, {Name: "kind", Want: &message.Term{Con: text}, Opt: true}, {Name: "weight", Want: &message.Term{Con: num}, Opt: true}}},
		&message.Method{Name: "look", Sends: true, Result: con(value.TypeInt), Params: []message.Param{{Name: "the data", Want: con(value.TypeData), Opt: true}}},
		&message.Method{Name: "drawer", Truth: "full", Result: con("Drawer"), Params: []message.Param{{Name: "name", Want: con(value.TypeText), Static: true, Opt: true, Null: true}}},
		&message.Method{Name: "lent", Result: con("Lent")},
		&message.Method{Name: "self", Result: v("self")},
		&message.Method{Name: "filter", Params: []message.Param{{Name: "the condition", Want: con("Cond"), Lambda: con("Drawer"), Plain: true, Filter: true, Bind: "x"}}, Result: v("self")},
	)
	desk.Methods["p"] = desk.Methods["post"]
	desk.Fields["colour"] = &message.Property{Type: &message.Type{Name: "Cond"}, Label: value.NewLabel("paint")}
	desk.Order = append(desk.Order, "colour")
	desk.Await = "look"
	drawer := iface("Drawer", []string{"Thing"}, false, &message.Method{Name: "full", Sends: true, Result: con(value.TypeBool)}, &message.Method{Name: "desk", Result: con("Desk")})
	return &fake{desc: message.Description{Type: &message.Type{Name: "Desk"}, Doc: "a desk", Interfaces: []*message.Interface{desk, drawer,
		iface("Thing", nil, false), iface("Cond", nil, true), iface("Lent", nil, false, &message.Method{Name: "end", Sends: true, Result: con(value.TypeInt)})}}}
}

// narrowings are changes that a policy may make, and what says that each was made.
var narrowings = map[string]func(d *message.Description){
	"nothing": func(*message.Description) {},
	"docs": func(d *message.Description) {
		d.Doc = "x"
		of(d).Methods["look"].Doc = "x"
		of(d).Fields["colour"].Doc = "x"
		of(d).Doc = "x"
	},
	"a method":            func(d *message.Description) { delete(of(d).Methods, "look") },
	"a name":              func(d *message.Description) { delete(of(d).Methods, "p") },
	"a method by one":     func(d *message.Description) { delete(of(d).Methods, "post") },
	"a method elsewhere":  func(d *message.Description) { delete(d.Interfaces[1].Methods, "full") },
	"all methods":         func(d *message.Description) { of(d).Methods = nil },
	"an interface":        func(d *message.Description) { delete(of(d).Methods, "lent"); d.Interfaces = d.Interfaces[:4] },
	"awaiting":            func(d *message.Description) { of(d).Await = "" },
	"a label of a method": func(d *message.Description) { of(d).Methods["look"].Label = value.NewLabel("x") },
	"a label of a reply":  func(d *message.Description) { of(d).Methods["look"].Reply = value.NewLabel("x") },
	"a label of a field":  func(d *message.Description) { of(d).Fields["colour"].Label = value.NewLabel("paint", "x") },
	"the labels of rows":  func(d *message.Description) { of(d).Methods["look"].Row = true },
	"admits":              func(d *message.Description) { post(d).Admits = value.NewLabel("blue") },
	"admits nothing":      func(d *message.Description) { post(d).Admits = value.Label{} },
	"a new sink": func(d *message.Description) {
		m := of(d).Methods["look"]
		m.Sink, m.Admits = true, value.NewLabel("red")
	},
	"a new effect":    func(d *message.Description) { of(d).Methods["look"].Effect = message.Immediate },
	"a parameter":     func(d *message.Description) { post(d).Params = post(d).Params[:2] },
	"a required one":  func(d *message.Description) { post(d).Params[1].Opt = false },
	"null":            func(d *message.Description) { post(d).Params[1].Want.Con.Null = false },
	"an enum":         func(d *message.Description) { post(d).Params[1].Want.Con.Enum = []string{"b"} },
	"an enum of text": func(d *message.Description) { form(d)[0].Type.Enum = []string{"ann", "bob"} },
	"a count":         func(d *message.Description) { post(d).Params[2].Count = true },
	"a field of one":  func(d *message.Description) { post(d).Params[0].Want.Con.Fields = form(d)[:2] },
	"a middle field": func(d *message.Description) {
		f := form(d)
		post(d).Params[0].Want.Con.Fields = []message.TypeField{f[0], f[2]}
	},
	"a required field": func(d *message.Description) { form(d)[1].Opt = false },
	"null in a list":   func(d *message.Description) { form(d)[1].Type.Args["of"].Null = false },
	"number to int":    func(d *message.Description) { form(d)[2].Type.Name = value.TypeInt },
	"data to a record": func(d *message.Description) {
		of(d).Methods["look"].Params[0].Want.Con = &message.Type{Name: value.TypeRecord, Fields: form(d)}
	},
	"data to text or null": func(d *message.Description) {
		of(d).Methods["look"].Params[0].Want.Con = &message.Type{Name: value.TypeText, Null: true, Enum: []string{"x"}}
	},
	"a name to an identifier": func(d *message.Description) { of(d).Methods["drawer"].Params[0].Ident = true },
	"null besides":            func(d *message.Description) { of(d).Methods["drawer"].Params[0].Null = false },
	"callbacks only": func(d *message.Description) {
		p := &of(d).Methods["filter"].Params[0]
		p.Plain, p.Filter = false, false
	},
	"truth": func(d *message.Description) { of(d).Methods["drawer"].Truth = "" },
}

func of(d *message.Description) *message.Interface { return d.Interfaces[0] }
func post(d *message.Description) *message.Method  { return of(d).Methods["post"] }
func form(d *message.Description) []message.TypeField {
	return post(d).Params[0].Want.Con.Fields
}

// What a policy may take away it can take away, of a copy, and the full form, the narrowed
// one and another one narrowed in the same way are granted side by side.
func TestNarrowings(t *testing.T) {
	for what, f := range narrowings {
		p := Policy{Narrow: func(d *message.Description) error { f(d); return nil }}
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

func sameDescription(a, b message.Description) bool {
	if len(a.Interfaces) != len(b.Interfaces) {
		return false
	}
	for i := range a.Interfaces {
		if !message.SameInterface(a.Interfaces[i], b.Interfaces[i]) {
			return false
		}
	}
	return a.Doc == b.Doc
}

// Whatever would widen an object is refused where it is granted, and the error names the place.
func TestWidenings(t *testing.T) {
	for what, c := range map[string]struct {
		f     func(d *message.Description)
		where string
	}{
		"the object's type":    {func(d *message.Description) { d.Type = &message.Type{Name: "Drawer"} }, "Description.Type"},
		"its type's arguments": {func(d *message.Description) { d.Type.Args = map[string]*message.Type{"of": {Name: value.TypeInt}} }, "Description.Type"},
		"an interface":         {func(d *message.Description) { d.Interfaces = append(d.Interfaces, iface("New", nil, false)) }, "added the interface New"},
		"an interface twice":   {func(d *message.Description) { d.Interfaces = append(d.Interfaces, d.Interfaces[0]) }, "twice"},
		"a nil interface":      {func(d *message.Description) { d.Interfaces[1] = nil }, "nil"},
		"one that is needed":   {func(d *message.Description) { d.Interfaces = d.Interfaces[:4] }, "Desk refers to Lent"},
		"its own":              {func(d *message.Description) { d.Interfaces = d.Interfaces[2:] }, "Desk"},
		"a method": {func(d *message.Description) {
			of(d).Methods["more"] = &message.Method{Name: "more", Sends: true, Result: con(value.TypeInt)}
		}, "Desk.more"},
		"a nil method":         {func(d *message.Description) { of(d).Methods["more"] = nil }, "Desk.more"},
		"a name":               {func(d *message.Description) { of(d).Methods["q"] = post(d) }, "Desk.q"},
		"a name for another":   {func(d *message.Description) { of(d).Methods["p"] = of(d).Methods["look"] }, "Desk.p"},
		"a method for another": {func(d *message.Description) { of(d).Methods["look"] = post(d) }, "Desk.look"},
		"a method renamed":     {func(d *message.Description) { of(d).Methods["look"].Name = "post" }, "Desk.look"},
		"a field":              {func(d *message.Description) { of(d).Fields["x"] = &message.Property{Type: &message.Type{Name: "Cond"}} }, "Desk: the policy added or deleted a field"},
		"a field less":         {func(d *message.Description) { delete(of(d).Fields, "colour") }, "Desk: the policy added or deleted a field"},
		"a field for another":  {func(d *message.Description) { of(d).Fields = map[string]*message.Property{"x": of(d).Fields["colour"]} }, "Desk.colour"},
		"a field's type":       {func(d *message.Description) { of(d).Fields["colour"].Type.Name = value.TypeInt }, "Desk.colour"},
		"a field's label":      {func(d *message.Description) { of(d).Fields["colour"].Label = value.NewLabel("x") }, "Desk.colour: the policy removed {paint} from the label of this field"},
		"a kind":               {func(d *message.Description) { of(d).Is = []string{"Drawer"} }, "Desk: the policy changed Is, Expr"},
		"a kind less":          {func(d *message.Description) { d.Interfaces[1].Is = nil }, "Drawer: the policy changed Is, Expr"},
		"an expression":        {func(d *message.Description) { of(d).Expr = true }, "Desk: the policy changed Is, Expr"},
		"awaiting":             {func(d *message.Description) { of(d).Await = "post" }, "Desk: the policy changed Is, Expr"},
		"calling":              {func(d *message.Description) { of(d).Call = "post" }, "Desk: the policy changed Is, Expr"},
		"a label":              {func(d *message.Description) { post(d).Label = value.NewLabel("x") }, "Desk.post: the policy removed {read} from the label of this method"},
		"rows":                 {func(d *message.Description) { post(d).Row = false }, "Desk.post"},
		"no effect":            {func(d *message.Description) { post(d).Effect = message.NoEffect }, "Desk.post: the policy changed Effect from immediate to none"},
		"another effect":       {func(d *message.Description) { post(d).Effect = message.InUnit }, "Desk.post: the policy changed Effect from "},
		"a reply's label":      {func(d *message.Description) { post(d).Reply = value.Label{} }, "Desk.post: the policy removed {ink} from Reply"},
		"no sink":              {func(d *message.Description) { post(d).Sink = false }, "Desk.post: the policy cleared Sink"},
		"admits":               {func(d *message.Description) { post(d).Admits = value.NewLabel("blue", "green") }, "Desk.post: the policy added {green}"},
		"a describing sink":    {func(d *message.Description) { of(d).Methods["self"].Sink = true }, "Desk.self"},
		"a describing effect":  {func(d *message.Description) { of(d).Methods["self"].Effect = message.Immediate }, "Desk.self"},
		"truth":                {func(d *message.Description) { of(d).Methods["drawer"].Truth = "desk" }, "Desk.drawer"},
		"a result":             {func(d *message.Description) { of(d).Methods["look"].Result = con(value.TypeBool) }, "Desk.look"},
		"a result's null":      {func(d *message.Description) { of(d).Methods["look"].Result.Null = true }, "Desk.look"},
		"sending":              {func(d *message.Description) { of(d).Methods["self"].Sends = true }, "Desk.self"},
		"describing":           {func(d *message.Description) { of(d).Methods["look"].Sends = false }, "Desk.look"},
		"a parameter": {func(d *message.Description) {
			post(d).Params = append(post(d).Params, message.Param{Want: con(value.TypeInt), Opt: true})
		}, "Desk.post"},
		"a parameter less":       {func(d *message.Description) { post(d).Params = nil }, "Desk.post: the policy removed the parameter the form"},
		"parameters in order":    {func(d *message.Description) { p := post(d).Params; p[1], p[2] = p[2], p[1] }, "Desk.post"},
		"a parameter's name":     {func(d *message.Description) { post(d).Params[0].Name = "x" }, "Desk.post"},
		"optional":               {func(d *message.Description) { post(d).Params[0].Opt = true }, "Desk.post: the form"},
		"null":                   {func(d *message.Description) { post(d).Params[0].Want.Con.Null = true }, "Desk.post: the form"},
		"null besides":           {func(d *message.Description) { post(d).Params[0].Null = true }, "Desk.post: the form"},
		"null of the term":       {func(d *message.Description) { post(d).Params[0].Want.Null = true }, "Desk.post: the form"},
		"no type":                {func(d *message.Description) { post(d).Params[0].Want = nil }, "Desk.post: the form"},
		"no closed type":         {func(d *message.Description) { post(d).Params[0].Want.Con = nil }, "Desk.post: the form"},
		"another term":           {func(d *message.Description) { post(d).Params[0].Want = v("self") }, "Desk.post: the form"},
		"an enum":                {func(d *message.Description) { post(d).Params[1].Want.Con.Enum[0] = "c" }, "Desk.post: kind: the policy allows the text \"c\""},
		"no enum":                {func(d *message.Description) { post(d).Params[1].Want.Con.Enum = nil }, "Desk.post: kind"},
		"an enum of numbers":     {func(d *message.Description) { post(d).Params[2].Want.Con.Enum = []string{"1"} }, "Desk.post: weight"},
		"a type":                 {func(d *message.Description) { post(d).Params[2].Want.Con.Name = value.TypeNumber }, "Desk.post: weight"},
		"a type that converts":   {func(d *message.Description) { form(d)[2].Type.Name = value.TypeDecimal }, "Desk.post: the form: field n"},
		"a list's items":         {func(d *message.Description) { form(d)[1].Type.Args["of"].Name = value.TypeData }, "Desk.post: the form: field cc: items"},
		"a list of nothing":      {func(d *message.Description) { form(d)[1].Type.Args = nil }, "Desk.post: the form: field cc: items"},
		"a list of more":         {func(d *message.Description) { form(d)[1].Type.Args["x"] = &message.Type{Name: value.TypeInt} }, "Desk.post: the form: field cc"},
		"a field's null":         {func(d *message.Description) { form(d)[2].Type.Null = true }, "Desk.post: the form: field n"},
		"an optional field":      {func(d *message.Description) { form(d)[0].Opt = true }, "Desk.post: the form: the policy made the field to optional"},
		"a field that is needed": {func(d *message.Description) { post(d).Params[0].Want.Con.Fields = form(d)[1:] }, "Desk.post: the form: the policy removed the field to, which is not optional"},
		"a field more": {func(d *message.Description) {
			c := post(d).Params[0].Want.Con
			c.Fields = append(c.Fields, message.TypeField{Name: "x", Type: &message.Type{Name: value.TypeInt}, Opt: true})
		}, "Desk.post: the form: the policy added the field x"},
		"fields in order":         {func(d *message.Description) { f := form(d); f[1], f[2] = f[2], f[1] }, "Desk.post: the form"},
		"data to what converts":   {func(d *message.Description) { of(d).Methods["look"].Params[0].Want.Con.Name = value.TypeDecimal }, "Desk.look: the data"},
		"data to an object":       {func(d *message.Description) { of(d).Methods["look"].Params[0].Want.Con.Name = "Desk" }, "Desk.look: the data"},
		"static":                  {func(d *message.Description) { post(d).Params[1].Static = true }, "Desk.post: kind"},
		"not static":              {func(d *message.Description) { of(d).Methods["drawer"].Params[0].Static = false }, "Desk.drawer: name"},
		"an identifier":           {func(d *message.Description) { post(d).Params[1].Ident = true }, "Desk.post: kind"},
		"a count of text":         {func(d *message.Description) { post(d).Params[1].Count = true }, "Desk.post: kind"},
		"many":                    {func(d *message.Description) { post(d).Params[1].Many = true }, "Desk.post: kind"},
		"a callback":              {func(d *message.Description) { post(d).Params[1].Lambda = con("Desk") }, "Desk.post: kind"},
		"no callback":             {func(d *message.Description) { of(d).Methods["filter"].Params[0].Lambda = nil }, "Desk.filter"},
		"another binding":         {func(d *message.Description) { of(d).Methods["filter"].Params[0].Bind = "y" }, "Desk.filter"},
		"fixed":                   {func(d *message.Description) { of(d).Methods["filter"].Params[0].Fixed = true }, "Desk.filter"},
		"what the policy refuses": {nil, "no such thing"},
	} {
		p := Policy{Narrow: func(d *message.Description) error {
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
		i := iface("Box", []string{"Thing"}, false, &message.Method{Name: "open", Sends: true, Result: con(value.TypeInt)}, &message.Method{Name: "hold", Result: v("self"), Params: []message.Param{{Name: "the thing", Want: con("Thing")}}})
		return &fake{desc: message.Description{Type: &message.Type{Name: "Box"}, Interfaces: []*message.Interface{i, iface("Thing", nil, false)}}}
	}
	for _, narrowed := range []bool{true, false} {
		b := Object(thing())
		if narrowed {
			b = keeping(b, "hold")
		}
		w := newWorld(t, Config{Grants: map[string]Object{"a": thing(), "b": b}})
		_, err := w.send(msg(ref(0), ref(1), call(0, "hold", 1), call(2, "open")))
		if narrowed {
			wantKind(t, "the narrowed one as a thing", err, fail.Invalid)
		} else {
			wantOK(t, "the twin", err)
		}
	}
}

// An interface leads on: however many steps lie between, the way back leads to the
// narrowed form.
func TestNarrowedBySteps(t *testing.T) {
	chain := func() *fake {
		read := func(name string) *message.Method {
			return &message.Method{Name: name, Sends: true, Result: con(value.TypeInt)}
		}
		return &fake{desc: message.Description{Type: &message.Type{Name: "A"}, Interfaces: []*message.Interface{
			iface("A", nil, false, &message.Method{Name: "b", Result: con("B")}, read("drop"), read("read")),
			iface("B", nil, false, &message.Method{Name: "c", Result: con("C")}), iface("C", nil, false, &message.Method{Name: "a", Result: con("A")})}}}
	}
	w := newWorld(t, Config{Grants: map[string]Object{"full": chain(), "some": keeping(chain(), "a", "b", "c", "read")}})
	for id := range uint32(2) {
		for _, last := range []string{"read", "drop"} {
			_, err := w.send(msg(ref(id), call(0, "b"), call(1, "c"), call(2, "a"), call(3, last)))
			if id == 1 && last == "drop" {
				wantKind(t, "the way back", err, fail.Denied)
			} else {
				wantOK(t, last, err)
			}
		}
	}
}

// A policy that changes nothing leaves the names, so that an object and its observed
// form can be joined.
func TestUnchangedNames(t *testing.T) {
	o := Wrap(desk(), Policy{Narrow: func(*message.Description) error { return nil }, Before: func(*Message) bool { return true }})
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
		d, err := Wrap(desk(), Policy{Narrow: func(d *message.Description) error { f(d); return nil }}).Describe()
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
	box := func(more ...*message.Interface) *fake {
		i := iface("Box", nil, false, &message.Method{Name: "open", Sends: true, Result: con(value.TypeInt)}, &message.Method{Name: "drop", Sends: true, Result: con(value.TypeInt)},
			&message.Method{Name: "hold", Result: v("self"), Params: []message.Param{{Name: "the box", Want: con("Box")}}})
		return &fake{desc: message.Description{Type: &message.Type{Name: "Box"}, Interfaces: append([]*message.Interface{i}, more...)}}
	}
	shelf := iface("Shelf", nil, false, &message.Method{Name: "box", Result: con("Box")}, &message.Method{Name: "drop", Sends: true, Result: con(value.TypeInt)})
	w := newWorld(t, Config{Grants: map[string]Object{
		"a": keeping(box(), "open", "hold"), "b": keeping(box(shelf), "open", "hold", "box"), "c": keeping(box(), "open")}})
	_, err := w.send(msg(ref(0), ref(1), call(0, "hold", 1), call(2, "open")))
	wantOK(t, "narrowed alike", err)
	_, err = w.send(msg(ref(0), ref(2), call(0, "hold", 1), call(2, "open")))
	wantKind(t, "narrowed further", err, fail.Invalid)
}

// Two forms of one object that lead to differently narrowed kinds are two kinds themselves:
// one gate holds both, and the full one.
func TestNarrowedApart(t *testing.T) {
	lent := func(f func(*message.Interface)) Object {
		return Wrap(desk(), Policy{Narrow: func(d *message.Description) error { f(d.Interface("Lent")); return nil }})
	}
	a, b := lent(func(i *message.Interface) { delete(i.Methods, "end") }), lent(func(i *message.Interface) { i.Methods["end"].Label = value.NewLabel("x") })
	if _, err := NewGate(Config{Grants: map[string]Object{"a": a, "b": b, "c": desk()}, Record: Unrecorded}); err != nil {
		t.Error(err)
	}
}

// What Narrow is given is a copy, and what the gate uses is another.
func TestNarrowKeepsACopy(t *testing.T) {
	var kept *message.Description
	inner := desk()
	o := Wrap(inner, Policy{Narrow: func(d *message.Description) error { kept = d; delete(of(d).Methods, "look"); return nil }})
	before, err := o.Describe()
	if err != nil {
		t.Fatal(err)
	}
	before = before.Clone()
	of(kept).Methods["look"] = of(&inner.desc).Methods["look"]
	of(kept).Methods["lent"].Params = []message.Param{{Want: con(value.TypeInt)}}
	post(kept).Params[0].Want.Con.Fields[0].Type.Name = value.TypeInt
	post(kept).Admits = value.NewLabel("everything")
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
		return &fake{desc: message.Description{Type: queryOf("user", "User"), Interfaces: is}}
	}
	label := func(o Object, tag string) error {
		_, err := Wrap(Wrap(o, Policy{}), Policy{Narrow: func(d *message.Description) error {
			for _, i := range d.Interfaces {
				if f := i.Fields["name"]; f != nil {
					f.Label = f.Label.Join(value.NewLabel(tag))
				}
			}
			return nil
		}}).Describe()
		return err
	}
	if err := label(declaring{user()}, "pii"); err == nil || !strings.Contains(err.Error(), "a policy can't give the field User.name of this object the label {pii}: label it where the object is declared") {
		t.Error(err)
	}
	for what, err := range map[string]error{"who wrote it": label(declaring{user()}, value.Untrusted), "another object": label(user(), "pii")} {
		if err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
}
