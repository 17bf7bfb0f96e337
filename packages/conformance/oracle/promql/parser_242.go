//go:build prometheus2.42

package main

import "github.com/prometheus/prometheus/promql/parser"

func parseExpr(query string) (parser.Expr, error) {
	return parser.ParseExpr(query)
}
