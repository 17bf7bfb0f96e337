// What setup finds on machines that are not this one.
import { expect, test } from "vitest";
import { FetchFailed } from "../setup/distribution.mjs";
import { findOptional, findProgram, refuseWindows } from "../setup/find.mjs";
import { distributionsIn, type System } from "../setup/system.mjs";
import { chromium, kubectl, prometheus, sources } from "../setup/wanted.mjs";

/** A machine with nothing on it. */
function bare(machine: Partial<System>): System {
  const fails = (why: string) => () => {
    throw new FetchFailed(why);
  };
  return {
    platform: "linux",
    distributions: [],
    environment: {},
    findOnPath: () => undefined,
    isExecutable: () => false,
    unpackedPackage: fails("there is no apt-get"),
    builtProgram: fails("there is no Go to build it with"),
    report: () => {},
    ...machine,
  };
}

test("what a variable names comes before all else", () => {
  const machine = bare({
    environment: { PROMETHEUS: "/opt/prometheus" },
    isExecutable: (path) => path === "/opt/prometheus",
    findOnPath: () => "/usr/bin/prometheus",
  });
  expect(findProgram(prometheus, machine)).toBe("/opt/prometheus");
});

test("the PATH comes before the distribution's package, and that before Go", () => {
  const onPath = (names: readonly string[]) => `/usr/bin/${names[0]}`;
  const unpackedPackage = (name: string) => `/cache/${name}`;
  const builtProgram = ({ name }: { readonly name: string }) => `/built/${name}`;
  const all = { unpackedPackage, builtProgram };
  expect(findProgram(prometheus, bare({ ...all, findOnPath: onPath }))).toBe("/usr/bin/prometheus");
  expect(findProgram(prometheus, bare(all))).toBe("/cache/prometheus/usr/bin/prometheus");
  expect(findProgram(prometheus, bare({ builtProgram }))).toBe("/built/prometheus");
});

test("an old kubectl of a distribution is left for Go's", () => {
  // There is no program in there, so that it has no version.
  const machine = bare({
    unpackedPackage: () => "/nowhere",
    builtProgram: ({ module }) => `/built/${module}`,
  });
  expect(findProgram(kubectl, machine)).toBe("/built/kubectl");
});

test("an application of macOS is found without the PATH", () => {
  const [, chrome = ""] = chromium.applications ?? [];
  expect(findProgram(chromium, bare({ platform: "darwin", isExecutable: (path) => path === chrome }))).toBe(
    chrome,
  );
});

test.each<readonly [machine: Partial<System>, commands: readonly string[]]>([
  [
    { platform: "darwin" },
    ["brew install prometheus", "brew install --cask google-chrome", "brew install kubernetes-cli"],
  ],
  [
    { distributions: ["ubuntu", "debian"] },
    [
      "sudo apt-get install prometheus",
      "sudo apt-get install chromium",
      "sudo apt-get install kubernetes-client",
    ],
  ],
  [
    { distributions: ["fedora"] },
    [
      "sudo dnf install golang-github-prometheus",
      "sudo dnf install chromium",
      "sudo dnf install kubernetes-client",
    ],
  ],
  [
    { distributions: ["alpine"] },
    ["sudo apk add prometheus", "sudo apk add chromium", "sudo apk add kubectl"],
  ],
])("on %j one command is named", (machine, commands) => {
  for (const [index, wanted] of [prometheus, chromium, kubectl].entries()) {
    const fails = () => findProgram(wanted, bare(machine));
    expect(fails).toThrow(`type '${commands[index] ?? ""}', or set ${wanted.variable}=/path/to/it`);
    expect(fails).toThrow(`no ${wanted.title} found (the distribution's package: there is no apt-get`);
  }
});

test("of a program of the recipe book the package is named", () => {
  const debian = bare({ distributions: ["debian"] });
  const remedies = sources.map(
    (one) => `type '${one.install["debian"] ?? ""}', or set ${one.variable}=/path/to/it`,
  );
  expect(remedies).toContain("type 'sudo apt-get install haproxy', or set HAPROXY=/path/to/it");
  for (const [at, one] of sources.entries()) expect(() => findProgram(one, debian)).toThrow(remedies[at]);
});

test("on an unknown system, the variable is named", () => {
  expect(() => findProgram(prometheus, bare({ distributions: ["plan9"] }))).toThrow(
    "install Prometheus, or set PROMETHEUS=/path/to/it",
  );
});

test("an optional program that is not there is reported, and one that is named wrongly is an error", () => {
  const lines: string[] = [];
  const report = (line: string) => void lines.push(line);
  expect(findOptional(chromium, bare({ platform: "darwin", report }))).toBeUndefined();
  expect(lines).toEqual([expect.stringMatching(/^no Chromium found .*Its tests are left out$/)]);
  expect(() => findOptional(chromium, bare({ environment: { CHROMIUM: "/no" } }))).toThrow(
    "CHROMIUM=/no is not a program",
  );
});

test("Windows is sent to its Linux", () => {
  expect(() => refuseWindows("win32")).toThrow("wsl --install -d Debian");
  for (const platform of ["linux", "darwin"]) expect(() => refuseWindows(platform)).not.toThrow();
});

test.each([
  ["ID=fedora\nVERSION_ID=43\n", ["fedora"]],
  ['NAME="Rocky"\nID="rocky"\nID_LIKE="rhel centos fedora"\n', ["rocky", "rhel", "centos", "fedora"]],
  ["", []],
])("of %j the distribution is read", (text, names) => {
  expect(distributionsIn(text)).toEqual(names);
});
