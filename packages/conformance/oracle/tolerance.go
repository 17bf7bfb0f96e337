//go:build !kube1.32

package main

import (
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	"k8s.io/apimachinery/pkg/api/resource"
)

func tolerating(tolerance *resource.Quantity) *autoscalingv2.HPAScalingRules {
	return &autoscalingv2.HPAScalingRules{Tolerance: tolerance}
}
