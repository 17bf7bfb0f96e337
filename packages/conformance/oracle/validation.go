//go:build !kube1.32 && !kube1.35

package main

import (
	"context"
	"slices"
	"testing"

	genericrequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"k8s.io/kubernetes/pkg/apis/autoscaling"
	"k8s.io/kubernetes/pkg/registry/autoscaling/horizontalpodautoscaler"
)

func init() { answerers["validation"] = answerValidation }

type validity struct {
	Valid  bool     `json:"valid"`
	Fields []string `json:"fields,omitempty"`
}

func answerValidation(_ *testing.T, c document) error {
	var o options
	if err := read(c, "scaleToZero", &o.ScaleToZero); err != nil {
		return err
	}
	if o.ScaleToZero == nil {
		o.ScaleToZero = new(bool)
	}
	if err := setGate(o); err != nil {
		return err
	}
	object, version, err := readObject(c, "hpa")
	if err != nil {
		return err
	}
	internal := &autoscaling.HorizontalPodAutoscaler{}
	if err := legacyscheme.Scheme.Convert(object, internal, nil); err != nil {
		return err
	}
	ctx := genericrequest.WithRequestInfo(context.Background(), &genericrequest.RequestInfo{
		IsResourceRequest: true, Verb: "create", APIGroup: version.Group, APIVersion: version.Version,
		Resource: "horizontalpodautoscalers", Namespace: internal.Namespace,
	})
	problems := rest.ValidateCreate(ctx, internal, horizontalpodautoscaler.Strategy)
	answer := validity{Valid: len(problems) == 0}
	for _, problem := range problems {
		if !slices.Contains(answer.Fields, problem.Field) {
			answer.Fields = append(answer.Fields, problem.Field)
		}
	}
	// A set; upstream's own order changes from run to run.
	slices.Sort(answer.Fields)
	return write(c, "expect", answer)
}
