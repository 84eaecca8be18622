package web

import "net/http"

// leavePage asks before all is forgotten. A link, which any site may have, ends nothing.
func (s *Server) leavePage(w http.ResponseWriter, r *request) error {
	if r.player == "" {
		http.Redirect(w, r.Request, "/", http.StatusSeeOther)
		return nil
	}
	return s.show(w, r, "leave", page{Title: "Leave and forget my progress?"})
}

func (s *Server) leave(w http.ResponseWriter, r *request) error {
	if err := s.arena.Store.EndPlayer(r.Context(), r.player); err != nil {
		return err
	}
	s.setCookie(w, "")
	http.Redirect(w, r.Request, "/", http.StatusSeeOther)
	return nil
}
