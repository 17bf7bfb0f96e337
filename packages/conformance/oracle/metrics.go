package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	customv1beta2 "k8s.io/metrics/pkg/apis/custom_metrics/v1beta2"
	externalv1beta1 "k8s.io/metrics/pkg/apis/external_metrics/v1beta1"
	metricsv1beta1 "k8s.io/metrics/pkg/apis/metrics/v1beta1"
	resourceclient "k8s.io/metrics/pkg/client/clientset/versioned/typed/metrics/v1beta1"
	customclient "k8s.io/metrics/pkg/client/custom_metrics"
	externalclient "k8s.io/metrics/pkg/client/external_metrics"
)

// metricsFeed stands for the three metrics APIs behind the real REST metrics client. Requests do
// not say for which metric of the list they are made, so it predicts which metrics will ask at all,
// in order, and checks each request against that.
type metricsFeed struct {
	expected []expectedCall
}

type expectedCall struct {
	source autoscalingv2.MetricSourceType
	metric string
	answer samples
}

func (f *metricsFeed) load(specs []autoscalingv2.MetricSpec, answers []samples) error {
	if len(specs) != len(answers) {
		return fmt.Errorf("%d samples for %d metrics", len(answers), len(specs))
	}
	f.expected = f.expected[:0]
	for i, spec := range specs {
		if metric, asks := asksFor(spec); asks {
			f.expected = append(f.expected, expectedCall{spec.Type, metric, answers[i]})
		}
	}
	return nil
}

// asksFor tells whether a metric passes every check that comes before its request.
func asksFor(spec autoscalingv2.MetricSpec) (metric string, asks bool) {
	switch spec.Type {
	case autoscalingv2.ResourceMetricSourceType:
		return "", spec.Resource.Target.AverageValue != nil || spec.Resource.Target.AverageUtilization != nil
	case autoscalingv2.ContainerResourceMetricSourceType:
		target := spec.ContainerResource.Target
		return "", target.AverageValue != nil || target.AverageUtilization != nil
	case autoscalingv2.PodsMetricSourceType:
		return spec.Pods.Metric.Name, validSelector(spec.Pods.Metric.Selector)
	case autoscalingv2.ObjectMetricSourceType:
		target := spec.Object.Target
		asks = target.Type == autoscalingv2.ValueMetricType && target.Value != nil ||
			target.Type == autoscalingv2.AverageValueMetricType && target.AverageValue != nil
		return spec.Object.Metric.Name, asks && validSelector(spec.Object.Metric.Selector)
	case autoscalingv2.ExternalMetricSourceType:
		target := spec.External.Target
		asks = target.AverageValue != nil || target.Value != nil
		return spec.External.Metric.Name, asks && validSelector(spec.External.Metric.Selector)
	default:
		return "", false
	}
}

func validSelector(selector *metav1.LabelSelector) bool {
	_, err := metav1.LabelSelectorAsSelector(selector)
	return err == nil
}

func (f *metricsFeed) next(metric string, sources ...autoscalingv2.MetricSourceType) (samples, error) {
	if len(f.expected) == 0 {
		panic(fmt.Sprintf("unpredicted request for metric %q", metric))
	}
	call := f.expected[0]
	f.expected = f.expected[1:]
	for _, source := range sources {
		if call.source == source && call.metric == metric {
			if call.answer.Error != nil {
				return samples{}, errors.New(*call.answer.Error)
			}
			return call.answer, nil
		}
	}
	panic(fmt.Sprintf("request for metric %q where %s %q was predicted", metric, call.source, call.metric))
}

type podMetricses struct {
	resourceclient.PodMetricsInterface
	feed      *metricsFeed
	namespace string
}

func (f *metricsFeed) PodMetricses(namespace string) resourceclient.PodMetricsInterface {
	return podMetricses{feed: f, namespace: namespace}
}

func (p podMetricses) List(context.Context, metav1.ListOptions) (*metricsv1beta1.PodMetricsList, error) {
	answer, err := p.feed.next("", autoscalingv2.ResourceMetricSourceType, autoscalingv2.ContainerResourceMetricSourceType)
	if err != nil {
		return nil, err
	}
	list := &metricsv1beta1.PodMetricsList{}
	for _, pod := range answer.Pods {
		item := metricsv1beta1.PodMetrics{Timestamp: pod.Timestamp, Window: metav1.Duration{Duration: seconds(pod.WindowSeconds, 0)}}
		item.Name, item.Namespace = pod.Name, p.namespace
		for name, usage := range pod.Containers {
			item.Containers = append(item.Containers, metricsv1beta1.ContainerMetrics{Name: name, Usage: usage})
		}
		list.Items = append(list.Items, item)
	}
	return list, nil
}

type customMetrics struct{ feed *metricsFeed }

func (f customMetrics) RootScopedMetrics() customclient.MetricsInterface       { return f }
func (f customMetrics) NamespacedMetrics(string) customclient.MetricsInterface { return f }

func (f customMetrics) GetForObject(_ schema.GroupKind, _ string, metric string, _ labels.Selector) (*customv1beta2.MetricValue, error) {
	answer, err := f.feed.next(metric, autoscalingv2.ObjectMetricSourceType)
	if err != nil {
		return nil, err
	}
	return &customv1beta2.MetricValue{Value: *answer.Value, Timestamp: answer.Timestamp}, nil
}

func (f customMetrics) GetForObjects(_ schema.GroupKind, _ labels.Selector, metric string, _ labels.Selector) (*customv1beta2.MetricValueList, error) {
	answer, err := f.feed.next(metric, autoscalingv2.PodsMetricSourceType)
	if err != nil {
		return nil, err
	}
	list := &customv1beta2.MetricValueList{}
	for _, pod := range answer.Pods {
		item := customv1beta2.MetricValue{Value: pod.Value, Timestamp: pod.Timestamp}
		item.DescribedObject.Name = pod.Name
		if pod.WindowSeconds != nil {
			window := int64(seconds(pod.WindowSeconds, 0) / time.Second)
			item.WindowSeconds = &window
		}
		list.Items = append(list.Items, item)
	}
	return list, nil
}

type externalMetrics struct{ feed *metricsFeed }

func (f externalMetrics) NamespacedMetrics(string) externalclient.MetricsInterface { return f }

func (f externalMetrics) List(metric string, _ labels.Selector) (*externalv1beta1.ExternalMetricValueList, error) {
	answer, err := f.feed.next(metric, autoscalingv2.ExternalMetricSourceType)
	if err != nil {
		return nil, err
	}
	list := &externalv1beta1.ExternalMetricValueList{}
	for _, value := range answer.Values {
		list.Items = append(list.Items, externalv1beta1.ExternalMetricValue{Value: value.Value, Timestamp: value.Timestamp})
	}
	return list, nil
}
