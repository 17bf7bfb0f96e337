// What the page of the console is made of, in a bill of materials and among the licenses.
import { readFileSync } from "node:fs";

/** What the tests read of a bill. */
export interface Sbom {
  readonly specVersion: string;
  readonly serialNumber?: string;
  readonly metadata: {
    readonly timestamp?: string;
    readonly component: { readonly name: string; readonly "bom-ref": string };
  };
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn?: readonly string[] }[];
}

interface Component {
  readonly name: string;
  readonly version: string;
  readonly "bom-ref": string;
  readonly purl: string;
  readonly licenses?: object[];
}

/** Packages of which a browser loads something, found by what is in the files. */
const packages = ["preact", "@preact/signals", "@preact/signals-core", "uplot"];

/** A line for each package that the bill or the licenses lack. */
export function missingOfPage(components: readonly Component[], notices: string): readonly string[] {
  const { dependencies } = JSON.parse(
    readFileSync(new URL("../../../../packages/console/package.json", import.meta.url), "utf8"),
  ) as { readonly dependencies: Readonly<Record<string, string>> };
  return packages.flatMap((name) => {
    const [, bare = name] = name.split("/");
    const version = dependencies[name] ?? String.raw`\d+\.\d+\.\d+`;
    const purl = new RegExp(`^pkg:npm/${name.replace("@", "%40")}@${version}(\\?|$)`);
    const component = components.find((one) => one.name === bare && purl.test(one.purl));
    return [
      ...(component === undefined ? [`${name} is not in the bill`] : []),
      ...(component?.licenses?.length === 0 ? [`${name} has no license in the bill`] : []),
      ...(isPassedOn(name, version, notices) ? [] : [`the license of ${name} is not passed on`]),
    ];
  });
}

function isPassedOn(name: string, version: string, notices: string): boolean {
  const head = new RegExp(`^${name} ${version} \\(MIT\\)\n\n`);
  const section = notices.split(/\n-{78}\n\n/).find((one) => head.test(one));
  return section?.includes("Permission is hereby granted, free of charge") === true;
}
