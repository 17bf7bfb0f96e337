import { checkHpa } from "@plimsoll/core/internal/objects";
import { expect, test } from "vitest";
import { fieldsOf, modelOf } from "../../src/resources/builtin-fields.ts";
import { builtinResources } from "../../src/resources/builtin-resources.ts";
import { withApi } from "./api-rig.ts";

// The messages are those of kube-apiserver 1.37.
const hpas = "/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers";
const cannot =
  'HorizontalPodAutoscaler in version "v2" cannot be handled as a HorizontalPodAutoscaler: strict decoding error:';

function hpa(target: object = {}, more: object = {}) {
  return {
    apiVersion: "autoscaling/v2",
    kind: "HorizontalPodAutoscaler",
    metadata: { name: "shop", ...more },
    spec: {
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "shop" },
      maxReplicas: 3,
      metrics: [
        {
          type: "Resource",
          resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 60, ...target } },
        },
      ],
    },
  };
}

test("every built-in kind has its fields", () => {
  const missing = builtinResources.map(modelOf).filter((model) => fieldsOf(model) === undefined);
  expect(missing).toEqual([]);
});

test("Strict refuses what a kind does not have, by create, update and patch", () =>
  withApi(async ({ call }) => {
    const strict = "?fieldValidation=Strict";
    const wrong = hpa({ averageUtilisation: 3 }, { lables: null });
    const message = `${cannot} unknown field "metadata.lables", unknown field "spec.metrics[0].resource.target.averageUtilisation"`;
    const refused = { code: 400, body: { reason: "BadRequest", message } };
    expect(await call("POST", `${hpas}${strict}`, { body: wrong })).toMatchObject(refused);
    expect((await call("POST", `${hpas}${strict}`, { body: hpa() })).code).toBe(201);
    expect(await call("PUT", `${hpas}/shop${strict}`, { body: wrong })).toMatchObject(refused);
    for (const type of ["application/strategic-merge-patch+json", "application/merge-patch+json"]) {
      const body = { spec: { maxReplica: 4 } };
      const patched = await call("PATCH", `${hpas}/shop${strict}`, { body, type });
      expect(patched).toMatchObject({ code: 422, body: { reason: "Invalid" } });
      expect(patched.body["message"]).toMatch(
        /^ "" is invalid: patch: Invalid value: ".*": strict decoding error: unknown field "spec\.maxReplica"$/,
      );
    }
  }));

test("Strict refuses fields that are written twice", () =>
  withApi(async ({ call }) => {
    const twice = JSON.stringify(hpa()).replace('"maxReplicas":3', '"maxReplicas":3,"maxReplicas":4');
    const refused = await call("POST", `${hpas}?fieldValidation=Strict`, { body: twice });
    expect(refused).toMatchObject({
      code: 400,
      body: { message: `${cannot} duplicate field "spec.maxReplicas"` },
    });
  }));

test("otherwise unknown fields are dropped, with a warning unless they are to be ignored", () =>
  withApi(async ({ call }) => {
    const warned = await call("POST", hpas, { body: hpa({ averageUtilisation: 3 }) });
    expect(warned.code).toBe(201);
    expect(warned.headers["warning"]).toBe(
      String.raw`299 - "unknown field \"spec.metrics[0].resource.target.averageUtilisation\""`,
    );
    expect(warned.text).not.toContain("averageUtilisation");
    const ignored = await call("PUT", `${hpas}/shop?fieldValidation=Ignore`, { body: hpa({ foo: 1 }) });
    expect([ignored.code, ignored.headers["warning"]]).toEqual([200, undefined]);
    const unsupported = await call("POST", `${hpas}?fieldValidation=strict`, { body: hpa() });
    expect(unsupported).toMatchObject({
      code: 422,
      body: {
        message:
          'CreateOptions.meta.k8s.io "" is invalid: fieldValidation: Unsupported value: "strict": supported values: "", "Ignore", "Strict", "Warn"',
      },
    });
  }));

