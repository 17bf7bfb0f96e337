//go:build kube1.35

package main

import (
	autoscalingv2beta1 "k8s.io/api/autoscaling/v2beta1"
	autoscalingv2beta2 "k8s.io/api/autoscaling/v2beta2"
	"k8s.io/apimachinery/pkg/runtime"
)

// The beta versions are not served any more, but the code that converts them was still there.
func init() {
	versioned[autoscalingv2beta1.SchemeGroupVersion] = func() runtime.Object {
		return &autoscalingv2beta1.HorizontalPodAutoscaler{}
	}
	versioned[autoscalingv2beta2.SchemeGroupVersion] = func() runtime.Object {
		return &autoscalingv2beta2.HorizontalPodAutoscaler{}
	}
}
