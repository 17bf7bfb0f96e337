//go:build !kube1.32

package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"k8s.io/kubernetes/pkg/apis/autoscaling"
	_ "k8s.io/kubernetes/pkg/apis/autoscaling/install"
)

func init() {
	answerers["defaulting"] = answerDefaulting
	answerers["conversion"] = answerConversion
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

// versioned makes empty objects of the versions that this Kubernetes still has.
var versioned = map[schema.GroupVersion]func() runtime.Object{
	autoscalingv1.SchemeGroupVersion: func() runtime.Object { return &autoscalingv1.HorizontalPodAutoscaler{} },
	autoscalingv2.SchemeGroupVersion: func() runtime.Object { return &autoscalingv2.HorizontalPodAutoscaler{} },
}

func newObject(version schema.GroupVersion) (runtime.Object, error) {
	if makeObject, known := versioned[version]; known {
		return makeObject(), nil
	}
	return nil, fmt.Errorf("version %s is not in this Kubernetes", version)
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
