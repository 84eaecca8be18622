// Package grantschema has the JSON Schema of grant files. Editors complete and check grant files with it.
package grantschema

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/exoagent/exoagent/exo/changeset"
	"github.com/exoagent/exoagent/exo/notify"
	"github.com/exoagent/exoagent/exo/review"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/internal/grantfile"
	"github.com/exoagent/exoagent/internal/grantfile/budgets"
	"github.com/exoagent/exoagent/internal/scalar"
)

// JSON returns the schema of the file's format (draft 2020-12), with a final line break. It has exactly the keys that the reader knows. Some
// errors only the reader finds: names that don't exist, scopes, sizes.
func JSON() []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(fileSchema()); err != nil {
		panic("grantschema: " + err.Error()) // this can't fail: it encodes texts, lists and maps
	}
	return b.Bytes()
}

// node is a part of the schema. JSON has the keys of a map in alphabetical order.
type node map[string]any

// about adds the description that editors show.
func (n node) about(text string) node {
	n["description"] = text
	return n
}

// form is a map with the format's own keys. It refuses every other key.
func form(fields map[string]node, required ...string) node {
	n := node{"type": mapOrNothing, "properties": fields, "additionalProperties": false}
	if len(required) > 0 {
		n["type"], n["required"] = "object", required
	}
	return n
}

// named is a map with keys that the file's author chooses.
func named(each node) node { return node{"type": mapOrNothing, "additionalProperties": each} }

var mapOrNothing = []string{"object", "null"}

func either(ns ...node) node { return node{"anyOf": ns} }

func aText() node        { return node{"type": "string", "minLength": 1} }
func aPlace() node       { return node{"type": "string", "pattern": "^(env|file):."} }
func aBool() node        { return node{"type": "boolean"} }
func aNumber() node      { return node{"type": "integer", "minimum": 1} }
func wordOf(ws any) node { return node{"enum": ws} }
func listOf(n node) node {
	return node{"type": "array", "items": n, "minItems": 1, "uniqueItems": true}
}

// someTexts is a list of texts, or a single text.
func someTexts() node { return either(aText(), listOf(aText())) }

func aSize() node {
	return node{"type": []string{"integer", "string"}, "minimum": 1, "pattern": `^[0-9]+ *(KiB|MiB)?$`}
}

func aModel() node {
	return node{"type": "string", "pattern": "^(" + strings.Join(grantfile.ModelProviders, "|") + "):[^*]"}
}

func aSpan() node { return node{"type": "string", "pattern": `^[0-9]`} }

