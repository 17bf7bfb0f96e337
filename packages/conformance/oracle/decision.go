package main

import (
	"time"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	"k8s.io/kubernetes/pkg/controller/podautoscaler/monitor"
)

// The result of a step of kind `decision`: everything that one pass writes, returns or remembers.
type wholeAnswer struct {
	ScaleTo         *int32                                      `json:"scaleTo"`
	Status          autoscalingv2.HorizontalPodAutoscalerStatus `json:"status"`
	StatusWritten   bool                                        `json:"statusWritten"`
	Events          []event                                     `json:"events"`
	Outcome         outcome                                     `json:"outcome"`
	Recommendations []pastRecommendation                        `json:"recommendations"`
	ScaleUpEvents   []pastChange                                `json:"scaleUpEvents"`
	ScaleDownEvents []pastChange                                `json:"scaleDownEvents"`
}

type outcome struct {
	Action  monitor.ActionLabel `json:"action"`
	Error   monitor.ErrorLabel  `json:"error"`
	Message string              `json:"message,omitempty"`
}

// watchedMonitor tells the cluster which labels a pass is counted under.
type watchedMonitor struct {
	monitor.Monitor
	cluster *cluster
}

func (w watchedMonitor) ObserveReconciliationResult(action monitor.ActionLabel, err monitor.ErrorLabel, took time.Duration) {
	w.cluster.labels = outcome{Action: action, Error: err}
	w.Monitor.ObserveReconciliationResult(action, err, took)
}

func (tr *trajectory) whole(failure error) wholeAnswer {
	answer := wholeAnswer{
		ScaleTo:       tr.rig.cluster.scaledTo,
		Status:        tr.hpa.Status,
		StatusWritten: tr.rig.cluster.newStatus != nil,
		Events:        tr.rig.cluster.events,
		Outcome:       tr.rig.cluster.labels,
	}
	if failure != nil {
		answer.Outcome.Message = failure.Error()
	}
	key := tr.hpa.Namespace + "/" + tr.hpa.Name
	for _, entry := range (*private[recommendations](tr.rig, "recommendations"))[key] {
		answer.Recommendations = append(answer.Recommendations, pastRecommendation{entry.recommendation, entry.timestamp.UTC()})
	}
	answer.ScaleUpEvents = pastChanges((*private[scaleEvents](tr.rig, "scaleUpEvents"))[key])
	answer.ScaleDownEvents = pastChanges((*private[scaleEvents](tr.rig, "scaleDownEvents"))[key])
	return answer
}

func pastChanges(events []scaleEvent) []pastChange {
	var past []pastChange
	for _, entry := range events {
		past = append(past, pastChange{Change: entry.replicaChange, At: entry.timestamp.UTC(), Outdated: entry.outdated})
	}
	return past
}
