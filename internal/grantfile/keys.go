package grantfile

// This file has the keys of a grant file. Each key has its form, its reader and its text in the schema here; those of services,
// budgets and access are in their packages. A key with Shows also has its part of a line of `exo show`; show.go and declare.go have the others.

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"

	"github.com/exoagent/exoagent/exo/changeset"
	"github.com/exoagent/exoagent/exo/review"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/internal/grantfile/access"
	"github.com/exoagent/exoagent/internal/grantfile/budgets"
	"github.com/exoagent/exoagent/internal/grantfile/services"
	"github.com/exoagent/exoagent/internal/grantfile/strict"
	"github.com/exoagent/exoagent/internal/scalar"
)

// Form makes the schema of a file.
func Form() strict.Node { return fields(new(File).keys, &reader{})() }

func (f *File) keys(r *reader) []strict.Key {
	presets := scalar.Each(Presets(), func(p Preset) string { return p.Name })
	claim := words(ClaimTypes)
	model := strict.Pattern("^(" + strings.Join(ModelProviders, "|") + "):[^*]")
	return []strict.Key{
		key("exo", by(words([]int{Version}), func(e entry) {
			if e.Value.Value != fmt.Sprint(Version) {
				r.At(posOf(e.Value), "exo: want the version of the file's format, and the installed exo reads only version %d: write `exo: %[1]d`", Version)
			}
		}), "the version of the form of this file").Must(fmt.Sprintf("add the line `exo: %d`, which says the version of the file's format", Version)),
		key("reviewed", r.BoolTo(&f.Reviewed), "true once a person has read the file: nothing is served before"),
		key("preset", r.WordTo(&f.Preset, presets...), "a set of limits, and whether facets may let programs change rows"),
		key("databases", by(named(short(new(Database).keys, r)), func(e entry) { f.databases(r, e.Value) }), "where the databases are: env:NAME, file:PATH or sqlite:PATH"),
		key("principal", by(named(either(claim, strict.Exactly(1, claim))), func(e entry) { f.principal(r, e.Value) }), "the claims that a user must have, with their types"),
		key("grants", by(named(short(new(Grant).keys, r)), func(e entry) { f.grants(r, e.Value) }), "the names that a program begins with"),
		key("services", by(services.Form, func(e entry) { f.Services = services.Read(&r.Reader, e.Value) }), "servers beside the databases, with which programs begin as well: MCP servers, HTTP APIs and folders"),
		key("facets", by(named(fields(new(Facet).keys, r)), func(e entry) { f.facets(r, e.Value) }), "what programs see of a table, and the rows that they reach"),
		key("limits", by(fields(f.limitKeys, r), func(e entry) { r.Fields(e, "limits", f.limitKeys(r)) }), "limits of a run; one that is missing is the preset's, or the default"),
		key("budgets", by(budgets.Form, func(e entry) { f.Budgets = budgets.Read(&r.Reader, e) }), "what runs may use together, also after a restart: it is kept in a store"),
		key("access", by(access.Form, func(e entry) { f.Access = access.Read(&r.Reader, e) }), "where it is kept whose access was taken back; without it nobody can be revoked"),
		key("zone", r.TextTo(&f.Zone).Then(func(e entry) {
			if _, err := time.LoadLocation(f.Zone); err != nil || f.Zone == "Local" {
				r.At(posOf(e.Value), "zone: there is no time zone %q; want an IANA name like Europe/Berlin", f.Zone)
			}
		}), "the time zone of today, like Europe/Berlin"),
		key("record", by(either(strict.AText, fields(f.recordKeys, r)), func(e entry) { f.readRecord(r, e) }), "the file that the record of runs is appended to, or its folder or database, and its key"),
		key("labels", by(named(words([]string{SecretTag, UntrustedTag})), func(e entry) { f.labels(r, e.Value) }), "the tags that the file uses, each with its kind: secret, or untrusted, which outsiders write"),
		key("admits", r.NamesTo(&f.Admits), "labels that results may carry"),
		key("distrust", r.WordTo(&f.Distrust, Distrusts...), "how long a model's programs are wary of what outsiders wrote once one has read it: until the user speaks again, for the chat, or not"),
		key("models", by(either(model, strict.ListOf(model)), func(e entry) { f.models(r, e.Value) }), "those that exo ask and exo repl may show results to, the first one with a key first; otherwise any"),
		key("wall", r.WordTo(&f.Wall, "kernel", WallContainer, WallNone).Then(func(entry) {
			if f.Wall == "kernel" {
				f.Wall = WallKernel
			}
		}), "the walls round the processes of programs: kernel; container or none accept less"),
		key("approvals", by(fields(f.Approvals.keys, r), func(e entry) { f.approvals(r, e) }), "where changes wait for a person, and messages until they are delivered"),
		key("serve", by(fields(f.Serve.keys, r), func(e entry) { f.serve(r, e) }), "how clients over HTTP are known"),
	}
}

