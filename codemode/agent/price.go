package agent

// Price is what a model's tokens cost, in any currency, per million of them.
type Price struct {
	Input        float64 // neither read from a cache nor written to one
	Output       float64
	CacheRead    float64
	CacheWritten float64
}

// Prices are prices by the name of the model. There are none by default: a list in a library is
// soon out of date.
type Prices map[string]Price

// Cost is what a use of the model cost; ok is false when its price is not known.
func (p Prices) Cost(model string, u Usage) (cost float64, ok bool) {
	q, ok := p[model]
	u = Usage{}.Add(u) // who made it may not have
	plain := max(0, u.Input-u.CacheRead-u.CacheWritten)
	return (float64(plain)*q.Input + float64(u.Output)*q.Output + float64(u.CacheRead)*q.CacheRead + float64(u.CacheWritten)*q.CacheWritten) / 1e6, ok
}
