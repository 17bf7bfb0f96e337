// `plimsoll __complete` and `plimsoll completion`: what kubectl asks, and the program by which it asks.
import { access, constants, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Connection, KubeRequest } from "@plimsoll/kube";
import { fileFolder } from "@plimsoll/testbed/world";
import { expect, test } from "vitest";
import { schemaErrors } from "./published-schema.ts";
import { plimsoll, type Seams } from "./run-plimsoll.ts";

const folder = fileFolder();
const cli = (args: readonly string[], seams: Seams = {}) =>
  plimsoll(args, {
    readText: async () => "",
    nowMs: () => Date.parse("2026-11-22T10:00:00Z"),
    connect: () => Promise.reject(new Error("no cluster here")),
    ...seams,
  });

async function complete(words: readonly string[], seams: Seams = {}): Promise<readonly string[]> {
  const { code, out, err } = await cli(["__complete", ...words], seams);
  expect([code, err]).toEqual([0, ""]);
  return out.trimEnd().split("\n");
}

const hpa = (name: string, kind = "Deployment") => ({
  metadata: { name, namespace: "shop" },
  spec: { scaleTargetRef: { apiVersion: "apps/v1", kind, name: `${name}-target` } },
});

/** A cluster that has these objects; what is requested is kept. */
function cluster(respond: (path: string) => Promise<unknown>) {
  const paths: string[] = [];
  const client = {
    server: "https://cluster",
    request: async ({ path }: KubeRequest) => {
      paths.push(path);
      return await respond(path);
    },
    stream: () => Promise.reject(new Error("no stream")),
    close: async () => undefined,
  };
  const access = { context: { namespace: "shop", user: "u" } };
  const connect = async () => ({ client, access }) as unknown as Connection;
  return { paths, connect };
}

const shop = () =>
  cluster(async (path) =>
    path.includes("horizontalpod")
      ? { items: [hpa("web"), hpa("worker", "StatefulSet"), hpa("evil\u001b[31m")] }
      : { items: [hpa("night")] },
  );

test("commands, their commands, and what they begin with", async () => {
  expect(await complete(["r"])).toEqual(["replay", "rules", "rollback", ":4"]);
  expect(await complete(["rules", ""])).toEqual(["check", "test", "query", ":4"]);
  expect(await complete(["nothing", ""])).toEqual([":4"]);
});

test("flags, their choices, and files where a file is meant", async () => {
  expect(await complete(["replay", "--se"])).toEqual(["--semantics", "--set", ":4"]);
  expect(await complete(["console", "--no-o"])).toEqual(["--no-open", ":4"]);
  expect(await complete(["console", "--p"])).toEqual(["--port", "--prometheus-url", ":4"]);
  expect(await complete(["console", "--id"])).toEqual(["--idle", ":4"]);
  expect(await complete(["replay", "--semantics", "1.3"])).toEqual([
    "1.32",
    "1.35",
    "1.36",
    "1.37",
    "1.38",
    ":4",
  ]);
  expect(await complete(["replay", "--semantics=1.37"])).toEqual(["--semantics=1.37", ":4"]);
  expect(await complete(["replay", "-o", "y"])).toEqual(["yaml", ":4"]);
  expect(await complete(["replay", ""])).toEqual([":0"]);
  expect(await complete(["replay", "a.json", ""])).toEqual([":0"]);
  expect(await complete(["rules", "query", "-f", ""])).toEqual([":0"]);
  expect(await complete(["rules", "query", "--against", ""])).toEqual([":4"]);
});

test("names of objects, alone or behind a kind, and none that control a terminal", async () => {
  const { connect, paths } = shop();
  expect(await complete(["explain", ""], { connect })).toEqual(["night", "web", "worker", ":4"]);
  expect(paths).toContain("/apis/autoscaling/v2/namespaces/shop/horizontalpodautoscalers");
  expect(await complete(["explain", "w"], { connect })).toEqual(["web", "worker", ":4"]);
  expect(await complete(["explain", "wla/"], { connect })).toEqual(["wla/night", ":4"]);
  expect(await complete(["explain", "sts/"], { connect })).toEqual(["sts/worker-target", ":4"]);
  expect(await complete(["explain", "web", ""], { connect })).toEqual([":4"]);
});

