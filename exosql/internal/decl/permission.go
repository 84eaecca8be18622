package decl

// This file lists what a host can permit writes to do beyond the rows that they name. Each kind has a form in
// grant files and a function in Go. Only the rules of writes (package writing) ask for permissions.

import (
	"fmt"
	"slices"
	"strings"
)

// Permission allows writes one side effect. The zero Permission allows nothing.
type Permission struct {
	Kind PermissionKind
	On   string // On is the trigger, rule or table, or the columns of a constraint
	Of   string // Of are a foreign key's columns, an index's condition, or a link
}

// PermissionKind is the kind of what a Permission allows.
type PermissionKind uint8

const (
	PermitTrigger     PermissionKind = iota + 1 // a trigger may act
	PermitRule                                  // a rule of PostgreSQL may rewrite the write
	PermitWaryTrigger                           // a trigger may act, even for a program that has read what outsiders wrote
	PermitWaryRule
	PermitCascade   // a foreign key may change or delete further rows
	PermitConflict  // a rule of SQLite may resolve a conflict
	PermitDefault   // the database may fill in a column that refers to another row
	PermitUnique    // programs may learn that a row out of scope has a value
	PermitExclusion // programs may learn that a row out of scope conflicts by an exclusion constraint
	PermitWaiting   // the host knows that no row refers to the key of a new row before the row exists
	PermitRows      // the host knows that no row comes into scope of another declaration of the same rows
	PermitTypes     // a link may compare values of different types
	PermitRevealing // programs may learn labelled values
)

// forms has, for each kind, its form in a grant file, its function in package exosql, and an example. Each %s is replaced by On or Of.
var forms = [...]struct {
	file, of, inGo string
	like           Permission
}{
	PermitTrigger: {"trigger %s", "", "AllowTrigger", Permission{On: "NAME"}},
	PermitRule:    {"rule %s", "", "AllowRule", Permission{On: "NAME"}},

	PermitWaryTrigger: {"untrusted trigger %s", "", "AllowUntrustedTrigger", Permission{On: "NAME"}},
	PermitWaryRule:    {"untrusted rule %s", "", "AllowUntrustedRule", Permission{On: "NAME"}},

	PermitCascade:   {"cascade %s", "(%s)", "AllowCascade", Permission{On: "TABLE", Of: "COLUMNS"}},
	PermitConflict:  {"ON CONFLICT %s", "", "AllowConflict", Permission{On: "REPLACE"}},
	PermitDefault:   {"default(%s)", "", "AllowDefault", Permission{On: "COLUMNS"}},
	PermitUnique:    {"unique(%s)", " where %s", "AllowUnique", Permission{On: "COLUMNS"}},
	PermitExclusion: {"exclude(%s)", " where %s", "AllowExclusion", Permission{On: "COLUMNS"}},
	PermitWaiting:   {"waiting %s", "(%s)", "AllowWaiting", Permission{On: "TABLE", Of: "COLUMNS"}},
	PermitRows:      {"rows(%s)", "", "AllowRows", Permission{On: "TABLE"}},
	PermitTypes:     {"types(%s)", ".%s", "AllowTypes", Permission{On: "TABLE", Of: "LINK"}},
	PermitRevealing: {"reveals %s", "", "AllowRevealing", Permission{On: "RULE"}},
}

// String returns the permission's form in a grant file.
func (p Permission) String() string {
	if p.Kind == 0 || int(p.Kind) >= len(forms) {
		return "nothing"
	}
	f := forms[p.Kind]
	if p.Kind == PermitTypes {
		return fmt.Sprintf(f.file, p.On+"."+p.Of)
	}
	s := fmt.Sprintf(f.file, p.On)
	if p.Of != "" {
		s += fmt.Sprintf(f.of, p.Of)
	}
	return s
}

// Acts reports whether the permitted action changes rows other than the written ones.
func (p Permission) Acts() bool { return p.Kind <= PermitConflict }

// Wary returns the stricter form of p, which also covers programs that have read outsiders' words, or p itself if it has none.
func (p Permission) Wary() Permission {
	if p.Kind == PermitTrigger || p.Kind == PermitRule {
		p.Kind += PermitWaryTrigger - PermitTrigger
	}
	return p
}

// Go returns the call of package exosql that makes this permission.
func (p Permission) Go() string {
	s := fmt.Sprintf("exosql.%s(%q", forms[p.Kind].inGo, p.On)
	switch {
	case p.Of == "":
	case p.Kind == PermitUnique || p.Kind == PermitExclusion:
		return s + fmt.Sprintf(").Where(%q)", p.Of)
	default:
		s += fmt.Sprintf(", %q", p.Of)
	}
	return s + ")"
}

// permissionForms lists all forms in a grant file, for errors.
func permissionForms() string {
	var all []string
	for kind, f := range forms {
		if f.like.Kind = PermissionKind(kind); kind > 0 {
			all = append(all, "`"+f.like.String()+"`")
		}
	}
	return strings.Join(all, ", ")
}

// ParsePermission reads a permission in its form in a grant file.
func ParsePermission(text string) (Permission, error) {
	for i := range forms {
		kind := PermissionKind(i)
		if kind == 0 {
			continue
		}
		before, after, _ := strings.Cut(forms[i].file, "%s")
		on, ok := strings.CutPrefix(text, before)
		if !ok {
			continue
		}
		p := Permission{Kind: kind}
		switch kind {
		case PermitCascade, PermitWaiting:
			n := strings.LastIndex(on, "(")
			if n <= 0 || !strings.HasSuffix(on, ")") {
				continue
			}
			on, p.Of = on[:n], on[n+1:len(on)-1]
		case PermitUnique, PermitExclusion:
			if x, where, cut := strings.Cut(on, ") where "); cut {
				on, p.Of = x+")", where
			}
		}
		if on, ok = strings.CutSuffix(on, after); !ok {
			continue
		}
		if kind == PermitTypes {
			n := strings.LastIndex(on, ".")
			if n <= 0 {
				continue
			}
			on, p.Of = on[:n], on[n+1:]
		}
		if p.On = on; on != "" && p.String() == text {
			return p, nil
		}
	}
	return Permission{}, fmt.Errorf("exosql: %q is not a permission: write one of %s", text, permissionForms())
}

// Permits reports whether a list includes a permission. It compares the forms. If a constraint's name contains a parenthesis,
// its form can be read in two ways but still means that constraint. A permission for wary programs covers all others too.
func Permits(list []Permission, p Permission) bool {
	return slices.ContainsFunc(list, func(o Permission) bool { return o.String() == p.String() || o.String() == p.Wary().String() })
}
