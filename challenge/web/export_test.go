package web

// Route is one of the routes, for tests.
type Route struct {
	Pattern string
	Player  bool
}

// Routes are all of them.
func Routes() (out []Route) {
	for _, r := range routes {
		out = append(out, Route{r.pattern, r.player})
	}
	return out
}
