package main

import (
	"context"
	"time"
	_ "unsafe" // for go:linkname

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/kubernetes/pkg/controller/podautoscaler"
)

// The controller's own unexported steps, bound by name: a vector of kind `behavior` or `proposal`
// is one of these steps, and a trajectory needs exactly one pass at an instant of its choice.

//go:linkname enqueueHPA k8s.io/kubernetes/pkg/controller/podautoscaler.(*HorizontalController).enqueueHPA
func enqueueHPA(c *podautoscaler.HorizontalController, hpa any)

//go:linkname reconcileKey k8s.io/kubernetes/pkg/controller/podautoscaler.(*HorizontalController).reconcileKey
func reconcileKey(c *podautoscaler.HorizontalController, ctx context.Context, key string) (deleted bool, err error)

//go:linkname computeReplicasForMetric k8s.io/kubernetes/pkg/controller/podautoscaler.(*HorizontalController).computeReplicasForMetric
func computeReplicasForMetric(c *podautoscaler.HorizontalController, ctx context.Context,
	hpa *autoscalingv2.HorizontalPodAutoscaler, spec autoscalingv2.MetricSpec, specReplicas, statusReplicas int32,
	selector labels.Selector, status *autoscalingv2.MetricStatus,
) (replicas int32, metric string, at time.Time, condition autoscalingv2.HorizontalPodAutoscalerCondition, err error)

//go:linkname normalizeDesiredReplicas k8s.io/kubernetes/pkg/controller/podautoscaler.(*HorizontalController).normalizeDesiredReplicas
func normalizeDesiredReplicas(c *podautoscaler.HorizontalController, hpa *autoscalingv2.HorizontalPodAutoscaler,
	key string, current, desired, minimum int32) int32

//go:linkname normalizeDesiredReplicasWithBehaviors k8s.io/kubernetes/pkg/controller/podautoscaler.(*HorizontalController).normalizeDesiredReplicasWithBehaviors
func normalizeDesiredReplicasWithBehaviors(c *podautoscaler.HorizontalController, hpa *autoscalingv2.HorizontalPodAutoscaler,
	key string, current, desired, minimum int32) int32
