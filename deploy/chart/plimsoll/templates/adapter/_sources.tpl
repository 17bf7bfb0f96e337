{{/*
The sources, with the keys of their Secrets as paths: "file" of a source becomes a path below the folder in which its
Secret is mounted. Paths that begin with a slash stay. Call with the values; as JSON, because a template gives text.
*/}}
{{- define "plimsoll.sources" -}}
{{- $sources := list -}}
{{- range .Values.sources -}}
{{- $source := omit (deepCopy .) "secret" -}}
{{- $of := dict "name" .name "secret" .secret -}}
{{- range $section := list "auth" "tls" -}}
{{- $fields := get $source $section | default dict -}}
{{- range $key, $value := $fields -}}
{{- if hasSuffix "File" $key -}}
{{- $_ := set $fields $key (include "plimsoll.sourceFile" (merge (dict "file" $value "field" (printf "%s.%s" $section $key)) $of)) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- range $header := $source.headersFrom -}}
{{- $_ := set $header "file" (include "plimsoll.sourceFile" (merge (dict "file" $header.file "field" "headersFrom.file") $of)) -}}
{{- end -}}
{{- $sources = append $sources $source -}}
{{- end -}}
{{- toJson $sources -}}
{{- end -}}

{{/* One file. Call with name, secret, file and field. */}}
{{- define "plimsoll.sourceFile" -}}
{{- if hasPrefix "/" .file -}}
{{- .file -}}
{{- else if not .secret -}}
{{- fail (printf "sources: %s of the source %s names the key %s, but the source names no Secret: set its field secret, or write a path that begins with /." .field .name .file) -}}
{{- else -}}
{{- printf "/etc/plimsoll/source-secrets/%s/%s" .name .file -}}
{{- end -}}
{{- end -}}

{{/* The ports of the sources and of their token endpoints, one each, with a blank between. */}}
{{- define "plimsoll.sourcePorts" -}}
{{- $ports := list -}}
{{- range .Values.sources -}}
{{- $tokenUrl := dig "auth" "tokenUrl" "" . -}}
{{- range $url := compact (list .url $tokenUrl) -}}
{{- $port := regexFind ":[0-9]+$" (urlParse $url).host | trimPrefix ":" -}}
{{- $ports = append $ports (default (ternary "443" "80" (hasPrefix "https:" (lower $url))) $port) -}}
{{- end -}}
{{- end -}}
{{- uniq $ports | sortAlpha | join " " -}}
{{- end -}}
