//go:build kube1.32

package main

import (
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	"k8s.io/apimachinery/pkg/api/resource"
)

// The API of this release has no such field, so what a vector says of it is dropped as on a write.
func tolerating(*resource.Quantity) *autoscalingv2.HPAScalingRules {
	return &autoscalingv2.HPAScalingRules{}
}
