{{/* The rules file. */}}
{{- define "plimsoll.rulesFile" -}}
{{- $rules := .Values.rules -}}
{{- $custom := list -}}
{{- if $rules.default -}}
{{- $custom = (.Files.Get "files/rules/default.yaml" | fromYaml).rules -}}
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