func fileSchema() node {
	presets := scalar.Each(grantfile.Presets(), func(p grantfile.Preset) string { return p.Name })
	url := node{"type": "string", "pattern": "^(env|file|sqlite):."}
	n := form(map[string]node{
		"exo":      wordOf([]int{grantfile.Version}).about("the version of the form of this file"),
		"reviewed": aBool().about("true once a person has read the file: nothing is served before"),
		"preset":   wordOf(presets).about("a set of limits, and whether facets may let programs change rows"),
		"databases": named(either(url, form(map[string]node{
			"url":      url.about("where the URL is, never the URL: env:NAME, file:PATH; or sqlite:PATH"),
			"schema":   someTexts().about("of PostgreSQL: the schemas in which tables are looked up, in order"),
			"witness":  aBool().about("each run that changes the database leaves its ID in the table exo_runs, so that the record can be completed after a crash"),
			"undo":     node{"type": "string", "pattern": "^[1-9][0-9]*d$"}.about("for how many days what runs change is kept, like 7d: exo undo can take it back; implies witness"),
			"undo_url": url.about("where the URL is by which exo undo connects, with rights on all columns"),
			"replicas": either(aPlace(), listOf(aPlace())).about("where the URLs of replicas are, which answer reads of programs that can't change the database: PostgreSQL in recovery, with the same role"),
			"cursors":  aPlace().about("the key of cursors, 32 random characters or more: each process that has the key takes the cursors of the others"),
		}, "url"))).about("where the databases are: env:NAME, file:PATH or sqlite:PATH"),
		"principal": named(either(wordOf(grantfile.ClaimTypes), node{"type": "array", "items": wordOf(grantfile.ClaimTypes), "minItems": 1, "maxItems": 1})).about("the claims that a user must have, with their types"),
		"grants": named(either(aText(), form(map[string]node{
			"facet": aText().about("what programs see of the rows"),
			"where": aText().about("narrows the facet's scope for this grant"),
		}, "facet"))).about("the names that a program begins with"),
		"services": named(serviceSchema()).about("servers beside the databases, with which programs begin as well: MCP servers, HTTP APIs and folders"),
		"facets":   named(facetSchema()).about("what programs see of a table, and the rows that they reach"),
		"limits": form(map[string]node{
			"calls":    aNumber().about("messages of one run"),
			"messages": aSize().about("bytes of all messages of one run: of what programs pass on"),
			"rows":     aNumber().about("rows that one run reads"),
			"read":     aSize().about("bytes that one run reads"),
			"console":  aSize().about("bytes that one run prints"),
			"time":     aSpan().about("of a program, without its calls: 5s, 500ms"),
			"total":    aSpan().about("of a run, with its calls"),
			"cpu":      aSpan().about("of the program's process"),
			"memory":   aSize().about("of the program's process: 64MiB"),
			"program":  aSize().about("of a program's text"),
			"result":   aSize().about("of a result"),
		}).about("limits of a run; one that is missing is the preset's, or the default"),
		"budgets": budgetSchema().about("what runs may use together, also after a restart: it is kept in a store"),
		"access":  form(map[string]node{"store": aText().about("a folder, or where the URL of a PostgreSQL database is: env:NAME or file:PATH")}, "store").about("where exo access keeps whose access was taken back; without it nobody can be revoked"),
		"zone":    aText().about("the time zone of today, like Europe/Berlin"),
		"record": either(aText(), form(map[string]node{
			"folder":   aText().about("a folder that `exo record init` made"),
			"database": aPlace().about("where the URL of a PostgreSQL database is, in which `exo record init` made a record: env:NAME or file:PATH"),
			"key":      aPlace().about("where the signing key is: env:NAME or file:PATH"),
			"keep":     node{"type": "string", "pattern": "^[1-9][0-9]*d$"}.about("for how many days what runs wrote can be read, like 90d: then exo serve erases it"),
			"replies":  aBool().about("keep what programs read, encrypted, so that exo replay can run them again"),
			"witness":  wordOf([]string{"required"}).about("what can't be undone waits until the record's witness has it"),
		}, "key")).about("the file that the record of runs is appended to, or its folder or database, and its key"),
		"labels":   named(wordOf([]string{grantfile.SecretTag, grantfile.UntrustedTag})).about("the tags that the file uses, each with its kind: secret, or untrusted, which outsiders write"),
		"admits":   someTexts().about("labels that results may carry"),
		"distrust": wordOf(grantfile.Distrusts).about("how long a model's programs are wary of what outsiders wrote once one has read it: until the user speaks again, for the chat, or not"),
		"models":   either(aModel(), listOf(aModel())).about("those that exo ask and exo repl may show results to, the first one with a key first; otherwise any"),
		"wall":     wordOf([]string{"kernel", grantfile.WallContainer, grantfile.WallNone}).about("the walls round the processes of programs: kernel; container or none accept less"),
		"approvals": form(map[string]node{
			"key":    aPlace().about("where the key is that encrypts what waits, at least 32 random characters: env:NAME or file:PATH; exo approvals init makes it"),
			"store":  aText().about("where change sets wait: a folder, or where the URL of a PostgreSQL database is, env:NAME or file:PATH"),
			"wait":   aSpan().about("how long a change set waits for a person; otherwise 24h"),
			"link":   aText().about("the address of the page as people know it, like https://shop.example.com/changes"),
			"shows":  someTexts().about("labels that whoever decides may see, besides those that results may carry"),
			"notify": someTexts().about("services that are told of each change that waits: a chat, a webhook, or MAIL.NAME"),
			"proxy": form(map[string]node{
				"header":   aText().about("the header with the assertion that the proxy adds"),
				"issuer":   aText().about("one of serve: issuers, which signs it"),
				"audience": aText().about("its aud: an address that no client's token has"),
			}, "header", "issuer", "audience").about("how a proxy in front of the page says who reads it"),
		}, "key", "store").about("where changes wait for a person, and messages until they are delivered"),
		"serve": form(map[string]node{
			"resource": aText().about("the address of the server as clients know it, and the audience of tokens"),
			"issuers": named(form(map[string]node{
				"keys":   node{"type": "string", "pattern": "^(https|file):."}.about("where its public keys are, a JWK set: https://HOST/PATH or file:PATH"),
				"scopes": someTexts().about("those that a token must have"),
				"claims": named(aText()).about("the names of claims in its tokens, where they differ from those of the principal"),
			}, "keys")).about("authorization servers whose tokens are taken, by their iss"),
			"tokens": named(form(map[string]node{
				"token":  node{"type": "string", "pattern": "^(env|file):."}.about("where the text is: env:NAME or file:PATH"),
				"claims": named(either(node{"type": []string{"integer", "string", "boolean"}}, node{"type": "array"})).about("of the principal that it stands for"),
			}, "token")).about("random texts that stand for a principal"),
			"origins": someTexts().about("of web pages that may send requests"),
		}).about("how clients over HTTP are known"),
	}, "exo")
	n["anyOf"] = []node{{"required": []string{"databases", "grants", "facets"}}, {"required": []string{"services"}}}
	n["$schema"], n["$id"], n["title"] = "https://json-schema.org/draft/2020-12/schema", grantfile.SchemaURL, "A grant file of exoagent"
	return n
}

