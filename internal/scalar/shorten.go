package scalar

// Shorten cuts a text to n bytes, between two characters, and marks the cut with "…".
func Shorten(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && s[n]&0xC0 == 0x80 {
		n--
	}
	return s[:n] + "…"
}
