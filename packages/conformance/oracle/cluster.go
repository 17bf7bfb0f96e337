package main

import (
	"context"
	"errors"
	"fmt"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	coreinformers "k8s.io/client-go/informers/core/v1"
	autoscalingclient "k8s.io/client-go/kubernetes/typed/autoscaling/v2"
	corelisters "k8s.io/client-go/listers/core/v1"
	scaleclient "k8s.io/client-go/scale"
	"k8s.io/client-go/tools/cache"
)

const selector = "vector=pods"

// cluster is everything the controller reads and writes, as plain fields.
type cluster struct {
	pods      podCache
	scale     replicaCounts
	scaledTo  *int32
	newStatus *autoscalingv2.HorizontalPodAutoscalerStatus
	events    []event
	labels    outcome
}

type event struct {
	Type    string `json:"type"`
	Reason  string `json:"reason"`
	Message string `json:"message"`
}

// startStep forgets what the step before wrote.
func (c *cluster) startStep(scale replicaCounts, pods []*corev1.Pod, namespace string) {
	for _, pod := range pods {
		pod.Namespace = namespace
	}
	c.pods.pods = pods
	c.scale, c.scaledTo, c.newStatus, c.events = scale, nil, nil, nil
}

// Every event counts: the sink behind the real recorder merges and drops repeated ones.
func (c *cluster) Event(_ runtime.Object, kind, reason, message string) {
	c.events = append(c.events, event{kind, reason, message})
}

func (c *cluster) Eventf(object runtime.Object, kind, reason, format string, args ...any) {
	c.Event(object, kind, reason, fmt.Sprintf(format, args...))
}

func (c *cluster) AnnotatedEventf(object runtime.Object, _ map[string]string, kind, reason, format string, args ...any) {
	c.Eventf(object, kind, reason, format, args...)
}

type scales struct {
	scaleclient.ScaleInterface
	cluster *cluster
}

func (c *cluster) Scales(string) scaleclient.ScaleInterface { return scales{cluster: c} }

func (s scales) Get(_ context.Context, _ schema.GroupResource, name string, _ metav1.GetOptions) (*autoscalingv1.Scale, error) {
	counts := s.cluster.scale
	if counts.Error != nil {
		return nil, errors.New(*counts.Error)
	}
	selects := selector
	if counts.Selector != nil {
		selects = *counts.Selector
	}
	return &autoscalingv1.Scale{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec:       autoscalingv1.ScaleSpec{Replicas: counts.Spec},
		Status:     autoscalingv1.ScaleStatus{Replicas: counts.Status, Selector: selects},
	}, nil
}

func (s scales) Update(_ context.Context, _ schema.GroupResource, scale *autoscalingv1.Scale, _ metav1.UpdateOptions) (*autoscalingv1.Scale, error) {
	replicas := scale.Spec.Replicas
	s.cluster.scaledTo = &replicas
	if s.cluster.scale.WriteError != nil {
		return nil, errors.New(*s.cluster.scale.WriteError)
	}
	return scale, nil
}

type autoscalers struct {
	autoscalingclient.HorizontalPodAutoscalerInterface
	cluster *cluster
}

func (c *cluster) HorizontalPodAutoscalers(string) autoscalingclient.HorizontalPodAutoscalerInterface {
	return autoscalers{cluster: c}
}

func (a autoscalers) UpdateStatus(_ context.Context, hpa *autoscalingv2.HorizontalPodAutoscaler, _ metav1.UpdateOptions) (*autoscalingv2.HorizontalPodAutoscaler, error) {
	a.cluster.newStatus = hpa.Status.DeepCopy()
	return hpa, nil
}

// podCache lists pods in the order of the vector: where upstream's order is a map's, the error of
// the first pod would change from run to run.
type podCache struct {
	pods    []*corev1.Pod
	failure *string
}

var _ coreinformers.PodInformer = &podCache{}

func (p *podCache) Informer() cache.SharedIndexInformer {
	return cache.NewSharedIndexInformer(nil, &corev1.Pod{}, 0, cache.Indexers{})
}
func (p *podCache) Lister() corelisters.PodLister { return podLister{p} }

type podLister struct{ *podCache }

func (p podLister) List(labels.Selector) ([]*corev1.Pod, error) {
	if p.failure != nil {
		return nil, errors.New(*p.failure)
	}
	return p.pods, nil
}

func (p podLister) Pods(string) corelisters.PodNamespaceLister { return p }

func (p podLister) Get(name string) (*corev1.Pod, error) {
	return nil, apierrors.NewNotFound(corev1.Resource("pods"), name)
}

// anyKindMapper knows every kind as its lower-case plural.
type anyKindMapper struct{ meta.RESTMapper }

func (anyKindMapper) RESTMappings(gk schema.GroupKind, _ ...string) ([]*meta.RESTMapping, error) {
	kind := gk.WithVersion("v1")
	plural, _ := meta.UnsafeGuessKindToResource(kind)
	return []*meta.RESTMapping{{Resource: plural, GroupVersionKind: kind, Scope: meta.RESTScopeNamespace}}, nil
}
