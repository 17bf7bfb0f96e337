// The file of other adapters, as a whole process reads it.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { until } from "@plimsoll/testbed/world";
import { expect, test } from "vitest";
import { get, lonelyFlags, makeFolder, readCa, servingPort, startProcess } from "../app/adapter-process.ts";
import { adapterOf, startBackend } from "./backends.ts";

const flags = [...lonelyFlags, "--secure-port=0", "--federation-config=backends.yaml"];

test("every problem of the file is printed with its place, and the process ends with 1", async () => {
  const folder = await makeFolder({
    "backends.yaml": "backends:\n- {name: A, service: {name: x}, groups: [metrics.k8s.io], color: red}\n",
  });
  const running = startProcess(folder, flags);
  expect(await running.ended).toBe(1);
  expect(running.err().split("\n").slice(0, -1)).toEqual([
    expect.stringMatching(/^error: backends\.yaml:2:10: backends\[0\]\.name: "A" must be .* \(PLM4001\)$/),
    expect.stringContaining("backends[0].service.namespace: is missing"),
    expect.stringContaining('"metrics.k8s.io" cannot be federated: metrics-server or Plimsoll owns it'),
    expect.stringContaining('unknown field "color"'),
  ]);
});

test.each([
  [
    "no file",
    {},
    "error: cannot read the backends file: backends.yaml: file not found; check the path (PLM4012)\n",
  ],
  [
    "no token",
    {
      "backends.yaml":
        "backends: [{name: a, service: {namespace: a, name: b}, groups: [external.metrics.k8s.io], tokenFile: /no-token}]",
    },
    /^error: cannot use a backend: .*backend a: .*no-token.* \(PLM4013\)\n$/,
  ],
])("%s: one line says so", async (_what, files, message) => {
  const running = startProcess(await makeFolder(files), flags);
  expect(await running.ended).toBe(1);
  expect(running.err()).toMatch(message);
});

test("it reads the list of another adapter with its token, over TLS, and says in readyz when that is away", async () => {
  const backend = await startBackend(adapterOf("external.metrics.k8s.io", ["lag"], "{}"));
  const folder = await makeFolder();
  const file = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const ca = file("backend-ca", backend.caPem);
  const token = file("token", "a-token");
  const entry = (name: string, port: number): string =>
    `- {name: ${name}, url: "https://127.0.0.1:${port}", caBundleFile: ${ca}, tokenFile: ${token}, groups: [external.metrics.k8s.io]}\n`;
  file("backends.yaml", `backends:\n${entry("good", backend.port)}${entry("gone", 1)}`);
  const running = startProcess(folder, flags);
  const port = await servingPort(running);
  await until("the list is read", () => backend.requests.length > 0);
  expect(backend.requests[0]?.path).toBe("/apis/external.metrics.k8s.io/v1beta1");
  expect(backend.requests[0]?.headers["authorization"]).toBe("Bearer a-token");
  await until("readyz names the one that is away, and no other", async () =>
    /\[\+\]backends ok: backends that are down: gone: /.test(
      (await get(port, "/readyz?verbose", await readCa(folder)))[1],
    ),
  );
  expect(running.lines().find(({ code }) => code === "PLM2081")).toMatchObject({ backend: "gone" });
  running.child.kill("SIGTERM");
  expect(await running.ended).toBe(0);
  expect(running.out()).not.toContain("a-token");
});
