// Carries out a tutorial of docs: every command of the page, as a reader types it, on ports that are free here.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { freePort, prometheusProgram, until } from "@plimsoll/testbed";
import { expect } from "vitest";
import { local } from "./fixture.ts";

const root = local("../../../");

export interface TutorialPage {
  readonly text: string;
  /** Its blocks of shell commands, in order. */
  readonly blocks: readonly string[];
  /** Runs all blocks in order, and starts what stays in the foreground. Returns what the commands printed. */
  carryOut(): Promise<string>;
  /** Ends the programs and removes the folder. */
  close(): Promise<void>;
}

/** Whether a block stays in the foreground. */
export function isProgram(block: string): boolean {
  return /^(?:prometheus|npm run -s (?:sandbox|metrics-adapter|autoscaler)) /.test(block);
}

/** Opens docs/NAME. `desk` is the folder of the page's own files, below that of the clone. */
export async function openTutorial(name: string, desk: string): Promise<TutorialPage> {
  const text = readFileSync(join(root, "docs", name), "utf8");
  const blocks = [...text.matchAll(/^```sh\n([^]*?)^```$/gm)].map(([, block = ""]) => block.trimEnd());
  const folder = mkdtempSync(join(tmpdir(), "plimsoll-tutorial-"));
  const ports = new Map<string, number>();
  for (const port of ["9090", "6443", "6444"]) ports.set(port, await freePort());
  copyFiles(folder, (file) => here(file, ports));
  const shell = (script: string): ChildProcess => startShell(here(script, ports), { folder, desk, ports });
  const programs: ChildProcess[] = [];
  return {
    text,
    blocks,
    carryOut: () => carryOut(blocks, { shell, programs }),
    async close() {
      for (const { pid } of programs.toReversed()) await end(pid);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** With the ports of this run. */
function here(text: string, ports: ReadonlyMap<string, number>): string {
  return [...ports].reduce((done, [port, free]) => done.replaceAll(port, String(free)), text);
}

/** What the pages use of the clone, with the ports of this run in the examples. */
function copyFiles(folder: string, filled: (text: string) => string): void {
  for (const path of globSync("examples/tutorial*", { cwd: root }))
    cpSync(join(root, path), join(folder, path), { recursive: true });
  for (const path of globSync("examples/*/*", { cwd: folder }))
    writeFileSync(join(folder, path), filled(readFileSync(join(folder, path), "utf8")));
  cpSync(join(root, "deploy/crds"), join(folder, "deploy/crds"), { recursive: true });
}

/** A shell in the place of the reader's: the folder of the clone is the temporary one, but for npm. */
function startShell(
  script: string,
  {
    folder,
    desk,
    ports,
  }: { readonly folder: string; readonly desk: string; readonly ports: ReadonlyMap<string, number> },
): ChildProcess {
  const typed = script.replaceAll("npm run ", `npm --prefix "${root}" run `);
  const path = `${process.env["PATH"] ?? ""}${delimiter}${dirname(prometheusProgram())}`;
  return spawn("sh", ["-ec", typed], {
    cwd: folder,
    env: {
      ...process.env,
      NODE_OPTIONS: "",
      INIT_CWD: folder,
      PATH: path,
      // The exports of the page.
      KUBECONFIG: join(folder, desk, "kubeconfig"),
      PROMETHEUS_URL: here("http://127.0.0.1:9090", ports),
    },
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
}

interface Ran {
  readonly code: number | null;
  readonly output: string;
}

async function ended(child: ChildProcess): Promise<Ran> {
  const output: string[] = [];
  child.stdout?.on("data", (chunk: Buffer) => output.push(chunk.toString()));
  child.stderr?.on("data", (chunk: Buffer) => output.push(chunk.toString()));
  const [code] = (await once(child, "close")) as [number | null];
  return { code, output: output.join("") };
}

async function carryOut(
  blocks: readonly string[],
  { shell, programs }: { shell: (script: string) => ChildProcess; readonly programs: ChildProcess[] },
): Promise<string> {
  const outputs: string[] = [];
  let isAfterProgram = false;
  for (const block of blocks) {
    if (isProgram(block)) {
      // What it serves is waited for by the command after it.
      const program = shell(`exec ${block}`);
      program.stdout?.resume();
      program.stderr?.resume();
      programs.push(program);
      isAfterProgram = true;
      continue;
    }
    // A reader sees when a program serves; here its first commands are repeated until it does.
    let last: Ran = { code: null, output: "" };
    const works = async (): Promise<true | undefined> => {
      last = await ended(shell(block));
      return last.code === 0 ? true : undefined;
    };
    if (isAfterProgram) await until(`the program before ${block}`, works);
    else await works();
    expect({ block, ...last }).toMatchObject({ code: 0 });
    outputs.push(last.output);
    isAfterProgram = false;
  }
  return outputs.join("\n");
}

/** Ends a group of processes: npm has children of its own, which end after it. */
async function end(group: number | undefined): Promise<void> {
  if (group === undefined || !isAlive(group)) return;
  process.kill(-group, "SIGTERM");
  await until(`the end of the process group ${group}`, () => (isAlive(group) ? undefined : true));
}

function isAlive(group: number): boolean {
  try {
    process.kill(-group, 0);
    return true;
  } catch {
    return false;
  }
}
