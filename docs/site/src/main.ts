// npm run docs: builds the documentation site, and serves it on loopback or leaves it in a folder.
import { resolve } from "node:path";
import { Command, InvalidArgumentError } from "commander";
import { buildSite, servedFolder } from "./build.ts";
import { serveSite } from "./server.ts";

interface Flags {
  readonly build?: string;
  readonly port: number;
}

await new Command("docs")
  .description("Builds the documentation site from docs, and serves it on loopback until it is stopped.")
  .option("--build <FOLDER>", "write the site into this folder, and serve nothing")
  .option("--port <N>", "of the server; 0 is any free one", portOf, 0)
  .action(async ({ build, port }: Flags) => {
    try {
      if (build === undefined) await serve(port);
      else await write(resolve(build));
    } catch (error) {
      console.error(`docs: ${error instanceof Error ? error.message : String(error)}`);
      process.exitCode = 1;
    }
  })
  .parseAsync();

async function write(folder: string): Promise<void> {
  await buildSite(folder);
  console.log(`docs: the site is in ${folder}; open index.html, or serve the folder at any path`);
}

async function serve(port: number): Promise<void> {
  await buildSite(servedFolder);
  const server = await serveSite(servedFolder, port);
  console.log(`docs: ${server.address}`);
  const stop = (): void => void server.close();
  process.once("SIGINT", stop);
  process.once("SIGTERM", stop);
}

function portOf(text: string): number {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65_535)
    throw new InvalidArgumentError("a port is a number from 0 to 65535");
  return port;
}