test.each(["単位", 'a "quoted" \\ one', "with\u007f\u0000\ncontrol characters"])(
  "a warning shows an unknown field of any letters: %j",
  (field) =>
    withApi(async ({ call }) => {
      const warned = await call("POST", hpas, { body: hpa({ [field]: 1 }) });
      expect(warned.code).toBe(201);
      const shown = Buffer.from(String(warned.headers["warning"]), "latin1").toString("utf8");
      const path = `unknown field ${JSON.stringify(`spec.metrics[0].resource.target.${field}`)}`;
      expect(JSON.parse(shown.replace("299 - ", ""))).toBe(path.replaceAll("\u007f", ""));
    }),
);

test("warnings take no more of a header than clients read", () =>
  withApi(async ({ call }) => {
    const fields = Object.fromEntries(Array.from({ length: 1_000 }, (_, n) => [`${n}${"x".repeat(500)}`, 1]));
    const warned = await call("POST", hpas, { body: hpa(fields) });
    expect(warned.code).toBe(201);
    expect(String(warned.headers["warning"]).length).toBeLessThan(5_000);
  }));

test("a custom resource has the fields of its schema", () =>
  withApi(async ({ call }) => {
    const item = { type: "object", properties: { a: { type: "string" } } };
    const spec = {
      type: "object",
      properties: {
        size: { type: "integer" },
        list: { type: "array", items: item },
        map: { type: "object", additionalProperties: item },
        open: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
      },
    };
    const definition = {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: "farms.example.dev" },
      spec: {
        group: "example.dev",
        scope: "Namespaced",
        names: { plural: "farms", kind: "Farm" },
        versions: [
          {
            name: "v1",
            served: true,
            storage: true,
            schema: { openAPIV3Schema: { type: "object", properties: { spec } } },
          },
        ],
      },
    };
    const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions?fieldValidation=Strict";
    expect((await call("POST", definitions, { body: definition })).code).toBe(201);
    const farms = "/apis/example.dev/v1/namespaces/default/farms";
    const farm = (fields: object, more: object = {}) => ({
      apiVersion: "example.dev/v1",
      kind: "Farm",
      metadata: { name: "north", ...more },
      spec: fields,
      ...more,
    });
    const wrong = farm({ sizes: 2, list: [{ b: 1 }], map: { x: { c: 1 } }, open: { any: 1 } }, { zzz: 1 });
    const refused = await call("POST", `${farms}?fieldValidation=Strict`, { body: wrong });
    expect(refused.body["message"]).toBe(
      'Farm in version "v1" cannot be handled as a Farm: strict decoding error: unknown field "metadata.zzz", unknown field "spec.list[0].b", unknown field "spec.map.x.c", unknown field "spec.sizes", unknown field "zzz"',
    );
    const right = farm({ size: 2, open: { any: 1 } });
    expect((await call("POST", `${farms}?fieldValidation=Strict`, { body: right })).code).toBe(201);
    const applied = await call("PATCH", `${farms}/north?fieldManager=m`, {
      body: farm({ sizes: 3 }),
      type: "application/apply-patch+yaml",
    });
    expect(applied).toMatchObject({
      code: 500,
      body: {
        message:
          "failed to create typed patch object (/north; example.dev/v1, Kind=Farm): .spec.sizes: field not declared in schema",
      },
    });
  }));

test.each<readonly [what: string, manifest: object]>([
  ["one without mistakes", hpa()],
  ["a number that is a string", { ...hpa(), spec: { ...hpa().spec, maxReplicas: "3" } }],
  ["an annotation that is a number", hpa({}, { annotations: { team: 7 } })],
  ["metrics beside spec", { ...hpa(), metrics: [] }],
  ["a name in other letters", { ...hpa(), spec: { ...hpa().spec, MaxReplicas: 3 } }],
  ["a limit below the other", { ...hpa(), spec: { ...hpa().spec, minReplicas: 4 } }],
  ["no target", { ...hpa(), spec: { maxReplicas: 3 } }],
  ["metrics in v1", { ...hpa(), apiVersion: "autoscaling/v1" }],
])("an HPA is refused where the check of manifests refuses it: %s", (_what, manifest) =>
  withApi(async ({ call }) => {
    const { apiVersion } = { apiVersion: "", ...manifest };
    const path = hpas.replace("autoscaling/v2", apiVersion);
    const { code } = await call("POST", `${path}?fieldValidation=Strict`, { body: manifest });
    expect(code < 300).toBe(checkHpa(manifest).length === 0);
  }),
);
