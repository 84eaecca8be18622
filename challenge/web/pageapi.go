package web

import (
	"net/http"
	"strings"
)

// failureKind is a word for a failure of a call, with its status.
type failureKind struct {
	Status int
	Kind   string
	About  string
}

// failureKinds are all words for failures of calls.
var failureKinds = []failureKind{
	{400, "bad", "the request can't be read as what it should be"},
	{400, "address", "a proxy of the host does not say who asks"},
	{401, "player", "there is no token, or its player is gone"},
	{403, "form", "a browser's session, and no X-Form-Token or an old one"},
	{403, "origin", "a page of another site made the browser ask"},
	{404, "absent", "there is no such thing, or it is not yours"},
	{405, "method", "the path takes other methods: Allow says which"},
	{413, "size", "the body is too large"},
	{415, "type", "the body is not sent as application/json"},
	{421, "host", "this site has another name"},
	{422, "bad", "it can be read and can't be played or claimed"},
	{429, "rate", "too many requests: Retry-After says for how many seconds"},
	{429, "busy", "too many attempts of yours wait already"},
	{500, "internal", "the host failed"},
	{503, "busy", "too many requests at once"},
	{503, "closed", "the host has closed the lane, or stopped the game"},
	{503, "gone", "the request was given up"},
}

type apiView struct {
	Base     string // the address of the calls, without a final slash
	Wait     int
	List     int
	Failures []failureKind
}

// apiPage explains to people how programs play.
func (s *Server) apiPage(w http.ResponseWriter, r *request) error {
	return s.show(w, r, "api", page{Title: "The API", About: "Everything that a person can do in the exoagent challenge, a program can do with JSON over HTTP.",
		Path: "/api", Body: apiView{s.base(r.Request) + "/api/v1", maxWait, maxList, failureKinds}})
}

// absent answers requests with a path or method that no route has.
func (s *Server) absent(w http.ResponseWriter, r *request) error {
	switch r.URL.Path {
	case "/api/", "/api/v1", "/api/v1/":
		if r.Method == http.MethodGet || r.Method == http.MethodHead {
			http.Redirect(w, r.Request, "/api", http.StatusSeeOther)
			return nil
		}
	}
	var allow []string
	for _, m := range []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodDelete} {
		if _, pattern := s.mux.Handler(&http.Request{Method: m, Host: r.Host, URL: r.URL}); pattern != "/" {
			allow = append(allow, m)
		}
	}
	if len(allow) == 0 {
		return errAbsent
	}
	w.Header().Set("Allow", strings.Join(allow, ", "))
	return &problem{http.StatusMethodNotAllowed, "method", "this path takes only the methods " + strings.Join(allow, ", ")}
}
