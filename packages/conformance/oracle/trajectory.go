package main

import (
	"context"
	"testing"
	"time"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	v2 "k8s.io/kubernetes/pkg/apis/autoscaling/v2"
)

type trajectory struct {
	rig *rig
	// extent "decision": also answer what no vector of the public format can ask for.
	isWhole bool
	hpa     autoscalingv2.HorizontalPodAutoscaler
	steps   []document
}

type stepAnswer struct {
	ScaleTo         *int32                       `json:"scaleTo"`
	DesiredReplicas int32                        `json:"desiredReplicas"`
	CurrentReplicas int32                        `json:"currentReplicas"`
	Conditions      []conditionAnswer            `json:"conditions"`
	Events          []event                      `json:"events"`
	CurrentMetrics  []autoscalingv2.MetricStatus `json:"currentMetrics"`
}

type conditionAnswer struct {
	Type    autoscalingv2.HorizontalPodAutoscalerConditionType `json:"type"`
	Status  *corev1.ConditionStatus                            `json:"status"`
	Reason  string                                             `json:"reason,omitempty"`
	Message string                                             `json:"message,omitempty"`
}

var conditionTypes = []autoscalingv2.HorizontalPodAutoscalerConditionType{
	autoscalingv2.AbleToScale, autoscalingv2.ScalingActive, autoscalingv2.ScalingLimited,
	// By name, for the releases whose API does not have it yet.
	"ScaledToZero",
}

func answerTrajectory(t *testing.T, c document) error { return answerSteps(t, c, &trajectory{}) }

func answerDecision(t *testing.T, c document) error {
	return answerSteps(t, c, &trajectory{isWhole: true})
}

func answerSteps(t *testing.T, c document, tr *trajectory) error {
	var o options
	for member, into := range map[string]any{"options": &o, "hpa": &tr.hpa, "steps": &tr.steps} {
		if err := read(c, member, into); err != nil {
			return err
		}
	}
	if tr.hpa.Namespace == "" {
		tr.hpa.Namespace = namespace
	}
	var err error
	if tr.rig, err = newRig(o); err != nil {
		return err
	}
	setDefaults(&tr.hpa)
	if err := tr.rig.register(&tr.hpa); err != nil {
		return err
	}
	if err := inBubble(t, tr.run); err != nil {
		return err
	}
	return write(c, "steps", tr.steps)
}

func setDefaults(hpa *autoscalingv2.HorizontalPodAutoscaler) {
	v2.SetDefaults_HorizontalPodAutoscaler(hpa)
	v2.SetDefaults_HorizontalPodAutoscalerBehavior(hpa)
}

func (tr *trajectory) run() error {
	for _, step := range tr.steps {
		if err := tr.take(step); err != nil {
			return err
		}
	}
	return nil
}

func (tr *trajectory) take(step document) error {
	var at time.Time
	var scale replicaCounts
	var pods []*corev1.Pod
	var answers []samples
	var replacement *autoscalingv2.HorizontalPodAutoscaler
	var podsError *string
	for member, into := range map[string]any{
		"at": &at, "scale": &scale, "pods": &pods, "samples": &answers, "hpa": &replacement,
		"podsError": &podsError,
	} {
		if err := read(step, member, into); err != nil {
			return err
		}
	}
	if err := sleepUntil(at); err != nil {
		return err
	}
	// The informer hands out a new object for every change and never alters one it gave away.
	hpa := tr.hpa.DeepCopy()
	if replacement != nil {
		setDefaults(replacement)
		hpa.Spec = replacement.Spec
	}
	if err := tr.rig.feed.load(hpa.Spec.Metrics, answers); err != nil {
		return err
	}
	tr.rig.cluster.startStep(scale, pods, hpa.Namespace)
	tr.rig.cluster.pods.failure = podsError
	if err := tr.rig.store(hpa); err != nil {
		return err
	}
	_, failure := reconcileKey(tr.rig.HorizontalController, context.Background(), hpa.Namespace+"/"+hpa.Name)
	if written := tr.rig.cluster.newStatus; written != nil {
		hpa.Status = *written
	}
	tr.hpa = *hpa
	if tr.isWhole {
		return write(step, "expect", tr.whole(failure))
	}
	return write(step, "expect", tr.answer())
}

func (tr *trajectory) answer() stepAnswer {
	status := tr.hpa.Status
	answer := stepAnswer{
		ScaleTo:         tr.rig.cluster.scaledTo,
		DesiredReplicas: status.DesiredReplicas,
		CurrentReplicas: status.CurrentReplicas,
		Events:          tr.rig.cluster.events,
		CurrentMetrics:  status.CurrentMetrics,
	}
	present := map[autoscalingv2.HorizontalPodAutoscalerConditionType]bool{}
	for _, condition := range status.Conditions {
		present[condition.Type] = true
		status := condition.Status
		answer.Conditions = append(answer.Conditions, conditionAnswer{condition.Type, &status, condition.Reason, condition.Message})
	}
	for _, kind := range conditionTypes {
		if !present[kind] {
			answer.Conditions = append(answer.Conditions, conditionAnswer{Type: kind})
		}
	}
	return answer
}
