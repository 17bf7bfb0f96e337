package main

import (
	"testing"
	"time"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
)

type pastRecommendation struct {
	Replicas int32     `json:"replicas"`
	At       time.Time `json:"at"`
}

type pastChange struct {
	Change   int32     `json:"change"`
	At       time.Time `json:"at"`
	Outdated bool      `json:"outdated,omitempty"` // kind `decision` only
}

type behaviorCase struct {
	options         options
	now             time.Time
	spec            autoscalingv2.HorizontalPodAutoscalerSpec
	current         int32
	desired         int32
	recommendations []pastRecommendation
	ups, downs      []pastChange
}

type behaviorAnswer struct {
	Replicas        int32                `json:"replicas"`
	Reason          string               `json:"reason,omitempty"`
	Recommendations []pastRecommendation `json:"recommendations"`
}

func answerBehavior(t *testing.T, c document) error {
	var b behaviorCase
	for member, into := range map[string]any{
		"options": &b.options, "now": &b.now, "spec": &b.spec, "currentReplicas": &b.current,
		"desiredReplicas": &b.desired, "recommendations": &b.recommendations,
		"scaleUpEvents": &b.ups, "scaleDownEvents": &b.downs,
	} {
		if err := read(c, member, into); err != nil {
			return err
		}
	}
	r, err := newRig(b.options)
	if err != nil {
		return err
	}
	return inBubble(t, func() error {
		if err := sleepUntil(b.now); err != nil {
			return err
		}
		return write(c, "expect", r.normalize(&b))
	})
}

func (r *rig) normalize(b *behaviorCase) behaviorAnswer {
	const key = namespace + "/" + name
	hpa := &autoscalingv2.HorizontalPodAutoscaler{Spec: b.spec}
	setDefaults(hpa)

	log := private[recommendations](r, "recommendations")
	for _, past := range b.recommendations {
		(*log)[key] = append((*log)[key], recommendation{past.Replicas, past.At})
	}
	(*private[scaleEvents](r, "scaleUpEvents"))[key] = changes(b.ups)
	(*private[scaleEvents](r, "scaleDownEvents"))[key] = changes(b.downs)

	normalize := normalizeDesiredReplicas
	if hpa.Spec.Behavior != nil {
		normalize = normalizeDesiredReplicasWithBehaviors
	}
	replicas := normalize(r.HorizontalController, hpa, key, b.current, b.desired, *hpa.Spec.MinReplicas)
	answer := behaviorAnswer{Replicas: replicas, Reason: limitingReason(hpa.Status.Conditions)}
	for _, entry := range (*log)[key] {
		answer.Recommendations = append(answer.Recommendations, pastRecommendation{entry.recommendation, entry.timestamp.UTC()})
	}
	return answer
}

func changes(past []pastChange) []scaleEvent {
	events := make([]scaleEvent, 0, len(past))
	for _, change := range past {
		events = append(events, scaleEvent{replicaChange: change.Change, timestamp: change.At})
	}
	return events
}

// limitingReason names the one step that changed the value, or neither when both did.
func limitingReason(conditions []autoscalingv2.HorizontalPodAutoscalerCondition) string {
	var stabilized, reason string
	var limited bool
	for _, condition := range conditions {
		switch condition.Type {
		case autoscalingv2.AbleToScale:
			if condition.Reason != "ReadyForNewScale" {
				stabilized = condition.Reason
			}
		case autoscalingv2.ScalingLimited:
			limited, reason = condition.Status == corev1.ConditionTrue, condition.Reason
		}
	}
	switch {
	case stabilized == "":
		return reason
	case limited:
		return ""
	default:
		return stabilized
	}
}
