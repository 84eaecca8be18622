// Package resultpage makes a page of a result for a browser. It has a table with sorting and pages, and a chart if the shape of the rows
// suggests one. The page has one script of its own, and loads nothing.
package resultpage

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"html"
	"strings"
)

//go:embed page.html
var page string

// Of returns the page for a program's outcome: JSON with the result, and everything else of it that a model reads.
func Of(title string, out []byte) []byte {
	var data bytes.Buffer
	json.HTMLEscape(&data, out) // escape <, so that no cell can end the element that has the data
	text := page
	for _, part := range []string{"style", "script"} {
		_, inner, _ := strings.Cut(page, "<"+part+">")
		inner, _, _ = strings.Cut(inner, "</"+part+">")
		sum := sha256.Sum256([]byte(inner))
		text = strings.Replace(text, "{{"+part+"}}", "sha256-"+base64.StdEncoding.EncodeToString(sum[:]), 1)
	}
	return []byte(strings.NewReplacer("{{title}}", html.EscapeString(title), "{{data}}", data.String()).Replace(text))
}
