package plan

import (
	"testing"

	"github.com/exoagent/exoagent/exo"
)

// TestArrays: each element of an array stays one, and is of the type that the column has.
func TestArrays(t *testing.T) {
	text := exo.Text
	for _, c := range []struct {
		elem string
		list exo.Value
		want string // "" refused
		json string
	}{
		{exo.TypeText, exo.List(), `{}`, `[]`},
		{exo.TypeText, exo.List(text(`a","b`), text(`\`), text("NULL"), text(""), exo.Null(), text("{}")), `{"a\",\"b","\\","NULL","",NULL,"{}"}`, `["a\",\"b","\\","NULL","",null,"{}"]`},
		{exo.TypeInt, exo.List(exo.Int(9007199254740993), text("-9007199254740993")), `{"9007199254740993","-9007199254740993"}`, `[9007199254740993,-9007199254740993]`},
		{exo.TypeInt, exo.List(text("1")), "", ""}, {exo.TypeInt, exo.List(exo.Float(1.5)), "", ""}, {exo.TypeText, exo.List(exo.Int(1)), "", ""}, {exo.TypeText, exo.List(exo.List(text("a"))), "", ""},
		{exo.TypeText, exo.List(exo.Value{}), "", ""}, {exo.TypeInt, exo.Int(1), "", ""}, {exo.TypeText, exo.RecordValue(), "", ""},
		{exo.TypeFloat, exo.List(exo.Int(1), exo.Float(0.1)), `{"1","0.1"}`, `[1,0.1]`},
		{exo.TypeDecimal, exo.List(exo.Int(1), exo.Float(1.5), text("2.50")), `{"1","1.5","2.5"}`, `["1","1.5","2.5"]`}, {exo.TypeDecimal, exo.List(text("x")), "", ""}, {exo.TypeDecimal, exo.List(exo.Bool(true)), "", ""},
		{exo.TypeBool, exo.List(exo.Bool(true)), `{"true"}`, `[true]`}, {exo.TypeBool, exo.List(exo.Int(1)), "", ""},
		{exo.TypeDate, exo.List(text("2024-02-29")), `{"2024-02-29"}`, `["2024-02-29"]`}, {exo.TypeDate, exo.List(text("2023-02-29")), "", ""},
	} {
		for kind, want := range map[string]string{ArgArray: c.want, ArgDocument: c.json} {
			s := Source{Kind: kind, Elem: c.elem}
			got, err := s.convert(c.list, nil)
			if want == "" && err == nil || want != "" && (err != nil || got.Text() != want) {
				t.Errorf("%s of %s: %v gives %s %v, want %s", kind, c.elem, c.list, got, err, want)
			}
		}
	}
	whole := exo.RecordValue(exo.Field{Name: `a"b`, Value: exo.List(exo.Int(9007199254740993), exo.Float(1e300), exo.Null())})
	if got, err := (&Source{Kind: ArgDocument}).convert(whole, nil); err != nil || got.Text() != `{"a\"b":[9007199254740993,1e+300,null]}` {
		t.Error(got, err)
	}
	if got, err := (&Source{}).convert(whole, nil); err == nil {
		t.Errorf("a document is compared: %v", got)
	}
}