// some returns a form that must have at least one key.
func some(n node) node {
	n["type"], n["minProperties"] = "object", 1
	return n
}

func budgetSchema() node {
	abouts := map[string]node{
		"calls":   aNumber().about("messages"),
		"rows":    aNumber().about("rows that programs get"),
		"read":    aSize().about("bytes that programs get"),
		"effects": aNumber().about("messages that change something or are sent at the end"),
	}
	windows := map[string]node{}
	for _, w := range budgets.Windows {
		about := "full again each " + w + " (UTC)"
		if w == budgets.Total {
			about = "never full again"
		}
		windows[w] = some(form(abouts)).about(about)
	}
	n := form(map[string]node{
		"principal":    some(form(windows)).about("of each principal"),
		"conversation": some(form(windows)).about("of each conversation of a principal"),
		"tool":         some(form(windows)).about("of all principals together"),
		"store":        aText().about("where it is kept: a folder, or where the URL of a PostgreSQL database is, env:NAME or file:PATH; otherwise a folder named as the record or this file, with .budgets behind"),
	})
	n["anyOf"] = []node{{"required": budgets.Pers[:1]}, {"required": budgets.Pers[1:2]}, {"required": budgets.Pers[2:]}}
	return some(n)
}

func serviceSchema() node {
	some := named(aText())
	some["type"] = "object"
	calls := func() node { return either(someTexts(), some) }
	place := form(map[string]node{
		"from":     aPlace().about("env:NAME or file:PATH"),
		"command":  listOf(aText()).about("an absolute path and arguments: a program that prints it"),
		"prefix":   aText().about("before it, like \"Bearer \""),
		"oauth":    aText().about("the address of a token endpoint: what is sent are the access tokens that it issues"),
		"client":   aText().about("the ID of the OAuth client, whose secret is in from or command"),
		"scopes":   someTexts().about("the scopes of the tokens"),
		"networks": someTexts().about("private networks in which the token endpoint is; otherwise the public internet"),
	})
	place["type"] = "object"
	return form(map[string]node{
		"doc":       aText().about("a line for the model"),
		"mcp":       aText().about("the address of an MCP server"),
		"command":   listOf(aText()).about("an absolute path and arguments: a program that is an MCP server on its standard input and output"),
		"api":       aText().about("the address of an HTTP API"),
		"mail":      node{"type": "string", "pattern": "^smtps?://."}.about("the address of a server of mails: smtps://HOST, or smtp://HOST with STARTTLS"),
		"chat":      wordOf(notify.Products).about("a chat, by the incoming webhook whose address is the secret url"),
		"webhook":   aText().about("an address that takes events, which the secret signature signs as Standard Webhooks says"),
		"from":      aText().about("the address from which mails are"),
		"to":        named(aText()).about("names that programs may give as receivers, each with an address or $principal.CLAIM"),
		"openapi":   aText().about("the file of the API's OpenAPI document"),
		"files":     aText().about("a folder, whose files programs may read and write by the globs of read and write"),
		"journal":   aText().about("where writes of files are kept that a stopped process could not finish: a folder, or env:NAME with the URL of a PostgreSQL database"),
		"undo":      node{"type": "string", "pattern": "^[1-9][0-9]*d$"}.about("how long the text before a write of a file is kept, in days like 7d"),
		"trusted":   aBool().about("no outsider writes the files, so what programs read of them is trusted"),
		"secrets":   named(either(aPlace(), place)).about("headers of requests, or variables of the command, whose text is elsewhere"),
		"networks":  someTexts().about("private networks in which the address is, like 10.1.0.0/16; otherwise the public internet"),
		"env":       named(aText()).about("variables of the command"),
		"dir":       aText().about("the folder in which the command runs"),
		"read":      someTexts().about("files and folders that the command may read, its libraries too; of files: globs like *.csv and in/**"),
		"write":     someTexts().about("files and folders that the command may change; of files: globs of those that programs may write"),
		"network":   aBool().about("the command may use the network"),
		"memory":    aSize().about("the most memory of a process of the command"),
		"reads":     calls().about("calls that change nothing: an API's by operationId or like {tasks: GET /tasks}"),
		"acts":      calls().about("calls that change something: they are sent once the program has ended well"),
		"immediate": calls().about("calls that change something and whose answer the program needs: they are sent at once, and for good"),
		"approve":   someTexts().about("those of acts that wait until a person has agreed"),
		"label":     someTexts().about("tags of all answers, which are untrusted as well"),
		"admits":    someTexts().about("tags that may leave to the service"),
		"pin":       aText().about("the digest of what the service offers when a person read it: exo services prints both"),
		"answer":    aSize().about("the most that an answer may have"),
		"time":      aSpan().about("the most that a call may take"),
	})
}