test("backtest takes files, and objects with --prometheus-url", async () => {
  const { connect } = shop();
  expect(await complete(["backtest", ""], { connect })).toEqual([":0"]);
  const args = ["backtest", "--prometheus-url", "http://p:9090"];
  expect(await complete([...args, "hpa/"], { connect })).toEqual(["hpa/web", "hpa/worker", ":4"]);
  expect(await complete([...args, "--level", ""], { connect })).toEqual(["series", "status", ":4"]);
  expect(await complete([...args, "--manifest", ""], { connect })).toEqual([":0"]);
});

test("tune takes an object, and files and folders where they are meant", async () => {
  const { connect } = shop();
  expect(await complete(["tune", "hpa/"], { connect })).toEqual(["hpa/web", "hpa/worker", ":4"]);
  for (const flag of ["--recording", "--space", "--out"]) {
    expect(await complete(["tune", flag, ""], { connect })).toEqual([":0"]);
  }
  expect(await complete(["tune", "-o", "s"], { connect })).toEqual(["svg", ":4"]);
});

test("no name that a shell would run: older completions of bash expand what they are given", async () => {
  const target = (name: string) => ({
    metadata: { name: name.length.toString(), namespace: "shop" },
    spec: { scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name } },
  });
  const names = [
    "web",
    "a.b-c_d:e",
    "$(id)",
    "`id`",
    "${IFS}",
    "a b",
    "a'b",
    'a"b',
    "a;b",
    "a*",
    "~",
    "a\\b",
  ];
  const { connect } = cluster(async () => ({ items: names.map(target) }));
  expect(await complete(["explain", "deploy/"], { connect })).toEqual([
    "deploy/a.b-c_d:e",
    "deploy/web",
    ":4",
  ]);
});

test("the flags before decide where names are looked for", async () => {
  const { connect, paths } = shop();
  await complete(["explain", "-n", "pay", ""], { connect });
  expect(paths).toContain("/apis/autoscaling/v2/namespaces/pay/horizontalpodautoscalers");
});

test("a cluster that fails gives no names, and one that is slow none after 300 ms", async () => {
  expect(await complete(["explain", ""])).toEqual([":4"]);
  const delays: number[] = [];
  const clock = {
    nowMs: () => 0,
    after: (delayMs: number, run: () => void) => {
      delays.push(delayMs);
      queueMicrotask(run);
      return () => undefined;
    },
  };
  const { connect } = cluster(() => new Promise(() => undefined));
  expect(await complete(["explain", ""], { connect, clock })).toEqual([":4"]);
  expect(delays).toEqual([300]);
});

test("completion writes the program that kubectl runs, and installs it", async () => {
  const { out } = await cli(["completion"]);
  expect(out).toContain('exec plimsoll __complete "$@"');
  const { code, err } = await cli(["completion", "--install", join(folder, "bin")]);
  const path = join(folder, "bin", "kubectl_complete-plimsoll");
  expect([code, err]).toEqual([0, `wrote ${path}\n`]);
  expect(await readFile(path, "utf8")).toBe(out);
  await access(path, constants.X_OK);
  expect((await cli(["completion", "--install", path])).err).toMatch(/^error: cannot write /);
});

test("completion takes no shell, and says what to do instead", async () => {
  const { code, out, err } = await cli(["completion", "bash"]);
  expect([code, out]).toEqual([1, ""]);
  expect(err).toMatch(/^error: completion takes no shell: .*--install DIR/);
});

test("version says that of the program, of the rules and of the runtime", async () => {
  const { code, out } = await cli(["version"], { runtime: "node 24.0.0 linux x64" });
  expect(code).toBe(0);
  expect(out).toMatch(
    /^plimsoll {3}1\.2\.3\nrules {6}\S+, of Kubernetes 1\.37\nruntime {4}node 24\.0\.0 linux x64\n$/,
  );
  const json = await cli(["version", "-o", "json"]);
  expect(schemaErrors("version.v1", json.out)).toBeNull();
  expect(JSON.parse(json.out)).toMatchObject({
    schema: "plimsoll/version/v1",
    version: "1.2.3",
    semantics: "1.37",
  });
});
