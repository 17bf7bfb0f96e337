// Command template renders templates as prometheus-adapter does, with Go's text/template: it reads one JSON string on
// each line, and writes for each its output or with the stage at which it is refused.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"text/template"

	"plimsoll.dev/oracle/template/naming"
)

type answer struct {
	Output *string `json:"output,omitempty"`
	Error  string  `json:"error,omitempty"`
}

func main() {
	if err := answerAll(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "template:", err)
		os.Exit(1)
	}
}

func answerAll(in io.Reader, out io.Writer) error {
	decoder := json.NewDecoder(bufio.NewReaderSize(in, 1<<20))
	writer := bufio.NewWriterSize(out, 1<<20)
	encoder := json.NewEncoder(writer)
	encoder.SetEscapeHTML(false)
	for {
		var text string
		if err := decoder.Decode(&text); errors.Is(err, io.EOF) {
			return writer.Flush()
		} else if err != nil {
			return err
		}
		if err := encoder.Encode(render(text)); err != nil {
			return err
		}
	}
}

func render(text string) answer {
	parsed, err := template.New("query").Delims("<<", ">>").Parse(text)
	if err != nil {
		return answer{Error: "compile"}
	}
	output := limited{left: 256 << 10}
	if err := parsed.Execute(&output, naming.Data()); err != nil {
		return answer{Error: "render"}
	}
	rendered := output.text.String()
	return answer{Output: &rendered}
}

// limited refuses what no query is: a few random templates are nested loops over nested loops.
type limited struct {
	text strings.Builder
	left int
}

func (l *limited) Write(part []byte) (int, error) {
	l.left -= len(part)
	if l.left < 0 {
		return 0, errors.New("the output is too long")
	}
	return l.text.Write(part)
}
