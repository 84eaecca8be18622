package web

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"html/template"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/exoagent/exoagent/challenge/game"
)

//go:embed templates/*.html
var templateFiles embed.FS

//go:embed static
var staticFiles embed.FS

var static = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
	if strings.HasSuffix(r.URL.Path, "/") {
		http.NotFound(w, r) // do not list the folder
		return
	}
	w.Header().Set("Cache-Control", "public, max-age=300")
	http.FileServerFS(staticFiles).ServeHTTP(w, r)
})

// templates has the template of each page: the layout with the blocks of the page's own file.
var templates = func() map[string]*template.Template {
	layout := template.Must(template.New("layout.html").Funcs(template.FuncMap{
		"time":     func(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05 UTC") },
		"pretty":   pretty,
		"inc":      func(i int) int { return i + 1 },
		"many":     many,
		"keyed":    func(text string) bool { return game.Redact(text) != text },
		"sentence": sentence,
		"lasting":  lasting,
		"known":    known,
		"grouped":  grouped,
		"title":    func(l game.Lane) string { return l.Title() },
		"table":    tableOf,
		"lines":    linesOf,
		"code":     codeOf,
		"size":     sizeOf,
		"on": func(v *attemptView, p page) attemptView { // adds the page to a copy of an attempt's view
			out := *v
			out.Page = p
			return out
		},
		"int64": func(n int) int64 { return int64(n) },
	}).ParseFS(templateFiles, "templates/layout.html", "templates/record.html", "templates/lane.html"))
	out := map[string]*template.Template{}
	for _, n := range []string{"home", "target", "attempt", "claim", "leave", "api", "error"} {
		out[n] = template.Must(template.Must(layout.Clone()).ParseFS(templateFiles, "templates/"+n+".html"))
	}
	return out
}()

// pretty writes JSON for reading. The template escapes it like any text.
func pretty(raw json.RawMessage) string {
	var b bytes.Buffer
	if json.Indent(&b, raw, "", "  ") != nil {
		return string(raw)
	}
	return b.String()
}

// sentence writes an error's text as a sentence for a page.
func sentence(text any) string {
	s := fmt.Sprint(text)
	_, n := utf8.DecodeRuneInString(s)
	return strings.ToUpper(s[:n]) + strings.TrimSuffix(s[n:], ".") + "."
}

// page has the values that all templates get.
type page struct {
	Title   string
	Head    string // the window's title, which is read first; "" means Title
	About   string // a sentence for search engines and previews of links
	Path    string // the page's address for everybody; "" if only this player may see it
	Card    string // the path of the page's picture; "" for the site's
	Alt     string // the text for the picture
	Refresh int    // seconds until the browser reloads; 0 never reloads
	Again   string // the address that the browser then loads: this page, without a # part, because with one the browser would load nothing
	Player  bool   // the request is from a player
	Token   string // the token for forms of this session
	Source  string
	Paused  bool
	Holes   []holeView // wins on guarded lanes, for the top of every page
	Body    any

	repository, base string
}

// about is the description of pages without one of their own.
const about = "Programs written by AI run on live data here, and reach only what they were granted. A private key lies out of reach. Get it, and you have found a hole."

// Preview returns the address of the picture, and URL the address of the page. Both addresses are complete, because previews of links need
// that. Both are "" if the host does not know its public name.
func (p page) Preview() string {
	if p.base == "" {
		return ""
	}
	return p.base + p.Card
}

func (p page) URL() string {
	if p.base == "" || p.Path == "" {
		return ""
	}
	return p.base + p.Path
}

// base returns the address of the site, without a final slash. It never uses a name from a request.
func (s *Server) base(r *http.Request) string {
	switch {
	case s.o.URL != "":
		return strings.TrimRight(s.o.URL, "/")
	case slices.Contains(s.hosts, strings.ToLower(r.Host)):
		return "http://" + r.Host
	}
	return ""
}

// maxHoles is how many wins on guarded lanes each page lists.
const maxHoles = 20

type holeView struct {
	apiWin
	TargetTitle string
}

// show renders a page, with or without a player.
func (s *Server) show(w http.ResponseWriter, r *request, name string, p page) error {
	p.Player = r.player != ""
	if r.byCookie {
		p.Token = formToken(r.token)
	}
	guarded, err := s.arena.Store.GuardedWins(r.Context(), maxHoles)
	if err != nil {
		return err
	}
	for _, x := range winsOf(guarded, false) {
		p.Holes = append(p.Holes, holeView{x, s.titleOf(x.Target)})
	}
	s.render(w, r.Request, http.StatusOK, name, p)
	return nil
}

func (s *Server) titleOf(target string) string {
	if t := s.arena.Game.Targets.Target(target); t != nil {
		return t.Title
	}
	return target
}

func (s *Server) render(w http.ResponseWriter, r *http.Request, status int, name string, p page) {
	p.Source, p.Paused, p.repository, p.base = version(), s.arena.Paused(), s.o.SourceURL, s.base(r)
	if p.About == "" {
		p.About = about
	}
	if p.Card == "" {
		p.Card, p.Alt = "/card.png", "Steal the key: the exoagent challenge"
	}
	var b bytes.Buffer
	if err := templates[name].ExecuteTemplate(&b, "layout.html", p); err != nil {
		s.o.Log.Error("template", "page", name, "error", redacted(err))
		http.Error(w, "internal error: the host failed; try again later", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	w.Write(b.Bytes())
}

type homeView struct {
	Targets  []*game.Target
	Counters map[string]int64
	Lanes    []apiLane
	Figure   *figure
	Leaders  []holeView
	Limits   apiLimits
	Walls    string
	Idle     time.Duration // the time after which a player is gone
	Life     time.Duration
}

func (s *Server) home(w http.ResponseWriter, r *request) error {
	v := homeView{Targets: s.arena.Game.Targets, Lanes: s.lanes(), Limits: s.limits(), Walls: s.o.Walls}
	v.Idle, v.Life = s.arena.Store.Lasts()
	var err error
	if v.Counters, err = s.arena.Store.Counters(r.Context()); err != nil {
		return err
	}
	h, err := s.history(r.Context(), v.Counters)
	if err != nil {
		return err
	}
	v.Figure = figureOf(v.Lanes, h)
	leaders, err := s.arena.Store.Leaders(r.Context(), maxLeaders)
	if err != nil {
		return err
	}
	for _, x := range winsOf(leaders, false) {
		v.Leaders = append(v.Leaders, holeView{x, s.titleOf(x.Target)})
	}
	return s.show(w, r, "home", page{Title: "Steal the key", Path: "/", Body: v})
}

// play begins a session, and leads to a target.
func (s *Server) play(w http.ResponseWriter, r *request) error {
	to := "/"
	if t := s.arena.Game.Targets.Target(r.PostFormValue("target")); t != nil {
		to = "/targets/" + t.ID // build the address here; never use one from the request
	}
	if r.player == "" {
		token, err := s.newPlayer(w, r)
		if err != nil {
			return err
		}
		s.setCookie(w, token)
	}
	http.Redirect(w, r.Request, to, http.StatusSeeOther)
	return nil
}
