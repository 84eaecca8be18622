package draft

import (
	"slices"
	"strings"

	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/internal/naming"
	"github.com/exoagent/exoagent/internal/scalar"
	"github.com/exoagent/exoagent/schema"
)

// These words in a column's name suggest its content. They are only a guess, which the reader of the draft corrects.
var (
	secretWords = scalar.Words("password passwd pwd passphrase hash salt token secret apikey otp totp mfa credential credentials cvv cvc pin session cookie")
	// the last words of the names of tables with rows that each open something, like a token; openWords are the names of the columns that open it
	secretTables     = scalar.Words("token apikey session credential secret password passcode otp totp mfa cookie nonce challenge invitation invite verification")
	secretTablePairs = []string{"api key", "private key", "access key", "signing key", "encryption key", "public key", "recovery code", "backup code", "magic link", "one time password", "login code", "password reset"}
	openWords        = scalar.Words("value key code token secret hash digest sid data payload content body string text nonce challenge verifier signature link url jti raw plain number")
	secretPairs      = []string{"api key", "private key", "access key", "signing key", "encryption key", "recovery code", "pass word"}
	personWords      = scalar.Words("email mail phone mobile fax telephone tel ssn iban bic swift passport birth birthday birthdate dob born gender sex religion ethnicity address street zip zipcode postal postcode latitude longitude lat lng ip salary wage income diagnosis medical health nationality")
	personPairs      = []string{"tax id", "tax number", "national id", "social security", "credit card", "card number", "account number", "bank account", "driver license", "e mail", "user agent"}
	freeWords        = scalar.Words("note notes body comment comments description message content text bio remark remarks memo details detail feedback reply review summary abstract transcript prompt")
	// numbers with these names are about a person or open something; other numbers are ids or counts
	numberWords = scalar.Words("ssn pin cvv cvc otp phone mobile fax salary wage income latitude longitude lat lng zip")
	birthWords  = scalar.Words("birth birthday birthdate dob born")
)

const (
	secretReason = "its name sounds like a secret"
	personReason = "its name sounds like a fact about a person"
	freeReason   = "free text: what its author writes, the model reads"
	unreadable   = "the role of the database may not read it"
	tableReason  = "its name and its table sound like a secret"
)

// labels are the tags that a column with such a name gets if a person grants it. Programs may then only pass the value on, or have no effects
// after they have read it.
var labels = map[string]string{secretReason: "secret", tableReason: "secret", personReason: "pii", freeReason: value.Untrusted}

// declared returns the line of the file that declares the tags of its comments, or "".
func (d *Draft) declared() string {
	var tags []string
	for _, f := range d.Facets {
		for _, c := range f.columns {
			if tag := labels[c.out]; tag != "" && !slices.Contains(tags, tag) {
				tags = append(tags, tag)
			}
		}
	}
	slices.Sort(tags)
	for i, tag := range tags {
		if tags[i] += ": secret"; tag == value.Untrusted {
			tags[i] = tag + ": untrusted"
		}
	}
	if tags == nil {
		return ""
	}
	return "labels: { " + strings.Join(tags, ", ") + " } # the tags that columns may have: secret, or what outsiders write"
}

// opens reports whether a value opens something because of the table of its column: the value of api_keys, the code of passcodes, and the id
// of sessions unless it is a number.
func opens(t *schema.Table, c *schema.Column) bool {
	table := strings.ToLower(strings.Join(naming.Words(naming.Singular(t.Name.Name)), " "))
	last := table[strings.LastIndex(table, " ")+1:]
	if !secretTables[last] && !slices.ContainsFunc(secretTablePairs, func(p string) bool { return strings.HasSuffix(" "+table, " "+p) }) {
		return false
	}
	ws := naming.Words(strings.ToLower(c.Name))
	if len(ws) == 0 {
		return false
	}
	switch name := ws[len(ws)-1]; {
	case c.Kind == schema.Int:
		return name == "code" || name == "pin" || name == "otp"
	case c.Kind != schema.Text && c.Kind != schema.UUID || c.Enum != nil:
		return false
	case name == "id" || name == "uuid":
		return len(ws) == 1 && (last == "session" || last == "token" || c.Kind == schema.Text)
	default:
		return openWords[name]
	}
}

