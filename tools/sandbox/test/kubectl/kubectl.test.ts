import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { kubectlPath, type SharedSandbox, shopManifest, startShared, withShop } from "./kubectl-rig.ts";

const found = kubectlPath();
if (found === undefined) console.warn("kubectl is not on this machine: its tests are left out");
const kubectl = found ?? "kubectl";
/** It gives up after 30 s by itself, which a busy machine may need. */
const withLimit = "--timeout=100s";

describe.runIf(found !== undefined)("kubectl against the sandbox", () => {
  let shared: SharedSandbox;
  beforeAll(async () => {
    shared = await startShared(kubectl);
  });
  afterAll(() => shared?.stop());

  test("kubectl apply, diff, get, describe and rollout a deployment", () =>
    shared.use(async (rig) => {
      const { run, attempt, file } = rig;
      const manifest = await withShop(rig);
      expect(await run("apply", "-f", manifest)).toBe("deployment.apps/shop unchanged\n");
      const changed = await file(
        "changed.yaml",
        shopManifest.replace("shop:1", "shop:2").replace("100m", "200m"),
      );
      const diff = await attempt("diff", "-f", changed);
      expect(diff.code).toBe(1);
      expect(diff.stdout).toContain("+      - image: shop:2");
      expect(await run("apply", "-f", changed)).toBe("deployment.apps/shop configured\n");
      expect(await run("rollout", "status", "deployment/shop")).toContain("successfully rolled out");
      expect(await run("get", "deployments")).toMatch(
        /NAME +READY +UP-TO-DATE +AVAILABLE +AGE\nshop +2\/2 +2 +2 /,
      );
      const described = await run("describe", "deployment", "shop");
      expect(described).toContain("Image:      shop:2");
      expect(described).toMatch(
        /Replicas: +2 desired \| 2 updated \| 2 total \| 2 available \| 0 unavailable/,
      );
      expect(await run("rollout", "history", "deployment/shop")).toMatch(/1 +<none>\n2 +<none>/);
      await run("rollout", "undo", "deployment/shop");
      expect(
        await run("get", "deploy", "shop", "-o", "jsonpath={.spec.template.spec.containers[0].image}"),
      ).toBe("shop:1");
      expect(await run("get", "all")).toContain("replicaset.apps/shop-");
    }));

  test("kubectl scale and autoscale", () =>
    shared.use(async (rig) => {
      const { run, attempt } = rig;
      await withShop(rig);
      expect(await run("scale", "deployment/shop", "--replicas=3")).toBe("deployment.apps/shop scaled\n");
      const guarded = await attempt("scale", "deployment/shop", "--replicas=4", "--current-replicas=9");
      expect([guarded.code, guarded.stderr.trim()]).toEqual([1, "error: Expected replicas to be 9, was 3"]);
      await run("autoscale", "deployment", "shop", "--min=2", "--max=5", "--cpu-percent=50");
      expect(await run("get", "hpa", "shop")).toMatch(/shop +Deployment\/shop +cpu: <unknown>\/50% +2 +5 /);
      const described = await run("describe", "hpa", "shop");
      expect(described).toMatch(/Reference: +Deployment\/shop/);
      expect(described).toMatch(/resource cpu on pods +\(as a percentage of request\): +<unknown> \/ 50%/);
      const old = await run("get", "horizontalpodautoscalers.v1.autoscaling", "shop", "-o", "yaml");
      expect(old).toContain("targetCPUUtilizationPercentage: 50");
    }));

  test("kubectl get -w shows changes, and wait waits", () =>
    shared.use(async (rig) => {
      const { run, follow } = rig;
      await withShop(rig);
      // A list: of a single object kubectl drops the first event, which may be the last one of the scale.
      const watching = follow(["get", "deployments", "-w"], (text) => / 3\/3 /.test(text));
      await run("scale", "deployment/shop", "--replicas=3");
      const lines = (await watching).trim().split("\n");
      expect(lines.filter((line) => line.startsWith("NAME"))).toHaveLength(1);
      expect(await run("wait", withLimit, "--for=condition=Available", "deployment/shop")).toContain(
        "condition met",
      );
      expect(
        await run("wait", withLimit, "--for=jsonpath={.status.readyReplicas}=3", "deployment/shop"),
      ).toContain("condition met");
    }));

  test("kubectl delete waits for the object to be gone", () =>
    shared.use(async (rig) => {
      const { run } = rig;
      const manifest = await withShop(rig);
      expect(await run("delete", "-f", manifest, "--cascade=foreground")).toBe(
        'deployment.apps "shop" deleted\n',
      );
      expect(await run("get", "pods", "-o", "name")).toBe("");
      await run("create", "namespace", "team");
      await run("create", "configmap", "c", "--namespace=team", "--from-literal=a=b");
      expect(await run("delete", "namespace", "team")).toBe('namespace "team" deleted\n');
    }));

  test("kubectl apply --server-side owns fields and reports conflicts", () =>
    shared.use(async (rig) => {
      const { run, attempt, file } = rig;
      const manifest = await file("shop.yaml", shopManifest);
      expect(await run("apply", "--server-side", "-f", manifest)).toBe(
        "deployment.apps/shop serverside-applied\n",
      );
      await run("scale", "deployment/shop", "--replicas=4");
      const refused = await attempt("apply", "--server-side", "-f", manifest);
      expect(refused.code).toBe(1);
      expect(refused.stderr).toMatch(
        /conflict with "kubectl[.\d]*" with subresource "scale" using apps\/v1: \.spec\.replicas/,
      );
      await run("apply", "--server-side", "--force-conflicts", "-f", manifest);
      expect(await run("get", "deploy", "shop", "-o", "jsonpath={.spec.replicas}")).toBe("2");
    }));

  test("kubectl changes objects in every other way it has", () =>
    shared.use(async (rig) => {
      const { run, attempt, namespace } = rig;
      const manifest = await withShop(rig);
      await run("label", "deployment/shop", "tier=front");
      await run("annotate", "deployment/shop", "note=x");
      await run("set", "image", "deployment/shop", "main=shop:7");
      await run(
        "patch",
        "deployment",
        "shop",
        "--type=json",
        "-p",
        '[{"op":"replace","path":"/spec/replicas","value":1}]',
      );
      await run("patch", "deployment", "shop", "--type=merge", "-p", '{"spec":{"paused":true}}');
      const object = JSON.parse(await run("get", "deployment", "shop", "-o", "json"));
      expect(object).toMatchObject({
        metadata: { labels: { tier: "front" }, annotations: { note: "x" } },
        spec: { replicas: 1, paused: true, template: { spec: { containers: [{ image: "shop:7" }] } } },
      });
      await run("replace", "-f", manifest);
      await run("create", "deployment", "web", "--image=web:1", "--port=80");
      await run("expose", "deployment", "web", "--port=80");
      await run("create", "ingress", "main", "--rule=shop.example/*=web:80");
      await run("create", "secret", "generic", "key", "--from-literal=a=b");
      await run("create", "serviceaccount", "robot");
      await run("create", "role", "reader", "--verb=get", "--resource=pods");
      await run("create", "rolebinding", "readers", "--role=reader", `--serviceaccount=${namespace}:robot`);
      await run("run", "once", "--image=once:1");
      expect((await run("create", "token", "robot")).split(".")).toHaveLength(3);
      expect(await run("get", "service,ingress,secret", "-o", "name")).toBe(
        "service/web\ningress.networking.k8s.io/main\nsecret/key\n",
      );
      expect(await run("create", "configmap", "c", "--dry-run=server", "-o", "name")).toBe("configmap/c\n");
      const bad = await attempt("create", "configmap", "Bad_Name");
      expect(bad.stderr).toContain('ConfigMap "Bad_Name" is invalid: metadata.name: Invalid value');
    }));

  test("kubectl apply takes a container away that is no longer in the manifest", () =>
    shared.use(async (rig) => {
      const { run, file } = rig;
      const two = `${shopManifest}      - name: side\n        image: side:1\n`;
      await run("apply", "-f", await file("two.yaml", two));
      const names = ["get", "deploy", "shop", "-o", "jsonpath={.spec.template.spec.containers[*].name}"];
      expect(await run(...names)).toBe("main side");
      await run("apply", "-f", await file("one.yaml", shopManifest));
      expect(await run(...names)).toBe("main");
    }));
});
