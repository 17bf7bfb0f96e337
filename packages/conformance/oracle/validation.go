//go:build !kube1.32 && !kube1.35 && !kube1.36

package main

import (
	"context"
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer/json"
	genericrequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"k8s.io/kubernetes/pkg/apis/autoscaling"
	"k8s.io/kubernetes/pkg/registry/autoscaling/horizontalpodautoscaler"
)

func init() {
	answerers["validation"] = answerValidation
	answerers["manifest"] = answerManifest
}

type validity struct {
	Valid  bool     `json:"valid"`
	Fields []string `json:"fields,omitempty"`
}

func answerValidation(_ *testing.T, c document) error {
	object, version, err := readObject(c, "hpa")
	if err != nil {
		return err
	}
	answer, err := validate(c, object, version)
	if err != nil {
		return err
	}
	return write(c, "expect", answer)
}

// strict is how the API server decodes what `kubectl apply` sends.
var strict = json.NewSerializerWithOptions(json.DefaultMetaFactory, legacyscheme.Scheme, legacyscheme.Scheme,
	json.SerializerOptions{Strict: true})

// manifest is what becomes of a file; Undecoded says why nothing of it was validated.
type manifest struct {
	validity
	Undecoded string `json:"undecoded,omitempty"`
}

func answerManifest(_ *testing.T, c document) error {
	object, kind, err := strict.Decode(c["hpa"], nil, nil)
	if err != nil {
		return write(c, "expect", manifest{Undecoded: err.Error()})
	}
	accessor, err := meta.Accessor(object)
	if err != nil {
		return err
	}
	// kubectl adds the namespace.
	if accessor.GetNamespace() == "" {
		accessor.SetNamespace("default")
	}
	legacyscheme.Scheme.Default(object)
	answer, err := validate(c, object, kind.GroupVersion())
	if err != nil {
		return err
	}
	return write(c, "expect", manifest{validity: answer})
}

func validate(c document, object runtime.Object, version schema.GroupVersion) (validity, error) {
	var o options
	if err := read(c, "scaleToZero", &o.ScaleToZero); err != nil {
		return validity{}, err
	}
	if o.ScaleToZero == nil {
		o.ScaleToZero = new(bool)
	}
	if err := setGate(o); err != nil {
		return validity{}, err
	}
	internal := &autoscaling.HorizontalPodAutoscaler{}
	if err := legacyscheme.Scheme.Convert(object, internal, nil); err != nil {
		return validity{}, err
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
	return answer, nil
}
