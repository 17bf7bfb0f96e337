{{/* Generated from deploy/kustomize by npm run generate; do not edit. */}}
{{- define "plimsoll.rules.ClusterRole.plimsoll-autoscaler" -}}
- apiGroups:
    - autoscaling
  resources:
    - horizontalpodautoscalers
  verbs:
    - list
    - watch
- apiGroups:
    - autoscaling
  resources:
    - horizontalpodautoscalers/status
  verbs:
    - update
- apiGroups:
    - autoscaling.plimsoll.dev
  resources:
    - workloadautoscalers
  verbs:
    - list
    - watch
- apiGroups:
    - autoscaling.plimsoll.dev
  resources:
    - workloadautoscalers/status
  verbs:
    - update
- apiGroups:
    - ""
  resources:
    - pods
  verbs:
    - list
    - watch
- apiGroups:
    - apps
  resources:
    - deployments
    - statefulsets
    - replicasets
  verbs:
    - get
    - list
    - watch
- apiGroups:
    - ""
  resources:
    - replicationcontrollers
  verbs:
    - get
    - list
    - watch
- apiGroups:
    - "*"
  resources:
    - "*/scale"
  verbs:
    - get
    - update
- apiGroups:
    - metrics.k8s.io
  resources:
    - pods
  verbs:
    - list
- apiGroups:
    - custom.metrics.k8s.io
  resources:
    - "*"
  verbs:
    - get
- apiGroups:
    - external.metrics.k8s.io
  resources:
    - "*"
  verbs:
    - list
- apiGroups:
    - ""
  resources:
    - events
  verbs:
    - create
    - patch
{{- end }}

{{- define "plimsoll.rules.ClusterRole.plimsoll-autoscaler-reviews" -}}
- apiGroups:
    - authentication.k8s.io
  resources:
    - tokenreviews
  verbs:
    - create
- apiGroups:
    - authorization.k8s.io
  resources:
    - subjectaccessreviews
  verbs:
    - create
{{- end }}

{{- define "plimsoll.rules.Role.plimsoll-autoscaler-leases" -}}
- apiGroups:
    - coordination.k8s.io
  resources:
    - leases
  verbs:
    - create
- apiGroups:
    - coordination.k8s.io
  resources:
    - leases
  resourceNames:
    - plimsoll-autoscaler
  verbs:
    - get
    - update
{{- end }}

{{- define "plimsoll.rules.Role.plimsoll-metrics-adapter-certificate" -}}
- apiGroups:
    - ""
  resources:
    - secrets
  resourceNames:
    - metrics-adapter-tls
  verbs:
    - get
    - update
{{- end }}

{{- define "plimsoll.rules.ClusterRole.plimsoll-metrics-adapter-ca-bundle" -}}
- apiGroups:
    - apiregistration.k8s.io
  resources:
    - apiservices
  resourceNames:
    - v1beta1.custom.metrics.k8s.io
    - v1beta2.custom.metrics.k8s.io
  verbs:
    - list
    - watch
    - patch
{{- end }}

{{- define "plimsoll.rules.ClusterRole.plimsoll-metrics-adapter" -}}
- apiGroups:
    - ""
  resources:
    - nodes
    - pods
  verbs:
    - list
    - watch
{{- end }}

{{- define "plimsoll.rules.ClusterRole.plimsoll-reader" -}}
- apiGroups:
    - autoscaling
  resources:
    - horizontalpodautoscalers
  verbs:
    - get
    - list
    - watch
- apiGroups:
    - autoscaling.plimsoll.dev
  resources:
    - workloadautoscalers
    - metricrules
  verbs:
    - get
    - list
    - watch
- apiGroups:
    - explain.plimsoll.dev
  resources:
    - "*"
  verbs:
    - get
    - list
- apiGroups:
    - "*"
  resources:
    - "*/scale"
  verbs:
    - get
- apiGroups:
    - ""
  resources:
    - pods
    - events
    - services
    - resourcequotas
    - nodes
    - namespaces
  verbs:
    - get
    - list
    - watch
- apiGroups:
    - apps
  resources:
    - deployments
    - statefulsets
    - replicasets
  verbs:
    - get
    - list
- apiGroups:
    - ""
  resources:
    - replicationcontrollers
  verbs:
    - get
    - list
- apiGroups:
    - metrics.k8s.io
  resources:
    - pods
    - nodes
  verbs:
    - get
    - list
- apiGroups:
    - custom.metrics.k8s.io
    - external.metrics.k8s.io
  resources:
    - "*"
  verbs:
    - get
    - list
- apiGroups:
    - policy
  resources:
    - poddisruptionbudgets
  verbs:
    - get
    - list
- apiGroups:
    - autoscaling.k8s.io
  resources:
    - verticalpodautoscalers
  verbs:
    - get
    - list
- apiGroups:
    - autoscaling.alibabacloud.com
  resources:
    - cronhorizontalpodautoscalers
  verbs:
    - get
    - list
- apiGroups:
    - keda.sh
  resources:
    - scaledobjects
  verbs:
    - get
    - list
- apiGroups:
    - datadoghq.com
  resources:
    - datadogpodautoscalers
  verbs:
    - get
    - list
- apiGroups:
    - argoproj.io
  resources:
    - rollouts
  verbs:
    - get
    - list
- apiGroups:
    - networking.k8s.io
  resources:
    - ingresses
    - ingressclasses
  verbs:
    - get
    - list
- apiGroups:
    - gateway.networking.k8s.io
  resources:
    - gateways
    - gatewayclasses
    - httproutes
  verbs:
    - get
    - list
