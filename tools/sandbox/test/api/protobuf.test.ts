import { expect, test } from "vitest";
import { decodeProtobufObject } from "../../src/protobuf/decode-object.ts";
import { hpas, withApi } from "./api-rig.ts";

/** Protobuf text for tests: a field number with text, a number, or nested fields. */
type Field = readonly [number, string | number | readonly Field[]];

function encode(fields: readonly Field[]): Buffer {
  return Buffer.concat(
    fields.map(([number, value]) => {
      if (typeof value === "number") return Buffer.concat([varint(number << 3), varint(value)]);
      const bytes = typeof value === "string" ? Buffer.from(value) : encode(value);
      return Buffer.concat([varint((number << 3) | 2), varint(bytes.length), bytes]);
    }),
  );
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest & 127) | 128);
  return Buffer.from([...bytes, rest]);
}

function object(apiVersion: string, kind: string, fields: readonly Field[]): Buffer {
  const typeMeta: Field = [
    1,
    [
      [1, apiVersion],
      [2, kind],
    ],
  ];
  return Buffer.concat([Buffer.from("k8s\0", "latin1"), encode([typeMeta, [2, fields]])]);
}

const autoscaler = object("autoscaling/v1", "HorizontalPodAutoscaler", [
  [
    1,
    [
      [1, "shop"],
      [2, ""],
      [3, ""],
      [7, 0],
      [8, []],
    ],
  ],
  [
    2,
    [
      [
        1,
        [
          [1, "Deployment"],
          [2, "shop"],
          [3, "apps/v1"],
        ],
      ],
      [2, 1],
      [3, 5],
      [4, 50],
    ],
  ],
  [
    3,
    [
      [3, 0],
      [4, 0],
    ],
  ],
]);
const protobuf = "application/vnd.kubernetes.protobuf";

test("an autoscaler as kubectl sends it", () =>
  withApi(async ({ call }) => {
    const { code } = await call("POST", hpas.replace("/v2/", "/v1/"), { body: autoscaler, type: protobuf });
    expect(code).toBe(201);
    const { body } = await call("GET", `${hpas}/shop`);
    expect(body["spec"]).toMatchObject({
      minReplicas: 1,
      maxReplicas: 5,
      metrics: [{ resource: { target: { averageUtilization: 50 } } }],
    });
  }));

test("unset fields, maps, times, quantities and int-or-string come out as JSON has them", () => {
  const service = decodeProtobufObject(
    object("v1", "Service", [
      [
        1,
        [
          [1, "web"],
          [8, [[1, 1_700_000_000]]],
          [
            11,
            [
              [1, "a"],
              [2, "b"],
            ],
          ],
        ],
      ],
      [
        2,
        [
          [
            1,
            [
              [1, ""],
              [3, 80],
              [
                4,
                [
                  [1, 1],
                  [2, 0],
                  [3, "http"],
                ],
              ],
              [5, 0],
            ],
          ],
          [
            2,
            [
              [1, "app"],
              [2, ""],
            ],
          ],
        ],
      ],
    ]),
  );
  expect(service).toEqual({
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "web", creationTimestamp: "2023-11-14T22:13:20Z", labels: { a: "b" } },
    spec: { ports: [{ port: 80, targetPort: "http" }], selector: { app: "" } },
  });
  const target: Field = [
    2,
    [
      [1, "AverageValue"],
      [3, [[1, "1k"]]],
    ],
  ];
  const autoscalerV2 = decodeProtobufObject(
    object("autoscaling/v2", "HorizontalPodAutoscaler", [
      [
        2,
        [
          [3, 2],
          [
            4,
            [
              [1, "Pods"],
              [3, [[1, [[1, "pps"]]], target]],
            ],
          ],
        ],
      ],
    ]),
  );
  expect(autoscalerV2?.["spec"]).toEqual({
    maxReplicas: 2,
    metrics: [
      {
        type: "Pods",
        pods: { metric: { name: "pps" }, target: { type: "AverageValue", averageValue: "1k" } },
      },
    ],
  });
});

test("a kind or field that is unknown is refused rather than half read", () =>
  withApi(async ({ call }) => {
    expect(decodeProtobufObject(object("batch/v1", "Job", []))).toBeUndefined();
    expect(decodeProtobufObject(object("v1", "Namespace", [[9, "x"]]))).toBeUndefined();
    const path = "/api/v1/namespaces";
    const unknown = await call("POST", path, { body: object("v1", "Namespace", [[9, "x"]]), type: protobuf });
    expect(unknown.code).toBe(415);
    const broken = await call("POST", path, { body: Buffer.from("k8s\0\xff\xff", "latin1"), type: protobuf });
    expect(broken.code).toBe(400);
  }));
