package codemode_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/internal/draft"
	"github.com/exoagent/exoagent/internal/grantfile"
	"github.com/exoagent/exoagent/internal/testutil"
)

// hundred are the tables of a company: a line for each, and name>table for a foreign key.
const hundred = `companies: name TEXT, vat_no TEXT, country TEXT
accounts: company_id>companies, code TEXT, title TEXT, kind TEXT
customers: company_id>companies, name TEXT, segment TEXT, since DATE, credit_limit DECIMAL, city TEXT
customer_addresses: customer_id>customers, street TEXT, zip TEXT, city TEXT, is_billing BOOLEAN
customer_contacts: customer_id>customers, full_name TEXT, position TEXT
suppliers: company_id>companies, name TEXT, rating INTEGER, lead_time_days INTEGER
supplier_prices: supplier_id>suppliers, product_id>products, unit_cost DECIMAL, valid_from DATE
products: company_id>companies, sku TEXT, name TEXT, category_id>categories, list_price DECIMAL, discontinued_at DATETIME
categories: company_id>companies, name TEXT, parent_id>categories
product_images: product_id>products, path TEXT
product_bundles: product_id>products, component_id>products, quantity INTEGER
warehouses: company_id>companies, name TEXT, city TEXT
bins: warehouse_id>warehouses, label TEXT
stock_levels: warehouse_id>warehouses, product_id>products, on_hand INTEGER, reorder_point INTEGER
stock_moves: product_id>products, from_bin_id>bins, to_bin_id>bins, qty INTEGER, moved_at DATETIME
stock_counts: bin_id>bins, counted_at DATETIME, difference INTEGER
sales_orders: company_id>companies, customer_id>customers, order_no TEXT, placed_at DATETIME, state TEXT, channel TEXT
sales_order_lines: sales_order_id>sales_orders, product_id>products, qty INTEGER, unit_price DECIMAL, discount_pct DECIMAL
quotes: company_id>companies, customer_id>customers, valid_until DATE, state TEXT, total DECIMAL
quote_lines: quote_id>quotes, product_id>products, qty INTEGER, unit_price DECIMAL
shipments: sales_order_id>sales_orders, carrier_id>carriers, shipped_at DATETIME, delivered_at DATETIME, tracking_no TEXT
shipment_lines: shipment_id>shipments, sales_order_line_id>sales_order_lines, qty INTEGER
carriers: company_id>companies, name TEXT, on_time_pct DECIMAL
returns: sales_order_id>sales_orders, reason TEXT, received_at DATETIME, refund_amount DECIMAL
return_lines: return_id>returns, product_id>products, qty INTEGER
invoices: company_id>companies, customer_id>customers, invoice_no TEXT, issued_on DATE, due_on DATE, total DECIMAL, paid_at DATETIME
invoice_lines: invoice_id>invoices, product_id>products, qty INTEGER, amount DECIMAL
credit_notes: invoice_id>invoices, amount DECIMAL, issued_on DATE
payments: company_id>companies, invoice_id>invoices, amount DECIMAL, received_on DATE, method TEXT
dunning_letters: invoice_id>invoices, level INTEGER, sent_on DATE
purchase_orders: company_id>companies, supplier_id>suppliers, ordered_at DATETIME, expected_on DATE, state TEXT
purchase_order_lines: purchase_order_id>purchase_orders, product_id>products, qty INTEGER, unit_cost DECIMAL
goods_receipts: purchase_order_id>purchase_orders, received_at DATETIME
goods_receipt_lines: goods_receipt_id>goods_receipts, product_id>products, qty INTEGER, rejected_qty INTEGER
bills: company_id>companies, supplier_id>suppliers, bill_no TEXT, due_on DATE, total DECIMAL, settled_on DATE
bill_lines: bill_id>bills, account_id>accounts, amount DECIMAL
journals: company_id>companies, posted_on DATE, memo TEXT
journal_lines: journal_id>journals, account_id>accounts, debit DECIMAL, credit DECIMAL
budgets: company_id>companies, account_id>accounts, fiscal_year INTEGER, amount DECIMAL
cost_centers: company_id>companies, code TEXT, name TEXT
tax_rates: company_id>companies, name TEXT, percent DECIMAL
bank_accounts: company_id>companies, bank TEXT, currency TEXT
bank_transactions: bank_account_id>bank_accounts, booked_on DATE, amount DECIMAL, counterparty TEXT
employees: company_id>companies, first_name TEXT, last_name TEXT, department_id>departments, hired_on DATE, left_on DATE, manager_id>employees
departments: company_id>companies, name TEXT
positions: company_id>companies, title TEXT
contracts: employee_id>employees, position_id>positions, monthly_pay DECIMAL, starts_on DATE, ends_on DATE
absences: employee_id>employees, kind TEXT, from_day DATE, to_day DATE
timesheets: employee_id>employees, project_id>projects, worked_on DATE, hours DECIMAL, billable BOOLEAN
expenses: employee_id>employees, spent_on DATE, amount DECIMAL, category TEXT, reimbursed_on DATE
payslips: employee_id>employees, month DATE, gross DECIMAL, net DECIMAL
trainings: company_id>companies, title TEXT, held_on DATE
training_attendance: training_id>trainings, employee_id>employees, passed BOOLEAN
applicants: company_id>companies, vacancy_id>vacancies, stage TEXT, applied_at DATETIME
vacancies: company_id>companies, position_id>positions, opened_on DATE, closed_on DATE
interviews: applicant_id>applicants, interviewer_id>employees, held_at DATETIME, score INTEGER
projects: company_id>companies, customer_id>customers, name TEXT, state TEXT, budget_hours DECIMAL, started_on DATE, deadline DATE
milestones: project_id>projects, title TEXT, due_on DATE, reached_on DATE
tasks: project_id>projects, assignee_id>employees, title TEXT, state TEXT, estimate_hours DECIMAL, due_on DATE
task_comments: task_id>tasks, author_id>employees, written_at DATETIME
risks: project_id>projects, title TEXT, likelihood INTEGER, impact INTEGER
tickets: company_id>companies, customer_id>customers, subject TEXT, priority TEXT, opened_at DATETIME, resolved_at DATETIME, agent_id>employees
ticket_messages: ticket_id>tickets, sent_at DATETIME, from_customer BOOLEAN
ticket_tags: ticket_id>tickets, tag_id>tags
tags: company_id>companies, name TEXT
sla_policies: company_id>companies, name TEXT, response_minutes INTEGER
surveys: company_id>companies, title TEXT
survey_answers: survey_id>surveys, customer_id>customers, score INTEGER, answered_at DATETIME
leads: company_id>companies, source TEXT, stage TEXT, value DECIMAL, owner_id>employees, created_at DATETIME
opportunities: company_id>companies, customer_id>customers, stage TEXT, amount DECIMAL, close_date DATE, probability INTEGER
activities: opportunity_id>opportunities, kind TEXT, done_at DATETIME
campaigns: company_id>companies, name TEXT, budget DECIMAL, starts_on DATE, ends_on DATE
campaign_clicks: campaign_id>campaigns, clicked_at DATETIME
newsletters: company_id>companies, subject TEXT, sent_at DATETIME
newsletter_opens: newsletter_id>newsletters, customer_id>customers, opened_at DATETIME
coupons: company_id>companies, code TEXT, percent_off DECIMAL, expires_on DATE
coupon_uses: coupon_id>coupons, sales_order_id>sales_orders, used_at DATETIME
machines: company_id>companies, name TEXT, installed_on DATE
maintenance_jobs: machine_id>machines, planned_on DATE, done_on DATE, downtime_minutes INTEGER
work_orders: company_id>companies, product_id>products, machine_id>machines, qty INTEGER, scrap_qty INTEGER, started_at DATETIME, finished_at DATETIME
bill_of_materials: product_id>products, component_id>products, qty DECIMAL
quality_checks: work_order_id>work_orders, checked_at DATETIME, passed BOOLEAN
vehicles: company_id>companies, plate TEXT, model TEXT
trips: vehicle_id>vehicles, driver_id>employees, km DECIMAL, driven_on DATE
fuel_fills: vehicle_id>vehicles, litres DECIMAL, cost DECIMAL, filled_on DATE
insurances: vehicle_id>vehicles, provider TEXT, premium DECIMAL, valid_until DATE
leases: company_id>companies, object TEXT, monthly_rate DECIMAL, ends_on DATE
assets: company_id>companies, name TEXT, purchase_price DECIMAL, bought_on DATE
depreciations: asset_id>assets, year INTEGER, amount DECIMAL
documents: company_id>companies, title TEXT, uploaded_at DATETIME
document_versions: document_id>documents, version INTEGER, saved_at DATETIME
meetings: company_id>companies, subject TEXT, starts_at DATETIME, room_id>rooms
rooms: company_id>companies, name TEXT, seats INTEGER
meeting_guests: meeting_id>meetings, employee_id>employees, accepted BOOLEAN
subscriptions: company_id>companies, customer_id>customers, plan_id>plans, monthly_fee DECIMAL, started_on DATE, cancelled_on DATE
plans: company_id>companies, name TEXT, price DECIMAL
usage_records: subscription_id>subscriptions, metric TEXT, amount INTEGER, recorded_at DATETIME
webhooks: company_id>companies, event TEXT, failures INTEGER
audit_events: company_id>companies, action TEXT, happened_at DATETIME
currency_rates: company_id>companies, currency TEXT, rate DECIMAL, on_day DATE`

