// Command oracle answers Plimsoll vectors with the real Kubernetes code: it reads vector files
// from its arguments, or a stream of them from standard input, and writes each back on one line
// with `expect` filled in by the horizontal pod autoscaler of the module version in go.mod.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"testing"

	"github.com/go-logr/logr"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/klog/v2"
)

func main() {
	// The time bubble of testing/synctest needs a *testing.T, and testing.Main is what hands one
	// to an ordinary program. Its own report must not mix with the answers.
	answers := os.Stdout
	os.Stdout = os.Stderr
	klog.SetLogger(logr.Discard())
	utilruntime.ErrorHandlers = nil
	// Cases are small and soon forgotten: memory for fewer collections is a good trade.
	debug.SetGCPercent(200)

	testing.Init()
	flag.Parse()
	everyName := func(_, _ string) (bool, error) { return true, nil }
	run := func(t *testing.T) {
		if err := answerAll(t, flag.Args(), os.Stdin, answers); err != nil {
			fmt.Fprintln(os.Stderr, "oracle:", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	testing.Main(everyName, []testing.InternalTest{{Name: "oracle", F: run}}, nil, nil)
}

func answerAll(t *testing.T, paths []string, in io.Reader, out io.Writer) error {
	if len(paths) == 0 {
		return answerStream(t, in, out)
	}
	for _, path := range paths {
		file, err := os.Open(path)
		if err != nil {
			return err
		}
		err = answerStream(t, file, out)
		file.Close()
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	return nil
}

// answerStream flushes after every file, so that a caller can work in lock-step with it.
func answerStream(t *testing.T, in io.Reader, out io.Writer) error {
	decoder := json.NewDecoder(bufio.NewReaderSize(in, 1<<20))
	writer := bufio.NewWriterSize(out, 1<<20)
	encoder := json.NewEncoder(writer)
	encoder.SetEscapeHTML(false)
	for {
		var file document
		if err := decoder.Decode(&file); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		if err := answerFile(t, file); err != nil {
			return err
		}
		if err := encoder.Encode(file); err != nil {
			return err
		}
		if err := writer.Flush(); err != nil {
			return err
		}
	}
}
