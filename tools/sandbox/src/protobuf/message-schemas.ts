// The protobuf messages that the sandbox can read.

/**
 * Field numbers of the wire messages that Go clients (kubectl among them) send to create and change objects.
 * A field is `name=number` with a type behind a colon: text when there is none; `int` and `bool` as sent; `int0`
 * and `bool0` left out when zero; `intstr0` too; `time`, `micro`, `quantity`, `intstr`, `json`, `bytes`; `map` of text, or
 * `map<T>`; a message name; `[]` for a list; `inline:T` for a message whose fields belong to its parent; `skip`
 * for what a client cannot set.
 *
 * @upstream api/autoscaling/v2/generated.proto and its siblings, 1.37
 */
export const messageSchemas: Readonly<Record<string, string>> = {
  ObjectMeta:
    "name=1 generateName=2 namespace=3 selfLink=4:skip uid=5 resourceVersion=6 generation=7:int0 " +
    "creationTimestamp=8:time deletionTimestamp=9:time deletionGracePeriodSeconds=10:int labels=11:map " +
    "annotations=12:map ownerReferences=13:OwnerReference[] finalizers=14:text[] managedFields=17:ManagedFieldsEntry[]",
  OwnerReference: "kind=1 name=3 uid=4 apiVersion=5 controller=6:bool blockOwnerDeletion=7:bool",
  ManagedFieldsEntry:
    "manager=1 operation=2 apiVersion=3 time=4:time fieldsType=6 fieldsV1=7:json subresource=8",
  LabelSelector: "matchLabels=1:map matchExpressions=2:LabelSelectorRequirement[]",
  LabelSelectorRequirement: "key=1 operator=2 values=3:text[]",
  DeleteOptions:
    "gracePeriodSeconds=1:int preconditions=2:Preconditions orphanDependents=3:bool propagationPolicy=4 " +
    "dryRun=5:text[] ignoreStoreReadErrorWithClusterBreakingPotential=6:bool",
  Preconditions: "uid=1 resourceVersion=2",
  ObjectReference: "kind=1 namespace=2 name=3 uid=4 apiVersion=5 resourceVersion=6 fieldPath=7",
  LocalObjectReference: "name=1",
  CrossVersionObjectReference: "kind=1 name=2 apiVersion=3",

  "autoscaling/v1.HorizontalPodAutoscaler":
    "metadata=1:ObjectMeta spec=2:HorizontalPodAutoscalerSpecV1 status=3:HorizontalPodAutoscalerStatusV1",
  HorizontalPodAutoscalerSpecV1:
    "scaleTargetRef=1:CrossVersionObjectReference minReplicas=2:int maxReplicas=3:int " +
    "targetCPUUtilizationPercentage=4:int",
  HorizontalPodAutoscalerStatusV1:
    "observedGeneration=1:int lastScaleTime=2:time currentReplicas=3:int desiredReplicas=4:int " +
    "currentCPUUtilizationPercentage=5:int",
  "autoscaling/v1.Scale": "metadata=1:ObjectMeta spec=2:ScaleSpec status=3:ScaleStatus",
  ScaleSpec: "replicas=1:int",
  ScaleStatus: "replicas=1:int selector=2",
  "autoscaling/v2.HorizontalPodAutoscaler":
    "metadata=1:ObjectMeta spec=2:HorizontalPodAutoscalerSpec status=3:HorizontalPodAutoscalerStatus",
  HorizontalPodAutoscalerSpec:
    "scaleTargetRef=1:CrossVersionObjectReference minReplicas=2:int maxReplicas=3:int metrics=4:MetricSpec[] " +
    "behavior=5:HorizontalPodAutoscalerBehavior",
  HorizontalPodAutoscalerBehavior: "scaleUp=1:HPAScalingRules scaleDown=2:HPAScalingRules",
  HPAScalingRules:
    "selectPolicy=1 policies=2:HPAScalingPolicy[] stabilizationWindowSeconds=3:int tolerance=4:quantity",
  HPAScalingPolicy: "type=1 value=2:int periodSeconds=3:int",
  MetricSpec:
    "type=1 object=2:ObjectMetricSource pods=3:PodsMetricSource resource=4:ResourceMetricSource " +
    "external=5:ExternalMetricSource containerResource=7:ContainerResourceMetricSource",
  ObjectMetricSource:
    "describedObject=1:CrossVersionObjectReference target=2:MetricTarget metric=3:MetricIdentifier",
  PodsMetricSource: "metric=1:MetricIdentifier target=2:MetricTarget",
  ResourceMetricSource: "name=1 target=2:MetricTarget",
  ContainerResourceMetricSource: "name=1 target=2:MetricTarget container=3",
  ExternalMetricSource: "metric=1:MetricIdentifier target=2:MetricTarget",
  MetricIdentifier: "name=1 selector=2:LabelSelector",
  MetricTarget: "type=1 value=2:quantity averageValue=3:quantity averageUtilization=4:int",
  HorizontalPodAutoscalerStatus:
    "observedGeneration=1:int lastScaleTime=2:time currentReplicas=3:int0 desiredReplicas=4:int " +
    "currentMetrics=5:MetricStatus[] conditions=6:HorizontalPodAutoscalerCondition[]",
  HorizontalPodAutoscalerCondition:
    "type=1 status=2 lastTransitionTime=3:time reason=4 message=5 observedGeneration=6:int0",
  MetricStatus:
    "type=1 object=2:ObjectMetricStatus pods=3:PodsMetricStatus resource=4:ResourceMetricStatus " +
    "external=5:PodsMetricStatus containerResource=7:ContainerResourceMetricStatus",
  ObjectMetricStatus:
    "metric=1:MetricIdentifier current=2:MetricValueStatus describedObject=3:CrossVersionObjectReference",
  PodsMetricStatus: "metric=1:MetricIdentifier current=2:MetricValueStatus",
  ResourceMetricStatus: "name=1 current=2:MetricValueStatus",
  ContainerResourceMetricStatus: "name=1 current=2:MetricValueStatus container=3",
  MetricValueStatus: "value=1:quantity averageValue=2:quantity averageUtilization=3:int",

  "authorization.k8s.io/v1.SelfSubjectAccessReview":
    "metadata=1:ObjectMeta spec=2:SubjectAccessReviewSpec status=3:skip",
  "authorization.k8s.io/v1.SubjectAccessReview":
    "metadata=1:ObjectMeta spec=2:SubjectAccessReviewSpec status=3:skip",
  "authorization.k8s.io/v1.LocalSubjectAccessReview":
    "metadata=1:ObjectMeta spec=2:SubjectAccessReviewSpec status=3:skip",
  SubjectAccessReviewSpec:
    "resourceAttributes=1:ResourceAttributes nonResourceAttributes=2:NonResourceAttributes user=3 groups=4:text[] " +
    "extra=5:map<texts> uid=6",
  ResourceAttributes:
    "namespace=1 verb=2 group=3 version=4 resource=5 subresource=6 name=7 fieldSelector=8:skip labelSelector=9:skip",
  NonResourceAttributes: "path=1 verb=2",
  "authorization.k8s.io/v1.SelfSubjectRulesReview":
    "metadata=1:ObjectMeta spec=2:SelfSubjectRulesReviewSpec status=3:skip",
  SelfSubjectRulesReviewSpec: "namespace=1",
  "authentication.k8s.io/v1.TokenReview": "metadata=1:ObjectMeta spec=2:TokenReviewSpec status=3:skip",
  TokenReviewSpec: "token=1 audiences=2:text[]",
  "authentication.k8s.io/v1.SelfSubjectReview": "metadata=1:ObjectMeta status=2:skip",
  "authentication.k8s.io/v1.TokenRequest": "metadata=1:ObjectMeta spec=2:TokenRequestSpec status=3:skip",
  TokenRequestSpec: "audiences=1:text[] boundObjectRef=3:BoundObjectReference expirationSeconds=4:int",
  BoundObjectReference: "kind=1 apiVersion=2 name=3 uid=4",

  "v1.Namespace": "metadata=1:ObjectMeta spec=2:NamespaceSpec status=3:skip",
  NamespaceSpec: "finalizers=1:text[]",
  "v1.ConfigMap": "metadata=1:ObjectMeta data=2:map binaryData=3:map<bytes> immutable=4:bool",
  "v1.Secret": "metadata=1:ObjectMeta data=2:map<bytes> type=3 stringData=4:map immutable=5:bool",
  "v1.ServiceAccount":
    "metadata=1:ObjectMeta secrets=2:ObjectReference[] imagePullSecrets=3:LocalObjectReference[] " +
    "automountServiceAccountToken=4:bool",
  "v1.Service": "metadata=1:ObjectMeta spec=2:ServiceSpec status=3:skip",
  ServiceSpec:
    "ports=1:ServicePort[] selector=2:map clusterIP=3 type=4 externalIPs=5:text[] sessionAffinity=7 " +
    "loadBalancerIP=8 loadBalancerSourceRanges=9:text[] externalName=10 externalTrafficPolicy=11 " +
    "healthCheckNodePort=12:int0 publishNotReadyAddresses=13:bool0 ipFamilyPolicy=17 clusterIPs=18:text[] " +
    "ipFamilies=19:text[] allocateLoadBalancerNodePorts=20:bool loadBalancerClass=21 internalTrafficPolicy=22 " +
    "trafficDistribution=23",
  ServicePort: "name=1 protocol=2 port=3:int targetPort=4:intstr0 nodePort=5:int0 appProtocol=6",
  "v1.Event":
    "metadata=1:ObjectMeta involvedObject=2:ObjectReference reason=3 message=4 source=5:EventSource " +
    "firstTimestamp=6:time lastTimestamp=7:time count=8:int0 type=9 eventTime=10:micro series=11:EventSeries " +
    "action=12 related=13:ObjectReference reportingComponent=14 reportingInstance=15",
  EventSource: "component=1 host=2",
  EventSeries: "count=1:int lastObservedTime=2:micro",
  "events.k8s.io/v1.Event":
    "metadata=1:ObjectMeta eventTime=2:micro series=3:EventSeries reportingController=4 reportingInstance=5 " +
    "action=6 reason=7 regarding=8:ObjectReference related=9:ObjectReference note=10 type=11 " +
    "deprecatedSource=12:EventSource deprecatedFirstTimestamp=13:time deprecatedLastTimestamp=14:time " +
    "deprecatedCount=15:int0",

  "apps/v1.Deployment": "metadata=1:ObjectMeta spec=2:DeploymentSpec status=3:skip",
  DeploymentSpec:
    "replicas=1:int selector=2:LabelSelector template=3:PodTemplateSpec strategy=4:DeploymentStrategy " +
    "minReadySeconds=5:int0 revisionHistoryLimit=6:int paused=7:bool0 progressDeadlineSeconds=9:int",
  DeploymentStrategy: "type=1 rollingUpdate=2:RollingUpdateDeployment",
  RollingUpdateDeployment: "maxUnavailable=1:intstr maxSurge=2:intstr",
  PodTemplateSpec: "metadata=1:ObjectMeta spec=2:PodSpec",
  PodSpec:
    "containers=2:Container[] restartPolicy=3 terminationGracePeriodSeconds=4:int activeDeadlineSeconds=5:int " +
    "dnsPolicy=6 nodeSelector=7:map serviceAccountName=8 serviceAccount=9 nodeName=10 hostNetwork=11:bool0 " +
    "hostPID=12:bool0 hostIPC=13:bool0 imagePullSecrets=15:LocalObjectReference[] hostname=16 subdomain=17 " +
    "schedulerName=19 initContainers=20:Container[] automountServiceAccountToken=21:bool " +
    "tolerations=22:Toleration[] priorityClassName=24 priority=25:int enableServiceLinks=30:bool " +
    "preemptionPolicy=31",
  Toleration: "key=1 operator=2 value=3 effect=4 tolerationSeconds=5:int",
  Container:
    "name=1 image=2 command=3:text[] args=4:text[] workingDir=5 ports=6:ContainerPort[] env=7:EnvVar[] " +
    "resources=8:ResourceRequirements terminationMessagePath=13 imagePullPolicy=14 stdin=16:bool0 stdinOnce=17:bool0 " +
    "tty=18:bool0 terminationMessagePolicy=20",
  ContainerPort: "name=1 hostPort=2:int0 containerPort=3:int protocol=4 hostIP=5",
  EnvVar: "name=1 value=2",
  ResourceRequirements: "limits=1:map<quantity> requests=2:map<quantity>",

  "coordination.k8s.io/v1.Lease": "metadata=1:ObjectMeta spec=2:LeaseSpec",
  LeaseSpec:
    "holderIdentity=1 leaseDurationSeconds=2:int acquireTime=3:micro renewTime=4:micro leaseTransitions=5:int " +
    "strategy=6 preferredHolder=7",

  "rbac.authorization.k8s.io/v1.Role": "metadata=1:ObjectMeta rules=2:PolicyRule[]",
  "rbac.authorization.k8s.io/v1.ClusterRole": "metadata=1:ObjectMeta rules=2:PolicyRule[]",
  "rbac.authorization.k8s.io/v1.RoleBinding": "metadata=1:ObjectMeta subjects=2:Subject[] roleRef=3:RoleRef",
  "rbac.authorization.k8s.io/v1.ClusterRoleBinding":
    "metadata=1:ObjectMeta subjects=2:Subject[] roleRef=3:RoleRef",
  PolicyRule:
    "verbs=1:text[] apiGroups=2:text[] resources=3:text[] resourceNames=4:text[] nonResourceURLs=5:text[]",
  RoleRef: "apiGroup=1 kind=2 name=3",
  Subject: "kind=1 apiGroup=2 name=3 namespace=4",

  "networking.k8s.io/v1.Ingress": "metadata=1:ObjectMeta spec=2:IngressSpec status=3:skip",
  IngressSpec: "defaultBackend=1:IngressBackend tls=2:IngressTLS[] rules=3:IngressRule[] ingressClassName=4",
  IngressTLS: "hosts=1:text[] secretName=2",
  IngressRule: "host=1 ingressRuleValue=2:inline:IngressRuleValue",
  IngressRuleValue: "http=1:HTTPIngressRuleValue",
  HTTPIngressRuleValue: "paths=1:HTTPIngressPath[]",
  HTTPIngressPath: "path=1 backend=2:IngressBackend pathType=3",
  IngressBackend: "service=4:IngressServiceBackend",
  IngressServiceBackend: "name=1 port=2:ServiceBackendPort",
  ServiceBackendPort: "name=1 number=2:int0",

  "policy/v1.PodDisruptionBudget": "metadata=1:ObjectMeta spec=2:PodDisruptionBudgetSpec status=3:skip",
  PodDisruptionBudgetSpec:
    "minAvailable=1:intstr selector=2:LabelSelector maxUnavailable=3:intstr unhealthyPodEvictionPolicy=4",
};
