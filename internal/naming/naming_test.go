package naming

import "testing"

func TestWords(t *testing.T) {
	for _, c := range []struct{ name, one, many, goName, program string }{
		{"users", "user", "users", "Users", "users"},
		{"user", "user", "users", "User", "user"},
		{"order_details", "order_detail", "order_details", "OrderDetails", "orderDetails"},
		{"Order Details", "Order Detail", "Order Details", "OrderDetails", "orderDetails"},
		{"InvoiceLine", "InvoiceLine", "InvoiceLines", "InvoiceLine", "invoiceLine"},
		{"categories", "category", "categories", "Categories", "categories"},
		{"CATEGORY", "CATEGORY", "CATEGORIES", "Category", "category"},
		{"boxes", "box", "boxes", "Boxes", "boxes"},
		{"box", "box", "boxes", "Box", "box"},
		{"day", "day", "days", "Day", "day"},
		{"addresses", "address", "addresses", "Addresses", "addresses"},
		{"address", "address", "addresses", "Address", "address"},
		{"status", "status", "statuses", "Status", "status"},
		{"statuses", "status", "statuses", "Statuses", "statuses"},
		{"people", "person", "people", "People", "people"},
		{"Children", "Child", "Children", "Children", "children"},
		{"staff", "staff", "staff", "Staff", "staff"},
		{"news", "news", "news", "News", "news"},
		{"movies", "movie", "movies", "Movies", "movies"},
		{"analysis", "analysis", "analyses", "Analysis", "analysis"},
		{"sizes", "size", "sizes", "Sizes", "sizes"},
		{"buses", "bus", "buses", "Buses", "buses"},
		{"ids", "id", "ids", "IDs", "ids"},
		{"s", "s", "ses", "S", "s"},
		{"user_id", "user_id", "user_ids", "UserID", "userId"},
		{"albumId", "albumId", "albumIds", "AlbumID", "albumId"},
		{"HTTPServer", "HTTPServer", "HTTPServers", "HTTPServer", "httpServer"},
		{"website_url", "website_url", "website_urls", "WebsiteURL", "websiteUrl"},
		{"2fa", "2fa", "2fas", "X2fa", "x2fa"},
		{"größe", "größe", "größes", "Größe", "größe"},
		{"用户", "用户", "用户s", "X用户", "x"},
		{"_linux", "_linux", "_linuxes", "Linux", "linux"},
		{"--", "--", "--", "X", "x"},
		{"", "", "", "X", "x"},
	} {
		got := []string{Singular(c.name), Plural(c.name), Pascal(c.name), Lower(c.name)}
		want := []string{c.one, c.many, c.goName, c.program}
		for i, what := range []string{"singular", "plural", "pascal", "lower"} {
			if got[i] != want[i] {
				t.Errorf("%s(%q) is %q, want %q", what, c.name, got[i], want[i])
			}
		}
	}
}
