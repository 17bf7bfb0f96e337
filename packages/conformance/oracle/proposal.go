package main

import (
	"context"
	"errors"
	"regexp"
	"strings"
	"testing"
	"time"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/labels"
)

const namespace, name = "default", "target"

type proposalCase struct {
	options   options
	now       time.Time
	replicas  replicaCounts
	metric    autoscalingv2.MetricSpec
	tolerance struct {
		ScaleUp   *resource.Quantity `json:"scaleUp"`
		ScaleDown *resource.Quantity `json:"scaleDown"`
	}
	pods    []*corev1.Pod
	samples samples
}

type proposal struct {
	Replicas *int32        `json:"replicas,omitempty"`
	Current  *currentValue `json:"current,omitempty"`
	Error    bool          `json:"error,omitempty"`
	Message  string        `json:"message,omitempty"`
}

func answerProposal(t *testing.T, c document) error {
	var p proposalCase
	for member, into := range map[string]any{
		"options": &p.options, "now": &p.now, "replicas": &p.replicas, "metric": &p.metric,
		"tolerance": &p.tolerance, "pods": &p.pods, "samples": &p.samples,
	} {
		if err := read(c, member, into); err != nil {
			return err
		}
	}
	r, err := rigFor(p.options)
	if err != nil {
		return err
	}
	if err := r.feed.load([]autoscalingv2.MetricSpec{p.metric}, []samples{p.samples}); err != nil {
		return err
	}
	r.cluster.startStep(p.replicas, p.pods, "")
	return inBubble(t, func() error {
		if err := sleepUntil(p.now); err != nil {
			return err
		}
		return write(c, "expect", r.propose(&p))
	})
}

func (r *rig) propose(p *proposalCase) proposal {
	// A proposal has no object, so no namespace either.
	hpa := &autoscalingv2.HorizontalPodAutoscaler{}
	hpa.Spec.Behavior = &autoscalingv2.HorizontalPodAutoscalerBehavior{
		ScaleUp:   tolerating(p.tolerance.ScaleUp),
		ScaleDown: tolerating(p.tolerance.ScaleDown),
	}
	var status autoscalingv2.MetricStatus
	replicas, _, _, _, err := computeReplicasForMetric(r.HorizontalController, context.Background(), hpa, p.metric,
		p.replicas.Spec, p.replicas.Status, labels.Everything(), &status)
	if err != nil {
		return proposal{Error: true, Message: p.samples.explain(err)}
	}
	return proposal{Replicas: &replicas, Current: currentOf(status)}
}

// explain finds the text at the heart of an error. Some wrappings hide what they wrap, in the older
// releases nearly all, and some marks have no text of their own.
func (s samples) explain(err error) string {
	if s.Error != nil && strings.HasSuffix(err.Error(), *s.Error) {
		return *s.Error
	}
	for inner := err; inner != nil && inner.Error() != ""; inner = errors.Unwrap(inner) {
		err = inner
	}
	text := err.Error()
	for {
		lead := leads.FindString(text)
		if lead == "" {
			return text
		}
		text = text[len(lead):]
	}
}

var leads = regexp.MustCompile(`^(failed to get .*?(metric value|utilization|usage|(object|external) metric|external metric [^ :]+): ` +
	`|unable to get (external )?metric.*?/nil: |unable to get external metric .*},}: ` +
	`|unable to get metrics for resource [^ ]+: |unable to get metric [^ ]+: ` +
	`|unable to calculate ready pods: |unable to get pods while calculating replica count: )`)
