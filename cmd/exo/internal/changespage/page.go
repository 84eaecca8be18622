// Package changespage has the page of exo serve that shows a person what a program would change, and lets them agree or refuse.
//
// The reader is identified by a signed assertion of the host's own proxy, or by a link that the operator printed and that works once. For all others,
// even clients with tokens, the page does not exist. It has no script, loads nothing, and can't be shown in a frame. A decision is a POST from the same
// origin, with a code for the reader, the change set and what was shown.
package changespage

import (
	"context"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	_ "embed" // for the page's files
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/codemode/mcp/bearer"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/review"
	"github.com/exoagent/exoagent/exo/store"
	"github.com/exoagent/exoagent/internal/difference"
	"github.com/exoagent/exoagent/internal/grantfile"
)

// Sets has the change sets. A review.Keeper implements it.
type Sets interface {
	List(ctx context.Context, all bool) ([]review.ChangeSet, error)
	Get(ctx context.Context, id string) (review.ChangeSet, error)
	Reject(ctx context.Context, id, why string, by review.Approver) error
}

// Apply runs the program of a change set to which a person has agreed.
type Apply func(ctx context.Context, w review.ChangeSet, seen string, by review.Approver) (*codemode.Result, error)

// Options configure the page. All must be set, except Now and Fetch.
type Options struct {
	File  *grantfile.File
	Sets  Sets
	Store store.Store
	Key   []byte // the key of the approvals
	Apply Apply
	Next  http.Handler // answers requests that are not for the page, and all requests of unknown readers
	Log   func(string) // gets the reason why a reader is unknown, which clients don't see
	Now   func() time.Time
	Fetch *bearer.FetchOptions
}

// Page is the http.Handler of the page. Make it with New.
type Page struct {
	opt    Options
	key    []byte
	proxy  *bearer.JWT // verifies assertions of the proxy; nil: there is no proxy
	hosts  []string
	policy string
}

//go:embed page.html
var source string

//go:embed page.css
var style string

var pages = template.Must(template.New("").Parse(source))

// New makes a page.
func New(opt Options) (*Page, error) {
	if opt.Now == nil {
		opt.Now = time.Now
	}
	p := &Page{opt: opt, hosts: []string{"localhost", "127.0.0.1", "::1"}}
	var err error
	if p.key, err = hkdf.Key(sha256.New, opt.Key, nil, "exo changes page 1", 32); err != nil {
		return nil, err
	}
	for _, at := range []string{opt.File.Serve.Resource.Text, opt.File.Approvals.Link.Text} {
		if u, err := url.Parse(at); err == nil && at != "" {
			p.hosts = append(p.hosts, strings.ToLower(u.Hostname()))
		}
	}
	if proxy := opt.File.Approvals.Proxy; proxy.Header.Text != "" {
		i := slices.IndexFunc(opt.File.Serve.Issuers, func(i grantfile.Issuer) bool { return i.Text == proxy.Issuer.Text })
		// The audience differs from that of clients' tokens. So a client that sends its own token here is not accepted as a reader.
		p.proxy, err = bearer.NewJWT(bearer.Options{Issuer: proxy.Issuer.Text, Audience: proxy.Audience.Text, Keys: opt.File.Serve.Issuers[i].KeySet(), Now: opt.Now, Fetch: opt.Fetch})
		if err != nil {
			return nil, err
		}
	}
	sum := sha256.Sum256([]byte(style))
	p.policy = "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
	return p, nil
}

// reader is a person that the page has identified.
type reader struct {
	name  string // the reader's name on the record
	bound string // a text that binds the codes of forms to the reader
	who   grantfile.Principal
	how   review.How
}

const maxForm = 64 << 10

// ServeHTTP implements http.Handler.
func (p *Page) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	rest, ours := strings.CutPrefix(r.URL.Path, grantfile.PagePath)
	if !ours || rest != "" && rest[0] != '/' || !p.host(r) {
		p.opt.Next.ServeHTTP(w, r)
		return
	}
	c := http.NewResponseController(w)
	_ = c.SetReadDeadline(time.Now().Add(10 * time.Second))
	_ = c.SetWriteDeadline(time.Now().Add(10 * time.Minute))
	rest = strings.Trim(rest, "/")
	if secret, is := strings.CutPrefix(rest, "link/"); is {
		p.link(w, r, secret)
		return
	}
	who, err := p.reader(r)
	if err != nil {
		p.opt.Log("changes: " + err.Error())
		p.opt.Next.ServeHTTP(w, r) // for unknown readers the page does not exist
		return
	}
	id, action, _ := strings.Cut(rest, "/")
	switch {
	case rest == "" && r.Method == http.MethodGet:
		p.list(w, r, who)
	case action == "" && r.Method == http.MethodGet:
		p.show(w, r, who, id)
	case (action == "approve" || action == "reject") && r.Method == http.MethodPost:
		p.decide(w, r, who, id, action)
	default:
		p.opt.Next.ServeHTTP(w, r)
	}
}

