//go:build !prometheus3.16 && !prometheus2.42

package main

import (
	"context"
	"errors"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/prometheus/model/histogram"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/value"
	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/storage"
	"github.com/prometheus/prometheus/tsdb/chunkenc"
	"github.com/prometheus/prometheus/tsdb/chunks"
	"github.com/prometheus/prometheus/util/annotations"
)

// As a server without any flag has it.
var engine = promql.NewEngine(promql.EngineOpts{
	MaxSamples:               50_000_000,
	Timeout:                  time.Minute,
	LookbackDelta:            5 * time.Minute,
	NoStepSubqueryIntervalFn: func(int64) int64 { return time.Minute.Milliseconds() },
	EnableAtModifier:         true,
	EnableNegativeOffset:     true,
})

func evaluateAll(asked evaluateRequest) ([]outcome, error) {
	results := make([]outcome, 0, len(asked.Cases))
	for _, one := range asked.Cases {
		stored, err := store(one.Series)
		if err != nil {
			return nil, err
		}
		results = append(results, evaluate(one, stored))
	}
	return results, nil
}

func evaluate(one evaluateCase, stored storage.Queryable) outcome {
	ctx := context.Background()
	opts := promql.NewPrometheusQueryOpts(false, time.Duration(one.LookbackMs)*time.Millisecond)
	query, err := engine.NewInstantQuery(ctx, stored, opts, one.Query, time.UnixMilli(one.AtMs))
	if err != nil {
		return outcome{Reason: "Refused", Message: err.Error()}
	}
	defer query.Close()
	result := query.Exec(ctx)
	if result.Err != nil {
		return outcome{Reason: reasonOf(result.Err), Message: result.Err.Error()}
	}
	switch found := result.Value.(type) {
	case promql.Scalar:
		return outcome{Rows: []resultRow{{Value: text(found.V)}}, IsScalar: true}
	case promql.Vector:
		rows := make([]resultRow, 0, len(found))
		for _, sample := range found {
			rows = append(rows, resultRow{Labels: sample.Metric.Map(), Value: text(sample.F)})
		}
		return outcome{Rows: rows}
	}
	return outcome{Reason: "Refused", Message: "the result is " + string(result.Value.Type())}
}

func reasonOf(err error) string {
	message := err.Error()
	switch {
	case strings.Contains(message, "same labelset"):
		return "Duplicate"
	case strings.Contains(message, "duplicate series for the match group"), strings.Contains(message, "multiple matches"):
		return "Match"
	}
	return "Other"
}

// text is exact; all NaN are one.
func text(number float64) string {
	if math.IsNaN(number) {
		return "NaN"
	}
	return strconv.FormatUint(math.Float64bits(number), 16)
}

// memory holds series in an order that stays the same.
type memory []storage.Series

func store(given []givenSeries) (memory, error) {
	stored := make(memory, 0, len(given))
	for _, one := range given {
		samples := make([]chunks.Sample, 0, len(one.Times))
		for at, ms := range one.Times {
			number, err := valueOf(one.Values[at])
			if err != nil {
				return nil, err
			}
			samples = append(samples, sample{ms, number})
		}
		stored = append(stored, storage.NewListSeries(labels.FromMap(one.Labels), samples))
	}
	return stored, nil
}

func valueOf(given string) (float64, error) {
	if given == "stale" {
		return math.Float64frombits(value.StaleNaN), nil
	}
	return strconv.ParseFloat(given, 64)
}

func (m memory) Querier(int64, int64) (storage.Querier, error) {
	return querier{storage.NoopQuerier(), m}, nil
}

type querier struct {
	storage.Querier
	stored memory
}

func (q querier) Select(_ context.Context, _ bool, _ *storage.SelectHints, matchers ...*labels.Matcher) storage.SeriesSet {
	found := &seriesSet{at: -1}
	for _, one := range q.stored {
		if matchesAll(one.Labels(), matchers) {
			found.series = append(found.series, one)
		}
	}
	return found
}

func matchesAll(of labels.Labels, matchers []*labels.Matcher) bool {
	for _, matcher := range matchers {
		if !matcher.Matches(of.Get(matcher.Name)) {
			return false
		}
	}
	return true
}

type seriesSet struct {
	series []storage.Series
	at     int
}

func (s *seriesSet) Next() bool                      { s.at++; return s.at < len(s.series) }
func (s *seriesSet) At() storage.Series              { return s.series[s.at] }
func (*seriesSet) Err() error                        { return nil }
func (*seriesSet) Warnings() annotations.Annotations { return nil }

type sample struct {
	ms     int64
	number float64
}

func (s sample) T() int64                    { return s.ms }
func (s sample) F() float64                  { return s.number }
func (sample) H() *histogram.Histogram       { panic(errors.ErrUnsupported) }
func (sample) FH() *histogram.FloatHistogram { panic(errors.ErrUnsupported) }
func (sample) Type() chunkenc.ValueType      { return chunkenc.ValFloat }
func (s sample) Copy() chunks.Sample         { return s }
