package agent

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// TestCountsOnlyAddUp: whatever an endpoint reports, neither the tokens of a chat nor
// what they cost ever become less.
func TestCountsOnlyAddUp(t *testing.T) {
	count := rapid.OneOf(rapid.Int64(), rapid.SampledFrom([]int64{math.MinInt64, math.MaxInt64, -1, 0, 1, MaxCount}))
	price := Prices{"m": {Input: 1, Output: 2, CacheRead: 0.5, CacheWritten: 3}}
	rapid.Check(t, func(t *rapid.T) {
		var c Chat
		for range rapid.IntRange(1, 5).Draw(t, "replies") {
			before := c.Usage["m"]
			c.used("m", Usage{count.Draw(t, "requests"), count.Draw(t, "input"), count.Draw(t, "read"), count.Draw(t, "written"), count.Draw(t, "output")})
			u := c.Usage["m"]
			for _, n := range [][2]int64{{before.Requests, u.Requests}, {before.Input, u.Input}, {before.CacheRead, u.CacheRead}, {before.CacheWritten, u.CacheWritten}, {before.Output, u.Output}} {
				if n[1] < n[0] || n[1] > MaxCount {
					t.Fatalf("%d became %d", n[0], n[1])
				}
			}
			if cost, _ := price.Cost("m", u); cost < 0 {
				t.Fatalf("it cost %v", cost)
			}
		}
		if cost, _ := price.Cost("m", Usage{Output: count.Draw(t, "bare")}); cost < 0 {
			t.Fatalf("it cost %v", cost)
		}
	})
}
