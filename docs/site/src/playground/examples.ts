// Where a visitor begins: small cases, each about one rule.
import { type CaseText, caseOf } from "./case.ts";

export interface Example {
  readonly id: string;
  readonly title: string;
  readonly text: CaseText;
}

const head = (name: string, limits: string) => `apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: { name: ${name} }
spec:
  scaleTargetRef:
    apiVersion: apps/v1
    kind: Deployment
    name: ${name}
  ${limits}
`;

const cpu60 = `  metrics:
    - type: Resource
      resource:
        name: cpu
        target:
          type: Utilization
          averageUtilization: 60
`;

const sources: readonly (readonly [id: string, title: string, text: string])[] = [
  [
    "utilization",
    "CPU above its target",
    `${head("shop", "minReplicas: 2\n  maxReplicas: 12")}${cpu60}---
replicas: 4
pods:
  - count: 4
    requests: { cpu: 500m }
    usage: { cpu: 450m }
`,
  ],
  [
    "queue",
    "A queue, per replica",
    `${head("worker", "minReplicas: 1\n  maxReplicas: 20")}  metrics:
    - type: External
      external:
        metric: { name: queue_depth }
        target:
          type: AverageValue
          averageValue: "30"
---
replicas: 3
pods:
  - count: 3
metrics:
  queue_depth: 240
`,
  ],
  [
    "several",
    "Two metrics: the higher proposal counts",
    `${head("api", "minReplicas: 3\n  maxReplicas: 30")}${cpu60}    - type: Pods
      pods:
        metric: { name: http_requests_per_second }
        target:
          type: AverageValue
          averageValue: "100"
---
replicas: 6
pods:
  - count: 6
    requests: { cpu: "1" }
    usage: { cpu: 620m }
    values:
      http_requests_per_second: "165"
`,
  ],
  [
    "missing",
    "Pods that are not ready, pods without a sample",
    `${head("api", "minReplicas: 2\n  maxReplicas: 20")}${cpu60}---
replicas: 6
pods:
  - count: 4
    requests: { cpu: 500m }
    usage: { cpu: 480m }
  - count: 1
    ready: false
    age: 1m
    requests: { cpu: 500m }
    usage: { cpu: 20m }
  - count: 1
    requests: { cpu: 500m }
`,
  ],
  [
    "stabilization",
    "Scale-down that a window holds",
    `${head("shop", "minReplicas: 2\n  maxReplicas: 12")}${cpu60}  behavior:
    scaleDown:
      stabilizationWindowSeconds: 300
---
replicas: 8
pods:
  - count: 8
    requests: { cpu: 500m }
    usage: { cpu: 120m }
recommended:
  - { ago: 4m, replicas: 8 }
  - { ago: 2m, replicas: 6 }
`,
  ],
  [
    "policies",
    "Scale-up that a policy limits",
    `${head("shop", "minReplicas: 2\n  maxReplicas: 40")}${cpu60}  behavior:
    scaleUp:
      policies:
        - type: Pods
          value: 4
          periodSeconds: 60
---
replicas: 10
pods:
  - count: 10
    requests: { cpu: 500m }
    usage: { cpu: 490m }
scaledUp:
  - { ago: 20s, replicas: 2 }
`,
  ],
];

export const examples: readonly Example[] = sources.map(([id, title, text]) => ({
  id,
  title,
  text: caseOf(text),
}));
