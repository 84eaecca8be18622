// Package web is the challenge over HTTP: pages that work without a script, and an
// API for programs (openapi.json says what it is).
//
// Every request passes, in this order: the bound of requests at a time, the headers that
// every answer has, the list of hosts, the address it counts for, that address's bucket, the
// origin it comes from, the size of its body, and who sends it. A form also carries a
// token of its session. Texts of players are escaped by html/template, and no page has an
// inline script or style: those are files of this host. The scripts put
// text into a page as text, or adopt parts of pages that the host wrote.
package web
