import { decide, explain } from "@plimsoll/core";
import { formatQuantity, milliValue, parseQuantity } from "@plimsoll/core/quantity";

const at = "2026-01-01T12:00:00Z";
const pods = [0, 1].map((i) => ({
  metadata: { name: `web-${i}` },
  spec: { containers: [{ name: "app", resources: { requests: { cpu: "100m" } } }] },
  status: {
    phase: "Running",
    startTime: "2026-01-01T06:00:00Z",
    conditions: [{ type: "Ready", status: "True", lastTransitionTime: "2026-01-01T06:00:10Z" }],
  },
}));
const { decision } = decide({
  nowMs: Date.parse(at),
  hpa: {
    metadata: { name: "web", namespace: "shop" },
    spec: {
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" },
      maxReplicas: 10,
      metrics: [
        {
          type: "Resource",
          resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 50 } },
        },
      ],
    },
  },
  scale: { ok: true, specReplicas: 2, statusReplicas: 2, selector: "app=web" },
  pods: { ok: true, pods },
  samples: [
    {
      pods: pods.map(({ metadata }) => ({
        ...metadata,
        timestamp: at,
        containers: { app: { cpu: "100m" } },
      })),
    },
  ],
});
if (!explain(decision).includes("web")) throw new Error("explain left out the pods");
const { scaleTo, reason } = decision;
const milli = String(milliValue(parseQuantity("250m")));
console.log(JSON.stringify({ scaleTo, reason, milli, text: formatQuantity(parseQuantity("1.5")) }));