- apiGroups:
    - apiregistration.k8s.io
  resources:
    - apiservices
  verbs:
    - get
    - list
- apiGroups:
    - apiextensions.k8s.io
  resources:
    - customresourcedefinitions
  verbs:
    - get
    - list
- apiGroups:
    - coordination.k8s.io
  resources:
    - leases
  verbs:
    - get
    - list
- nonResourceURLs:
    - /metrics
  verbs:
    - get
{{- end }}

{{- define "plimsoll.rules.Role.plimsoll-endpoint" -}}
- apiGroups:
    - coordination.k8s.io
  resources:
    - leases
  verbs:
    - get
    - list
- apiGroups:
    - ""
  resources:
    - pods
    - services
  verbs:
    - get
    - list
- apiGroups:
    - ""
  resources:
    - pods/portforward
  verbs:
    - get
    - create
- apiGroups:
    - ""
  resources:
    - pods/log
  verbs:
    - get
- apiGroups:
    - ""
  resources:
    - services/proxy
  verbs:
    - get
- apiGroups:
    - ""
  resources:
    - configmaps
  verbs:
    - get
{{- end }}

{{- define "plimsoll.rules.ClusterRole.plimsoll-cron-hpa" -}}
- apiGroups:
    - autoscaling.alibabacloud.com
  resources:
    - cronhorizontalpodautoscalers
  verbs:
    - get
    - list
    - watch
    - patch
- apiGroups:
    - autoscaling.alibabacloud.com
  resources:
    - cronhorizontalpodautoscalers/status
  verbs:
    - patch
- apiGroups:
    - autoscaling
  resources:
    - horizontalpodautoscalers
  verbs:
    - get
    - patch
{{- end }}

{{- define "plimsoll.rules.ClusterRole.plimsoll-hpa-schedules" -}}
- apiGroups:
    - autoscaling
  resources:
    - horizontalpodautoscalers
  verbs:
    - get
    - patch
- apiGroups:
    - autoscaling.plimsoll.dev
  resources:
    - workloadautoscalers
  verbs:
    - get
    - patch
{{- end }}

{{- define "plimsoll.rules.ClusterRole.plimsoll-live-metrics" -}}
- apiGroups:
    - "*"
  resources:
    - "*/scale"
  verbs:
    - get
{{- end }}

{{- define "plimsoll.rules.ClusterRole.plimsoll-metric-rules" -}}
- apiGroups:
    - autoscaling.plimsoll.dev
  resources:
    - metricrules
  verbs:
    - list
    - watch
- apiGroups:
    - autoscaling.plimsoll.dev
  resources:
    - metricrules/status
  verbs:
    - update
- apiGroups:
    - autoscaling.plimsoll.dev
  resources:
    - workloadautoscalers
  verbs:
    - list
    - watch
{{- end }}

{{- define "plimsoll.rules.ClusterRole.plimsoll-metric-rules-edit" -}}
- apiGroups:
    - autoscaling.plimsoll.dev
  resources:
    - metricrules
  verbs:
    - get
    - list
    - watch
    - create
    - update
    - patch
    - delete
    - deletecollection
{{- end }}

{{- define "plimsoll.rules.ClusterRole.plimsoll-metric-rules-view" -}}
- apiGroups:
    - autoscaling.plimsoll.dev
  resources:
    - metricrules
  verbs:
    - get
    - list
    - watch
{{- end }}

{{- define "plimsoll.rules.Role.plimsoll-reader" -}}
- apiGroups:
    - autoscaling
  resources:
    - horizontalpodautoscalers
  verbs:
    - get
    - list
    - watch
- apiGroups:
    - autoscaling.plimsoll.dev
  resources:
    - workloadautoscalers
  verbs:
    - get
    - list
    - watch
- apiGroups:
    - explain.plimsoll.dev
  resources:
    - "*"
  verbs:
    - get
    - list
- apiGroups:
    - "*"
  resources:
    - "*/scale"
  verbs:
    - get
- apiGroups:
    - ""
  resources:
    - pods
    - events
    - services
    - resourcequotas
    - replicationcontrollers
  verbs:
    - get
    - list
    - watch
- apiGroups:
    - apps
  resources:
    - deployments
    - statefulsets
    - replicasets
  verbs:
    - get
    - list
- apiGroups:
    - metrics.k8s.io
  resources:
    - pods
  verbs:
    - get
    - list
- apiGroups:
    - custom.metrics.k8s.io
    - external.metrics.k8s.io
  resources:
    - "*"
  verbs:
    - get
    - list
- apiGroups:
    - policy
  resources:
    - poddisruptionbudgets
  verbs:
    - get
    - list
- apiGroups:
    - autoscaling.k8s.io
  resources:
    - verticalpodautoscalers
  verbs:
    - get
    - list
- apiGroups:
    - autoscaling.alibabacloud.com
  resources:
    - cronhorizontalpodautoscalers
  verbs:
    - get
    - list
- apiGroups:
    - keda.sh
  resources:
    - scaledobjects
  verbs:
    - get
    - list
- apiGroups:
    - datadoghq.com
  resources:
    - datadogpodautoscalers
  verbs:
    - get
    - list
- apiGroups:
    - argoproj.io
  resources:
    - rollouts
  verbs:
    - get
    - list
{{- end }}

{{- define "plimsoll.rules.Role.plimsoll-autoscaler-shards" -}}
- apiGroups:
    - coordination.k8s.io
  resources:
    - leases
  verbs:
    - get
    - list
    - update
    - delete
{{- end }}
