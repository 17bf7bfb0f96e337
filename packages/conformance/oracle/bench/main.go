// Command bench times the real GetResourceReplicas: it reads one line {"pods":[…]} from standard input and
// prints {"pods":N,"nanoseconds":T} for each number of pods, T being the CPU time of one call.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"runtime"
	"syscall"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/kubernetes/pkg/controller/podautoscaler"
	"k8s.io/kubernetes/pkg/controller/podautoscaler/metrics"
)

// As many workloads as make this many pods, so that a pass does not live in a processor's cache.
const totalPods = 20_000

const namespace = "bench"

func main() {
	var question struct {
		Pods []int `json:"pods"`
	}
	if err := json.NewDecoder(os.Stdin).Decode(&question); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
	for _, pods := range question.Pods {
		fmt.Printf("{\"pods\":%d,\"nanoseconds\":%d}\n", pods, measure(pods))
	}
}

type workload struct {
	calculator *podautoscaler.ReplicaCalculator
	pods       int32
	selector   labels.Selector
}

// usage answers from memory: no decoding and no parsing of quantities takes part.
type usage struct {
	metrics.MetricsClient
	info metrics.PodMetricsInfo
	at   time.Time
}

// The calculator deletes from what it is given.
func (u usage) GetResourceMetric(context.Context, corev1.ResourceName, string, labels.Selector, string) (metrics.PodMetricsInfo, time.Time, error) {
	return maps.Clone(u.info), u.at, nil
}

func newWorkload(index, pods int) workload {
	now := time.Now()
	info := metrics.PodMetricsInfo{}
	indexer := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc})
	for i := range pods {
		name := fmt.Sprintf("workload-%d-%d", index, i)
		info[name] = metrics.PodMetric{Value: int64(250 + i*37%160), Timestamp: now, Window: 30 * time.Second}
		if err := indexer.Add(newPod(name, metav1.NewTime(now.Add(-6*time.Hour)))); err != nil {
			panic(err)
		}
	}
	return workload{
		calculator: podautoscaler.NewReplicaCalculator(usage{info: info, at: now}, corelisters.NewPodLister(indexer), 5*time.Minute, 30*time.Second),
		pods:       int32(pods),
		selector:   labels.SelectorFromSet(labels.Set{"app": "workload"}),
	}
}

func newPod(name string, since metav1.Time) *corev1.Pod {
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: namespace, Labels: map[string]string{"app": "workload"}}}
	pod.Spec.Containers = []corev1.Container{{Name: "app", Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{
		corev1.ResourceCPU:    resource.MustParse("500m"),
		corev1.ResourceMemory: resource.MustParse("512Mi"),
	}}}}
	pod.Status.Phase = corev1.PodRunning
	pod.Status.StartTime = &since
	for _, kind := range []corev1.PodConditionType{corev1.PodInitialized, corev1.PodReady, corev1.ContainersReady, corev1.PodScheduled} {
		pod.Status.Conditions = append(pod.Status.Conditions, corev1.PodCondition{Type: kind, Status: corev1.ConditionTrue, LastTransitionTime: since})
	}
	return pod
}

// measure takes the best of several rounds: what else the machine does only ever adds.
func measure(pods int) int64 {
	workloads := make([]workload, max(1, totalPods/pods))
	for i := range workloads {
		workloads[i] = newWorkload(i, pods)
	}
	best := int64(math.MaxInt64)
	for range 12 {
		runtime.GC()
		passes := int64(0)
		started, until := cpuTime(), time.Now().Add(150*time.Millisecond)
		for ; passes == 0 || time.Now().Before(until); passes++ {
			for _, w := range workloads {
				w.run()
			}
		}
		best = min(best, (cpuTime()-started)/(passes*int64(len(workloads))))
	}
	return best
}

func (w workload) run() {
	_, _, _, _, err := w.calculator.GetResourceReplicas(context.Background(), w.pods, 60, corev1.ResourceCPU,
		podautoscaler.Tolerances{}, namespace, w.selector, "")
	if err != nil {
		panic(err)
	}
}

// cpuTime includes the garbage collector's threads.
func cpuTime() int64 {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		panic(err)
	}
	return used.Utime.Nano() + used.Stime.Nano()
}
