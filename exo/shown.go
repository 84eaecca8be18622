package exo

// IntegrityShown joins the tags of integrity of what a reply of type t shows as it is, in a run that has the label open.
// What is sealed in it nobody reads.
func (c Catalog) IntegrityShown(t *Type, open Label) Label {
	if !t.Label.Secrecy().FlowsTo(open) {
		return Label{}
	}
	l := t.Label.Integrity()
	switch i := c[t.Name]; {
	case t.Name == TypeList:
		if of := t.Args["of"]; of != nil {
			l = l.Join(c.IntegrityShown(of, open))
		}
	case t.Name == TypeRecord:
		for _, f := range t.Fields {
			l = l.Join(c.IntegrityShown(labelled(f.Type, f.Label), open))
		}
	case i != nil && !i.Expr:
		for name := range i.Fields {
			l = l.Join(c.IntegrityShown(c.FieldType(t, name), open))
		}
		l = l.Join(c.argsShow(t).Integrity())
	default:
		l = l.Join(c.shows(t).Integrity())
	}
	return l
}

// FieldType is the type of a field of a record of type t, with its label.
func (c Catalog) FieldType(t *Type, name string) *Type {
	if i := c[t.Name]; i != nil {
		if p := i.Fields[name]; p != nil {
			return labelled(p.Type, p.Label)
		}
	}
	for k := range t.Fields {
		if f := &t.Fields[k]; f.Name == name {
			return labelled(f.Type, f.Label)
		}
	}
	return nil
}

// labelled is t with l joined to the label of what it shows.
func labelled(t *Type, l Label) *Type {
	if l.FlowsTo(t.Label) {
		return t
	}
	c := *t
	c.Label = t.Label.Join(l)
	return &c
}

// shownType names the type of what an expression of type t shows.
func shownType(c Catalog, t *Type) string {
	if i := c[t.Name]; i != nil && i.Expr && t.Args["of"] != nil {
		t = t.Args["of"]
	}
	if Sealable(t.Name) {
		return t.Name
	}
	return TypeData
}
