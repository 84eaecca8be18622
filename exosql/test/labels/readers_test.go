package labels_test

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/service"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/exoeval/worker"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/exosql/dynamic"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

type rdPerson struct {
	ID, Boss    int64
	Name, Email string
}

type rdLetter struct {
	ID, From int64
	To       *int64
	Body     string
}

// readersWorld are people whose email is their own, and letters that their sender and their recipient may read. mail.send goes to one
// person, mail.sendAll to several, and each takes what all its recipients may read. what was sent is in sent. With owned false
// nobody is a reader: the twin, whose mail admits what is pii for everybody.
func readersWorld(t *testing.T, e tu.Engine, owned bool) *sealedWorld {
	t.Helper()
	db := e.Open(t, `CREATE TABLE people (id {int} PRIMARY KEY, boss {int} NOT NULL, name TEXT NOT NULL, email TEXT NOT NULL);
		CREATE TABLE letters (id {int} PRIMARY KEY, sent_by {int} NOT NULL, sent_to {int}, body TEXT NOT NULL);
		INSERT INTO people VALUES (1, 2, 'ann', 'ann@a.example'), (2, 1, 'bob', 'bob@b.example'), (3, 1, 'cy', 'cy@c.example');
		INSERT INTO letters VALUES (1, 1, 2, 'from ann to bob'), (2, 2, 3, 'from bob to cy'), (3, 1, NULL, 'a draft of ann')`)
	people, letters := exosql.NewTable[rdPerson]("people"), exosql.NewTable[rdLetter]("letters")
	id := exosql.NewKey(people, "id", func(p *rdPerson) *int64 { return &p.ID })
	boss := exosql.NewColumn(people, "boss", func(p *rdPerson) *int64 { return &p.Boss })
	name := exosql.NewColumn(people, "name", func(p *rdPerson) *string { return &p.Name })
	email := exosql.NewColumn(people, "email", func(p *rdPerson) *string { return &p.Email }).WithLabel("pii")
	lid := exosql.NewKey(letters, "id", func(l *rdLetter) *int64 { return &l.ID })
	from := exosql.NewColumn(letters, "sent_by", func(l *rdLetter) *int64 { return &l.From })
	to := exosql.NewNullable(letters, "sent_to", func(l *rdLetter) **int64 { return &l.To })
	body := exosql.NewColumn(letters, "body", func(l *rdLetter) *string { return &l.Body }).WithLabel("pii")
	if owned {
		email.ReadBy("person", id)
		body.ReadBy("person", from, to)
	}
	pf := exosql.NewFacet(people, "person", id, boss, name, email).AllowUpdate(name, email)
	lf := exosql.NewFacet(letters, "letter", lid, from, to, body).AllowUpdate(body).AllowInsert(lid, from, to, body)
	bf := exosql.NewFacet(people, "boss", id, email)
	pf.Add(exosql.Via(exosql.One("manager", boss, id), bf), exosql.Via(exosql.Many("wrote", id, from), lf))
	lf.Add(exosql.Via(exosql.One("sender", from, id), pf), exosql.Via(exosql.One("recipient", to, id), pf))
	w := &sealedWorld{}
	type letter struct {
		To   []int64 `json:"to"`
		Text string  `json:"text"`
	}
	send := func(_ context.Context, l letter) (service.None, error) {
		w.sent = append(w.sent, fmt.Sprintf("to %v: %s", l.To, l.Text))
		return service.None{}, nil
	}
	mail, err := service.New("mail", "mails", service.AdmitsFor(service.Method("send", "sends a text", send).Admits(value.NewLabel("pii")), func(l struct {
		To []int64 `json:"to"`
	}) value.Label {
		if !owned {
			return value.NewLabel("pii")
		}
		var ids []string
		for _, id := range l.To {
			ids = append(ids, strconv.FormatInt(id, 10))
		}
		tag, err := value.ReaderTag("pii", "person", ids...)
		if err != nil {
			return value.Label{}
		}
		return value.NewLabel(tag)
	}))
	if err != nil {
		t.Fatal(err)
	}
	w.grants = map[string]exo.Object{"people": pf.Of(exosql.Grant(db, people, exosql.AllRows[rdPerson](), exosql.ScopeShared(letters))), "letters": lf.Of(exosql.Grant(db, letters, exosql.AllRows[rdLetter](), exosql.ScopeShared(people))), "mail": mail, "reveal": exo.Reveal(), "text": exo.Compose()}
	return w
}

