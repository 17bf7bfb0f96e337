{{/* Generated from deploy/kustomize by scripts/generate-deploy.ts; do not edit. */}}
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
    - get
    - list
    - create
    - update
    - delete
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
