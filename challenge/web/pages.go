package web

import (
	"bytes"
	"embed"
	"encoding/json"
	"html/template"
	"net/http"
	"strings"
	"time"

	"github.com/exoagent/exoagent/challenge/game"
)

//go:embed templates/*.html
var templateFiles embed.FS

//go:embed static
var staticFiles embed.FS

var static = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
	if strings.HasSuffix(r.URL.Path, "/") {
		http.NotFound(w, r) // a list of the folder
		return
	}
	w.Header().Set("Cache-Control", "public, max-age=300")
	http.FileServerFS(staticFiles).ServeHTTP(w, r)
})

// Each page is the layout with the blocks that its own file defines.
var templates = func() map[string]*template.Template {
	layout := template.Must(template.New("layout.html").Funcs(template.FuncMap{
		"time":    func(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05 UTC") },
		"pretty":  pretty,
		"inc":     func(i int) int { return i + 1 },
		"many":    many,
		"lasting": lasting,
		"known":   known,
		"grouped": grouped,
		"title":   func(l game.Lane) string { return l.Title() },
		"table":   tableOf,
		"lines":   linesOf,
		"code":    codeOf,
		"size":    sizeOf,
		"int64":   func(n int) int64 { return int64(n) },
	}).ParseFS(templateFiles, "templates/layout.html"))
	out := map[string]*template.Template{}
	for _, n := range []string{"home", "target", "attempt", "claim", "leave", "api", "error"} {
		out[n] = template.Must(template.Must(layout.Clone()).ParseFS(templateFiles, "templates/"+n+".html"))
	}
	return out
}()

// pretty is JSON for reading. It is text like any other to the template.
func pretty(raw json.RawMessage) string {
	var b bytes.Buffer
	if json.Indent(&b, raw, "", "  ") != nil {
		return string(raw)
	}
	return b.String()
}

// page is what every template gets.
type page struct {
	Title   string
	Head    string // of the window, which is read first; "": the Title
	Refresh int    // seconds until the browser asks again; 0: never
	Player  bool   // somebody plays
	Token   string // of this session's forms
	Source  string
	Paused  bool
	Holes   []holeView // wins on guarded lanes, on top of every page
	Body    any

	repository string
}

// maxHoles are how many wins on guarded lanes stand on top of every page.
const maxHoles = 20

type holeView struct {
	apiWin
	TargetTitle string
}

// show renders a page for a player or anybody.
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
	s.render(w, http.StatusOK, name, p)
	return nil
}

func (s *Server) titleOf(target string) string {
	if t := s.arena.Game.Targets.Target(target); t != nil {
		return t.Title
	}
	return target
}

func (s *Server) render(w http.ResponseWriter, status int, name string, p page) {
	p.Source, p.Paused, p.repository = version(), s.arena.Paused(), s.o.SourceURL
	var b bytes.Buffer
	if err := templates[name].ExecuteTemplate(&b, "layout.html", p); err != nil {
		s.o.Log.Error("template", "page", name, "error", redacted(err))
		http.Error(w, "internal error", http.StatusInternalServerError)
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
	Leaders  []holeView
	Limits   apiLimits
	Walls    string
	Idle     time.Duration // after which a player is gone
	Life     time.Duration
}

func (s *Server) home(w http.ResponseWriter, r *request) error {
	v := homeView{Targets: s.arena.Game.Targets, Lanes: s.lanes(), Limits: s.limits(), Walls: s.o.Walls}
	v.Idle, v.Life = s.arena.Store.Lasts()
	var err error
	if v.Counters, err = s.arena.Store.Counters(r.Context()); err != nil {
		return err
	}
	leaders, err := s.arena.Store.Leaders(r.Context(), maxLeaders)
	if err != nil {
		return err
	}
	for _, x := range winsOf(leaders, false) {
		v.Leaders = append(v.Leaders, holeView{x, s.titleOf(x.Target)})
	}
	return s.show(w, r, "home", page{Title: "Steal the key", Body: v})
}

// play begins a session, and goes on to a target.
func (s *Server) play(w http.ResponseWriter, r *request) error {
	to := "/"
	if t := s.arena.Game.Targets.Target(r.PostFormValue("target")); t != nil {
		to = "/targets/" + t.ID // never an address that was sent
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

func (s *Server) attempt(w http.ResponseWriter, r *request) error {
	a, err := s.submit(w, r, r.PathValue("target"), game.Lane(r.PostFormValue("lane")), strings.ReplaceAll(r.PostFormValue("input"), "\r\n", "\n")) // a form ends lines so, and the program did not
	if err != nil {
		return err
	}
	http.Redirect(w, r.Request, "/attempts/"+a.ID, http.StatusSeeOther)
	return nil
}

type attemptView struct {
	*game.Attempt
	Position    int
	Mine        bool
	TargetTitle string
	Tasks       []game.Task // that it did
	Next        *nextTask
}

func (s *Server) shown(w http.ResponseWriter, r *request) error {
	v, err := s.arena.Attempt(r.Context(), r.player, r.PathValue("id"))
	if err != nil {
		return err
	}
	p := page{Title: "Attempt on " + s.titleOf(v.Target)}
	if v.Mine && !v.State.Over() {
		p.Refresh = 1 // without a script the page asks again by itself
	}
	body := attemptView{Attempt: v.Attempt, Position: v.Position, Mine: v.Mine, TargetTitle: s.titleOf(v.Target)}
	if t := s.arena.Game.Targets.Target(v.Target); t != nil && v.Mine {
		done, err := s.done(r, t)
		if err != nil {
			return err
		}
		body.Next = nextOf(t, done)
		for _, k := range t.Tasks {
			for _, id := range v.Tasks {
				if id == k.ID {
					body.Tasks = append(body.Tasks, k)
				}
			}
		}
	}
	p.Body = body
	return s.show(w, r, "attempt", p)
}

func (s *Server) share(w http.ResponseWriter, r *request) error {
	if err := s.arena.Share(r.Context(), r.player, r.PathValue("id"), r.PostFormValue("shared") == "1"); err != nil {
		return err
	}
	http.Redirect(w, r.Request, "/attempts/"+r.PathValue("id"), http.StatusSeeOther)
	return nil
}
