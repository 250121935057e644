package workload

// Corpus is the user's own text.
type Corpus struct{}
