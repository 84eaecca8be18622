// Package access grants the orders of a customer, some of them with policies.
package access

import (
	"context"
	"fmt"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exosql"
)

type customer struct {
	ID   int64
	Name string
}

type order struct {
	ID, Customer int64
	Note         *string
}

var (
	customers    = exosql.NewTable[customer]("customers")
	customerID   = exosql.NewKey(customers, "id", func(c *customer) *int64 { return &c.ID })
	customerName = exosql.NewColumn(customers, "name", func(c *customer) *string { return &c.Name })

	orders        = exosql.NewTable[order]("orders")
	orderID       = exosql.NewKey(orders, "id", func(o *order) *int64 { return &o.ID })
	orderCustomer = exosql.NewColumn(orders, "customer_id", func(o *order) *int64 { return &o.Customer })
	orderNote     = exosql.NewNullable(orders, "note", func(o *order) **string { return &o.Note })

	customerOrders = exosql.Many("orders", customerID, orderCustomer)
)

// Mine is a function of grants in its longest form.
func Mine(ctx context.Context, db *exosql.DB, user int64) (map[string]exo.Object, error) {
	if user > 100 {
		return nil, fmt.Errorf("there is no customer %d: %w", user, context.Cause(ctx))
	}
	order := exosql.NewFacet(orders, "order", orderID, orderNote)
	customer := exosql.NewFacet(customers, "customer", customerID, customerName, exosql.Via(customerOrders, order))
	me := customer.Of(exosql.Grant(db, customers, customerID.Eq(user), exosql.ScopeVia(customerOrders)))
	return map[string]exo.Object{"me": me, "again": me, "weaker": exo.Wrap(me, exo.Policy{})}, nil
}

// Everybody is a function of grants that takes no user.
func Everybody(db *exosql.DB) map[string]exo.Object {
	return map[string]exo.Object{"orders": exosql.NewFacet(orders, "order", orderNote).Of(exosql.Grant(db, orders, exosql.AllRows[order]()))}
}

// Wrong is not a function of grants.
func Wrong(float64) {}

// Clerk is a function of grants that lets programs write.
func Clerk(db *exosql.DB, user int64) map[string]exo.Object {
	order := exosql.NewFacet(orders, "order", orderID, orderNote).AllowInsert(orderNote).AllowUpdate(orderNote)
	return map[string]exo.Object{"orders": order.Of(exosql.Grant(db, orders, orderCustomer.Eq(user)))}
}

// Weaker grants the objects of Clerk, with a policy that removes nothing. ReadOnly grants them without the methods that write.
func Weaker(db *exosql.DB, user int64) map[string]exo.Object {
	return map[string]exo.Object{"orders": exo.Wrap(Clerk(db, user)["orders"], exo.Policy{})}
}

func ReadOnly(db *exosql.DB, user int64) map[string]exo.Object {
	return map[string]exo.Object{"orders": exo.Wrap(Clerk(db, user)["orders"], exo.Policy{Narrow: func(d *message.Description) error {
		for _, i := range d.Interfaces {
			for name, m := range i.Methods {
				if m.Effect != message.NoEffect {
					delete(i.Methods, name)
				}
			}
		}
		return nil
	}})}
}

// Desk is a function of grants that lets programs write through a link.
func Desk(db *exosql.DB, user int64) map[string]exo.Object {
	order := exosql.NewFacet(orders, "order", orderID, orderNote).AllowInsert(orderNote).AllowUpdate(orderNote).AllowDelete()
	customer := exosql.NewFacet(customers, "customer", customerID, customerName, exosql.Via(customerOrders, order))
	return map[string]exo.Object{"me": customer.Of(exosql.Grant(db, customers, customerID.Eq(user), exosql.ScopeVia(customerOrders)))}
}