func (d *Database) keys(r *reader) []strict.Key {
	return []strict.Key{
		key("url", r.URLTo(&d.URL), "where the URL is, never the URL: env:NAME, file:PATH; or sqlite:PATH").Must("add `url: env:NAME`, `url: file:PATH` or `url: sqlite:PATH`").Shows("%s"),
		key("schema", r.TextsTo(&d.Schema), "of PostgreSQL: the schemas in which tables are looked up, in order").Shows("schema %s"),
		key("witness", r.BoolTo(&d.Witness), "each run that changes the database leaves its ID in the table exo_runs, so that the record can be completed after a crash").Shows("runs leave their IDs"),
		key("undo", r.DaysTo(&d.Undo), "for how many days what runs change is kept, like 7d: exo undo can take it back; implies witness").Shows("what runs change is kept for %d days"),
		key("undo_url", r.URLTo(&d.UndoURL), "where the URL is by which exo undo connects, with rights on all columns").Shows("exo undo connects by %s"),
		key("replicas", r.SecretsTo(&d.Replicas), "where the URLs of replicas are, which answer reads of programs that can't change the database: PostgreSQL in recovery, with the same role").Shows("replicas for reads are at %s"),
		key("cursors", r.SecretTo(&d.Cursors), "the key of cursors, 32 random characters or more: each process that has the key takes the cursors of the others").Shows("cursors have the key of %s"),
	}
}

func (g *Grant) keys(r *reader) []strict.Key {
	return []strict.Key{
		key("facet", r.NameTo(&g.Facet), "what programs see of the rows").Must("add `facet: NAME`, with one of `facets`"),
		key("where", r.condition(&g.Where), "narrows the facet's scope for this grant"),
	}
}

func (r *reader) condition(to **Expr) strict.Value {
	return by(strict.AText, func(e entry) {
		if s := r.Text(e.Value, e.Name); s != "" {
			*to = r.expr(e.Value)
		}
	})
}

const noColumns = "list the columns that programs may see"

func (x *Facet) keys(r *reader) []strict.Key {
	column := either(strict.Only("type", "null"), fields(new(Column).keys, r))
	columns := either(strict.ListOf(either(strict.AText, named(column).With(strict.Node{"type": "object"}))), named(column).With(strict.Some))
	measure := fields(new(Measure).keys, r).Needs("oneOf", slices.Concat(Aggregates, []string{"ratio"})...)
	return []strict.Key{
		key("table", r.NameTo(&x.Table), "in the database; otherwise the facet's name"),
		key("database", r.NameTo(&x.Database), "where there are several"),
		key("columns", by(columns, func(e entry) {
			if x.Columns = r.columns(e.Value); isNull(e.Value) || e.Value.Kind != yaml.ScalarNode && len(e.Value.Content) == 0 {
				r.At(posOf(e.Value), "columns: "+noColumns)
			}
		}), "those that programs see, each named: there is no wildcard").Must(noColumns),
		key("links", by(named(short(new(Link).keys, r)), func(e entry) { x.Links = r.links(e.Value) }), "to other facets: by the foreign key between the tables, or by columns"),
		key("measures", by(named(measure), func(e entry) { x.Measures = r.measures(e.Value) }), "aggregates that programs call by name: { revenue: { sum: amount, where: state = 'paid' } }"),
		key("scope", by(strict.AText, func(e entry) { x.Scope = r.scope(e.Value) }), "the rows that may be reached: a condition like org_id = $principal.org, via FACET.LINK, or shared").Must("say which rows programs may reach, like `org_id = $principal.org`, `via project.tasks`, or `shared` for every row"),
		key("insert", r.NamesTo(&x.Insert), "columns that programs may fill in new rows"),
		key("update", r.NamesTo(&x.Update), "columns that programs may change"),
		key("delete", by(either(strict.ABool, words([]string{DeleteTrusted})), func(e entry) {
			at := posOf(e.Value)
			if x.Wary = e.Value.Kind == yaml.ScalarNode && e.Value.Tag == "!!str" && e.Value.Value == DeleteTrusted; x.Wary || r.BoolOr(e.Value, "delete", DeleteTrusted) {
				x.Delete = &at
			}
		}), "true: programs may delete rows; trusted: not those that have read what is untrusted, which a column that is trusted says as well"),
		key("undo", by(words([]string{"own", "any"}), func(e entry) {
			if x.Undo = r.Name(e.Value, "undo"); x.Undo.Text != "own" && x.Undo.Text != "any" {
				r.At(x.Undo.Pos, "undo: want own, for a person's own runs, or any; got %q", x.Undo.Text)
			}
		}), "a person may undo runs whose rows are in scope, as they are and as they were: runs of their own, or any"),
		key("approve", by(either(words([]string{"always"}), fields(new(Approve).keys, r)), func(e entry) { x.Approve = r.approve(e) }), "which changes wait until a person has seen what they would do, and has agreed"),
		key("effects", r.NamesTo(&x.Effects), "what a write may do beyond the rows that it names"),
		key("label", r.NamesTo(&x.Label), "tags of its rows: a program that asks anything of the table has read them"),
		key("admits", r.NamesTo(&x.Admits), "tags that programs may have read that insert, change or delete rows: whoever reads the rows may learn of them"),
		key("key", r.NamesTo(&x.Key), "columns of which no two rows have the same values: of a view, which has no key in the database"),
		key("search", r.NamesTo(&x.Search), "columns of text that are searched together"),
		key("pin", r.NameTo(&x.Pin), "what the database said of the table when somebody looked; exo validate -pin writes it"),
	}
}

