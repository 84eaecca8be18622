package web

// SetVersion makes this program one of another version; the function it gives undoes that.
func SetVersion(v string) (undo func()) {
	was := version
	version = func() string { return v }
	return func() { version = was }
}

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
