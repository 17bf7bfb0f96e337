package main

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"time"
	"unsafe"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	autoscalinginformers "k8s.io/client-go/informers/autoscaling/v2"
	"k8s.io/client-go/kubernetes/fake"
	autoscalinglisters "k8s.io/client-go/listers/autoscaling/v2"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/record"
	"k8s.io/kubernetes/pkg/controller/podautoscaler"
	"k8s.io/kubernetes/pkg/controller/podautoscaler/metrics"
	"k8s.io/kubernetes/pkg/controller/podautoscaler/monitor"
	"k8s.io/kubernetes/pkg/features"
)

// rig is the real controller with a fake cluster around it. Nothing of it runs by itself.
type rig struct {
	*podautoscaler.HorizontalController
	cluster cluster
	feed    metricsFeed
	hpas    hpaCache
}

type hpaCache struct{ informer cache.SharedIndexInformer }

var _ autoscalinginformers.HorizontalPodAutoscalerInformer = hpaCache{}

func (h hpaCache) Informer() cache.SharedIndexInformer { return h.informer }
func (h hpaCache) Lister() autoscalinglisters.HorizontalPodAutoscalerLister {
	return autoscalinglisters.NewHorizontalPodAutoscalerLister(h.informer.GetIndexer())
}

// newRig must be called outside a bubble: the constructor starts goroutines that would keep the
// bubble's clock busy. They end before it returns.
func newRig(o options) (*rig, error) {
	if err := setGate(o); err != nil {
		return nil, err
	}
	r := &rig{}
	indexers := cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc}
	r.hpas.informer = cache.NewSharedIndexInformer(nil, &autoscalingv2.HorizontalPodAutoscaler{}, 0, indexers)
	tolerance := 0.1
	if o.Tolerance != nil {
		tolerance = *o.Tolerance
	}
	ctx, cancel := context.WithCancel(context.Background())
	r.HorizontalController = podautoscaler.NewHorizontalController(
		ctx,
		eventSink,
		&r.cluster,
		&r.cluster,
		anyKindMapper{},
		metrics.NewRESTMetricsClient(&r.feed, customMetrics{&r.feed}, externalMetrics{&r.feed}),
		r.hpas,
		&r.cluster.pods,
		15*time.Second,
		seconds(o.DownscaleStabilizationSeconds, 5*time.Minute),
		tolerance,
		seconds(o.CPUInitializationPeriodSecond, 5*time.Minute),
		seconds(o.InitialReadinessDelaySeconds, 30*time.Second),
	)
	*private[record.EventRecorder](r, "eventRecorder") = &r.cluster
	observed := private[monitor.Monitor](r, "monitor")
	*observed = watchedMonitor{*observed, &r.cluster}
	cancel()
	r.Run(ctx, 0)
	return r, nil
}

// rigs are kept where nothing of a case stays in the controller, as in a single proposal.
var rigs = map[string]*rig{}

func rigFor(o options) (*rig, error) {
	text, err := json.Marshal(o)
	if err != nil {
		return nil, err
	}
	key := string(text)
	if r, known := rigs[key]; known {
		return r, setGate(o)
	}
	if len(rigs) >= 500 {
		clear(rigs)
	}
	r, err := newRig(o)
	rigs[key] = r
	return r, err
}

var eventSink = fake.NewSimpleClientset().CoreV1()

func setGate(o options) error {
	scaleToZero := o.ScaleToZero == nil || *o.ScaleToZero
	if utilfeature.DefaultFeatureGate.Enabled(features.HPAScaleToZero) == scaleToZero {
		return nil
	}
	return utilfeature.DefaultMutableFeatureGate.SetFromMap(map[string]bool{string(features.HPAScaleToZero): scaleToZero})
}

// register makes the controller know the object, as the informer's add handler would.
func (r *rig) register(hpa *autoscalingv2.HorizontalPodAutoscaler) error {
	enqueueHPA(r.HorizontalController, hpa)
	return r.store(hpa)
}

func (r *rig) store(hpa *autoscalingv2.HorizontalPodAutoscaler) error {
	return r.hpas.informer.GetIndexer().Add(hpa)
}

// The mirrors of two private types of the controller; sameShape compares them with the originals.
type recommendation struct {
	recommendation int32
	timestamp      time.Time
}

type scaleEvent struct {
	replicaChange int32
	timestamp     time.Time
	outdated      bool
}

type (
	recommendations = map[string][]recommendation
	scaleEvents     = map[string][]scaleEvent
)

// private gives access to an unexported field of the controller.
func private[T any](r *rig, field string) *T {
	value := reflect.ValueOf(r.HorizontalController).Elem().FieldByName(field)
	if !value.IsValid() {
		panic("the controller has no field " + field)
	}
	if err := sameShape(value.Type(), reflect.TypeFor[T]()); err != nil {
		panic(fmt.Sprintf("field %s: %v", field, err))
	}
	return (*T)(unsafe.Pointer(value.UnsafeAddr()))
}

// sameShape fails when upstream changes a type of which we hold a mirror.
func sameShape(theirs, ours reflect.Type) error {
	if theirs == ours {
		return nil
	}
	if theirs.Kind() != ours.Kind() {
		return fmt.Errorf("%v is not shaped like %v", theirs, ours)
	}
	switch theirs.Kind() {
	case reflect.Map, reflect.Slice:
		return sameShape(theirs.Elem(), ours.Elem())
	case reflect.Struct:
		if theirs.NumField() != ours.NumField() {
			return fmt.Errorf("%v has %d fields", theirs, theirs.NumField())
		}
		for i := range theirs.NumField() {
			if theirs.Field(i).Name != ours.Field(i).Name {
				return fmt.Errorf("%v has a field %s", theirs, theirs.Field(i).Name)
			}
			if err := sameShape(theirs.Field(i).Type, ours.Field(i).Type); err != nil {
				return err
			}
		}
		return nil
	default:
		return fmt.Errorf("%v is not %v", theirs, ours)
	}
}
