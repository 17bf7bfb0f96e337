package main

// evaluateRequest asks what Prometheus' engine makes of queries over samples in memory.
type evaluateRequest struct {
	Cases []evaluateCase `json:"cases"`
}

type evaluateCase struct {
	Query      string        `json:"query"`
	AtMs       int64         `json:"atMs"`
	LookbackMs int64         `json:"lookbackMs"`
	Series     []givenSeries `json:"series"`
}

type givenSeries struct {
	Labels map[string]string `json:"labels"`
	Times  []int64           `json:"times"`
	// Values are numbers as Go reads them, or "stale".
	Values []string `json:"values"`
}

// outcome is a result, or the reason why there is none.
type outcome struct {
	Rows     []resultRow `json:"rows,omitempty"`
	IsScalar bool        `json:"isScalar,omitempty"`
	// Reason is empty for a result.
	Reason  string `json:"reason,omitempty"`
	Message string `json:"message,omitempty"`
}

type resultRow struct {
	Labels map[string]string `json:"labels,omitempty"`
	// Value has the bits of a float64 in hexadecimal, or "NaN".
	Value string `json:"value"`
}
