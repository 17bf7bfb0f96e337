import { expect, test } from "vitest";
import { listBody } from "../../src/http/json-body.ts";

test.each([0, 1, 2_000, 2_001, 4_500])(
  "a list of %i rows has the bytes of one that is written at once",
  (length) => {
    const rows = Array.from({ length }, (_, at) => ({ name: `"é" ${at}`, verbs: ["get"] }));
    const list = { kind: "APIResourceList", resources: rows };
    expect(String(listBody(list, "resources"))).toBe(`${JSON.stringify(list)}\n`);
  },
);
