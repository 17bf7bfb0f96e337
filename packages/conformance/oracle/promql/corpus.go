package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

var evaluated = regexp.MustCompile(`^\s*eval(?:_\w+)?\s+(?:instant(?:\s+at\s+\S+)?|range\s+from\s+\S+\s+to\s+\S+\s+step\s+\S+)\s+(.+)$`)

// corpus reads the queries of the tests of a Prometheus module: every string in those of its parser, also what is no
// query there, and every expression that the scripts of its engine evaluate.
func corpus(module string) ([]string, error) {
	var found []string
	sources, err := filepath.Glob(filepath.Join(module, "promql", "parser", "*_test.go"))
	if err != nil {
		return nil, err
	}
	for _, source := range sources {
		file, err := parser.ParseFile(token.NewFileSet(), source, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		ast.Inspect(file, func(node ast.Node) bool {
			if literal, ok := node.(*ast.BasicLit); ok && literal.Kind == token.STRING {
				if text, err := strconv.Unquote(literal.Value); err == nil {
					found = append(found, text)
				}
			}
			return true
		})
	}
	scripts, err := filepath.Glob(filepath.Join(module, "promql", "promqltest", "testdata", "*.test"))
	if err != nil {
		return nil, err
	}
	for _, script := range scripts {
		text, err := os.ReadFile(script)
		if err != nil {
			return nil, err
		}
		for _, line := range strings.Split(string(text), "\n") {
			if match := evaluated.FindStringSubmatch(line); match != nil {
				found = append(found, match[1])
			}
		}
	}
	return found, nil
}
