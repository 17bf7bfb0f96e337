// Reads dashboards as Grafana's own types have them: a field that is none, a value of another type, and a panel whose
// options are not those of its kind are errors. One line for each.
package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/grafana/grafana-foundation-sdk/go/cog"
	"github.com/grafana/grafana-foundation-sdk/go/cog/plugins"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
)

func main() {
	plugins.RegisterDefaultPlugins()
	failed := false
	for _, path := range os.Args[1:] {
		raw, err := os.ReadFile(path)
		if err == nil {
			var board dashboard.Dashboard
			err = errors.Join(board.UnmarshalJSONStrict(raw), board.Validate())
		}
		if err != nil {
			failed = true
			var many cog.BuildErrors
			if errors.As(err, &many) {
				for _, one := range many {
					fmt.Printf("%s: %s: %s\n", path, one.Path, one.Message)
				}
			} else {
				fmt.Printf("%s: %s\n", path, err)
			}
		}
	}
	if failed {
		os.Exit(1)
	}
}
