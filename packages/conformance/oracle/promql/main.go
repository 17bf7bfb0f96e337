// Command promql says what the real parsers of PromQL make of queries that @plimsoll/prometheus has rewritten. It reads
// one request on each line, and writes one response for each: random queries, the queries of a module's own tests,
// verdicts about rewritten queries, or what the real engine makes of queries over given samples.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
)

type request struct {
	// Random queries of a seed.
	Random *struct {
		Count int   `json:"count"`
		Seed  int64 `json:"seed"`
	} `json:"random"`
	// The folder of a Prometheus module, of whose tests the queries are wanted.
	Corpus string `json:"corpus"`
	// Rewritten queries to check.
	Check *checkRequest `json:"check"`
	// Queries to evaluate.
	Evaluate *evaluateRequest `json:"evaluate"`
}

type response struct {
	Queries  []string  `json:"queries,omitempty"`
	Verdicts []verdict `json:"verdicts,omitempty"`
	Results  []outcome `json:"results,omitempty"`
}

func main() {
	complaints := os.Stderr
	// Some queries make a parser panic. It recovers, refuses them, and writes its stack.
	if nowhere, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0); err == nil {
		os.Stderr = nowhere
	}
	if err := answerAll(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(complaints, "promql:", err)
		os.Exit(1)
	}
}

func answerAll(in io.Reader, out io.Writer) error {
	decoder := json.NewDecoder(bufio.NewReaderSize(in, 1<<20))
	writer := bufio.NewWriterSize(out, 1<<20)
	encoder := json.NewEncoder(writer)
	encoder.SetEscapeHTML(false)
	for {
		var asked request
		if err := decoder.Decode(&asked); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		answered, err := answer(asked)
		if err != nil {
			return err
		}
		if err := encoder.Encode(answered); err != nil {
			return err
		}
		if err := writer.Flush(); err != nil {
			return err
		}
	}
}

func answer(asked request) (response, error) {
	switch {
	case asked.Random != nil:
		return response{Queries: randomQueries(asked.Random.Count, asked.Random.Seed)}, nil
	case asked.Corpus != "":
		queries, err := corpus(asked.Corpus)
		return response{Queries: queries}, err
	case asked.Check != nil:
		return response{Verdicts: check(*asked.Check)}, nil
	case asked.Evaluate != nil:
		results, err := evaluateAll(*asked.Evaluate)
		return response{Results: results}, err
	}
	return response{}, errors.New("an empty request")
}
