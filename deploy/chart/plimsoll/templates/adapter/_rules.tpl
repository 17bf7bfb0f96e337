{{/* The rules file. */}}
{{- define "plimsoll.rulesFile" -}}
{{- $rules := .Values.rules -}}
{{- $custom := list -}}
{{- if $rules.default -}}
{{- $custom = (include "plimsoll.defaultRules" . | fromYaml).rules -}}
{{- end -}}
{{- $file := dict -}}
{{- with concat $custom $rules.custom -}}
{{- $_ := set $file "rules" . -}}
{{- end -}}
{{- with $rules.external -}}
{{- $_ := set $file "externalRules" . -}}
{{- end -}}
{{- with $rules.resource -}}
{{- $_ := set $file "resourceRules" . -}}
{{- end -}}
{{- toYaml $file -}}
{{- end -}}

{{/* Counters as rates, gauges as they are: of containers by namespace and pod, of all else by labels that name a resource. */}}
{{- define "plimsoll.defaultRules" -}}
{{- $containers := `{__name__=~"^container_.*",container!="POD",namespace!="",pod!=""}` -}}
{{- $others := `{namespace!="",__name__!~"^container_.*"}` -}}
{{- $container := `<<.Series>>{<<.LabelMatchers>>,container!="POD"}` -}}
{{- $other := `<<.Series>>{<<.LabelMatchers>>}` -}}
rules:
  {{- range list
    (dict "isNot" "" "matches" "^container_(.*)_seconds_total$" "rate" true)
    (dict "isNot" "^container_.*_seconds_total$" "matches" "^container_(.*)_total$" "rate" true)
    (dict "isNot" "^container_.*_total$" "matches" "^container_(.*)$" "rate" false) }}
  - seriesQuery: {{ $containers | squote }}
    {{- with .isNot }}
    seriesFilters: [{ isNot: {{ . | squote }} }]
    {{- end }}
    resources:
      overrides:
        namespace: { resource: namespace }
        pod: { resource: pod }
    name: { matches: {{ .matches | squote }} }
    metricsQuery: {{ ternary (printf "sum(rate(%s[5m])) by (<<.GroupBy>>)" $container) (printf "sum(%s) by (<<.GroupBy>>)" $container) .rate | squote }}
  {{- end }}
  {{- range list
    (dict "isNot" ".*_total$" "matches" "" "rate" false)
    (dict "isNot" ".*_seconds_total" "matches" "^(.*)_total$" "rate" true)
    (dict "isNot" "" "matches" "^(.*)_seconds_total$" "rate" true) }}
  - seriesQuery: {{ $others | squote }}
    {{- with .isNot }}
    seriesFilters: [{ isNot: {{ . | squote }} }]
    {{- end }}
    resources: { template: "<<.Resource>>" }
    {{- with .matches }}
    name: { matches: {{ . | squote }} }
    {{- end }}
    metricsQuery: {{ ternary (printf "sum(rate(%s[5m])) by (<<.GroupBy>>)" $other) (printf "sum(%s) by (<<.GroupBy>>)" $other) .rate | squote }}
  {{- end }}
{{- end -}}
