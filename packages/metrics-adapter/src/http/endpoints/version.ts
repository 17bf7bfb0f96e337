/** What was built, for /version and for the log. */
export interface BuildInfo {
  readonly version: string;
  readonly runtime: string;
  readonly platform: string;
}

/** version.Info of apimachinery, in the order in which Go writes it. */
export function versionDocument(build: BuildInfo): object {
  return {
    major: "1",
    minor: "0",
    gitVersion: `v${build.version}`,
    gitCommit: "",
    gitTreeState: "",
    buildDate: "",
    goVersion: build.runtime,
    compiler: "",
    platform: build.platform,
  };
}
