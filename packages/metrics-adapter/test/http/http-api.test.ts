// docs/http-api.md: the paths of the adapter.
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { askAs, type Harness, startAdapter } from "./harness.ts";

const page = readFileSync(new URL("../../../../docs/http-api.md", import.meta.url), "utf8");
const [, section = ""] = page.split(/^## (?:metrics-adapter|autoscaler)$/m);
const apis = [...section.matchAll(/^\| `(\/[^`]*)` \| (custom|external|resource) \|/gm)].map(
  ([, path = "", api = ""]) => ({ path, api }),
);
const others = [...section.matchAll(/^\| `(\/[^`]*)` \| (?!custom|external|resource)/gm)].map(
  ([, path = ""]) => path,
);

const bases: Readonly<Record<string, readonly string[]>> = {
  custom: ["/apis/custom.metrics.k8s.io/v1beta1", "/apis/custom.metrics.k8s.io/v1beta2"],
  external: ["/apis/external.metrics.k8s.io/v1beta1"],
  resource: ["/apis/metrics.k8s.io/v1beta1"],
};

let harness: Harness;
beforeAll(async () => {
  harness = await startAdapter();
});
afterAll(async () => {
  await harness.adapter.stop();
});

describe("paths that are no API", () => {
  test("the page has every path of the adapter's index", async () => {
    const { paths } = (await askAs(harness, "/")).json() as { readonly paths: readonly string[] };
    const known = paths.map((path) =>
      path
        .replace(/^\/apis\/[^/]+\/.+$/, "/apis/{group}/{version}")
        .replace(/^\/apis\/[^/{]+$/, "/apis/{group}"),
    );
    expect(known.length).toBeGreaterThan(10);
    expect(known.filter((path) => !others.includes(path))).toEqual([]);
  });

  test("the page has every path that its source routes, and no other", () => {
    const source = readFileSync(new URL("../../src/http/endpoints/endpoints.ts", import.meta.url), "utf8");
    const routed = [...source.matchAll(/(?:app\.get|serve)\(["`](\/[^"`]*)["`]/g)]
      .map(([, path = ""]) => path.replaceAll(/:(\w+)/g, "{$1}"))
      .flatMap((path) =>
        path.includes("${endpoint}")
          ? ["healthz", "livez", "readyz"].map((name) => path.replace("${endpoint}", name))
          : [path],
      );
    const discovery = ["/apis", "/apis/{group}", "/apis/{group}/{version}"];
    expect([...routed, ...discovery].toSorted()).toEqual(others.toSorted());
  });

  test("each responds", async () => {
    for (const path of others) {
      const target = path
        .replace("{check}", "ping")
        .replace("{group}", "metrics.k8s.io")
        .replace("{version}", "v1beta1");
      const { code } = await askAs(harness, target);
      expect({ target, code }).toEqual({ target, code: 200 });
    }
  });
});

describe("the three APIs", () => {
  const all = apis.flatMap(({ path, api }) => (bases[api] ?? []).map((base) => ({ base, path })));

  test("the page has every path of the OpenAPI documents, and no other", async () => {
    const documents = await Promise.all(
      Object.values(bases)
        .flat()
        .map(
          async (base) => (await askAs(harness, `/openapi/v3${base}`)).json() as { readonly paths: object },
        ),
    );
    const described = documents.flatMap(({ paths }) => Object.keys(paths));
    expect(described.length).toBeGreaterThan(8);
    // The list of a version's resources is no API of its own.
    const below = described.filter((path) => !/^\/apis\/[^/]+\/[^/]+\/?$/.test(path));
    expect(below.toSorted()).toEqual(all.map(({ base, path }) => `${base}${path}`).toSorted());
  });

  test.each(all)("$base$path responds", async ({ base, path }) => {
    const target = path
      .replace("{namespace}", "default")
      .replace("{resource}", path.includes("{namespace}") ? "pods" : "nodes")
      .replace("{name}", "a")
      .replace("{metric}", "packets-per-second");
    const { code, text } = await askAs(harness, `${base}${target}`);
    // The object may be unknown to the fake; the path is not.
    expect({ code, isRouted: !text.includes("could not find the requested resource") }).toMatchObject({
      isRouted: true,
    });
    expect([200, 404]).toContain(code);
  });
});
