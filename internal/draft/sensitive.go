package draft

import (
	"slices"
	"strings"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/internal/naming"
	"github.com/exoagent/exoagent/schema"
)

// Words of names of columns. A name is a guess about what the column holds, no more: a person reads the draft.
var (
	secretWords = set("password passwd pwd passphrase hash salt token secret apikey otp totp mfa credential credentials cvv cvc pin session cookie")
	secretPairs = []string{"api key", "private key", "access key", "signing key", "encryption key", "recovery code", "pass word"}
	personWords = set("email mail phone mobile fax telephone tel ssn iban bic swift passport birth birthday birthdate dob born gender sex religion ethnicity address street zip zipcode postal postcode latitude longitude lat lng ip salary wage income diagnosis medical health nationality")
	personPairs = []string{"tax id", "tax number", "national id", "social security", "credit card", "card number", "account number", "bank account", "driver license", "e mail", "user agent"}
	freeWords   = set("note notes body comment comments description message content text bio remark remarks memo details detail feedback reply review summary abstract transcript prompt")
	// numbers that tell of a person or open something; any other number is an id, or counts something.
	numberWords = set("ssn pin cvv cvc otp phone mobile fax salary wage income latitude longitude lat lng zip")
	birthWords  = set("birth birthday birthdate dob born")
)

const (
	secretReason = "by its name a secret"
	personReason = "by its name it tells of a person"
	freeReason   = "free text: whoever writes it talks to the model"
)

// labels are what a column of such a name has once somebody takes it in: programs may then pass it on, and not look, or
// are kept from effects by what it says.
var labels = map[string]string{secretReason: " { label: [secret] }", personReason: " { label: [pii] }", freeReason: " { label: [" + exo.Untrusted + "] }"}

func set(words string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(words) {
		out[w] = true
	}
	return out
}

// sensitive says why a column is left out of a draft; "": it is not.
func sensitive(c *schema.Column) string {
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
		return "bytes: nobody sees by the name what they hold"
	case schema.JSON:
		return "JSON: nobody sees by the name what it holds"
	case schema.Unknown: // of PostgreSQL inet, money, a range: as its text
		switch c.Type {
		case "xml", "hstore", "tsvector":
			return c.Type + ": nobody sees by the name what it holds"
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