func facetSchema() node {
	column := either(node{"type": "null"}, form(map[string]node{
		"as":        aText().about("its name for programs"),
		"type":      either(aText(), node{"type": "array", "items": aText(), "minItems": 1, "maxItems": 1}).about("what SQLite holds in another type, like " + value.TypeTime),
		"doc":       aText().about("a line for the model"),
		"one_of":    someTexts().about("its only values"),
		"label":     someTexts().about("tags of its values"),
		"admits":    someTexts().about("tags that programs may have read that write it: whoever reads the column may learn of them"),
		"readers":   named(someTexts()).about("whose a labelled value is: the kind of principal, and the column that holds the id: { member: id }"),
		"trusted":   aBool().about("true: a program that has read what is untrusted can't write it"),
		"max_bytes": aSize().about("the most that one of its values takes, of a column with a label: 4KiB"),
		"iso":       aBool().about("a time is stored as text, in one form"),
		"stored":    wordOf(grantfile.StoredForms()).about("how SQLite holds its times, days or truth values"),
		"indexed":   aBool().about("an index serves it"),
	}))
	link := either(aText(), form(map[string]node{
		"to":         aText().about("the facet that it leads to"),
		"columns":    someTexts().about("of this table"),
		"references": someTexts().about("of the other table, as many"),
		"one":        aBool().about("it leads to at most one row"),
		"doc":        aText().about("a line for the model"),
	}, "to"))
	measure := map[string]node{
		"ratio": node{"type": "array", "items": aText(), "minItems": 2, "maxItems": 2}.about("two measures of the facet: the first divided by the second"),
		"where": aText().about("of those rows for which it holds: a condition like that of a scope, without claims"),
		"doc":   aText().about("a line for the model"),
	}
	for _, name := range grantfile.Aggregates {
		measure[name] = aText().about("of this column")
	}
	measure[grantfile.CountRows] = node{"const": true}.about("how many rows there are")
	measures := form(measure)
	measures["type"] = "object"
	for _, name := range append(slices.Clone(grantfile.Aggregates), "ratio") {
		one, _ := measures["oneOf"].([]node)
		measures["oneOf"] = append(one, node{"required": []string{name}})
	}
	return form(map[string]node{
		"measures": named(measures).about("aggregates that programs call by name: { revenue: { sum: amount, where: state = 'paid' } }"),
		"table":    aText().about("in the database; otherwise the facet's name"),
		"database": aText().about("where there are several"),
		"columns":  either(node{"type": "array", "items": either(aText(), node{"type": "object", "additionalProperties": column})}, named(column)).about("those that programs see, each named: there is no wildcard"),
		"links":    named(link).about("to other facets: by the foreign key between the tables, or by columns"),
		"scope":    aText().about("the rows that may be reached: a condition like org_id = $principal.org, via FACET.LINK, or shared"),
		"label":    someTexts().about("tags of its rows: a program that asks anything of the table has read them"),
		"admits":   someTexts().about("tags that programs may have read that insert, change or delete rows: whoever reads the rows may learn of them"),
		"insert":   someTexts().about("columns that programs may fill in new rows"),
		"update":   someTexts().about("columns that programs may change"),
		"delete":   either(aBool(), wordOf([]string{grantfile.DeleteTrusted})).about("true: programs may delete rows; trusted: not those that have read what is untrusted, which a column that is trusted says as well"),
		"approve": either(wordOf([]string{"always"}), form(map[string]node{
			"always":  aBool().about("every change waits for a person"),
			"rows":    aNumber().about("changes that bring the rows of a principal and a day above this number"),
			"delete":  aBool().about("what deletes rows"),
			"columns": someTexts().about("what writes one of these columns"),
			"by":      wordOf([]string{string(changeset.Self), string(changeset.Other)}).about("self: also the one for whom the program ran; other: somebody else. Otherwise self at a terminal, other on the page"),
			"least":   wordOf([]string{string(review.Terminal), string(review.Page)}).about("page: only a person whom the page knows decides"),
		})).about("which changes wait until a person has seen what they would do, and has agreed"),
		"undo":    wordOf([]string{"own", "any"}).about("a person may undo runs whose rows are in scope, as they are and as they were: runs of their own, or any"),
		"effects": someTexts().about("what a write may do beyond the rows that it names"),
		"key":     someTexts().about("columns of which no two rows have the same values: of a view, which has no key in the database"),
		"search":  someTexts().about("columns of text that are searched together"),
		"pin":     aText().about("what the database said of the table when somebody looked; exo validate -pin writes it"),
	}, "columns", "scope")
}