// shows returns why a draft leaves a column out, by its own name or the name of a column from which the database computes it. It looks through
// at most depth columns. A truth value made from a secret shows little of it, so it is not left out for that.
func shows(t *schema.Table, c *schema.Column, depth int) string {
	why := sensitive(t, c)
	for i := range t.Columns {
		if o := &t.Columns[i]; why == "" && depth > 0 && c.Generated != schema.NotGenerated && c.Kind != schema.Bool && o != c && t.Reads(c.GenExpr, func(name string) bool { return name == o.Name }) {
			why = shows(t, o, depth-1)
		}
	}
	return why
}

// made returns why a draft leaves out a column of a view. It looks at the column of this name in a table that the view reads. Otherwise it looks at
// the most sensitive column of these tables, because the view may compute its column from any of them. But a number comes only from numbers, and a
// truth value shows little of a secret.
func made(live *schema.Database, v *schema.View, c *schema.Column) (why string) {
	rank := []string{"", freeReason, personReason, tableReason, secretReason}
	number := []schema.Kind{schema.Int, schema.Float, schema.Decimal}
	same := false
	for _, n := range v.Reads {
		t := live.Table(n)
		for i := 0; t != nil && i < len(t.Columns); i++ {
			o := &t.Columns[i]
			is := live.Engine.Is(o.Name, c.Name)
			if is && !same {
				same, why = true, ""
			}
			fits := c.Kind == o.Kind || c.Kind == schema.Text || c.Kind == schema.Unknown || slices.Contains(number, c.Kind) && slices.Contains(number, o.Kind)
			if x := shows(t, o, len(t.Columns)); is == same && (is || fits && c.Kind != schema.Bool) && slices.Index(rank, x) > slices.Index(rank, why) {
				why = x
			}
		}
	}
	return why
}

// sensitive returns why a draft leaves a column out, or "".
func sensitive(t *schema.Table, c *schema.Column) string {
	if opens(t, c) {
		return tableReason
	}
	ws := naming.Words(strings.ReplaceAll(c.Name, "E-Mail", "email"))
	for i := range ws {
		ws[i] = strings.ToLower(ws[i])
	}
	text := " " + strings.Join(ws, " ") + " "
	has := func(words map[string]bool) bool {
		return slices.ContainsFunc(ws, func(w string) bool { return words[w] || words[strings.TrimSuffix(w, "s")] })
	}
	pair := func(pairs []string) bool {
		return slices.ContainsFunc(pairs, func(p string) bool { return strings.Contains(text, " "+p+" ") })
	}
	switch c.Kind {
	case schema.Bool, schema.Interval:
		return ""
	case schema.Time, schema.Date:
		if has(birthWords) {
			return personReason
		}
		return ""
	case schema.Int, schema.Float, schema.Decimal, schema.UUID:
		switch {
		case pair(secretPairs) || has(secretWords) && has(numberWords), c.Kind == schema.UUID && has(secretWords) && ws[len(ws)-1] != "id":
			return secretReason
		case pair(personPairs) || has(personWords) && has(numberWords) && ws[len(ws)-1] != "id":
			return personReason
		}
		return ""
	case schema.Bytes:
		return "bytes: the name does not say what is in them"
	case schema.JSON:
		return "JSON: the name does not say what is in it"
	case schema.Unknown: // PostgreSQL's inet, money and ranges appear as their text
		switch c.Type {
		case "xml", "hstore", "tsvector":
			return c.Type + ": the name does not say what is in it"
		}
	}
	switch {
	case has(secretWords) || pair(secretPairs):
		return secretReason
	case has(personWords) || pair(personPairs):
		return personReason
	case has(freeWords) && c.Enum == nil:
		return freeReason
	}
	return ""
}
