package draft

import (
	"testing"

	"github.com/exoagent/exoagent/schema"
)

func TestSensitive(t *testing.T) {
	for name, want := range map[string]string{
		"email": personReason, "EmailAddress": personReason, "phone_numbers": personReason, "ip": personReason, "taxId": personReason, "e_mail": personReason, "IBAN": personReason,
		"password_hash": secretReason, "apiKey": secretReason, "reset_token": secretReason, "Passwords": secretReason, "session": secretReason,
		"notes": freeReason, "product_description": freeReason, "Body": freeReason,
		"title": "", "shipping": "", "script": "", "key": "", "country": "", "state": "", "zippy": "", "shipped": "",
	} {
		if got := sensitive(&schema.Table{}, &schema.Column{Name: name, Kind: schema.Text}); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	for _, c := range []struct {
		name string
		kind schema.Kind
		want string
	}{
		{"address_id", schema.Int, ""}, {"token_count", schema.Int, ""}, {"email_verified", schema.Bool, ""}, {"password_changed_at", schema.Time, ""}, {"message_id", schema.UUID, ""},
		{"birth_date", schema.Date, personReason}, {"salary", schema.Decimal, personReason}, {"latitude", schema.Float, personReason}, {"pin", schema.Int, secretReason}, {"session_token", schema.UUID, secretReason},
		{"photo", schema.Bytes, "bytes: the name does not say what is in them"}, {"data", schema.JSON, "JSON: the name does not say what is in it"},
	} {
		if got := sensitive(&schema.Table{}, &schema.Column{Name: c.name, Kind: c.kind}); got != c.want {
			t.Errorf("%s %s: %q, want %q", c.name, c.kind, got, c.want)
		}
	}
	for _, c := range []struct {
		table, name string
		kind        schema.Kind
		want        string
	}{
		{"api_keys", "value", schema.Text, tableReason}, {"apiKeys", "key", schema.Text, tableReason}, {"passcodes", "code", schema.Int, tableReason}, {"refresh_tokens", "value", schema.Text, tableReason},
		{"tokens", "id", schema.UUID, tableReason}, {"user_sessions", "id", schema.Text, tableReason}, {"sessions", "data", schema.Text, tableReason}, {"magic_links", "url", schema.Text, tableReason},
		{"sessions", "id", schema.Int, ""}, {"sessions", "user_id", schema.UUID, ""}, {"api_keys", "name", schema.Text, ""}, {"passcodes", "member_id", schema.Int, ""}, {"credentials", "type", schema.Text, ""},
		{"countries", "code", schema.Text, ""}, {"settings", "value", schema.Text, ""}, {"token_kinds", "value", schema.Text, ""}, {"courses", "id", schema.UUID, ""},
	} {
		if got := sensitive(&schema.Table{Name: schema.Name{Name: c.table}}, &schema.Column{Name: c.name, Kind: c.kind}); got != c.want {
			t.Errorf("%s.%s: %q, want %q", c.table, c.name, got, c.want)
		}
	}
}

// TestShows: a column that the database makes of a sensitive one is left out as that one, over others, too; what is made of others is not.
func TestShows(t *testing.T) {
	table := &schema.Table{Columns: []schema.Column{{Name: "id", Kind: schema.Int}, {Name: "email", Kind: schema.Text}, {Name: "title", Kind: schema.Text},
		{Name: "label", Kind: schema.Text, Generated: schema.Stored, GenExpr: "title||' <'||email||'>'"}, {Name: "shout", Kind: schema.Text, Generated: schema.Virtual, GenExpr: "upper(label)"},
		{Name: "loud", Kind: schema.Text, Generated: schema.Virtual, GenExpr: "upper(title) || 'email'"}, {Name: "known", Kind: schema.Bool, Generated: schema.Stored, GenExpr: "email IS NOT NULL"}}}
	want := map[string]string{"email": personReason, "label": personReason, "shout": personReason}
	for i := range table.Columns {
		if c := &table.Columns[i]; shows(table, c, len(table.Columns)) != want[c.Name] {
			t.Errorf("%s: %q", c.Name, shows(table, c, len(table.Columns)))
		}
	}
}
