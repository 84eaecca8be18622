package codemode_test

import (
	"testing"

	"github.com/exoagent/exoagent/codemode"
)

func TestTry(t *testing.T) {
	tool := newTool(t, manyTables(t, 500), &codemode.Options{InProcess: true})
	t.Log(tool.Size().Description, tool.Size().Declarations, len(tool.Size().Interfaces), tool.Size().Interfaces[:3])
	t.Log(tool.Description())
	for _, p := range []string{
		"(api) => search('unpaid invoices of billing')",
		"describe('BillingInvoice')",
		"return await describe('Text')",
		"(api) => describe('billingInvoice')",
		"(api) => describe('BillingInvoces')",
		"(api) => api.search('amount')",
		"(api) => search()",
		"(api) => search(1)",
		"(api) => search('x','y')",
		"(api) => search",
		"(api) => api.company.where(c => search(c.name))",
		"(api) => api.company.billingInvoices().select(b => ({ n: b.name, a: b.amount }))",
	} {
		o := call(t, tool, p)
		t.Logf("%s\n%v %+v", p, o.Result, o.Error)
	}
}

func BenchmarkMany(b *testing.B) {
	for _, n := range []int{5, 50, 500} {
		g := manyTables(b, n)
		b.Run("new", func(b *testing.B) {
			for b.Loop() {
				newTool(b, g, nil)
			}
		})
		for _, in := range []bool{true, false} {
			tool := newTool(b, g, &codemode.Options{InProcess: in})
			name := map[bool]string{true: "in process", false: "worker"}[in]
			b.Run(name, func(b *testing.B) {
				for b.Loop() {
					call(b, tool, "return 1")
				}
			})
		}
	}
}
