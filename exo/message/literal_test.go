package message

import (
	"testing"
	"time"

	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/internal/zone"
)

// TestEveningBefore: an instant that begins a day in UTC is no day where the local day is the one before; every other one is its local day.
func TestEveningBefore(t *testing.T) {
	day := &Type{Name: value.TypeDate}
	for _, c := range []struct{ zone, at, want string }{
		{"UTC", "2024-02-29T00:00:00Z", "2024-02-29"}, {"Europe/Berlin", "2024-02-29T00:00:00Z", "2024-02-29"}, {"America/New_York", "2024-02-29T00:00:00Z", ""},
		{"America/New_York", "2024-02-29T00:00:00.001Z", "2024-02-28"}, {"America/New_York", "2024-02-29T05:00:00Z", "2024-02-29"}, {"Europe/Berlin", "2024-02-28T23:00:00Z", "2024-02-29"},
	} {
		z, err := zone.Load(c.zone)
		if err != nil {
			t.Fatal(err)
		}
		at, err := time.Parse(time.RFC3339Nano, c.at)
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range []value.Value{value.Time(at), value.Text(c.at)} {
			got, ok := admit(day, v, 0, z)
			if ok != (c.want != "") || ok && got.Text() != c.want {
				t.Errorf("%s in %s: %v %t", v, c.zone, got, ok)
			}
		}
	}
}
