import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileFolder } from "@plimsoll/testbed/world";
import { expect, test } from "vitest";
import { findBinaries } from "../../src/controlplane/binaries.ts";

const folder = fileFolder();

test("programs of KUBEBUILDER_ASSETS are taken, and nothing is built", async () => {
  for (const name of ["etcd", "kube-apiserver", "kube-controller-manager"]) {
    writeFileSync(join(folder, name), "", { mode: 0o755 });
  }
  const said: string[] = [];
  const binaries = await findBinaries((line) => said.push(line), { KUBEBUILDER_ASSETS: folder, PATH: "" });
  expect(binaries).toEqual({
    etcd: join(folder, "etcd"),
    apiServer: join(folder, "kube-apiserver"),
    controllerManager: join(folder, "kube-controller-manager"),
  });
  expect(said).toEqual([]);
});

test("without Go and without binaries, one line says what to do", async () => {
  const nothing = { XDG_CACHE_HOME: join(folder, "cache"), PATH: join(folder, "bin") };
  await expect(findBinaries(() => {}, nothing)).rejects.toThrow(
    'etcd is built with Go, and there is no "go" on the PATH: install Go 1.26 or newer, or set KUBEBUILDER_ASSETS',
  );
});
