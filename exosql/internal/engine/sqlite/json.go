package sqlite

import (
	"encoding/json"
	"strconv"
)

// What a piece of JSON holds, as SQLite writes it: nil for anything of another type.

func jsonText(s string) any {
	var text string
	if len(s) == 0 || s[0] != '"' || json.Unmarshal([]byte(s), &text) != nil {
		return nil
	}
	return text
}

func jsonNumber(s string) any {
	if len(s) == 0 || s[0] != '-' && (s[0] < '0' || s[0] > '9') {
		return nil
	}
	x, err := strconv.ParseFloat(s, 64)
	if err != nil || x >= 1e308 || x <= -1e308 {
		return nil
	}
	return x
}

func jsonBool(s string) any {
	switch s {
	case "true":
		return int64(1)
	case "false":
		return int64(0)
	}
	return nil
}
