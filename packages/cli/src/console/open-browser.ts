// Opens an address in the browser of the desktop, where there is one.
import { spawn } from "node:child_process";

const commands: Partial<Readonly<Record<NodeJS.Platform, readonly [string, ...string[]]>>> = {
  darwin: ["open"],
  // Not "start" of cmd, which reads the address as part of its own language.
  win32: ["rundll32", "url.dll,FileProtocolHandler"],
  linux: ["xdg-open"],
};

/** Its failure is none of ours: the address is on the terminal. */
export function openBrowser(url: string): void {
  const command = commands[process.platform];
  if (command === undefined) return;
  const [program, ...args] = command;
  const child = spawn(program, [...args, url], { stdio: "ignore", detached: true });
  child.on("error", () => undefined);
  child.unref();
}
