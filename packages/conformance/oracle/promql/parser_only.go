//go:build prometheus3.16 || prometheus2.42

package main

import "errors"

// Only the enforcer's own version makes queries, compares them, and evaluates them.

func enforce(string, checkRequest) (string, int, bool) { return "", 0, false }
func checkOther(string, checkRequest) (bool, int)      { return false, 0 }
func randomQueries(int, int64) []string                { return nil }
func evaluateAll(evaluateRequest) ([]outcome, error)   { return nil, errors.ErrUnsupported }