func (c *Column) keys(r *reader) []strict.Key {
	return []strict.Key{
		key("as", r.NameTo(&c.As), "its name for programs").Shows("as %s"),
		key("type", by(either(strict.AText, strict.Exactly(1, strict.AText)), func(e entry) { c.Type, c.Elem = r.columnType(e.Value) }).Is(func() any {
			return strings.TrimSpace(c.Type.Text + " " + c.Elem)
		}), "what SQLite holds in another type, like "+value.TypeTime).Shows("%s"),
		key("one_of", r.NamesTo(&c.OneOf), "its only values").Shows("one of %s"),
		key("label", r.NamesTo(&c.Label), "tags of its values").Shows("labelled %s"),
		key("readers", by(named(strict.SomeTexts), func(e entry) { c.Readers = r.readers(e.Value) }).Is(func() any {
			if c.Readers.Kind.Text == "" {
				return ""
			}
			return c.Readers.Kind.Text + " whose id is in " + strict.Listed(texts(c.Readers.Columns))
		}), "whose a labelled value is: the kind of principal, and the column that holds the id: { member: id }").Shows("read by the %s"),
		key("admits", r.NamesTo(&c.Admits), "tags that programs may have read that write it: whoever reads the column may learn of them").Shows("takes what was read of %s"),
		key("trusted", r.BoolTo(&c.Trusted), "true: a program that has read what is untrusted can't write it").Shows("written by trusted programs only"),
		key("max_bytes", r.SizeTo(&c.MaxBytes), "the most that one of its values takes, of a column with a label: 4KiB").Shows("of %d bytes at most"),
		key("iso", r.BoolTo(&c.ISO), "a time is stored as text, in one form").Shows("stored in one form"),
		key("stored", r.WordTo(&c.Stored, StoredForms()...), "how SQLite holds its times, days or truth values").Shows("stored as %s"),
		key("indexed", r.BoolTo(&c.Indexed), "an index serves it").Shows("indexed"),
		key("doc", r.TextTo(&c.Doc), "a line for the model").Shows("described as %q"),
	}
}

func (l *Link) keys(r *reader) []strict.Key {
	return []strict.Key{
		key("to", r.NameTo(&l.To), "the facet that it leads to").Must("add `to: FACET`, with the facet that the link leads to"),
		key("columns", r.NamesTo(&l.Columns), "of this table"),
		key("references", r.NamesTo(&l.References), "of the other table, as many"),
		key("one", by(strict.ABool, func(e entry) { one := r.Bool(e.Value, "one"); l.One = &one }), "it leads to at most one row"),
		key("doc", r.TextTo(&l.Doc), "a line for the model"),
	}
}

