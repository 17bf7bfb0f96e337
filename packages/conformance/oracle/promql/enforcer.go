//go:build !prometheus3.16 && !prometheus2.42

package main

import (
	"math/rand"

	"github.com/VictoriaMetrics/metricsql"
	"github.com/cortexproject/promqlsmith"
	"github.com/prometheus-community/prom-label-proxy/injectproxy"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql/parser"
)

func init() {
	parser.EnableExperimentalFunctions = true
	parser.ExperimentalDurationExpr = true
	parser.EnableExtendedRangeSelectors = true
}

func parseExpr(query string) (parser.Expr, error) {
	return parser.ParseExpr(query)
}

// enforce is what prom-label-proxy makes of a query, with the matcher also in the selectors that it leaves out: it does
// not look into the parameter of an aggregation, as in topk(scalar(x), y).
func enforce(query string, asked checkRequest) (string, int, bool) {
	matcher, err := labels.NewMatcher(labels.MatchEqual, asked.Label, asked.Namespace)
	if err != nil {
		return "", 0, false
	}
	enforced, err := injectproxy.NewPromQLEnforcer(true, matcher).Enforce(query)
	if err != nil {
		return "", 0, false
	}
	expr, err := parser.ParseExpr(enforced)
	if err != nil {
		return "", 0, false
	}
	leftOut := 0
	parser.Inspect(expr, func(node parser.Node, _ []parser.Node) error {
		if selector, ok := node.(*parser.VectorSelector); ok && !hasMatcher(selector.LabelMatchers, asked) {
			selector.LabelMatchers = append(selector.LabelMatchers, matcher)
			leftOut++
		}
		return nil
	})
	return expr.String(), leftOut, true
}

// checkOther counts the selectors without the matcher that VictoriaMetrics sees in a rewritten query.
func checkOther(query string, asked checkRequest) (bool, int) {
	expr, err := metricsql.Parse(query)
	if err != nil {
		return false, 0
	}
	escapes := 0
	metricsql.VisitAll(expr, func(node metricsql.Expr) {
		selector, ok := node.(*metricsql.MetricExpr)
		if !ok {
			return
		}
		for _, filters := range selector.LabelFilterss {
			if !hasFilter(filters, asked) {
				escapes++
			}
		}
		if len(selector.LabelFilterss) == 0 {
			escapes++
		}
	})
	return true, escapes
}

func hasFilter(filters []metricsql.LabelFilter, asked checkRequest) bool {
	for _, filter := range filters {
		if filter.Label == asked.Label && filter.Value == asked.Namespace && !filter.IsNegative && !filter.IsRegexp {
			return true
		}
	}
	return false
}

// series have names and labels that are words of PromQL, or need quotes.
func series() []labels.Labels {
	var all []labels.Labels
	for _, name := range []string{
		"http_requests_total", "up", "a:b", "sum", "by", "and", "start", "step", "rate", "with", "default", "limit",
		"http.server.duration", "ä ö", "a\"b",
	} {
		for _, pod := range []string{"p-1", "p-2", "`", "a\\.b", "}\n#", "日本"} {
			all = append(all, labels.FromStrings("__name__", name, "pod", pod, "on", "x", "le", "0.5", "service.name", "s"))
		}
	}
	return all
}

func randomQueries(count int, seed int64) []string {
	smith := promqlsmith.New(
		rand.New(rand.NewSource(seed)),
		series(),
		promqlsmith.WithEnableOffset(true),
		promqlsmith.WithEnableAtModifier(true),
		promqlsmith.WithAtModifierMaxTimestamp(1_800_000_000_000),
		promqlsmith.WithEnableVectorMatching(true),
		promqlsmith.WithEnableExperimentalPromQLFunctions(true),
	)
	queries := make([]string, 0, count)
	for range count {
		queries = append(queries, smith.WalkInstantQuery().String())
	}
	return queries
}
