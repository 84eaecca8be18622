package models_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// TestEcho: an endpoint that echoes the key does not get it into the text that is shown,
// however it is cut into pieces, nor into the reply that is kept, nor into what a
// program is given, as it is or spelled with escapes. The twin, a text that only begins
// like the key, arrives whole.
func TestEcho(t *testing.T) {
	escaped := ""
	for _, r := range secret {
		escaped += fmt.Sprintf(`\u%04x`, r)
	}
	forAll(t, func(t *testing.T, d dialect) {
		begun := "it begins like " + secret[:len(secret)-1]
		for at := range len(secret) + 1 {
			_, m := d.serve(t, d.reply(d.text("a ", "key: "+secret[:at], secret[at:]+" and ", begun)))
			var said strings.Builder
			r, err := m.Reply(t.Context(), question, func(s string) { said.WriteString(s) })
			if err != nil {
				t.Fatal(err)
			}
			if want := "a key: [key] and " + begun; r.Text != want || said.String() != want {
				t.Errorf("cut at %d: %q, told as %q", at, r.Text, said.String())
			}
		}
		for what, args := range map[string]string{"as it is": `{"code":"return '` + secret + `'","n":9007199254740993}`, "escaped": `{"code":"return '` + escaped + `'","n":9007199254740993}`} {
			_, m := d.serve(t, d.reply(d.calls(call{"c1", "execute", args})))
			r, err := m.Reply(t.Context(), question, nil)
			if err != nil || len(r.Calls) != 1 {
				t.Fatal(r, err)
			}
			var got struct{ Code string }
			if err := json.Unmarshal([]byte(r.Calls[0].Args), &got); err != nil || got.Code != "return '[key]'" {
				t.Errorf("%s: %s, %v", what, r.Calls[0].Args, err)
			}
		}
	})
}
