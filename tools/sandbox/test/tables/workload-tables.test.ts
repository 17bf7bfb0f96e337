import { expect, test } from "vitest";
import { ago, block, print } from "./print.ts";

const running = { running: { startedAt: ago(60) } };

test("pods", () => {
  const pod = (name: string, status: object, more: { metadata?: object; spec?: object } = {}) => ({
    metadata: { name, namespace: "default", creationTimestamp: ago(200), ...more.metadata },
    spec: { nodeName: "sandbox-node-1", containers: [{ name: "main" }], ...more.spec },
    status,
  });
  const pods = [
    pod("router-6d4b75cb6d-2x7zq", {
      phase: "Running",
      podIP: "10.64.0.1",
      conditions: [{ type: "Ready", status: "True" }],
      containerStatuses: [{ name: "main", ready: true, restartCount: 0, state: running }],
    }),
    pod("starting", {
      phase: "Running",
      containerStatuses: [{ name: "main", ready: false, state: running }],
    }),
    pod("creating", {
      phase: "Pending",
      containerStatuses: [{ name: "main", state: { waiting: { reason: "ContainerCreating" } } }],
    }),
    pod("pending", { phase: "Pending" }, { spec: { nodeName: undefined } }),
    pod("crashing", {
      phase: "Running",
      containerStatuses: [
        {
          name: "main",
          restartCount: 4,
          state: { waiting: { reason: "CrashLoopBackOff" } },
          lastState: { terminated: { reason: "Error", exitCode: 1, finishedAt: ago(75) } },
        },
      ],
    }),
    pod(
      "ending",
      { phase: "Running", containerStatuses: [{ name: "main", ready: true, state: running }] },
      { metadata: { deletionTimestamp: ago(-30) } },
    ),
    pod("evicted", { phase: "Failed", reason: "Evicted" }),
    pod("done", {
      phase: "Succeeded",
      containerStatuses: [{ name: "main", state: { terminated: { reason: "Completed", exitCode: 0 } } }],
    }),
    pod("killed", {
      phase: "Failed",
      containerStatuses: [{ name: "main", state: { terminated: { exitCode: 137, signal: 9 } } }],
    }),
    pod("lost", { phase: "Running", reason: "NodeLost" }, { metadata: { deletionTimestamp: ago(30) } }),
  ];
  expect(print("pods", pods)).toBe(
    block(`
      NAME                      READY   STATUS              RESTARTS      AGE
      router-6d4b75cb6d-2x7zq   1/1     Running             0             3m20s
      starting                  0/1     Running             0             3m20s
      creating                  0/1     ContainerCreating   0             3m20s
      pending                   0/1     Pending             0             3m20s
      crashing                  0/1     CrashLoopBackOff    4 (75s ago)   3m20s
      ending                    1/1     Terminating         0             3m20s
      evicted                   0/1     Evicted             0             3m20s
      done                      0/1     Completed           0             3m20s
      killed                    0/1     Signal:9            0             3m20s
      lost                      0/1     Unknown             0             3m20s
    `),
  );
  expect(print("pods", pods.slice(0, 1), { wide: true })).toBe(
    block(`
      NAME                      READY   STATUS    RESTARTS   AGE     IP          NODE             NOMINATED NODE   READINESS GATES
      router-6d4b75cb6d-2x7zq   1/1     Running   0          3m20s   10.64.0.1   sandbox-node-1   <none>           <none>
    `),
  );
});

const template = {
  spec: {
    containers: [
      { name: "main", image: "example/main:1" },
      { name: "side", image: "example/side:2" },
    ],
  },
};
const matchLabels = { tier: "front", app: "router" };

test("deployments, replica sets, stateful sets and replication controllers", () => {
  const metadata = { name: "router", creationTimestamp: ago(3 * 3600 + 1200) };
  const spec = { replicas: 3, template, selector: { matchLabels } };
  const status = { replicas: 3, readyReplicas: 2, updatedReplicas: 3, availableReplicas: 1 };
  expect(print("deployments.apps", [{ metadata, spec, status }], { wide: true })).toBe(
    block(`
      NAME     READY   UP-TO-DATE   AVAILABLE   AGE     CONTAINERS   IMAGES                          SELECTOR
      router   2/3     3            1           3h20m   main,side    example/main:1,example/side:2   app=router,tier=front
    `),
  );
  expect(print("deployments.apps", [{ metadata, spec: { ...spec, replicas: 0 }, status: {} }])).toBe(
    block(`
      NAME     READY   UP-TO-DATE   AVAILABLE   AGE
      router   0/0     0            0           3h20m
    `),
  );
  expect(print("replicasets.apps", [{ metadata, spec, status }])).toBe(
    block(`
      NAME     DESIRED   CURRENT   READY   AGE
      router   3         3         2       3h20m
    `),
  );
  expect(print("statefulsets.apps", [{ metadata, spec, status }], { wide: true })).toBe(
    block(`
      NAME     READY   AGE     CONTAINERS   IMAGES
      router   2/3     3h20m   main,side    example/main:1,example/side:2
    `),
  );
  expect(
    print("replicationcontrollers", [{ metadata, spec: { ...spec, selector: matchLabels }, status }], {
      wide: true,
    }),
  ).toBe(
    block(`
      NAME     DESIRED   CURRENT   READY   AGE     CONTAINERS   IMAGES                          SELECTOR
      router   3         3         2       3h20m   main,side    example/main:1,example/side:2   app=router,tier=front
    `),
  );
});
