//go:build !kube1.32 && !kube1.35

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	genericrequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"k8s.io/kubernetes/pkg/apis/autoscaling"
	_ "k8s.io/kubernetes/pkg/apis/autoscaling/install"
	"k8s.io/kubernetes/pkg/registry/autoscaling/horizontalpodautoscaler"
)

func init() {
	answerers["validation"] = answerValidation
	answerers["defaulting"] = answerDefaulting
	answerers["conversion"] = answerConversion
}

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
	versioned, version, err := readObject(c, "hpa")
	if err != nil {
		return err
	}
	internal := &autoscaling.HorizontalPodAutoscaler{}
	if err := legacyscheme.Scheme.Convert(versioned, internal, nil); err != nil {
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
	return write(c, "expect", answer)
}

func answerDefaulting(_ *testing.T, c document) error {
	object, version, err := readObject(c, "from")
	if err != nil {
		return err
	}
	legacyscheme.Scheme.Default(object)
	return writeObject(c, object, version)
}

func answerConversion(_ *testing.T, c document) error {
	var to string
	if err := read(c, "to", &to); err != nil {
		return err
	}
	from, _, err := readObject(c, "from")
	if err != nil {
		return err
	}
	version := autoscaling.SchemeGroupVersion
	version.Version = strings.TrimPrefix(to, version.Group+"/")
	object, err := newObject(version)
	if err != nil {
		return err
	}
	internal := &autoscaling.HorizontalPodAutoscaler{}
	if err := legacyscheme.Scheme.Convert(from, internal, nil); err != nil {
		return err
	}
	if err := legacyscheme.Scheme.Convert(internal, object, nil); err != nil {
		return err
	}
	return writeObject(c, object, version)
}

// newObject knows the versions that this Kubernetes still has.
func newObject(version schema.GroupVersion) (runtime.Object, error) {
	switch version {
	case autoscalingv1.SchemeGroupVersion:
		return &autoscalingv1.HorizontalPodAutoscaler{}, nil
	case autoscalingv2.SchemeGroupVersion:
		return &autoscalingv2.HorizontalPodAutoscaler{}, nil
	default:
		return nil, fmt.Errorf("version %s is not in this Kubernetes", version)
	}
}

func readObject(c document, member string) (runtime.Object, schema.GroupVersion, error) {
	var head struct {
		APIVersion string `json:"apiVersion"`
	}
	if err := read(c, member, &head); err != nil {
		return nil, schema.GroupVersion{}, err
	}
	version, err := schema.ParseGroupVersion(head.APIVersion)
	if err != nil {
		return nil, version, err
	}
	object, err := newObject(version)
	if err != nil {
		return nil, version, err
	}
	return object, version, read(c, member, object)
}

func writeObject(c document, object runtime.Object, version schema.GroupVersion) error {
	object.GetObjectKind().SetGroupVersionKind(version.WithKind("HorizontalPodAutoscaler"))
	text, err := json.Marshal(object)
	if err != nil {
		return err
	}
	var tree map[string]any
	if err := json.Unmarshal(text, &tree); err != nil {
		return err
	}
	return write(c, "expect", withoutNulls(tree))
}

// withoutNulls drops what says nothing, to keep files small.
func withoutNulls(value any) any {
	switch value := value.(type) {
	case map[string]any:
		for member, inner := range value {
			if inner == nil {
				delete(value, member)
			} else {
				value[member] = withoutNulls(inner)
			}
		}
	case []any:
		for i := range value {
			value[i] = withoutNulls(value[i])
		}
	}
	return value
}
