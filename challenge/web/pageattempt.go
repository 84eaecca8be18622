package web

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/exoagent/exoagent/challenge/arena"
	"github.com/exoagent/exoagent/challenge/game"
	"github.com/exoagent/exoagent/challenge/store"
)

// attempt accepts an attempt from a form, and shows it next to the editor. The first attempt of a visitor makes a player.
func (s *Server) attempt(w http.ResponseWriter, r *request) error {
	target, lane := r.PathValue("target"), game.Lane(r.PostFormValue("lane"))
	input := strings.ReplaceAll(r.PostFormValue("input"), "\r\n", "\n") // a form sends CR LF at line ends, which the program did not have
	if r.player == "" {
		if err := s.arena.Check(target, lane, input); err != nil {
			return err // refuse before a player is made
		}
		token, err := s.newPlayer(w, r)
		if err != nil {
			return err
		}
		if r.player, err = s.arena.Store.Player(r.Context(), token); err != nil {
			return err
		}
		s.setCookie(w, token)
	}
	a, err := s.submit(w, r, target, lane, input)
	if err != nil {
		return err
	}
	http.Redirect(w, r.Request, "/targets/"+a.Target+"?attempt="+a.ID+"#happened", http.StatusSeeOther)
	return nil
}

// attemptView is what a page shows of an attempt.
type attemptView struct {
	*game.Attempt
	Position    int
	Mine        bool
	TargetTitle string
	Tasks       []game.Task // the tasks that the attempt solved
	Next        *nextTask
	Win         *holeView                    // the win that is shown with the attempt
	Claimed     bool                         // the player has claimed the key of this lane
	Rule        string                       // the notice of the target's notice lane
	Guarded     struct{ Attempts, Keys int } // numbers of the program lane, shown with a win on a control lane
	Page        page
}

// recordOf returns what the requesting player may see of an attempt.
func (s *Server) recordOf(r *request, v *arena.View) (*attemptView, error) {
	out := &attemptView{Attempt: v.Attempt, Position: v.Position, Mine: v.Mine, TargetTitle: s.titleOf(v.Target)}
	win, err := s.arena.Store.WinOf(r.Context(), v.ID)
	switch {
	case err == nil && (win.Claimed || win.Guarded):
		out.Win = &holeView{winsOf([]*store.Win{win}, true)[0], out.TargetTitle}
		n, err := s.arena.Store.Counters(r.Context())
		if err != nil {
			return nil, err
		}
		out.Guarded.Attempts, out.Guarded.Keys = int(n["attempts."+string(game.Program)]), int(n["wins."+string(game.Program)])
	case err != nil && !errors.Is(err, store.ErrNone):
		return nil, err
	}
	t := s.arena.Game.Targets.Target(v.Target)
	if t != nil {
		out.Rule = t.Rule
	}
	if t == nil || !v.Mine {
		return out, nil
	}
	done, err := s.done(r, t)
	if err != nil {
		return nil, err
	}
	out.Next = nextOf(t, done)
	for _, k := range t.Tasks {
		for _, id := range v.Tasks {
			if id == k.ID {
				out.Tasks = append(out.Tasks, k)
			}
		}
	}
	if v.Leaked {
		won, err := s.arena.Store.Won(r.Context(), r.player)
		if err != nil {
			return nil, err
		}
		for _, w := range won {
			out.Claimed = out.Claimed || w.Claimed && w.Target == v.Target && w.Lane == v.Lane
		}
	}
	return out, nil
}

func (s *Server) shown(w http.ResponseWriter, r *request) error {
	v, err := s.arena.Attempt(r.Context(), r.player, r.PathValue("id"))
	if err != nil {
		return err
	}
	body, err := s.recordOf(r, v)
	if err != nil {
		return err
	}
	path := "/attempts/" + v.ID
	p := page{Title: "Attempt on " + body.TargetTitle, Path: path, Card: path + "/card.png", Body: body}
	p.About = fmt.Sprintf("An attempt on %s, by the lane %s.", body.TargetTitle, v.Lane.Title())
	if body.Win != nil {
		p.Title, p.About = wonTitle(body.Win), wonBy(body.Win)+". See what it took, and try it yourself."
	}
	p.Alt = p.Title
	if v.Mine && !v.State.Over() {
		p.Refresh, p.Again = 1, path // without a script the browser reloads the page
	}
	return s.show(w, r, "attempt", p)
}

// wonTitle describes a win in the host's own words.
func wonTitle(w *holeView) string {
	if w.Lane.Guarded() {
		return "A hole: " + w.TargetTitle
	}
	return "The key is out: " + w.TargetTitle
}

// winner returns the given name, or a word instead.
func winner(w *holeView) string {
	if w.Name == "" {
		return "Somebody"
	}
	return w.Name
}

// wonBy returns who won, how and when.
func wonBy(w *holeView) string {
	return fmt.Sprintf("%s, by the lane %s, after %s, on %s", winner(w), w.Lane.Title(), many(w.Tries, "attempt"), w.At.UTC().Format("2 January 2006"))
}

func (s *Server) share(w http.ResponseWriter, r *request) error {
	if err := s.arena.Share(r.Context(), r.player, r.PathValue("id"), r.PostFormValue("shared") == "1"); err != nil {
		return err
	}
	http.Redirect(w, r.Request, "/attempts/"+r.PathValue("id"), http.StatusSeeOther)
	return nil
}

// claimAttempt claims the key that an attempt has shown, and leads to the page of the win.
func (s *Server) claimAttempt(w http.ResponseWriter, r *request) error {
	if err := s.limit(w, r, s.claims, s.addressClaims); err != nil {
		return err
	}
	win, err := s.arena.ClaimAttempt(r.Context(), r.player, r.PathValue("id"), r.PostFormValue("name"), r.PostFormValue("share") == "1")
	if err != nil {
		return err
	}
	to := "/claim"
	if win != nil && win.Attempt != "" {
		to = "/attempts/" + win.Attempt
	}
	http.Redirect(w, r.Request, to, http.StatusSeeOther)
	return nil
}
