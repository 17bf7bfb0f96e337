// Documents are as their published schemas say.
import { readFile } from "node:fs/promises";
import { Ajv } from "ajv";
import { expect, test } from "vitest";
import { fakeCluster, run } from "./fake-cluster.ts";
import { putWorkload, statusOf } from "./workload.ts";

async function validator(name: string) {
  const text = await readFile(new URL(`../../schema/${name}.json`, import.meta.url), "utf8");
  return new Ajv({ allErrors: true }).compile(JSON.parse(text) as object);
}

test.each<[string, readonly string[]]>([
  ["explain.v1", ["explain", "shop"]],
  ["explain.v1", ["explain", "shop", "--why-not=9"]],
  ["explain.v1", ["explain", "broken"]],
  ["status.v1", ["status", "-A"]],
  ["status.v1", ["status", "shop", "absent"]],
  ["status.v1", ["status", "--limit=0"]],
])("%s describes %j", async (name, args) => {
  const cluster = fakeCluster();
  putWorkload(cluster, { name: "shop", replicas: 6, usage: "355m", status: statusOf(6, { cpu: 64 }) });
  putWorkload(cluster, { name: "broken", replicas: 2 });
  cluster.reply("/apis/apps/v1/namespaces/default/deployments/broken/scale", "no answer", 503);
  const validate = await validator(name);
  const document: unknown = JSON.parse((await run(cluster, [...args, "-o", "json"])).out);
  validate(document);
  expect(validate.errors ?? []).toEqual([]);
});
