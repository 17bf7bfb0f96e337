import { execFileSync } from "node:child_process";

/** The dynamic linker and the libraries that a program needs, where the linker finds them. */
export function sharedLibraries(program: string): readonly string[] {
  const text = execFileSync("ldd", [program], { encoding: "utf8" });
  const paths = text.split("\n").flatMap((line) => /(?:=>\s+)?(\/\S+)\s+\(0x/.exec(line)?.[1] ?? []);
  if (paths.length === 0) throw new Error(`ldd names no library of ${program}: ${text}`);
  return paths.toSorted();
}
