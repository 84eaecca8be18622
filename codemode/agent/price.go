package agent

// Price is the cost of a model's tokens, in any currency, per million.
type Price struct {
	Input                           float64 // the price of input that was neither read from a cache nor written to one
	Output, CacheRead, CacheWritten float64
}

// Prices has prices by the name of the model. There are no default
// prices, because a list in a library is soon out of date.
type Prices map[string]Price

// Cost returns the cost of tokens of a model. ok is false if the model's price is not known.
func (p Prices) Cost(model string, u Usage) (cost float64, ok bool) {
	q, ok := p[model]
	u = Usage{}.Add(u) // makes negative counts 0, if u is not from Add
	plain := max(0, u.Input-u.CacheRead-u.CacheWritten)
	return (float64(plain)*q.Input + float64(u.Output)*q.Output + float64(u.CacheRead)*q.CacheRead + float64(u.CacheWritten)*q.CacheWritten) / 1e6, ok
}
