package decl

// This file lists what a host can permit a write to do beyond the rows that it names: one entry for each kind, with its form in a grant
// file and in Go. The rules of writes (package writing) ask for permissions, and nothing else makes one.

import (
	"fmt"
	"slices"
	"strings"
)

// Permission allows one thing. The zero Permission allows nothing.
type Permission struct {
	Kind PermissionKind
	On   string // the trigger, rule or table, or the columns of a rule of the database
	Of   string // the columns of a foreign key, the condition of an index, or a link
}

// PermissionKind says what a Permission allows.
type PermissionKind uint8

const (
	PermitTrigger     PermissionKind = iota + 1 // a trigger may act
	PermitRule                                  // a rule of PostgreSQL may rewrite the write
	PermitWaryTrigger                           // the same of a trigger by a program that has read what outsiders wrote
	PermitWaryRule
	PermitCascade   // a foreign key may carry the change on
	PermitConflict  // a rule of SQLite may resolve a conflict
	PermitDefault   // the database may fill in what leads to another row
	PermitUnique    // programs may learn that a row out of scope has a value
	PermitExclusion // the same of an exclusion constraint
	PermitWaiting   // no row waits for the key of a new row
	PermitRows      // no row comes into scope of another declaration of the same rows
	PermitTypes     // a link may compare values of different types
	PermitRevealing // programs may learn what is labelled
)

// forms has for each kind how a grant file writes it, the function of package exosql, and an example. %s are On and Of.
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

// String is the form of a grant file.
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

// Acts reports whether what is permitted changes other rows than those that are written.
func (p Permission) Acts() bool { return p.Kind <= PermitConflict }

// Wary is the permission by which programs that have read what outsiders wrote may set off what p lets act; p, where there is none.
func (p Permission) Wary() Permission {
	if p.Kind == PermitTrigger || p.Kind == PermitRule {
		p.Kind += PermitWaryTrigger - PermitTrigger
	}
	return p
}

// Go is the call of package exosql that makes the permission.
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

// permissionForms are the forms of a grant file, for errors.
func permissionForms() string {
	var all []string
	for kind, f := range forms {
		if f.like.Kind = PermissionKind(kind); kind > 0 {
			all = append(all, "`"+f.like.String()+"`")
		}
	}
	return strings.Join(all, ", ")
}

// ParsePermission reads the form of a grant file.
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
	return Permission{}, fmt.Errorf("exosql: %q is no permission: write one of %s", text, permissionForms())
}

// Permits reports whether a permission is among some. What is compared is the form: where a rule of the database has a parenthesis in a
// name, one form may be read in two ways, and means one rule. What may act for wary programs may act for all.
func Permits(list []Permission, p Permission) bool {
	return slices.ContainsFunc(list, func(o Permission) bool { return o.String() == p.String() || o.String() == p.Wary().String() })
}