func (f *File) recordKeys(r *reader) []strict.Key {
	return []strict.Key{
		key("folder", r.TextTo(&f.Record), "a folder that `exo record init` made"),
		key("database", r.SecretTo(&f.RecordDB), "where the URL of a PostgreSQL database is, in which `exo record init` made a record: env:NAME or file:PATH"),
		key("key", r.SecretTo(&f.RecordKey), "where the signing key is: env:NAME or file:PATH").Must("say where the signing key is, like `key: file:record.key`; `exo record init` makes it").Shows("%s"),
		key("keep", r.DaysTo(&f.Keep), "for how many days what runs wrote can be read, like 90d: then exo serve erases it").Shows("%dd"),
		key("replies", r.BoolTo(&f.Replies), "keep what programs read, encrypted, so that exo replay can run them again").Shows("kept"),
		key("witness", by(words([]string{"required"}), func(e entry) {
			if f.Witnessed = r.Text(e.Value, "witness") == "required"; !f.Witnessed {
				r.At(posOf(e.Value), "witness: write `witness: required`, so that commits wait for the record's witness, or leave the line out")
			}
		}).Is(func() any { return f.Witnessed }), "what can't be undone waits until the record's witness has it").Shows("required"),
	}
}

func (m *Measure) keys(r *reader) []strict.Key {
	keys := []strict.Key{
		key("ratio", by(strict.Exactly(2, strict.AText), func(e entry) {
			if m.Ratio = r.Names(e.Value, "ratio"); len(m.Ratio) != 2 {
				r.At(posOf(e.Value), "ratio: want two measures, like [won, closed]: the first is divided by the second")
				m.Ratio = make([]Name, 2)
			}
		}), "two measures of the facet: the first divided by the second"),
		key("where", r.condition(&m.Where), "of those rows for which it holds: a condition like that of a scope, without claims"),
		key("doc", r.TextTo(&m.Doc), "a line for the model"),
		key(CountRows, by(strict.Only("const", true), func(e entry) {
			if m.Func = CountRows; e.Value.Tag != "!!bool" || e.Value.Value != "true" {
				r.At(posOf(e.Value), "count: write `count: true`; `where` says which rows are counted")
			}
		}), "how many rows there are"),
	}
	for _, name := range Aggregates[1:] {
		keys = append(keys, key(name, r.NameTo(&m.Column).Then(func(entry) { m.Func = name }), "of this column"))
	}
	return keys
}

func (a *Approve) keys(r *reader) []strict.Key {
	least := ""
	return []strict.Key{
		key("always", r.BoolTo(&a.Always), "every change waits for a person").Shows("to every change"),
		key("rows", r.CountTo(&a.Rows), "changes that bring the rows of a principal and a day above this number").Shows("to changes of more than %d rows of a principal in a day"),
		key("delete", r.BoolTo(&a.Delete), "what deletes rows").Shows("to deletes"),
		key("columns", r.NamesTo(&a.Columns), "what writes one of these columns").Shows("to changes of %s"),
		key("by", r.WordTo((*string)(&a.Who.By), string(changeset.Self), string(changeset.Other)), "self: also the one for whom the program ran; other: somebody else. Otherwise self at a terminal, other on the page"),
		key("least", r.WordTo(&least, string(review.Terminal), string(review.Page)).Then(func(entry) {
			if least == string(review.Page) {
				a.Who.Least = changeset.Page
			}
		}), "page: only a person whom the page knows decides"),
	}
}

func (a *Approvals) keys(r *reader) []strict.Key {
	return []strict.Key{
		key("key", r.SecretTo(&a.Key), "where the key is that encrypts what waits, at least 32 random characters: env:NAME or file:PATH; exo approvals init makes it").Must("say where the key is that encrypts the waiting changes, like `key: file:approvals.key`; `exo approvals init` makes it"),
		key("store", r.StoreTo(&a.Store), "where change sets wait: a folder, or where the URL of a PostgreSQL database is, env:NAME or file:PATH").Must("say where changes wait: `store: approvals` for a folder, or `store: env:NAME` with the URL of a PostgreSQL database"),
		key("wait", r.TimeTo(&a.Wait), "how long a change set waits for a person; otherwise 24h"),
		key("link", r.NameTo(&a.Link), "the address of the page as people know it, like https://shop.example.com/changes"),
		key("shows", r.NamesTo(&a.Shows), "labels that whoever decides may see, besides those that results may carry"),
		key("notify", r.NamesTo(&a.Notify), "services that are told of each change that waits: a chat, a webhook, or MAIL.NAME"),
		key("proxy", by(fields(a.Proxy.keys, r), func(e entry) { r.Fields(e, "approvals.proxy", a.Proxy.keys(r)) }), "how a proxy in front of the page says who reads it"),
	}
}