// ownWays are ways to hold a value that person 2 alone may read.
var ownWays = []string{
	"(await people)[1].email",
	"(await people.where(p => p.id === 2).first()).email",
	"(await people.where(p => p.id === 2).select(p => p.email))[0]",
	"(await people.where(p => p.id === 2).select(p => p.email).first())",
	"(await people.where(p => p.id === 2).select(p => ({ x: { y: p.email }, z: p.name })).first()).x.y",
	"(await people.where(p => p.id === 2).select(p => ({ b: p.boss, p })).first()).p.email",
	"(await people.where(p => p.id === 1).select(p => ({ e: p.manager().email })).first()).e",
	"(await people.where(p => p.id === 1).manager())[0].email",
	"(await people.where(p => p.id === 1).join(({ person }) => person.manager()).select(({ person, boss }) => ({ a: person.email, e: boss.email })))[0].e",
	"(await people.orderBy(p => p.id).page(2)).rows[1].email",
	"(await people.orderBy(p => p.id).select(p => p.email).page(2)).rows[1]",
	"(await people.orderBy(p => p.id).page(1, (await people.orderBy(p => p.id).page(1)).next)).rows[0].email",
	"(await people.orderBy(p => p.id).limit(2).where(p => p.id > 1).first()).email",
	"(await people.orderBy(p => p.id).offset(1).limit(1))[0].email",
	"(await letters.where(l => l.id === 1).recipient())[0].email",
	"(await letters.where(l => l.id === 2).select(l => ({ e: l.sender().email })).first()).e",
	"(await letters.where(l => l.id === 2).leftJoin(({ letter }) => letter.sender()).select(({ letter, person }) => ({ b: letter.body, e: person.email })).first()).e",
	"structuredClone({ x: (await people)[1].email }).x",
	"new Map([['e', (await people)[1].email]]).get('e')",
	"await text`mail ${(await people)[1].email} now`",
	"await text(['x', await text`${(await people)[1].email}`, (await people)[1].email])",
	"(await people.where(p => p.id === 2).update({ name: 'rob' }), await people.where(p => p.id === 2).first()).email",
}

// TestReadersOfRows: a value goes to whom it belongs and to nobody else, by whatever way a program holds it.
func TestReadersOfRows(t *testing.T) {
	tu.NotRaced(t)
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		w, twin := readersWorld(t, e, true), readersWorld(t, e, false)
		for _, way := range ownWays {
			for to, ok := range map[string]bool{"[2]": true, "[1]": false, "[3]": false, "[1, 2]": false, "[]": false, "[2, 2]": true} {
				program := "const v = " + way + "; await mail.send({ to: " + to + ", text: v }); return 1"
				got, kind := w.run(t, exoeval.InProcess{}, exo.Limits{}, value.Label{}, program)
				if sent := len(w.sent) > 0; sent != ok || sent && !strings.Contains(w.sent[0], "bob@b.example") || !ok && kind != fail.Denied {
					t.Errorf("%s\nto %s: %s", program, to, got)
				}
				if to == "[1]" {
					if _, kind := twin.run(t, exoeval.InProcess{}, exo.Limits{}, value.Label{}, program); kind != 0 || len(twin.sent) != 1 || !strings.Contains(twin.sent[0], "bob@b.example") {
						t.Errorf("the twin sends nothing: %s %v", program, kind)
					}
				}
			}
		}
	})
}