// host reports whether a request is for one of the page's own hosts. Another site could make its own name resolve to this machine (DNS rebinding).
func (p *Page) host(r *http.Request) bool {
	u, err := url.Parse("http://" + r.Host)
	return err == nil && u.Host == r.Host && slices.Contains(p.hosts, strings.ToLower(u.Hostname()))
}

// sameOrigin reports whether a page of this origin has sent the request. All current browsers send Origin with a form. If there is a
// Sec-Fetch-Site, it must agree.
func sameOrigin(r *http.Request) bool {
	all := r.Header.Values("Origin")
	if len(all) != 1 {
		return false
	}
	u, err := url.Parse(all[0])
	site := r.Header.Get("Sec-Fetch-Site")
	return err == nil && u.Host != "" && u.Host == r.Host && (u.Scheme == "https" || u.Scheme == "http") && (site == "" || site == "same-origin")
}

func (p *Page) cookie(r *http.Request) (name string, secure bool) {
	u, _ := url.Parse("http://" + r.Host)
	if slices.Contains(p.hosts[:3], strings.ToLower(u.Hostname())) {
		return "exo_changes", false
	}
	return "__Host-exo_changes", true
}

var errNobody = errors.New("the request has no session of a person: open a link that exo approvals link prints")

// reader identifies the person who reads. It ignores a client's bearer token.
func (p *Page) reader(r *http.Request) (reader, error) {
	if p.proxy != nil {
		if all := r.Header.Values(p.opt.File.Approvals.Proxy.Header.Text); len(all) == 1 { // if there are two headers, one may be from the client
			who, err := p.proxy.Verify(r.Context(), all[0])
			if err != nil {
				return reader{}, err
			}
			name := fmt.Sprintf("%q of %q", who.Subject, who.Issuer)
			principal, _ := p.opt.File.Identify(who.Issuer, who.Subject, who.Claims) // if no claims match, the reader is no principal, and sees fewer labels
			return reader{name: name, bound: "proxy " + name, who: principal, how: review.Page}, nil
		}
	}
	cookie, _ := p.cookie(r)
	all := r.CookiesNamed(cookie)
	if len(all) != 1 {
		return reader{}, errNobody
	}
	name, _, err := find(r.Context(), p.opt.Store, p.opt.Key, sessionPrefix, all[0].Value, p.opt.Now())
	if err != nil {
		return reader{}, err
	}
	if name == "" {
		return reader{}, errNobody
	}
	return reader{name: name, bound: "session " + all[0].Value, how: review.Link}, nil
}

// approver returns the reader with the name for the record. If the reader is the user for whom the program ran, the record gets the principal's whole
// name. So it names that user in one way, whatever claims the proxy sends.
func (who reader) approver(of exo.Principal) review.Approver {
	if who.how == review.Page && strings.HasPrefix(string(of), who.name+", ") {
		return review.Approver{Name: string(of), How: review.Page}
	}
	return review.Approver{Name: who.name, How: who.how}
}

// code returns a code that binds a form to its reader, the change set and what was shown.
func (p *Page) code(who reader, id, digest string) string {
	h := hmac.New(sha256.New, p.key)
	fmt.Fprintf(h, "%q %q %q", who.bound, id, digest)
	return hex.EncodeToString(h.Sum(nil))
}

// data is what the templates of the page use.
type data struct {
	Style   template.CSS
	Title   string
	Reader  string
	Back    bool
	Error   string
	Path    string
	Waiting []difference.View
	Decided []difference.View
	View    *difference.View
	Waits   bool
	Typed   bool // the reader must type the number of rows in order to agree
	Code    string
	All     bool
}

func (p *Page) write(w http.ResponseWriter, status int, name string, d data) {
	d.Style, d.Path = template.CSS(style), grantfile.PagePath //nolint:gosec // it is a constant
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", p.policy)
	h.Set("X-Frame-Options", "DENY")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
	h.Set("Referrer-Policy", "same-origin") // with no-referrer, a browser would send no Origin with the form
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	w.WriteHeader(status)
	if err := pages.ExecuteTemplate(w, name, d); err != nil {
		p.opt.Log("changes: " + err.Error())
	}
}

// link shows a button, and begins a session when it is pressed. So programs that open every address in a message don't use up the link.
func (p *Page) link(w http.ResponseWriter, r *http.Request, secret string) {
	name, _, err := find(r.Context(), p.opt.Store, p.opt.Key, linkPrefix, secret, p.opt.Now())
	post := r.Method == http.MethodPost
	if err != nil || name == "" || !post && r.Method != http.MethodGet || post && !sameOrigin(r) {
		p.opt.Next.ServeHTTP(w, r)
		return
	}
	if !post {
		p.write(w, http.StatusOK, "link", data{Title: "Open the changes", Reader: difference.Quote(name)})
		return
	}
	session, err := use(r.Context(), p.opt.Store, p.opt.Key, secret, p.opt.Now())
	if err != nil || session == "" {
		p.opt.Next.ServeHTTP(w, r)
		return
	}
	cookie, secure := p.cookie(r)
	http.SetCookie(w, &http.Cookie{Name: cookie, Value: session, Path: "/", MaxAge: int(sessionTime / time.Second), Secure: secure, HttpOnly: true, SameSite: http.SameSiteStrictMode})
	p.seeOther(w, r, grantfile.PagePath)
}

