package decl

import "testing"

// TestPermissionForms: each form of a grant file is read as what it says, and written as it was read; no two kinds have one form, so that
// who permits the one has not permitted the other. What is no form is an error.
func TestPermissionForms(t *testing.T) {
	for text, want := range map[string]Permission{
		"trigger touch":                  {Kind: PermitTrigger, On: "touch"},
		"trigger kids.touch":             {Kind: PermitTrigger, On: "kids.touch"},
		"trigger unique(code)":           {Kind: PermitTrigger, On: "unique(code)"},
		"untrusted trigger touch":        {Kind: PermitWaryTrigger, On: "touch"},
		"untrusted rule archive":         {Kind: PermitWaryRule, On: "archive"},
		"rule archive":                   {Kind: PermitRule, On: "archive"},
		"cascade kids(a, b)":             {Kind: PermitCascade, On: "kids", Of: "a, b"},
		"waiting kids(a, b)":             {Kind: PermitWaiting, On: "kids", Of: "a, b"},
		"ON CONFLICT REPLACE":            {Kind: PermitConflict, On: "REPLACE"},
		"default(a)":                     {Kind: PermitDefault, On: "a"},
		"unique(lower(a), b)":            {Kind: PermitUnique, On: "lower(a), b"},
		"unique(a) where (b IS NULL)":    {Kind: PermitUnique, On: "a", Of: "(b IS NULL)"},
		"exclude(room, during)":          {Kind: PermitExclusion, On: "room, during"},
		"rows(seen)":                     {Kind: PermitRows, On: "seen"},
		"types(hr.items.kids)":           {Kind: PermitTypes, On: "hr.items", Of: "kids"},
		"reveals check(pay < 7)":         {Kind: PermitRevealing, On: "check(pay < 7)"},
		`cascade "odd.name"(parent)`:     {Kind: PermitCascade, On: `"odd.name"`, Of: "parent"},
		"trigger one with many words ()": {Kind: PermitTrigger, On: "one with many words ()"},
	} {
		p, err := ParsePermission(text)
		if err != nil || p != want || p.String() != text || p.Go() == "" {
			t.Errorf("%s: %+v %v, written %s", text, p, err, p)
		}
		for kind := range PermissionKind(len(forms)) {
			if o := (Permission{Kind: kind, On: p.On, Of: p.Of}); kind != p.Kind && kind != p.Wary().Kind && Permits([]Permission{o}, p) {
				t.Errorf("%s is permitted by kind %d", p, kind)
			}
		}
	}
	for _, text := range []string{"", "touch", "trigger ", "trigger", "kids(parent)", "cascade kids", "cascade (a)", "unique()", "unique(a", "default()", "types(items)", "types(.kids)", "rows()", "reveals ", "tells unique(a)", "Unique(a)", "waiting kids(a) "} {
		if p, err := ParsePermission(text); err == nil {
			t.Errorf("%q is read as %+v", text, p)
		}
	}
	act := Permission{Kind: PermitTrigger, On: "touch"}
	if !Permits([]Permission{act.Wary()}, act) || Permits([]Permission{act}, act.Wary()) {
		t.Error("what may act for wary programs may act for all, and not the other way round")
	}
	if (Permission{}).String() != "nothing" || Permits([]Permission{{}}, Permission{Kind: PermitTrigger}) {
		t.Error("the zero Permission permits something")
	}
}
