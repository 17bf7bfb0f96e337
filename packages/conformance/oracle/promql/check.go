package main

import (
	"time"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql/parser"
)

type checkRequest struct {
	Label     string      `json:"label"`
	Namespace string      `json:"namespace"`
	Cases     []checkCase `json:"cases"`
}

type checkCase struct {
	Query string `json:"query"`
	// Empty where it was refused.
	Rewritten string `json:"rewritten"`
}

// verdict is what a parser says of one query, before and after it was rewritten.
type verdict struct {
	// IsQuery: the parser takes the query as it was.
	IsQuery bool `json:"isQuery"`
	// IsEnforced: the enforcer takes it too.
	IsEnforced bool `json:"isEnforced"`
	// LeftOut are the selectors into which the enforcer puts no matcher; they get it before the comparison.
	LeftOut int `json:"leftOut"`
	// IsRewritten: the parser takes the rewritten query.
	IsRewritten bool `json:"isRewritten"`
	// IsSame: the rewritten query and that of the enforcer are the same expression.
	IsSame bool `json:"isSame"`
	// Enforced is the query of the enforcer, where it is not the same.
	Enforced string `json:"enforced,omitempty"`
	// Selectors of the rewritten query, and those of them that lack the matcher.
	Selectors int `json:"selectors"`
	Escapes   int `json:"escapes"`
	// OtherEscapes are those that the parser of VictoriaMetrics finds.
	IsOther      bool `json:"isOther"`
	OtherEscapes int  `json:"otherEscapes"`
	// Cost is that of the query as it was.
	Cost *cost `json:"cost,omitempty"`
}

type cost struct {
	MaxRangeMs     int64   `json:"maxRangeMs"`
	MaxEvaluations float64 `json:"maxEvaluations"`
	MaxLookbackMs  int64   `json:"maxLookbackMs"`
	HasFixedTime   bool    `json:"hasFixedTime"`
}

func check(asked checkRequest) []verdict {
	verdicts := make([]verdict, 0, len(asked.Cases))
	for _, one := range asked.Cases {
		verdicts = append(verdicts, checkOne(one, asked))
	}
	return verdicts
}

func checkOne(one checkCase, asked checkRequest) verdict {
	var found verdict
	if expr, err := parseExpr(one.Query); err == nil {
		found.IsQuery = true
		found.Cost = costOf(expr)
	}
	enforced := ""
	if found.IsQuery {
		enforced, found.LeftOut, found.IsEnforced = enforce(one.Query, asked)
	}
	if one.Rewritten == "" {
		return found
	}
	found.IsOther, found.OtherEscapes = checkOther(one.Rewritten, asked)
	expr, err := parseExpr(one.Rewritten)
	if err != nil {
		return found
	}
	found.IsRewritten = true
	if found.IsEnforced {
		if found.IsSame = expr.String() == enforced; !found.IsSame {
			found.Enforced = enforced
		}
	}
	inspect(expr, func(selector *parser.VectorSelector) {
		found.Selectors++
		if !hasMatcher(selector.LabelMatchers, asked) {
			found.Escapes++
		}
	})
	return found
}

func hasMatcher(matchers []*labels.Matcher, asked checkRequest) bool {
	for _, matcher := range matchers {
		if matcher.Name == asked.Label && matcher.Type == labels.MatchEqual && matcher.Value == asked.Namespace {
			return true
		}
	}
	return false
}

// inspect visits every selector. A call of info without a second argument selects series that no selector shows.
func inspect(expr parser.Expr, visit func(*parser.VectorSelector)) {
	parser.Inspect(expr, func(node parser.Node, _ []parser.Node) error {
		switch node := node.(type) {
		case *parser.VectorSelector:
			visit(node)
		case *parser.Call:
			if node.Func.Name == "info" {
				visit(&parser.VectorSelector{})
			}
		}
		return nil
	})
}

const defaultStep = time.Minute

// costOf finds how far back and how often a query reads, independent of the code that is checked with it.
func costOf(expr parser.Expr) *cost {
	found := cost{MaxEvaluations: 1}
	parser.Inspect(expr, func(node parser.Node, path []parser.Node) error {
		switch node := node.(type) {
		case *parser.MatrixSelector:
			found.MaxRangeMs = max(found.MaxRangeMs, node.Range.Milliseconds())
		case *parser.SubqueryExpr:
			found.MaxRangeMs = max(found.MaxRangeMs, node.Range.Milliseconds())
			found.MaxEvaluations = max(found.MaxEvaluations, evaluations(append(path, node)))
		case *parser.VectorSelector:
			back, isFixed := lookback(node, path)
			found.MaxLookbackMs = max(found.MaxLookbackMs, back.Milliseconds())
			found.HasFixedTime = found.HasFixedTime || isFixed
		}
		return nil
	})
	return &found
}

func stepOf(subquery *parser.SubqueryExpr) time.Duration {
	if subquery.Step == 0 {
		return defaultStep
	}
	return subquery.Step
}

// evaluations of what the subqueries are around: the product of their steps, or the steps of one over the time of all
// around it, because the engine evaluates it once over that time.
func evaluations(path []parser.Node) float64 {
	most, span := 1.0, time.Duration(0)
	for _, node := range path {
		if subquery, ok := node.(*parser.SubqueryExpr); ok {
			step := stepOf(subquery)
			span += subquery.Range
			most = max(most*float64(subquery.Range/step+1), float64(span/step+1))
		}
	}
	return most
}

// lookback goes from a selector outward, up to the first time that is set with @.
func lookback(selector *parser.VectorSelector, path []parser.Node) (time.Duration, bool) {
	back, isFixed := selector.OriginalOffset, selector.Timestamp != nil
	isSet := isFixed || selector.StartOrEnd != 0
	for at := len(path) - 1; at >= 0; at-- {
		switch around := path[at].(type) {
		case *parser.MatrixSelector:
			back += around.Range
		case *parser.SubqueryExpr:
			if isSet {
				return back, isFixed
			}
			back += around.Range + around.OriginalOffset
			isFixed = around.Timestamp != nil
			isSet = isFixed || around.StartOrEnd != 0
		}
	}
	return back, isFixed
}
