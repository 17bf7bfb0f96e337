//go:build prometheus3.16

package main

import "github.com/prometheus/prometheus/promql/parser"

// What a server may have switched on, so that it reads the most.
var newest = parser.NewParser(parser.Options{
	EnableExperimentalFunctions: true,
	EnableBinopFillModifiers:    true,
	EnableUnquotedUTF8Names:     true,
})

func parseExpr(query string) (parser.Expr, error) {
	return newest.ParseExpr(query)
}
