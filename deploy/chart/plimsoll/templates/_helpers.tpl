{{- define "plimsoll.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 40 | trimSuffix "-" -}}
{{- end -}}

{{- define "plimsoll.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- $name := include "plimsoll.name" . -}}
{{- if contains $name .Release.Name -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name $name | trunc 40 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "plimsoll.namespace" -}}
{{- default .Release.Namespace .Values.namespaceOverride -}}
{{- end -}}

{{/* What a component is called: plimsoll.component (dict "root" $ "component" "metrics-adapter"). */}}
{{- define "plimsoll.component" -}}
{{- printf "%s-%s" (include "plimsoll.fullname" .root) .component -}}
{{- end -}}

{{- define "plimsoll.selectorLabels" -}}
app.kubernetes.io/name: {{ include "plimsoll.name" .root }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
{{- with .component }}
app.kubernetes.io/component: {{ . }}
{{- end }}
{{- end -}}

{{- define "plimsoll.labels" -}}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" }}
{{ include "plimsoll.selectorLabels" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/part-of: plimsoll
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
{{- with .root.Values.customLabels }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* metadata of an object: dict "root" $ "component" … "name" … "namespaced" true "annotations" (dict) "labels" (dict) */}}
{{- define "plimsoll.metadata" -}}
name: {{ .name }}
{{- if .namespaced }}
namespace: {{ default (include "plimsoll.namespace" .root) .namespace }}
{{- end }}
labels:
  {{- include "plimsoll.labels" . | nindent 2 }}
  {{- with .labels }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- with merge (dict) (default (dict) .annotations) .root.Values.customAnnotations }}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{- define "plimsoll.serviceAccount" -}}
{{- if .values.serviceAccount.create -}}
{{- default (include "plimsoll.component" .) .values.serviceAccount.name -}}
{{- else -}}
{{- default "default" .values.serviceAccount.name -}}
{{- end -}}
{{- end -}}

{{- define "plimsoll.image" -}}
{{- $image := .values.image -}}
{{- if $image.digest -}}
{{- printf "%s@%s" $image.repository $image.digest -}}
{{- else -}}
{{- $released := printf "%s%s" .root.Chart.AppVersion (ternary "-cloud" "" (eq true .values.cloudCredentials)) -}}
{{- printf "%s:%s" $image.repository (default $released $image.tag) -}}
{{- end -}}
{{- end -}}

{{- define "plimsoll.prometheusUrl" -}}
{{- $prometheus := .Values.prometheus -}}
{{- $port := ternary (printf ":%d" (int $prometheus.port)) "" (gt (int $prometheus.port) 0) -}}
{{- printf "%s%s%s" (trimSuffix "/" (tpl $prometheus.url .)) $port $prometheus.path -}}
{{- end -}}

{{/* The names of the APIServices, separated by spaces. */}}
{{- define "plimsoll.apiServices" -}}
{{- $rules := .Values.rules -}}
{{- $registered := .Values.adapter.apiServices -}}
{{- $all := not (empty $rules.existing) -}}
{{- $names := list -}}
{{- if and .Values.adapter.enabled $registered.create -}}
{{- if eq "true" (include "plimsoll.isRegistered" (list $registered.custom (or $all $rules.default $rules.custom .Values.adapter.metricRules.enabled))) -}}
{{- $names = concat $names (list "v1beta1.custom.metrics.k8s.io" "v1beta2.custom.metrics.k8s.io") -}}
{{- end -}}
{{- if eq "true" (include "plimsoll.isRegistered" (list $registered.external (or $rules.external .Values.adapter.metricRules.enabled))) -}}
{{- $names = append $names "v1beta1.external.metrics.k8s.io" -}}
{{- end -}}
{{- if eq "true" (include "plimsoll.isRegistered" (list $registered.resource $rules.resource)) -}}
{{- $names = append $names "v1beta1.metrics.k8s.io" -}}
{{- end -}}
{{- end -}}
{{- join " " $names -}}
{{- end -}}

{{/* What was said, or, where nothing was, whether there are rules. */}}
{{- define "plimsoll.isRegistered" -}}
{{- $said := index . 0 -}}
{{- if kindIs "bool" $said -}}{{ $said }}{{- else -}}{{ not (empty (index . 1)) }}{{- end -}}
{{- end -}}

{{/* own, given or cert-manager */}}
{{- define "plimsoll.certificates" -}}
{{- if .Values.adapter.certManager.enabled -}}cert-manager
{{- else if .Values.adapter.tls.enable -}}given
{{- else -}}own
{{- end -}}
{{- end -}}

{{- define "plimsoll.certificateSecret" -}}
{{- default (printf "%s-tls" (include "plimsoll.component" (dict "root" . "component" "metrics-adapter"))) .Values.adapter.tls.existingSecret -}}
{{- end -}}

{{- define "plimsoll.rulesConfigMap" -}}
{{- default (include "plimsoll.component" (dict "root" . "component" "metrics-adapter")) .Values.rules.existing -}}
{{- end -}}

{{/* The part of a pod that does not depend on what runs in it. */}}
{{- define "plimsoll.podPlacement" -}}
{{- $v := .values -}}
{{- with $v.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
{{- with $v.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
automountServiceAccountToken: {{ $v.automountServiceAccountToken }}
terminationGracePeriodSeconds: {{ $v.terminationGracePeriodSeconds }}
securityContext:
  {{- toYaml $v.podSecurityContext | nindent 2 }}
topologySpreadConstraints:
  {{- if $v.topologySpreadConstraints }}
  {{- toYaml $v.topologySpreadConstraints | nindent 2 }}
  {{- else }}
  - maxSkew: 1
    topologyKey: kubernetes.io/hostname
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels:
        {{- include "plimsoll.selectorLabels" . | nindent 8 }}
  {{- end }}
{{- with $v.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $v.affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $v.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{- define "plimsoll.serviceAccountObject" -}}
{{- if .values.serviceAccount.create }}
apiVersion: v1
kind: ServiceAccount
metadata:
  {{- include "plimsoll.metadata" (merge (dict "name" (include "plimsoll.serviceAccount" .) "namespaced" true "annotations" .values.serviceAccount.annotations) .) | nindent 2 }}
automountServiceAccountToken: {{ .values.serviceAccount.automountServiceAccountToken }}
{{- end }}
{{- end -}}

{{- define "plimsoll.podDisruptionBudget" -}}
{{- $budget := .values.podDisruptionBudget }}
{{- if and $budget.enabled (gt (int .values.replicas) 1) }}
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  {{- include "plimsoll.metadata" (merge (dict "name" (include "plimsoll.component" .) "namespaced" true) .) | nindent 2 }}
spec:
  {{- if not (kindIs "invalid" $budget.minAvailable) }}
  minAvailable: {{ $budget.minAvailable }}
  {{- else }}
  maxUnavailable: {{ kindIs "invalid" $budget.maxUnavailable | ternary 1 $budget.maxUnavailable }}
  {{- end }}
  {{- with $budget.unhealthyPodEvictionPolicy }}
  unhealthyPodEvictionPolicy: {{ . }}
  {{- end }}
  selector:
    matchLabels:
      {{- include "plimsoll.selectorLabels" . | nindent 6 }}
{{- end }}
{{- end -}}

{{/* A binding: dict "root" "component" "name" "kind" "roleKind" "role" "account" and, of a RoleBinding, "namespace" */}}
{{- define "plimsoll.binding" -}}
apiVersion: rbac.authorization.k8s.io/v1
kind: {{ .kind }}
metadata:
  {{- include "plimsoll.metadata" (merge (dict "namespaced" (eq .kind "RoleBinding")) .) | nindent 2 }}
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: {{ .roleKind }}
  name: {{ .role | quote }}
subjects:
  - kind: ServiceAccount
    name: {{ .account }}
    namespace: {{ include "plimsoll.namespace" .root }}
{{- end -}}
