package gen

import "testing"

func TestClaim(t *testing.T) {
	s := newScope()
	odd := func(n string) bool { return n != "a2" }
	for _, want := range []string{"a", "ab", "ab2", "ab3"} {
		if got := s.claim(odd, "a", "ab"); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	if got := s.claim(odd, "a"); got != "a3" {
		t.Errorf("got %s: a2 is not admitted", got)
	}
}

func TestFileNames(t *testing.T) {
	// What Go reads into the end of a file's name: a test, a system, a processor.
	for table, want := range map[string]string{"users_test": "users_test_table", "events_linux": "events_linux_table", "a_windows_amd64": "a_windows_amd64_table",
		"_hidden": "hidden_table", "../../etc/passwd": "etc_passwd_table", "用户": "x_table", "": "x_table", "A.b": "a_b_table", "tables": "tables_table"} {
		if got := fileName(table); got != want {
			t.Errorf("%q is in %s, want %s", table, got, want)
		}
	}
}