// TestReaders: what becomes of values of several readers, of those of nobody, and of what a program has read.
func TestReaders(t *testing.T) {
	tu.NotRaced(t)
	bobs := value.NewLabel("pii@person:2")
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		w := readersWorld(t, e, true)
		for _, c := range []struct {
			name, program string
			admits        value.Label
			want          string
		}{
			{"a letter to its sender", "const l = await letters.where(l => l.id === 1).first(); await mail.send({ to: [1], text: l.body }); return 1", value.Label{}, "1 {} | to [1]: from ann to bob"},
			{"and to its recipient", "const l = await letters.where(l => l.id === 1).first(); await mail.send({ to: [2], text: l.body }); return 1", value.Label{}, "1 {} | to [2]: from ann to bob"},
			{"to both", "const l = await letters.where(l => l.id === 1).first(); await mail.send({ to: [2, 1], text: l.body }); return 1", value.Label{}, "1 {} | to [2 1]: from ann to bob"},
			{"to a third", "const l = await letters.where(l => l.id === 1).first(); return mail.send({ to: [1, 2, 3], text: l.body }).catch(e => e.message)", value.Label{}, `"mail.send: a sealed value in this call may not leave this way: it is labelled pii@person:1|2" {}`},
			{"with an id that is NULL it is nobody's", "const l = await letters.where(l => l.id === 3).first(); return mail.send({ to: [1], text: l.body }).catch(e => e.message)", value.Label{}, `"mail.send: a sealed value in this call may not leave this way: it is labelled pii@person" {}`},
			{"of two letters, who may read both", "const [a, b] = await letters.orderBy(l => l.id); await mail.send({ to: [2], text: await text`${a.body}, ${b.body}` }); return 1", value.Label{}, "1 {} | to [2]: from ann to bob, from bob to cy"},
			{"and nobody else", "const [a, b] = await letters.orderBy(l => l.id); return mail.send({ to: [1], text: await text`${a.body}, ${b.body}` }).catch(e => e.message)", value.Label{}, `"mail.send: a sealed value in this call may not leave this way: it is labelled pii@person:2" {}`},
			{"of a link to no row", "const x = await letters.where(l => l.id === 3).select(l => ({ e: l.recipient().email })).first(); return mail.send({ to: [2], text: x.e }).catch(e => e.message)", value.Label{}, `"mail.send: a sealed value in this call may not leave this way: it is labelled pii@person" {}`},
			{"as text", "return '' + JSON.stringify((await people.orderBy(p => p.id).first()).email)", value.Label{}, `"\"[sealed pii]\"" {}`},
			{"looked at", "return (await people.orderBy(p => p.id).first()).email === 'x'", value.Label{}, "denied"},
			{"one's own is shown", "people.orderBy(p => p.id).select(p => ({ e: p.email }))", bobs, `[{"e":"[sealed pii]"},{"e":"bob@b.example"},{"e":"[sealed pii]"}] {pii@person:2}`},
			{"and may be revealed", "return (await reveal((await people.where(p => p.id === 2).first()).email)).length", bobs, `13 {pii@person:2}`},
			{"a foreign one may not", "return (await reveal((await people.where(p => p.id === 1).first()).email)).length", bobs, "denied"},
			{"nor both together", "return (await reveal(await people.select(p => p.email))).length", bobs, "denied"},
			{"nor what a condition tells of all", "people.where(p => p.email === 'x').count()", bobs, "denied"},
			{"what was revealed goes to whom it belongs", "const e = await reveal((await people.where(p => p.id === 2).first()).email); await mail.send({ to: [2], text: e.toUpperCase() }); return 1", bobs, "1 {pii@person:2} | to [2]: BOB@B.EXAMPLE"},
			{"and nothing else to anybody else", "await reveal((await people.where(p => p.id === 2).first()).email); return mail.send({ to: [1], text: 'hello' }).catch(e => e.message)", bobs, `"mail.send: this program has read values that may not leave this way: they are labelled pii@person:2" {pii@person:2}`},
			{"rows within rows are nobody's", "people.where(p => p.id === 2).select(p => ({ n: p.name, w: p.wrote().select(l => l.body) }))", bobs, "denied"},
			{"nor is a maximum", "people.where(p => p.id === 2).max(p => p.email)", bobs, "denied"},
			{"nor what is distinct", "people.where(p => p.id === 2).select(p => ({ e: p.email })).distinct()", bobs, "denied"},
			{"nor what is calculated", "people.where(p => p.id === 2).select(p => ({ e: p.email.slice(1) }))", bobs, "denied"},
			{"what a selection makes of one is nobody's", "people.where(p => p.id === 2).select(p => ({ e: p.email.concat('x'), u: p.email.upper() }))", bobs, `[{"e":"[sealed pii]","u":"[sealed pii]"}] {}`},
			{"sealed values are not written where each row has its own readers", "const l = await letters.where(l => l.id === 1).first(); return letters.where(l => l.id === 2).update({ body: l.body }).catch(e => e.message)", value.NewLabel("pii"), `"letters.where(…).update: this program has read values that may not leave this way: they are labelled pii@person:1|2" {pii@person:1|2}`},
			{"nor inserted there", "const l = await letters.where(l => l.id === 1).first(); return letters.insert({ id: 9, sentBy: 3, sentTo: 3, body: l.body }).catch(e => e.message)", value.NewLabel("pii"), `"letters.insert: this program has read values that may not leave this way: they are labelled pii@person:1|2" {pii@person:1|2}`},
			{"what is public is", "await people.where(p => p.id === 3).update({ email: 'new@c.example' }); const p = await people.where(p => p.id === 3).first(); await mail.send({ to: [3], text: p.email }); return 1", value.Label{}, "1 {} | to [3]: new@c.example"},
		} {
			for _, how := range []exoeval.Evaluator{exoeval.InProcess{}, worker.Shared()} {
				got, kind := w.run(t, how, exo.Limits{}, c.admits, c.program)
				if kind != 0 {
					got = kind.String()
				}
				if got != c.want {
					t.Errorf("%s: %s\ngot  %s\nwant %s", c.name, c.program, got, c.want)
				}
			}
		}
	})
}