func (p *Page) seeOther(w http.ResponseWriter, r *http.Request, to string) {
	w.Header().Set("Cache-Control", "no-store")
	http.Redirect(w, r, to, http.StatusSeeOther)
}

// mostDecided is how many decided change sets are listed.
const mostDecided = 50

func (p *Page) list(w http.ResponseWriter, r *http.Request, who reader) {
	all, err := p.opt.Sets.List(r.Context(), true)
	d := data{Title: "Changes", Reader: difference.Quote(who.name)}
	for _, x := range all {
		v := difference.Of(x, p.opt.File.Visible(who.who), false)
		if x.State == review.Pending || x.State == review.Applying {
			d.Waiting = append(d.Waiting, v)
		} else {
			d.Decided = append(d.Decided, v)
		}
	}
	slices.Reverse(d.Decided) // now the newest is first
	d.Decided = d.Decided[:min(len(d.Decided), mostDecided)]
	status := http.StatusOK
	if err != nil {
		p.opt.Log("changes: " + err.Error())
		d.Error, status = "The change sets can't be read: the server's log has the reason.", http.StatusInternalServerError
	}
	p.write(w, status, "list", d)
}

func (p *Page) show(w http.ResponseWriter, r *http.Request, who reader, id string) {
	x, err := p.opt.Sets.Get(r.Context(), id)
	if err != nil || x.ID != id {
		p.write(w, http.StatusNotFound, "message", data{Title: "No such change", Back: true, Reader: difference.Quote(who.name), Error: "There is no such change set: it was never prepared, or is older than 30 days."})
		return
	}
	p.view(w, http.StatusOK, who, x, r.URL.Query().Get("all") == "1", "")
}

func (p *Page) view(w http.ResponseWriter, status int, who reader, x review.ChangeSet, all bool, problem string) {
	v := difference.Of(x, p.opt.File.Visible(who.who), all)
	p.write(w, status, "view", data{Title: "Change " + x.ID[:6], Back: true, Reader: difference.Quote(who.name), Error: problem, View: &v, All: all,
		Waits: x.State == review.Pending, Typed: v.Typed() != "", Code: p.code(who, x.ID, x.Digest())})
}

// decide handles a decision. A second POST of the same form gets the error that the change set does not wait any more.
func (p *Page) decide(w http.ResponseWriter, r *http.Request, who reader, id, action string) {
	if !sameOrigin(r) {
		p.opt.Log("changes: a form of another origin")
		p.opt.Next.ServeHTTP(w, r)
		return
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	x, err := p.opt.Sets.Get(r.Context(), id)
	if err != nil || x.ID != id {
		p.show(w, r, who, id)
		return
	}
	seen := r.PostFormValue("digest")
	if !hmac.Equal([]byte(r.PostFormValue("code")), []byte(p.code(who, id, seen))) {
		p.view(w, http.StatusForbidden, who, x, false, "This form is not one that this page has shown you for this change set: look at it again.")
		return
	}
	by := who.approver(x.Principal)
	if action == "reject" {
		if err := p.opt.Sets.Reject(r.Context(), id, r.PostFormValue("why"), by); err != nil {
			p.view(w, statusOf(err), who, x, false, sentence(err))
			return
		}
		p.seeOther(w, r, grantfile.PagePath+"/"+id)
		return
	}
	if v := difference.Of(x, p.opt.File.Visible(who.who), false); v.Typed() != "" && strings.TrimSpace(r.PostFormValue("rows")) != v.Typed() {
		p.view(w, http.StatusBadRequest, who, x, false, fmt.Sprintf("To agree, type the number of changes: %s.", v.Typed()))
		return
	}
	// The run goes on if the browser disconnects, since the decision is on record.
	res, err := p.opt.Apply(context.WithoutCancel(r.Context()), x, seen, by)
	problem, status := "", http.StatusConflict
	switch {
	case err != nil:
		problem, status = sentence(err), statusOf(err)
	case res.Err != nil:
		problem = difference.Outcome(res.Err, p.opt.File.Sees(p.opt.File.Visible(who.who)))
	default:
		p.seeOther(w, r, grantfile.PagePath+"/"+id)
		return
	}
	if now, err := p.opt.Sets.Get(r.Context(), id); err == nil {
		x = now
	}
	p.view(w, status, who, x, false, problem)
}

// statusOf returns different statuses for errors that a person can correct and errors that the host must.
func statusOf(err error) int {
	switch {
	case errors.Is(err, review.ErrNotAllowed):
		return http.StatusForbidden
	case errors.Is(err, review.ErrDecided) || errors.Is(err, review.ErrStale):
		return http.StatusConflict
	}
	return http.StatusInternalServerError
}

// sentence writes an error for a person.
func sentence(err error) string {
	text := difference.Shown(strings.TrimPrefix(err.Error(), "review: "))
	return strings.ToUpper(text[:1]) + text[1:] + "."
}
