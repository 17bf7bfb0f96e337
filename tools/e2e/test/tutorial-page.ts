// Carries out a tutorial of docs: every command of the page, as a reader types it, on ports that are free here.
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort, until } from "@plimsoll/testbed";
import { local } from "./fixture.ts";
import { type Ran, type ReadersShell, readersShell } from "./readers-shell.ts";

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

/** What a reader has of Plimsoll. */
export interface Material {
  /** Puts it into the empty folder in which the page begins. */
  readonly fill?: (folder: string) => void;
  /** The reader uses this clone. Otherwise nothing of it can be seen. */
  readonly isClone?: boolean;
  /** A folder of programs that come first on the PATH. */
  readonly programs?: string;
  /** What the environment has beside the PATH. */
  readonly variables?: Readonly<Record<string, string>>;
  /** Does for a program of the page what that would, in the reader's folder; undefined starts the program. */
  readonly instead?: (block: string, folder: string) => Promise<void> | undefined;
}

/** Whether a block stays in the foreground. */
export function isProgram(block: string): boolean {
  return /^(?:prometheus|(?:\.\/)?(?:sandbox|metrics-adapter|autoscaler)) /.test(block);
}

/** Whether a page begins with the clone, rather than with the archive of a release. */
export function isFromClone(text: string): boolean {
  return /^git clone /m.test(text);
}

/** Opens docs/NAME. */
export async function openTutorial(name: string, material: Material): Promise<TutorialPage> {
  const text = readFileSync(join(root, "docs", name), "utf8");
  const blocks = [...text.matchAll(/^```sh\n([^]*?)^```$/gm)]
    .map(([, block = ""]) => block.trimEnd())
    // The other way to get the files.
    .filter((block) => !(isFromClone(text) && block.startsWith("tar ")));
  const folder = mkdtempSync(join(tmpdir(), "plimsoll-tutorial-"));
  const ports = new Map<string, number>();
  for (const port of ["9090", "6443", "6444", "6445", "6446"]) ports.set(port, await freePort());
  const here = (from: string) =>
    from.replaceAll(/\b(?:9090|644[3-6])\b/g, (port) => String(ports.get(port) ?? port));
  material.fill?.(folder);
  const shell = readersShell({ ...material, folder, ...(material.isClone ? {} : { hidden: root }) });
  return {
    text,
    blocks,
    carryOut: () => carryOut(blocks, { shell, here, material }),
    async close() {
      await shell.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

interface Run {
  readonly shell: ReadersShell;
  /** With the ports of this run. */
  readonly here: (text: string) => string;
  readonly material: Material;
}

async function carryOut(blocks: readonly string[], { shell, here, material }: Run): Promise<string> {
  const outputs: string[] = [];
  let isAfterProgram = false;
  let place = "";
  /** What a page has readers type in each terminal. */
  let inEach = "";
  for (const block of blocks) {
    inEach += block.match(/^export PATH=.*\n?/gm)?.join("\n") ?? "";
    // As soon as there are files.
    if (place !== shell.folder()) fillPorts(shell.folder(), here);
    place = shell.folder();
    if (isProgram(block)) {
      const replaced = material.instead?.(block, place);
      await replaced;
      // What it serves is waited for by the command after it.
      if (replaced === undefined) shell.start(`${inEach}\nexec ${here(block)}`);
      isAfterProgram = true;
      continue;
    }
    const works = async (): Promise<Ran> => {
      const ran = await shell.run(here(block));
      if (ran.code !== 0) throw new Error(`${block}\nended with ${ran.code}:\n${ran.output}`);
      return ran;
    };
    // A reader sees when a program serves; here its first commands are repeated until it does.
    const { output } = isAfterProgram ? await until("the program before", works) : await works();
    outputs.push(output);
    isAfterProgram = false;
  }
  return outputs.join("\n");
}

function fillPorts(folder: string, here: (text: string) => string): void {
  for (const path of globSync("examples/*/*", { cwd: folder }))
    writeFileSync(join(folder, path), here(readFileSync(join(folder, path), "utf8")));
}