// TestTwoReaders: a result that goes to two readers, each of whom may read some values, shows what both may read, and the other values sealed.
// Nothing else leaves such a run, so that what the result admits is shown as it is: no query is refused for that.
func TestTwoReaders(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		db := e.Open(t, `CREATE TABLE letters (id {int} PRIMARY KEY, sent_by {int} NOT NULL, sent_to {int}, body TEXT NOT NULL);
			INSERT INTO letters VALUES (1, 1, 2, 'from ann to bob'), (2, 2, 3, 'from bob to cy'), (3, 1, NULL, 'a draft of ann')`)
		letters := exosql.NewTable[rdLetter]("letters")
		id := exosql.NewKey(letters, "id", func(l *rdLetter) *int64 { return &l.ID })
		from, to := exosql.NewColumn(letters, "sent_by", func(l *rdLetter) *int64 { return &l.From }), exosql.NewNullable(letters, "sent_to", func(l *rdLetter) **int64 { return &l.To })
		body := exosql.NewColumn(letters, "body", func(l *rdLetter) *string { return &l.Body }).WithLabel("pii").ReadBy("person", from, to)
		grant := exosql.NewFacet(letters, "letter", id, from, to, body).Of(exosql.Grant(db, letters, exosql.AllRows[rdLetter]()))
		const all, look, order = "return letters.orderBy(l => l.id).select(l => l.body)", "return reveal((await letters.where({ id: 1 }).first()).body)", "return letters.orderBy(l => l.body).select(l => l.id)"
		for _, c := range []struct{ admits, program, want string }{
			{"pii@person:1 pii@person:2", all, `["from ann to bob","[sealed pii]","[sealed pii]"]`},
			{"pii@person:1|2", all, `["from ann to bob","[sealed pii]","[sealed pii]"]`},
			{"pii@person:1 pii@person:2", look, `"from ann to bob"`},
			{"pii@person:1 pii@person:2", "return (await reveal((await letters.where({ id: 2 }).first()).body)).length", "denied"},
			{"pii@person:1 pii@person:2", order, "denied"},
			{"pii@person:2", all, `["from ann to bob","from bob to cy","[sealed pii]"]`},
			{"pii@person:1 pii@person:3", all, `["[sealed pii]","[sealed pii]","[sealed pii]"]`},
			{"pii@person", all, `["from ann to bob","from bob to cy","a draft of ann"]`},
			{"pii@person", order, "[3,1,2]"},
		} {
			tool, err := codemode.New(codemode.Grants{"letters": grant}, &codemode.Options{Admits: value.NewLabel(strings.Fields(c.admits)...), Evaluator: exoeval.InProcess{}})
			if err != nil {
				t.Fatal(err)
			}
			r := tool.Run(t.Context(), c.program)
			got := string(r.JSON)
			if r.Err != nil {
				got = fail.KindOf(r.Err).String()
			}
			if got != c.want {
				t.Errorf("%s, %s: %s %v, want %s", c.admits, c.program, got, r.Err, c.want)
			}
		}
	})
}

