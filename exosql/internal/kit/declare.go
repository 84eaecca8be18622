package kit

type Pair struct {
	A, B int64
	S    string
	F    float64
}
