package plan

import (
	"testing"

	"github.com/exoagent/exoagent/exo/value"
)

// TestArrays: each element of an array stays one, and is of the type that the column has.
func TestArrays(t *testing.T) {
	text := value.Text
	for _, c := range []struct {
		elem string
		list value.Value
		want string // "" refused
		json string
	}{
		{value.TypeText, value.List(), `{}`, `[]`},
		{value.TypeText, value.List(text(`a","b`), text(`\`), text("NULL"), text(""), value.Null(), text("{}")), `{"a\",\"b","\\","NULL","",NULL,"{}"}`, `["a\",\"b","\\","NULL","",null,"{}"]`},
		{value.TypeInt, value.List(value.Int(9007199254740993), text("-9007199254740993")), `{"9007199254740993","-9007199254740993"}`, `[9007199254740993,-9007199254740993]`},
		{value.TypeInt, value.List(text("1")), "", ""}, {value.TypeInt, value.List(value.Float(1.5)), "", ""}, {value.TypeText, value.List(value.Int(1)), "", ""}, {value.TypeText, value.List(value.List(text("a"))), "", ""},
		{value.TypeText, value.List(value.Value{}), "", ""}, {value.TypeInt, value.Int(1), "", ""}, {value.TypeText, value.RecordValue(), "", ""},
		{value.TypeFloat, value.List(value.Int(1), value.Float(0.1)), `{"1","0.1"}`, `[1,0.1]`},
		{value.TypeDecimal, value.List(value.Int(1), value.Float(1.5), text("2.50")), `{"1","1.5","2.5"}`, `["1","1.5","2.5"]`}, {value.TypeDecimal, value.List(text("x")), "", ""}, {value.TypeDecimal, value.List(value.Bool(true)), "", ""},
		{value.TypeBool, value.List(value.Bool(true)), `{"true"}`, `[true]`}, {value.TypeBool, value.List(value.Int(1)), "", ""},
		{value.TypeDate, value.List(text("2024-02-29")), `{"2024-02-29"}`, `["2024-02-29"]`}, {value.TypeDate, value.List(text("2023-02-29")), "", ""},
	} {
		for kind, want := range map[string]string{ArgArray: c.want, ArgDocument: c.json} {
			s := Source{Kind: kind, Elem: c.elem}
			got, err := s.convert(c.list, nil)
			if want == "" && err == nil || want != "" && (err != nil || got.Text() != want) {
				t.Errorf("%s of %s: %v gives %s %v, want %s", kind, c.elem, c.list, got, err, want)
			}
		}
	}
	whole := value.RecordValue(value.Field{Name: `a"b`, Value: value.List(value.Int(9007199254740993), value.Float(1e300), value.Null())})
	if got, err := (&Source{Kind: ArgDocument}).convert(whole, nil); err != nil || got.Text() != `{"a\"b":[9007199254740993,1e+300,null]}` {
		t.Error(got, err)
	}
	if got, err := (&Source{}).convert(whole, nil); err == nil {
		t.Errorf("a document is compared: %v", got)
	}
}
