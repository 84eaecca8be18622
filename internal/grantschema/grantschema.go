// Package grantschema has the JSON Schema of grant files. Editors complete and check grant files with it.
package grantschema

import (
	"bytes"
	"encoding/json"

	"github.com/exoagent/exoagent/internal/grantfile"
	"github.com/exoagent/exoagent/internal/grantfile/strict"
)

// JSON returns the schema of the file's format (draft 2020-12), with a final line break. It has exactly the keys that the reader knows. Some
// errors only the reader finds: names that don't exist, scopes, sizes.
func JSON() []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	n := grantfile.Form()
	n["anyOf"] = []strict.Node{{"required": []string{"databases", "grants", "facets"}}, {"required": []string{"services"}}}
	n["$schema"], n["$id"], n["title"] = "https://json-schema.org/draft/2020-12/schema", grantfile.SchemaURL, "A grant file of exoagent"
	if err := e.Encode(n); err != nil {
		panic("grantschema: " + err.Error()) // this can't fail: it encodes texts, lists and maps
	}
	return b.Bytes()
}
