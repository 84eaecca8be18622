package demo

import (
	"context"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/service"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql"
)

// This file has the whole host's code for exoagent's lane: the tables, the labels of columns, and the grants of store 1's user.

type (
	customer struct {
		ID, Store   int64
		Name, Email string
	}
	supportTicket struct {
		ID, Store, Customer int64
		Body                string
	}
	order struct {
		ID, Store, Customer int64
		State               string
	}
	mail struct {
		To   string `json:"to"`
		Text string `json:"text"`
	}
)

var (
	customers     = exosql.NewTable[customer]("customers")
	customerID    = exosql.NewKey(customers, "id", func(c *customer) *int64 { return &c.ID })
	customerStore = exosql.NewColumn(customers, "store_id", func(c *customer) *int64 { return &c.Store })
	customerName  = exosql.NewColumn(customers, "name", func(c *customer) *string { return &c.Name })
	customerEmail = exosql.NewColumn(customers, "email", func(c *customer) *string { return &c.Email }).WithLabel("pii")

	tickets        = exosql.NewTable[supportTicket]("tickets")
	ticketID       = exosql.NewKey(tickets, "id", func(t *supportTicket) *int64 { return &t.ID })
	ticketStore    = exosql.NewColumn(tickets, "store_id", func(t *supportTicket) *int64 { return &t.Store })
	ticketCustomer = exosql.NewColumn(tickets, "customer_id", func(t *supportTicket) *int64 { return &t.Customer })
	ticketBody     = exosql.NewColumn(tickets, "body", func(t *supportTicket) *string { return &t.Body }).WithLabel(value.Untrusted)

	orders        = exosql.NewTable[order]("orders")
	orderID       = exosql.NewKey(orders, "id", func(o *order) *int64 { return &o.ID })
	orderStore    = exosql.NewColumn(orders, "store_id", func(o *order) *int64 { return &o.Store })
	orderCustomer = exosql.NewColumn(orders, "customer_id", func(o *order) *int64 { return &o.Customer })
	orderState    = exosql.NewColumn(orders, "state", func(o *order) *string { return &o.State }).Trusted()

	customerOrders = exosql.Many("orders", customerID, orderCustomer)
	ticketAuthor   = exosql.One("customer", ticketCustomer, customerID)
)

// toolOf makes the tool of store 1's user. Its mails go to the lane.
func toolOf(db *exosql.DB, to *lane) (*codemode.Tool, error) {
	ofOrder := exosql.NewFacet(orders, "order", orderID, orderState).AllowUpdate(orderState)
	ofCustomer := exosql.NewFacet(customers, "customer", customerID, customerName, customerEmail, exosql.Via(customerOrders, ofOrder))
	ofTicket := exosql.NewFacet(tickets, "ticket", ticketID, ticketBody, exosql.Via(ticketAuthor, ofCustomer))
	post, err := service.New("mail", "mails to customers", service.Method("send", "sends a mail", func(_ context.Context, m mail) (service.None, error) {
		to.mails = append(to.mails, m.To+"\n"+m.Text)
		return service.None{}, nil
	}))
	if err != nil {
		return nil, err
	}
	inStore := []exosql.Scope{exosql.ScopeRows(customers, customerStore.Eq(1)), exosql.ScopeRows(tickets, ticketStore.Eq(1)), exosql.ScopeRows(orders, orderStore.Eq(1))}
	return codemode.New(codemode.Grants{
		"customers": ofCustomer.Of(exosql.Grant(db, customers, customerStore.Eq(1), inStore[1:]...)),
		"tickets":   ofTicket.Of(exosql.Grant(db, tickets, ticketStore.Eq(1), inStore[0], inStore[2])),
		"orders":    ofOrder.Of(exosql.Grant(db, orders, orderStore.Eq(1), inStore[:2]...)),
		"mail":      post,
	}, &codemode.Options{Principal: "store-1", Admits: value.NewLabel(value.Untrusted), Record: exo.Unrecorded})
}