// TestSearchQuestions: in a catalogue of 100 tables, search finds the table of an ordinary question among its first three answers, with a way to it.
func TestSearchQuestions(t *testing.T) {
	testutil.NotRaced(t)
	var setup []string
	for line := range strings.Lines(hundred) {
		table, columns, _ := strings.Cut(strings.TrimSpace(line), ": ")
		text := "CREATE TABLE " + table + " (id INTEGER PRIMARY KEY"
		for c := range strings.SplitSeq(columns, ", ") {
			name, to, link := strings.Cut(c, ">")
			if text += ", " + c; link {
				text = strings.TrimSuffix(text, c) + name + " INTEGER REFERENCES " + to + " (id)"
			}
		}
		setup = append(setup, text+")")
	}
	db := testutil.SQLite.OpenWith(t, &exosql.OpenOptions{Setup: testutil.SQLite.Exec(setup...)})
	live, err := db.Catalog(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	d, err := draft.New(live, draft.Options{Name: "erp", URL: "env:ERP_URL", Tenant: "companies"})
	if err != nil {
		t.Fatal(err)
	}
	f, err := grantfile.Parse("exo.yaml", []byte(d.Text(nil)))
	if err != nil {
		t.Fatal(err)
	}
	open, _, err := f.Open(t.Context(), &grantfile.Options{Databases: map[string]*exosql.DB{"erp": db}})
	if err != nil {
		t.Fatal(err)
	}
	p, err := open.File.ParseClaims("company=1")
	if err != nil {
		t.Fatal(err)
	}
	grants, err := open.Grants(p)
	if err != nil {
		t.Fatal(err)
	}
	tool := newTool(t, codemode.Grants(grants), searched)
	for question, want := range map[string]string{
		"unpaid invoices": "Invoice api.invoices",
		"how many hours did people work on each project": "Timesheet api.timesheets",
		"which customers bought the most":                "Customer api.customers",
		"salary of employees":                            "Employee api.employees",
		"late deliveries":                                "Shipment api.shipments",
		"products that are out of stock":                 "StockLevel api.stockLevels",
		"average time to resolve a support ticket":       "Ticket api.tickets",
		"sales by month":                                 "SalesOrder api.salesOrders",
		"sick days":                                      "Absence api.absences",
		"what do we owe to suppliers":                    "Supplier api.suppliers",
		"the tree of categories":                         "Category api.categories",
	} {
		o := call(t, tool, fmt.Sprintf("return (await search(%q)).slice(0, 3).map(f => f.name + ' ' + f.paths[0])", question))
		if found, _ := o.Result.([]any); !slices.Contains(found, any(want)) {
			t.Errorf("%s: %v %+v, want %s", question, o.Result, o.Error, want)
		}
	}
	if o := call(t, tool, "return describe('employees')"); o.Error != nil || !strings.Contains(fmt.Sprint(o.Result), "// api.employees or ") {
		t.Errorf("%v %+v", o.Result, o.Error)
	}
}
