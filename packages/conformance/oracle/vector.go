package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// document is a JSON object whose members we do not know are carried through unchanged.
type document = map[string]json.RawMessage

// answerer fills the expectations of one case in place.
type answerer func(t *testing.T, c document) error

// Kinds of which only the newest release is asked add themselves; see objects.go.
var answerers = map[string]answerer{
	"quantity":   answerQuantity,
	"proposal":   answerProposal,
	"behavior":   answerBehavior,
	"trajectory": answerTrajectory,
	"decision":   answerDecision,
}

func answerFile(t *testing.T, file document) error {
	var format, kind string
	if err := read(file, "format", &format); err != nil {
		return err
	}
	if format != "plimsoll-vectors/1" {
		return fmt.Errorf("format %q is not plimsoll-vectors/1", format)
	}
	if err := read(file, "kind", &kind); err != nil {
		return err
	}
	answer, known := answerers[kind]
	if !known {
		return fmt.Errorf("kind %q has no upstream implementation", kind)
	}
	var cases []document
	if err := read(file, "cases", &cases); err != nil {
		return err
	}
	for _, c := range cases {
		// A case that upstream cannot even take (a nil target makes it panic) is marked, not fatal.
		if err := answerCase(t, answer, c); err != nil {
			write(c, "oracleError", err.Error())
		}
	}
	return write(file, "cases", cases)
}

func answerCase(t *testing.T, answer answerer, c document) (err error) {
	defer recovered(&err)
	delete(c, "oracleError")
	return answer(t, c)
}

// recovered belongs in a defer; a panic in a bubble must be caught inside the bubble.
func recovered(err *error) {
	if cause := recover(); cause != nil {
		*err = fmt.Errorf("panic: %v", cause)
	}
}

func read(d document, member string, into any) error {
	raw, present := d[member]
	if !present {
		return nil
	}
	if err := json.Unmarshal(raw, into); err != nil {
		return fmt.Errorf("%s: %w", member, err)
	}
	return nil
}

func write(d document, member string, value any) error {
	var buffer bytes.Buffer
	encoder := json.NewEncoder(&buffer)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return err
	}
	d[member] = bytes.TrimRight(buffer.Bytes(), "\n")
	return nil
}

// options are the controller's flags and gates; absent members keep upstream's defaults.
type options struct {
	Tolerance                     *float64 `json:"tolerance"`
	CPUInitializationPeriodSecond *float64 `json:"cpuInitializationPeriodSeconds"`
	InitialReadinessDelaySeconds  *float64 `json:"initialReadinessDelaySeconds"`
	DownscaleStabilizationSeconds *float64 `json:"downscaleStabilizationSeconds"`
	ScaleToZero                   *bool    `json:"scaleToZero"`
}

// samples is what a metrics API answers for one metric.
type samples struct {
	Error     *string            `json:"error"`
	Pods      []podSample        `json:"pods"`
	Value     *resource.Quantity `json:"value"`
	Timestamp metav1.Time        `json:"timestamp"`
	Values    []externalSample   `json:"values"`
}

type podSample struct {
	Name          string                         `json:"name"`
	Timestamp     metav1.Time                    `json:"timestamp"`
	WindowSeconds *float64                       `json:"windowSeconds"`
	Value         resource.Quantity              `json:"value"`
	Containers    map[string]corev1.ResourceList `json:"containers"`
}

type externalSample struct {
	Value     resource.Quantity `json:"value"`
	Timestamp metav1.Time       `json:"timestamp"`
}

type replicaCounts struct {
	Spec   int32   `json:"spec"`
	Status int32   `json:"status"`
	Error  *string `json:"error"`

	// Kind `decision` only.
	WriteError *string `json:"writeError"`
	Selector   *string `json:"selector"`
}

type currentValue struct {
	AverageUtilization *int32             `json:"averageUtilization,omitempty"`
	AverageValue       *resource.Quantity `json:"averageValue,omitempty"`
	Value              *resource.Quantity `json:"value,omitempty"`
}

func currentOf(status autoscalingv2.MetricStatus) *currentValue {
	var current autoscalingv2.MetricValueStatus
	switch {
	case status.Resource != nil:
		current = status.Resource.Current
	case status.ContainerResource != nil:
		current = status.ContainerResource.Current
	case status.Pods != nil:
		current = status.Pods.Current
	case status.Object != nil:
		current = status.Object.Current
	case status.External != nil:
		current = status.External.Current
	default:
		return nil
	}
	return &currentValue{current.AverageUtilization, current.AverageValue, current.Value}
}

func seconds(given *float64, absent time.Duration) time.Duration {
	if given == nil {
		return absent
	}
	return time.Duration(*given * float64(time.Second))
}
