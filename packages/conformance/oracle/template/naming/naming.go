// Package naming has the data of a metricsQuery under the name that prometheus-adapter gives to its type.
package naming

type queryTemplateArgs struct {
	Series            string
	LabelMatchers     string
	LabelValuesByName map[string]string
	GroupBy           string
	GroupBySlice      []string
}

// Data is what every template is rendered with.
func Data() any {
	return queryTemplateArgs{
		Series:            "x_total",
		LabelMatchers:     `a="b",c="d"`,
		LabelValuesByName: map[string]string{"namespace": "ns", "service": "s1|s2"},
		GroupBy:           "pod,container",
		GroupBySlice:      []string{"pod", "container"},
	}
}