func (p *Proxy) keys(r *reader) []strict.Key {
	return []strict.Key{
		key("header", r.NameTo(&p.Header), "the header with the assertion that the proxy adds").Must("name the header in which the proxy sends a signed token (a JWT)"),
		key("issuer", r.NameTo(&p.Issuer), "one of serve: issuers, which signs it").Must("write the issuer that the token of the proxy has as `iss`"),
		key("audience", r.NameTo(&p.Audience), "its aud: an address that no client's token has").Must("write the address that the token of the proxy has as `aud`"),
	}
}

func (s *Serve) keys(r *reader) []strict.Key {
	return []strict.Key{
		key("resource", r.NameTo(&s.Resource), "the address of the server as clients know it, and the audience of tokens"),
		key("issuers", by(named(fields(new(Issuer).keys, r)), func(e entry) { s.Issuers = r.issuers(e.Value) }), "authorization servers whose tokens are taken, by their iss"),
		key("tokens", by(named(fields(new(Token).keys, r)), func(e entry) { s.Tokens = r.tokens(e.Value) }), "random texts that stand for a principal"),
		key("origins", r.NamesTo(&s.Origins), "of web pages that may send requests"),
	}
}

func (i *Issuer) keys(r *reader) []strict.Key {
	return []strict.Key{
		key("keys", by(strict.Pattern("^(https|file):."), func(e entry) { i.Keys = r.Name(e.Value, "keys") }), "where its public keys are, a JWK set: https://HOST/PATH or file:PATH").Must("say where its public keys (a JWK set) are, as `keys: https://HOST/PATH` or `keys: file:PATH`"),
		key("scopes", r.NamesTo(&i.Scopes), "those that a token must have"),
		key("claims", by(named(strict.AText), func(e entry) {
			for _, c := range r.Entries(e.Value, "claims") {
				i.Claims = append(i.Claims, ClaimFrom{c.Named(), r.Text(c.Value, "claims."+c.Name)})
			}
		}), "the names of claims in its tokens, where they differ from those of the principal"),
	}
}

func (t *Token) keys(r *reader) []strict.Key {
	return []strict.Key{
		key("token", r.SecretTo(&t.Secret), "where the text is: env:NAME or file:PATH").Must("say where its text is, as `token: env:NAME` or `token: file:PATH`"),
		key("claims", by(named(either(strict.Only("type", []string{"integer", "string", "boolean"}), strict.Only("type", "array"))), func(e entry) {
			for _, c := range r.Entries(e.Value, "claims") {
				t.claims = append(t.claims, tokenClaim{c.Named(), valueOf(c.Value)})
			}
		}), "of the principal that it stands for"),
	}
}

func (f *File) limitKeys(r *reader) []strict.Key {
	l, b := &f.Limits, &f.Bounds
	return []strict.Key{
		key("calls", r.CountTo(&l.Calls), "messages of one run").Shows("%d"),
		key("messages", r.SizeTo(&l.MessageBytes), "bytes of all messages of one run: of what programs pass on").Shows("%d bytes"),
		key("rows", r.CountTo(&l.Rows), "rows that one run reads").Shows("%d"),
		key("read", r.SizeTo(&l.Bytes), "bytes that one run reads").Shows("%d bytes"),
		key("console", r.SizeTo(&l.ConsoleBytes), "bytes that one run prints").Shows("%d bytes"),
		key("time", r.TimeTo(&b.Wall), "of a program, without its calls: 5s, 500ms").Shows("%s"),
		key("total", r.TimeTo(&b.Total), "of a run, with its calls").Shows("%s"),
		key("cpu", r.TimeTo(&b.CPU), "of the program's process").Shows("%s"),
		key("memory", r.SizeTo(&b.Memory), "of the program's process: 64MiB").Shows("%d bytes"),
		key("program", r.SizeTo(&b.SourceBytes), "of a program's text").Shows("%d bytes"),
		key("result", r.SizeTo(&b.ResultBytes), "of a result").Shows("%d bytes"),
	}
}
