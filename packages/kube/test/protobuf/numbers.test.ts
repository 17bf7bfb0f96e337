import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { Entry, tables } from "../../src/protobuf/wire/numbers.ts";

/** The module whose versions are those of the oracle and of the control plane of the tests. */
const pinned = fileURLToPath(new URL("../../../conformance/oracle/", import.meta.url));
const modules = ["k8s.io/api", "k8s.io/apimachinery", "k8s.io/metrics"];

/** Their folders; undefined where there is no Go, or the modules have not been downloaded. */
function foldersOf(): ReadonlyMap<string, string> | undefined {
  try {
    const text = execFileSync("go", ["list", "-m", "-f", "{{.Path}} {{.Dir}}", ...modules], {
      cwd: pinned,
      encoding: "utf8",
      env: { ...process.env, GOFLAGS: "-mod=mod", GOPROXY: "off" },
      stdio: ["ignore", "pipe", "ignore"],
    });
    const folders = new Map(
      text
        .trim()
        .split("\n")
        .map((line) => line.split(" ") as [string, string]),
    );
    return [...folders.values()].every(Boolean) ? folders : undefined;
  } catch {
    return undefined;
  }
}

const folders = foldersOf();

/** "k8s.io.api.core.v1.Pod" → the declaration of the message, in the folder of its package. */
function declarationOf(message: string): string {
  const name = message.slice(message.lastIndexOf(".") + 1);
  const packagePath = message.slice(0, -name.length - 1).replace("k8s.io.", "k8s.io/");
  const module = modules.find((path) => packagePath.startsWith(`${path}.`)) ?? "";
  const folder = packagePath.slice(module.length + 1).replaceAll(".", "/");
  const text = readFileSync(join(folders?.get(module) ?? "", folder, "generated.proto"), "utf8");
  return new RegExp(`^message ${name} \\{\\n([^]*?)^\\}`, "m").exec(text)?.[1] ?? "";
}

/** The tags of the fields of a message. */
function tagsIn(declaration: string): Readonly<Record<string, number>> {
  const fields = declaration.matchAll(/^ {2}(?:(?:optional|repeated) (\S+)|map<[^>]+>) (\w+) = (\d+)/gm);
  return Object.fromEntries(
    [...fields].map(([, type = "map", name = "", number]) => [
      name,
      Number(number) * 8 + (/^(?:u?int(?:32|64)|bool)$/.test(type) ? 0 : 2),
    ]),
  );
}

describe.skipIf(folders === undefined)("the numbers of fields, where Go and the pinned modules are", () => {
  test.each(tables)("%s", (message, tags) => {
    expect(tagsIn(declarationOf(message))).toMatchObject(tags);
  });
});

test("an entry of a map has its key and its value in the places that protobuf gives them", () => {
  expect(Entry).toEqual({ key: 10, value: 18 });
});