// TestReadersByState: a column of the row decides where its value may go, be it no person's id: of what is published the chat takes all.
func TestReadersByState(t *testing.T) {
	tu.NotRaced(t)
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		db := e.Open(t, "CREATE TABLE notes (id {int} PRIMARY KEY, state TEXT NOT NULL, text TEXT NOT NULL); INSERT INTO notes VALUES (1, 'public', 'hello'), (2, 'draft', 'a secret')")
		live, err := db.Catalog(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		table, err := dynamic.New(live).Table("notes", dynamic.ColumnSpec{Name: "text", Label: []string{"note"}, Readers: dynamic.Readers{Kind: "state", Columns: []string{"state"}}})
		if err != nil {
			t.Fatal(err)
		}
		f, err := table.Facet("note", "id", "state", "text")
		if err != nil {
			t.Fatal(err)
		}
		notes, err := f.Grant(db, dynamic.AllRows())
		if err != nil {
			t.Fatal(err)
		}
		w := &sealedWorld{}
		type post struct {
			Text string `json:"text"`
		}
		chat, err := service.New("chat", "", service.Method("post", "", func(_ context.Context, p post) (service.None, error) {
			w.sent = append(w.sent, p.Text)
			return service.None{}, nil
		}).Admits(value.NewLabel("note@state:public")))
		if err != nil {
			t.Fatal(err)
		}
		w.grants = map[string]exo.Object{"notes": notes, "chat": chat}
		for program, want := range map[string]string{
			"await chat.post({ text: (await notes.where({ id: 1 }).first()).text }); return 1":                     "1 {} | hello",
			"return chat.post({ text: (await notes.where({ id: 2 }).first()).text }).catch(e => e.message)":        `"chat.post: a sealed value in this call may not leave this way: it is labelled note@state:draft" {}`,
			"return chat.post({ text: (await notes.orderBy(n => n.text).first()).id + '' }).catch(e => e.message)": "denied",
			"return notes.orderBy(n => n.id)": `[{"id":1,"state":"public","text":"hello"},{"id":2,"state":"draft","text":"[sealed note]"}] {note@state:public}`,
		} {
			admits := value.Label{}
			if strings.HasPrefix(program, "return notes") {
				admits = value.NewLabel("note@state:public")
			}
			got, kind := w.run(t, exoeval.InProcess{}, exo.Limits{}, admits, program)
			if kind != 0 {
				got = kind.String()
			}
			if got != want {
				t.Errorf("%s\ngot  %s\nwant %s", program, got, want)
			}
		}
	})
}
