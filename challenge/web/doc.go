// Package web is the challenge over HTTP: pages that work without a script, and an API for programs, described in openapi.json.
//
// Every request passes these steps in order: the bound of simultaneous requests, the headers of every answer, the list of hosts, the address
// that it counts for, that address's bucket, its origin, its body's size, and its player. A form also carries a token of its session. Texts of
// players are escaped by html/template, and no page has an inline script or style: those are files of this host. The scripts put text into a
// page as text, or adopt parts of pages that the host wrote.
package web
