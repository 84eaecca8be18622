package load_test

// This file has the programs of the load test, and what may become of each.

import (
	"fmt"
	"slices"
	"strings"

	"github.com/exoagent/exoagent/exo/fail"
)

// program is one kind of program. %d in its text is the number of its run.
type program struct {
	name, text string
	ends       fail.Kind // how it ends if nothing disturbs it; Other: well
	hostile    bool      // it would end or hold up the host's own process
	changes    bool      // it changes the database, if it ends well
	posts      bool      // it posts to the chat, if it ends well
}

const change = `await entries.insert({ n: %d }); await accounts.orderBy(a => a.id).limit(1).update(a => ({ balance: a.balance + 1 })); `

var programs = []program{
	{name: "reads", text: "return accounts.where(a => a.balance > 0).orderBy(a => a.id).limit(3)"},
	{name: "changes", text: change + "return %d", changes: true},
	{name: "aggregates", text: "return [await accounts.sum(a => a.balance), await accounts.count(), await entries.count()]"},
	{name: "changes, then throws", text: change + "throw new Error('run %d')", ends: fail.Program},
	{name: "posts", text: change + "await team.post({ text: 'This is run %d.' }); return 1", changes: true, posts: true},
	{name: "asks for a hidden column", text: "return accounts.where(a => a.owner === 7)", ends: fail.Denied},
	{name: "loops", text: change + "for (;;) {}", ends: fail.Limit, hostile: true},
	{name: "returns sealed values", text: "const a = await accounts.orderBy(a => a.id).first(); return { pin: a.pin, id: a.id }"},
	{name: "allocates", text: "const a = []; for (;;) a.push('x'.repeat(1e6) + a.length)", ends: fail.Limit, hostile: true},
	{name: "calculates with sealed values", text: change + "const a = await accounts.orderBy(a => a.id).first(); return a.pin + 1", ends: fail.Denied},
	{name: "computes", text: "let s = 0; for (const r of await accounts.all()) s += r.balance; console.log(s); return [1, 2, 3].map(x => x * s)"},
	{name: "crashes the engine", text: change + "return 'a'.repeat(2 ** 36)", ends: fail.Crashed, hostile: true},
	{name: "posts, then fails", text: "await team.post({ text: 'This is run %d.' }); return null.x", ends: fail.Program},
	{name: "is no program", text: "return ((", ends: fail.Syntax},
	{name: "changes rows of nobody", text: "return accounts.where({ id: -1 }).update({ balance: 0 })"},
}

// of returns the text of a program for one run.
func (p *program) of(n int64) string { return strings.ReplaceAll(p.text, "%d", fmt.Sprint(n)) }

// The programs that a principal in this process may send.
var honest = slices.DeleteFunc(slices.Clone(programs), func(p program) bool { return p.hostile })
