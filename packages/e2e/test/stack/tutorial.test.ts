// docs/tutorial.md: every command of the page, as a reader types it, on ports that are free here.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { freePort, prometheusProgram, until } from "@plimsoll/testbed";
import { afterAll, beforeAll, expect, test } from "vitest";
import { local } from "../fixture.ts";

const root = local("../../../");
const page = readFileSync(join(root, "docs/tutorial.md"), "utf8");
const blocks = [...page.matchAll(/^```sh\n([^]*?)^```$/gm)].map(([, block = ""]) => block.trimEnd());
/** What stays in the foreground. */
const isProgram = (block: string): boolean =>
  /^(?:prometheus|npm run -s (?:sandbox|metrics-adapter|autoscaler)) /.test(block);

let folder: string;
const ports = new Map<string, number>();
const programs: ChildProcess[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "plimsoll-tutorial-"));
  for (const port of ["9090", "6443", "6444"]) ports.set(port, await freePort());
  cpSync(join(root, "examples/tutorial"), join(folder, "examples/tutorial"), { recursive: true });
  for (const path of globSync("examples/tutorial/*", { cwd: folder }))
    writeFileSync(join(folder, path), here(readFileSync(join(folder, path), "utf8")));
});

afterAll(async () => {
  for (const { pid } of programs.toReversed()) {
    if (pid === undefined || !isAlive(pid)) continue;
    process.kill(-pid, "SIGTERM");
    await until(`the end of the process group ${pid}`, () => (isAlive(pid) ? undefined : true));
  }
  rmSync(folder, { recursive: true, force: true });
});

/** Whether a process of the group runs: npm has children of its own, which end after it. */
function isAlive(group: number): boolean {
  try {
    process.kill(-group, 0);
    return true;
  } catch {
    return false;
  }
}

/** With the ports of this run. */
function here(text: string): string {
  return [...ports].reduce((done, [port, free]) => done.replaceAll(port, String(free)), text);
}

/** A shell in the place of the reader's: the folder of the clone is the temporary one, but for npm. */
function shell(script: string): ChildProcess {
  const typed = here(script).replaceAll("npm run ", `npm --prefix "${root}" run `);
  const path = `${process.env["PATH"] ?? ""}${delimiter}${dirname(prometheusProgram())}`;
  return spawn("sh", ["-ec", typed], {
    cwd: folder,
    env: {
      ...process.env,
      NODE_OPTIONS: "",
      INIT_CWD: folder,
      PATH: path,
      // The exports of the page.
      KUBECONFIG: join(folder, "tutorial/kubeconfig"),
      PROMETHEUS_URL: here("http://127.0.0.1:9090"),
    },
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
}

interface Ran {
  readonly code: number | null;
  readonly output: string;
}

async function run(script: string): Promise<Ran> {
  const child = shell(script);
  const output: string[] = [];
  child.stdout?.on("data", (chunk: Buffer) => output.push(chunk.toString()));
  child.stderr?.on("data", (chunk: Buffer) => output.push(chunk.toString()));
  const [code] = (await once(child, "close")) as [number | null];
  return { code, output: output.join("") };
}

/** Starts a program. What it serves is waited for by the command after it. */
function start(script: string): void {
  const child = shell(`exec ${script}`);
  child.stdout?.resume();
  child.stderr?.resume();
  programs.push(child);
}

test("the page has four programs, each in a block of its own", () => {
  expect(blocks.filter(isProgram)).toHaveLength(4);
  expect(blocks.filter((block) => isProgram(block) && block.includes("\n"))).toEqual([]);
});

test("every command of the tutorial works, and the workload follows the series", async () => {
  const outputs: string[] = [];
  let isAfterProgram = false;
  for (const block of blocks) {
    if (isProgram(block)) {
      start(block);
      isAfterProgram = true;
      continue;
    }
    // A reader sees when a program serves; here its first commands are repeated until it does.
    let last: Ran = { code: null, output: "" };
    const works = async (): Promise<true | undefined> => {
      last = await run(block);
      return last.code === 0 ? true : undefined;
    };
    if (isAfterProgram) await until(`the program before ${block}`, works);
    else await works();
    expect({ block, ...last }).toMatchObject({ code: 0 });
    outputs.push(last.output);
    isAfterProgram = false;
  }
  const all = outputs.join("\n");
  expect(all).toContain('"value":"90"');
  const [, shown = ""] = /^```text\n([^]*?)^```$/m.exec(page) ?? [];
  expect(shown).toContain("3 replicas");
  expect(all).toContain(shown);
});
