import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { runToEnd } from "@plimsoll/testbed";

const root = fileURLToPath(new URL("../../../", import.meta.url));

/** A page of the documentation, whose commands are carried out as a reader would. */
export interface Page {
  /** Where its commands leave their files. */
  readonly desk: string;
  /** A folder beside that. */
  readonly folder: string;
  /** The page's code block with this text in it, or its line where that is a paragraph's. */
  commandsWith(part: string): string;
  /** Runs commands by bash in the desk. @throws with all that they printed when one fails */
  shell(commands: string, env?: Readonly<Record<string, string>>): Promise<string>;
  /** Removes the folder. */
  close(): void;
}

/** Opens docs/NAME for a cluster. On the PATH are `programs`, an npm that is in the clone, the clone's `bin`, and what is there already. */
export function openPage(
  name: string,
  options: { readonly kubeconfig: () => string; readonly programs?: Readonly<Record<string, string>> },
): Page {
  const page = readFileSync(join(root, "docs", name), "utf8");
  const blocks = [...page.matchAll(/^( *)```sh\n([^]*?)^ *```$/gm)].map(([, indent = "", body = ""]) =>
    body
      .split("\n")
      .map((line) => (line.startsWith(indent) ? line.slice(indent.length) : line))
      .join("\n"),
  );
  const folder = mkdtempSync(join(tmpdir(), "plimsoll-page-"));
  const desk = join(folder, "desk");
  const bin = join(folder, "bin");
  mkdirSync(bin);
  mkdirSync(desk);
  const programs = {
    npm: `env PATH="${process.env["PATH"] ?? ""}" npm --prefix "${root}"`,
    ...options.programs,
  };
  for (const [program, command] of Object.entries(programs))
    writeFileSync(join(bin, program), `#!/bin/sh\nexec ${command} "$@"\n`, { mode: 0o755 });

  return {
    desk,
    folder,
    commandsWith(part) {
      const found = blocks.filter((block) => block.includes(part));
      if (found.length === 1 && found[0] !== undefined) return found[0];
      const inline = [...page.matchAll(/`([^`\n]+)`/g)].flatMap(([, code = ""]) =>
        code.includes(part) ? [code] : [],
      );
      if (found.length === 0 && inline.length === 1 && inline[0] !== undefined) return inline[0];
      throw new Error(`the page has ${found.length} blocks with ${part}`);
    },
    async shell(commands, env = {}) {
      const { code, stdout, stderr } = await runToEnd(
        "bash",
        ["-euo", "pipefail", "-c", `cd "${desk}"\n${commands}`],
        {
          PATH: [bin, join(root, "bin"), process.env["PATH"] ?? ""].join(delimiter),
          KUBECONFIG: options.kubeconfig(),
          ...env,
        },
      );
      if (code !== 0) throw new Error(`ended with exit code ${code}:\n${commands}\n${stdout}\n${stderr}`);
      return stdout;
    },
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
}
